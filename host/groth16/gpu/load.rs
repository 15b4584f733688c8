//! From a key in host memory, perhaps mapped, to the memory of a device.

use std::ops::Range;
use std::sync::Arc;

use blstrs::Scalar;
use ff::{Field as _, PrimeField as _};
use warpfield_device::curve::Affine;

use super::contents::MatrixContents;
use super::key::{DeviceForm, DeviceMatrices, DeviceMatrix, DeviceVectors};
use super::layout::{FormLayout, MatricesLayout, MatrixLayout, part};
use super::matrices::Matrix;
use super::points::{HostKey, Picked};
use super::sizes::{FormSizes, MatrixSizes};
use super::{Contents, DeviceKey, Error, Kernels, KeyResidence, Residence};
use crate::gpu::{DeviceSlice, Plain, Staging, Stream, bytes};
use crate::groth16::{Form, Key};
use crate::msm::gpu::{Bases, DeviceGroup, Msm};
use crate::ntt::{Direction, GpuDomain, RootOfUnity};

/// Bytes that are copied at full speed, about.
const PIECE: usize = 1 << 24;

impl DeviceKey {
    /// Copies a key to the first [`Sizes::key_bytes`](super::Sizes::key_bytes) of `memory`, makes its tables
    /// with the help of `room`, which is some memory that nobody needs meanwhile, and waits for it. Of a key with
    /// vectors that stay in host memory it has a share.
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
        key: Arc<dyn Key>,
        contents: &Contents,
        residence: &KeyResidence,
        memory: &DeviceSlice<u8>,
        room: &DeviceSlice<u8>,
    ) -> Result<Self, Error> {
        let sizes = contents.sizes();
        let host = HostKey::new(key, contents)?;
        let points = host.points();
        let plans = kernels.plans(&sizes, residence)?;
        let layout = sizes.key_layout(residence);
        let memory = part("a key", memory, layout.bytes)?;
        let staging = Staging::new(&kernels.device, PIECE.min(layout.bytes).max(1 << 10))?;
        let mut load = Load { kernels, stream, memory: &memory, room, staging };

        let (g1, g2) = (&kernels.g1, &kernels.g2);
        let (convention, shift) = match host.form() {
            // A root of order 2n, which leads from the domain to its odd coset.
            Form::Matrices(_) => {
                (RootOfUnity::SNARKJS, RootOfUnity::SNARKJS.of_order(sizes.log_domain + 1))
            }
            Form::Vectors(_) => (RootOfUnity::ARKWORKS, Scalar::MULTIPLICATIVE_GENERATOR),
        };
        let domain = (sizes.log_domain, convention);
        let loaded = Self {
            a: load.points(g1, layout.a, points.a, residence.a)?,
            b1: load.points(g1, layout.b1, points.b1, residence.b1)?,
            b2: load.points(g2, layout.b2, points.b2, residence.b2)?,
            c: load.points(g1, layout.c, points.c, residence.c)?,
            h: load.points(g1, layout.h, points.h, residence.h)?,
            wires_a: load.list(layout.wires_a, points.wires_a)?,
            wires_b: load.list(layout.wires_b, points.wires_b)?,
            domain: load.domain(layout.domain, domain, None, Direction::Inverse)?,
            coset: load.domain(layout.coset, domain, Some(shift), Direction::Forward)?,
            form: match (layout.form, &contents.matrices, sizes.form) {
                (FormLayout::Matrices(layout), Some(contents), _) => {
                    DeviceForm::Matrices(load.matrices(layout, contents)?)
                }
                (FormLayout::Vectors { back }, _, FormSizes::Vectors { rows, inputs }) => {
                    let back = load.domain(back, domain, Some(shift), Direction::Inverse)?;
                    let z = shift.pow([sizes.rows() as u64]) - Scalar::ONE;
                    let factor = z.invert().expect("no power below r − 1 of a generator is 1");
                    DeviceForm::Vectors(DeviceVectors { back, factor, rows, inputs })
                }
                _ => return Err(Error::OtherKey),
            },
            host: residence.vectors().iter().any(|(_, vector)| vector.is_host()).then_some(host),
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
    kernels: &'a Kernels,
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

    /// Copies points to a part, or to the start of it, and makes their tables behind them. None of those that
    /// stay where they are.
    fn points<G: DeviceGroup>(
        &mut self,
        msm: &Msm<G>,
        range: Range<usize>,
        points: Picked<'_, G>,
        residence: Residence,
    ) -> Result<Option<Bases<G>>, Error> {
        let Residence::Device(tables) = residence else { return Ok(None) };
        let memory = self.part::<Affine<G::Coordinate>>(range.clone());
        let len = points.len();
        let to = self.memory.slice(range).slice(..len * G::BYTES);
        self.staging.upload_by(self.stream, &to, G::BYTES, |start, part| {
            points.write(start / G::BYTES, part);
        })?;
        Ok(Some(msm.tables_within(self.stream, &memory, len, tables, self.room)?))
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

    /// A domain or a coset, for one direction, with its twiddles in a part.
    fn domain(
        &self,
        range: Range<usize>,
        domain: (u32, RootOfUnity),
        shift: Option<Scalar>,
        direction: Direction,
    ) -> Result<GpuDomain, Error> {
        let (module, twiddles) = (&self.kernels.module, self.part(range));
        Ok(GpuDomain::one_way(module, self.stream, domain, shift, direction, &twiddles)?)
    }

    fn matrices(
        &mut self,
        layout: MatricesLayout,
        contents: &MatrixContents,
    ) -> Result<DeviceMatrices, Error> {
        let MatricesLayout { wires_c, values, matrices: [layout_a, layout_b] } = layout;
        let [a, b] = &contents.matrices.matrices;
        Ok(DeviceMatrices {
            wires_c: self.list(wires_c, &contents.wires.c)?,
            values: self.lists(values, &contents.matrices.values)?,
            matrices: [self.matrix(layout_a, a)?, self.matrix(layout_b, b)?],
        })
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
