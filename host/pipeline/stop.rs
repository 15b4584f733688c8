//! What ends work before it is done: a cancellation, or a deadline.

use std::collections::BTreeMap;
use std::time::Instant;
use std::{fmt, mem};

use super::monitor::lock;
use super::sync::{Arc, Mutex};

type Wake = Box<dyn FnOnce() + Send>;

/// Tells work to end early. Clones are one and the same: what cancels one cancels all.
///
/// Work looks at it between its steps ([`check`](Self::check)), and whoever waits is woken by it: a thread
/// that waits for a condition registers how to wake it ([`on_cancel`](Self::on_cancel)) and waits no longer
/// than to the [`deadline`](Self::deadline).
///
/// ```
/// use warpfield::pipeline::stop::{Stop, Stopped};
///
/// let stop = Stop::new();
/// let clone = stop.clone();
/// assert_eq!(stop.check(), Ok(()));
/// clone.cancel();
/// assert_eq!(stop.check(), Err(Stopped::Cancelled));
/// ```
#[derive(Clone)]
pub struct Stop {
    deadline: Option<Instant>,
    shared: Arc<Mutex<Shared>>,
}

/// Why work ended early.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Stopped {
    /// By [`Stop::cancel`].
    #[error("cancelled")]
    Cancelled,
    /// By [`Stop::with_deadline`].
    #[error("the deadline passed before the work was done; allow more time")]
    Deadline,
}

#[derive(Default)]
struct Shared {
    is_cancelled: bool,
    next_key: u64,
    wakes: BTreeMap<u64, Wake>,
}

impl Stop {
    /// One that nothing stops but [`cancel`](Self::cancel).
    #[must_use]
    pub fn new() -> Self {
        Self { deadline: None, shared: Arc::new(Mutex::new(Shared::default())) }
    }

    /// One that stops by itself at `deadline`, too.
    #[must_use]
    pub fn with_deadline(deadline: Instant) -> Self {
        Self { deadline: Some(deadline), ..Self::new() }
    }

    /// When it stops by itself.
    #[must_use]
    pub fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// Stops it, and wakes all who wait. Any thread may, and as often as it likes.
    ///
    /// The caller must not hold a lock that a registered [`on_cancel`](Self::on_cancel) takes.
    pub fn cancel(&self) {
        let wakes = {
            let mut shared = lock(&self.shared);
            shared.is_cancelled = true;
            mem::take(&mut shared.wakes)
        };
        // They take locks whose holders register here: not under this one.
        for wake in wakes.into_values() {
            wake();
        }
    }

    /// Whether to go on.
    ///
    /// # Errors
    ///
    /// It is cancelled, or the deadline is here.
    pub fn check(&self) -> Result<(), Stopped> {
        if lock(&self.shared).is_cancelled {
            return Err(Stopped::Cancelled);
        }
        match self.deadline {
            Some(deadline) if Instant::now() >= deadline => Err(Stopped::Deadline),
            _ => Ok(()),
        }
    }

    /// Has a cancellation call `wake`, once and on its own thread, until the answer is dropped; it may still
    /// be called shortly after. A deadline does not call it, and nor does a cancellation that was before.
    ///
    /// So that no cancellation is missed, [`check`](Self::check) after this and under the lock of the
    /// condition, wait without giving up the lock in between, and let `wake` take the lock and notify.
    #[must_use = "dropped, it wakes nobody"]
    pub fn on_cancel(&self, wake: impl FnOnce() + Send + 'static) -> OnCancel {
        let mut shared = lock(&self.shared);
        let key = shared.next_key;
        shared.next_key += 1;
        if !shared.is_cancelled {
            shared.wakes.insert(key, Box::new(wake));
        }
        drop(shared);
        OnCancel { key, shared: self.shared.clone() }
    }
}

impl Default for Stop {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_cancelled = lock(&self.shared).is_cancelled;
        f.debug_struct("Stop")
            .field("is_cancelled", &is_cancelled)
            .field("deadline", &self.deadline)
            .finish()
    }
}

/// What a cancellation wakes, while this is there.
pub struct OnCancel {
    key: u64,
    shared: Arc<Mutex<Shared>>,
}

impl Drop for OnCancel {
    fn drop(&mut self) {
        // What it holds is dropped with the lock given back.
        let _wake = lock(&self.shared).wakes.remove(&self.key);
    }
}

impl fmt::Debug for OnCancel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OnCancel").finish_non_exhaustive()
    }
}
