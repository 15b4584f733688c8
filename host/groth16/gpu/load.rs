//! From a mapped key to the memory of a device.

use std::ops::Range;

use warpfield_device::curve::Affine;

use super::key::DeviceMatrix;
use super::matrices::Matrix;
use super::sizes::{MatrixLayout, MatrixSizes, part};
use super::{Contents, DeviceKey, Error, Kernels, KeyTables};
use crate::curve::PointSlice;
use crate::gpu::{DeviceSlice, Plain, Staging, Stream, bytes};
use crate::groth16::{KeyPoints, ProvingKey};
use crate::msm::gpu::{Bases, DeviceGroup, Msm, Tables};
use crate::ntt::{Direction, GpuDomain, RootOfUnity};

/// Bytes that are copied at full speed, about.
const PIECE: usize = 1 << 24;

impl DeviceKey {
    /// Copies a key to the first [`Sizes::key_bytes`](super::Sizes::key_bytes) of `memory`, makes its tables
    /// with the help of `room`, which is some memory that nobody needs meanwhile, and waits for it.
    ///
    /// The bytes go through pinned memory, which the threads of the current rayon pool fill: they come as
    /// quickly as the slower of bus and mapped file.
    ///
    /// # Errors
    ///
    /// [`Error::OtherKey`] if the contents are of another key; [`Error::Room`], [`Error::Misaligned`]; too
    /// many copies; a domain that has no odd coset; and the driver's.
    pub fn load(
        kernels: &Kernels,
        stream: &Stream,
        key: &ProvingKey,
        contents: &Contents,
        tables: &KeyTables,
        memory: &DeviceSlice<u8>,
        room: &DeviceSlice<u8>,
    ) -> Result<Self, Error> {
        let sizes = contents.sizes();
        if (sizes.log_domain, sizes.wires) != (key.log_domain(), key.n_wires()) {
            return Err(Error::OtherKey);
        }
        let plans = kernels.plans(&sizes, tables)?;
        let layout = sizes.key_layout(tables);
        let memory = part("a key", memory, layout.bytes)?;
        let staging = Staging::new(&kernels.device, PIECE.min(layout.bytes).max(1 << 10))?;
        let mut load = Load { stream, memory: &memory, room, staging };

        let first_private = key.n_public() + 1;
        let (g1, g2, log_domain) = (&kernels.g1, &kernels.g2, sizes.log_domain);
        let a = |at: usize| contents.a[at] as usize;
        let b = |at: usize| contents.b[at] as usize;
        let c = |at: usize| contents.c[at] as usize - first_private;
        let h = |at: usize| at.reverse_bits() >> (usize::BITS - log_domain);
        let [of_a, of_b] = &contents.matrices.matrices;
        let [matrix_a, matrix_b] = layout.matrices;
        // A root of order 2n, which leads from the domain to its odd coset.
        let shift = RootOfUnity::SNARKJS.of_order(log_domain + 1);
        let loaded = Self {
            a: load.points(g1, layout.a, key.g1(KeyPoints::A), a, tables.a)?,
            b1: load.points(g1, layout.b1, key.g1(KeyPoints::B1), b, tables.b1)?,
            b2: load.points(g2, layout.b2, key.b2(), b, tables.b2)?,
            c: load.points(g1, layout.c, key.g1(KeyPoints::C), c, tables.c)?,
            h: load.points(g1, layout.h, key.g1(KeyPoints::H), h, tables.h)?,
            wires_a: load.list(layout.wires_a, &contents.a)?,
            wires_b: load.list(layout.wires_b, &contents.b)?,
            wires_c: load.list(layout.wires_c, &contents.c)?,
            values: load.lists(layout.values, &contents.matrices.values)?,
            matrices: [load.matrix(matrix_a, of_a)?, load.matrix(matrix_b, of_b)?],
            domain: {
                let twiddles = load.part(layout.domain);
                let (domain, direction) = ((log_domain, RootOfUnity::SNARKJS), Direction::Inverse);
                GpuDomain::one_way(&kernels.module, stream, domain, None, direction, &twiddles)?
            },
            coset: {
                let twiddles = load.part(layout.coset);
                let (domain, direction) = ((log_domain, RootOfUnity::SNARKJS), Direction::Forward);
                let shift = Some(shift);
                GpuDomain::one_way(&kernels.module, stream, domain, shift, direction, &twiddles)?
            },
            kernels: kernels.clone(),
            sizes,
            plans,
        };
        stream.synchronize()?;
        Ok(loaded)
    }
}

/// A key on its way.
struct Load<'a> {
    stream: &'a Stream,
    memory: &'a DeviceSlice<u8>,
    room: &'a DeviceSlice<u8>,
    staging: Staging,
}

impl Load<'_> {
    /// The memory of a part.
    fn part<T: Plain>(&self, range: Range<usize>) -> DeviceSlice<T> {
        self.memory.slice(range).cast().expect("parts are aligned and of whole values")
    }

    /// Copies to a part, or to the start of it, the points that `point` gives numbers of, and makes their tables
    /// behind them.
    fn points<G: DeviceGroup>(
        &mut self,
        msm: &Msm<G>,
        range: Range<usize>,
        points: PointSlice<'_, G>,
        point: impl Fn(usize) -> usize + Sync,
        tables: Tables,
    ) -> Result<Bases<G>, Error> {
        let memory = self.part::<Affine<G::Coordinate>>(range.clone());
        let len = memory.len() / tables.copies as usize;
        let to = self.memory.slice(range).slice(..len * G::BYTES);
        let points = points.as_bytes();
        self.staging.upload_by(self.stream, &to, G::BYTES, |start, part| {
            for (i, bytes) in part.chunks_exact_mut(G::BYTES).enumerate() {
                let at = point(start / G::BYTES + i) * G::BYTES;
                bytes.copy_from_slice(&points[at..at + G::BYTES]);
            }
        })?;
        Ok(msm.tables_within(self.stream, &memory, len, tables, self.room)?)
    }

    fn list<T: Plain>(&mut self, range: Range<usize>, list: &[T]) -> Result<DeviceSlice<T>, Error> {
        self.staging.upload(self.stream, &self.memory.slice(range.clone()), bytes(list))?;
        Ok(self.part(range))
    }

    /// Lists, one behind the other.
    fn lists<T: Plain, U: Plain>(
        &mut self,
        range: Range<usize>,
        lists: &[Vec<T>],
    ) -> Result<DeviceSlice<U>, Error> {
        let to = self.memory.slice(range.clone());
        let mut start = 0;
        for list in lists {
            let bytes = bytes(list);
            self.staging.upload(self.stream, &to.slice(start..start + bytes.len()), bytes)?;
            start += bytes.len();
        }
        Ok(self.part(range))
    }

    fn matrix(&mut self, layout: MatrixLayout, matrix: &Matrix) -> Result<DeviceMatrix, Error> {
        Ok(DeviceMatrix {
            sizes: MatrixSizes::of(matrix),
            starts: self.list(layout.starts, &matrix.starts)?,
            entries: self.lists(layout.entries, &matrix.entries)?,
            cut_rows: self.list(layout.cut_rows, &matrix.cut_rows)?,
            firsts: self.list(layout.firsts, &matrix.firsts)?,
        })
    }
}
