//! The launches of a sum.

use warpfield_device::launch::{PARTITION_THREADS, SORT_THREADS, WARP};
use warpfield_device::msm::{DIGITS, JOIN, count_words, partition_words, sort_words};

use super::error::Error;
use super::group::DeviceGroup;
use super::kernels::Kernels;
use super::operands::{Bases, Scalars};
use super::workspace::{Parts, Workspace};
use crate::gpu::{self, Arguments as _, Info, LaunchConfig, Stream};

/// A part of the work, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Step {
    /// Digits, and those of each bin counted.
    Count,
    /// Entries sorted by bucket.
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

/// Threads of a block that moves points.
const THREADS: u32 = 128;

/// The most threads of a block that takes scalars, and such blocks for each multiprocessor: as many as
/// it holds.
const SCALAR_THREADS: u32 = 512;
const SCALAR_BLOCKS: u32 = 4;

/// One sum of at least one term.
pub(super) struct Job<'a, G: DeviceGroup> {
    pub kernels: &'a Kernels<G>,
    pub stream: &'a Stream,
    pub workspace: &'a Workspace<G>,
    pub bases: &'a Bases<G>,
    pub scalars: Scalars<'a>,
    pub device: &'a Info,
}

/// At least so many threads that move points.
fn grid(threads: u32) -> LaunchConfig {
    LaunchConfig::new(threads.div_ceil(THREADS), THREADS)
}

/// Threads of a block, whole warps of them.
fn block(wanted: u32, most: u32) -> u32 {
    wanted.next_multiple_of(WARP).clamp(WARP, most)
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

    fn count(&self, parts: &Parts<G::Coordinate>) -> Result<(), Error> {
        let (kernels, plan, terms) = (self.kernels, &self.workspace.plan, self.terms());
        let (scalars, form) = self.scalars.arguments()?;
        let bytes = 4 * count_words(plan.bins());
        // What is before the first bin's count stays 0.
        self.stream.fill(&parts.ends, 0)?;
        let counts = parts.ends.slice(1..);
        let threads = block(terms, SCALAR_THREADS);
        let blocks = terms.div_ceil(threads).min(self.device.multiprocessors * SCALAR_BLOCKS);
        let config = LaunchConfig::new(blocks, threads).shared_bytes(bytes);
        let arguments = (&parts.entries, &counts, scalars, terms, form, plan.windows());
        let arguments = [arguments.into_list(), self.bins()].concat();
        // SAFETY: a digit of each window for each term, and a counter for each bin.
        unsafe { self.stream.launch(&kernels.digits, config, arguments)? };
        let config = LaunchConfig::new(1, block(plan.bins(), SORT_THREADS)).shared_bytes(bytes);
        // SAFETY: the counters.
        unsafe { self.stream.launch(&kernels.bins, config, (&counts, plan.bins()))? };
        Ok(())
    }

    /// The arguments that say how buckets are binned.
    fn bins(&self) -> Vec<gpu::Argument> {
        let plan = &self.workspace.plan;
        (plan.groups(), plan.split().bits, plan.low()).into_list()
    }

    fn sort(&self, parts: &Parts<G::Coordinate>) -> Result<(), Error> {
        let (kernels, plan, terms) = (self.kernels, &self.workspace.plan, self.terms());
        let (values, buckets) = (&parts.binned, &parts.binned_buckets);
        let mut threads = block(terms.div_ceil(DIGITS), PARTITION_THREADS);
        let bytes = |threads| 4 * partition_words(threads, plan.group_bins());
        while bytes(threads) > self.device.shared_bytes && threads > WARP {
            threads = (threads / 2).next_multiple_of(WARP);
        }
        let grid = (terms.div_ceil(DIGITS * threads), plan.windows());
        let config = LaunchConfig::new(grid, threads).shared_bytes(bytes(threads));
        let arguments =
            (values, buckets, &parts.ends.slice(1..), &parts.entries, terms, self.bases.stride());
        let arguments = [arguments.into_list(), self.bins()].concat();
        // SAFETY: the digits are no more than there is room for.
        unsafe { self.stream.launch(&kernels.partition, config, arguments)? };
        // A bin may have many more entries than most.
        let threads = block(plan.split().bin / 2, SORT_THREADS);
        let in_bin = 1 << plan.low();
        let room = plan.room().min((self.device.shared_bytes / 4).saturating_sub(in_bin));
        let config =
            LaunchConfig::new(plan.bins(), threads).shared_bytes(4 * sort_words(in_bin, room));
        let arguments = (&parts.entries, &parts.starts, values, buckets, &parts.ends);
        let more = (plan.bins(), plan.low(), room);
        let arguments = [arguments.into_list(), more.into_list()].concat();
        // SAFETY: a start for each bucket and the end; the digits are not needed any more.
        unsafe { self.stream.launch(&kernels.sort, config, arguments)? };
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
            self.bases.points().into(),
            (self.bases.points().len() as u32).into(),
            threads.into(),
            plan.split().least.into(),
        ];
        // SAFETY: a sum for each bucket, a head for each thread, and a base of each copy for each scalar.
        unsafe { self.stream.launch(&self.kernels.accumulate, G::grid(threads), arguments)? };
        Ok(())
    }

    fn join(&self, parts: &Parts<G::Coordinate>) -> Result<(), Error> {
        let plan = &self.workspace.plan;
        let threads = plan.threads(self.scalars.len());
        let most_heads = plan.most_heads(self.scalars.len());
        let mut distance = 1;
        while distance == 1 || distance < most_heads {
            let arrays = (&parts.sums, &parts.heads, &parts.head_buckets, &parts.starts);
            let numbers = (plan.buckets(), threads, plan.split().least, distance);
            let arguments = [arrays.into_list(), numbers.into_list()].concat();
            // SAFETY: what the sums of runs have left.
            unsafe { self.stream.launch(&self.kernels.join, G::grid(threads), arguments)? };
            distance *= JOIN;
        }
        Ok(())
    }

    fn fold(&self, parts: &Parts<G::Coordinate>) -> Result<(), Error> {
        let plan = &self.workspace.plan;
        let bits = plan.split().bits;
        for level in 0..bits - 1 {
            let runs = plan.buckets() >> (level + 1);
            let config = G::grid(runs * (level + 1));
            // SAFETY: the buckets are so many runs.
            unsafe {
                self.stream.launch(&self.kernels.fold, config, (&parts.sums, level, runs))?;
            }
        }
        let arguments = (&parts.results, &parts.sums, bits, plan.groups());
        // SAFETY: a result for each bit of a digit of each group.
        unsafe { self.stream.launch(&self.kernels.collect, grid(plan.results()), arguments)? };
        Ok(())
    }
}
