//! `warpfield bench tune-msm`: what makes sums quickest, by trial.

mod race;
mod report;
mod search;

use std::time::{Duration, Instant};

use tracing::info;
use warpfield::curve::{G1, G2};
use warpfield::msm::gpu::{DeviceGroup, Split, Tables};

use self::race::Race;
use self::report::{Report, Row};
use self::search::{Bounds, search};
use super::Bench;
use crate::args::{GroupName, TuneMsm};
use crate::failure::Failure;

/// From so many terms on there may be segments long enough to be halved.
const HALVED: usize = 1 << 18;

/// Searches for each length, the shortest first.
pub fn run(options: &TuneMsm) -> Result<(), Failure> {
    match options.group {
        GroupName::G1 => of_group::<G1>(options),
        GroupName::G2 => of_group::<G2>(options),
    }
}

fn of_group<G: DeviceGroup>(options: &TuneMsm) -> Result<(), Failure> {
    let device = options.device.open(crate::device::EMULATED)?;
    let bench = Bench::<G>::new(&device)?;
    let mut logs = options.log_size.clone();
    logs.sort_unstable();
    logs.dedup();
    info!("operands of 2^{} terms", logs[logs.len() - 1]);
    let uploaded = bench.upload(&device, 1 << logs[logs.len() - 1])?;
    let blocks = bench.msm.halving_blocks().map_err(Failure::other)?;

    let (mut rows, mut least_bits) = (Vec::new(), 2);
    for log in logs {
        let terms = uploaded.terms(log)?;
        let halving = (G::HALVES && 1 << log >= HALVED).then_some(blocks);
        let tables = match options.tables {
            0 => None,
            _ => Some(Tables::within::<G>(1 << log, usize::MAX)),
        };
        let start = match tables {
            None => Split::of::<G>(1 << log, blocks),
            Some(tables) => Split::with::<G>(1 << log, tables, blocks),
        };
        let deadline = Instant::now() + Duration::from_secs(options.seconds.into());
        let mut race = Race::new(&bench, &terms, options.tables, deadline);
        let best = search(start, Bounds { least_bits, halving }, |splits| race.run(splits))?;
        let Some(best) = best else {
            info!("2^{log}: no room, left out");
            continue;
        };
        let row = Row::new(log, &best, race.sums(), race.is_late());
        info!("{}", row.remark());
        least_bits = best.split.bits;
        rows.push(row);
    }
    let report = Report::new(device.info(), G::NAME, options, rows);
    Failure::print(if options.json { report.json() } else { report.text() })
}
