//! What the documentation shows is right: its commands run, what it quotes is there, its links lead somewhere.
//!
//! Commands in blocks for a shell run as they stand, one after the other, in a folder that keeps the files which
//! they make. Those that cannot (a GPU, a build of minutes, an installation) are in `rules.rs`, each with its
//! reason and what is done instead. Commands in the text need no files, so the program is asked for its help on
//! them. A command that is new is run, and one that a rule is about no longer fails, too.
#![cfg(feature = "ptx")]

mod cargo;
mod markdown;
mod quotes;
mod rules;

use std::collections::BTreeSet;
use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use markdown::{Span, blocks, commands, spans};
use rules::{Instead, RULES, about};
use tempfile::TempDir;

/// Documents whose commands run in one folder: the later ones go on with the files of the first.
const DOCUMENTS: [&str; 9] = [
    "README.md",
    "docs/proving.md",
    "docs/using-the-kernels.md",
    "docs/fuzzing-kernels.md",
    "docs/adding-a-kernel.md",
    "SECURITY.md",
    "device/README.md",
    "emulator/README.md",
    "benches/README.md",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(name: &str) -> String {
    fs::read_to_string(root().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// A folder to run commands in, with the programs on the path.
struct Session {
    folder: TempDir,
    programs: TempDir,
}

impl Session {
    fn new() -> Self {
        let session =
            Self { folder: tempfile::tempdir().unwrap(), programs: tempfile::tempdir().unwrap() };
        let modules = warpfield_interop::root().join("node_modules");
        session.program("warpfield", &format!("{:?}", warpfield_interop::program()));
        for (name, script) in [("snarkjs", "snarkjs/build/cli.cjs"), ("circom2", "circom2/cli.js")]
        {
            session.program(name, &format!("node {:?}", modules.join(script)));
        }
        session
    }

    fn program(&self, name: &str, command: &str) {
        let path = self.programs.path().join(name);
        fs::write(&path, format!("#!/bin/sh\nexec {command} \"$@\"\n")).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// Runs a command.
    fn run(&self, command: &str) -> Result<(), String> {
        self.output(command).map(drop)
    }

    /// What a command prints, run in a shell, with something to read for those that ask for random text.
    fn output(&self, command: &str) -> Result<String, String> {
        let path = std::env::var("PATH").unwrap_or_default();
        let mut shell = Command::new("sh");
        shell.args(["-euc", command]).current_dir(self.folder.path());
        shell.env("PATH", format!("{}:{path}", self.programs.path().display()));
        shell.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = shell.spawn().map_err(|error| error.to_string())?;
        let mut input = child.stdin.take().expect("it is piped");
        // Most commands read nothing, and have closed it.
        let _ = input.write_all(b"some random text\n");
        drop(input);
        let output = child.wait_with_output().map_err(|error| error.to_string())?;
        let [out, err] =
            [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
        if output.status.success() {
            return Ok(out);
        }
        Err(format!("{}\n{out}\n{err}", output.status))
    }

    /// Runs a command of a document, or does what is to be done instead.
    fn follow(&self, folder: &Path, text: &str) -> Result<(), String> {
        let (command, instead, _) = about(without_variables(text));
        match instead {
            None => self.run(&command),
            Some(instead) => self.instead(folder, &command, instead),
        }
    }

    /// Asks about a command in the text.
    fn ask(&self, folder: &Path, text: &str) -> Result<(), String> {
        let (command, instead, _) = about(without_variables(text));
        match instead {
            None if command.starts_with("warpfield ") => self.help(&command),
            None => Err("is neither known to the program nor listed in rules.rs".into()),
            Some(instead) => self.instead(folder, &command, instead),
        }
    }

    fn instead(&self, folder: &Path, command: &str, instead: Instead) -> Result<(), String> {
        match instead {
            Instead::Run(other) => self.run(other),
            Instead::Afterwards => Ok(()),
            Instead::Help => self.help(command),
            Instead::Is(file, text) => match read(file).contains(text) {
                true => Ok(()),
                false => Err(format!("{file} has no {text:?}")),
            },
            Instead::Cargo => {
                let arguments = command.strip_prefix("cargo ").unwrap_or_default();
                let rest = cargo::check(folder, arguments)?;
                // That of benches/ is not built here.
                let is_ours = !folder.ends_with("benches") && arguments.starts_with("run");
                match rest.filter(|_| is_ours) {
                    Some(rest) => self.help(&format!("warpfield {rest}")),
                    None => Ok(()),
                }
            }
            Instead::With(_) => unreachable!("it decides nothing"),
        }
    }

    fn help(&self, command: &str) -> Result<(), String> {
        self.run(&format!("{command} --help"))
    }
}

/// A command without what is set for it.
fn without_variables(command: &str) -> &str {
    match command.split_once(' ') {
        Some((first, rest)) if first.contains('=') && !first.starts_with('-') => {
            without_variables(rest)
        }
        _ => command,
    }
}

/// The folder that a document's commands are for.
fn folder(document: &str) -> PathBuf {
    // The device's are for the root, whose package has the tests.
    let own = ["benches"].iter().find(|folder| document.starts_with(**folder));
    own.map_or_else(root, |folder| root().join(folder))
}

/// The commands in the text: what begins with a program's name and goes on.
fn commands_in_text(document: &str) -> Vec<Span> {
    let programs = ["cargo", "circom2", "node", "npm", "npx", "rustup", "snarkjs", "warpfield"];
    let of_program = |mut span: Span| {
        // The README leaves out the program's name now and then.
        if span.text.starts_with("bench ") {
            span.text.insert_str(0, "warpfield ");
        }
        let command = without_variables(&span.text);
        let (program, _) = command.split_once(' ').unwrap_or((command, ""));
        let is_script = program.ends_with(".sh");
        let is_command = programs.contains(&program) && program != command;
        (is_script || is_command).then_some(span)
    };
    spans(document).into_iter().filter_map(of_program).collect()
}

fn commands_in_blocks(document: &str) -> Vec<Span> {
    let shell = blocks(document).into_iter().filter(|block| block.language == "sh");
    shell.flat_map(|block| commands(&block)).collect()
}

/// What is not read is not run.
#[test]
fn all_is_read() {
    for entry in fs::read_dir(root().join("docs")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let is_read = DOCUMENTS.contains(&&*format!("docs/{name}"));
        assert!(is_read || !name.ends_with(".md"), "docs/{name} is not in DOCUMENTS");
    }
    for name in DOCUMENTS {
        for block in blocks(&read(name)) {
            let known = ["circom", "rs", "rust", "sh", "text", "toml"];
            assert!(known.contains(&&*block.language), "{name}:{}: {}", block.line, block.language);
        }
    }
}

#[test]
fn commands_in_blocks_run() {
    let session = Session::new();
    for name in DOCUMENTS {
        let document = read(name);
        for block in blocks(&document).iter().filter(|block| block.language == "circom") {
            let template =
                block.text.split("template ").nth(1).and_then(|rest| rest.split('(').next());
            let file = format!("{}.circom", template.expect("a template").to_lowercase());
            fs::write(session.folder.path().join(file), &block.text).unwrap();
        }
        let afterwards = |span: &Span| matches!(about(&span.text).1, Some(Instead::Afterwards));
        let later = commands_in_text(&document).into_iter().filter(afterwards);
        let later = later.map(|span| (session.run(&span.text), span));
        let all = commands_in_blocks(&document).into_iter();
        let all = all.map(|span| (session.follow(&folder(name), &span.text), span));
        for (result, Span { line, text }) in all.chain(later) {
            result.unwrap_or_else(|why| panic!("{name}:{line}: {text}\n{why}"));
        }
    }
}

#[test]
fn commands_in_text_are_known() {
    let session = Session::new();
    for name in DOCUMENTS {
        for Span { line, text } in commands_in_text(&read(name)) {
            let result = session.ask(&folder(name), &text);
            result.unwrap_or_else(|why| panic!("{name}:{line}: {text}\n{why}"));
        }
    }
}

/// The options of the program, and of cargo and npm, that the text names.
#[test]
fn options_in_text_are_known() {
    let session = Session::new();
    let commands = "prove plan verify export-vk inspect setup demo devices bench\\ field bench\\ ntt \
                    bench\\ msm bench\\ tune-msm bench\\ prove bench\\ locks";
    let help = session.output(&format!("for c in {commands}; do warpfield $c --help; done"));
    let help = help.unwrap_or_else(|why| panic!("{why}"));
    let known: BTreeSet<&str> = help.split([' ', '\n', ',', '`', '[', ']']).collect();
    let mut found = 0;
    for name in ["README.md", "docs/proving.md", "SECURITY.md"] {
        for Span { line, text } in spans(&read(name)) {
            let option = text.split(' ').next().unwrap_or_default();
            if option.starts_with("--") && option != "--features" {
                assert!(known.contains(option), "{name}:{line}: {option}");
                found += 1;
            }
        }
    }
    assert!(found > 20, "{found}");
}

#[test]
fn every_rule_is_needed() {
    let mut used = BTreeSet::new();
    for document in DOCUMENTS.map(read) {
        let all = commands_in_blocks(&document).into_iter().chain(commands_in_text(&document));
        all.for_each(|span| used.extend(about(without_variables(&span.text)).2));
    }
    let unused = RULES.iter().enumerate().filter(|(number, _)| !used.contains(number));
    let unused: Vec<_> = unused.map(|(_, rule)| (rule.about, rule.why)).collect();
    assert_eq!(unused, []);
}

#[test]
fn what_is_wrong_is_found() {
    let session = Session::new();
    let root = root();
    assert_eq!(session.follow(&root, "echo a > b"), Ok(()));
    for wrong in [
        "warpfield prove nothing.zkey w.wtns p.json x.json",
        "snarkjs groth16 verify a b c",
        "cargo test --test no-such",
        "cargo run --release -- demo --no-such",
        "no-such-program",
        "false | true; false",
    ] {
        assert!(session.follow(&root, wrong).is_err(), "{wrong}");
    }
    for wrong in [
        "warpfield no-such",
        "warpfield bench prove --constrains 2^20",
        "snarkjs zkey no-such",
        "cargo run --release --features cuda -- no-such",
        "scripts/no-such.sh",
    ] {
        assert!(session.ask(&root, wrong).is_err(), "{wrong}");
    }
}
