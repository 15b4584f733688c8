//! Vectors that hold secrets: zeroed before their memory goes back.

use std::ops::{Deref, DerefMut};

use blstrs::Scalar;
use rand_core::{CryptoRng, RngCore};
use rayon::prelude::*;
use zeroize::{Zeroize, Zeroizing};

use crate::field::{SCALAR_BYTES, scalar_from_canonical, scalar_to_canonical};

/// A fixed number of scalars, zeroed on drop.
pub(crate) struct SecretScalars(
    /// Their limbs: zeros of integers are the system's, and cost nothing before they are used.
    Vec<[u64; 4]>,
);

impl SecretScalars {
    /// `length` zeros.
    pub(crate) fn zeros(length: usize) -> Self {
        Self(vec![[0; 4]; length])
    }
}

impl Deref for SecretScalars {
    type Target = [Scalar];

    fn deref(&self) -> &[Scalar] {
        // SAFETY: `Scalar` is a transparent wrapper of such limbs.
        unsafe { std::slice::from_raw_parts(self.0.as_ptr().cast(), self.0.len()) }
    }
}

impl DerefMut for SecretScalars {
    fn deref_mut(&mut self) -> &mut [Scalar] {
        // SAFETY: as above.
        unsafe { std::slice::from_raw_parts_mut(self.0.as_mut_ptr().cast(), self.0.len()) }
    }
}

impl Drop for SecretScalars {
    fn drop(&mut self) {
        self.0.as_flattened_mut().zeroize();
    }
}

/// A uniform scalar other than zero, by rejection: each draw of 255 bits is below r with probability
/// 0.9. Unlike `Scalar::random` it leaves no copies and reports a generator that fails.
pub(crate) fn random_scalar(
    rng: &mut (impl RngCore + CryptoRng),
) -> Result<Scalar, rand_core::Error> {
    let mut bytes = Zeroizing::new([0; SCALAR_BYTES]);
    loop {
        rng.try_fill_bytes(&mut *bytes)?;
        bytes[SCALAR_BYTES - 1] &= 0x7f;
        if let Some(scalar) = scalar_from_canonical(&bytes)
            && scalar != Scalar::default()
        {
            return Ok(scalar);
        }
    }
}

/// Scalars in ordinary form, 32 bytes each, little-endian; zeroed on drop.
pub(crate) fn canonical_bytes(scalars: &[Scalar]) -> Zeroizing<Vec<u8>> {
    // The exact length: growing would leave copies behind.
    let mut bytes = Zeroizing::new(vec![0; scalars.len() * SCALAR_BYTES]);
    let places = bytes.as_chunks_mut().0.par_iter_mut().with_min_len(1 << 10);
    places.zip(scalars).for_each(|(place, scalar)| *place = scalar_to_canonical(scalar));
    bytes
}

/// The bytes of scalars in memory.
pub(crate) fn bytes_of(scalars: &[Scalar]) -> &[u8] {
    // SAFETY: `Scalar` is a transparent wrapper of four u64 limbs: no padding, any alignment of
    // bytes will do, and the length is that of the slice.
    unsafe { std::slice::from_raw_parts(scalars.as_ptr().cast(), size_of_val(scalars)) }
}

/// The bytes of scalars in memory, to overwrite.
pub(crate) fn bytes_of_mut(scalars: &mut [Scalar]) -> &mut [u8] {
    // SAFETY: as in `bytes_of`; every bit pattern is a value of the limbs.
    unsafe { std::slice::from_raw_parts_mut(scalars.as_mut_ptr().cast(), size_of_val(scalars)) }
}
