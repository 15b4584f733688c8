//! Fields and blst's types are the same bytes.

mod common;

use blst::{blst_fp, blst_fp_mul, blst_fp_sub, blst_fr, blst_uint32_from_fp};
use common::to_biguint;
use ec_gpu::GpuField;
use ff::Field as _;
use group::prime::PrimeCurveAffine as _;
use num_bigint::BigUint;
use proptest::prelude::*;
use warpfield_device::field::{Config, Field as _, Fp, Fr, fp::FpConfig, fr::FrConfig};
use warpfield_device::strategies::below;

#[test]
fn size_and_alignment_are_blst_s() {
    assert_eq!(size_of::<Fr>(), size_of::<blst_fr>());
    assert_eq!(align_of::<Fr>(), align_of::<blst_fr>());
    assert_eq!(size_of::<Fp>(), size_of::<blst_fp>());
    assert_eq!(align_of::<Fp>(), align_of::<blst_fp>());
    assert_eq!(size_of::<Fr>(), size_of::<blstrs::Scalar>());
}

/// The same bytes as ours.
fn to_blst_fr(value: Fr) -> blst_fr {
    // SAFETY: same size, and any bytes are a value of either type.
    unsafe { core::mem::transmute::<Fr, blst_fr>(value) }
}

/// The same bytes as ours.
fn to_blst_fp(value: Fp) -> blst_fp {
    // SAFETY: same size, and any bytes are a value of either type.
    unsafe { core::mem::transmute::<Fp, blst_fp>(value) }
}

/// A binary operation of blst's on our bytes.
fn blst_binary(
    operation: unsafe extern "C" fn(*mut blst_fp, *const blst_fp, *const blst_fp),
    a: Fp,
    b: Fp,
) -> blst_fp {
    let mut out = blst_fp::default();
    // SAFETY: three valid pointers.
    unsafe { operation(&mut out, &to_blst_fp(a), &to_blst_fp(b)) };
    out
}

/// blst's idea of a value.
fn blst_canonical(value: Fp) -> [u32; 12] {
    let mut out = [0; 12];
    // SAFETY: the function writes twelve words.
    unsafe { blst_uint32_from_fp(out.as_mut_ptr(), &to_blst_fp(value)) };
    out
}

#[test]
fn one_is_one() {
    assert_eq!(blstrs::Scalar::from(to_blst_fr(Fr::ONE)), blstrs::Scalar::ONE);
    let mut one = [0; 12];
    one[0] = 1;
    assert_eq!(blst_canonical(Fp::ONE), one);
}

/// The constants of an element's field as `ec-gpu` hands them to kernels, in 32-bit limbs like ours.
fn check_gpu_constants<G: GpuField, C: Config<N>, const N: usize>(_element: G) {
    assert_eq!(G::modulus(), C::MODULUS);
    assert_eq!(G::one(), C::R);
    assert_eq!(G::r2(), C::R2);
    // −p⁻¹ is computed from the modulus there too.
    assert_eq!(G::modulus()[0].wrapping_mul(C::INV).wrapping_add(1), 0);
}

/// The names of an element's field and of its base field.
fn gpu_names<G: GpuField>(_element: G) -> (String, Option<String>) {
    (G::name(), G::sub_field_name())
}

#[test]
fn constants_are_ec_gpu_s() {
    // blstrs does not export the types of the coordinates.
    let (x1, x2) = (blstrs::G1Affine::generator().x(), blstrs::G2Affine::generator().x());
    check_gpu_constants::<_, FrConfig, 8>(blstrs::Scalar::ONE);
    check_gpu_constants::<_, FpConfig, 12>(x1);
    // Those of an extension are its base field's.
    check_gpu_constants::<_, FpConfig, 12>(x2);
    assert_eq!(gpu_names(x2).1, Some(gpu_names(x1).0));
}

proptest! {
    #[test]
    fn fr_is_blstrs_scalar(a in below(FrConfig::MODULUS), b in below(FrConfig::MODULUS)) {
        let (a, b) = (Fr::from_montgomery_limbs(a), Fr::from_montgomery_limbs(b));
        let scalar = |value| blstrs::Scalar::from(to_blst_fr(value));
        prop_assert_eq!(scalar(a * b), scalar(a) * scalar(b));
        prop_assert_eq!(scalar(a - b), scalar(a) - scalar(b));
        let canonical = BigUint::from_bytes_le(&scalar(a).to_bytes_le());
        prop_assert_eq!(to_biguint(&a.to_canonical()), canonical);
    }

    #[test]
    fn fp_is_blst_s_fp(a in below(FpConfig::MODULUS), b in below(FpConfig::MODULUS)) {
        let (a, b) = (Fp::from_montgomery_limbs(a), Fp::from_montgomery_limbs(b));
        prop_assert_eq!(to_blst_fp(a * b), blst_binary(blst_fp_mul, a, b));
        prop_assert_eq!(to_blst_fp(a - b), blst_binary(blst_fp_sub, a, b));
        prop_assert_eq!(a.to_canonical(), blst_canonical(a));
    }
}
