//! A damaged file cannot make its reader allocate more than the file's length justifies.

#[path = "../fuzz/src/allocation.rs"]
mod counting;
mod support;

use support::*;
use warpfield::circuit::WitnessValues;
use warpfield::formats::zkey::{self, Trust};
use warpfield::formats::{Source, inspect, r1cs, wtns};

/// One test, so that no other allocates in the meantime.
#[test]
fn wild_numbers_anywhere() {
    let sample = Sample::synthetic(3, 1, WitnessValues::FullWidth);
    type Read = fn(Source);
    let readers: [(&[u8], Read); 3] = [
        (&sample.zkey, |source| drop(zkey::read(&source, Trust::Trusted))),
        (&sample.wtns, |source| drop(wtns::read(&source))),
        (&sample.r1cs, |source| drop(r1cs::read(&source))),
    ];
    for (bytes, read) in readers {
        // Once before, for what is allocated once.
        read(Source::from_bytes("file", bytes.to_vec()));
        for offset in (4..bytes.len() - 4).step_by(4) {
            for wild in [u32::MAX, 1 << 31, 1 << 24] {
                let changed = patched(bytes, offset, &wild.to_le_bytes());
                let ((), used) = counting::peak(|| {
                    let source = Source::from_bytes("file", changed);
                    read(source.clone());
                    let _ = inspect(&source);
                });
                let allowed = 8 * bytes.len() + (64 << 10);
                assert!(used <= allowed, "{used} bytes for {wild:#x} at {offset}");
            }
        }
    }
}
