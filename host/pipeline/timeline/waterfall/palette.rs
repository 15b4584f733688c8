//! Colours.

use std::fmt::Write as _;

use crate::pipeline::timeline::stage::{Kind, Stage};

/// What is not a stage, and the ground, in light viewers.
const LIGHT: &str = "\
    .ground{fill:#ffffff}.row{fill:#f3f4f6}.grid{stroke:#d5d9df;stroke-width:1}.busy{fill:#374151}\
    text{fill:#4b5563}.title{fill:#111827}.device{fill:#111827}";

/// The same in dark ones.
const DARK: &str = "\
    .ground{fill:#0d1117}.row{fill:#161b22}.grid{stroke:#30363d}.busy{fill:#d1d5db}\
    text{fill:#9ca3af}.title{fill:#f3f4f6}.device{fill:#f3f4f6}";

const FONTS: &str = "\
    text{font:12px system-ui,-apple-system,'Segoe UI',Helvetica,Arial,sans-serif}\
    .title{font-size:17px;font-weight:600}.device{font-weight:600}.small{font-size:9px}\
    .name{font-size:11px}.lane,.small,.device,.unit{text-anchor:end}\
    .tick,.on-light,.on-dark{text-anchor:middle}\
    .on-light,.on-dark{font-size:10px;pointer-events:none}\
    text.on-light{fill:#1f2937}text.on-dark{fill:#ffffff}";

/// Waits are pale, copies green, kernels up to the quotient blue, sums red to yellow.
fn colour(stage: Stage) -> &'static str {
    match stage {
        Stage::QueueWait => "#c4cad3",
        Stage::SlotWait => "#d8c3a5",
        Stage::PrepWait => "#e6d38a",
        Stage::ComputeWait => "#e3b7b7",
        Stage::CopyWait => "#b5d8c8",
        Stage::DeviceWait => "#bccbe6",
        Stage::BarrierWait => "#d5bfe3",
        Stage::Witness => "#3c8f5a",
        Stage::KeyRead => "#5c9e3c",
        Stage::Enqueue => "#64748b",
        Stage::Epilogue => "#7a5195",
        Stage::Check => "#8c6239",
        Stage::Output => "#0e7490",
        Stage::PrepHeld => "#c9a227",
        Stage::ComputeHeld => "#b04a4a",
        Stage::Upload => "#1f9e89",
        Stage::KeyUpload => "#12b5a0",
        Stage::Rows => "#6b5fd0",
        Stage::Ntt => "#3b78d8",
        Stage::Quotient => "#2a9fc4",
        Stage::Gather => "#7d8a2e",
        Stage::MsmH => "#d9622b",
        Stage::MsmA => "#c8423b",
        Stage::MsmB1 => "#c03a73",
        Stage::MsmB2 => "#95348f",
        Stage::MsmC => "#c98a12",
        Stage::Download => "#11705f",
    }
}

/// Whether what is written on a bar is dark.
pub(super) fn is_light(stage: Option<Stage>) -> bool {
    stage.is_some_and(|stage| stage.kind() == Kind::Wait)
}

/// The style sheet.
pub(super) fn style() -> String {
    let mut style = format!("{FONTS}{LIGHT}");
    for stage in Stage::ALL {
        // Writing to a string does not fail.
        let _ = write!(style, ".{stage}{{fill:{}}}", colour(stage));
    }
    let waits = Stage::ALL.iter().filter(|stage| stage.kind() == Kind::Wait);
    let waits: Vec<String> = waits.map(|stage| format!(".{stage}")).collect();
    // Pale colours would outshine the rest there.
    let waits = format!("{}{{fill-opacity:.6}}text.on-light{{fill:#f3f4f6}}", waits.join(","));
    let _ = write!(style, "@media(prefers-color-scheme:dark){{{DARK}{waits}}}");
    style
}
