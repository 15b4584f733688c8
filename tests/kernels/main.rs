//! Every kernel of the PTX that stands for itself, on the emulator with all its checks on, against arithmetic
//! that is not ours: big integers for fields, blst for points.
//!
//! With the feature `cuda`, `WARPFIELD_TEST_DEVICE=cuda` runs them on a GPU instead (`cuda:N` for
//! the N-th), without those checks.
//!
//! `PROPTEST_CASES` sets how many batches are drawn for a cheap kernel; dear ones get a fixed part
//! of it. The seeds of batches that fail are kept beside the sources, to be committed.
#![cfg(feature = "test-kernels")]

mod batch;
#[path = "../device/mod.rs"]
mod device;
mod field;
mod fields;
mod fuzz;
mod groth16;
mod group;
mod launch;
mod limits;
mod maps;
mod pairs;
mod points;
mod rates;
mod residues;
mod words;

/// Those that are steps of one algorithm, which `tests/msm` and `tests/ntt` run together.
const TESTED_TOGETHER: &[&str] = &[
    "g1_msm_accumulate",
    "g1_msm_accumulate_halved",
    "g1_msm_fixed_base",
    "g1_msm_fold",
    "g1_msm_fold_run",
    "g1_msm_join",
    "g1_msm_table",
    "g2_msm_accumulate",
    "g2_msm_fixed_base",
    "g2_msm_fold",
    "g2_msm_fold_run",
    "g2_msm_join",
    "g2_msm_table",
    "msm_bins",
    "msm_digits",
    "msm_order",
    "msm_partition",
    "msm_segments",
    "msm_sort",
    "msm_starts",
    "msm_tile_sums",
    "ntt_bit_reverse",
    "ntt_pass_four",
    "ntt_pass_four_transposed",
    "ntt_pass_two",
    "ntt_pass_two_transposed",
    "ntt_twiddles",
];

#[test]
fn every_kernel_is_tested() {
    let mut kernels: Vec<_> = launch::MODULE.kernels().map(|k| k.name().to_owned()).collect();
    kernels.sort_unstable();
    let mut tested = [
        batch::TESTED,
        fields::TESTED,
        groth16::TESTED,
        limits::TESTED,
        maps::TESTED,
        pairs::TESTED,
        points::TESTED,
        rates::TESTED,
        residues::TESTED,
        TESTED_TOGETHER,
    ]
    .concat();
    tested.sort_unstable();
    let untested: Vec<_> = kernels.iter().filter(|k| !tested.contains(&k.as_str())).collect();
    assert_eq!(untested, [""; 0], "in no list `TESTED`");
    assert_eq!(kernels, tested, "some are gone, or twice");
}
