//! The launches of a sum.

use warpfield_device::launch::{CUT_THREADS, PARTITION_THREADS, SORT_THREADS, WARP};
use warpfield_device::msm::{
    CUT, DIGITS, count_words, cut_words, order_words, partition_words, sort_words,
};

use super::error::Error;
use super::group::DeviceGroup;
use super::kernels::Kernels;
use super::operands::{Bases, Scalars};
use super::workspace::{Parts, Workspace};
use crate::gpu::{self, Arguments as _, DeviceSlice, Info, LaunchConfig, Stream};

/// A part of the work, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Step {
    /// Digits, and those of each bin counted.
    Count,
    /// Entries sorted by bucket.
    Sort,
    /// Buckets cut into segments.
    Cut,
    /// Sums of segments.
    Accumulate,
    /// Sums of buckets of several segments.
    Join,
    /// Weighted sums of buckets.
    Fold,
    /// The copy to the host.
    Download,
}

impl Step {
    /// All, in order.
    pub const ALL: [Self; 7] = [
        Self::Count,
        Self::Sort,
        Self::Cut,
        Self::Accumulate,
        Self::Join,
        Self::Fold,
        Self::Download,
    ];
}

/// Threads of a block that scans tiles.
const THREADS: u32 = 128;

/// The most threads of a block that takes scalars, and such blocks for each multiprocessor: as many as
/// it holds.
const SCALAR_THREADS: u32 = 512;
const SCALAR_BLOCKS: u32 = 4;

/// Blocks for each multiprocessor that fill the device with additions of one thread each: fewer are
/// quicker by teams.
const BLOCKS_OF_THREADS: u32 = 4;

/// One sum of at least one term.
pub(super) struct Job<'a, G: DeviceGroup> {
    pub kernels: &'a Kernels<G>,
    pub stream: &'a Stream,
    pub workspace: &'a Workspace<G>,
    pub bases: &'a Bases<G>,
    pub scalars: Scalars<'a>,
    pub device: &'a Info,
}

/// At least so many threads that scan tiles.
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
        self.cut(&parts)?;
        queued(Step::Cut)?;
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
        // SAFETY: the counters.
        unsafe { self.sum_up(&counts, plan.bins()) }
    }

    /// Makes of each of some counters the sum of those before it, in one block.
    ///
    /// # Safety
    ///
    /// There are so many.
    unsafe fn sum_up(&self, counts: &DeviceSlice<u32>, count: u32) -> Result<(), Error> {
        let config =
            LaunchConfig::new(1, block(count, SORT_THREADS)).shared_bytes(4 * count_words(count));
        // SAFETY: the caller vouches for them.
        unsafe { self.stream.launch(&self.kernels.bins, config, (counts, count))? };
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

    fn cut(&self, parts: &Parts<G::Coordinate>) -> Result<(), Error> {
        let (kernels, stream, plan) = (self.kernels, self.stream, &self.workspace.plan);
        let (buckets, log) = (plan.buckets(), plan.split().log_segment);
        let (tiles, log_tile) = (plan.tiles(), plan.log_tile());
        let blocks = |buckets: u32, bytes| {
            let blocks = buckets.div_ceil(CUT_THREADS * CUT);
            LaunchConfig::new(blocks, CUT_THREADS).shared_bytes(bytes)
        };
        stream.fill(&parts.rests, 0)?;
        // SAFETY: a counter for each length of a rest; the buckets' are whole tiles.
        unsafe {
            let room = tiles << log_tile;
            let arguments = (&parts.firsts, &parts.rests, &parts.starts, buckets, log, room);
            let config = blocks(room, 4 * cut_words(log));
            stream.launch(&kernels.segments, config, arguments)?;
            self.sum_up(&parts.rests, 1 << log)?;
            let arguments = (&parts.order, &parts.rests, &parts.starts, buckets, log);
            stream.launch(&kernels.order, blocks(buckets, 4 * order_words(log)), arguments)?;
            let a_warp_each = grid(tiles * WARP);
            let arguments = (&parts.tiles, &parts.firsts, tiles, log_tile);
            stream.launch(&kernels.tile_sums, a_warp_each, arguments)?;
            self.sum_up(&parts.tiles, tiles)?;
            let arguments = (&parts.firsts, &parts.tiles, tiles, log_tile);
            stream.launch(&kernels.starts, a_warp_each, arguments)?;
        }
        Ok(())
    }

    fn accumulate(&self, parts: &Parts<G::Coordinate>) -> Result<(), Error> {
        let plan = &self.workspace.plan;
        // Buckets without a rest are infinity so far, and parts that there are not of no bucket.
        self.stream.fill(&parts.sums, 0)?;
        self.stream.fill(&parts.part_buckets, 0xff)?;
        let sums = (&parts.sums, &parts.parts, &parts.part_buckets);
        let segments = (&parts.starts, &parts.firsts, &parts.order, &parts.rests);
        let numbers = (plan.buckets(), plan.split().log_segment);
        let entries = (&parts.entries, self.bases.points());
        let arguments =
            [sums.into_list(), segments.into_list(), numbers.into_list(), entries.into_list()]
                .concat();
        let (Some(halving), Some(halved)) = (plan.split().halving, &self.kernels.accumulate_halved)
        else {
            let config = G::grid(plan.segments(self.scalars.len()));
            // SAFETY: a thread for each segment, a sum for each full one and each bucket, and a base
            // of each copy for each scalar.
            unsafe { self.stream.launch(&self.kernels.accumulate, config, arguments)? };
            return Ok(());
        };
        self.stream.fill(&parts.taken, 0)?;
        let memory = (&parts.taken, &parts.runs, &parts.left, &parts.before);
        let more = [memory.into_list(), (halving.group, halving.levels).into_list()];
        let arguments = [arguments, more.concat()].concat();
        let config = G::grid(plan.halving_threads(self.scalars.len()));
        // SAFETY: as above, and memory for each thread.
        unsafe { self.stream.launch(halved, config, arguments)? };
        Ok(())
    }

    fn join(&self, parts: &Parts<G::Coordinate>) -> Result<(), Error> {
        let plan = &self.workspace.plan;
        let count = plan.parts(self.scalars.len());
        let (mut stride, mut back) = (1, 0);
        // Of one bucket in a row. All but the first may be a block's first, which is left.
        let mut most = plan.bucket_parts(self.scalars.len());
        while most > 0 {
            let arrays = (&parts.sums, &parts.parts, &parts.part_buckets);
            let arguments = [arrays.into_list(), (count, stride, back).into_list()].concat();
            let blocks = count.div_ceil(stride).div_ceil(G::TEAMS);
            // SAFETY: what the sums of segments have left, or the launch before.
            unsafe { self.stream.launch(&self.kernels.join, G::team_grid(blocks), arguments)? };
            most = (most - 1).div_ceil(G::TEAMS);
            back = stride.saturating_add(back);
            stride = stride.saturating_mul(G::TEAMS);
        }
        Ok(())
    }

    fn fold(&self, parts: &Parts<G::Coordinate>) -> Result<(), Error> {
        let (kernels, stream) = (self.kernels, self.stream);
        let plan = &self.workspace.plan;
        let (buckets, bits) = (plan.buckets(), plan.split().bits);
        let many = BLOCKS_OF_THREADS * self.device.multiprocessors * G::THREADS;
        let mut level = 0;
        while level < bits - 1 {
            let runs = buckets >> (level + 1);
            // SAFETY: the buckets are so many runs, and there is a result for each bit of a digit of
            // each group.
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
