//! Which kernels make a transform.

use warpfield_device::ntt::{flags, tile_bytes};

use super::super::{Direction, Order};

/// Most layers of a pass.
const MAX_LAYERS: u32 = 8;

/// log₂ of a tile's elements, where there are enough.
const LOG_TILE: u32 = 9;

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
    /// Whether the layers are transposed and done from the last to the first.
    pub transposed: bool,
    pub flags: u32,
}

impl Pass {
    fn log_tile(&self) -> u32 {
        self.layers + self.log_columns
    }

    pub fn tiles(&self, log_size: u32) -> u32 {
        1 << (log_size - self.log_tile())
    }

    /// Of each of which a thread holds 2 to the `log_held` elements.
    pub fn threads(&self, log_held: u32) -> u32 {
        1 << (self.log_tile() - log_held)
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
    /// The other order.
    BitReverse { from: Buffer, to: Buffer },
}

impl Step {
    pub fn from(&self) -> Buffer {
        match self {
            Self::Pass { from, .. } | Self::BitReverse { from, .. } => *from,
        }
    }

    pub fn to(&self) -> Buffer {
        match self {
            Self::Pass { to, .. } | Self::BitReverse { to, .. } => *to,
        }
    }

    pub fn uses_scratch(&self) -> bool {
        self.from() == Scratch || self.to() == Scratch
    }
}

/// The layers' passes, from the first layer on: first layer and number of layers. That is even, but for the
/// last of an odd number, and least in the first passes, which take longest for each layer.
fn passes(log_size: u32) -> Vec<(u32, u32)> {
    let (count, pairs) = (log_size.div_ceil(MAX_LAYERS), log_size.div_ceil(2));
    let mut first = 0;
    let pass = |i| {
        let layers = 2 * (pairs / count + u32::from(i >= count - pairs % count));
        let pass = (first, layers.min(log_size - first));
        first += layers;
        pass
    };
    (0..count).map(pass).collect()
}

/// The launches of a transform.
pub fn steps(log_size: u32, coset: bool, direction: Direction, order: Order) -> Vec<Step> {
    let inverse = direction == Direction::Inverse;
    let (input_reversed, output_reversed) = (order.input_reversed(), order.output_reversed());
    if log_size == 0 {
        // Nothing, but that the element may be a missing one.
        return vec![Step::BitReverse { from: Values, to: Values }];
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
        flag(flags::LAYERED, coset);
        flag(flags::REVERSED, fused && i == last);
        flag(flags::DIVIDED, inverse && i == last);
        let beside = if first + layers < log_size { log_size - first - layers } else { first };
        let log_columns = beside.min(LOG_TILE.saturating_sub(layers));
        let pass = Pass { first, layers, log_columns, transposed, flags: bits };
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
        for (log_held, held) in [(1, "two"), (2, "four")] {
            let launch = ptx::entry(&format!("ntt_pass_{held}")).expect("a kernel").launch;
            let transposed = ptx::entry(&format!("ntt_pass_{held}_transposed")).expect("a kernel");
            assert_eq!(transposed.launch, launch);
            for log_size in log_held..=30 {
                for step in steps(log_size, false, Direction::Forward, Order::NN) {
                    let Step::Pass { pass, .. } = step else { continue };
                    if pass.layers >= log_held {
                        assert_eq!(
                            launch.shared_bytes(pass.threads(log_held)),
                            pass.shared_bytes()
                        );
                    }
                }
            }
        }
    }
}
