//! Events that bound the stages of a stream.

use std::time::Instant;

use super::clock::DeviceClock;
use super::interval::Who;
use super::record::Timeline;
use super::stage::{Clock, Lane, Stage};
use crate::gpu::{Device, Error, Event, Stream};

/// Events for the marks of one stream and one partition at a time, all made in advance.
///
/// ```
/// use warpfield::gpu::{Device, emulator};
/// use warpfield::pipeline::timeline::{DeviceClock, Lane, Marks, Stage, Timeline, Who};
///
/// # fn main() -> Result<(), warpfield::gpu::Error> {
/// let device = Device::emulated(emulator::Config::default());
/// let (timeline, clock) = (Timeline::on(), DeviceClock::new(&device, 0)?);
/// let mut marks = Marks::new(&device, &timeline, 8)?;
///
/// let (stream, data) = (device.stream()?, device.alloc::<u8>(100)?);
/// marks.start(&stream)?;
/// stream.fill(&data, 1)?;
/// marks.mark(&stream, Stage::Rows)?;
/// stream.fill(&data, 2)?;
/// marks.mark(&stream, Stage::Ntt)?;
///
/// stream.synchronize()?;
/// marks.read(&clock, &timeline, Who::partition(1, 0).at(0, 0), Lane::Compute)?;
/// assert_eq!(timeline.recording().intervals().len(), 2);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Marks {
    /// None if the timeline is off.
    events: Vec<Event>,
    /// What ends with the event of the same place.
    ends: Vec<End>,
    /// Marks that found no event.
    lost: u64,
}

#[derive(Clone, Copy, Debug)]
enum End {
    /// Nothing: something begins.
    Start,
    Stage(Stage, u64),
}

impl Marks {
    /// Makes so many events; none if the timeline is off.
    ///
    /// # Errors
    ///
    /// The driver's.
    pub fn new(device: &Device, timeline: &Timeline, events: usize) -> Result<Self, Error> {
        let events = if timeline.is_on() { events } else { 0 };
        Ok(Self {
            events: (0..events).map(|_| device.event()).collect::<Result<_, _>>()?,
            ends: Vec::with_capacity(events),
            lost: 0,
        })
    }

    /// Here begins what the next mark ends. After [`Stream::wait`], not before: what lies
    /// between counts as work. At the end of one stage the next one begins without this.
    ///
    /// # Errors
    ///
    /// As [`Stream::record`].
    pub fn start(&mut self, stream: &Stream) -> Result<(), Error> {
        self.record(stream, End::Start)
    }

    /// Here ends a stage that began with the mark before. Without an event that is left, nothing happens.
    ///
    /// # Errors
    ///
    /// As [`Stream::record`].
    pub fn mark(&mut self, stream: &Stream, stage: Stage) -> Result<(), Error> {
        self.mark_bytes(stream, stage, 0)
    }

    /// [`Self::mark`] of a copy of so many bytes.
    ///
    /// # Errors
    ///
    /// As [`Stream::record`].
    pub fn mark_bytes(&mut self, stream: &Stream, stage: Stage, bytes: u64) -> Result<(), Error> {
        debug_assert_eq!(stage.kind().clock(), Clock::Device, "{stage} is measured by the host");
        self.record(stream, End::Stage(stage, bytes))
    }

    fn record(&mut self, stream: &Stream, end: End) -> Result<(), Error> {
        if self.events.is_empty() {
            return Ok(());
        }
        let Some(event) = self.events.get(self.ends.len()) else {
            self.lost += u64::from(matches!(end, End::Stage(..)));
            return Ok(());
        };
        stream.record(event)?;
        self.ends.push(end);
        Ok(())
    }

    /// Records the intervals between the marks, for a partition and a stream, once the stream is past
    /// the last of them, and makes the events free for new marks. Intervals of which it is not are
    /// lost, and counted as such.
    ///
    /// # Errors
    ///
    /// The first of [`Event::elapsed_since`]. Intervals that it concerns are lost, the others recorded, and the events
    /// free then too.
    pub fn read(
        &mut self,
        clock: &DeviceClock,
        timeline: &Timeline,
        who: Who,
        lane: Lane,
    ) -> Result<(), Error> {
        if self.events.is_empty() {
            return Ok(());
        }
        debug_assert_eq!(lane.clock(), Clock::Device, "{lane} is no stream");
        let read = self.read_all(clock, timeline, who, lane);
        timeline.lose(self.lost);
        self.clear();
        read
    }

    /// Forgets the marks, and makes the events free for new ones. For a partition that failed.
    pub fn clear(&mut self) {
        self.ends.clear();
        self.lost = 0;
    }

    fn read_all(
        &mut self,
        clock: &DeviceClock,
        timeline: &Timeline,
        who: Who,
        lane: Lane,
    ) -> Result<(), Error> {
        let mut read = clock.refresh();
        // The event that starts a run of stages, where it lies, and where the last one does. Times since that
        // event are short, so that they are finer than those since the base event.
        let mut run: Option<(&Event, Instant, Instant)> = None;
        for (event, end) in self.events.iter().zip(&self.ends) {
            let next = match (*end, run) {
                (End::Start, _) => clock.place(event).map(|placed| {
                    let (at, placement) = placed?;
                    timeline.place(placement);
                    Some((event, at, at))
                }),
                (End::Stage(stage, bytes), Some((first, start, from))) => {
                    event.elapsed_since(first).map(|elapsed| {
                        let to = start + elapsed?;
                        timeline.record_between(who, lane, stage, from, to, bytes);
                        Some((first, start, to))
                    })
                }
                (End::Stage(..), None) => Ok(None),
            };
            run = match next {
                Ok(next) => next,
                Err(error) => {
                    read = read.and(Err(error));
                    None
                }
            };
            self.lost += u64::from(run.is_none() && matches!(end, End::Stage(..)));
        }
        read
    }
}
