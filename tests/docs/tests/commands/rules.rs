//! What is not run as it stands.

/// What is done in place of a command.
#[derive(Clone, Copy, Debug)]
pub enum Instead {
    /// This runs.
    Run(&'static str),
    /// The command runs with this in place of what the rule is about.
    With(&'static str),
    /// It runs as it stands, when the document's blocks have.
    Afterwards,
    /// The program is asked about the command by `--help`, which refuses unknown commands and options.
    Help,
    /// What the command names must be there: see `cargo.rs`.
    Cargo,
    /// The file, from the root, has this: there it runs, or what it does is written down.
    Is(&'static str, &'static str),
}

/// A reason not to run a command as it stands.
#[derive(Debug)]
pub struct Rule {
    /// What the command begins with; with [`Instead::With`] what it has somewhere.
    pub about: &'static str,
    pub why: &'static str,
    pub instead: Instead,
}

const fn rule(about: &'static str, why: &'static str, instead: Instead) -> Rule {
    Rule { about, why, instead }
}

use Instead::{Afterwards, Cargo, Help, Is, Run, With};

const GPU: &str = "needs a GPU";
const BUILT: &str = "the program is built already";
const HOURS: &str = "takes long, or measures a GPU";
const GLOBAL: &str = "installs for all of the machine";
const SCRIPT: &str = "builds everything, or needs a GPU";
const SPOKEN_OF: &str = "is spoken of";

/// The first one that is about a command counts; those with [`Instead::With`] before it, and all of them.
pub const RULES: &[Rule] = &[
    rule("cargo run --release -- ", BUILT, With("warpfield ")),
    rule("--device cuda", GPU, With("--device emulated")),
    // In `sh` blocks.
    rule("scripts/test.sh", "runs this test", Is(".ci/run", "step scripts/test.sh")),
    rule(
        "scripts/rust-src.sh",
        "the kernels are built already",
        Is("scripts/test.sh", "\nscripts/rust-src.sh\n"),
    ),
    rule("scripts/gpu.sh build", SCRIPT, Is("scripts/gpu.sh", "build) build")),
    rule("scripts/public-api.sh", "installs a tool", Is("scripts/public-api.sh", "cargo rustdoc")),
    rule("npm install -g circom2 snarkjs", GLOBAL, Is("tests/interop/package.json", "\"circom2\"")),
    rule("warpfield bench", HOURS, Help),
    rule(
        "warpfield prove circuit.zkey --out-dir proofs one.wtns",
        "the witnesses are the reader's",
        Run("for name in one two three; do cp witness.wtns $name.wtns; done; \
             warpfield prove circuit.zkey --out-dir proofs one.wtns two.wtns three.wtns"),
    ),
    // In the text.
    rule(
        "warpfield bench field|ntt|",
        "names of commands",
        Run(
            "for name in field ntt msm tune-msm prove locks; do warpfield bench $name --help; done",
        ),
    ),
    rule("warpfield help COMMAND", "any command", Run("warpfield help prove")),
    rule("DIR/gpu.sh test", SCRIPT, Is("scripts/gpu.sh", "test) run_tests")),
    rule("DIR/gpu.sh bench", SCRIPT, Is("scripts/gpu.sh", "bench) bench")),
    rule("DIR/gpu.sh sanitize", SCRIPT, Is("scripts/gpu.sh", "sanitize) sanitize")),
    rule(
        "rustup component add rust-src",
        GLOBAL,
        Is("scripts/rust-src.sh", "rustup component add rust-src"),
    ),
    rule(
        "scripts/fuzz.sh",
        "takes minutes, and brings cargo-fuzz",
        Is("scripts/fuzz.sh", "cargo fuzz run"),
    ),
    rule("npm ci", "runs before the tests", Is("scripts/test.sh", "npm --prefix tests/interop ci")),
    rule(
        "snarkjs groth16 prove",
        SPOKEN_OF,
        Is("tests/interop/tests/snarkjs.rs", "groth16 prove k.zkey"),
    ),
    rule("node snarkjs groth16 prove", SPOKEN_OF, Is("benches/src/snarkjs.rs", "groth16")),
    rule(
        "snarkjs wtns check",
        SPOKEN_OF,
        Is("tests/interop/tests/snarkjs.rs", "wtns check c.r1cs"),
    ),
    rule(
        "snarkjs zkey verify",
        SPOKEN_OF,
        Is("README.md", "snarkjs zkey verify multiplier.r1cs pot.ptau"),
    ),
    rule("snarkjs zkey verify multiplier.r1cs", "needs the files of the blocks", Afterwards),
    rule("cargo", "builds anew", Cargo),
];

/// The rules about a command: what it becomes by those that replace a part of it, and the one that decides what is
/// done, if there is one; with the numbers of all of them.
pub fn about(command: &str) -> (String, Option<Instead>, Vec<usize>) {
    let (mut command, mut used) = (command.to_owned(), Vec::new());
    for (number, rule) in RULES.iter().enumerate() {
        if let With(other) = rule.instead
            && command.contains(rule.about)
        {
            command = command.replace(rule.about, other);
            used.push(number);
        }
    }
    let decides =
        |rule: &&Rule| !matches!(rule.instead, With(_)) && command.starts_with(rule.about);
    // The longest, as the most special.
    let found = RULES.iter().filter(decides).max_by_key(|rule| rule.about.len());
    if let Some(rule) = found {
        used.extend(RULES.iter().position(|other| std::ptr::eq(other, rule)));
    }
    (command, found.map(|rule| rule.instead), used)
}
