//! The fields in big integers, by Montgomery forms.

use std::sync::LazyLock;

use num_bigint::BigUint;
use proptest::prelude::*;
use warpfield_device::field::{Config, fp::FpConfig, fr::FrConfig};
use warpfield_device::strategies::{below, edges, limbs};

use crate::words::Words;

pub static FR: LazyLock<Field> = LazyLock::new(|| Field::new(scalar_modulus(), 8, 1));
pub static FP: LazyLock<Field> = LazyLock::new(|| Field::new(base_modulus(), 12, 1));
pub static FP2: LazyLock<Field> = LazyLock::new(|| Field::new(base_modulus(), 12, 2));
/// The prime fields again, with operands of any limbs.
pub static FR_UNREDUCED: LazyLock<Field> = LazyLock::new(|| FR.unreduced());
pub static FP_UNREDUCED: LazyLock<Field> = LazyLock::new(|| FP.unreduced());

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
    /// Whether operands are drawn below p.
    reduced: bool,
}

impl Field {
    fn new(p: BigUint, limbs: usize, degree: usize) -> Self {
        let radix = BigUint::from(1u32) << (32 * limbs);
        let radix_inverse = radix.modinv(&p).expect("p is odd");
        Self { p, radix, radix_inverse, limbs, degree, reduced: true }
    }

    fn unreduced(&self) -> Self {
        Self { reduced: false, ..Self::new(self.p.clone(), self.limbs, self.degree) }
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
            8 if !self.reduced => limbs::<8>().prop_map(Words::from).boxed(),
            12 if !self.reduced => limbs::<12>().prop_map(Words::from).boxed(),
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
        let mut coordinates: Vec<Words> = match self.limbs {
            8 => edges(FrConfig::MODULUS).into_iter().map(Words::from).collect(),
            _ => edges(FpConfig::MODULUS).into_iter().map(Words::from).collect(),
        };
        if !self.reduced {
            let above = [self.p.clone(), &self.p + 1u32, &self.p * 2u32 - 1u32, &self.radix - 1u32];
            coordinates.extend(above.iter().map(|edge| Words::from_integer(edge, self.limbs)));
        }
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

    /// `value/2³²ᴺ` modulo p: what a product of Montgomery forms needs.
    fn reduce(&self, value: BigUint) -> BigUint {
        value * &self.radix_inverse % &self.p
    }

    pub fn mul(&self, a: &Element, b: &Element) -> Element {
        match (&a[..], &b[..]) {
            ([a], [b]) => vec![self.reduce(a * b)],
            ([a0, a1], [b0, b1]) => {
                let real = a0 * b0 + (&self.p - a1) * b1;
                vec![self.reduce(real), self.reduce(a0 * b1 + a1 * b0)]
            }
            _ => unreachable!("fields of degree 1 and 2"),
        }
    }

    /// The inverse, and zero for zero.
    pub fn invert(&self, a: &Element) -> Element {
        // Of a number's Montgomery form.
        let inverse = |a: &BigUint| {
            a.modinv(&self.p).unwrap_or_default() * &self.radix * &self.radix % &self.p
        };
        match &a[..] {
            [a] => vec![inverse(a)],
            // The conjugate by the norm.
            [a0, a1] => {
                let norm = inverse(&self.reduce(a0 * a0 + a1 * a1));
                vec![self.reduce(a0 * &norm), self.reduce((&self.p - a1) * &norm)]
            }
            _ => unreachable!("fields of degree 1 and 2"),
        }
    }

    /// Into Montgomery form.
    pub fn montgomery(&self, a: &Element) -> Element {
        a.iter().map(|a| a * &self.radix % &self.p).collect()
    }

    /// Out of Montgomery form.
    pub fn canonical(&self, a: &Element) -> Element {
        a.iter().map(|a| self.reduce(a.clone())).collect()
    }
}
