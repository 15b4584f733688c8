//! What the generated PTX must look like, kernel by kernel.
//!
//! Wrong code generation is often right code that is slow (a limb array in local memory, a
//! multiplication that is not fused), or fails only when the module is loaded. Each of these
//! checks reads the text, and is itself tested on text that it must refuse.
#![cfg(feature = "ptx")]

mod inspect;

use inspect::Module;

/// A kernel's name and how many wide multiplications (32×32 → 64 bits) it makes for one element.
type Expected = (&'static str, usize);

/// One field operation each.
///
/// A Montgomery multiplication makes 2N² (N² for the product, N² for the reduction), a squaring
/// N(N+1)/2 + N²; Fr's modulus saves two products in each of N rows of the reduction. Fr's
/// squaring is its multiplication.
const FIELD_KERNELS: &[Expected] = &[
    ("fp_add", 0),
    ("fp_mul", 2 * 12 * 12),
    ("fp_neg", 0),
    ("fp_sqr", 12 * 13 / 2 + 12 * 12),
    ("fp_sub", 0),
    ("fr_add", 0),
    ("fr_mul", 2 * 8 * 8 - 2 * 8),
    ("fr_neg", 0),
    ("fr_sqr", 2 * 8 * 8 - 2 * 8),
    ("fr_sub", 0),
];

/// The operations of which the rate is measured: a loop around one kernel of the list above.
const RATE_KERNELS: &[&str] = &[
    "fp_add_rate",
    "fp_mul_rate",
    "fp_sqr_rate",
    "fp_sub_rate",
    "fr_add_rate",
    "fr_mul_rate",
    "fr_sub_rate",
];

/// The kernels that the module must have.
fn expected() -> Vec<&'static str> {
    let mut kernels = Vec::new();
    if cfg!(feature = "test-kernels") {
        kernels.extend(FIELD_KERNELS.iter().map(|(name, _)| name));
        kernels.extend(RATE_KERNELS);
    }
    kernels.sort_unstable();
    kernels
}

fn module() -> Module<'static> {
    Module::parse(warpfield::ptx::MODULE)
}

#[test]
fn the_module_has_the_expected_kernels_and_no_other() {
    let mut found: Vec<_> = module().kernels.iter().map(|kernel| kernel.name).collect();
    found.sort_unstable();
    assert_eq!(found, expected());
}

#[test]
fn nothing_is_left_to_link() {
    assert_eq!(module().unresolved(), [""; 0]);
}

#[test]
fn no_kernel_uses_local_memory() {
    for kernel in module().kernels {
        assert_eq!(kernel.local_memory(), [""; 0], "{}", kernel.name);
    }
}

#[test]
fn field_kernels_have_no_barrier() {
    let module = module();
    for kernel in module.kernels.iter().filter(|kernel| is_field_kernel(kernel.name)) {
        assert_eq!(kernel.count("bar.sync") + kernel.count("barrier.sync"), 0, "{}", kernel.name);
    }
}

#[test]
fn field_kernels_make_no_more_multiplications_than_the_algorithm() {
    let module = module();
    for kernel in &module.kernels {
        if let Some((name, wide)) = FIELD_KERNELS.iter().find(|(name, _)| *name == kernel.name) {
            assert_eq!(kernel.wide_products(), *wide, "{name}");
        }
    }
}

fn is_field_kernel(name: &str) -> bool {
    FIELD_KERNELS.iter().any(|(field_kernel, _)| *field_kernel == name)
}
