//! Scalars in ordinary form, at any alignment, and their signed digits.

use blst::{blst_fr, blst_fr_from_scalar, blst_scalar, blst_scalar_from_lendian};
use blstrs::Scalar;

use crate::curve::{Digit, UnevenLength};
use crate::field::{SCALAR_BYTES as BYTES, SCALAR_MODULUS as ORDER};

/// (r − 1) / 2
const HALF: [u64; 4] =
    [0x7fff_ffff_8000_0000, 0xa9de_d201_7fff_2dff, 0x199c_ec04_04d0_ec02, 0x39f6_d3a9_94ce_bea4];

/// A sequence of scalars: integers of 32 little-endian bytes, not in Montgomery form.
///
/// A view: copying it copies no scalars. Values of r and more are read modulo r.
#[derive(Clone, Copy)]
pub struct ScalarSlice<'a> {
    scalars: &'a [[u8; BYTES]],
}

// Debug output must not hold secrets.
impl std::fmt::Debug for ScalarSlice<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ScalarSlice({} scalars)", self.len())
    }
}

impl<'a> ScalarSlice<'a> {
    /// The scalars in `bytes`, 32 each, at any alignment.
    ///
    /// # Errors
    ///
    /// The length is not a multiple of 32.
    pub fn new(bytes: &'a [u8]) -> Result<Self, UnevenLength> {
        match bytes.as_chunks() {
            (scalars, []) => Ok(Self { scalars }),
            _ => Err(UnevenLength { len: bytes.len(), element: BYTES }),
        }
    }

    /// Number of scalars.
    #[inline]
    pub fn len(&self) -> usize {
        self.scalars.len()
    }

    /// Whether there is no scalar.
    pub fn is_empty(&self) -> bool {
        self.scalars.is_empty()
    }

    /// The scalars, each as its bytes.
    #[cfg(feature = "ptx")]
    pub(super) fn as_arrays(&self) -> &'a [[u8; BYTES]] {
        self.scalars
    }

    /// The limbs of the `index`-th scalar, least significant first, as they are.
    ///
    /// # Panics
    ///
    /// `index` is not below [`len`](Self::len).
    #[inline(always)]
    pub fn get(&self, index: usize) -> [u64; 4] {
        let (limbs, _) = self.scalars[index].as_chunks::<8>();
        std::array::from_fn(|i| u64::from_le_bytes(limbs[i]))
    }

    /// The `index`-th scalar as an element of the field.
    ///
    /// # Panics
    ///
    /// `index` is not below [`len`](Self::len).
    pub fn get_reduced(&self, index: usize) -> Scalar {
        let (mut scalar, mut result) = (blst_scalar::default(), blst_fr::default());
        // SAFETY: blst reads 32 bytes and writes a scalar, which it then reads for an element.
        unsafe {
            blst_scalar_from_lendian(&mut scalar, self.scalars[index].as_ptr());
            blst_fr_from_scalar(&mut result, &scalar);
        }
        result.into()
    }

    /// The scalars of `range`.
    ///
    /// # Panics
    ///
    /// The range ends after [`len`](Self::len).
    pub fn slice(&self, range: std::ops::Range<usize>) -> Self {
        Self { scalars: &self.scalars[range] }
    }
}

impl<'a> From<&'a [[u8; BYTES]]> for ScalarSlice<'a> {
    fn from(scalars: &'a [[u8; BYTES]]) -> Self {
        Self { scalars }
    }
}

/// a − b modulo 2^256, and whether it is negative.
#[inline(always)]
fn sub(a: [u64; 4], b: [u64; 4]) -> ([u64; 4], bool) {
    let mut borrow = false;
    let difference = std::array::from_fn(|i| {
        let (limb, first) = a[i].overflowing_sub(b[i]);
        let (limb, second) = limb.overflowing_sub(u64::from(borrow));
        borrow = first | second;
        limb
    });
    (difference, borrow)
}

/// A scalar modulo r as a sign and an absolute value of at most (r − 1) / 2 < 2^254. So −1 has
/// one digit that is not zero, as 1 has, and 255 bits are enough for digits and their last carry.
#[derive(Clone, Copy)]
pub(super) struct Recoded {
    absolute: [u64; 4],
    negative: bool,
}

impl Recoded {
    #[inline(always)]
    pub(super) fn of(scalar: [u64; 4]) -> Self {
        let mut scalar = scalar;
        // No iteration for canonical scalars, two at most (2^256 < 3r).
        while scalar[3] >= ORDER[3] {
            let (reduced, below) = sub(scalar, ORDER);
            if below {
                break;
            }
            scalar = reduced;
        }
        // Without a branch: for random scalars it would be mispredicted every other time.
        let (_, negative) = sub(HALF, scalar);
        let (inverse, _) = sub(ORDER, scalar);
        let mask = u64::from(negative).wrapping_neg();
        let absolute = std::array::from_fn(|i| scalar[i] ^ (mask & (scalar[i] ^ inverse[i])));
        Self { absolute, negative }
    }

    pub(super) fn negative(&self) -> bool {
        self.negative
    }

    /// The least number of bits that the absolute value fits in.
    pub(super) fn bit_length(&self) -> u32 {
        let top = self.absolute.iter().rposition(|&limb| limb != 0);
        top.map_or(0, |top| 64 * top as u32 + 64 - self.absolute[top].leading_zeros())
    }

    pub(super) fn is_zero(&self) -> bool {
        self.absolute == [0; 4]
    }

    pub(super) fn is_one(&self) -> bool {
        self.absolute == [1, 0, 0, 0]
    }

    /// The digit of window `window` for windows of `bits` bits (Booth's recoding): with the
    /// window's bits b and the bit c below them, b + c, less 2^bits if b's top bit is set (which the
    /// window above makes up for as its c). No carry runs through the windows.
    #[inline(always)]
    pub(super) fn digit(&self, window: u32, bits: u32) -> Digit {
        // The window's bits and the one below, which is 0 for the lowest window.
        let low = window * bits;
        let raw = if low == 0 {
            (self.absolute[0] << 1) as u32
        } else {
            let (limb, shift) = ((low - 1) as usize / 64, (low - 1) % 64);
            let above = self.absolute.get(limb + 1).copied().unwrap_or(0);
            (self.absolute[limb] >> shift | (above << 1) << (63 - shift)) as u32
        };
        let raw = raw & ((2 << bits) - 1);
        let negative = raw >> bits;
        let positive = (raw >> 1) + (raw & 1);
        let absolute = if negative == 1 { (1 << bits) - positive } else { positive };
        Digit::new(absolute, (negative == 1) ^ self.negative)
    }
}
