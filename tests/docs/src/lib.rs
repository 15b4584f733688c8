//! The documentation's Rust, compiled and run as doctests. Its commands are run by `tests/commands`, and what it
//! quotes is compared with its files there.

#[cfg(all(doctest, feature = "ptx"))]
mod guides {
    #[doc = include_str!("../../../README.md")]
    struct Readme;

    #[doc = include_str!("../../../docs/proving.md")]
    struct Proving;

    #[doc = include_str!("../../../docs/fuzzing-kernels.md")]
    struct FuzzingKernels;

    #[doc = include_str!("../../../docs/using-the-kernels.md")]
    struct UsingTheKernels;

    #[doc = include_str!("../../../docs/adding-a-kernel.md")]
    struct AddingAKernel;
}
