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
pub fn mad_wide(sum: i64, a: i32, b: i32) -> i64 {
    let (mut low, mut high) = (sum as u32, (sum >> 32) as u32);
    // Of `mad.wide.s32`, `ptxas` makes a product and an addition; of this pair, one instruction.
    // SAFETY: arithmetic on registers, complete in itself.
    unsafe {
        core::arch::asm!(
            "mad.lo.cc.s32 {low}, {a}, {b}, {low};",
            "madc.hi.s32 {high}, {a}, {b}, {high};",
            low = inout(reg32) low,
            high = inout(reg32) high,
            a = in(reg32) a,
            b = in(reg32) b,
            options(pure, nomem, nostack),
        );
    }
    i64::from(high as i32) << 32 | i64::from(low)
}
