//! The kernels and the arrays they take.

use warpfield::gpu::LaunchConfig;
use warpfield_device::field::{Fp, Fp2};
use warpfield_device::launch::{
    BATCH_SLOTS, DENOMINATOR_SLOTS, G1_THREADS, G2_THREADS, SUM_SLOTS, TEAM_SLOTS, bytes,
};

use crate::inputs::Inputs;

/// One launch: arrays, then numbers, are the arguments.
pub struct Job {
    pub config: LaunchConfig,
    pub arrays: Vec<Vec<u32>>,
    pub numbers: Vec<u32>,
}

/// A kernel's arguments, by the words of an element.
pub enum Shape {
    /// `(out, a, …, count)`.
    Elementwise(usize, &'static [usize]),
    /// `(out, values, prefixes, count)`.
    BatchInverse(usize),
    /// `(values, rounds)`, a value for each thread.
    Chain(usize),
    /// As elementwise, with a sum in shared memory.
    Shared(Group, &'static [usize]),
    /// The same, each by a team of lanes.
    Team(Group),
    /// `(sums, points, mask, rounds)`.
    Sums(Group),
    /// `(products, prefixes, a, b, count)`.
    Denominators(Group),
    /// `(out, prefixes, inverses, a, b, count)`.
    BatchSums(Group),
}

#[derive(Clone, Copy)]
pub enum Group {
    G1,
    G2,
}

impl Group {
    /// Words of a coordinate.
    fn words(self) -> usize {
        match self {
            Self::G1 => 12,
            Self::G2 => 24,
        }
    }

    /// Two blocks with so many slots a thread.
    fn config(self, slots: u32) -> LaunchConfig {
        let (threads, shared) = match self {
            Self::G1 => (G1_THREADS, bytes::<Fp>(G1_THREADS, slots)),
            Self::G2 => (G2_THREADS, bytes::<Fp2>(G2_THREADS, slots)),
        };
        LaunchConfig::new(2, threads).shared_bytes(shared)
    }
}

/// Threads of a grid.
fn threads(config: &LaunchConfig) -> usize {
    config.grid.x as usize * config.block.x as usize
}

use Group::{G1, G2};
use Shape::{BatchInverse, BatchSums, Chain, Denominators, Elementwise, Shared, Sums, Team};

/// All of them.
pub const KERNELS: &[(&str, Shape)] = &[
    ("fr_add", Elementwise(8, &[8, 8])),
    ("fr_sub", Elementwise(8, &[8, 8])),
    ("fr_neg", Elementwise(8, &[8])),
    ("fr_double", Elementwise(8, &[8])),
    ("fr_mul", Elementwise(8, &[8, 8])),
    ("fr_sqr", Elementwise(8, &[8])),
    ("fr_inv", Elementwise(8, &[8])),
    ("fr_from_canonical", Elementwise(8, &[8])),
    ("fr_to_canonical", Elementwise(8, &[8])),
    ("fr_batch_inverse", BatchInverse(8)),
    ("fp_add", Elementwise(12, &[12, 12])),
    ("fp_sub", Elementwise(12, &[12, 12])),
    ("fp_neg", Elementwise(12, &[12])),
    ("fp_double", Elementwise(12, &[12])),
    ("fp_mul", Elementwise(12, &[12, 12])),
    ("fp_sqr", Elementwise(12, &[12])),
    ("fp_inv", Elementwise(12, &[12])),
    ("fp_from_canonical", Elementwise(12, &[12])),
    ("fp_to_canonical", Elementwise(12, &[12])),
    ("fp_batch_inverse", BatchInverse(12)),
    ("fp2_add", Elementwise(24, &[24, 24])),
    ("fp2_sub", Elementwise(24, &[24, 24])),
    ("fp2_neg", Elementwise(24, &[24])),
    ("fp2_double", Elementwise(24, &[24])),
    ("fp2_mul", Elementwise(24, &[24, 24])),
    ("fp2_sqr", Elementwise(24, &[24])),
    ("fp2_inv", Elementwise(24, &[24])),
    ("fp2_batch_inverse", BatchInverse(24)),
    ("g1_neg", Elementwise(48, &[48])),
    ("g1_neg_affine", Elementwise(24, &[24])),
    ("g1_from_affine", Elementwise(48, &[24])),
    ("g1_to_affine", Elementwise(24, &[48])),
    ("g1_double", Elementwise(48, &[48])),
    ("g1_add_affine", Elementwise(48, &[48, 24])),
    ("g1_add", Elementwise(48, &[48, 48])),
    ("g1_add_affine_shared", Shared(G1, &[48, 24])),
    ("g1_add_shared", Shared(G1, &[48, 48])),
    ("g1_add_team", Team(G1)),
    ("g1_batch_denominators", Denominators(G1)),
    ("g1_batch_sums", BatchSums(G1)),
    ("g2_neg", Elementwise(96, &[96])),
    ("g2_neg_affine", Elementwise(48, &[48])),
    ("g2_from_affine", Elementwise(96, &[48])),
    ("g2_to_affine", Elementwise(48, &[96])),
    ("g2_double", Elementwise(96, &[96])),
    ("g2_add_affine", Elementwise(96, &[96, 48])),
    ("g2_add", Elementwise(96, &[96, 96])),
    ("g2_add_affine_shared", Shared(G2, &[96, 48])),
    ("g2_add_shared", Shared(G2, &[96, 96])),
    ("g2_add_team", Team(G2)),
    ("g2_batch_denominators", Denominators(G2)),
    ("g2_batch_sums", BatchSums(G2)),
    ("mad_rate", Chain(12)),
    ("add_rate", Chain(12)),
    ("fr_add_rate", Chain(8)),
    ("fr_sub_rate", Chain(8)),
    ("fr_mul_rate", Chain(8)),
    ("fp_add_rate", Chain(12)),
    ("fp_sub_rate", Chain(12)),
    ("fp_mul_rate", Chain(12)),
    ("fp_sqr_rate", Chain(12)),
    ("fp2_mul_rate", Chain(24)),
    ("g1_add_affine_rate", Sums(G1)),
    ("g2_add_affine_rate", Sums(G2)),
];

impl Shape {
    /// A launch of about so many elements.
    pub fn job(&self, inputs: &mut Inputs, elements: usize) -> Job {
        // Fewer threads than elements, so that some do more than one.
        let some = LaunchConfig::new(3, 128);
        let mut values = |count: usize, words: usize| inputs.values(count, words);
        let count = elements as u32;
        match *self {
            Self::Elementwise(out, ins) => {
                let mut arrays = vec![vec![0; out * elements]];
                arrays.extend(ins.iter().map(|words| values(elements, *words)));
                Job { config: some, arrays, numbers: vec![count] }
            }
            Self::BatchInverse(words) => {
                let empty = vec![0; words * elements];
                let arrays = vec![empty.clone(), values(elements, words), empty];
                Job { config: some, arrays, numbers: vec![count] }
            }
            Self::Chain(words) => {
                let arrays = vec![values(threads(&some), words)];
                Job { config: some, arrays, numbers: vec![5] }
            }
            Self::Shared(group, ins) => {
                let mut arrays = vec![vec![0; 4 * group.words() * elements]];
                arrays.extend(ins.iter().map(|words| values(elements, *words)));
                Job { config: group.config(SUM_SLOTS), arrays, numbers: vec![count] }
            }
            Self::Team(group) => {
                let words = 4 * group.words();
                let arrays = vec![
                    vec![0; words * elements],
                    values(elements, words),
                    values(elements, words),
                ];
                Job { config: group.config(TEAM_SLOTS), arrays, numbers: vec![count] }
            }
            Self::Sums(group) => {
                let config = group.config(SUM_SLOTS);
                let sums = values(threads(&config), 4 * group.words());
                let arrays = vec![sums, values(16, 2 * group.words())];
                Job { config, arrays, numbers: vec![15, 5] }
            }
            Self::Denominators(group) => {
                let (config, words) = (group.config(DENOMINATOR_SLOTS), group.words());
                let products = vec![0; words * threads(&config)];
                let points = [(); 2].map(|()| values(elements, 2 * words));
                let arrays = [vec![products, vec![0; words * elements]], points.into()].concat();
                Job { config, arrays, numbers: vec![count] }
            }
            Self::BatchSums(group) => {
                let (config, words) = (group.config(BATCH_SLOTS), group.words());
                let prefixes = values(elements, words);
                let inverses = values(threads(&config), words);
                let points = [(); 2].map(|()| values(elements, 2 * words));
                let out = vec![0; 2 * words * elements];
                let arrays = [vec![out, prefixes, inverses], points.into()].concat();
                Job { config, arrays, numbers: vec![count] }
            }
        }
    }
}
