//! The launches of a sum.

use warpfield_device::msm::{JOIN, TILE};

use super::error::Error;
use super::group::DeviceGroup;
use super::kernels::Kernels;
use super::operands::{Bases, Scalars};
use super::workspace::{Parts, Workspace};
use crate::gpu::{self, Arguments as _, DeviceSlice, LaunchConfig, Stream};

/// A part of the work, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Step {
    /// Digits, and the entries of each bucket counted.
    Count,
    /// Where buckets start, and how they are cut into segments.
    Cut,
    /// Entries sorted by bucket.
    Sort,
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
        Self::Cut,
        Self::Sort,
        Self::Accumulate,
        Self::Join,
        Self::Fold,
        Self::Download,
    ];
}

/// Threads of a block that does not sum points.
const THREADS: u32 = 128;

/// The most blocks of a loop over scalars, for each multiprocessor: as many as it holds.
const SCALAR_BLOCKS: u32 = 16;

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
        self.cut(&parts)?;
        queued(Step::Cut)?;
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
        self.stream.fill(&parts.rests, 0)?;
        let arguments =
            (&parts.counts, scalars, self.terms(), form, plan.split().bits, plan.windows());
        // SAFETY: a counter for each bucket.
        unsafe { self.stream.launch(&self.kernels.count, self.scalar_grid(), arguments)? };
        Ok(())
    }

    /// Makes of each counter, in whole tiles, the sum of those before it.
    fn scan(&self, counts: &DeviceSlice<u32>, sums: &DeviceSlice<u32>) -> Result<(), Error> {
        let tiles = self.workspace.plan.tiles();
        let a_warp_each = grid(tiles * WARP);
        // SAFETY: the counters are whole tiles, of which each has a sum.
        unsafe {
            self.stream.launch(&self.kernels.tile_sums, a_warp_each, (sums, counts, tiles))?;
            self.scan_few(sums, tiles)?;
            self.stream.launch(&self.kernels.starts, a_warp_each, (counts, sums, tiles))?;
        }
        Ok(())
    }

    /// Makes of each of some counters the sum of those before it.
    ///
    /// # Safety
    ///
    /// There are so many.
    unsafe fn scan_few(&self, counts: &DeviceSlice<u32>, count: u32) -> Result<(), Error> {
        let config = LaunchConfig::new(1, WARP);
        // SAFETY: the caller vouches for them.
        unsafe { self.stream.launch(&self.kernels.tile_starts, config, (counts, count))? };
        Ok(())
    }

    fn cut(&self, parts: &Parts<G::Coordinate>) -> Result<(), Error> {
        let (kernels, stream) = (self.kernels, self.stream);
        let plan = &self.workspace.plan;
        let (buckets, log) = (plan.buckets(), plan.split().log_segment);
        self.scan(&parts.counts, &parts.tiles)?;
        // SAFETY: a counter for each length of a rest; the buckets' are whole tiles.
        unsafe {
            let arguments = (&parts.firsts, &parts.rests, &parts.counts, buckets, log);
            stream.launch(&kernels.segments, grid(plan.tiles() * TILE), arguments)?;
            self.scan_few(&parts.rests, 1 << log)?;
            let arguments = (&parts.order, &parts.rests, &parts.counts, buckets, log);
            stream.launch(&kernels.order, grid(buckets), arguments)?;
        }
        self.scan(&parts.firsts, &parts.tiles)
    }

    fn sort(&self, parts: &Parts<G::Coordinate>) -> Result<(), Error> {
        let plan = &self.workspace.plan;
        let (scalars, form) = self.scalars.arguments()?;
        let arguments = (&parts.entries, &parts.counts, scalars, self.terms(), form);
        let more = (plan.split().bits, plan.windows(), parts.entries.len() as u32);
        let arguments = [arguments.into_list(), more.into_list()].concat();
        // SAFETY: a place for each bucket, and no entry behind the last.
        unsafe { self.stream.launch(&self.kernels.scatter, self.scalar_grid(), arguments)? };
        Ok(())
    }

    fn accumulate(&self, parts: &Parts<G::Coordinate>) -> Result<(), Error> {
        let plan = &self.workspace.plan;
        // Buckets without a rest are infinity so far.
        self.stream.fill(&parts.sums, 0)?;
        let sums = (&parts.sums, &parts.parts, &parts.part_buckets);
        let segments = (&parts.starts, &parts.firsts, &parts.order, &parts.rests);
        let numbers = (plan.buckets(), plan.split().log_segment);
        let entries = (&parts.entries, parts.entries.len() as u32);
        let points = (self.bases.argument(), self.terms());
        let arguments = [
            sums.into_list(),
            segments.into_list(),
            numbers.into_list(),
            entries.into_list(),
            points.into_list(),
        ]
        .concat();
        let (Some(halving), Some(halved)) = (plan.split().halving, &self.kernels.accumulate_halved)
        else {
            let config = G::grid(plan.segments(self.scalars.len()));
            // SAFETY: a thread for each segment, a sum for each full one and each bucket, and a base
            // for each scalar.
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
        let config = G::grid(plan.parts(self.scalars.len()));
        let most = plan.bucket_parts(self.scalars.len());
        let mut distance = 1;
        while most > 0 && (distance == 1 || distance < most) {
            let arrays = (&parts.sums, &parts.parts, &parts.part_buckets, &parts.firsts);
            let arguments = [arrays.into_list(), (plan.buckets(), distance).into_list()].concat();
            // SAFETY: what the sums of segments have left.
            unsafe { self.stream.launch(&self.kernels.join, config, arguments)? };
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
        let arguments = (&parts.results, &parts.sums, bits, plan.windows());
        // SAFETY: a result for each bit of a digit of each window.
        unsafe { self.stream.launch(&self.kernels.collect, grid(plan.results()), arguments)? };
        Ok(())
    }
}
