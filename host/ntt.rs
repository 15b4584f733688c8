//! Number-theoretic transforms over Fr.
//!
//! A [`Domain`] is the group ⟨ω⟩ of order n = 2^k; the forward transform turns coefficients into
//! the values at ω⁰, ω¹, …. All transforms are in place and come in the four orders of
//! [`Order`]; those that bit-reverse one side need no pass over memory for it.
//!
//! The network for natural → reversed divides X^n − 1 into halves: a block that holds a polynomial
//! modulo X^2m − w² becomes one modulo X^m − w and one modulo X^m + w, so a whole block has one
//! twiddle w and the first block of each layer none. With the twiddles in bit-reversed order every
//! layer reads the same table from its start. Reversed → natural is the same network transposed.

mod butterfly;
mod domain;
#[cfg(feature = "ptx")]
mod gpu;
mod naive;
mod root;
#[cfg(test)]
mod tests;

pub use domain::{Direction, Domain, DomainTooLarge, Order};
#[cfg(feature = "ptx")]
pub use gpu::{GpuDomain, GpuDomainError};
pub use naive::transform_naive;
pub use root::{MAX_LOG_SIZE, RootOfUnity};
