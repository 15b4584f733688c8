//! Field elements in shared memory, and operations on them that are calls.
//!
//! The formulas of a point have more values than a thread has registers, and more products than the
//! instruction cache holds. Here a thread keeps its values in slots of shared memory, a product is a
//! call that takes slots and gives its result in registers, and little but addresses lives across
//! the call. So a kernel needs the registers of one product, twice as many warps fit a
//! multiprocessor, and nothing is spilled.
//!
//! # Additions on the wrong unit
//!
//! `ptxas` turns additions and moves into multiply-adds (`IMAD.X`, `IMAD.MOV`, `IMAD.IADD`) until a
//! kernel's instructions are about even between the two units, counting each once wherever it
//! stands. A kernel with more additions than multiply-adds so loses 4 to 10 % on the unit that
//! bounds it. That is why most differences are calls too; why products in branches that are rarely
//! taken are inlined, of the kind with few additions; and why those of an extension do not use
//! Karatsuba within its base field. (Seen with `ptxas` 13.0 and 13.5 for sm_90.)

use core::marker::PhantomData;

use crate::field::Field;
use crate::gpu;
use crate::words::Words;

/// The slots of a thread in a block of THREADS.
///
/// A quad of words of all threads is one run of memory, so accesses meet no bank conflicts.
#[derive(Clone, Copy)]
pub struct Slots<F, const THREADS: u32> {
    /// The address of the thread's first quad.
    base: u32,
    field: PhantomData<F>,
}

/// Bytes from one quad of a thread to the next.
const fn stride(threads: u32) -> u32 {
    16 * threads
}

/// The value at an address.
#[inline(always)]
fn load<T: Words, const THREADS: u32>(address: u32) -> T {
    // SAFETY: in the slots of this thread, as whoever makes them vouches.
    T::from_quads(|i| unsafe { gpu::load_shared(address + i * const { stride(THREADS) }) })
}

#[inline(always)]
fn store<T: Words, const THREADS: u32>(address: u32, value: &T) {
    value.for_quads(|i, quad| {
        // SAFETY: as in `load`.
        unsafe { gpu::store_shared(address + i * const { stride(THREADS) }, quad) };
    });
}

/// What becomes of a product: reduced, kept unreduced in two slots, or reduced with what was kept.
const ONLY: u32 = 0;
const KEEP: u32 = 1;
const ADD: u32 = 2;

#[inline(never)]
extern "C" fn multiply<F: Field, const THREADS: u32>(a: u32, b: u32, kept: u32, mode: u32) -> F {
    let mut wide = load::<F, THREADS>(a).mul_wide(&load::<F, THREADS>(b));
    if mode == KEEP {
        store::<F::Wide, THREADS>(kept, &wide);
        return F::ZERO;
    }
    if mode == ADD {
        wide = F::add_wide(&wide, &load::<F::Wide, THREADS>(kept));
    }
    F::reduce(&wide)
}

#[inline(never)]
extern "C" fn square<F: Field, const THREADS: u32>(a: u32) -> F {
    load::<F, THREADS>(a).square_inline()
}

#[inline(never)]
extern "C" fn subtract<F: Field, const THREADS: u32>(a: u32, b: u32) -> F {
    load::<F, THREADS>(a) - load::<F, THREADS>(b)
}

impl<F: Field, const THREADS: u32> Slots<F, THREADS> {
    /// The slots of this thread.
    ///
    /// # Safety
    ///
    /// The block has THREADS threads at most, in one dimension. Its dynamic shared memory holds as
    /// many slots as are used, see [`bytes`](crate::launch::bytes), and nothing else uses it.
    #[inline(always)]
    pub unsafe fn new() -> Self {
        Self { base: gpu::shared_base() + 16 * gpu::thread_index(), field: PhantomData }
    }

    /// Those of another thread of the block: `distance` threads on, modulo 2³².
    ///
    /// # Safety
    ///
    /// There is that thread, and a barrier is between what one thread writes and another one accesses.
    #[inline(always)]
    pub unsafe fn of_thread(self, distance: u32) -> Self {
        Self { base: self.base.wrapping_add(distance.wrapping_mul(16)), ..self }
    }

    #[inline(always)]
    fn at(self, slot: u32) -> u32 {
        self.base + slot * (F::QUADS * stride(THREADS))
    }

    /// The value of a slot that was set.
    #[inline(always)]
    pub fn get(self, slot: u32) -> F {
        load::<F, THREADS>(self.at(slot))
    }

    /// Sets a slot.
    #[inline(always)]
    pub fn set(self, slot: u32, value: &F) {
        store::<F, THREADS>(self.at(slot), value);
    }

    /// `a·b`.
    #[inline(always)]
    pub fn product(self, a: u32, b: u32) -> F {
        multiply::<F, THREADS>(self.at(a), self.at(b), 0, ONLY)
    }

    /// `a·b`, of slots of two threads.
    #[inline(always)]
    pub fn product_of((a, slot_a): (Self, u32), (b, slot_b): (Self, u32)) -> F {
        multiply::<F, THREADS>(a.at(slot_a), b.at(slot_b), 0, ONLY)
    }

    /// `a²`.
    #[inline(always)]
    pub fn squared(self, a: u32) -> F {
        square::<F, THREADS>(self.at(a))
    }

    /// `to = a·b`.
    #[inline(always)]
    pub fn multiply(self, to: u32, a: u32, b: u32) {
        self.set(to, &self.product(a, b));
    }

    /// `a·b + c·d`, with one reduction; overwrites slots `kept` and `kept + 1`, which may be a and b.
    #[inline(always)]
    pub fn sum_of_products(self, (a, b): (u32, u32), (c, d): (u32, u32), kept: u32) -> F {
        multiply::<F, THREADS>(self.at(a), self.at(b), self.at(kept), KEEP);
        multiply::<F, THREADS>(self.at(c), self.at(d), self.at(kept), ADD)
    }

    /// `to = a²`.
    #[inline(always)]
    pub fn square(self, to: u32, a: u32) {
        self.set(to, &self.squared(a));
    }

    /// `to = a − b`.
    #[inline(always)]
    pub fn subtract(self, to: u32, a: u32, b: u32) {
        self.set(to, &subtract::<F, THREADS>(self.at(a), self.at(b)));
    }
}
