//! Prime fields in Montgomery form, generic over the modulus.

use core::marker::PhantomData;

use super::{Field, constants, inverse};
use crate::limbs::{self, montgomery, product};
use crate::words::Words;

/// A prime field of N 32-bit limbs.
///
/// N is a multiple of four, and the modulus is odd with at most 32N − 1 bits (see [`montgomery`]). On the
/// GPU there are carry chains for N = 8 and 12. Inverses are for N up to 14, and the quadratic extension
/// for a modulus of at most 32N − 2 bits.
pub trait Config<const N: usize>: Copy + core::fmt::Debug + Eq + 'static {
    /// The modulus p, little-endian.
    const MODULUS: [u32; N];

    /// −p⁻¹ mod 2³².
    const INV: u32 = constants::negated_inverse(Self::MODULUS[0]);

    /// 2³²ᴺ mod p: one, in Montgomery form.
    const R: [u32; N] = constants::power_of_two(32 * N, &Self::MODULUS);

    /// 2⁶⁴ᴺ mod p: the factor that brings a number into Montgomery form.
    const R2: [u32; N] = constants::power_of_two(64 * N, &Self::MODULUS);
}

/// An element of a prime field: `a·2³²ᴺ mod p`, below p, as N little-endian 32-bit limbs.
///
/// The bytes are those of blst's `blst_fr` and `blst_fp` on a little-endian machine, with their
/// size and alignment, so arrays of either may be read as the other.
#[derive(Clone, Copy)]
#[repr(C, align(8))]
pub struct Prime<C, const N: usize> {
    limbs: [u32; N],
    config: PhantomData<C>,
}

impl<C: Config<N>, const N: usize> Prime<C, N> {
    pub(super) const MODULUS: montgomery::Modulus<'static, N> =
        montgomery::Modulus { p: &C::MODULUS, inv: C::INV };

    /// The element whose Montgomery form is `limbs`, which must be below the modulus.
    #[inline(always)]
    pub const fn from_montgomery_limbs(limbs: [u32; N]) -> Self {
        Self { limbs, config: PhantomData }
    }

    /// The Montgomery form.
    #[inline(always)]
    pub const fn montgomery_limbs(&self) -> &[u32; N] {
        &self.limbs
    }

    /// The element of value `limbs`, which must be below the modulus.
    #[inline(always)]
    pub fn from_canonical(limbs: &[u32; N]) -> Self {
        Self::from_montgomery_limbs(montgomery::mul(limbs, &C::R2, Self::MODULUS))
    }

    /// `self·2⁻ᵏ`, for k up to 32 and less than the price of a product.
    #[inline(always)]
    pub fn divide_by_power_of_two(&self, k: u32) -> Self {
        let limbs = montgomery::divide_by_power_of_two(&self.limbs, k, Self::MODULUS);
        Self::from_montgomery_limbs(limbs)
    }

    /// The value, below the modulus.
    #[inline(always)]
    pub fn to_canonical(&self) -> [u32; N] {
        montgomery::reduce(&self.limbs, Self::MODULUS)
    }
}

impl<C: Config<N>, const N: usize> Field for Prime<C, N> {
    const ZERO: Self = Self::from_montgomery_limbs([0; N]);
    const ONE: Self = Self::from_montgomery_limbs(C::R);

    #[inline(always)]
    fn is_zero(&self) -> bool {
        limbs::is_zero(&self.limbs)
    }

    #[inline(always)]
    fn square(&self) -> Self {
        Self::from_montgomery_limbs(montgomery::sqr(&self.limbs, Self::MODULUS))
    }

    #[inline(always)]
    fn mul_inline(&self, other: &Self) -> Self {
        let limbs = montgomery::mul_interleaved(&self.limbs, &other.limbs, Self::MODULUS);
        Self::from_montgomery_limbs(limbs)
    }

    /// The low and the high half.
    type Wide = ([u32; N], [u32; N]);

    #[inline(always)]
    fn mul_wide(&self, other: &Self) -> Self::Wide {
        product::mul_wide(&self.limbs, &other.limbs)
    }

    #[inline(always)]
    fn add_wide(a: &Self::Wide, b: &Self::Wide) -> Self::Wide {
        // No carry: 2p² < 2⁶⁴ᴺ, as p has 32N − 1 bits at most.
        let (low, carry) = limbs::add(&a.0, &b.0);
        (low, limbs::add_carry(&a.1, &b.1, carry).0)
    }

    #[inline(always)]
    fn reduce(wide: &Self::Wide) -> Self {
        // 2p² < p·2³²ᴺ.
        let limbs = montgomery::reduce_wide((&wide.0, &wide.1), Self::MODULUS);
        Self::from_montgomery_limbs(limbs)
    }

    /// By division steps, for N up to 14.
    #[inline(always)]
    fn invert(&self) -> Self {
        inverse::invert(*self)
    }
}

impl<C: Config<N>, const N: usize> Words for Prime<C, N> {
    const QUADS: u32 = <[u32; N]>::QUADS;

    #[inline(always)]
    fn from_quads(quad: impl FnMut(u32) -> [u32; 4]) -> Self {
        Self::from_montgomery_limbs(Words::from_quads(quad))
    }

    #[inline(always)]
    fn for_quads(&self, quad: impl FnMut(u32, [u32; 4])) {
        self.limbs.for_quads(quad);
    }
}

impl<C: Config<N>, const N: usize> core::ops::Add for Prime<C, N> {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // No carry: a modulus leaves the top bit free.
        let (sum, _) = limbs::add(&self.limbs, &other.limbs);
        Self::from_montgomery_limbs(montgomery::reduce_once(&sum, &C::MODULUS))
    }
}

impl<C: Config<N>, const N: usize> core::ops::Sub for Prime<C, N> {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        let (difference, borrow) = limbs::sub(&self.limbs, &other.limbs);
        let correction = limbs::select(borrow != 0, &C::MODULUS, &[0; N]);
        let (corrected, _) = limbs::add(&difference, &correction);
        Self::from_montgomery_limbs(corrected)
    }
}

impl<C: Config<N>, const N: usize> core::ops::Neg for Prime<C, N> {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        // p − 0 would be p, which is not canonical.
        let (difference, _) = limbs::sub(&C::MODULUS, &self.limbs);
        Self::from_montgomery_limbs(limbs::select(self.is_zero(), &[0; N], &difference))
    }
}

impl<C: Config<N>, const N: usize> core::ops::Mul for Prime<C, N> {
    type Output = Self;

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Self::from_montgomery_limbs(montgomery::mul(&self.limbs, &other.limbs, Self::MODULUS))
    }
}

// By hand: a derived comparison of arrays is a call of `memcmp` on the GPU.
impl<C: Config<N>, const N: usize> PartialEq for Prime<C, N> {
    #[inline(always)]
    fn eq(&self, other: &Self) -> bool {
        limbs::equal(&self.limbs, &other.limbs)
    }
}

impl<C: Config<N>, const N: usize> Eq for Prime<C, N> {}

impl<C: Config<N>, const N: usize> Default for Prime<C, N> {
    fn default() -> Self {
        Self::ZERO
    }
}

impl<C: Config<N>, const N: usize> core::fmt::Debug for Prime<C, N> {
    /// The value in hexadecimal.
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("0x")?;
        self.to_canonical().iter().rev().try_for_each(|limb| write!(f, "{limb:08x}"))
    }
}
