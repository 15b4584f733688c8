//! A sum of points that four lanes of a warp compute together: the quickest form where there are few
//! sums, so that what counts is how many products stand in a row.
//!
//! add-2008-s has 12M + 2S. Each lane has one coordinate of both points, and all multiply at once, what
//! each finds in its slots and its neighbours': four products in a row in place of fourteen.
//!
//! | lane | first | | second | third | | fourth | |
//! | --- | --- | --- | --- | --- | --- | --- | --- |
//! | 0: x | U₁ = x₁·zz₂ | P = U₂ − U₁ | P² | Q = U₁·P² | x₃ = R² − P³ − 2Q | R·(Q − x₃) | |
//! | 1: y | S₁ = y₁·zzz₂ | R = S₂ − S₁ | R² | P³ = P·P² | | S₁·P³ | y₃, the difference |
//! | 2: zz | U₂ = zz₁·x₂ | | zz₁·zz₂ | zz₃, by P² | | | |
//! | 3: zzz | S₂ = zzz₁·y₂ | | zzz₁·zzz₂ | | | zzz₃, by P³ | |
//!
//! Two of the sixteen products are nobody's. Equal points have P = R = 0: then all of a warp make one
//! product more, for the tangent P = 2·S₁ and R = 3·U₁², and x₃ goes without P³. Opposite points have
//! P = 0 alone, so that zz₃ = 0.
//!
//! On an H200 (2026-11-30), additions of the 81,920 buckets of 2¹⁶ terms, in twelve levels: 0.19 ms by
//! teams, 0.31 by threads in [`SharedXyzz`](super::shared::SharedXyzz). Where there are more than about
//! four blocks of additions for each multiprocessor threads are quicker: theirs have fewer products, some
//! of them squares, and one reduction less.

use super::Xyzz;
use crate::field::Field;
use crate::gpu;
use crate::launch::TEAM;
use crate::slots::Slots;
use crate::words::{read, write};

/// The slots of a lane: its coordinates of both points, what comes of them, and what comes of that.
const A: u32 = 0;
const B: u32 = 1;
const C: u32 = 2;
const D: u32 = 3;

const _: () = assert!(D + 1 == crate::launch::TEAM_SLOTS);

/// The lanes that have the first coordinate.
const FIRST: u32 = 0x1111_1111;

const _: () = assert!(TEAM == 4);

/// One lane's part of the sum of its team.
#[derive(Clone, Copy)]
pub struct TeamXyzz<F, const THREADS: u32> {
    slots: Slots<F, THREADS>,
    /// Which coordinate the lane has.
    coordinate: u32,
}

impl<F: Field, const THREADS: u32> TeamXyzz<F, THREADS> {
    /// The lane's part, not set yet. Teams are lanes 0 to 3 of a warp, 4 to 7, and so on.
    #[inline(always)]
    pub fn new(slots: Slots<F, THREADS>) -> Self {
        Self { slots, coordinate: gpu::lane() % TEAM }
    }

    /// Sets the lane's coordinate of the sum.
    #[inline(always)]
    pub fn set(&self, coordinate: &F) {
        self.slots.set(A, coordinate);
    }

    /// The lane's coordinate of the sum.
    #[inline(always)]
    pub fn get(&self) -> F {
        self.slots.get(A)
    }

    /// Adds a point in memory to another one, if the team is to.
    ///
    /// # Safety
    ///
    /// All lanes of the warp call it together, and those of a team with the same arguments. If the team
    /// is to, the points are as in [`read`] and [`write`], and no other one accesses `to` or writes
    /// `other` before the next barrier.
    #[inline(always)]
    pub unsafe fn add_to(&self, to: *mut Xyzz<F>, other: *const Xyzz<F>, is_to: bool) {
        let coordinate = self.coordinate as usize;
        let (to, other) = (to.cast::<F>(), other.cast::<F>());
        let (mut a, mut b) = (F::ZERO, F::ZERO);
        // SAFETY: the caller vouches for the points, which are their coordinates.
        unsafe {
            // Two branches on one condition would be made one, with a copy of what is between in either
            // arm, and the warp parted: so the second is on what the lanes say.
            let teams = gpu::lanes_where(is_to);
            if is_to {
                a = read(to.add(coordinate));
                b = read(other.add(coordinate));
            }
            self.set(&a);
            self.add(&b);
            if teams >> gpu::lane() & 1 != 0 {
                write(to.add(coordinate), &self.get());
            }
        }
    }

    /// The slots of the team's lane that has a coordinate.
    ///
    /// # Safety
    ///
    /// As of [`Slots::of_thread`], but for that there is the lane.
    #[inline(always)]
    unsafe fn lane(&self, coordinate: u32) -> Slots<F, THREADS> {
        // SAFETY: blocks are of whole warps, which are of whole teams.
        unsafe { self.slots.of_thread(coordinate.wrapping_sub(self.coordinate)) }
    }

    /// The team's bit of those that its first lane's stand for.
    #[inline(always)]
    fn of_team(&self, firsts: u32) -> bool {
        firsts >> (gpu::lane() - self.coordinate) & 1 != 0
    }

    /// Adds a point of which each lane gives its coordinate.
    ///
    /// # Safety
    ///
    /// All lanes of the warp call it together.
    #[inline(always)]
    pub unsafe fn add(&self, other: &F) {
        let own = self.slots;
        // SAFETY: all lanes are here, and between what one writes and another one reads there is
        // always a barrier.
        unsafe {
            let infinite_sum = gpu::lanes_where(own.get(A).is_zero()) >> 2 & FIRST;
            let infinite_other = gpu::lanes_where(other.is_zero()) >> 2 & FIRST;
            let infinite = infinite_sum | infinite_other;
            own.set(B, other);
            if infinite != FIRST {
                gpu::warp_barrier();
                self.finite(infinite);
            }
            if self.of_team(infinite_sum) {
                own.set(A, &own.get(B));
            }
        }
    }

    /// The sum of two finite points in A and B; of the teams of `infinite` these slots stay.
    ///
    /// # Safety
    ///
    /// All lanes of the warp call it together, after a barrier.
    #[inline(always)]
    unsafe fn finite(&self, infinite: u32) {
        let (own, coordinate) = (self.slots, self.coordinate);
        let finite = !self.of_team(infinite);
        // SAFETY: as above.
        unsafe {
            let (first, second) = (self.lane(0), self.lane(1));
            let across = self.lane(coordinate ^ 2);
            own.set(C, &Slots::product_of((own, A), (across, B)));
            gpu::warp_barrier();
            let difference = across.get(C) - own.get(C);
            if finite && coordinate < 2 {
                own.set(B, &difference);
            }
            let zeros = gpu::lanes_where(difference.is_zero());
            let equal = zeros & zeros >> 1 & FIRST & !infinite;
            let double = self.of_team(equal);
            if equal != 0 {
                let square = Slots::product_of((first, C), (first, C));
                if double && coordinate == 0 {
                    own.set(B, &second.get(C).double());
                }
                if double && coordinate == 1 {
                    own.set(B, &(square.double() + square));
                }
            }

            let left = if coordinate < 2 { B } else { A };
            let product = Slots::product_of((own, left), (own, B));
            if finite {
                own.set(A, &product);
            }
            gpu::warp_barrier();

            let left = match coordinate {
                0 => (own, C),
                1 => (first, B),
                _ => (own, A),
            };
            own.set(D, &Slots::product_of(left, (first, A)));
            gpu::warp_barrier();

            if coordinate == 0 {
                let q = own.get(D);
                let mut x = second.get(A) - q - q;
                if !double {
                    x = x - second.get(D);
                }
                own.set(D, &x);
                own.set(C, &(q - x));
            }
            let left = match coordinate {
                0 => (second, B),
                1 => (own, C),
                _ => (own, A),
            };
            let right = if coordinate == 0 { (own, C) } else { (second, D) };
            let product = Slots::product_of(left, right);
            if coordinate == 0 {
                own.set(C, &product);
            }
            gpu::warp_barrier();

            let sum = match coordinate {
                1 => first.get(C) - product,
                3 => product,
                _ => own.get(D),
            };
            if finite {
                own.set(A, &sum);
            }
        }
    }
}
