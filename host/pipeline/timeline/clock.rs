//! Where a device's events lie on the host's axis.

use std::mem;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::recording::Placement;
use crate::gpu::{Device, Error, Event, Stream};

/// Times that a base event is tried. The one that took least counts.
const TRIES: usize = 8;

/// The driver's resolution of times.
const RESOLUTION: Duration = Duration::from_nanos(500);

/// Age at which [`Marks::read`](super::Marks::read) makes a new base event. Quartz clocks part by some 10 µs a
/// second, and a driver's time of 10 s, a float of milliseconds, has steps of 1 µs.
const OLD: Duration = Duration::from_secs(10);

/// The clock of a device, which places its events on the host's axis: by a base event, recorded on a stream that
/// has nothing else to do, and taken to lie in the middle of the time until it is done.
///
/// One a device; any thread may use it. Nothing here waits for other streams.
#[derive(Debug)]
pub struct DeviceClock {
    device: u32,
    stream: Stream,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    base: Base,
    /// Where the next base is tried.
    spare: [Event; 2],
    drift: Option<Duration>,
}

#[derive(Debug)]
struct Base {
    event: Event,
    at: Instant,
    /// Half the time that it took.
    error: Duration,
}

impl DeviceClock {
    /// The clock of a device, and the number by which intervals name it.
    ///
    /// # Errors
    ///
    /// The driver's.
    pub fn new(device: &Device, number: u32) -> Result<Self, Error> {
        let stream = device.stream()?;
        let mut spare = [device.event()?, device.event()?];
        let (at, error) = measure(&stream, &mut spare)?;
        let event = mem::replace(&mut spare[0], device.event()?);
        let state = State { base: Base { event, at, error }, spare, drift: None };
        Ok(Self { device: number, stream, state: Mutex::new(state) })
    }

    /// Makes a new base event, and compares it with the one before.
    ///
    /// # Errors
    ///
    /// As [`Stream::synchronize`].
    pub fn rebase(&self) -> Result<(), Error> {
        let state = &mut *self.lock();
        let (at, error) = measure(&self.stream, &mut state.spare)?;
        let elapsed = state.spare[0].elapsed_since(&state.base.event)?;
        let drift = elapsed.map(|elapsed| elapsed.abs_diff(at - state.base.at));
        state.drift = state.drift.max(drift);
        mem::swap(&mut state.base.event, &mut state.spare[0]);
        (state.base.at, state.base.error) = (at, error);
        Ok(())
    }

    /// [`Self::rebase`], if the base event is old.
    ///
    /// # Errors
    ///
    /// As [`Stream::synchronize`].
    pub fn refresh(&self) -> Result<(), Error> {
        if self.age() > OLD { self.rebase() } else { Ok(()) }
    }

    /// Time since the base event.
    #[must_use]
    pub fn age(&self) -> Duration {
        self.lock().base.at.elapsed()
    }

    /// How well it is known now, for events that are near the base event.
    #[must_use]
    pub fn placement(&self) -> Placement {
        let state = self.lock();
        self.placement_at(&state, Duration::ZERO)
    }

    fn placement_at(&self, state: &State, distance: Duration) -> Placement {
        let error = state.base.error + RESOLUTION + rounding(distance);
        Placement { device: self.device, error, drift: state.drift }
    }

    /// Where a record that is done lies on the host's axis, and how well that is known. None of one that
    /// is not done.
    ///
    /// # Errors
    ///
    /// As [`Event::elapsed_since`].
    pub fn place(&self, event: &Event) -> Result<Option<(Instant, Placement)>, Error> {
        let state = self.lock();
        let base = &state.base;
        if let Some(after) = event.elapsed_since(&base.event)? {
            return Ok(Some((base.at + after, self.placement_at(&state, after))));
        }
        // Before the base event, or not done.
        let Some(before) = base.event.elapsed_since(event)? else { return Ok(None) };
        let at = base.at.checked_sub(before);
        Ok(at.map(|at| (at, self.placement_at(&state, before))))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // What a panic may leave there is a base event still.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Records the first event, several times, by turns with the other one, and keeps the record that took
/// least: when it was made, and by how much that may be wrong.
fn measure(stream: &Stream, events: &mut [Event; 2]) -> Result<(Instant, Duration), Error> {
    let mut best: Option<(Instant, Duration)> = None;
    for _ in 0..TRIES {
        let [kept, tried] = &mut *events;
        let before = Instant::now();
        stream.record(tried)?;
        tried.synchronize()?;
        let half = before.elapsed() / 2;
        if best.is_none_or(|(_, error)| half < error) {
            best = Some((before + half, half));
            mem::swap(kept, tried);
        }
    }
    Ok(best.expect("there was a first one"))
}

/// Half a step of the driver's times of this length, which are floats of milliseconds.
pub(super) fn rounding(time: Duration) -> Duration {
    let millis = time.as_secs_f32() * 1e3;
    Duration::from_secs_f32((millis.next_up() - millis) / 2e3)
}
