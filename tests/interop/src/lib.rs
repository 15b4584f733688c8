//! Runs circom and snarkjs, which `npm ci` in this folder installs at the locked versions, and the
//! program `warpfield` beside them.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::SystemTime;

/// The folder of this package.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Runs snarkjs in `folder`; the arguments are separated by spaces.
pub fn snarkjs(folder: &Path, arguments: &str) -> Output {
    node(folder, "snarkjs/build/cli.cjs", arguments)
}

/// Runs the circom compiler in `folder`.
pub fn circom(folder: &Path, arguments: &str) -> Output {
    node(folder, "circom2/cli.js", arguments)
}

fn node(folder: &Path, script: &str, arguments: &str) -> Output {
    let script = root().join("node_modules").join(script);
    assert!(
        script.exists(),
        "{} is missing; run `npm ci` in {}, or the test command of the README",
        script.display(),
        root().display()
    );
    run(Command::new("node").arg(script), folder, arguments)
}

/// Runs a script with node in `folder`.
pub fn node_script(folder: &Path, arguments: &str) -> Output {
    run(&mut Command::new("node"), folder, arguments)
}

/// Runs the program `warpfield` in `folder`.
pub fn warpfield(folder: &Path, arguments: &str) -> Output {
    run(&mut Command::new(program()), folder, arguments)
}

/// The program that cargo built with these tests: `target/PROFILE/warpfield` beside
/// `target/PROFILE/deps/TEST`. One that is older than its sources would test the past.
pub fn program() -> PathBuf {
    let test = std::env::current_exe().expect("a test has a path");
    let profile = test.ancestors().nth(2).expect("the test is in PROFILE/deps");
    let program = profile.join("warpfield");
    let built = modified(&program).unwrap_or(SystemTime::UNIX_EPOCH);
    let newest = newest(&root().join("../../host")).expect("the sources are there");
    assert!(built >= newest, "{} is missing or old; test with --workspace", program.display());
    program
}

fn modified(path: &Path) -> std::io::Result<SystemTime> {
    path.metadata()?.modified()
}

/// When the newest file of a folder was last changed.
fn newest(folder: &Path) -> std::io::Result<SystemTime> {
    let mut newest = SystemTime::UNIX_EPOCH;
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        newest = newest.max(if path.is_dir() { self::newest(&path)? } else { modified(&path)? });
    }
    Ok(newest)
}

fn run(command: &mut Command, folder: &Path, arguments: &str) -> Output {
    let command = command.args(arguments.split_whitespace()).current_dir(folder);
    command.output().unwrap_or_else(|error| panic!("cannot run {command:?}: {error}"))
}

/// Panics with the output unless it tells success.
#[track_caller]
pub fn succeeded(output: &Output) {
    assert!(
        output.status.success(),
        "{}\n{}\n{}",
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}
