//! The fields in big integers, by Montgomery forms.

use std::sync::LazyLock;

use num_bigint::BigUint;
use proptest::prelude::*;
use warpfield_device::field::{Config, fp::FpConfig, fr::FrConfig};
use warpfield_device::strategies::{below, edges};

use crate::words::Words;

pub static FR: LazyLock<Field> = LazyLock::new(|| Field::new(scalar_modulus(), 8, 1));
pub static FP: LazyLock<Field> = LazyLock::new(|| Field::new(base_modulus(), 12, 1));
pub static FP2: LazyLock<Field> = LazyLock::new(|| Field::new(base_modulus(), 12, 2));

/// |x|; the curve's parameter is negative, so its odd powers change sign.
fn parameter() -> BigUint {
    BigUint::from(0xd201_0000_0001_0000u64)
}

/// x⁴ − x² + 1.
fn scalar_modulus() -> BigUint {
    parameter().pow(4) - parameter().pow(2) + 1u32
}

/// (x − 1)²·r/3 + x.
fn base_modulus() -> BigUint {
    (parameter() + 1u32).pow(2) * scalar_modulus() / 3u32 - parameter()
}

/// An element: the Montgomery forms of its coordinates over 1, or over 1 and u with u² = −1.
pub type Element = Vec<BigUint>;

/// A prime field, or its quadratic extension.
pub struct Field {
    p: BigUint,
    /// 2³²ᴺ, and its inverse.
    radix: BigUint,
    radix_inverse: BigUint,
    /// Words of a coordinate.
    limbs: usize,
    degree: usize,
}

impl Field {
    fn new(p: BigUint, limbs: usize, degree: usize) -> Self {
        let radix = BigUint::from(1u32) << (32 * limbs);
        let radix_inverse = radix.modinv(&p).expect("p is odd");
        Self { p, radix, radix_inverse, limbs, degree }
    }

    /// Words of an element.
    pub fn words(&self) -> usize {
        self.limbs * self.degree
    }

    pub fn element(&self, words: &Words) -> Element {
        words.integers(self.limbs)
    }

    pub fn to_words(&self, element: &Element) -> Words {
        let parts: Vec<_> = element.iter().map(|c| Words::from_integer(c, self.limbs)).collect();
        Words::concat(&parts.iter().collect::<Vec<_>>())
    }

    /// Whether every coordinate is below p.
    pub fn is_canonical(&self, words: &Words) -> bool {
        words.integers(self.limbs).iter().all(|coordinate| *coordinate < self.p)
    }

    pub fn strategy(&self) -> BoxedStrategy<Words> {
        let coordinate = match self.limbs {
            8 => below(FrConfig::MODULUS).prop_map(Words::from).boxed(),
            _ => below(FpConfig::MODULUS).prop_map(Words::from).boxed(),
        };
        if self.degree == 1 {
            return coordinate;
        }
        let pair = (coordinate.clone(), coordinate);
        pair.prop_map(|(c0, c1)| Words::concat(&[&c0, &c1])).boxed()
    }

    /// Edges, or every pair of a few of them.
    pub fn edges(&self) -> Vec<Words> {
        let coordinates: Vec<Words> = match self.limbs {
            8 => edges(FrConfig::MODULUS).into_iter().map(Words::from).collect(),
            _ => edges(FpConfig::MODULUS).into_iter().map(Words::from).collect(),
        };
        if self.degree == 1 {
            return coordinates;
        }
        let few = &coordinates[..6];
        let with = |c0| few.iter().map(move |c1| Words::concat(&[c0, c1]));
        few.iter().flat_map(with).collect()
    }

    fn each(&self, a: &Element, b: &Element, f: impl Fn(&BigUint, &BigUint) -> BigUint) -> Element {
        a.iter().zip(b).map(|(a, b)| f(a, b) % &self.p).collect()
    }

    pub fn add(&self, a: &Element, b: &Element) -> Element {
        self.each(a, b, |a, b| a + b)
    }

    pub fn sub(&self, a: &Element, b: &Element) -> Element {
        self.each(a, b, |a, b| a + &self.p - b)
    }

    pub fn neg(&self, a: &Element) -> Element {
        self.each(a, a, |_, a| &self.p - a)
    }

    pub fn mul(&self, a: &Element, b: &Element) -> Element {
        let reduce = |product: BigUint| product * &self.radix_inverse % &self.p;
        match (&a[..], &b[..]) {
            ([a], [b]) => vec![reduce(a * b)],
            ([a0, a1], [b0, b1]) => {
                vec![reduce(a0 * b0 + (&self.p - a1) * b1), reduce(a0 * b1 + a1 * b0)]
            }
            _ => unreachable!("fields of degree 1 and 2"),
        }
    }

    /// The inverse in the prime field, and zero for zero.
    pub fn invert(&self, a: &Element) -> Element {
        let [a] = &a[..] else { unreachable!("no kernel inverts in an extension") };
        let inverse = a.modinv(&self.p).unwrap_or_default();
        vec![inverse * &self.radix * &self.radix % &self.p]
    }
}
