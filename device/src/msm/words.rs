//! Words in the shared memory of a block: counters, and entries on their way.

use crate::gpu;
use crate::launch::WARP;
use crate::limbs::unroll;

/// Calls `each(i, read(i))` for all i below `count`, each by one thread of the block, which reads
/// AHEAD values before it uses the first: memory is slow to answer.
#[inline(always)]
pub fn for_all<T: Copy, const AHEAD: usize>(
    count: u32,
    read: impl Fn(u32) -> T,
    mut each: impl FnMut(u32, T),
) {
    let threads = gpu::block_size();
    let mut first = gpu::thread_index();
    while first < count {
        let mut values = [const { None }; AHEAD];
        unroll!(I in 0..AHEAD => {
            let i = first + I as u32 * threads;
            values[I] = if i < count { Some(read(i)) } else { None };
        });
        unroll!(I in 0..AHEAD => {
            if let Some(value) = values[I] {
                each(first + I as u32 * threads, value);
            }
        });
        first += AHEAD as u32 * threads;
    }
}

/// The same with whole warps: where i is not below `count` and another lane's is, with the last one's value.
#[inline(always)]
pub fn for_all_of_warps<T: Copy, const AHEAD: usize>(
    count: u32,
    read: impl Fn(u32) -> T,
    mut each: impl FnMut(u32, T),
) {
    let (threads, thread) = (gpu::block_size(), gpu::thread_index());
    let mut first = 0;
    // The same in all threads.
    while first < count {
        // No branch: what lanes do together must not be in two copies.
        let at = |ahead: u32| first + ahead * threads + thread;
        let values: [T; AHEAD] =
            core::array::from_fn(|ahead| read(at(ahead as u32).min(count - 1)));
        unroll!(I in 0..AHEAD => {
            each(at(I as u32), values[I]);
        });
        first += AHEAD as u32 * threads;
    }
}

/// Some words. Handles to them are the same in all threads, which barriers keep apart.
#[derive(Clone, Copy)]
pub struct SharedWords {
    base: u32,
    count: u32,
}

impl SharedWords {
    /// No word.
    pub const NONE: u32 = u32::MAX;

    /// The first `count` words of the block's dynamic shared memory.
    ///
    /// # Safety
    ///
    /// There are as many, with those of [`after`](Self::after), and nothing else uses them.
    #[inline(always)]
    pub unsafe fn first(count: u32) -> Self {
        Self { base: gpu::shared_base(), count }
    }

    /// The `count` words behind these.
    #[inline(always)]
    pub fn after(self, count: u32) -> Self {
        Self { base: self.at(self.count), count }
    }

    #[inline(always)]
    fn at(self, i: u32) -> u32 {
        self.base + 4 * i
    }

    /// A word.
    #[inline(always)]
    pub fn get(self, i: u32) -> u32 {
        // SAFETY: whoever made this vouches for the words, of which this is one.
        unsafe { gpu::load_shared_word(self.at(i)) }
    }

    /// Sets a word.
    #[inline(always)]
    pub fn set(self, i: u32, word: u32) {
        // SAFETY: as in `get`.
        unsafe { gpu::store_shared_word(self.at(i), word) }
    }

    /// Half a word, of which there are twice as many.
    #[inline(always)]
    pub fn get_half(self, i: u32) -> u32 {
        // SAFETY: as in `get`.
        unsafe { gpu::load_shared_half(self.base + 2 * i) }
    }

    /// Sets half a word.
    #[inline(always)]
    pub fn set_half(self, i: u32, half: u32) {
        // SAFETY: as in `get`.
        unsafe { gpu::store_shared_half(self.base + 2 * i, half) }
    }

    /// Adds to a word, to which others add at the same time, and gives what it was before.
    #[inline(always)]
    pub fn add(self, i: u32, value: u32) -> u32 {
        // SAFETY: as in `get`.
        unsafe { gpu::fetch_add_shared(self.at(i), value) }
    }

    /// Adds 1 to each lane's word, to which others add at the same time, and gives what it was before; lanes with
    /// [`NONE`](Self::NONE) get something. Of the lanes that have the first one's word one adds for all: additions to
    /// one word wait for each other.
    ///
    /// # Safety
    ///
    /// All lanes of the warp call it together, and those with a word come before those without.
    #[inline(always)]
    pub unsafe fn count(self, word: u32) -> u32 {
        let lane = gpu::lane();
        // SAFETY: all lanes are here, as they are below.
        let (first, same) = unsafe {
            let first = gpu::value_of(0, word);
            (first, gpu::lanes_where(word == first))
        };
        let mut before = 0;
        if lane == 0 && word != Self::NONE {
            before = self.add(word, same.count_ones());
        }
        // SAFETY: as above.
        let of_first = unsafe { gpu::value_of(0, before) };
        if word == first {
            of_first + (same & ((1 << lane) - 1)).count_ones()
        } else if word != Self::NONE {
            self.add(word, 1)
        } else {
            0
        }
    }

    /// Calls `word(i)` for all words, each by one thread of the block.
    #[inline(always)]
    pub fn for_each(self, mut word: impl FnMut(u32)) {
        let mut i = gpu::thread_index();
        while i < self.count {
            word(i);
            i += gpu::block_size();
        }
    }

    /// Each word becomes the sum of those before it. `of_warps` are [`WARP`] more words.
    ///
    /// # Safety
    ///
    /// All threads of the block call it together, which are whole warps. Only a barrier before it
    /// shows them the words; it ends with one.
    #[inline(always)]
    pub unsafe fn sum_up(self, of_warps: Self) {
        let (thread, lane) = (gpu::thread_index(), gpu::lane());
        let (warp, warps) = (thread / WARP, gpu::block_size() / WARP);
        let mut before = 0u32;
        let mut first = 0;
        // The same in all threads, so that they meet at barriers.
        while first < self.count {
            let i = first + thread;
            let value = if i < self.count { self.get(i) } else { 0 };
            // SAFETY: all lanes are here, as they are below.
            let sum = unsafe { gpu::sum_to_lane(value) };
            if lane == WARP - 1 {
                of_warps.set(warp, sum);
            }
            gpu::barrier();
            let of_warp = if lane < warps { of_warps.get(lane) } else { 0 };
            // SAFETY: as above.
            let (of_lower, of_all) = unsafe {
                let to_warp = gpu::sum_to_lane(of_warp);
                (gpu::value_of(warp, to_warp - of_warp), gpu::value_of(WARP - 1, to_warp))
            };
            if i < self.count {
                self.set(i, before.wrapping_add(of_lower).wrapping_add(sum - value));
            }
            before = before.wrapping_add(of_all);
            first += gpu::block_size();
            gpu::barrier();
        }
    }
}
