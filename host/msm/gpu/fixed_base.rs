//! Many multiples of one point, for key generation.

use warpfield_device::curve::{Affine, Xyzz};
use warpfield_device::msm::digits::{BITS, windows};

use super::Msm;
use super::error::Error;
use super::group::DeviceGroup;
use super::operands::{Scalars, check_aligned};
use crate::curve::write_points;
use crate::gpu::{Arguments as _, Device, DeviceSlice, Kernel, Stream};
use crate::msm::fixed_base::table;

/// Additions of a GPU in the time that the CPU takes for a point of the table, about.
const TABLE_COST: usize = 64;

/// Products that a thread makes at a time, with one inversion, at most.
const PRODUCTS: u32 = 16;

/// A point that many scalars are multiplied by, as a table of its multiples in the memory of a device.
///
/// The table has k·2^(bits·w) times the point for every window w of `bits` bits and every k up to
/// 2^(bits − 1), so that a product takes one addition a window. Clones are handles to the same table.
///
/// ```
/// use blstrs::{G1Projective, Scalar};
/// use group::Group;
/// use warpfield::curve::{CurveGroup, G1, write_points};
/// use warpfield::gpu::{Device, Module, emulator};
/// use warpfield::msm::gpu::{FixedBase, Msm, Scalars};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let device = Device::emulated(emulator::Config::default());
/// let module = Module::load(&device, warpfield::ptx::MODULE)?;
/// let (msm, stream) = (Msm::<G1>::new(&device, &module)?, device.stream()?);
///
/// let generator = G1Projective::generator();
/// let base = FixedBase::new(&msm, &stream, &G1::to_affine(&generator), 2)?;
/// let scalars = device.alloc::<[u32; 8]>(2)?;
/// stream.upload(&scalars, &[[5, 0, 0, 0, 0, 0, 0, 0], [0, 1, 0, 0, 0, 0, 0, 0]])?;
/// let products = device.alloc(2)?;
/// base.mul_many(&stream, Scalars::Integers(&scalars), &products)?;
///
/// let mut bytes = [0; 2 * G1::BYTES];
/// stream.download(&products.cast::<u8>().expect("bytes"), &mut bytes)?;
/// let expected = [5, 1 << 32].map(|k| G1::to_affine(&(generator * Scalar::from(k))));
/// assert_eq!(bytes[..], write_points::<G1>(&expected));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct FixedBase<G: DeviceGroup> {
    device: Device,
    kernel: Kernel,
    table: DeviceSlice<Affine<G::Coordinate>>,
    bits: u32,
}

impl<G: DeviceGroup> FixedBase<G> {
    /// The table that is best for so many products in all. The CPU makes it; waits until it is copied.
    ///
    /// # Errors
    ///
    /// The driver's.
    pub fn new(
        msm: &Msm<G>,
        stream: &Stream,
        base: &G::Affine,
        products: usize,
    ) -> Result<Self, Error> {
        Self::with_bits(msm, stream, base, bits(products))
    }

    /// The table for digits of so many bits, 2 to 24: some 255/bits·2^(bits − 1) points.
    ///
    /// # Errors
    ///
    /// [`Error::Bits`], and the driver's.
    pub fn with_bits(
        msm: &Msm<G>,
        stream: &Stream,
        base: &G::Affine,
        bits: u32,
    ) -> Result<Self, Error> {
        if !BITS.contains(&bits) {
            return Err(Error::Bits(bits));
        }
        let multiples = 1 << (bits - 1);
        let memory = msm.device.alloc(windows(bits) as usize * multiples)?;
        for (window, points) in table::<G>(base, bits).iter().enumerate() {
            let of_window = memory.slice(window * multiples..).slice(..multiples);
            let of_window = of_window.cast::<u8>().expect("bytes");
            stream.upload(&of_window, &write_points::<G>(points))?;
        }
        let (device, kernel) = (msm.device.clone(), msm.kernels.fixed_base.clone());
        Ok(Self { device, kernel, table: (*memory).clone(), bits })
    }

    /// Bits of a digit.
    #[must_use]
    pub fn bits(&self) -> u32 {
        self.bits
    }

    /// Bytes of device memory that the table takes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.table.len() * G::BYTES
    }

    /// Queues scalarᵢ · base for every scalar, in order, to `out`, which must not overlap them. Scalars of
    /// r and more count modulo r. If the point is not in the subgroup of order r the products are some
    /// other points, nothing worse.
    ///
    /// Takes memory of its own for some products at a time, at most for 16 of each thread that the device
    /// holds, and zeroes it: sums with denominators tell of scalars, which may be secret.
    ///
    /// # Errors
    ///
    /// [`Error::Products`], scalars or products at no multiple of 16, and those of [`Stream::launch`].
    pub fn mul_many(
        &self,
        stream: &Stream,
        scalars: Scalars<'_>,
        out: &DeviceSlice<Affine<G::Coordinate>>,
    ) -> Result<(), Error> {
        let (len, room) = (scalars.len(), out.len());
        if len != room {
            return Err(Error::Products { scalars: len, room });
        }
        check_aligned(out)?;
        if len == 0 {
            return Ok(());
        }
        let config = G::grid(1);
        let resident = self.kernel.resident_blocks(config.block.x, config.shared_bytes)?;
        let threads = (resident * self.device.info().multiprocessors * config.block.x).max(1);
        let part = len.min((threads * PRODUCTS) as usize);
        let sums = self.device.alloc::<Xyzz<G::Coordinate>>(part)?;
        let prefixes = self.device.alloc::<G::Coordinate>(part)?;
        for first in (0..len).step_by(part) {
            let range = first..len.min(first + part);
            let count = range.len() as u32;
            let (part_of, form) = match scalars {
                Scalars::Montgomery(all) => {
                    Scalars::Montgomery(&all.slice(range.clone())).arguments()
                }
                Scalars::Integers(all) => Scalars::Integers(&all.slice(range.clone())).arguments(),
            }?;
            let arrays = (&out.slice(range), &sums, &prefixes, &self.table, part_of);
            let numbers = (count, form, windows(self.bits), self.bits);
            let arguments = [arrays.into_list(), numbers.into_list()].concat();
            // As many threads as there may be, with as many products each.
            let config = G::grid(count.div_ceil(count.div_ceil(threads)));
            // SAFETY: so many scalars and products, and memory for them; the table is whole.
            unsafe { stream.launch(&self.kernel, config, arguments)? };
        }
        stream.fill(&sums, 0)?;
        Ok(stream.fill(&prefixes, 0)?)
    }
}

/// The bits of digits with which so many products take the least time, that for the table included.
fn bits(products: usize) -> u32 {
    let cost = |bits: u32| windows(bits) as usize * (products + (TABLE_COST << (bits - 1)));
    (6..=16).min_by_key(|&bits| cost(bits)).expect("the range is not empty")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_grow_with_products() {
        let widths: Vec<_> = (0..30).map(|log| bits(1 << log)).collect();
        assert!(widths.is_sorted() && widths[0] == 6 && widths[29] == 16, "{widths:?}");
    }
}
