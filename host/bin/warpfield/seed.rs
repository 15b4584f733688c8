//! `--seed`: randomness that is the same each time.

use std::str::FromStr;

use rand_chacha::ChaCha20Rng;
use rand_core::{OsRng, RngCore, SeedableRng};
use zeroize::Zeroizing;

/// A seed given in hexadecimal, of any length from one byte.
#[derive(Clone)]
pub struct Seed([u8; 32]);

impl FromStr for Seed {
    type Err = &'static str;

    fn from_str(hex: &str) -> Result<Self, Self::Err> {
        const USAGE: &str = "an even number of hexadecimal digits is needed, such as 2a or c0ffee";
        if hex.is_empty() || !hex.len().is_multiple_of(2) || !hex.is_ascii() {
            return Err(USAGE);
        }
        let bytes: Result<Vec<u8>, _> =
            (0..hex.len()).step_by(2).map(|i| u8::from_str_radix(&hex[i..i + 2], 16)).collect();
        let bytes = bytes.map_err(|_| USAGE)?;
        // The hash spreads short seeds over the whole width.
        Ok(Self(*blake3::hash(&bytes).as_bytes()))
    }
}

/// A generator for one purpose: from the seed if there is one (each `stream` gives other numbers),
/// else from the operating system.
pub fn generator(seed: Option<&Seed>, stream: u64) -> Result<ChaCha20Rng, crate::Failure> {
    match seed {
        Some(Seed(seed)) => {
            let mut rng = ChaCha20Rng::from_seed(*seed);
            rng.set_stream(stream);
            Ok(rng)
        }
        None => {
            let mut seed = Zeroizing::new([0; 32]);
            OsRng.try_fill_bytes(&mut *seed).map_err(|error| {
                crate::Failure::other(format!("the system's random generator failed: {error}"))
            })?;
            Ok(ChaCha20Rng::from_seed(*seed))
        }
    }
}

/// Says that a seed is in use.
pub fn warn(seed: Option<&Seed>) {
    if seed.is_some() {
        tracing::warn!("--seed makes everything secret predictable: for tests only");
    }
}
