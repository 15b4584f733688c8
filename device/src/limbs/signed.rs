//! Signed multiply-adds: 32×32 + 64 bits.

/// `sum + a·b`, which the caller's bound keeps within 64 bits.
#[cfg(not(target_arch = "nvptx64"))]
#[inline]
pub fn mad_wide(sum: i64, a: i32, b: i32) -> i64 {
    sum + i64::from(a) * i64::from(b)
}

/// `sum + a·b`, which the caller's bound keeps within 64 bits.
#[cfg(target_arch = "nvptx64")]
#[inline(always)]
pub fn mad_wide(mut sum: i64, a: i32, b: i32) -> i64 {
    // In asm for the reason of `mul_wide`.
    // SAFETY: arithmetic on registers.
    unsafe {
        core::arch::asm!(
            "mad.wide.s32 {sum}, {a}, {b}, {sum};",
            sum = inout(reg64) sum,
            a = in(reg32) a,
            b = in(reg32) b,
            options(pure, nomem, nostack),
        );
    }
    sum
}
