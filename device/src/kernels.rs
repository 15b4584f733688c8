//! The kernels: everything that the host launches.

#[cfg(feature = "test-kernels")]
mod batch;
#[cfg(feature = "test-kernels")]
mod elementwise;
mod ntt;
#[cfg(feature = "test-kernels")]
mod rates;
#[cfg(feature = "test-kernels")]
mod sums;
