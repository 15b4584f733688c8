//! Streams, events, pinned memory, injected failures: what the driver allows.

#[path = "kernels/support.rs"]
#[allow(dead_code)]
mod support;

use ptx_emulator::{
    Call, Config, Device, DevicePtr, Error, Fault, Kernel, LaunchConfig, Module, PinnedBuffer,
};
use support::{download, kernel, upload};

const SEEDS: std::ops::Range<u64> = 0..64;

fn device(seed: u64) -> Device {
    Device::new(Config::default().memory(1 << 20).seed(seed).threads(1))
}

/// Adds one to 32 words.
fn increment() -> Module {
    kernel(
        "mad.wide.u32 %rd1, %tid, 4, %out;\nld.global.u32 %r2, [%rd1];\nadd.u32 %r2, %r2, 1;\nst.global.u32 [%rd1], %r2;",
    )
}

fn the(m: &Module) -> Kernel {
    m.kernel("k").unwrap()
}

const ONE: fn() -> LaunchConfig = || LaunchConfig::new(1, 32);

/// A copy on one stream, a kernel on another, the result back on a third.
fn pipeline(d: &Device, k: &Kernel, wait_for_copy: bool, wait_for_kernel: bool) -> Vec<u32> {
    let (copy, compute, back) = (d.stream(), d.stream(), d.stream());
    let p = upload(d, &[0; 32]);
    let out = PinnedBuffer::new(d, 128).unwrap();
    let (copied, computed) = (d.event(), d.event());
    copy.copy_to_device(p, &[7; 128]).unwrap();
    copy.record(&copied).unwrap();
    if wait_for_copy {
        compute.wait(&copied).unwrap();
    }
    compute.launch(k, ONE(), &[p.into()]).unwrap();
    compute.record(&computed).unwrap();
    if wait_for_kernel {
        back.wait(&computed).unwrap();
    }
    back.copy_to_pinned(&out, 0, p, 128).unwrap();
    back.synchronize().unwrap();
    d.synchronize().unwrap();
    let mut bytes = [0; 128];
    out.read(0, &mut bytes).unwrap();
    bytes.chunks(4).map(|c| u32::from_le_bytes(c.try_into().unwrap())).collect()
}

#[test]
fn a_missing_wait_shows_for_some_seed() {
    let m = increment();
    let wrong = |first, second| {
        SEEDS
            .filter(|&s| pipeline(&device(s), &the(&m), first, second) != [0x0707_0708; 32])
            .count()
    };
    assert_eq!(wrong(true, true), 0);
    for (first, second) in [(false, true), (true, false), (false, false)] {
        let n = wrong(first, second);
        assert!(n > 5, "{n} of {SEEDS:?}");
    }
}

#[test]
fn a_seed_repeats_itself() {
    let m = increment();
    for seed in SEEDS {
        let run = || pipeline(&device(seed), &the(&m), false, false);
        assert_eq!(run(), run());
    }
}

#[test]
fn streams_keep_their_own_order() {
    let m = increment();
    for seed in SEEDS {
        let d = device(seed);
        let s = d.stream();
        let p = upload(&d, &[9; 32]);
        s.fill(p, 0, 128).unwrap();
        for _ in 0..5 {
            s.launch(&the(&m), ONE(), &[p.into()]).unwrap();
        }
        let q = d.alloc(128).unwrap();
        s.copy_on_device(q, p, 128).unwrap();
        s.fill(p, 0xff, 128).unwrap();
        let mut bytes = [0; 128];
        s.copy_to_host(&mut bytes, q).unwrap();
        assert!(s.is_idle().unwrap());
        assert!(bytes.chunks(4).all(|c| c == [5, 0, 0, 0]));
    }
}

#[test]
fn an_event_is_its_last_record() {
    for seed in SEEDS {
        let d = device(seed);
        let (a, b) = (d.stream(), d.stream());
        let e = d.event();
        // Not recorded: nothing to wait for.
        assert!(e.is_done().unwrap());
        b.wait(&e).unwrap();
        let p = upload(&d, &[0; 32]);
        a.fill(p, 1, 128).unwrap();
        a.record(&e).unwrap();
        b.wait(&e).unwrap();
        // A later record does not hold b up any longer.
        a.fill(p, 2, 64).unwrap();
        a.record(&e).unwrap();
        let q = d.alloc(128).unwrap();
        b.copy_on_device(q, p, 128).unwrap();
        b.synchronize().unwrap();
        assert_eq!(download(&d, q, 32)[16..], [0x0101_0101; 16]);
        e.synchronize().unwrap();
        assert!(e.is_done().unwrap());
        assert_eq!(download(&d, p, 32)[0], 0x0202_0202);
        let later = d.event();
        a.record(&later).unwrap();
        later.synchronize().unwrap();
        let since = |event: &ptx_emulator::Event| event.elapsed_since(&e).unwrap();
        assert!(since(&later).is_some() && since(&d.event()).is_none());
    }
}

/// What waits for a record waits for that one, whenever another stream's record of the same event runs.
#[test]
fn an_event_that_several_streams_record() {
    for seed in SEEDS {
        let d = device(seed);
        let (copy, other, back) = (d.stream(), d.stream(), d.stream());
        let p = upload(&d, &[0; 32]);
        let out = PinnedBuffer::new(&d, 128).unwrap();
        let event = d.event();
        copy.copy_to_device(p, &[7; 128]).unwrap();
        copy.record(&event).unwrap();
        back.wait(&event).unwrap();
        other.record(&event).unwrap();
        back.copy_to_pinned(&out, 0, p, 128).unwrap();
        event.synchronize().unwrap();
        assert!(other.is_idle().unwrap() && event.is_done().unwrap());
        d.synchronize().unwrap();
        assert!(event.is_done().unwrap());
        let mut bytes = [0; 128];
        out.read(0, &mut bytes).unwrap();
        assert_eq!(bytes, [7; 128], "seed {seed}");
    }
}

#[test]
fn pageable_copies_take_their_bytes_at_once() {
    for seed in SEEDS {
        let d = device(seed);
        let s = d.stream();
        let p = upload(&d, &[0; 32]);
        let mut host = vec![3u8; 128];
        s.copy_to_device(p, &host).unwrap();
        host.fill(4);
        drop(host);
        s.synchronize().unwrap();
        assert_eq!(download(&d, p, 32), [0x0303_0303; 32]);
    }
}

/// Queues a copy from pinned memory and changes the memory at once.
fn reuse(
    d: &Device,
    change: impl Fn(PinnedBuffer, &Device) -> Option<Error>,
) -> Result<u32, Error> {
    let s = d.stream();
    let p = upload(d, &[0; 32]);
    let host = PinnedBuffer::new(d, 128)?;
    host.write(0, &[3; 128])?;
    s.copy_from_pinned(p, &host, 0, 128)?;
    let idle = s.is_idle()?;
    if let Some(e) = change(host, d) {
        assert!(!idle);
        return Err(e);
    }
    s.synchronize()?;
    Ok(download(d, p, 32)[0])
}

#[test]
fn pinned_memory_in_flight() {
    let count = |strict: bool, change: &dyn Fn(PinnedBuffer, &Device) -> Option<Error>| {
        let mut counts = [0; 3];
        for seed in SEEDS {
            let config = Config::default().memory(1 << 20).seed(seed).strict_pinned(strict);
            match reuse(&Device::new(config), change) {
                Ok(0x0303_0303) => counts[0] += 1,
                Ok(_) => counts[1] += 1,
                Err(Error::PinnedInFlight { offset: 0, end: 128 }) => counts[2] += 1,
                Err(e) => panic!("{e}"),
            }
        }
        counts
    };
    let write = |b: PinnedBuffer, _: &Device| {
        let r = b.write(4, &[9; 4]).and_then(|()| b.write(0, &[9; 128])).err();
        std::mem::forget(b);
        r
    };
    // A watchful device refuses; otherwise the copy takes what is there when it runs.
    let [right, wrong, refused] = count(true, &write);
    assert!(right > 0 && wrong == 0 && refused > 5, "{right} {wrong} {refused}");
    let [right, wrong, refused] = count(false, &write);
    assert!(right > 0 && wrong > 5 && refused == 0, "{right} {wrong} {refused}");
    // Dropped too soon: noticed, or the copy carries rubbish.
    let dropped = |b: PinnedBuffer, _: &Device| {
        drop(b);
        None
    };
    let [right, wrong, refused] = count(true, &dropped);
    assert!(right > 0 && wrong == 0 && refused > 5, "{right} {wrong} {refused}");
    let [right, wrong, refused] = count(false, &dropped);
    assert!(right > 0 && wrong > 5 && refused == 0, "{right} {wrong} {refused}");
    // Waiting first is right for every seed.
    let patient =
        |b: PinnedBuffer, d: &Device| d.synchronize().err().or_else(|| b.write(0, &[9; 128]).err());
    assert_eq!(count(true, &patient), [SEEDS.count(), 0, 0]);
}

#[test]
fn results_in_pinned_memory_come_later() {
    let mut early = 0;
    for seed in SEEDS {
        let d = device(seed);
        let s = d.stream();
        let p = upload(&d, &[5; 32]);
        let host = PinnedBuffer::new(&d, 128).unwrap();
        s.copy_to_pinned(&host, 0, p, 128).unwrap();
        let mut bytes = [0; 128];
        early += usize::from(host.read(0, &mut bytes).is_err());
        s.synchronize().unwrap();
        assert!(!host.in_flight());
        host.read(0, &mut bytes).unwrap();
        assert!(bytes.chunks(4).all(|c| c == [5, 0, 0, 0]));
        assert!(matches!(host.read(1, &mut bytes), Err(Error::PinnedRange { .. })));
        assert!(s.copy_to_pinned(&host, 64, p, 65).is_err());
    }
    assert!(early > 5);
}

#[test]
fn memory_is_bounded_and_comes_back() {
    let d = Device::new(Config::default().memory(1000));
    let a = d.alloc(600).unwrap();
    let e = d.alloc(401).unwrap_err();
    assert!(matches!(e, Error::OutOfMemory { requested: 401, free: 400, total: 1000 }));
    let b = d.alloc(400).unwrap();
    assert_eq!(d.free_memory(), 0);
    d.free(a).unwrap();
    assert_eq!(d.free_memory(), 600);
    for (p, why) in [(a, "freed before"), (b.add(1), "not the start")] {
        assert!(d.free(p).unwrap_err().to_string().contains(why));
    }
    assert!(d.copy_to_device(a, &[0]).unwrap_err().to_string().contains("freed"));
    assert!(d.copy_to_device(b, &[0; 401]).is_err());
    assert!(d.copy_to_host(&mut [0; 2], b.add(399)).is_err());
    assert!(d.copy_to_device(DevicePtr::new(u64::MAX), &[0; 9]).is_err());
    d.copy_to_device(b.add(400), &[]).unwrap();
}

#[test]
fn failures_on_demand() {
    let m = increment();
    let work = |d: &Device| -> Result<(), Error> {
        let p = d.alloc(128)?;
        let host = PinnedBuffer::new(d, 128)?;
        let s = d.stream();
        let queued = s
            .copy_from_pinned(p, &host, 0, 128)
            .and_then(|()| s.launch(&the(&m), ONE(), &[p.into()]))
            .and_then(|()| s.copy_to_pinned(&host, 0, p, 128));
        // Whatever failed: the buffer must outlive what is queued.
        s.synchronize()?;
        d.free(p)?;
        queued
    };
    let d = device(0);
    work(&d).unwrap();
    let total = [Call::Alloc, Call::Copy, Call::Launch].map(|c| (c, d.calls(c)));
    assert_eq!(total.map(|t| t.1), [2, 2, 1]);
    for (call, n) in total {
        for k in 0..n {
            let d = device(k);
            d.fail_at(call, k);
            match work(&d) {
                Err(Error::Injected { what, index }) => assert_eq!((what, index), (call, k)),
                other => panic!("{other:?}"),
            }
            // Only once.
            d.synchronize().unwrap();
            work(&d).unwrap();
        }
    }
}

/// Each kind of call is counted as what it is, and fails as what it is.
#[test]
fn waits_and_frees_on_demand() {
    let work = |d: &Device| -> Result<(), Error> {
        let (p, host) = (d.alloc(8)?, PinnedBuffer::new(d, 8)?);
        let (s, e, later) = (d.stream(), d.event(), d.event());
        let queued = s
            .record(&e)
            .and_then(|()| s.wait(&e))
            .and_then(|()| s.record(&later))
            .and_then(|()| e.synchronize())
            .and_then(|()| s.synchronize())
            .and_then(|()| s.is_idle())
            .and_then(|_| e.is_done())
            .and_then(|_| later.elapsed_since(&e))
            .and_then(|_| d.synchronize());
        drop(host);
        d.free(p).and(queued)
    };
    let d = device(0);
    work(&d).unwrap();
    let kinds = [
        (Call::Record, 3),
        (Call::Wait, 2),
        (Call::Query, 3),
        (Call::Synchronize, 1),
        (Call::Free, 2),
    ];
    for (call, count) in kinds {
        assert_eq!(d.calls(call), count, "{call}");
        // The first is that of pinned memory, which cannot fail.
        for k in u64::from(call == Call::Free)..count {
            let d = device(k);
            d.fail_at(call, k);
            match work(&d) {
                Err(Error::Injected { what, index }) => assert_eq!((what, index), (call, k)),
                other => panic!("{other:?}"),
            }
        }
    }
}

#[test]
fn a_fault_stays_until_it_is_cleared() {
    let m = kernel("trap;");
    let ok = increment();
    for seed in SEEDS {
        let d = device(seed);
        let (s, t) = (d.stream(), d.stream());
        let p = upload(&d, &[0; 32]);
        let e = d.event();
        let queued = s.launch(&the(&m), ONE(), &[p.into()]).and_then(|()| s.record(&e));
        let error = queued.and_then(|()| s.synchronize()).unwrap_err();
        assert_eq!(error.report().unwrap().fault, Fault::Trap);
        assert!(t.launch(&the(&ok), ONE(), &[p.into()]).is_err());
        assert!(d.synchronize().is_err());
        assert!(d.clear_error().is_some());
        e.synchronize().unwrap();
        t.launch(&the(&ok), ONE(), &[p.into()]).unwrap();
        d.synchronize().unwrap();
        assert_eq!(download(&d, p, 1), [1]);
    }
}

#[test]
fn freeing_under_queued_work() {
    let m = increment();
    let mut caught = 0;
    for seed in SEEDS {
        let d = device(seed);
        let s = d.stream();
        let p = upload(&d, &[0; 32]);
        s.launch(&the(&m), ONE(), &[p.into()]).unwrap();
        d.free(p).unwrap();
        caught += usize::from(s.synchronize().is_err());
        d.clear_error();
        // In order on the stream it is right.
        let p = upload(&d, &[0; 32]);
        s.launch(&the(&m), ONE(), &[p.into()]).unwrap();
        s.free(p).unwrap();
        s.synchronize().unwrap();
        assert_eq!(d.free_memory(), 1 << 20);
    }
    assert!(caught > 5);
}

#[test]
fn launches_that_the_driver_refuses() {
    let d = device(0);
    let m = support::module(
        ".visible .entry k(.param .u64 a, .param .u32 b) .reqntid 32, 2 { ret; }\n.visible .entry big(.param .u64 p) { .shared .b8 s[100]; .reg .u64 %a; mov.u64 %a, s; ret; }",
    );
    let (k, big) = (m.kernel("k").unwrap(), m.kernel("big").unwrap());
    let args = [0u64.into(), 0u32.into()];
    d.launch(&k, LaunchConfig::new(1, (32, 2)), &args).unwrap();
    let why = |e: Error| match e {
        Error::BadLaunch { why, .. } => why,
        other => panic!("{other}"),
    };
    for (config, args, word) in [
        (LaunchConfig::new(1, 64), &args[..], "requires"),
        (LaunchConfig::new(0, (32, 2)), &args, "zero"),
        (LaunchConfig::new((1, 70000), (32, 2)), &args, "grid"),
        (LaunchConfig::new(1, 1025), &args, "1024"),
        (LaunchConfig::new(1, (32, 2)), &args[..1], "1 arguments"),
        (LaunchConfig::new(1, (32, 2)), &[0u64.into(), 0u64.into()], "8 bytes"),
        (LaunchConfig::new(1, (1, 1, 65)), &args, "block"),
    ] {
        let message = why(d.launch(&k, config, args).unwrap_err());
        assert!(message.contains(word), "{message}");
    }
    let limit = 227 << 10;
    d.launch(&big, LaunchConfig::new(1, 1).shared_bytes(limit - 100), &args[..1]).unwrap();
    let e = d.launch(&big, LaunchConfig::new(1, 1).shared_bytes(limit - 99), &args[..1]);
    assert!(why(e.unwrap_err()).contains("shared"));
    let other = device(1);
    assert!(matches!(d.stream().record(&other.event()), Err(Error::OtherDevice { .. })));
}
