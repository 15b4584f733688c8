//! Values as runs of four 32-bit words, the widest access of a thread to memory.

use crate::limbs::unroll;

/// A value of whole quads of words, in an order of its own.
pub trait Words: Copy {
    /// How many quads.
    const QUADS: u32;

    /// The value whose quads, from the lowest up, are `quad(0)`, `quad(1)`, ….
    fn from_quads(quad: impl FnMut(u32) -> [u32; 4]) -> Self;

    /// Calls `quad(0, …)`, `quad(1, …)`, … with the value's quads, from the lowest up.
    fn for_quads(&self, quad: impl FnMut(u32, [u32; 4]));
}

impl<const N: usize> Words for [u32; N] {
    const QUADS: u32 = {
        assert!(N.is_multiple_of(4));
        N as u32 / 4
    };

    #[inline(always)]
    fn from_quads(mut quad: impl FnMut(u32) -> [u32; 4]) -> Self {
        let mut words = [0; N];
        unroll!(I in 0..N => {
            if I.is_multiple_of(4) {
                [words[I], words[I + 1], words[I + 2], words[I + 3]] = quad(I as u32 / 4);
            }
        });
        words
    }

    #[inline(always)]
    fn for_quads(&self, mut quad: impl FnMut(u32, [u32; 4])) {
        unroll!(I in 0..N => {
            if I.is_multiple_of(4) {
                quad(I as u32 / 4, [self[I], self[I + 1], self[I + 2], self[I + 3]]);
            }
        });
    }
}

impl<A: Words, B: Words> Words for (A, B) {
    const QUADS: u32 = A::QUADS + B::QUADS;

    #[inline(always)]
    fn from_quads(mut quad: impl FnMut(u32) -> [u32; 4]) -> Self {
        (A::from_quads(&mut quad), B::from_quads(|i| quad(A::QUADS + i)))
    }

    #[inline(always)]
    fn for_quads(&self, mut quad: impl FnMut(u32, [u32; 4])) {
        self.0.for_quads(&mut quad);
        self.1.for_quads(|i, words| quad(A::QUADS + i, words));
    }
}

/// Four words, aligned as the widest access wants them.
#[derive(Clone, Copy)]
#[repr(C, align(16))]
struct Quad([u32; 4]);

/// Reads a value, four words at a time.
///
/// # Safety
///
/// The value's memory is its quads, as is that of field elements, of points and of arrays of words, not
/// of tuples. As of [`pointer::read`](https://doc.rust-lang.org/std/primitive.pointer.html#method.read), at an
/// address that is a multiple of 16.
#[inline(always)]
pub unsafe fn read<T: Words>(from: *const T) -> T {
    // SAFETY: the value's quads.
    T::from_quads(|i| unsafe { from.cast::<Quad>().add(i as usize).read().0 })
}

/// Writes a value, four words at a time.
///
/// # Safety
///
/// The value's memory is its quads, as in [`read`]. As of [`pointer::write`](https://doc.rust-lang.org/std/primitive.pointer.html#method.write), at
/// an address that is a multiple of 16.
#[inline(always)]
pub unsafe fn write<T: Words>(to: *mut T, value: &T) {
    // SAFETY: the value's quads.
    value.for_quads(|i, quad| unsafe { to.cast::<Quad>().add(i as usize).write(Quad(quad)) });
}
