//! The base field of BLS12-381.

use super::{Config, Prime};

/// The configuration of [`Fp`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FpConfig;

/// An element of the base field of BLS12-381; the layout is blst's `blst_fp`.
pub type Fp = Prime<FpConfig, 12>;

impl Config<12> for FpConfig {
    /// p = (x − 1)²·(x⁴ − x² + 1)/3 + x for the curve's parameter x = −0xd201000000010000:
    /// 0x1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaab.
    const MODULUS: [u32; 12] = [
        0xffff_aaab,
        0xb9fe_ffff,
        0xb153_ffff,
        0x1eab_fffe,
        0xf6b0_f624,
        0x6730_d2a0,
        0xf385_12bf,
        0x6477_4b84,
        0x434b_acd7,
        0x4b1b_a7b6,
        0x397f_e69a,
        0x1a01_11ea,
    ];
}
