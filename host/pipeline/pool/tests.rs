use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use rand_chacha::ChaCha8Rng;
use rand_core::{RngCore, SeedableRng};

use super::*;
use crate::gpu::emulator;

fn device() -> Device {
    Device::emulated(emulator::Config::default())
}

fn soon() -> Stop {
    Stop::with_deadline(Instant::now() + Duration::from_millis(30))
}

/// What never ends is a failure.
const TIME: Duration = Duration::from_secs(20);

fn in_time() -> Stop {
    Stop::with_deadline(Instant::now() + TIME)
}

/// Waits until so many are in line.
fn line(pool: &Pool, waiting: usize) {
    let start = Instant::now();
    while pool.state.look(|state| state.line.len()) != waiting {
        assert!(start.elapsed() < TIME, "{waiting} are never in line");
        thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn exact_lengths_and_zeros() {
    let pool = Pool::new(&device(), 4000, 2).unwrap();
    assert_eq!((pool.bytes(), pool.free_bytes()), (2 * 3840, 2 * 3840));
    for len in [0, 1, 3, 100, 3840] {
        let mut bytes = pool.checkout::<u8>(len, &soon()).unwrap();
        assert_eq!(bytes.len(), len);
        assert!(bytes.iter().all(|byte| *byte == 0));
        bytes.fill(0xff);
        drop(bytes);
        // Whoever has it next, as whatever.
        let words = pool.checkout::<[u32; 3]>(len / 12, &soon()).unwrap();
        assert!(words.iter().flatten().all(|word| *word == 0), "of {len}");
        words.checkin();
        assert_eq!(pool.free_bytes(), pool.bytes());
    }
}

/// Whatever is lent and comes back in whatever order, in the end all is as it was.
#[test]
fn pieces_become_one_again() {
    let pool = Pool::new(&device(), 1 << 14, 3).unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    let mut lent: Vec<(Lent<u64>, u64)> = vec![];
    for round in 0..600u64 {
        let len = (rng.next_u32() % 900) as usize;
        // It may well be full, but not with nothing lent.
        let now = Stop::with_deadline(Instant::now() + Duration::from_millis(1));
        let stop = if lent.is_empty() { in_time() } else { now };
        match pool.checkout::<u64>(len, &stop) {
            Ok(mut buffer) => {
                assert!(buffer.iter().all(|word| *word == 0));
                buffer.fill(round + 1);
                lent.push((buffer, round + 1));
            }
            Err(_) => {
                let (buffer, value) = lent.swap_remove(rng.next_u32() as usize % lent.len());
                // Nobody else has written there.
                assert!(buffer.iter().all(|word| *word == value));
            }
        }
    }
    drop(lent);
    let pieces = pool.state.look(|state| state.free.sizes());
    assert_eq!(pieces, [1 << 14; 3]);
}

#[test]
fn from_the_smallest_that_is_large_enough() {
    let pool = Pool::new(&device(), 1 << 12, 2).unwrap();
    let small = pool.checkout::<u8>(1 << 8, &soon()).unwrap();
    // Not from the whole chunk, which is needed for the next.
    let other = pool.checkout::<u8>(1 << 9, &soon()).unwrap();
    let whole = pool.checkout::<u8>(1 << 12, &soon()).unwrap();
    drop((small, other, whole));
    // In an order in which they fit, though not in that of the call.
    let [a, b, c] = pool.checkout_all::<u8, 3>([3 << 10, 1 << 10, 1 << 12], &soon()).unwrap();
    assert_eq!([a.len(), b.len(), c.len()], [3 << 10, 1 << 10, 1 << 12]);
}

#[test]
fn too_large_for_all_of_it() {
    let pool = Pool::new(&device(), 1 << 12, 2).unwrap();
    let _lent = pool.checkout::<u8>(1 << 12, &soon()).unwrap();
    for lens in [[0, (1 << 12) + 1], [3 << 10, (1 << 12) + 1], [usize::MAX, 1]] {
        let error = pool.checkout_all::<u8, 2>(lens, &in_time()).unwrap_err();
        assert!(matches!(error, Error::TooLarge { .. }), "{error}");
    }
    let lens = [1 << 12, 1 << 12, 1];
    let error = pool.checkout_all::<u8, 3>(lens, &in_time()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "8193 bytes in buffers of up to 4096 do not fit 2 chunks of 4096 bytes of pinned memory; make the pool \
         larger"
    );
    let error = pool.checkout::<u64>(usize::MAX / 4, &in_time()).unwrap_err();
    assert!(matches!(error, Error::TooLarge { .. }), "{error}");
}

#[test]
fn waiting_ends_by_what_comes_back_a_cancellation_or_a_deadline() {
    let pool = Pool::new(&device(), 1 << 12, 1).unwrap();
    let lent = pool.checkout::<u8>(1, &soon()).unwrap();
    let error = pool.checkout::<u8>(1 << 12, &soon()).unwrap_err();
    assert!(matches!(error, Error::Stopped(Stopped::Deadline)));

    let stop = Stop::new();
    let (waiting, of_waiting) = (pool.clone(), stop.clone());
    let waiting = thread::spawn(move || waiting.checkout::<u8>(1 << 12, &of_waiting).err());
    line(&pool, 1);
    stop.cancel();
    assert!(matches!(waiting.join().unwrap(), Some(Error::Stopped(Stopped::Cancelled))));

    let waiting = pool.clone();
    let waiting = thread::spawn(move || waiting.checkout::<u8>(1 << 12, &in_time()).unwrap());
    line(&pool, 1);
    drop(lent);
    assert_eq!(waiting.join().unwrap().len(), 1 << 12);
    // Nobody who gave up is in line.
    assert!(pool.checkout::<u8>(1 << 12, &soon()).is_ok());
}

#[test]
fn first_come_first_served() {
    let pool = Pool::new(&device(), 1 << 12, 1).unwrap();
    let half = pool.checkout::<u8>(1 << 11, &soon()).unwrap();
    let (sender, served) = mpsc::channel();
    let threads: Vec<_> = [1 << 12, 1 << 10]
        .into_iter()
        .enumerate()
        .map(|(waiting, len)| {
            let (own, sender) = (pool.clone(), sender.clone());
            let thread = thread::spawn(move || {
                let lent = own.checkout::<u8>(len, &in_time()).unwrap();
                sender.send(lent.len()).unwrap();
            });
            line(&pool, waiting + 1);
            thread
        })
        .collect();
    // There is room for the second, and it waits.
    thread::sleep(Duration::from_millis(20));
    assert!(served.try_recv().is_err());
    drop(half);
    let served = [served.recv_timeout(TIME).unwrap(), served.recv_timeout(TIME).unwrap()];
    assert_eq!(served, [1 << 12, 1 << 10]);
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}

/// Two that take two halves each, one after the other, would wait for each other.
#[test]
fn all_buffers_at_once_or_none() {
    let pool = Pool::new(&device(), 1 << 12, 2).unwrap();
    let half = pool.checkout::<u8>(1 << 11, &soon()).unwrap();
    let error = pool.checkout_all::<u8, 2>([1 << 12; 2], &soon()).unwrap_err();
    assert!(matches!(error, Error::Stopped(Stopped::Deadline)));
    assert_eq!(pool.free_bytes(), pool.bytes() - (1 << 11));
    drop(half);
    let threads: Vec<_> = (0..4)
        .map(|_| {
            let pool = pool.clone();
            thread::spawn(move || {
                for _ in 0..50 {
                    let [mut a, b] = pool.checkout_all::<u8, 2>([1 << 12; 2], &in_time()).unwrap();
                    a.fill(1);
                    assert!(b.iter().all(|byte| *byte == 0));
                }
            })
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}

/// What a copy has is nobody else's until it is done, also if it is given up.
#[test]
fn copies_keep_what_they_have() {
    let device = device();
    let pool = Pool::new(&device, 1 << 20, 1).unwrap();
    let (stream, memory) = (device.stream().unwrap(), device.alloc::<u64>(1 << 16).unwrap());
    let filled = |value: u64| {
        let [padding, mut lent] = pool.checkout_all::<u64, 2>([1 << 10, 1 << 16], &soon()).unwrap();
        lent.fill(value);
        drop(padding);
        lent
    };
    let on_device = || {
        let mut found = vec![0; 1 << 16];
        stream.download(&memory, &mut found).unwrap();
        found
    };
    let pending = stream.upload_pinned(&memory, filled(5), ..).unwrap();
    assert_eq!(pool.free_bytes(), (1 << 20) - (1 << 19));
    let lent = pending.wait().unwrap();
    assert!(lent.iter().all(|word| *word == 5));
    drop(lent);
    assert_eq!(on_device(), vec![5; 1 << 16]);

    drop(stream.upload_pinned(&memory, filled(6), ..).unwrap());
    assert_eq!(pool.free_bytes(), (1 << 20) - (1 << 19));
    stream.synchronize().unwrap();
    assert_eq!(pool.free_bytes(), 1 << 20);
    assert_eq!(on_device(), vec![6; 1 << 16]);

    // A part of the values.
    let mut lent = filled(0);
    lent[7] = 9;
    let pending = stream.upload_pinned(&memory.slice(..3), lent, 6..9).unwrap();
    assert_eq!(on_device()[..4], [0, 9, 0, 6]);
    drop((pool, pending.wait().unwrap()));
}

/// Memory goes back to the driver when the pool and the last that is lent are gone.
#[test]
fn what_is_lent_outlives_the_pool() {
    let device = device();
    let pool = Pool::new(&device, 1 << 12, 1).unwrap();
    let mut lent = pool.checkout::<u8>(100, &soon()).unwrap();
    drop((pool, device));
    lent.fill(3);
    assert_eq!(lent[99], 3);
}

#[test]
fn an_allocation_that_fails() {
    let device = device();
    let emulated = device.as_emulated().unwrap();
    let call = emulator::Call::Alloc;
    emulated.fail_at(call, emulated.calls(call) + 1);
    let error = Pool::new(&device, 1 << 12, 3).unwrap_err();
    assert!(matches!(error, Error::Device(_)), "{error}");
}
