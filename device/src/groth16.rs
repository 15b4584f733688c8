//! A partition of a Groth16 proof, up to its sums: products of sparse matrices with a witness, the
//! quotient point by point, and the scalars that belong to the key's points.
//!
//! # Matrices
//!
//! A matrix is a list of entries, row by row, each a wire and the number of a value among the values that
//! there are. Rows differ in length by orders of magnitude, so a thread takes a *piece*, which has no more
//! than some number of entries. Most rows are one. A row that is longer is cut: it has several pieces, which
//! come after all rows, and a warp sums up what they give.
//!
//! Where pieces start is one list: that of each row; then, in a matrix with rows that are cut, where the last
//! row ends; then for each row that is cut its pieces, and where the last of them ends. A piece ends
//! where the next in the list starts. What is the start of no piece has the bit [`CUT`].
//!
//! Values are times R² and witnesses are ordinary integers, so that one Montgomery product, which divides by
//! R, gives a product in Montgomery form.
//!
//! Rows are written in bit-reversed order, from which the transforms begin.

/// Says of a start that there is no piece: of a row that is cut, and of an end.
pub const CUT: u32 = 1 << 31;

/// An entry: its wire in the lower half, and the number of its value above.
pub const fn entry(wire: u32, value: u32) -> u64 {
    wire as u64 | (value as u64) << 32
}

/// Says that rows are written.
pub const WRITE: u32 = 0;

/// Says that what is there is multiplied by rows.
pub const MULTIPLY: u32 = 1;

#[cfg(target_arch = "nvptx64")]
mod pointwise;
#[cfg(target_arch = "nvptx64")]
mod rows;
