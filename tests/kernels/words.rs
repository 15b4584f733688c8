//! Values as they lie in device memory.

use std::fmt;

use num_bigint::BigUint;

/// 32-bit words of one element, lowest first.
#[derive(Clone, PartialEq, Eq)]
pub struct Words(pub Vec<u32>);

impl Words {
    /// The words of an integer that fits `count` of them.
    pub fn from_integer(value: &BigUint, count: usize) -> Self {
        let mut words = value.to_u32_digits();
        assert!(words.len() <= count, "{value:x} has more than {count} words");
        words.resize(count, 0);
        Self(words)
    }

    pub fn zero(count: usize) -> Self {
        Self(vec![0; count])
    }

    pub fn concat(parts: &[&Words]) -> Self {
        Self(parts.iter().flat_map(|part| &part.0).copied().collect())
    }

    /// The integers in parts of `count` words.
    pub fn integers(&self, count: usize) -> Vec<BigUint> {
        self.0.chunks(count).map(BigUint::from_slice).collect()
    }

    pub fn is_zero(&self) -> bool {
        self.0.iter().all(|word| *word == 0)
    }
}

impl<const N: usize> From<[u32; N]> for Words {
    fn from(limbs: [u32; N]) -> Self {
        Self(limbs.into())
    }
}

/// In hexadecimal, highest word first.
impl fmt::Debug for Words {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("0x")?;
        for (i, word) in self.0.iter().rev().enumerate() {
            write!(f, "{}{word:08x}", if i == 0 { "" } else { "_" })?;
        }
        Ok(())
    }
}
