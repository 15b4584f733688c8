//! Many workers, partitions of all sizes and ends, and threads that take their time.

use std::panic::{self, AssertUnwindSafe};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use rand_chacha::ChaCha8Rng;
use rand_core::{RngCore, SeedableRng};
use warpfield::pipeline::interlock::{Error, Interlock, Reached, Strategy};
use warpfield::pipeline::stop::Stop;

use crate::support::{assert_idle, interlock};

const CAPACITY: usize = 10;
const WORKERS: u64 = 6;
const PARTITIONS: usize = 150;

/// What happened on the device, in the order of time.
#[derive(Default)]
struct Device {
    used: AtomicUsize,
    computed: Mutex<Vec<u64>>,
    /// When a worker held a lock, from and to.
    prep: Mutex<Vec<[Instant; 2]>>,
    compute: Mutex<Vec<[Instant; 2]>>,
}

struct Memory<'a>(&'a Device, usize);

impl<'a> Memory<'a> {
    fn new(device: &'a Device, bytes: usize) -> Self {
        let used = device.used.fetch_add(bytes, Ordering::Relaxed) + bytes;
        assert!(used <= CAPACITY, "{used}");
        Self(device, bytes)
    }
}

impl Drop for Memory<'_> {
    fn drop(&mut self) {
        self.0.used.fetch_sub(self.1, Ordering::Relaxed);
    }
}

impl Device {
    /// Takes the times of a worker's locks.
    fn listen(&self) -> impl FnMut(Reached) {
        let (mut prep, mut compute) = (None, None);
        move |reached| {
            let now = Instant::now();
            match reached {
                Reached::PrepHeld => prep = Some(now),
                Reached::ComputeHeld => compute = Some(now),
                Reached::PrepReleased => {
                    let from = prep.take().expect("it was held");
                    self.prep.lock().expect("no panic").push([from, now]);
                }
                Reached::ComputeReleased => {
                    let from = compute.take().expect("it was held");
                    self.compute.lock().expect("no panic").push([from, now]);
                }
                _ => {}
            }
        }
    }
}

fn nap(random: &mut ChaCha8Rng) {
    match random.next_u32() % 4 {
        0 => thread::sleep(Duration::from_micros((random.next_u32() % 200).into())),
        1 => thread::yield_now(),
        _ => {}
    }
}

/// A partition with an end of its own: some fail, panic, run out of time or are cancelled.
fn pass(device: &Device, interlock: &Interlock, random: &mut ChaCha8Rng) -> Result<(), Error> {
    let bytes = random.next_u32() as usize % (CAPACITY + 1);
    let end = random.next_u32() % 12;
    let stop = match end {
        0 => Stop::with_deadline(Instant::now() + Duration::from_micros(100)),
        _ => Stop::new(),
    };
    let seen = &mut device.listen();
    let mut worker = interlock.worker();
    thread::scope(|scope| {
        if end == 1 {
            scope.spawn(|| stop.cancel());
        }
        let prep = worker.prepare(bytes, &stop, seen)?;
        let memory = Memory::new(device, bytes);
        nap(random);
        match end {
            2 => return Ok(()),
            3 => panic::resume_unwind(Box::new("in prep")),
            _ => {}
        }
        let staged = prep.finish(memory, seen);
        nap(random);
        match end {
            4 => return Ok(()),
            5 => panic::resume_unwind(Box::new("staged")),
            _ => {}
        }
        let compute = staged.compute(&stop, seen)?;
        device.computed.lock().expect("no panic").push(compute.ticket());
        nap(random);
        match end {
            6 => return Ok(()),
            7 => panic::resume_unwind(Box::new("in compute")),
            _ => {}
        }
        compute.finish(seen);
        Ok(())
    })
}

fn assert_disjoint(held: &mut [[Instant; 2]]) {
    held.sort();
    assert!(held.is_sorted_by(|[_, end], [start, _]| end <= start));
}

#[test]
fn many_workers_of_one_device() {
    for strategy in Strategy::compiled() {
        let interlock = interlock(strategy, CAPACITY);
        let device = Device::default();
        thread::scope(|scope| {
            for seed in 0..WORKERS {
                let (device, interlock) = (&device, &interlock);
                scope.spawn(move || {
                    let mut random = ChaCha8Rng::seed_from_u64(seed);
                    for _ in 0..PARTITIONS {
                        let pass = || pass(device, interlock, &mut random);
                        // How it ends is for the interlock to survive.
                        let _ = panic::catch_unwind(AssertUnwindSafe(pass));
                    }
                });
            }
        });
        assert_idle(&interlock);
        assert_eq!(interlock.state().next_ticket, WORKERS * PARTITIONS as u64);
        assert_eq!(device.used.into_inner(), 0);
        let computed = device.computed.into_inner().expect("no panic");
        assert!(computed.len() > PARTITIONS, "most of them compute");
        if strategy != Strategy::None {
            assert!(computed.is_sorted(), "{strategy}");
        }
        assert_disjoint(&mut device.prep.into_inner().expect("no panic"));
        assert_disjoint(&mut device.compute.into_inner().expect("no panic"));
    }
}
