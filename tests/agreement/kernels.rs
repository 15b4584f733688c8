//! Launches of kernels, by what the module says that they take.

use warpfield::gpu::LaunchConfig;
use warpfield::ptx::{Block, ENTRIES, Entry, Grid};

use crate::inputs::Inputs;

/// One launch.
pub struct Job {
    pub config: LaunchConfig,
    pub arguments: Vec<Argument>,
}

/// An argument of a launch.
pub enum Argument {
    Array(Vec<u32>),
    Number(u32),
}

/// The kernels that stand for themselves.
pub fn alone() -> impl Iterator<Item = &'static Entry> {
    let together = |name: &str| ["groth16_", "msm_", "ntt_"].iter().any(|part| name.contains(part));
    ENTRIES.iter().filter(move |entry| !together(entry.name))
}

impl Job {
    /// One of about so many elements.
    pub fn new(entry: &Entry, inputs: &mut Inputs, elements: usize) -> Self {
        // Fewer threads than elements, so that some do more than one.
        let blocks = 2;
        let threads = match entry.launch.block {
            Block::AtMost(threads) | Block::Exactly(threads) => threads,
            _ => 128,
        };
        let all_threads = (blocks * threads) as usize;
        let arguments = entry.parameters.iter().map(|parameter| {
            let Some(element) = parameter.elements else {
                return Argument::Number(match parameter.name {
                    "count" => elements as u32,
                    "mask" => POINTS as u32 - 1,
                    "rounds" => 5,
                    other => panic!("{} takes a number {other}", entry.name),
                });
            };
            let length = match (entry.launch.grid, parameter.name) {
                (Grid::Exact, "points") => POINTS,
                (Grid::Exact, _) | (_, "inverses" | "products") => all_threads,
                _ => elements,
            };
            Argument::Array(inputs.values(length, element.bytes as usize / 4))
        });
        Self { arguments: arguments.collect(), config: entry.config(blocks, threads) }
    }

    /// The words of all arrays.
    pub fn words(&self) -> Vec<u32> {
        let array = |argument: &Argument| match argument {
            Argument::Array(words) => words.clone(),
            Argument::Number(_) => vec![],
        };
        self.arguments.iter().flat_map(array).collect()
    }
}

/// Points that go around.
const POINTS: usize = 16;
