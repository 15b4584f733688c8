//! The scalar field of BLS12-381.

use super::{Config, Prime};

/// The configuration of [`Fr`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrConfig;

/// An element of the scalar field of BLS12-381; the layout is blst's `blst_fr`.
pub type Fr = Prime<FrConfig, 8>;

impl Config<8> for FrConfig {
    /// r = x⁴ − x² + 1 for the curve's parameter x = −0xd201000000010000:
    /// 0x73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001.
    const MODULUS: [u32; 8] = [
        0x0000_0001,
        0xffff_ffff,
        0xfffe_5bfe,
        0x53bd_a402,
        0x09a1_d805,
        0x3339_d808,
        0x299d_7d48,
        0x73ed_a753,
    ];
}
