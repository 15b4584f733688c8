//! Integers that follow from a modulus, computed at compile time.

/// −p⁻¹ mod 2³² for odd p.
///
/// Newton's step x ← x·(2 − p·x) doubles the number of right low bits; p is its own inverse to
/// three bits, so four steps give 48.
pub(super) const fn negated_inverse(p: u32) -> u32 {
    let mut inverse = p;
    let mut step = 0;
    while step < 4 {
        inverse = inverse.wrapping_mul(2u32.wrapping_sub(p.wrapping_mul(inverse)));
        step += 1;
    }
    inverse.wrapping_neg()
}

/// 2ᵏ mod p, for a p that leaves the top bit of its limbs free: k doublings of one.
pub(super) const fn power_of_two<const N: usize>(k: usize, p: &[u32; N]) -> [u32; N] {
    assert!(p[N - 1] >> 31 == 0);
    let mut value = [0; N];
    value[0] = 1;
    let mut step = 0;
    while step < k {
        let mut carry = 0;
        let mut i = 0;
        while i < N {
            let bit = value[i] >> 31;
            value[i] = (value[i] << 1) | carry;
            carry = bit;
            i += 1;
        }
        let (reduced, borrow) = sub(&value, p);
        if !borrow {
            value = reduced;
        }
        step += 1;
    }
    value
}

/// `a − b`, and whether it is negative.
const fn sub<const N: usize>(a: &[u32; N], b: &[u32; N]) -> ([u32; N], bool) {
    let mut out = [0; N];
    let mut borrow = false;
    let mut i = 0;
    while i < N {
        let (difference, below) = a[i].overflowing_sub(b[i]);
        let (difference, below_borrow) = difference.overflowing_sub(borrow as u32);
        out[i] = difference;
        borrow = below || below_borrow;
        i += 1;
    }
    (out, borrow)
}
