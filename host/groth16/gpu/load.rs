//! From a key in host memory, perhaps mapped, to the memory of a device.

use std::ops::Range;

use blstrs::Scalar;
use ff::{Field as _, PrimeField as _};
use warpfield_device::curve::Affine;

use super::contents::MatrixContents;
use super::key::{DeviceForm, DeviceMatrices, DeviceMatrix, DeviceVectors};
use super::layout::{FormLayout, MatricesLayout, MatrixLayout, part};
use super::matrices::Matrix;
use super::sizes::{FormSizes, MatrixSizes};
use super::{Contents, DeviceKey, Error, Kernels, KeyTables, Sizes};
use crate::curve::{G1, G2, PointSlice};
use crate::gpu::{DeviceSlice, Plain, Staging, Stream, bytes};
use crate::groth16::{Form, Key, KeyPoints};
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
        key: &(impl Key + ?Sized),
        contents: &Contents,
        tables: &KeyTables,
        memory: &DeviceSlice<u8>,
        room: &DeviceSlice<u8>,
    ) -> Result<Self, Error> {
        let sizes = contents.sizes();
        let points = Points::of(key.form(), contents)?;
        let plans = kernels.plans(&sizes, tables)?;
        let layout = sizes.key_layout(tables);
        let memory = part("a key", memory, layout.bytes)?;
        let staging = Staging::new(&kernels.device, PIECE.min(layout.bytes).max(1 << 10))?;
        let mut load = Load { kernels, stream, memory: &memory, room, staging };

        let (g1, g2) = (&kernels.g1, &kernels.g2);
        let (convention, shift) = match key.form() {
            // A root of order 2n, which leads from the domain to its odd coset.
            Form::Matrices(_) => {
                (RootOfUnity::SNARKJS, RootOfUnity::SNARKJS.of_order(sizes.log_domain + 1))
            }
            Form::Vectors(_) => (RootOfUnity::ARKWORKS, Scalar::MULTIPLICATIVE_GENERATOR),
        };
        let domain = (sizes.log_domain, convention);
        let loaded = Self {
            a: load.points(g1, layout.a, points.a, tables.a)?,
            b1: load.points(g1, layout.b1, points.b1, tables.b1)?,
            b2: load.points(g2, layout.b2, points.b2, tables.b2)?,
            c: load.points(g1, layout.c, points.c, tables.c)?,
            h: load.points(g1, layout.h, points.h, tables.h)?,
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
            kernels: kernels.clone(),
            sizes,
            plans,
        };
        stream.synchronize()?;
        Ok(loaded)
    }
}

/// The points of a key, and the wires of A and B.
struct Points<'a> {
    a: Picked<'a, G1>,
    b1: Picked<'a, G1>,
    b2: Picked<'a, G2>,
    c: Picked<'a, G1>,
    h: Picked<'a, G1>,
    wires_a: &'a [u32],
    wires_b: &'a [u32],
}

/// Some of a vector's points.
struct Picked<'a, G>(PointSlice<'a, G>, Pick<'a>);

/// Which of them, in which order.
#[derive(Clone, Copy)]
enum Pick<'a> {
    All,
    /// Those of some wires, where the first point is of a certain one.
    Wires(&'a [u32], usize),
    /// All, in bit-reversed order; log₂ of how many they are.
    BitReversed(u32),
}

impl Pick<'_> {
    /// The number of a point.
    fn point(self, at: usize) -> usize {
        match self {
            Self::All => at,
            Self::Wires(wires, first) => wires[at] as usize - first,
            Self::BitReversed(bits) => at.reverse_bits() >> (usize::BITS - bits),
        }
    }
}

impl<'a> Points<'a> {
    /// Those of the key that has these contents.
    fn of(form: Form<'a>, contents: &'a Contents) -> Result<Self, Error> {
        let sizes = contents.sizes();
        match (form, &contents.matrices) {
            (Form::Matrices(key), Some(MatrixContents { a, b, c, .. }))
                if (sizes.log_domain, sizes.wires) == (key.log_domain(), key.n_wires()) =>
            {
                let first_private = key.n_public() + 1;
                let h = Pick::BitReversed(sizes.log_domain);
                Ok(Self {
                    a: Picked(key.g1(KeyPoints::A), Pick::Wires(a, 0)),
                    b1: Picked(key.g1(KeyPoints::B1), Pick::Wires(b, 0)),
                    b2: Picked(key.b2(), Pick::Wires(b, 0)),
                    c: Picked(key.g1(KeyPoints::C), Pick::Wires(c, first_private)),
                    h: Picked(key.g1(KeyPoints::H), h),
                    wires_a: a,
                    wires_b: b,
                })
            }
            (Form::Vectors(key), None) if sizes == Sizes::of_vectors(key) => Ok(Self {
                a: Picked(key.a(), Pick::All),
                b1: Picked(key.b_g1(), Pick::All),
                b2: Picked(key.b_g2(), Pick::All),
                c: Picked(key.l(), Pick::All),
                h: Picked(key.h(), Pick::All),
                wires_a: &key.shape().a,
                wires_b: &key.shape().b,
            }),
            _ => Err(Error::OtherKey),
        }
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

    /// Copies points to a part, or to the start of it, and makes their tables behind them.
    fn points<G: DeviceGroup>(
        &mut self,
        msm: &Msm<G>,
        range: Range<usize>,
        Picked(points, pick): Picked<'_, G>,
        tables: Tables,
    ) -> Result<Bases<G>, Error> {
        let memory = self.part::<Affine<G::Coordinate>>(range.clone());
        let len = memory.len() / tables.copies as usize;
        let to = self.memory.slice(range).slice(..len * G::BYTES);
        let points = points.as_bytes();
        self.staging.upload_by(self.stream, &to, G::BYTES, |start, part| {
            for (i, bytes) in part.chunks_exact_mut(G::BYTES).enumerate() {
                let at = pick.point(start / G::BYTES + i) * G::BYTES;
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
            wires_c: self.list(wires_c, &contents.c)?,
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
