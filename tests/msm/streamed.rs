//! Sums of operands in host memory, chunk by chunk.

mod operands;
mod plans;

use std::thread;

use blstrs::Scalar;
use proptest::prelude::*;
use warpfield::curve::{CurveGroup as _, G1, G2, PointSlice};
use warpfield::gpu::Kind;
use warpfield::gpu::emulator::Call;
use warpfield::msm::gpu::{
    Chunks, DeviceGroup, Error, HostSlice, Place, StreamedBases, StreamedScalars, Tables,
};
use warpfield::msm::{MsmError, ScalarSlice};

use crate::support::{Summer, is_emulated, naive};
use operands::{Form, Operands, PLACES, sum};

/// A chunk of two terms, one of four, and others of five.
const GROWING: Chunks = Chunks { first: 2, growth: 2, most: 5, piece: 100 };

fn places<G: DeviceGroup>(length: usize) {
    let summer = Summer::<G>::new(7);
    let operands = Operands::<G>::new(&summer, length);
    let expected = operands.expected();
    for (i, bases) in PLACES.into_iter().enumerate() {
        for (k, scalars) in PLACES.into_iter().enumerate() {
            let form = [Form::Montgomery, Form::Integers][(i + k) % 2];
            let (bases, scalars) = (operands.bases(bases), operands.scalars(scalars, form));
            let sum = sum(&summer, bases, scalars, GROWING).expect("a sum");
            assert_eq!(sum, expected, "{bases:?}, {scalars:?}");
            assert!(operands.are_back());
        }
    }
}

#[test]
fn places_g1() {
    places::<G1>(18);
}

#[test]
fn places_g2() {
    places::<G2>(8);
}

/// No term, one chunk, and lengths around the borders of others.
fn lengths<G: DeviceGroup>(lengths: &[usize]) {
    for &length in lengths {
        let summer = Summer::<G>::new(length as u64);
        let operands = Operands::<G>::new(&summer, length);
        let bases = operands.bases(Place::Pinned);
        let scalars = operands.scalars(Place::Pageable, Form::Integers);
        let sum = sum(&summer, bases, scalars, GROWING).expect("a sum");
        assert_eq!(sum, operands.expected(), "{length} terms");
    }
}

#[test]
fn lengths_g1() {
    lengths::<G1>(&[0, 1, 2, 3, 5, 6, 7, 10, 11, 12, 15, 16, 17, 21]);
}

#[test]
fn lengths_g2() {
    lengths::<G2>(&[0, 1, 2, 3, 6, 7, 11, 12]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if is_emulated() { 6 } else { 100 }))]

    /// Any chunks, places, forms and orders of streams.
    #[test]
    fn any(
        seed in 0u64..1000,
        length in prop_oneof![0usize..3, 0usize..25],
        first in 1usize..6,
        growth in 2usize..5,
        more in 0usize..8,
        piece in prop_oneof![Just(1usize), 31usize..400],
        bases in prop::sample::select(&PLACES[..]),
        scalars in prop::sample::select(&PLACES[..]),
        form in prop::sample::select(&[Form::Montgomery, Form::Integers][..]),
    ) {
        // Bytes one by one are only for few.
        let piece = if length > 2 { piece.max(31) } else { piece };
        let chunks = Chunks { first, growth, most: first + more, piece };
        let summer = Summer::<G1>::new(seed);
        let operands = Operands::<G1>::new(&summer, length);
        let (bases, scalars) = (operands.bases(bases), operands.scalars(scalars, form));
        let sum = sum(&summer, bases, scalars, chunks).expect("a sum");
        prop_assert_eq!(sum, operands.expected());
    }
}

/// Copies that overwrite operands too early, and sums that do not wait for theirs, would show in some order
/// of the streams' work.
#[test]
fn orders_of_streams() {
    for seed in 0..if is_emulated() { 12 } else { 50 } {
        let summer = Summer::<G1>::new(seed);
        let operands = Operands::<G1>::new(&summer, 8);
        let place = PLACES[1 + seed as usize % 2];
        let (bases, scalars) = (operands.bases(place), operands.scalars(place, Form::Montgomery));
        let chunks = Chunks { first: 2, growth: 2, most: 2, piece: 64 };
        let sum = sum(&summer, bases, scalars, chunks).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(sum, operands.expected(), "seed {seed}");
    }
}

/// Tables of more bases than are summed at a time.
#[test]
fn bases_with_tables() {
    let summer = Summer::<G1>::new(2);
    let mut operands = Operands::<G1>::new(&summer, 13);
    let tables = Tables { bits: 5, copies: 4 };
    operands.bases =
        summer.msm.with_tables(&summer.stream, &operands.bases, tables).expect("tables");
    let bases = operands.bases(Place::Device);
    for place in PLACES {
        let scalars = operands.scalars(place, Form::Montgomery);
        assert_eq!(sum(&summer, bases, scalars, GROWING).expect("a sum"), operands.expected());
    }
    // The plan asks for tables, and bases of the host have none.
    let scalars = operands.scalars(Place::Pinned, Form::Integers);
    let plan = summer.msm.streamed_plan_with(bases, scalars, GROWING).expect("a plan");
    let workspace = summer.msm.streamed_workspace(plan).expect("memory");
    let plain = summer.bases(&operands.points);
    let result =
        summer.msm.run_streamed(&summer.stream, workspace, StreamedBases::Device(&plain), scalars);
    assert!(matches!(result, Err(Error::Tables { .. })));
    assert!(operands.are_back());
}

/// One workspace for sums of up to so many terms, of operands at places that are no harder.
#[test]
fn workspaces_are_used_again() {
    let summer = Summer::<G1>::new(4);
    let operands = Operands::<G1>::new(&summer, 17);
    let of = |place: Place, length: usize| {
        let bytes = HostSlice::from(&operands.pinned_bytes).slice(0..length * G1::BYTES);
        let scalars = match operands.scalars(place, Form::Integers) {
            StreamedScalars::Integers(slice) => StreamedScalars::Integers(slice.slice(0..length)),
            other => other,
        };
        (StreamedBases::<G1>::Host(bytes), scalars)
    };
    let (bases, scalars) = of(Place::Pageable, 17);
    let plan = summer.msm.streamed_plan_with(bases, scalars, GROWING).expect("a plan");
    let mut workspace = summer.msm.streamed_workspace(plan).expect("memory");
    let free = summer.device.memory().expect("numbers").free;
    for (place, length) in
        [(Place::Pageable, 17), (Place::Pinned, 3), (Place::Pageable, 0), (Place::Device, 17)]
    {
        let (bases, scalars) = of(place, length);
        let result = summer.msm.run_streamed(&summer.stream, workspace, bases, scalars);
        let (sum, again) = result.expect("a sum");
        assert!(operands.are_back(), "while there is a workspace");
        assert_eq!(sum, naive::<G1>(&operands.points[..length], &operands.scalars[..length]));
        if is_emulated() {
            assert_eq!(summer.device.memory().expect("numbers").free, free);
        }
        workspace = again;
    }
    // Bases are pinned in this plan.
    let (_, scalars) = of(Place::Pageable, 17);
    let bases = operands.bases(Place::Pageable);
    let result = summer.msm.run_streamed(&summer.stream, workspace, bases, scalars);
    let error = result.map(|_| ()).unwrap_err();
    let (planned, found) = (Place::Pinned, Place::Pageable);
    assert!(matches!(error, Error::Place { planned: p, found: f } if (p, f) == (planned, found)));
}

#[test]
fn two_at_once() {
    for seed in 0..if is_emulated() { 3 } else { 20 } {
        let summer = Summer::<G1>::new(seed);
        let operands = Operands::<G1>::new(&summer, 12);
        thread::scope(|scope| {
            for place in [Place::Pinned, Place::Pageable] {
                let (summer, operands) = (&summer, &operands);
                scope.spawn(move || {
                    let stream = summer.device.stream().expect("a stream");
                    let bases = operands.bases(place);
                    let scalars = operands.scalars(place, Form::Integers);
                    let plan = summer.msm.streamed_plan_with(bases, scalars, GROWING);
                    let workspace = summer.msm.streamed_workspace(plan.expect("a plan"));
                    let workspace = workspace.expect("memory");
                    let result = summer.msm.run_streamed(&stream, workspace, bases, scalars);
                    assert_eq!(result.expect("a sum").0, operands.expected(), "seed {seed}");
                });
            }
        });
        assert!(operands.are_back());
    }
}

/// Any call of the device may fail: the error comes, all memory is back, and the next sum is right.
#[test]
fn every_call_may_fail_once() {
    if !is_emulated() {
        // A GPU's calls fail as they like.
        return;
    }
    let summer = Summer::<G1>::new(0);
    let operands = Operands::<G1>::new(&summer, 3);
    let expected = operands.expected();
    let emulated = summer.device.as_emulated().expect("an emulated one");
    let free = emulated.free_memory();
    let chunks = Chunks { first: 1, growth: 2, most: 1, piece: 100 };
    for (place, other) in [(Place::Pageable, Place::Pinned), (Place::Pinned, Place::Pageable)] {
        let (bases, scalars) = (operands.bases(place), operands.scalars(other, Form::Integers));
        let sum = || sum(&summer, bases, scalars, chunks);
        for (call, least) in [(Call::Alloc, 5), (Call::Copy, 9), (Call::Launch, 24)] {
            let before = emulated.calls(call);
            assert_eq!(sum().expect("a sum"), expected);
            let count = emulated.calls(call) - before;
            assert!(count >= least, "{count} calls");
            for k in 0..count {
                emulated.fail_at(call, emulated.calls(call) + k);
                assert!(sum().is_err(), "{call} {k}");
                assert_eq!(emulated.free_memory(), free, "{call} {k}");
                assert!(operands.are_back(), "{call} {k}");
            }
        }
        assert_eq!(sum().expect("a sum"), expected);
    }
}

#[test]
fn refused() {
    let summer = Summer::<G1>::new(0);
    let operands = Operands::<G1>::new(&summer, 4);
    let bases = operands.bases(Place::Pinned);
    let scalars = operands.scalars(Place::Pinned, Form::Integers);
    let good = Chunks { first: 1, growth: 2, most: 2, piece: 1 };
    for chunks in [
        Chunks { first: 0, ..good },
        Chunks { first: 3, ..good },
        Chunks { growth: 1, ..good },
        Chunks { piece: 0, ..good },
        Chunks { first: 0, most: 0, ..good },
    ] {
        let result = summer.msm.streamed_plan_with(bases, scalars, chunks);
        assert!(matches!(result, Err(Error::Chunks(c)) if c == chunks));
    }
    let plan = || summer.msm.streamed_plan_with(bases, scalars, good).expect("a plan");
    let workspace = || summer.msm.streamed_workspace(plan()).expect("memory");
    let run = |bases, scalars| {
        let result = summer.msm.run_streamed(&summer.stream, workspace(), bases, scalars);
        result.map(|_| ()).unwrap_err()
    };
    let fewer = StreamedScalars::Integers(HostSlice::from(&operands.pinned_integers).slice(1..4));
    let error = run(bases, fewer);
    assert!(matches!(error, Error::Terms(MsmError::LengthMismatch { bases: 4, scalars: 3 })));
    let uneven = HostSlice::from(&operands.bytes[1..]);
    assert!(matches!(run(StreamedBases::Host(uneven), scalars), Error::Uneven(_)));
    assert!(matches!(run(operands.bases(Place::Pageable), scalars), Error::Place { .. }));

    let more = Operands::<G1>::new(&summer, 5);
    let scalars_of_more = more.scalars(Place::Pinned, Form::Montgomery);
    let error = run(more.bases(Place::Pinned), scalars_of_more);
    assert!(matches!(error, Error::Room { terms: 5, room: 4 }));

    // Of another device.
    if is_emulated() {
        let other = Operands::<G1>::new(&Summer::new(1), 4);
        let error = run(bases, other.scalars(Place::Pinned, Form::Integers));
        assert!(matches!(error, Error::Device(e) if e.kind() == Kind::Argument));
    }
}

/// Views of the library's own are operands, too.
#[test]
fn views() {
    let summer = Summer::<G2>::new(1);
    let operands = Operands::<G2>::new(&summer, 4);
    let scalars: Vec<[u8; 32]> = operands.scalars.iter().map(Scalar::to_bytes_le).collect();
    let scalars = HostSlice::from(ScalarSlice::from(&scalars[..]));
    // At any alignment.
    let mut bytes = vec![0];
    bytes.extend_from_slice(&operands.bytes);
    let bases = HostSlice::from(PointSlice::<G2>::new(&bytes[1..]).expect("whole points"));
    let (bases, scalars) = (StreamedBases::Host(bases), StreamedScalars::Integers(scalars));
    let sum = sum(&summer, bases, scalars, GROWING).expect("a sum");
    assert_eq!(sum, operands.expected());
}
