//! Points of a curve y² = x³ + b, generic over the field of the coordinates: G1 and G2 alike.
//!
//! No formula below uses b, so nothing here names a curve.

pub mod affine;
#[cfg(target_arch = "nvptx64")]
pub mod batch;
#[cfg(target_arch = "nvptx64")]
pub mod normal;
#[cfg(target_arch = "nvptx64")]
pub mod shared;
#[cfg(target_arch = "nvptx64")]
pub mod team;
pub mod xyzz;

pub use affine::Affine;
pub use xyzz::Xyzz;

use crate::field::{Fp, Fp2};

/// A point of BLS12-381's curve over Fp; the layout is blst's `blst_p1_affine`.
pub type G1Affine = Affine<Fp>;

/// A point of BLS12-381's curve over Fp2; the layout is blst's `blst_p2_affine`.
pub type G2Affine = Affine<Fp2>;

/// A point of BLS12-381's curve over Fp, with denominators.
pub type G1Xyzz = Xyzz<Fp>;

/// A point of BLS12-381's curve over Fp2, with denominators.
pub type G2Xyzz = Xyzz<Fp2>;
