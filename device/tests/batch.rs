//! Batch inverses against one inversion each.

use std::fmt::Debug;

use proptest::prelude::*;
use warpfield_device::field::batch::{Share, invert_batch};
use warpfield_device::field::{Field, Fp, Fp2, Fr};

/// Inverts as `stride` threads do, one after the other.
fn inverses<F: Field>(values: &[F], stride: usize) -> Vec<F> {
    // What is not written stays.
    let mut out = vec![F::ONE.double(); values.len()];
    let mut prefixes = vec![F::ZERO; values.len()];
    for first in 0..stride {
        let share = Share { first, stride, count: values.len() };
        // SAFETY: three arrays of this length, which nobody else accesses.
        unsafe { invert_batch(out.as_mut_ptr(), values.as_ptr(), prefixes.as_mut_ptr(), share) };
    }
    out
}

fn check<F: Field + Debug>(values: &[F], stride: usize) -> Result<(), TestCaseError> {
    let expected: Vec<F> = values.iter().map(F::invert).collect();
    prop_assert_eq!(inverses(values, stride), expected);
    Ok(())
}

/// Zero, or an element.
fn elements<F: Field + Arbitrary + 'static>() -> impl Strategy<Value = Vec<F>> {
    prop::collection::vec(prop_oneof![1 => Just(F::ZERO), 3 => any::<F>()], 0..40)
}

#[test]
fn zeros_stay_zero() {
    let two = Fr::ONE.double();
    let half = two.invert();
    assert_eq!(two * half, Fr::ONE);
    for stride in 1..5 {
        assert_eq!(inverses::<Fr>(&[], stride), []);
        assert_eq!(inverses(&[Fr::ZERO; 4], stride), [Fr::ZERO; 4]);
        let values = [Fr::ZERO, two, half, Fr::ZERO, two];
        assert_eq!(inverses(&values, stride), [Fr::ZERO, half, two, Fr::ZERO, half]);
    }
}

#[test]
fn in_place() {
    let two = Fr::ONE.double();
    let half = two.invert();
    let mut values = [two, Fr::ZERO, half];
    let mut prefixes = [Fr::ZERO; 3];
    let array = values.as_mut_ptr();
    let share = Share { first: 0, stride: 1, count: 3 };
    // SAFETY: the results replace the values.
    unsafe { invert_batch(array, array, prefixes.as_mut_ptr(), share) };
    assert_eq!(values, [half, Fr::ZERO, two]);
    let array = prefixes.as_mut_ptr();
    // SAFETY: the results replace the prefixes.
    unsafe { invert_batch(array, values.as_ptr(), array, share) };
    assert_eq!(prefixes, [two, Fr::ZERO, half]);
}

proptest! {
    #[test]
    fn fr_batches(values in elements::<Fr>(), stride in 1usize..9) {
        check(&values, stride)?;
    }

    #[test]
    fn fp_batches(values in elements::<Fp>(), stride in 1usize..9) {
        check(&values, stride)?;
    }

    #[test]
    fn fp2_batches(values in elements::<Fp2>(), stride in 1usize..9) {
        check(&values, stride)?;
    }
}
