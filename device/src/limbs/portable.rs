//! The carry chains in plain 64-bit arithmetic.
//!
//! Where a caller's bound promises that nothing is carried out, debug builds check the promise:
//! on the GPU such a carry would vanish silently.

/// `a + b`, and the carry out (0 or 1).
#[inline]
pub fn add<const N: usize>(a: &[u32; N], b: &[u32; N]) -> ([u32; N], u32) {
    add_carry(a, b, 0)
}

/// `a + b` and the carry of a chain below, and the carry out (0 or 1).
#[inline]
pub fn add_carry<const N: usize>(a: &[u32; N], b: &[u32; N], below: u32) -> ([u32; N], u32) {
    let mut out = [0; N];
    let mut carry = u64::from(below);
    for i in 0..N {
        let sum = u64::from(a[i]) + u64::from(b[i]) + carry;
        out[i] = sum as u32;
        carry = sum >> 32;
    }
    (out, carry as u32)
}

/// `a − b` modulo 2³²ᴺ, and the borrow out (0, or all ones).
#[inline]
pub fn sub<const N: usize>(a: &[u32; N], b: &[u32; N]) -> ([u32; N], u32) {
    sub_borrow(a, b, 0)
}

/// `a − b` less the borrow of a chain below, which is 0 or all ones, and the borrow out.
#[inline]
pub fn sub_borrow<const N: usize>(a: &[u32; N], b: &[u32; N], borrow: u32) -> ([u32; N], u32) {
    let mut out = [0; N];
    let mut borrow = i64::from(borrow as i32);
    for i in 0..N {
        let difference = i64::from(a[i]) - i64::from(b[i]) + borrow;
        out[i] = difference as u32;
        borrow = difference >> 32; // 0 or −1
    }
    (out, borrow as u32)
}

/// `a + b` for a sum below 2m, less m unless it is below m.
#[inline]
pub fn add_corrected<const N: usize>(a: &[u32; N], b: &[u32; N], m: &[u32; N]) -> [u32; N] {
    let (sum, carry) = add(a, b);
    let (less, borrow) = sub(&sum, m);
    if carry != 0 || borrow == 0 { less } else { sum }
}

/// `a − b`, and m if that is negative.
#[inline]
pub fn sub_corrected<const N: usize>(a: &[u32; N], b: &[u32; N], m: &[u32; N]) -> [u32; N] {
    let (difference, borrow) = sub(a, b);
    if borrow != 0 { add(&difference, m).0 } else { difference }
}

/// The low and the high half of `a·b`.
#[inline]
pub fn mul_wide(a: u32, b: u32) -> (u32, u32) {
    let product = u64::from(a) * u64::from(b);
    (product as u32, (product >> 32) as u32)
}

/// `acc += m·Σ a[AT + 2k]·2⁶⁴ᵏ` from limb FROM of `acc` up; returns `top` plus the carry out.
#[inline]
pub fn mad<const N: usize, const FROM: usize, const AT: usize>(
    acc: &mut [u32; N],
    a: &[u32; N],
    m: u32,
    top: u32,
) -> u32 {
    let carry = chain(&mut acc[FROM..], &a[AT..], m, 0);
    debug_assert!(top.checked_add(carry).is_some(), "carry out of the top word");
    top.wrapping_add(carry)
}

/// As [`mad`], where the caller's bound rules a carry out.
#[inline]
pub fn mad_last<const N: usize, const FROM: usize, const AT: usize>(
    acc: &mut [u32; N],
    a: &[u32; N],
    m: u32,
) {
    let carry = chain(&mut acc[FROM..], &a[AT..], m, 0);
    debug_assert_eq!(carry, 0, "carry out of a chain that has none");
}

/// `acc += m·Σ a[AT + 2k]·2⁶⁴ᵏ` from limb FROM of `acc` up, modulo 2³²ᴺ.
#[inline]
pub fn mad_low<const N: usize, const FROM: usize, const AT: usize>(
    acc: &mut [u32; N],
    a: &[u32; N],
    m: u32,
) {
    let carry = chain(&mut acc[FROM..], &a[AT..], m, 0);
    if !FROM.is_multiple_of(2) {
        acc[N - 1] =
            acc[N - 1].wrapping_add(m.wrapping_mul(a[AT + N - 1 - FROM])).wrapping_add(carry);
    }
}

/// `low += addend`, then `acc += m·Σ a[1 + 2k]·2⁶⁴ᵏ` plus the carry of the former; nothing is
/// carried out of the latter.
#[inline]
pub fn add_mad<const N: usize>(
    low: &mut u32,
    addend: u32,
    acc: &mut [u32; N],
    a: &[u32; N],
    m: u32,
) {
    let (sum, carry) = low.overflowing_add(addend);
    *low = sum;
    let carry = chain(acc, &a[1..], m, carry.into());
    debug_assert_eq!(carry, 0, "carry out of a chain that has none");
}

/// `acc += lo + hi·2³² + m·Σ a[AT + 2k]·2⁶⁴ᵏ⁺⁶⁴`; returns `top` plus the carry out.
#[inline]
pub fn wide_add_mad<const N: usize, const AT: usize>(
    acc: &mut [u32; N],
    lo: u32,
    hi: u32,
    a: &[u32; N],
    m: u32,
    top: u32,
) -> u32 {
    let ([acc0, acc1], carry) = add(&[acc[0], acc[1]], &[lo, hi]);
    acc[0] = acc0;
    acc[1] = acc1;
    let carry = chain(&mut acc[2..], &a[AT..], m, carry);
    debug_assert!(top.checked_add(carry).is_some(), "carry out of the top word");
    top.wrapping_add(carry)
}

/// The multiply-adds of a chain, limb by limb as the GPU does them.
#[inline]
fn chain(acc: &mut [u32], a: &[u32], m: u32, carry: u32) -> u32 {
    let mut carry = u64::from(carry);
    for (k, pair) in acc.chunks_exact_mut(2).enumerate() {
        let (lo, hi) = mul_wide(a[2 * k], m);
        for (word, product) in pair.iter_mut().zip([lo, hi]) {
            let sum = u64::from(*word) + u64::from(product) + carry;
            *word = sum as u32;
            carry = sum >> 32;
        }
    }
    carry as u32
}
