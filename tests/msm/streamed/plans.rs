//! Plans within budgets.

use warpfield::curve::{CurveGroup as _, G1};
use warpfield::msm::gpu::{Error, HostSlice, Place, StreamedBases, StreamedPlan, StreamedScalars};

use super::operands::{Form, Operands};
use crate::support::{Summer, is_emulated};

/// Plans are within their budgets, and sums by them right.
#[test]
fn budgets() {
    let summer = Summer::<G1>::new(6);
    let operands = Operands::<G1>::new(&summer, 150);
    let bases = operands.bases(Place::Pinned);
    let scalars = operands.scalars(Place::Pageable, Form::Integers);
    let plan = |budget| summer.msm.streamed_plan(bases, scalars, budget);
    let Err(Error::Budget { budget: 0, least }) = plan(0) else { panic!("a plan of nothing") };
    assert!(matches!(plan(least - 1), Err(Error::Budget { .. })));
    assert_eq!(plan(least).expect("a plan").count(150), 150);
    let all = plan(usize::MAX).expect("a plan");
    assert_eq!((all.count(150), all.chunks().most), (1, 150));
    let mut before = 150;
    for eighth in 1..=8 {
        let budget = least + (all.bytes() - least) * eighth / 8;
        let plan: StreamedPlan<G1> = plan(budget).expect("a plan");
        let count = plan.count(150);
        assert!(plan.bytes() <= budget && count <= before, "{plan:?}");
        before = count;
        if eighth == 2 {
            assert!(count > 1);
            let free = summer.device.memory().expect("numbers").free;
            let workspace = summer.msm.streamed_workspace(plan.clone()).expect("memory");
            if is_emulated() {
                let taken = free - summer.device.memory().expect("numbers").free;
                assert_eq!(taken, plan.bytes() as u64);
            }
            let result = summer.msm.run_streamed(&summer.stream, workspace, bases, scalars);
            assert_eq!(result.expect("a sum").0, operands.expected());
        }
    }
    assert_eq!(before, 1);
}

/// Where a copy takes long the first chunk is small; and however little memory there is, plans keep to it.
#[test]
fn long() {
    let summer = Summer::<G1>::new(6);
    // No sums of them: pages that nobody touches.
    let terms = 1 << 24;
    let zeros = vec![[0u32; 8]; terms];
    let bytes = vec![0u8; G1::BYTES * terms];
    let scalars = StreamedScalars::Integers(HostSlice::from(&zeros[..]));
    let bases = StreamedBases::<G1>::Host(HostSlice::from(&bytes[..]));
    let mut before = usize::MAX;
    for log in [24, 26, 28, 30, 32, 36] {
        let plan = summer.msm.streamed_plan(bases, scalars, 1 << log).expect("a plan");
        let (count, chunks) = (plan.count(terms), plan.chunks());
        assert!(plan.bytes() <= 1 << log && plan.pinned_bytes() <= 2 * chunks.piece, "{plan:?}");
        assert_eq!(chunks.first, chunks.most.div_ceil(8));
        // Chunks are no larger than so many must be.
        let sizes = std::iter::successors(Some(chunks.first), |s| Some((2 * s).min(chunks.most)));
        assert!(sizes.clone().take(count).sum::<usize>() >= terms);
        assert!(sizes.take(count - 1).sum::<usize>() < terms);
        assert!(count <= before);
        before = count;
    }
    assert_eq!(before, 4);
}
