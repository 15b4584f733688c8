//! Control flow, calls, memory spaces, barriers and warp-wide instructions, by small kernels.

#[path = "kernels/control.rs"]
mod control;
#[path = "kernels/memory.rs"]
mod memory;
#[path = "kernels/random.rs"]
mod random;
#[path = "kernels/support.rs"]
mod support;
#[path = "kernels/sync.rs"]
mod sync;
#[path = "kernels/warp.rs"]
mod warp;
