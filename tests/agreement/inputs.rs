//! Words that find carries, the same each time.

use rand_chacha::ChaCha20Rng;
use rand_core::{RngCore as _, SeedableRng as _};

/// A source of values of a few words.
pub struct Inputs(ChaCha20Rng);

impl Inputs {
    pub fn new() -> Self {
        Self(ChaCha20Rng::seed_from_u64(2))
    }

    /// So many values of so many words: of random ones, of words that are 0 or all ones, or mixed;
    /// some all zero. They need not be canonical: what a kernel makes of them is the same everywhere.
    pub fn values(&mut self, count: usize, words: usize) -> Vec<u32> {
        (0..count).flat_map(|_| self.value(words)).collect()
    }

    fn value(&mut self, words: usize) -> Vec<u32> {
        let kind = self.0.next_u32() % 8;
        let word = |rng: &mut ChaCha20Rng| {
            let random = rng.next_u32();
            match (kind, rng.next_u32() % 4) {
                (0, _) | (1, 0) | (2, 0 | 1) => 0,
                (1, 1) | (2, _) => u32::MAX,
                _ => random,
            }
        };
        (0..words).map(|_| word(&mut self.0)).collect()
    }
}
