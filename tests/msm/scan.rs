//! Counters that become places, tile by tile.

use rand_core::{RngCore as _, SeedableRng as _};
use warpfield::gpu::Stream;
use warpfield::ptx;

use crate::support::open;

#[test]
fn tiles_of_all_sizes() {
    let (device, module) = open(1);
    let stream: Stream = device.stream().expect("a stream");
    let [sum_up, places] = ["msm_tile_sums", "msm_starts"].map(|name| {
        (module.kernel(name).expect("a kernel"), ptx::entry(name).expect("a description"))
    });
    let mut rng = rand_chacha::ChaCha20Rng::seed_from_u64(7);
    for (log, tiles) in [(7u32, 1u32), (7, 5), (8, 3), (10, 2), (11, 2), (13, 1)] {
        // Mostly small ones, and sums that wrap.
        let count = (tiles as usize) << log;
        let counters: Vec<u32> = (0..count).map(|i| rng.next_u32() >> (i % 40).min(31)).collect();
        let mut before = 0u32;
        let expected: Vec<u32> = counters
            .iter()
            .map(|counter| {
                let place = before;
                before = before.wrapping_add(*counter);
                place
            })
            .collect();
        let (memory, sums) = (
            device.alloc::<u32>(count).expect("memory"),
            device.alloc::<u32>(tiles as usize).expect("memory"),
        );
        stream.upload(&memory, &counters).expect("a copy");
        // SAFETY: whole tiles, each with a sum and a warp.
        unsafe {
            let config = sum_up.1.config(tiles, 32);
            stream.launch(&sum_up.0, config, (&sums, &memory, tiles, log)).expect("a launch");
        }
        let mut found = vec![0; tiles as usize];
        stream.download(&sums, &mut found).expect("a copy");
        let of_tiles = counters.chunks(1 << log);
        let of_tiles: Vec<u32> =
            of_tiles.map(|tile| tile.iter().copied().fold(0u32, u32::wrapping_add)).collect();
        assert_eq!(found, of_tiles, "2^{log}");
        let starts: Vec<u32> = expected.iter().step_by(1 << log).copied().collect();
        stream.upload(&sums, &starts).expect("a copy");
        // SAFETY: as above.
        unsafe {
            let config = places.1.config(tiles, 32);
            stream.launch(&places.0, config, (&memory, &sums, tiles, log)).expect("a launch");
        }
        let mut found = vec![0; count];
        stream.download(&memory, &mut found).expect("a copy");
        assert!(found == expected, "{tiles} tiles of 2^{log}");
    }
}
