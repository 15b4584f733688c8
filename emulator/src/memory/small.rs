//! Shared memory of a block and local memory of a warp's threads. One host thread runs a block,
//! so these are plain arrays.

use super::{Cell, spread};
use crate::lanes::WARP;

/// A block's shared memory.
pub(crate) struct SharedMemory {
    pub size: u32,
    words: Vec<u32>,
    init: Vec<u8>,
    /// Race records a word, if races are looked for.
    pub cells: Vec<Cell>,
}

impl SharedMemory {
    pub(crate) fn new(size: u32, races: bool) -> Self {
        let n = size.div_ceil(4) as usize;
        SharedMemory {
            size,
            words: vec![0; n],
            init: vec![0; n],
            cells: vec![Cell::default(); if races { n } else { 0 }],
        }
    }

    #[inline]
    pub(crate) fn load(&self, word: u64) -> u32 {
        self.words[word as usize]
    }

    #[inline]
    pub(crate) fn store(&mut self, word: u64, value: u32, nibble: u8) {
        let w = word as usize;
        let mask = if nibble == 0xf { u32::MAX } else { spread(nibble) };
        self.words[w] = (self.words[w] & !mask) | (value & mask);
        self.init[w] |= nibble;
    }

    #[inline]
    pub(crate) fn is_init(&self, word: u64, nibble: u8) -> bool {
        self.init[word as usize] & nibble == nibble
    }
}

/// Local memory of 32 threads, word by word side by side.
#[derive(Default)]
pub(crate) struct LocalMemory {
    words: Vec<[u32; WARP]>,
    init: Vec<[u8; WARP]>,
}

impl LocalMemory {
    /// Bytes a thread.
    pub(crate) fn size(&self) -> u64 {
        self.words.len() as u64 * 4
    }

    /// Room for a frame, whose old contents are forgotten for these lanes.
    pub(crate) fn enter(&mut self, from: u32, bytes: u32, mask: u32) {
        let (first, end) = ((from / 4) as usize, (from + bytes).div_ceil(4) as usize);
        if self.words.len() < end {
            self.words.resize(end, [0; WARP]);
            self.init.resize(end, [0; WARP]);
        }
        for init in &mut self.init[first..end] {
            for lane in crate::lanes::lanes_of(mask) {
                init[lane] = 0;
            }
        }
    }

    #[inline]
    pub(crate) fn load(&self, lane: usize, word: u64) -> u32 {
        self.words[word as usize][lane]
    }

    #[inline]
    pub(crate) fn store(&mut self, lane: usize, word: u64, value: u32, nibble: u8) {
        let slot = &mut self.words[word as usize][lane];
        let mask = if nibble == 0xf { u32::MAX } else { spread(nibble) };
        *slot = (*slot & !mask) | (value & mask);
        self.init[word as usize][lane] |= nibble;
    }

    #[inline]
    pub(crate) fn is_init(&self, lane: usize, word: u64, nibble: u8) -> bool {
        self.init[word as usize][lane] & nibble == nibble
    }
}
