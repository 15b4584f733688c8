//! The launches of a sum.

use super::error::Error;
use super::group::DeviceGroup;
use super::kernels::Kernels;
use super::operands::{Bases, Scalars};
use super::workspace::{Parts, Workspace};
use crate::gpu::{self, Arguments as _, LaunchConfig, Stream};

/// A part of the work, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Step {
    /// Digits, and the entries of each bucket counted.
    Count,
    /// Where buckets start, and entries sorted by bucket.
    Sort,
    /// Sums of runs of entries.
    Accumulate,
    /// Sums of buckets that several runs are parts of.
    Join,
    /// Weighted sums of buckets.
    Fold,
    /// The copy to the host.
    Download,
}

impl Step {
    /// All, in order.
    pub const ALL: [Self; 6] =
        [Self::Count, Self::Sort, Self::Accumulate, Self::Join, Self::Fold, Self::Download];
}

/// Threads of a block that does not sum points.
const THREADS: u32 = 128;

/// The most blocks of a loop over scalars, for each multiprocessor: as many as it holds.
const SCALAR_BLOCKS: u32 = 16;

/// Blocks for each multiprocessor that fill the device with additions of one thread each: fewer are
/// quicker by teams.
const BLOCKS_OF_THREADS: u32 = 4;

/// Threads of a warp.
const WARP: u32 = warpfield_device::launch::WARP;

/// One sum of at least one term.
pub(super) struct Job<'a, G: DeviceGroup> {
    pub kernels: &'a Kernels<G>,
    pub stream: &'a Stream,
    pub workspace: &'a Workspace<G>,
    pub bases: &'a Bases<G>,
    pub scalars: Scalars<'a>,
    /// Of the device.
    pub multiprocessors: u32,
}

/// At least so many threads that do not sum points.
fn grid(threads: u32) -> LaunchConfig {
    LaunchConfig::new(threads.div_ceil(THREADS), THREADS)
}

impl<G: DeviceGroup> Job<'_, G> {
    /// Queues all but the copy to the host.
    pub fn run(&self, queued: &mut dyn FnMut(Step) -> Result<(), gpu::Error>) -> Result<(), Error> {
        let parts = self.workspace.parts();
        self.count(&parts)?;
        queued(Step::Count)?;
        self.sort(&parts)?;
        queued(Step::Sort)?;
        self.accumulate(&parts)?;
        queued(Step::Accumulate)?;
        self.join(&parts)?;
        queued(Step::Join)?;
        self.fold(&parts)?;
        queued(Step::Fold)?;
        Ok(())
    }

    fn terms(&self) -> u32 {
        self.scalars.len() as u32
    }

    /// A grid for the loops over scalars.
    fn scalar_grid(&self) -> LaunchConfig {
        grid(self.terms().min(self.multiprocessors * SCALAR_BLOCKS * THREADS))
    }

    fn count(&self, parts: &Parts<G::Coordinate>) -> Result<(), Error> {
        let plan = &self.workspace.plan;
        let (scalars, form) = self.scalars.arguments()?;
        // The word before the first counter stays 0.
        self.stream.fill(&parts.starts, 0)?;
        let arguments =
            (&parts.counts, scalars, self.terms(), form, plan.split().bits, plan.windows());
        // SAFETY: a counter for each bucket.
        unsafe { self.stream.launch(&self.kernels.count, self.scalar_grid(), arguments)? };
        Ok(())
    }

    fn sort(&self, parts: &Parts<G::Coordinate>) -> Result<(), Error> {
        let (kernels, stream) = (self.kernels, self.stream);
        let plan = &self.workspace.plan;
        let (scalars, form) = self.scalars.arguments()?;
        let tiles = plan.tiles();
        let (counts, sums) = (&parts.counts, &parts.tiles);
        let a_warp_each = grid(tiles * WARP);
        // SAFETY: the counters are whole tiles, of which each has a sum.
        unsafe {
            stream.launch(&kernels.tile_sums, a_warp_each, (sums, counts, tiles))?;
            stream.launch(&kernels.tile_starts, LaunchConfig::new(1, WARP), (sums, tiles))?;
            stream.launch(&kernels.starts, a_warp_each, (counts, sums, tiles))?;
        }
        let arguments = (&parts.entries, counts, scalars, self.terms(), form);
        let more = (plan.split().bits, plan.windows(), parts.entries.len() as u32);
        let arguments = [arguments.into_list(), more.into_list()].concat();
        // SAFETY: a place for each bucket, and no entry behind the last.
        unsafe { stream.launch(&kernels.scatter, self.scalar_grid(), arguments)? };
        Ok(())
    }

    fn accumulate(&self, parts: &Parts<G::Coordinate>) -> Result<(), Error> {
        let plan = &self.workspace.plan;
        let threads = plan.threads(self.scalars.len());
        // Buckets without entries are infinity.
        self.stream.fill(&parts.sums, 0)?;
        let arguments = vec![
            (&parts.sums).into(),
            (&parts.heads).into(),
            (&parts.head_buckets).into(),
            (&parts.starts).into(),
            plan.buckets().into(),
            (&parts.entries).into(),
            (parts.entries.len() as u32).into(),
            self.bases.argument(),
            self.terms().into(),
            threads.into(),
            plan.split().least.into(),
        ];
        // SAFETY: a sum for each bucket, a head for each thread, and a base for each scalar.
        unsafe { self.stream.launch(&self.kernels.accumulate, G::grid(threads), arguments)? };
        Ok(())
    }

    fn join(&self, parts: &Parts<G::Coordinate>) -> Result<(), Error> {
        let plan = &self.workspace.plan;
        let threads = plan.threads(self.scalars.len());
        let (mut stride, mut back) = (1, 0);
        // Of one bucket in a row. All but the first may be a block's first, which is left.
        let mut most_heads = plan.most_heads(self.scalars.len());
        while most_heads > 0 {
            let arrays = (&parts.sums, &parts.heads, &parts.head_buckets);
            let arguments = [arrays.into_list(), (threads, stride, back).into_list()].concat();
            let blocks = threads.div_ceil(stride).div_ceil(G::TEAMS);
            // SAFETY: what the sums of runs have left, or the launch before.
            unsafe { self.stream.launch(&self.kernels.join, G::team_grid(blocks), arguments)? };
            most_heads = (most_heads - 1).div_ceil(G::TEAMS);
            back += stride;
            stride *= G::TEAMS;
        }
        Ok(())
    }

    fn fold(&self, parts: &Parts<G::Coordinate>) -> Result<(), Error> {
        let (kernels, stream) = (self.kernels, self.stream);
        let plan = &self.workspace.plan;
        let (buckets, bits) = (plan.buckets(), plan.split().bits);
        let many = BLOCKS_OF_THREADS * self.multiprocessors * G::THREADS;
        let mut level = 0;
        while level < bits - 1 {
            let runs = buckets >> (level + 1);
            // SAFETY: the buckets are so many runs, and there is a result for each bit of a digit of
            // each window.
            unsafe {
                if runs * (level + 1) > many && level + 2 < bits {
                    let arguments = (&parts.sums, level, runs);
                    stream.launch(&kernels.fold, G::grid(runs * (level + 1)), arguments)?;
                    level += 1;
                } else {
                    let end = run_end::<G>(level, bits - 1);
                    let arguments = (&parts.results, &parts.sums, level, end, bits);
                    stream.launch(&kernels.fold_run, G::team_grid(buckets >> end), arguments)?;
                    level = end;
                }
            }
        }
        Ok(())
    }
}

/// How far a block's teams take a run from a level on: as long as each of them has one sum at most.
fn run_end<G: DeviceGroup>(level: u32, last: u32) -> u32 {
    let fits = |end: &u32| (level + 1) << (end - 1 - level) <= G::TEAMS;
    (level + 2..=last).take_while(fits).last().unwrap_or(level + 1)
}
