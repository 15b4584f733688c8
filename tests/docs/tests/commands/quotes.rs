//! What documents take from elsewhere: quoted lines, files that links lead to, versions of dependencies.

use std::path::Path;

use crate::markdown::{Block, blocks, links, spans};
use crate::{DOCUMENTS, read, root};

/// Lines without what they are indented by.
fn lines(text: &str) -> Vec<&str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty()).collect()
}

/// The files that a paragraph of a document links to.
fn linked<'a>(document: &str, paragraph: &'a str) -> Vec<(std::path::PathBuf, &'a str)> {
    let base = root().join(Path::new(document).parent().expect("a file in a folder"));
    let files = links(paragraph).into_iter().filter(|link| !link.starts_with("https://"));
    files
        .map(|link| link.split_once('#').unwrap_or((link, "")))
        .map(|(file, part)| match file {
            "" => (root().join(document), part),
            _ => (base.join(file), part),
        })
        .collect()
}

/// Whether the last file that the paragraph before a block links to has the block's lines one after the other. Of
/// several blocks after one paragraph each counts.
fn is_quoted(document: &str, block: &Block) -> bool {
    let wanted = lines(&block.text);
    let files = linked(document, &block.before);
    let (path, _) = files.last().expect("a link to the file before the block");
    let content = std::fs::read_to_string(path).unwrap_or_default();
    !wanted.is_empty() && lines(&content).windows(wanted.len()).any(|found| found == wanted)
}

/// Quotes are `rs`, which rustdoc takes for text; `rust` is compiled and run.
#[test]
fn quotes_are_what_the_files_have() {
    let mut quotes = 0;
    for name in DOCUMENTS {
        for block in blocks(&read(name)).iter().filter(|block| block.language == "rs") {
            assert!(is_quoted(name, block), "{name}:{}: not in its file", block.line);
            quotes += 1;
        }
    }
    assert!(quotes > 5, "{quotes}");
}

#[test]
fn a_quote_that_differs_is_found() {
    let block = |text: &str| Block {
        language: "rs".into(),
        line: 1,
        text: text.into(),
        before: "[a file](tests/docs/src/lib.rs)".into(),
    };
    assert!(is_quoted("README.md", &block("mod guides {")));
    assert!(!is_quoted("README.md", &block("mod guide {")) && !is_quoted("README.md", &block("")));
    assert!(!is_quoted("README.md", &block("mod guides {\nstruct Proving;")));
}

#[test]
fn links_lead_somewhere() {
    for name in DOCUMENTS.into_iter().chain(["CHANGELOG.md"]) {
        let document = read(name);
        for (path, part) in linked(name, &document) {
            assert!(path.exists(), "{name}: {}", path.display());
            let heading = |line: &str| {
                let words = line.trim_start_matches('#').trim().to_lowercase().replace(' ', "-");
                line.starts_with('#') && words.replace([',', '.', '’'], "") == part
            };
            let content = || std::fs::read_to_string(&path).unwrap_or_default();
            assert!(part.is_empty() || content().lines().any(heading), "{name}: #{part}");
        }
    }
}

/// Files and folders of the repository that the text names.
#[test]
fn paths_in_the_text_are_there() {
    let tops = [
        "benches/",
        "build/",
        "device/",
        "docs/",
        "emulator/",
        "examples/",
        "host/",
        "scripts/",
        "tests/",
    ];
    for name in DOCUMENTS {
        for span in spans(&read(name)) {
            let (path, _) = span.text.split_once(' ').unwrap_or((&span.text, ""));
            if tops.iter().any(|top| path.starts_with(top)) {
                let exists =
                    [path.to_owned(), format!("{path}.rs")].iter().any(|p| root().join(p).exists());
                assert!(exists, "{name}:{}: {path}", span.line);
            }
        }
    }
}

#[test]
fn dependencies_are_those_of_the_packages() {
    let manifests = ["Cargo.toml", "tests/docs/Cargo.toml"].map(read).concat();
    let mut found = 0;
    for name in DOCUMENTS {
        for block in blocks(&read(name)).iter().filter(|block| block.language == "toml") {
            let mut section = String::new();
            for line in lines(&block.text) {
                if line.starts_with('#') {
                    continue;
                }
                if line.starts_with('[') {
                    section = line.to_owned();
                    continue;
                }
                let (package, requirement) = line.split_once(" = ").expect("a key and a value");
                if !section.ends_with("dependencies]") {
                    if let Some((_, path)) = requirement.split_once("/path/to/warpfield/") {
                        assert!(root().join(path.trim_matches('"')).exists(), "{name}: {line}");
                    }
                    continue;
                }
                if requirement.starts_with('{') {
                    assert!(requirement.contains("path = \"../warpfield"), "{name}: {line}");
                    continue;
                }
                let version = requirement.trim_matches('"');
                let ours = [
                    format!("{package} = \"{version}"),
                    format!("{package} = {{ version = \"{version}"),
                ];
                let is_ours = |line: &str| ours.iter().any(|ours| line.starts_with(ours));
                assert!(manifests.lines().any(is_ours), "{name}: {line}");
                found += 1;
            }
        }
    }
    assert!(found > 3, "{found}");
}

/// The features of a package, without `default`.
fn features(manifest: &str) -> Vec<String> {
    let manifest = read(manifest);
    let section = manifest.split("\n[features]\n").nth(1).expect("features");
    let section = section.split("\n[").next().expect("split gives one");
    let names = section.lines().filter_map(|line| line.split_once(" = ")).map(|(name, _)| name);
    names.filter(|name| !name.starts_with('#') && *name != "default").map(str::to_owned).collect()
}

/// The names in the first column of the table of features.
fn documented(text: &str) -> Vec<String> {
    let (_, table) = text.split_once("| feature | gives |").expect("a table of features");
    let lines = table.lines().map(|line| line.trim_start_matches("//!").trim());
    let rows = lines.skip(2).take_while(|line| line.starts_with('|'));
    let first = rows.filter_map(|row| row.split('|').nth(1));
    let names = first.flat_map(|cell| cell.split('`').skip(1).step_by(2).map(str::to_owned));
    names.collect()
}

#[test]
fn features_are_documented() {
    for (manifest, document) in [
        ("Cargo.toml", "README.md"),
        ("Cargo.toml", "host/lib.rs"),
        ("device/Cargo.toml", "device/src/lib.rs"),
    ] {
        let [mut there, mut found] = [features(manifest), documented(&read(document))];
        there.sort_unstable();
        found.sort_unstable();
        assert_eq!(there, found, "{document}");
    }
}
