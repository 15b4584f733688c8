//! Operands at every place.

use std::sync::Arc;

use blstrs::Scalar;
use warpfield::gpu::{DeviceBuffer, PinnedBuffer, Plain};
use warpfield::msm::gpu::{
    Bases, Chunks, DeviceGroup, Error, HostSlice, Place, Scalars, StreamedBases, StreamedScalars,
};
use warpfield_device::field::Fr;

use crate::support::{Summer, bytes, integers, montgomery, naive, points, random};

pub const PLACES: [Place; 3] = [Place::Device, Place::Pinned, Place::Pageable];

/// The operands of a sum, at every place.
pub struct Operands<G: DeviceGroup> {
    pub points: Vec<G::Projective>,
    pub scalars: Vec<Scalar>,
    pub bytes: Vec<u8>,
    montgomery: Vec<Fr>,
    integers: Vec<[u32; 8]>,
    pub pinned_bytes: Arc<PinnedBuffer<u8>>,
    pinned_montgomery: Arc<PinnedBuffer<Fr>>,
    pub pinned_integers: Arc<PinnedBuffer<[u32; 8]>>,
    pub bases: Bases<G>,
    device_montgomery: DeviceBuffer<Fr>,
    device_integers: DeviceBuffer<[u32; 8]>,
}

/// The form of scalars.
#[derive(Clone, Copy, Debug)]
pub enum Form {
    Montgomery,
    Integers,
}

impl<G: DeviceGroup> Operands<G> {
    pub fn new(summer: &Summer<G>, count: usize) -> Self {
        fn pinned<G: DeviceGroup, T: Plain>(
            summer: &Summer<G>,
            values: &[T],
        ) -> Arc<PinnedBuffer<T>> {
            let mut buffer = summer.device.alloc_pinned(values.len()).expect("memory");
            buffer.copy_from_slice(values);
            Arc::new(buffer)
        }
        let (points, scalars) = (points::<G>(count), random(count));
        let (bytes, montgomery, integers) =
            (bytes::<G>(&points), montgomery(&scalars), integers(&scalars));
        Self {
            pinned_bytes: pinned(summer, &bytes),
            pinned_montgomery: pinned(summer, &montgomery),
            pinned_integers: pinned(summer, &integers),
            bases: summer.bases(&points),
            device_montgomery: summer.upload(&montgomery),
            device_integers: summer.upload(&integers),
            points,
            scalars,
            bytes,
            montgomery,
            integers,
        }
    }

    pub fn bases(&self, place: Place) -> StreamedBases<'_, G> {
        match place {
            Place::Device => StreamedBases::Device(&self.bases),
            Place::Pinned => StreamedBases::Host(HostSlice::from(&self.pinned_bytes)),
            Place::Pageable => StreamedBases::Host(HostSlice::from(&self.bytes[..])),
        }
    }

    pub fn scalars(&self, place: Place, form: Form) -> StreamedScalars<'_> {
        use StreamedScalars::{Device, Integers, Montgomery};
        match (place, form) {
            (Place::Device, Form::Montgomery) => {
                Device(Scalars::Montgomery(&self.device_montgomery))
            }
            (Place::Device, Form::Integers) => Device(Scalars::Integers(&self.device_integers)),
            (Place::Pinned, Form::Montgomery) => {
                Montgomery(HostSlice::from(&self.pinned_montgomery))
            }
            (Place::Pinned, Form::Integers) => Integers(HostSlice::from(&self.pinned_integers)),
            (Place::Pageable, Form::Montgomery) => {
                Montgomery(HostSlice::from(&self.montgomery[..]))
            }
            (Place::Pageable, Form::Integers) => Integers(HostSlice::from(&self.integers[..])),
        }
    }

    pub fn expected(&self) -> G::Projective {
        naive::<G>(&self.points, &self.scalars)
    }

    /// Whether the buffers are the caller's alone.
    pub fn are_back(&self) -> bool {
        Arc::strong_count(&self.pinned_bytes) == 1
            && Arc::strong_count(&self.pinned_montgomery) == 1
            && Arc::strong_count(&self.pinned_integers) == 1
    }
}

pub fn sum<G: DeviceGroup>(
    summer: &Summer<G>,
    bases: StreamedBases<'_, G>,
    scalars: StreamedScalars<'_>,
    chunks: Chunks,
) -> Result<G::Projective, Error> {
    let plan = summer.msm.streamed_plan_with(bases, scalars, chunks)?;
    let workspace = summer.msm.streamed_workspace(plan)?;
    Ok(summer.msm.run_streamed(&summer.stream, workspace, bases, scalars)?.0)
}
