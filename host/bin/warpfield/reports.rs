//! Where the time of a run went.

use warpfield::formats::Staged;
use warpfield::pipeline::timeline::{Recording, Report, Timeline};

use crate::args::{ReportForm, ReportOptions};
use crate::failure::Failure;

/// A timeline, if anything is to be told.
pub fn timeline(options: &ReportOptions) -> Timeline {
    if options.is_wanted() { Timeline::on() } else { Timeline::off() }
}

/// Writes and prints what is asked for.
pub fn write(options: &ReportOptions, timeline: &Timeline, title: &str) -> Result<(), Failure> {
    if !options.is_wanted() {
        return Ok(());
    }
    let recording = timeline.recording();
    write_report(options, &recording, &Report::of(&recording), title)
}

/// The same of a report that is made.
pub fn write_report(
    options: &ReportOptions,
    recording: &Recording,
    report: &Report,
    title: &str,
) -> Result<(), Failure> {
    if let Some(path) = &options.timeline {
        let trace = recording.to_trace();
        Staged::write(path, |out| out.write_all(trace.as_bytes()))?.commit()?;
    }
    if let Some(path) = &options.waterfall {
        let picture = recording.to_svg(report, title);
        Staged::write(path, |out| out.write_all(picture.as_bytes()))?.commit()?;
    }
    match options.report {
        None => Ok(()),
        Some(ReportForm::Table) => Failure::print(report),
        Some(ReportForm::Cuzk) => Failure::print(recording.to_cuzk(report)),
        Some(ReportForm::Json) => {
            let mut lines = Vec::new();
            recording.write_lines(report, &mut lines).map_err(Failure::other)?;
            Failure::print(String::from_utf8_lossy(&lines).trim_end())
        }
    }
}
