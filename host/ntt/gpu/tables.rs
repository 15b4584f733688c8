//! Twiddles in device memory.

use blstrs::Scalar;
use ff::Field as _;
use warpfield_device::field::Fr;
use warpfield_device::ntt::twiddle::Twiddle;

use super::super::RootOfUnity;
use crate::gpu::{DeviceBuffer, Error, Kernel, LaunchConfig, Stream};

/// The twiddles of both directions.
pub struct Tables {
    pub forward: DeviceBuffer<Twiddle>,
    pub inverse: DeviceBuffer<Twiddle>,
}

fn upload(stream: &Stream, scalars: &[Scalar]) -> Result<DeviceBuffer<Fr>, Error> {
    let buffer = stream.device().alloc::<Fr>(scalars.len())?;
    stream.upload(&buffer.cast().expect("the bytes of scalars"), scalars)?;
    Ok(buffer)
}

impl Tables {
    pub fn make(
        kernel: &Kernel,
        stream: &Stream,
        log_size: u32,
        convention: RootOfUnity,
        shift: Option<Scalar>,
    ) -> Result<Self, Error> {
        let inverse =
            |scalar: Scalar| scalar.invert().expect("roots and a coset's shift are not 0");
        // One element takes no twiddle.
        let log_size = log_size.max(1);
        let roots: Vec<Scalar> = (0..log_size).map(|bit| convention.of_order(bit + 2)).collect();
        // Layer l takes the shift to the n/2^(l + 1).
        let shifts = shift.map(|shift| {
            let power = |layer| shift.pow([1u64 << (log_size - 1 - layer)]);
            (0..log_size).map(power).collect::<Vec<_>>()
        });
        let table = |of: &dyn Fn(Scalar) -> Scalar| {
            let map = |scalars: &[Scalar]| scalars.iter().map(|s| of(*s)).collect::<Vec<_>>();
            let roots = upload(stream, &map(&roots))?;
            let shifts = shifts.as_deref().map(|s| upload(stream, &map(s))).transpose()?;
            let count = if shifts.is_some() { 1 << log_size } else { 1 << (log_size - 1) };
            let out = stream.device().alloc(count as usize)?;
            let config = LaunchConfig::new((count / 256).clamp(1, 1 << 14), 256);
            // SAFETY: the kernel writes `count` elements, and reads a root or shift a bit of them.
            unsafe {
                match &shifts {
                    Some(shifts) => stream.launch(kernel, config, (&out, &roots, shifts, count))?,
                    None => stream.launch(kernel, config, (&out, &roots, 0u64, count))?,
                }
            }
            Ok::<_, Error>(out)
        };
        Ok(Self { forward: table(&|s| s)?, inverse: table(&inverse)? })
    }
}
