//! Canonical little-endian encodings of field elements, as the files carry them.

use blst::{blst_fp, blst_fr, blst_scalar};
use blstrs::Scalar;
use num_bigint::BigUint;
use warpfield_device::field::Config;
use warpfield_device::field::{fp::FpConfig, fr::FrConfig};

/// Bytes of a scalar in the files.
pub const SCALAR_BYTES: usize = 32;
/// Bytes of a base field element in the files.
pub const FP_BYTES: usize = 48;

/// r, the order of the groups, by limbs of 64 bits.
pub(crate) const SCALAR_MODULUS: [u64; 4] = joined(&<FrConfig as Config<8>>::MODULUS);

/// p, the modulus of the base field, by limbs of 64 bits.
pub(crate) const FP_MODULUS: [u64; 6] = joined(&<FpConfig as Config<12>>::MODULUS);

/// The GPU's limbs, two by two.
const fn joined<const N: usize, const M: usize>(words: &[u32; N]) -> [u64; M] {
    assert!(N == 2 * M);
    let mut limbs = [0; M];
    let mut i = 0;
    while i < M {
        limbs[i] = words[2 * i] as u64 | (words[2 * i + 1] as u64) << 32;
        i += 1;
    }
    limbs
}

/// Whether 32 little-endian bytes are below r.
pub(crate) fn is_canonical(bytes: &[u8; SCALAR_BYTES]) -> bool {
    limbs::<4>(bytes).iter().rev().lt(SCALAR_MODULUS.iter().rev())
}

/// The scalar of 32 little-endian bytes, or `None` if they are not below r.
pub(crate) fn scalar_from_canonical(bytes: &[u8; SCALAR_BYTES]) -> Option<Scalar> {
    Scalar::from_bytes_le(bytes).into()
}

/// The scalar whose Montgomery form these 32 bytes are.
pub(crate) fn scalar_from_raw(bytes: &[u8; SCALAR_BYTES]) -> Scalar {
    Scalar::from(blst_fr { l: limbs(bytes) })
}

/// The 32 little-endian bytes of a scalar in ordinary form.
pub(crate) fn scalar_to_canonical(scalar: &Scalar) -> [u8; SCALAR_BYTES] {
    let scalar: blst_scalar = (*scalar).into();
    scalar.b
}

/// The limbs of a modulus as little-endian bytes, as a file's header has them.
pub(crate) fn modulus_bytes(limbs: &[u64]) -> Vec<u8> {
    limbs.iter().flat_map(|limb| limb.to_le_bytes()).collect()
}

/// A base field element as an integer.
pub(crate) fn fp_to_integer(value: &blst_fp) -> BigUint {
    let mut bytes = [0; FP_BYTES];
    // SAFETY: the function writes exactly the 48 bytes of `bytes`.
    unsafe { blst::blst_lendian_from_fp(bytes.as_mut_ptr(), value) };
    BigUint::from_bytes_le(&bytes)
}

/// The base field element of an integer, or `None` if it is not below p.
pub(crate) fn fp_from_integer(value: &BigUint) -> Option<blst_fp> {
    let mut bytes = value.to_bytes_le();
    if *value >= BigUint::from_bytes_le(&modulus_bytes(&FP_MODULUS)) {
        return None;
    }
    bytes.resize(FP_BYTES, 0);
    let mut out = blst_fp::default();
    // SAFETY: the function reads exactly the 48 bytes of `bytes`.
    unsafe { blst::blst_fp_from_lendian(&mut out, bytes.as_ptr()) };
    Some(out)
}

fn limbs<const N: usize>(bytes: &[u8]) -> [u64; N] {
    let (chunks, _) = bytes.as_chunks::<8>();
    std::array::from_fn(|i| u64::from_le_bytes(chunks[i]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ff::{Field, PrimeField};

    fn integer(limbs: &[u64]) -> BigUint {
        BigUint::from_bytes_le(&modulus_bytes(limbs))
    }

    #[test]
    fn moduli_follow_from_the_curve_parameter() {
        // |x|; x itself is negative, so x − 1 = −(|x| + 1) and the odd power changes sign.
        let x = BigUint::from(0xd201_0000_0001_0000u64);
        let r = x.pow(4) - x.pow(2) + 1u32;
        let p = (&x + 1u32).pow(2) * &r / 3u32 - &x;
        assert_eq!(integer(&SCALAR_MODULUS), r);
        assert_eq!(integer(&FP_MODULUS), p);
        assert_eq!(Scalar::MODULUS.trim_start_matches("0x"), format!("{r:x}"));
    }

    #[test]
    fn canonical_means_below_the_modulus() {
        let r = integer(&SCALAR_MODULUS);
        let zero = BigUint::ZERO;
        let one = BigUint::from(1u32);
        let ones = (BigUint::from(1u32) << 256u32) - 1u32;
        for (value, expected) in [
            (&zero, true),
            (&(&r - &one), true),
            (&r, false),
            (&(&r + &one), false),
            (&ones, false),
        ] {
            let mut bytes = [0; 32];
            let digits = value.to_bytes_le();
            bytes[..digits.len()].copy_from_slice(&digits);
            assert_eq!(is_canonical(&bytes), expected, "{value}");
            assert_eq!(scalar_from_canonical(&bytes).is_some(), expected, "{value}");
        }
    }

    #[test]
    fn base_field_round_trip() {
        let p = integer(&FP_MODULUS);
        for value in [BigUint::ZERO, BigUint::from(1u32), &p - 1u32, &p >> 1u32] {
            assert_eq!(fp_to_integer(&fp_from_integer(&value).unwrap()), value);
        }
        assert!(fp_from_integer(&p).is_none());
        assert!(fp_from_integer(&(p << 40u32)).is_none());
    }

    #[test]
    fn scalar_encodings() {
        let value = Scalar::from(7u64).pow([1000]);
        assert_eq!(scalar_from_canonical(&scalar_to_canonical(&value)), Some(value));
        let raw: blst_fr = value.into();
        let bytes: Vec<u8> = raw.l.iter().flat_map(|limb| limb.to_le_bytes()).collect();
        assert_eq!(scalar_from_raw(bytes.as_slice().try_into().unwrap()), value);
    }
}
