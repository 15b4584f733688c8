//! What a worker queues on its device for a partition, and waits for.

use blstrs::Scalar;

use super::error::Error;
use crate::field::SCALAR_BYTES;
use crate::gpu::{Device, Event, Stream};
use crate::groth16::Sums;
use crate::groth16::gpu::{self, DeviceKey, Scratch, Slot, Step};
use crate::groth16::synthesis::Synthesis;
use crate::pipeline::pool::Lent;
use crate::pipeline::stop::Stop;
use crate::pipeline::timeline::{Marks, Span, Stage, Timeline};

/// A value of a witness, in ordinary form.
pub(super) type Value = [u8; SCALAR_BYTES];

/// A stream of a worker, and the events of its intervals.
pub(super) struct Track {
    pub stream: Stream,
    pub marks: Marks,
}

impl Track {
    /// With room for so many marks a partition.
    pub fn new(device: &Device, timeline: &Timeline, marks: usize) -> Result<Self, Error> {
        Ok(Self { stream: device.stream()?, marks: Marks::new(device, timeline, marks)? })
    }
}

/// Sees to it that a stream is done with memory, however its work ends.
struct Settled<'a>(&'a Stream);

impl Drop for Settled<'_> {
    fn drop(&mut self) {
        // After an error here the device is lost, and runs nothing any longer.
        let _ = self.0.synchronize();
    }
}

/// What a partition is made of, in pinned memory. None while a copy has it, and after a failure.
#[expect(clippy::large_enum_variant, reason = "there is one a worker")]
pub(super) enum Source {
    /// In the worker's.
    Witness(Option<Lent<Value>>),
    /// In the caller's.
    Synthesis(Option<Synthesis<Lent<Scalar>>>),
}

/// Copies what a partition is made of to its slot, and waits for it.
pub(super) fn upload(
    track: &mut Track,
    key: &DeviceKey,
    slot: &Slot,
    source: &mut Source,
    span: &mut Span,
) -> Result<(), Error> {
    let Track { stream, marks } = track;
    let _settled = Settled(stream);
    span.next(Stage::Enqueue);
    marks.clear();
    marks.start(stream)?;
    match source {
        Source::Witness(lent) => {
            let witness = lent.take().expect("it is copied once");
            let len = witness.len();
            let pending = key.stage(stream, slot, witness, len)?;
            marks.mark_bytes(stream, Stage::Upload, (len * SCALAR_BYTES) as u64)?;
            span.next(Stage::CopyWait);
            stream.synchronize()?;
            *lent = Some(pending.wait()?);
        }
        Source::Synthesis(lent) => {
            let synthesis = lent.take().expect("it is copied once");
            let bytes = synthesis.values() * SCALAR_BYTES;
            let pending = key.stage_synthesis(stream, slot, synthesis)?;
            marks.mark_bytes(stream, Stage::Upload, bytes as u64)?;
            span.next(Stage::CopyWait);
            stream.synchronize()?;
            *lent = Some(pending.wait()?);
        }
    }
    Ok(())
}

/// A partition whose witness is in its slot.
pub(super) struct Compute<'a> {
    pub track: &'a mut Track,
    /// Of the copies that the sums make.
    pub copies: &'a mut Marks,
    /// For the last two stages that were queued.
    pub stages: &'a [Event; 2],
    pub key: &'a DeviceKey,
    pub slot: &'a Slot,
    pub stop: &'a Stop,
}

impl Compute<'_> {
    /// Has the sums made, with zeros in the slot afterwards, and waits for them.
    pub fn run(self, scratch: Scratch, span: &mut Span) -> Result<(Sums, Scratch), Error> {
        let Self { track: Track { stream, marks }, copies, stages, key, slot, stop } = self;
        let _settled = Settled(stream);
        span.next(Stage::Enqueue);
        marks.clear();
        marks.start(stream)?;
        let (mut queued, mut stopped) = (0, None);
        let running = key.compute(stream, slot, scratch, &mut |step| {
            match step {
                Step::Queued(stage) => {
                    marks.mark(stream, named(stage))?;
                    stream.record(&stages[queued % 2])?;
                    queued += 1;
                    // The host is one stage ahead: enough for the device never to wait, and little for a partition
                    // that is cancelled to wait for.
                    if queued > 1 {
                        span.next(Stage::DeviceWait);
                        stages[queued % 2].synchronize()?;
                        span.next(Stage::Enqueue);
                    }
                }
                Step::Copying(stream) => {
                    span.next(Stage::KeyRead);
                    copies.start(stream)?;
                }
                Step::Copied(stream, bytes) => {
                    copies.mark_bytes(stream, Stage::KeyUpload, bytes as u64)?;
                    span.next(Stage::Enqueue);
                }
                Step::Summing => marks.start(stream)?,
                Step::Waiting => span.next(Stage::DeviceWait),
            }
            stop.check().map_err(|why| {
                stopped = Some(why);
                gpu::Error::GivenUp
            })
        });
        let running = match (running, stopped) {
            (_, Some(stopped)) => return Err(stopped.into()),
            (running, None) => running?,
        };
        slot.clear(stream)?;
        span.next(Stage::DeviceWait);
        let made = running.wait()?;
        stream.synchronize()?;
        Ok(made)
    }
}

/// A stage by its name in the timeline.
fn named(stage: gpu::Stage) -> Stage {
    match stage {
        gpu::Stage::Rows => Stage::Rows,
        gpu::Stage::Ntt => Stage::Ntt,
        gpu::Stage::Quotient => Stage::Quotient,
        gpu::Stage::Gather => Stage::Gather,
        gpu::Stage::MsmH => Stage::MsmH,
        gpu::Stage::MsmA => Stage::MsmA,
        gpu::Stage::MsmB1 => Stage::MsmB1,
        gpu::Stage::MsmB2 => Stage::MsmB2,
        gpu::Stage::MsmC => Stage::MsmC,
    }
}
