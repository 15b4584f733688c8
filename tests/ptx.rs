//! What the generated PTX must look like, kernel by kernel.
//!
//! Wrong code generation is often right code that is slow (a limb array in local memory, a
//! multiplication that is not fused), or fails only when the module is loaded. Each of these
//! checks reads the text, and is itself tested on text that it must refuse.
#![cfg(feature = "ptx")]

mod entries;
mod inspect;

use inspect::Module;

/// A kernel's name and how many wide multiplications (32×32 → 64 bits) it makes for one element.
type Expected = (&'static str, usize);

/// One field operation each.
///
/// A Montgomery multiplication makes 2N² (N² for the product, N² for the reduction), a squaring
/// N(N+1)/2 + N². Fp's product is by Karatsuba, 3N²/4. Fr's modulus saves two products in each of N
/// rows of the reduction, and Fr's squaring is its multiplication. Those of Fp2 call a function.
const FIELD_KERNELS: &[Expected] = &[
    ("fp2_add", 0),
    ("fp2_double", 0),
    ("fp2_mul", 0),
    ("fp2_neg", 0),
    ("fp2_sqr", 0),
    ("fp2_sub", 0),
    ("fp_add", 0),
    ("fp_double", 0),
    ("fp_from_canonical", FP_MUL),
    ("fp_inv", 0),
    ("fp_mul", FP_MUL),
    ("fp_neg", 0),
    ("fp_sqr", FP_SQR),
    ("fp_sub", 0),
    ("fp_to_canonical", FP_REDUCE),
    ("fr_add", 0),
    ("fr_double", 0),
    ("fr_from_canonical", FR_MUL),
    ("fr_inv", 0),
    ("fr_mul", FR_MUL),
    ("fr_neg", 0),
    ("fr_sqr", FR_MUL),
    ("fr_sub", 0),
    ("fr_to_canonical", FR_REDUCE),
    ("residue_minus", 0),
    ("residue_plus", 0),
    ("residue_times", TWIDDLE_MUL + FR_REDUCE),
];

const FP_WIDE: usize = 3 * 12 * 12 / 4;
const FP_REDUCE: usize = 12 * 12;
const FP_MUL: usize = FP_WIDE + FP_REDUCE;
const FP_SQR: usize = 12 * 13 / 2 + FP_REDUCE;
const FR_REDUCE: usize = 8 * 8 - 2 * 8;
const FR_MUL: usize = 8 * 8 + FR_REDUCE;

/// Loops and branches around field operations: what the text holds, not what a thread executes.
///
/// A sum of points is 6M + 2S and M·M − M·M with one reduction (10M in place of 6M without affine
/// operand); for equal points, 1S makes the tangent of which it goes on. A double is 4M + 3S and
/// M·M − M·M. A batch inverse is three products in two loops, and a call; an inverse in Fp2 is
/// 2M + 2S and a call. G2 calls the functions of Fp2.
///
/// Where the values are in shared memory all products are calls, but for those of the tangent: 3M in
/// a sum, 1M in an addition with one inversion for all.
const COMPOUND_KERNELS: &[Expected] = &[
    ("fp2_batch_inverse", 2 * FP_MUL + 2 * FP_SQR),
    ("fp2_inv", 2 * FP_MUL + 2 * FP_SQR),
    ("fp_batch_inverse", 3 * FP_MUL),
    ("fr_batch_inverse", 3 * FR_MUL),
    ("g1_add", 10 * FP_MUL + 3 * FP_SQR + FP_MUL_SUB),
    ("g1_add_affine", 6 * FP_MUL + 3 * FP_SQR + FP_MUL_SUB),
    ("g1_add_affine_shared", 3 * FP_MUL_INLINE),
    ("g1_add_shared", 3 * FP_MUL_INLINE),
    ("g1_add_team", 0),
    ("g1_batch_denominators", 0),
    ("g1_batch_sums", FP_MUL_INLINE),
    ("g1_double", 4 * FP_MUL + 3 * FP_SQR + FP_MUL_SUB),
    ("g1_from_affine", 0),
    ("g1_neg", 0),
    ("g1_neg_affine", 0),
    ("g1_to_affine", 3 * FP_MUL + FP_SQR),
    ("g2_add", 0),
    ("g2_add_affine", 0),
    ("g2_add_affine_shared", 3 * FP2_MUL),
    ("g2_add_shared", 3 * FP2_MUL),
    ("g2_add_team", 0),
    ("g2_batch_denominators", 0),
    ("g2_batch_sums", FP2_MUL),
    ("g2_double", 0),
    ("g2_from_affine", 0),
    ("g2_neg", 0),
    ("g2_neg_affine", 0),
    ("g2_to_affine", 2 * FP_MUL + 2 * FP_SQR),
];

/// Sums of multiples, which every module has: products are calls as above, and a scalar leaves
/// Montgomery form by a reduction. Tables and multiples of one point take an inverse, which in Fp2 is 2M + 2S
/// and a call.
const MSM_KERNELS: &[Expected] = &[
    ("g1_msm_accumulate", 3 * FP_MUL_INLINE),
    ("g1_msm_accumulate_halved", 4 * FP_MUL_INLINE),
    ("g1_msm_fixed_base", 3 * FP_MUL_INLINE + FR_REDUCE),
    ("g1_msm_fold", 3 * FP_MUL_INLINE),
    ("g1_msm_fold_run", 0),
    ("g1_msm_join", 0),
    ("g1_msm_table", 0),
    ("g2_msm_accumulate", 3 * FP2_MUL),
    ("g2_msm_fixed_base", 3 * FP2_MUL + 2 * FP_MUL + 2 * FP_SQR + FR_REDUCE),
    ("g2_msm_fold", 3 * FP2_MUL),
    ("g2_msm_fold_run", 0),
    ("g2_msm_join", 0),
    ("g2_msm_table", 2 * FP_MUL + 2 * FP_SQR),
    ("msm_bins", 0),
    ("msm_digits", FR_REDUCE),
    ("msm_order", 0),
    ("msm_partition", 0),
    ("msm_segments", 0),
    ("msm_sort", 0),
    ("msm_starts", 0),
    ("msm_tile_sums", 0),
];

/// Partitions, which every module has: a product for an entry, and one where rows are multiplied by.
const GROTH16_KERNELS: &[Expected] = &[
    ("groth16_cut_rows", FR_MUL),
    ("groth16_gather", 0),
    ("groth16_multiply", FR_MUL),
    ("groth16_multiply_subtract", FR_MUL),
    ("groth16_rows", 2 * FR_MUL),
    ("groth16_subtract", 0),
];

/// The difference of two products, with one reduction.
const FP_MUL_SUB: usize = 2 * FP_WIDE + FP_REDUCE;

/// Where a product is inlined beside calls it is not by Karatsuba.
const FP_MUL_INLINE: usize = 12 * 12 + FP_REDUCE;

/// Three products, none of them by Karatsuba again, and two reductions.
const FP2_MUL: usize = 3 * 12 * 12 + 2 * FP_REDUCE;

/// The functions that kernels call, by what their mangled names contain.
///
/// A square in Fp2 is two multiplications. A batch of an inverse's steps multiplies the N + 1 digits of
/// four numbers by two entries of a matrix each, and twice those of the modulus.
const FUNCTIONS: &[Expected] = &[
    ("7inverse6invertNtNtB4_2fp8FpConfig", 10 * 13),
    ("5slots8multiplyINtNtNtB4_5field5prime5Prime", FP_MUL),
    ("5slots8multiplyINtNtNtB4_5field3fp29Quadratic", FP2_MUL),
    ("5slots6squareINtNtNtB4_5field5prime5Prime", FP_SQR),
    ("5slots6squareINtNtNtB4_5field3fp29Quadratic", 2 * FP_MUL_INLINE),
    ("5slots8subtractINtNtNtB4_5field5prime5Prime", 0),
    ("5slots8subtractINtNtNtB4_5field3fp29Quadratic", 0),
];

/// Those of kernels for tests.
///
/// a·b − c·d in Fp2 is six products and two reductions.
const TEST_FUNCTIONS: &[Expected] = &[
    ("3fp27product", FP2_MUL),
    ("3fp26square", 2 * FP_MUL_INLINE),
    ("3fp211product_sub", 6 * 12 * 12 + 2 * FP_REDUCE),
    ("7inverse6invertNtNtB4_2fr8FrConfig", 10 * 9),
];

/// Transforms, which every module has: the butterflies on a thread's two or four elements, and for each
/// element that leaves the transform a division by a power of two, which is one row of a reduction. (In the
/// network that is not transposed they leave in a loop.)
const NTT_KERNELS: &[Expected] = &[
    ("ntt_bit_reverse", 0),
    ("ntt_pass_four", 4 * TWIDDLE_MUL + FR_REDUCE / 8),
    ("ntt_pass_four_transposed", 4 * TWIDDLE_MUL + 4 * FR_REDUCE / 8),
    ("ntt_pass_two", TWIDDLE_MUL + FR_REDUCE / 8),
    ("ntt_pass_two_transposed", TWIDDLE_MUL + 2 * FR_REDUCE / 8),
    ("ntt_twiddles", FR_MUL + FR_REDUCE),
];

/// A product by a twiddle: of the first multiplication what is from word 6 up, of the others what is below
/// word 8, and of that at word 7 the low half.
const TWIDDLE_MUL: usize = (8 * 9 / 2 + 7) + 7 * 8 / 2 + 5 * 6 / 2;

/// What the names of those contain that use shared memory.
const SHARED: &[&str] = &[
    "5slots",
    "_add_affine_rate",
    "_add_affine_shared",
    "_add_shared",
    "_add_team",
    "_batch_denominators",
    "_batch_sums",
    "_msm_accumulate",
    "_msm_fixed_base",
    "_msm_fold",
    "_msm_join",
    "_msm_table",
    "msm_bins",
    "msm_digits",
    "msm_order",
    "msm_partition",
    "msm_segments",
    "msm_sort",
    "ntt_pass",
];

/// What the names of those contain that have barriers: of the block, and of the warp.
///
/// A pass of a transform has one between windows, and one before the result is read from the tile, where it
/// is. A sum by a team of lanes has one before each product, and one after the last. Sorting has two in a
/// sum of counters, and one wherever they change hands.
const BARRIERS: &[(&str, usize, usize)] = &[
    ("_add_team", 0, TEAM_BARRIERS),
    ("_msm_fold_run", 1, TEAM_BARRIERS),
    ("_msm_join", 1, TEAM_BARRIERS),
    ("msm_bins", 3, 0),
    ("msm_digits", 2, 0),
    ("msm_order", 3, 0),
    ("msm_partition", 6, 0),
    ("msm_segments", 2, 0),
    ("msm_sort", 6, 0),
    ("ntt_pass_four_transposed", 1, 0),
    ("ntt_pass_two_transposed", 1, 0),
    ("ntt_pass", 2, 0),
];

const TEAM_BARRIERS: usize = 5;

/// The operations of which the rate is measured: a loop around one kernel of the list above.
const RATE_KERNELS: &[&str] = &[
    "add_rate",
    "fp2_mul_rate",
    "fp_add_rate",
    "fp_mul_rate",
    "fp_sqr_rate",
    "fp_sub_rate",
    "fr_add_rate",
    "fr_mul_rate",
    "fr_sub_rate",
    "g1_add_affine_rate",
    "g2_add_affine_rate",
    "mad_rate",
];

/// The kernels that the module must have.
fn expected() -> Vec<&'static str> {
    let mut kernels: Vec<_> = [GROTH16_KERNELS, MSM_KERNELS, NTT_KERNELS]
        .concat()
        .iter()
        .map(|(name, _)| *name)
        .collect();
    if cfg!(feature = "test-kernels") {
        kernels.extend(FIELD_KERNELS.iter().chain(COMPOUND_KERNELS).map(|(name, _)| name));
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
    let unknown: Vec<_> = found.iter().filter(|name| !expected().contains(name)).collect();
    assert_eq!(unknown, [&""; 0], "not in the lists of this file");
    assert_eq!(found, expected());
}

#[test]
fn nothing_is_left_to_link() {
    assert_eq!(module().unresolved(), [""; 0]);
}

#[test]
fn nothing_uses_local_memory() {
    for body in module().bodies() {
        assert_eq!(body.local_memory(), [""; 0], "{}", body.name);
    }
}

#[test]
fn only_slots_and_tiles_use_shared_memory() {
    for body in module().bodies() {
        let meant = SHARED.iter().any(|part| body.name.contains(part));
        assert_eq!(body.shared_memory() > 0, meant, "{}", body.name);
    }
}

#[test]
fn barriers_are_where_they_are_meant_and_not_copied() {
    for body in module().bodies() {
        let barriers = BARRIERS.iter().find(|(part, _, _)| body.name.contains(part));
        let (block, warp) = barriers.map_or((0, 0), |(_, block, warp)| (*block, *warp));
        let found = body.count("bar.sync") + body.count("barrier.sync");
        assert_eq!(found, block, "{}", body.name);
        assert_eq!(body.count("bar.warp.sync"), warp, "{}", body.name);
    }
}

#[test]
fn arithmetic_makes_no_more_multiplications_than_the_algorithm() {
    for body in module().bodies() {
        if let Some(expected) = multiplications(body.name) {
            assert_eq!(body.wide_products(), expected, "{}", body.name);
        }
    }
}

#[test]
fn functions_are_the_expected_ones() {
    let tests = if cfg!(feature = "test-kernels") { TEST_FUNCTIONS } else { &[] };
    let module = module();
    assert_eq!(module.functions.len(), FUNCTIONS.len() + tests.len());
    for (part, _) in FUNCTIONS.iter().chain(tests) {
        assert!(module.functions.iter().any(|function| function.name.contains(part)), "{part}");
    }
}

fn multiplications(name: &str) -> Option<usize> {
    let lists = [FIELD_KERNELS, COMPOUND_KERNELS, GROTH16_KERNELS, MSM_KERNELS, NTT_KERNELS];
    let mut kernels = lists.into_iter().flatten();
    let kernel = kernels.find(|(kernel, _)| *kernel == name);
    let function = || FUNCTIONS.iter().chain(TEST_FUNCTIONS).find(|(part, _)| name.contains(part));
    kernel.or_else(function).map(|(_, wide)| *wide)
}
