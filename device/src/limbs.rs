//! Multi-word arithmetic on little-endian arrays of 32-bit limbs.
//!
//! The unit is the *carry chain*: a run of additions or multiply-adds, each taking the carry of
//! the one before. A chain is one function here, with one implementation a machine: on the GPU a
//! single `asm!` block (the carry flag does not survive from one block to the next), elsewhere
//! plain 64-bit arithmetic. [`product`] and [`montgomery`] are written over these functions, so the host's
//! tests exercise the very algorithm that the GPU runs.
//!
//! | chain | computes |
//! | --- | --- |
//! | [`add`], [`sub`] | all limbs; carry or borrow out |
//! | [`add_carry`], [`sub_borrow`] | as these, with a carry or borrow in |
//! | [`add_corrected`], [`sub_corrected`] | as these, and a multiple of the modulus to stay in bounds |
//! | [`mad`] | `acc += m·(a₀ + a₂·2⁶⁴ + a₄·2¹²⁸ + …)`, or the odd limbs; carry out into a word above |
//! | [`mad_last`] | the same where the caller's bound rules a carry out |
//! | [`mad_low`] | the same modulo 2³²ᴺ, which may cut the last product in half |
//! | [`add_mad`] | an addition whose carry enters a [`mad_last`] |
//! | [`mul_wide`] | no chain: the two halves of a product |
//! | [`signed::mad_wide`] | no chain: a signed product and a 64-bit sum |
//! | [`wide_add_mad`] | a 64-bit addition whose carry enters a [`mad`] |
//!
//! A multiply-add takes every second limb of `a`, so that the 64-bit products lie side by side.

/// Repeats a block for each constant `I` of a range that starts at 0 or 1 and ends at 16 or below.
///
/// Limbs are registers, and registers have no index: a loop over limbs that LLVM chose not to
/// unroll would put the array into memory.
macro_rules! unroll {
    ($i:ident in 0..$n:expr => $body:block) => {
        const { assert!($n <= 16) };
        $crate::limbs::unroll!(@ $i $n, $body, 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15)
    };
    ($i:ident in 1..$n:expr => $body:block) => {
        const { assert!($n <= 16) };
        $crate::limbs::unroll!(@ $i $n, $body, 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15)
    };
    (@ $i:ident $n:expr, $body:block, $($k:literal)*) => {
        $(if const { $k < $n } {
            const $i: usize = $k;
            $body
        })*
    };
}
pub(crate) use unroll;

pub mod montgomery;
pub mod product;
pub mod signed;

#[cfg(not(target_arch = "nvptx64"))]
mod portable;
#[cfg(target_arch = "nvptx64")]
mod ptx;

#[cfg(not(target_arch = "nvptx64"))]
pub use portable::{
    add, add_carry, add_corrected, add_mad, mad, mad_last, mad_low, mul_wide, sub, sub_borrow,
    sub_corrected, wide_add_mad,
};
#[cfg(target_arch = "nvptx64")]
pub use ptx::{
    add, add_carry, add_corrected, add_mad, mad, mad_last, mad_low, mul_wide, sub, sub_borrow,
    sub_corrected, wide_add_mad,
};

/// `a` where `take_a`, else `b`, limb by limb, without a branch.
#[inline(always)]
pub fn select<const N: usize>(take_a: bool, a: &[u32; N], b: &[u32; N]) -> [u32; N] {
    let mut out = *b;
    unroll!(I in 0..N => {
        out[I] = if take_a { a[I] } else { b[I] };
    });
    out
}

/// Whether all limbs are zero.
#[inline(always)]
pub fn is_zero<const N: usize>(a: &[u32; N]) -> bool {
    let mut any = 0;
    unroll!(I in 0..N => {
        any |= a[I];
    });
    any == 0
}

/// Whether all limbs agree.
#[inline(always)]
pub fn equal<const N: usize>(a: &[u32; N], b: &[u32; N]) -> bool {
    let mut any = 0;
    unroll!(I in 0..N => {
        any |= a[I] ^ b[I];
    });
    any == 0
}

/// `m·Σ a[2k]·2⁶⁴ᵏ`.
#[inline(always)]
pub(crate) fn mul_row<const N: usize>(a: &[u32; N], m: u32) -> [u32; N] {
    let mut out = [0; N];
    unroll!(I in 0..N => {
        if I.is_multiple_of(2) {
            (out[I], out[I + 1]) = mul_wide(a[I], m);
        }
    });
    out
}

/// The limbs from 1 up, and a zero: a division by 2³², and the odd limbs at even places.
#[inline(always)]
pub(crate) fn odd<const N: usize>(a: &[u32; N]) -> [u32; N] {
    let mut out = [0; N];
    unroll!(I in 0..N => {
        out[I] = if I + 1 < N { a[I + 1] } else { 0 };
    });
    out
}

/// The number without its lowest bits, 1 to 31 of them.
#[inline(always)]
pub(crate) fn shift_right<const N: usize>(a: &[u32; N], bits: u32) -> [u32; N] {
    let mut out = [0; N];
    unroll!(I in 0..N => {
        let above = if I + 1 < N { a[I + 1] } else { 0 };
        out[I] = a[I] >> bits | above << (32 - bits);
    });
    out
}

/// The limbs from 2 up, with two zeros above them.
#[inline(always)]
pub(crate) fn shift_pair<const N: usize>(x: &[u32; N]) -> [u32; N] {
    let mut out = [0; N];
    unroll!(I in 0..N => {
        out[I] = if I + 2 < N { x[I + 2] } else { 0 };
    });
    out
}
