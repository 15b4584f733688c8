//! Number-theoretic transforms over Fr, in passes over memory.
//!
//! # The network
//!
//! A block of 2m coefficients modulo X²ᵐ − w² becomes one modulo Xᵐ − w and one modulo Xᵐ + w, so a
//! whole block has one twiddle w. Layer l begins with 2ˡ blocks. With the twiddles in bit-reversed
//! order, block b of any layer takes entry b of one table. That leads from natural order to
//! bit-reversed; the transposed network, from the last layer to the first, leads back from
//! bit-reversed order to natural.
//!
//! On a coset g·⟨ω⟩ the twiddles of layer l are multiplied by g to the n/2ˡ⁺¹, so each layer has a
//! table of its own, at entry 2ˡ of a table of n.
//!
//! # Passes
//!
//! A pass does the layers from `first` to `first + layers` on tiles in shared memory. An index has,
//! from the top, `first` bits of its block, `layers` bits that the pass transforms, and the rest, its
//! column. A tile is 2 to the `layers` elements of each of a few columns, so that neighbours in memory
//! are read together; in the last layers, where there are no columns, of a few blocks. Within a tile a
//! thread holds two or four elements, on which it does one layer or two, and exchanges them for others.
//!
//! Four elements take fewer exchanges, and two more threads: that is for transforms that do not fill
//! the device otherwise. More than four take so many registers that there are too few warps to hide
//! each other's latencies: on an H200 eight are slower by a twentieth.

/// What a pass does, in bits.
pub mod flags {
    /// The result is written in the other order; only with the last layers, not transposed, and in place
    /// only if there is but one tile.
    pub const REVERSED: u32 = 1;
    /// Each layer has twiddles of its own.
    pub const LAYERED: u32 = 2;
    /// The result is divided by the transform's size.
    pub const DIVIDED: u32 = 4;
}

/// Bytes of shared memory for a tile of 2 to this many elements.
pub const fn tile_bytes(log_tile: u32) -> u32 {
    32 << log_tile
}

#[cfg(target_arch = "nvptx64")]
pub mod pass;
pub mod residue;
pub mod twiddle;
