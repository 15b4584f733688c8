//! The lines of a module's text, and where they come from.

use crate::ptx::ast::SourceLine;
use crate::report::{Line, Source};
use std::collections::HashMap;

/// A module's text, for reports.
pub(crate) struct Text {
    lines: Vec<String>,
    files: HashMap<u64, String>,
    /// In the order of the text.
    sources: Vec<SourceLine>,
}

impl Text {
    pub(crate) fn new(text: &str, files: HashMap<u64, String>, sources: Vec<SourceLine>) -> Self {
        Text { lines: text.lines().map(|l| l.trim().to_owned()).collect(), files, sources }
    }

    /// A line by number, from 1.
    pub(crate) fn line(&self, number: u32) -> Line {
        let text = self.lines.get(number.wrapping_sub(1) as usize).cloned().unwrap_or_default();
        let after = self.sources.partition_point(|s| s.ptx <= number);
        let source = after.checked_sub(1).and_then(|i| {
            let s = self.sources[i];
            let file = self.files.get(&s.file)?.clone();
            (s.line > 0).then_some(Source { file, line: s.line })
        });
        Line { number, text, source }
    }
}
