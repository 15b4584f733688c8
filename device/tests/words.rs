//! Values as quads of words: those of their memory, from the lowest up.

use std::fmt::Debug;

use proptest::prelude::*;
use warpfield_device::curve::{Affine, Xyzz};
use warpfield_device::field::{Field, Fp, Fp2, Fr};
use warpfield_device::words::{Words, read, write};

/// Room for the largest value, with the alignment that the widest access wants.
#[derive(Clone, Copy, PartialEq, Debug)]
#[repr(C, align(16))]
struct Room([u32; 96]);

const SENTINEL: u32 = 0xdead_beef;

/// The value's memory, in a room that is else untouched.
fn memory<T: Copy>(value: &T) -> Room {
    let mut room = Room([SENTINEL; 96]);
    assert!(size_of::<T>() <= size_of::<Room>());
    // SAFETY: there is room, and its alignment is no less; the types here have no padding.
    unsafe { room.0.as_mut_ptr().cast::<T>().write(*value) };
    room
}

/// The words, by quads that must come in their order.
fn words<T: Words>(value: &T) -> Vec<u32> {
    let mut words = Vec::new();
    value.for_quads(|i, quad| {
        assert_eq!(4 * i as usize, words.len());
        words.extend(quad);
    });
    assert_eq!(4 * T::QUADS as usize, words.len());
    words
}

/// The value of words, by quads that must be asked for in their order.
fn value<T: Words>(words: &[u32]) -> T {
    let mut quads = words.chunks_exact(4).enumerate();
    let value = T::from_quads(|i| {
        let (next, quad) = quads.next().expect("no more quads than there are");
        assert_eq!(i as usize, next);
        quad.try_into().expect("four")
    });
    assert!(quads.next().is_none());
    value
}

/// A type whose layout is promised.
fn check<T: Words>(original: T) -> Result<(), TestCaseError> {
    prop_assert_eq!(16 * T::QUADS as usize, size_of::<T>());
    let room = memory(&original);
    let words = words(&original);
    prop_assert_eq!(&words, &room.0[..words.len()]);
    prop_assert_eq!(memory(&value::<T>(&words)), room);

    // SAFETY: the value is there, and aligned.
    let back = unsafe { read(room.0.as_ptr().cast::<T>()) };
    prop_assert_eq!(memory(&back), room);
    let mut written = Room([SENTINEL; 96]);
    // SAFETY: there is room, and it is aligned.
    unsafe { write(written.0.as_mut_ptr().cast::<T>(), &original) };
    prop_assert_eq!(written, room);
    Ok(())
}

fn check_points<F: Field>([x, y, zz, zzz]: [F; 4]) -> Result<(), TestCaseError> {
    check(x)?;
    check(Affine { x, y })?;
    check(Xyzz { x, y, zz, zzz })?;
    // Not of a layout that is promised.
    let wide = words(&x.mul_wide(&y));
    prop_assert_eq!(words(&value::<F::Wide>(&wide)), wide);
    Ok(())
}

#[test]
fn arrays_and_pairs() {
    let counted: Vec<u32> = (0..20).collect();
    assert_eq!(value::<[u32; 16]>(&counted[..16])[..], counted[..16]);
    let (low, high): ([u32; 12], [u32; 8]) = value(&counted);
    assert_eq!((&low[..], &high[..]), counted.split_at(12));
    assert_eq!(words(&(low, high)), counted);
    check([1, 2, 3, 4]).expect("an array");
}

proptest! {
    #[test]
    fn of_fr(coordinates in any::<[Fr; 4]>()) {
        check_points(coordinates)?;
    }

    #[test]
    fn of_fp(coordinates in any::<[Fp; 4]>()) {
        check_points(coordinates)?;
    }

    #[test]
    fn of_fp2(coordinates in any::<[Fp2; 4]>()) {
        check_points(coordinates)?;
    }
}
