//! Where and when something was measured.

use std::fs;
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::Serialize;

/// A load average that disturbs measurements.
const BUSY: f64 = 0.5;

/// What a reader of a table must know of its origin.
#[derive(Serialize)]
pub struct Setting {
    date: String,
    cpu: String,
    threads: usize,
    /// How often each thing was measured, if more than once.
    rounds: Option<u32>,
    rustc: String,
    versions: Vec<Version>,
}

#[derive(Serialize)]
struct Version {
    name: String,
    version: String,
}

impl Setting {
    /// `packages` are named as in the lock file.
    pub fn new(threads: usize, rounds: Option<u32>, packages: &[&str]) -> Self {
        let versions = packages.iter().map(|name| Version {
            name: (*name).to_owned(),
            version: locked_version(name).to_owned(),
        });
        Self {
            date: today(),
            cpu: cpu(),
            threads,
            rounds,
            rustc: output(Command::new("rustc").arg("--version")),
            versions: versions.collect(),
        }
    }

    /// Adds something that no lock file of ours knows.
    pub fn push_version(&mut self, name: &str, version: String) {
        self.versions.push(Version { name: name.to_owned(), version });
    }

    /// The lines above a table, and a warning if the machine has other work to do.
    pub fn print(&self) {
        if let Some(load) = load().filter(|load| *load > BUSY) {
            eprintln!(
                "warning: the load average of the last minute is {load}; if other processes are \
                 still running, times are too long and ratios unsteady"
            );
        }
        let Self { date, cpu, threads, rustc, .. } = self;
        let rounds = self.rounds.map(|rounds| format!(", {rounds} rounds")).unwrap_or_default();
        let versions: Vec<_> = self
            .versions
            .iter()
            .map(|Version { name, version }| format!("{name} {version}"))
            .collect();
        println!("{date}, {cpu}, {threads} threads{rounds}, {rustc}.");
        println!("{}.\n", versions.join(", "));
    }
}

/// What a command prints, in one line.
pub fn output(command: &mut Command) -> String {
    match command.output() {
        Ok(output) if output.status.success() => {
            String::from_utf8_lossy(&output.stdout).trim().to_owned()
        }
        _ => format!("{} of unknown version", command.get_program().display()),
    }
}

/// A package's version in this package's lock file.
fn locked_version(package: &str) -> &'static str {
    let lock = include_str!("../Cargo.lock");
    let entry = format!("name = \"{package}\"\nversion = \"");
    lock.split_once(&entry)
        .and_then(|(_, rest)| rest.split_once('"'))
        .map_or("of unknown version", |(version, _)| version)
}

/// Processes that ran or wanted to, on average over the last minute.
fn load() -> Option<f64> {
    fs::read_to_string("/proc/loadavg").ok()?.split(' ').next()?.parse().ok()
}

fn cpu() -> String {
    let cpus = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpus
        .lines()
        .filter_map(|line| line.split_once(':'))
        .find(|(key, _)| key.trim() == "model name")
        .map_or("unknown CPU", |(_, model)| model.trim());
    let count = std::thread::available_parallelism().map_or(0, usize::from);
    format!("{model} ({count} processors)")
}

/// Today in UTC, as year-month-day.
fn today() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let (year, month, day) = civil(since.as_secs() / 86_400);
    format!("{year}-{month:02}-{day:02}")
}

/// Year, month and day of the `days`-th day after 1970-01-01, by Hinnant's `civil_from_days`: years
/// begin in March, so that the leap day is a year's last.
fn civil(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let (year, month) = match month {
        0..10 => (era * 400 + year_of_era, month + 3),
        _ => (era * 400 + year_of_era + 1, month - 9),
    };
    (year, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_those_of_the_calendar() {
        let known = [
            (0, (1970, 1, 1)),
            (59, (1970, 3, 1)),
            (11_016, (2000, 2, 29)),
            (11_017, (2000, 3, 1)),
            (20_453, (2025, 12, 31)),
        ];
        for (days, date) in known {
            assert_eq!(civil(days), date);
        }
    }

    #[test]
    fn the_lock_file_is_searched() {
        assert_eq!(locked_version("warpfield-benches"), env!("CARGO_PKG_VERSION"));
        assert!(locked_version("ark-groth16").starts_with("0.6."));
    }
}
