//! Describes the kernels: reads their names, parameters and documentation from the device's sources,
//! macros expanded, and writes them as constants of `host/ptx.rs`.

use std::fmt::Write;

/// What stands before the name of a kernel.
const HEAD: &str = "unsafe extern \"ptx-kernel\" fn ";

/// An array of `Entry` from sources with all macros expanded.
pub fn describe(expanded: &str) -> Result<String, String> {
    let mut entries = String::from("&[\n");
    let mut docs = String::new();
    let mut lines = expanded.lines().map(str::trim);
    while let Some(line) = lines.next() {
        if let Some(text) = line.strip_prefix("///") {
            docs += text.strip_prefix(' ').unwrap_or(text);
            docs.push('\n');
        } else if line.starts_with("#[doc =") {
            let text = join(line, &mut lines, ']')?;
            // That of a macro's definition is not a string.
            let text = text.strip_suffix("\"]").and_then(|text| text.split_once('"'));
            docs += text.map_or("", |(_, text)| text);
            docs.push('\n');
        } else if let Some((_, head)) = line.split_once(HEAD) {
            // The definition of a macro is still there.
            if head.starts_with('$') {
                continue;
            }
            let head = join(head, &mut lines, '{')?;
            entry(&mut entries, &head, &docs)
                .ok_or_else(|| format!("not the head of a kernel as it is expected: {head}"))?;
            docs.clear();
        } else if !line.starts_with("#[") {
            docs.clear();
        }
    }
    entries += "]\n";
    Ok(entries)
}

/// A line with those that follow, up to one that has this.
fn join<'a>(
    line: &str,
    lines: &mut impl Iterator<Item = &'a str>,
    end: char,
) -> Result<String, String> {
    let mut text = line.to_owned();
    while !text.contains(end) {
        text.push(' ');
        text += lines.next().ok_or_else(|| format!("no {end} behind: {line}"))?;
    }
    Ok(text)
}

/// Appends the `Entry` of `name(a: *const T, b: u32) {`.
fn entry(entries: &mut String, head: &str, docs: &str) -> Option<()> {
    let (name, rest) = head.split_once('(')?;
    let (list, _) = rest.split_once(')')?;
    let mut parameters = String::new();
    for parameter in list.split(',').map(str::trim).filter(|parameter| !parameter.is_empty()) {
        let (name, full) = parameter.split_once(": ")?;
        let (kind, generic) = match full.split_once(' ') {
            Some(("*mut", element)) => ("written", element),
            Some(("*const", element)) => ("read", element),
            _ => ("number", full),
        };
        write!(parameters, "Parameter::{kind}::<{generic}>({name:?}, {full:?}), ").ok()?;
    }
    let launch = format!("launch::of({name:?})");
    writeln!(
        entries,
        "Entry {{ name: {name:?}, parameters: &[{parameters}], launch: {launch}, docs: {docs:?} }},"
    )
    .ok()
}
