//! The same on the CPU, which is what proofs are made on without a GPU.

mod field;
mod msm;
mod ntt;

pub use field::run as field;
pub use msm::run as msm;
pub use ntt::run as ntt;

use std::time::Instant;

use super::spread::Spread;

/// The CPU's name and the threads that work.
fn name() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let mut lines = info.lines().filter_map(|line| line.split_once(':'));
    let model = lines.find(|(key, _)| key.trim() == "model name");
    let model = model.map_or("CPU", |(_, model)| model.trim());
    format!("{model}, {} threads", rayon::current_num_threads())
}

/// The times of some runs in seconds, the first of which is not counted.
fn times(repeats: u32, mut run: impl FnMut()) -> Spread {
    let time = |_| {
        let start = Instant::now();
        run();
        start.elapsed().as_secs_f64()
    };
    let times: Vec<f64> = (0..=repeats).map(time).collect();
    Spread::of(times[1..].iter().copied())
}
