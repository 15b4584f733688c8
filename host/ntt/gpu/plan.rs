//! Which kernels make a transform.

use warpfield_device::ntt::{WINDOW, flags, tile_bytes};

use super::super::{Direction, Order};

/// Most layers of a pass.
const MAX_LAYERS: u32 = 9;

/// log₂ of a tile's elements, where there are enough.
const LOG_TILE: u32 = 10;

/// Where elements are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Buffer {
    /// The caller's.
    Values,
    /// The caller's other.
    Scratch,
}

use Buffer::{Scratch, Values};

/// The shape of a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pass {
    pub first: u32,
    pub layers: u32,
    pub log_columns: u32,
    pub flags: u32,
}

impl Pass {
    fn log_tile(&self) -> u32 {
        self.layers + self.log_columns
    }

    pub fn tiles(&self, log_size: u32) -> u32 {
        1 << (log_size - self.log_tile())
    }

    pub fn threads(&self) -> u32 {
        1 << (self.log_tile() - WINDOW)
    }

    pub fn shared_bytes(&self) -> u32 {
        tile_bytes(self.log_tile())
    }
}

/// One launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Some layers.
    Pass { pass: Pass, from: Buffer, to: Buffer },
    /// A whole transform that is too small for a pass.
    Small { flags: u32 },
    /// The other order.
    BitReverse { from: Buffer, to: Buffer },
}

impl Step {
    pub fn from(&self) -> Buffer {
        match self {
            Self::Pass { from, .. } | Self::BitReverse { from, .. } => *from,
            Self::Small { .. } => Values,
        }
    }

    pub fn to(&self) -> Buffer {
        match self {
            Self::Pass { to, .. } | Self::BitReverse { to, .. } => *to,
            Self::Small { .. } => Values,
        }
    }

    pub fn uses_scratch(&self) -> bool {
        self.from() == Scratch || self.to() == Scratch
    }
}

/// The layers' passes, from the first layer on: first layer and number of layers.
fn passes(log_size: u32) -> Vec<(u32, u32)> {
    let count = log_size.div_ceil(MAX_LAYERS);
    let mut first = 0;
    let pass = |i| {
        let layers = log_size / count + u32::from(i < log_size % count);
        let pass = (first, layers);
        first += layers;
        pass
    };
    (0..count).map(pass).collect()
}

/// The launches of a transform.
pub fn steps(log_size: u32, coset: bool, direction: Direction, order: Order) -> Vec<Step> {
    let inverse = direction == Direction::Inverse;
    let (input_reversed, output_reversed) = (order.input_reversed(), order.output_reversed());
    if log_size < WINDOW {
        let input = if input_reversed { flags::INPUT_REVERSED } else { 0 };
        let output = if output_reversed { flags::REVERSED } else { 0 };
        return vec![Step::Small { flags: input | output }];
    }
    // The network goes from natural order to reversed, transposed from reversed to natural. On a
    // coset it is the inverse of the transposed one with the inverse twiddles, and no other.
    let transposed = if coset { inverse } else { order == Order::RN };
    let before = input_reversed != transposed;
    let after = output_reversed == transposed;

    let mut order = passes(log_size);
    if transposed {
        order.reverse();
    }
    let last = order.len() - 1;
    let mut steps = Vec::new();
    let mut current = Values;
    if before {
        steps.push(Step::BitReverse { from: Values, to: Scratch });
        current = Scratch;
    }
    // Reversing on the way is only for the last pass of the other network; it needs another buffer,
    // unless there is one tile.
    let fused = after && !transposed;
    for (i, (first, layers)) in order.into_iter().enumerate() {
        let mut bits = 0;
        let mut flag = |flag, on| bits |= if on { flag } else { 0 };
        flag(flags::TRANSPOSED, transposed);
        flag(flags::LAYERED, coset);
        flag(flags::REVERSED, fused && i == last);
        flag(flags::DIVIDED, inverse && i == last);
        let beside = if first + layers < log_size { log_size - first - layers } else { first };
        let log_columns = beside.min(LOG_TILE.saturating_sub(layers));
        let pass = Pass { first, layers, log_columns, flags: bits };
        let to = match (fused, after) {
            (true, _) if i == last => Values,
            (true, _) | (false, true) => Scratch,
            (false, false) => Values,
        };
        steps.push(Step::Pass { pass, from: current, to });
        current = to;
    }
    if after && !fused {
        steps.push(Step::BitReverse { from: Scratch, to: Values });
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ptx;

    #[test]
    fn launches_are_as_described() {
        let launch = ptx::entry("ntt_pass").expect("a kernel").launch;
        assert_eq!(ptx::entry("ntt_pass_transposed").expect("a kernel").launch, launch);
        for log_size in WINDOW..=30 {
            for step in steps(log_size, false, Direction::Forward, Order::NN) {
                if let Step::Pass { pass, .. } = step {
                    assert_eq!(launch.shared_bytes(pass.threads()), pass.shared_bytes());
                }
            }
        }
    }
}
