//! Residues below 2r, and products by twiddles, against big integers.

mod common;

use common::{to_biguint, to_limbs};
use num_bigint::BigUint;
use proptest::prelude::*;
use warpfield_device::field::{Config, Fr, fr::FrConfig};
use warpfield_device::ntt::{residue::Residue, twiddle::Twiddle};
use warpfield_device::strategies::{below, edges};

/// A residue below 2r: an element, or an element and r.
fn residue() -> impl Strategy<Value = [u32; 8]> {
    (below(FrConfig::MODULUS), any::<bool>()).prop_map(|(limbs, more)| lifted(limbs, more))
}

fn lifted(limbs: [u32; 8], more: bool) -> [u32; 8] {
    let r = to_biguint(&FrConfig::MODULUS);
    to_limbs(&(to_biguint(&limbs) + if more { r } else { BigUint::ZERO }))
}

fn check(a: [u32; 8], b: [u32; 8], w: [u32; 8]) -> Result<(), TestCaseError> {
    let r = to_biguint(&FrConfig::MODULUS);
    let radix_inverse = (BigUint::from(1u32) << 256u32).modinv(&r).expect("r is odd");
    let (x, y) = (Residue::from_limbs(a), Residue::from_limbs(b));
    let (a, b) = (to_biguint(&a), to_biguint(&b));
    let same = |found: Residue, expected: BigUint| -> Result<(), TestCaseError> {
        let limbs = to_biguint(found.limbs());
        prop_assert!(limbs < &r * 2u32);
        prop_assert_eq!(limbs % &r, expected % &r);
        Ok(())
    };
    same(x.plus(y), &a + &b)?;
    same(x.minus(y), &a + &r * 2u32 - &b)?;
    let product = x.times(&Twiddle::of(&Fr::from_montgomery_limbs(w)));
    same(product, &a * to_biguint(&w) * radix_inverse)?;
    prop_assert_eq!(to_biguint(x.reduce().montgomery_limbs()), a % &r);
    Ok(())
}

proptest! {
    #[test]
    fn drawn(a in residue(), b in residue(), w in below(FrConfig::MODULUS)) {
        check(a, b, w)?;
    }
}

#[test]
fn at_the_edges() {
    let edges = edges(FrConfig::MODULUS);
    for a in &edges {
        for b in &edges {
            for more in [(false, false), (false, true), (true, false), (true, true)] {
                check(lifted(*a, more.0), lifted(*b, more.1), *b).expect("the edges");
            }
        }
    }
}
