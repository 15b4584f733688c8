//! A partition that is under way, for whoever asked for it.

use std::sync::Arc;

use super::error::Error;
use crate::groth16::Proof;
use crate::pipeline::monitor::Monitor;
use crate::pipeline::stop::Stop;

/// What becomes of a partition.
pub(super) type Outcome = Monitor<Option<Result<Proof, Error>>>;

/// A partition that is under way. Dropping it cancels the partition.
#[derive(Debug)]
#[must_use = "the partition is cancelled"]
pub struct Handle {
    outcome: Arc<Outcome>,
    stop: Stop,
    is_finished: bool,
}

impl Handle {
    pub(super) fn new(outcome: Arc<Outcome>, stop: Stop) -> Self {
        Self { outcome, stop, is_finished: false }
    }

    /// Whether there is a proof, or an error.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.outcome.look(Option::is_some)
    }

    /// Cancels the partition, and whatever else its [`Stop`] is for.
    pub fn cancel(&self) {
        self.stop.cancel();
    }

    /// Waits for the proof, which is verified.
    ///
    /// # Errors
    ///
    /// What went wrong with it; [`Error::Stopped`] as soon as it is cancelled, or its deadline passes.
    pub fn finish(mut self) -> Result<Proof, Error> {
        self.is_finished = true;
        let mut result = None;
        let waited = Monitor::wait(&self.outcome, &self.stop, |outcome| {
            result = outcome.take();
            result.is_some()
        });
        match waited {
            Ok(()) => result.expect("it is waited for"),
            // What was there before counts.
            Err(stopped) => self.outcome.change(Option::take).unwrap_or(Err(stopped.into())),
        }
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        if !self.is_finished {
            self.stop.cancel();
        }
    }
}
