//! Runs circom and snarkjs, which `npm ci` in this folder installs at the locked versions, and the
//! program `warpfield` beside them.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::LazyLock;

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

/// The program, built from the sources that are there now.
fn program() -> &'static Path {
    static PROGRAM: LazyLock<PathBuf> = LazyLock::new(|| {
        // TARGET/PROFILE/deps/TEST: cargo puts the program to TARGET/PROFILE.
        let test = std::env::current_exe().expect("a test has a path");
        let profile = test.ancestors().nth(2).expect("the test is in PROFILE/deps");
        let mut build = Command::new(env!("CARGO"));
        build.args(["build", "--bin", "warpfield", "--target-dir"]);
        build.arg(profile.parent().expect("the profile is in TARGET"));
        build.args(profile.ends_with("release").then_some("--release"));
        let status = build.current_dir(root().join("../..")).status();
        assert!(status.is_ok_and(|status| status.success()), "{build:?} failed");
        profile.join("warpfield")
    });
    &PROGRAM
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
