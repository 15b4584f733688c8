//! Who touched a word last: the records that races are found with.
//!
//! A cell keeps the last write and two reads, of threads as far from each other as there were, so
//! that a later writer conflicts with at least one of them wherever it runs. Cells are words;
//! records name the bytes. Of two threads that use different bytes of one word, only the later
//! record stays: such sharing is never reported wrongly, but a race on it can be missed.

use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// An access: which thread, when by its warp's clock, which bytes.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Record {
    /// Number of the warp in the grid.
    pub warp: u32,
    pub clock: u32,
    /// Bits 0–3 the bytes (none: no record), 4 strong, 5–9 the lane, 10–31 the line.
    info: u32,
}

impl Record {
    pub(crate) fn new(warp: u32, lane: usize, clock: u32, line: u32, strong: bool) -> Self {
        let line = line.min((1 << 22) - 1);
        let info = u32::from(strong) << 4 | (lane as u32) << 5 | line << 10;
        Record { warp, clock, info }
    }

    pub(crate) fn lane(self) -> u32 {
        self.info >> 5 & 31
    }

    pub(crate) fn line(self) -> u32 {
        self.info >> 10
    }

    pub(crate) fn strong(self) -> bool {
        self.info & 16 != 0
    }

    fn bytes(self) -> u32 {
        self.info & 15
    }

    fn same_thread(self, other: Record) -> bool {
        self.warp == other.warp && self.lane() == other.lane()
    }

    /// Whether two accesses, at least one a write, exclude each other unless ordered.
    fn conflicts(self, other: Record) -> bool {
        self.bytes() & other.bytes() != 0
            && !self.same_thread(other)
            && !(self.strong() && other.strong())
    }
}

/// The kind of an access, for the shadow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Touch {
    Read,
    /// `ld.global.nc`.
    ReadNc,
    Write,
}

/// The records of a word.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Cell {
    write: Record,
    reads: [Record; 2],
    /// Bytes read with `.nc` in this launch.
    nc: u8,
    /// Bytes written in this launch.
    written: u8,
}

/// What a touch found.
pub(crate) enum Found {
    Race { other: Record, other_wrote: bool },
    NonCoherent,
}

impl Cell {
    /// Checks an access against the records and adds it. `ordered` says whether a record happened
    /// before the access; `block` gives the block of a warp.
    #[inline]
    pub(crate) fn touch(
        &mut self,
        kind: Touch,
        nibble: u8,
        who: Record,
        ordered: impl Fn(Record) -> bool,
        block: impl Fn(u32) -> u32,
    ) -> Option<Found> {
        let who = Record { info: who.info | u32::from(nibble), ..who };
        let race = |r: Record| who.conflicts(r) && !ordered(r);
        if race(self.write) {
            return Some(Found::Race { other: self.write, other_wrote: true });
        }
        if kind == Touch::Write {
            if let Some(&other) = self.reads.iter().find(|&&r| race(r)) {
                return Some(Found::Race { other, other_wrote: false });
            }
            if self.nc & nibble != 0 {
                return Some(Found::NonCoherent);
            }
            self.written |= nibble;
            let same = self.write.same_thread(who)
                && self.write.clock == who.clock
                && self.write.strong() == who.strong();
            let kept = if same { self.write.bytes() } else { 0 };
            self.write = Record { info: who.info | kept, ..who };
            for r in &mut self.reads {
                if r.bytes() & !u32::from(nibble) == 0 {
                    *r = Record::default();
                }
            }
            return None;
        }
        if kind == Touch::ReadNc {
            if self.written & nibble != 0 {
                return Some(Found::NonCoherent);
            }
            self.nc |= nibble;
        }
        self.add_read(who, ordered, block);
        None
    }

    fn add_read(
        &mut self,
        who: Record,
        ordered: impl Fn(Record) -> bool,
        block: impl Fn(u32) -> u32,
    ) {
        let [a, b] = self.reads;
        let covered = |r: Record| {
            r.bytes() == 0 || ((r.same_thread(who) || ordered(r)) && r.bytes() & !who.bytes() == 0)
        };
        // A weak read must not be hidden by a strong one of the same thread.
        let hides = |r: Record| covered(r) && (r.strong() || !who.strong() || r.bytes() == 0);
        if hides(a) {
            self.reads[0] = who;
        } else if hides(b) {
            self.reads[1] = who;
        } else {
            // Keep a; b becomes the one further away from it.
            let distance =
                |r: Record| u8::from(r.warp != a.warp) + u8::from(block(r.warp) != block(a.warp));
            if distance(who) >= distance(b) {
                self.reads[1] = who;
            }
        }
    }
}

/// Words of a page.
const PAGE: u64 = 256;
/// Pages of a chunk.
const CHUNK: u64 = 1024;

/// The cells of a kilobyte; they count only for one launch.
pub(crate) struct Page {
    launch: u64,
    cells: [Cell; PAGE as usize],
}

type Chunk = Box<[OnceLock<Box<Mutex<Page>>>]>;

/// The pages of an allocation, made when they are first touched. Host threads lock them one at a
/// time.
pub(crate) struct PageTable {
    chunks: u64,
    table: OnceLock<Box<[OnceLock<Chunk>]>>,
}

/// A locked page.
pub(crate) struct PageGuard<'a> {
    number: u64,
    page: MutexGuard<'a, Page>,
}

fn empty<T>(n: u64) -> Box<[OnceLock<T>]> {
    (0..n).map(|_| OnceLock::new()).collect()
}

impl PageTable {
    /// For an allocation of this many words.
    pub(crate) fn new(words: u64) -> Self {
        PageTable { chunks: words.div_ceil(PAGE * CHUNK), table: OnceLock::new() }
    }

    /// Locks the page of a word.
    pub(crate) fn lock(&self, word: u64, launch: u64) -> PageGuard<'_> {
        let number = word / PAGE;
        let table = self.table.get_or_init(|| empty(self.chunks));
        let chunk = table[(number / CHUNK) as usize].get_or_init(|| empty(CHUNK));
        let page = chunk[(number % CHUNK) as usize].get_or_init(|| {
            Box::new(Mutex::new(Page { launch, cells: [Cell::default(); PAGE as usize] }))
        });
        // A page is whole between any two touches.
        let mut page = page.lock().unwrap_or_else(PoisonError::into_inner);
        if page.launch != launch {
            page.launch = launch;
            page.cells.fill(Cell::default());
        }
        PageGuard { number, page }
    }
}

impl PageGuard<'_> {
    #[inline]
    pub(crate) fn holds(&self, word: u64) -> bool {
        word / PAGE == self.number
    }

    #[inline]
    pub(crate) fn cell(&mut self, word: u64) -> &mut Cell {
        &mut self.page.cells[(word % PAGE) as usize]
    }
}
