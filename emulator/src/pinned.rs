//! Page-locked host memory: copies take or leave its bytes when they run, not when they are
//! queued.

use crate::config::Call;
use crate::device::{Device, lock};
use crate::error::Error;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

/// A range that a queued copy uses.
#[derive(Clone, Copy, Debug)]
struct Flight {
    ticket: u64,
    offset: u64,
    end: u64,
    /// The copy writes the buffer.
    written: bool,
}

#[derive(Default)]
struct Flights {
    next: u64,
    list: Vec<Flight>,
}

pub(crate) struct Inner {
    words: Box<[AtomicU64]>,
    len: u64,
    strict: bool,
    /// The user's handle is gone.
    dropped: AtomicBool,
    flights: Mutex<Flights>,
}

/// A pinned host buffer. It starts out zeroed and is freed on drop; if a queued copy still needs
/// it then, its bytes are overwritten, as those of memory that belongs to somebody else by then.
pub struct PinnedBuffer {
    pub(crate) inner: Arc<Inner>,
    device: Device,
}

impl PinnedBuffer {
    /// Allocates a buffer.
    ///
    /// # Errors
    ///
    /// Injected failures ([`Call::Alloc`]).
    pub fn new(device: &Device, bytes: u64) -> Result<Self, Error> {
        device.count(Call::Alloc)?;
        let inner = Arc::new(Inner {
            words: (0..bytes.div_ceil(8)).map(|_| AtomicU64::new(0)).collect(),
            len: bytes,
            strict: device.config().strict_pinned,
            dropped: AtomicBool::new(false),
            flights: Mutex::default(),
        });
        Ok(PinnedBuffer { inner, device: device.clone() })
    }

    /// Bytes.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.inner.len
    }

    /// Whether it has no bytes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.inner.len == 0
    }

    /// Writes bytes.
    ///
    /// # Errors
    ///
    /// A range outside; [`Error::PinnedInFlight`] if a queued copy uses the range and the device
    /// watches pinned memory.
    pub fn write(&self, offset: u64, bytes: &[u8]) -> Result<(), Error> {
        self.inner.check(offset, bytes.len() as u64)?;
        self.inner.check_flights(offset, bytes.len() as u64, |_| true)?;
        self.inner.store(offset, bytes);
        Ok(())
    }

    /// Reads bytes.
    ///
    /// # Errors
    ///
    /// A range outside; [`Error::PinnedInFlight`] if a queued copy has yet to write the range and
    /// the device watches pinned memory.
    pub fn read(&self, offset: u64, bytes: &mut [u8]) -> Result<(), Error> {
        self.inner.check(offset, bytes.len() as u64)?;
        self.inner.check_flights(offset, bytes.len() as u64, |f| f.written)?;
        self.inner.load(offset, bytes);
        Ok(())
    }

    /// Whether a queued copy uses the buffer.
    #[must_use]
    pub fn in_flight(&self) -> bool {
        !lock(&self.inner.flights).list.is_empty()
    }

    /// The bytes, aligned to 8, for access without a copy. They may change while queued work
    /// runs; a device that watches pinned memory notices changes of what a copy has yet to read.
    #[must_use]
    pub fn as_ptr(&self) -> *mut u8 {
        self.inner.words.as_ptr().cast_mut().cast()
    }
}

impl Drop for PinnedBuffer {
    fn drop(&mut self) {
        // It cannot fail.
        let _ = self.device.count(Call::Free);
        self.inner.dropped.store(true, Relaxed);
        if self.in_flight() {
            for w in &self.inner.words {
                w.store(0xdddd_dddd_dddd_dddd, Relaxed);
            }
        }
    }
}

impl std::fmt::Debug for PinnedBuffer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PinnedBuffer").field("len", &self.inner.len).finish_non_exhaustive()
    }
}

impl Inner {
    pub(crate) fn check(&self, offset: u64, bytes: u64) -> Result<(), Error> {
        if offset <= self.len && bytes <= self.len - offset {
            return Ok(());
        }
        Err(Error::PinnedRange { offset, bytes, len: self.len })
    }

    fn check_flights(
        &self,
        offset: u64,
        bytes: u64,
        counts: impl Fn(&Flight) -> bool,
    ) -> Result<(), Error> {
        let flights = lock(&self.flights);
        let hit = |f: &&Flight| offset < f.end && f.offset < offset + bytes && counts(f);
        match flights.list.iter().find(hit) {
            Some(f) if self.strict => Err(Error::PinnedInFlight { offset: f.offset, end: f.end }),
            _ => Ok(()),
        }
    }

    fn store(&self, offset: u64, bytes: &[u8]) {
        for (i, &b) in bytes.iter().enumerate() {
            let at = offset + i as u64;
            let (word, shift) = (&self.words[(at / 8) as usize], 8 * (at % 8));
            let merge = |w: u64| Some((w & !(0xff << shift)) | u64::from(b) << shift);
            // The closure never declines.
            let _ = word.fetch_update(Relaxed, Relaxed, merge);
        }
    }

    pub(crate) fn load(&self, offset: u64, bytes: &mut [u8]) {
        for (i, b) in bytes.iter_mut().enumerate() {
            let at = offset + i as u64;
            *b = self.words[(at / 8) as usize].load(Relaxed).to_le_bytes()[(at % 8) as usize];
        }
    }
}

/// A copy's claim on a range of a buffer, from enqueue until it has run or was discarded.
pub(crate) struct Claim {
    buffer: Arc<Inner>,
    flight: Flight,
    /// Of the bytes at enqueue, for copies that read them.
    hash: Option<u64>,
}

impl Claim {
    pub(crate) fn new(
        buffer: &PinnedBuffer,
        offset: u64,
        bytes: u64,
        written: bool,
    ) -> Result<Claim, Error> {
        let inner = &buffer.inner;
        inner.check(offset, bytes)?;
        let mut flights = lock(&inner.flights);
        let flight = Flight { ticket: flights.next, offset, end: offset + bytes, written };
        flights.next += 1;
        flights.list.push(flight);
        drop(flights);
        let mut claim = Claim { buffer: inner.clone(), flight, hash: None };
        if inner.strict && !written {
            claim.hash = Some(hash(&claim.bytes()));
        }
        Ok(claim)
    }

    fn bytes(&self) -> Vec<u8> {
        let mut bytes = vec![0; (self.flight.end - self.flight.offset) as usize];
        self.buffer.load(self.flight.offset, &mut bytes);
        bytes
    }

    pub(crate) fn len(&self) -> u64 {
        self.flight.end - self.flight.offset
    }

    /// The bytes at the time that the copy runs.
    pub(crate) fn read(&self) -> Result<Vec<u8>, Error> {
        let bytes = self.bytes();
        self.check_alive()?;
        if self.hash.is_some_and(|h| h != hash(&bytes)) {
            return Err(self.broken());
        }
        Ok(bytes)
    }

    pub(crate) fn write(&self, bytes: &[u8]) -> Result<(), Error> {
        self.check_alive()?;
        self.buffer.store(self.flight.offset, bytes);
        Ok(())
    }

    fn broken(&self) -> Error {
        Error::PinnedInFlight { offset: self.flight.offset, end: self.flight.end }
    }

    fn check_alive(&self) -> Result<(), Error> {
        if self.buffer.strict && self.buffer.dropped.load(Relaxed) {
            return Err(self.broken());
        }
        Ok(())
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        lock(&self.buffer.flights).list.retain(|f| f.ticket != self.flight.ticket);
    }
}

/// FNV-1a over words of eight bytes.
fn hash(bytes: &[u8]) -> u64 {
    bytes.chunks(8).fold(0xcbf2_9ce4_8422_2325, |h, c| {
        let mut w = [0; 8];
        w[..c.len()].copy_from_slice(c);
        (h ^ u64::from_le_bytes(w)).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(29)
    })
}
