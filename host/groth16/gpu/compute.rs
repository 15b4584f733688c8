//! The work of a partition, queued on one stream.

use warpfield_device::field::Fr;
use warpfield_device::groth16::{MULTIPLY, WRITE};
use warpfield_device::launch::WARP;

use super::key::DeviceMatrix;
use super::memory::Workspaces;
use super::{DeviceKey, Error, Scratch, Sizes, Slot};
use crate::curve::{G1, G2};
use crate::gpu::{DeviceSlice, Kernel, LaunchConfig, Stream};
use crate::groth16::Sums;
use crate::msm::gpu::{Running, Scalars};
use crate::ntt::{Direction, Order};

/// A kind of work of a partition. Some come more than once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Stage {
    /// Products of the matrices with the witness.
    Rows,
    /// Transforms of a vector to its values on the odd coset.
    Ntt,
    /// Products or differences of two vectors.
    Quotient,
    /// The scalars of the points that count.
    Gather,
    /// The sum of H, and its copy to the host. So of the others.
    MsmH,
    /// The sum of A.
    MsmA,
    /// The sum of B in G1.
    MsmB1,
    /// The sum of B in G2.
    MsmB2,
    /// The sum of C.
    MsmC,
}

/// Called when a stage's work is queued.
type Queued<'a> = &'a mut dyn FnMut(Stage) -> Result<(), Error>;

impl DeviceKey {
    /// Queues a partition whose witness is in the slot, or will be when the stream comes here. Allocates
    /// nothing on the device, and waits for nothing.
    ///
    /// `queued` is called when the work of a stage is queued, in order: all that was queued since the call
    /// before belongs to it. It may record events.
    ///
    /// # Errors
    ///
    /// [`Error::OtherKey`] if slot or scratch memory are for another key, those of
    /// [`Stream::launch`], and those of `queued`. The scratch memory is given up then.
    pub fn compute(
        &self,
        stream: &Stream,
        slot: &Slot,
        scratch: Scratch,
        queued: Queued<'_>,
    ) -> Result<RunningSums, Error> {
        if scratch.sizes != self.sizes {
            return Err(Error::OtherKey);
        }
        let witness = slot.witness(&self.sizes)?;
        let Scratch { sizes, vectors, work, workspaces } = scratch;
        let job = Job { key: self, stream, witness, vectors: &vectors, work: &work };
        let Workspaces { a, b1, b2, c, h } = workspaces;
        let (g1, g2) = (&self.kernels.g1, &self.kernels.g2);

        let scalars = job.quotient(queued)?;
        let h = g1.run(stream, h, &self.h, Scalars::Montgomery(&scalars))?;
        queued(Stage::MsmH)?;
        let scalars = job.gather(&self.wires_a, queued)?;
        let a = g1.run(stream, a, &self.a, Scalars::Integers(&scalars))?;
        queued(Stage::MsmA)?;
        let scalars = job.gather(&self.wires_b, queued)?;
        let b1 = g1.run(stream, b1, &self.b1, Scalars::Integers(&scalars))?;
        queued(Stage::MsmB1)?;
        let b2 = g2.run(stream, b2, &self.b2, Scalars::Integers(&scalars))?;
        queued(Stage::MsmB2)?;
        // The last: what it leaves to the host takes less time than that in G2.
        let scalars = job.gather(&self.wires_c, queued)?;
        let c = g1.run(stream, c, &self.c, Scalars::Integers(&scalars))?;
        queued(Stage::MsmC)?;
        Ok(RunningSums { sizes, vectors, work, a, b1, b2, c, h })
    }
}

/// The sums of a partition that a stream is going to have made. Dropping it gives them and the scratch memory
/// up without waiting.
#[derive(Debug)]
#[must_use = "the sums are given up"]
pub struct RunningSums {
    sizes: Sizes,
    vectors: DeviceSlice<Fr>,
    work: DeviceSlice<u8>,
    a: Running<G1>,
    b1: Running<G1>,
    b2: Running<G2>,
    c: Running<G1>,
    h: Running<G1>,
}

impl RunningSums {
    /// Whether the device is done.
    ///
    /// # Errors
    ///
    /// As [`Stream::synchronize`].
    pub fn is_done(&self) -> Result<bool, Error> {
        // It makes them in this order.
        for is_done in [self.h.is_done(), self.a.is_done(), self.b1.is_done(), self.b2.is_done()] {
            if !is_done? {
                return Ok(false);
            }
        }
        Ok(self.c.is_done()?)
    }

    /// Waits for the device and gives the sums, and the scratch memory back. The host does its part of each
    /// sum while the device makes the next.
    ///
    /// # Errors
    ///
    /// As [`Stream::synchronize`]; the scratch memory is given up then.
    pub fn wait(self) -> Result<(Sums, Scratch), Error> {
        let (h, of_h) = self.h.wait()?;
        let (a, of_a) = self.a.wait()?;
        let (b1, of_b1) = self.b1.wait()?;
        let (b2, of_b2) = self.b2.wait()?;
        let (c, of_c) = self.c.wait()?;
        let workspaces = Workspaces { a: of_a, b1: of_b1, b2: of_b2, c: of_c, h: of_h };
        let Self { sizes, vectors, work, .. } = self;
        Ok((Sums { a, b1, b2, c, h }, Scratch { sizes, vectors, work, workspaces }))
    }
}

/// Threads of a block.
const THREADS: u32 = 256;

/// So many threads at least.
fn grid(threads: usize) -> LaunchConfig {
    LaunchConfig::new(threads.div_ceil(THREADS as usize) as u32, THREADS)
}

/// A partition that is being queued.
struct Job<'a> {
    key: &'a DeviceKey,
    stream: &'a Stream,
    witness: &'a DeviceSlice<[u32; 8]>,
    vectors: &'a DeviceSlice<Fr>,
    work: &'a DeviceSlice<u8>,
}

impl Job<'_> {
    /// The scalars of H, in bit-reversed order.
    fn quotient(&self, queued: Queued<'_>) -> Result<DeviceSlice<Fr>, Error> {
        let rows = self.key.sizes.rows();
        let (u, v) = (self.vectors.slice(..rows), self.vectors.slice(rows..2 * rows));
        let [a, b] = &self.key.matrices;
        let kernels = &self.key.kernels;
        self.rows(&u, a, WRITE)?;
        self.rows(&v, b, WRITE)?;
        queued(Stage::Rows)?;
        self.to_odd_coset(&u)?;
        self.to_odd_coset(&v)?;
        queued(Stage::Ntt)?;
        self.pointwise(&kernels.multiply, &u, &v)?;
        queued(Stage::Quotient)?;
        self.rows(&v, a, WRITE)?;
        self.rows(&v, b, MULTIPLY)?;
        queued(Stage::Rows)?;
        self.to_odd_coset(&v)?;
        queued(Stage::Ntt)?;
        self.pointwise(&kernels.subtract, &u, &v)?;
        queued(Stage::Quotient)?;
        Ok(u)
    }

    /// Products of a matrix with the witness: written, or multiplied to what is there.
    fn rows(&self, out: &DeviceSlice<Fr>, matrix: &DeviceMatrix, mode: u32) -> Result<(), Error> {
        let DeviceMatrix { sizes, starts, entries, cut_rows, firsts } = matrix;
        let (kernels, log_rows) = (&self.key.kernels, self.key.sizes.log_domain);
        let parts = sizes.pieces() - self.key.sizes.rows();
        let parts =
            self.work.slice(..parts * size_of::<Fr>()).cast::<Fr>().expect("whole elements");
        let (pieces, cut) = (sizes.pieces() as u32, sizes.cut_rows as u32);
        let arguments =
            (out, &parts, starts, entries, &self.key.values, self.witness, pieces, log_rows, mode);
        // SAFETY: a matrix as the kernel wants it, of wires and values that there are, and room for a
        // part for each piece behind the rows.
        unsafe { self.stream.launch(&kernels.rows, grid(sizes.pieces()), arguments)? };
        if cut > 0 {
            let arguments = (out, &parts, cut_rows, firsts, cut, log_rows, mode);
            let warps = grid(sizes.cut_rows * WARP as usize);
            // SAFETY: its rows that are cut, and their parts.
            unsafe { self.stream.launch(&kernels.cut_rows, warps, arguments)? };
        }
        Ok(())
    }

    /// From values on the domain to values on its odd coset, both in bit-reversed order.
    fn to_odd_coset(&self, values: &DeviceSlice<Fr>) -> Result<(), Error> {
        let (stream, rows) = (self.stream, self.key.sizes.rows());
        let DeviceKey { domain, coset, .. } = self.key;
        domain.transform(stream, values, None, rows, Direction::Inverse, Order::RN)?;
        coset.transform(stream, values, None, rows, Direction::Forward, Order::NR)?;
        Ok(())
    }

    fn pointwise(
        &self,
        kernel: &Kernel,
        values: &DeviceSlice<Fr>,
        others: &DeviceSlice<Fr>,
    ) -> Result<(), Error> {
        let arguments = (values, others, values.len() as u32);
        // SAFETY: as many elements of both, which are apart.
        unsafe { self.stream.launch(kernel, grid(values.len()), arguments)? };
        Ok(())
    }

    /// The values of some wires, where the vectors were.
    fn gather(
        &self,
        wires: &DeviceSlice<u32>,
        queued: Queued<'_>,
    ) -> Result<DeviceSlice<[u32; 8]>, Error> {
        let count = wires.len();
        let out = self.vectors.slice(..count).cast::<[u32; 8]>().expect("as many bytes each");
        if count > 0 {
            let arguments = (&out, self.witness, wires, count as u32);
            // SAFETY: wires of the witness, and room for each of them.
            unsafe { self.stream.launch(&self.key.kernels.gather, grid(count), arguments)? };
        }
        queued(Stage::Gather)?;
        Ok(out)
    }
}
