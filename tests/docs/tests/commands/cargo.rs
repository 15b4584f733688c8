//! That what a cargo command names is there. It is not run: it would build anew, for minutes.

use std::fs;
use std::path::Path;

/// Checks a command without the word `cargo`, given in a folder of the repository, and returns what it passes
/// on to a program.
pub fn check(folder: &Path, arguments: &str) -> Result<Option<String>, String> {
    let (arguments, rest) = match arguments.split_once(" -- ") {
        Some((arguments, rest)) => (arguments, Some(rest.to_owned())),
        None => (arguments, None),
    };
    let mut words = arguments.split_whitespace();
    let command = words.next().unwrap_or_default();
    if !["bench", "build", "clippy", "doc", "fmt", "install", "run", "test"].contains(&command) {
        return Err(format!("no cargo command {command} is known here"));
    }
    let mut package = folder.to_owned();
    let (mut features, mut test, mut filter) = (Vec::new(), None, None);
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or_else(|| format!("{word} without a value"));
        match word {
            "--release" | "--locked" | "--workspace" | "--all-targets" | "--open" | "--all"
            | "--check" => {}
            "--path" => has(&folder.join(value()?).join("Cargo.toml"))?,
            "--features" => features.extend(value()?.split(',').map(str::to_owned)),
            "-p" => package = package_folder(folder, value()?)?,
            "--test" => {
                let name = value()?;
                target(&package.join("tests"), name)?;
                test = Some(package.join("tests").join(name));
            }
            "--bench" => target(&package.join("benches"), value()?)?,
            "--example" => target(&package.join("examples"), value()?)?,
            // What `cargo test` runs of a test.
            word if !word.starts_with('-') && command == "test" && filter.is_none() => {
                filter = Some(word);
            }
            word => return Err(format!("{word} is not known here")),
        }
    }
    if let Some((test, filter)) = test.zip(filter)
        && !names(&test, filter)
    {
        return Err(format!("no test of {} is called {filter}", test.display()));
    }
    let manifest = fs::read_to_string(package.join("Cargo.toml")).map_err(|e| e.to_string())?;
    for feature in features {
        let is_one = manifest.lines().any(|line| line.starts_with(&format!("{feature} = [")));
        if !is_one {
            return Err(format!("{} has no feature {feature}", package.display()));
        }
    }
    Ok(rest)
}

fn has(path: &Path) -> Result<(), String> {
    path.exists().then_some(()).ok_or_else(|| format!("{} is not there", path.display()))
}

/// Whether a file of a test's folder is called so, or has a name in it that is: not in a text, as of a kernel.
fn names(test: &Path, filter: &str) -> bool {
    let is_in = |source: &str| {
        let is_word = |c: char| c.is_alphanumeric() || "_\"".contains(c);
        source.split(|c| !is_word(c)).any(|word| word.contains(filter) && !word.contains('"'))
    };
    fs::read_dir(test).into_iter().flatten().flatten().any(|entry| {
        let path = entry.path();
        path.file_stem().is_some_and(|stem| stem == filter)
            || fs::read_to_string(path).is_ok_and(|source| is_in(&source))
    })
}

/// A target is a file, or a folder with a main.rs.
fn target(folder: &Path, name: &str) -> Result<(), String> {
    has(&folder.join(format!("{name}.rs"))).or_else(|_| has(&folder.join(name).join("main.rs")))
}

/// The folder of a member of the workspace.
fn package_folder(root: &Path, name: &str) -> Result<std::path::PathBuf, String> {
    let line = format!("name = {name:?}");
    let is_it = |folder: &&str| {
        let manifest = fs::read_to_string(root.join(folder).join("Cargo.toml"));
        manifest.is_ok_and(|manifest| manifest.lines().any(|other| other == line))
    };
    let folders = ["device", "emulator", "tests/docs", "tests/interop", "."];
    let found = folders.into_iter().find(is_it).ok_or_else(|| format!("no package {name}"))?;
    Ok(root.join(found))
}

#[test]
fn what_is_not_there_is_found() {
    let root = crate::root();
    let check = |arguments: &str| check(&root, arguments);
    assert_eq!(check("test --features cuda,test-kernels --test kernels fp_mul"), Ok(None));
    assert_eq!(check("run --release -- demo --dir x"), Ok(Some("demo --dir x".into())));
    assert_eq!(check("run --release -p ptx-emulator --example agree"), Ok(None));
    for wrong in [
        "test --features cudas --test kernels",
        "test --test kernel",
        "test --test kernels multiply_subtract",
        "run --example kernels",
        "run -p ptx-emulater --example agree",
        "run --example",
        "run --relaese",
        "publish",
        "install --path benchmarks",
    ] {
        assert!(check(wrong).is_err(), "{wrong}");
    }
}
