//! Twiddles in device memory.

use blstrs::Scalar;
use ff::Field as _;
use warpfield_device::field::Fr;
use warpfield_device::ntt::twiddle::Twiddle;

use super::super::{Direction, RootOfUnity};
use crate::gpu::{DeviceBuffer, DeviceSlice, Error, Kernel, LaunchConfig, Stream};

/// Twiddles of a direction.
pub fn count(log_size: u32, coset: bool) -> usize {
    // One element takes no twiddle.
    let log_size = log_size.max(1);
    if coset { 1 << log_size } else { 1 << (log_size - 1) }
}

fn upload(stream: &Stream, scalars: &[Scalar]) -> Result<DeviceBuffer<Fr>, Error> {
    let buffer = stream.device().alloc::<Fr>(scalars.len())?;
    stream.upload(&buffer.cast().expect("the bytes of scalars"), scalars)?;
    Ok(buffer)
}

/// Makes the twiddles of a direction, in memory for [`count`] of them.
pub fn make(
    kernel: &Kernel,
    stream: &Stream,
    out: &DeviceSlice<Twiddle>,
    (log_size, convention): (u32, RootOfUnity),
    shift: Option<Scalar>,
    direction: Direction,
) -> Result<(), Error> {
    let log_size = log_size.max(1);
    let of_direction = |scalar: Scalar| match direction {
        Direction::Forward => scalar,
        Direction::Inverse => scalar.invert().expect("roots and a coset's shift are not 0"),
    };
    let roots = (0..log_size).map(|bit| of_direction(convention.of_order(bit + 2)));
    let roots = upload(stream, &roots.collect::<Vec<_>>())?;
    // Layer l takes the shift to the n/2^(l + 1).
    let shifts = shift.map(|shift| {
        let power = |layer| of_direction(shift.pow([1u64 << (log_size - 1 - layer)]));
        upload(stream, &(0..log_size).map(power).collect::<Vec<_>>())
    });
    let shifts = shifts.transpose()?;
    let count = count(log_size, shift.is_some()) as u32;
    let config = LaunchConfig::new((count / 256).clamp(1, 1 << 14), 256);
    // SAFETY: the kernel writes `count` elements, and reads a root or shift a bit of them.
    unsafe {
        match &shifts {
            Some(shifts) => stream.launch(kernel, config, (out, &roots, shifts, count)),
            None => stream.launch(kernel, config, (out, &roots, 0u64, count)),
        }
    }
}
