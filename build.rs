//! Compiles the kernels to PTX and describes them when the feature `ptx` asks for it, and with the
//! feature `cuda` tells the linker where an empty libcuda is; does nothing otherwise.
//!
//! The sources of `warpfield-device` go through rustc's own NVPTX back end, with the compiler that
//! builds everything else. Three things about that compilation are not stable yet: kernels
//! (`abi_ptx`), PTX in `asm!`, and building `core` for a target that has no prebuilt one. So this
//! one compilation, and nothing of the host's, runs with `RUSTC_BOOTSTRAP=1`, which is tied to the
//! toolchain that `rust-toolchain.toml` pins.
//!
//! Environment:
//!
//! - `WARPFIELD_PTX_ARCH`: the oldest GPU architecture that the PTX is for (default `sm_80`; the
//!   driver compiles it for every later one);
//! - `WARPFIELD_RUST_SRC`: the `library` folder of the compiler's source, where neither the
//!   toolchain nor `scripts/rust-src.sh` has put one;
//! - `DOCS_RS`: set where docs.rs builds the documentation, without that source and without a network.
//!   The module is empty then, and loads nowhere.

#[path = "build/entries.rs"]
mod entries;

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, exit};

/// The oldest architecture that the kernels are written for.
const DEFAULT_ARCH: &str = "sm_80";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=build");
    if env::var_os("CARGO_FEATURE_CUDA").is_some() {
        // An empty libcuda, for the linker alone: see host/gpu/cuda.rs.
        let package = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
        let link = package.join("host/gpu/cuda/link/lib64");
        println!("cargo::rustc-link-search=native={}", link.display());
    }
    if env::var_os("CARGO_FEATURE_PTX").is_none() {
        return;
    }
    println!("cargo::rerun-if-env-changed=DOCS_RS");
    let result = if env::var_os("DOCS_RS").is_some() { build_nothing() } else { build() };
    if let Err(message) = result {
        println!("cargo::error={message}");
        exit(1);
    }
}

/// What the sources include, for documentation alone.
fn build_nothing() -> Result<(), String> {
    let out = PathBuf::from(variable("OUT_DIR")?);
    write(&out.join("kernels.ptx"), "")?;
    write(&out.join("entries.rs"), "&[]\n")
}

/// Compiles the kernels to `OUT_DIR/kernels.ptx`, and describes them in `OUT_DIR/entries.rs`.
fn build() -> Result<(), String> {
    println!("cargo::rerun-if-env-changed=WARPFIELD_PTX_ARCH");
    let arch = env::var("WARPFIELD_PTX_ARCH").unwrap_or_else(|_| DEFAULT_ARCH.into());
    if !arch.strip_prefix("sm_").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    {
        return Err(format!("WARPFIELD_PTX_ARCH is {arch:?}, not an architecture such as sm_80"));
    }

    let device = PathBuf::from(variable("DEP_WARPFIELD_DEVICE_MANIFEST_DIR")?).join("src");
    println!("cargo::rerun-if-changed={}", device.display());
    let out = PathBuf::from(variable("OUT_DIR")?);
    let rustc = variable("RUSTC")?;
    let library = rust_source(&rustc)?;

    let package = out.join("kernels");
    write_package(&package, &device, &library)?;
    let target = package.join("target");
    // An output of an earlier build must not be taken for this one's.
    let assembly = target.join("nvptx64-nvidia-cuda/release/deps/warpfield_device.s");
    let _ = fs::remove_file(&assembly);

    let cargo = |arguments: &[&str]| {
        let mut cargo = Command::new(variable("CARGO")?);
        isolate(&mut cargo);
        cargo
            .current_dir(&package)
            .env("RUSTC", &rustc)
            .env("RUSTC_BOOTSTRAP", "1")
            .env("__CARGO_TESTS_ONLY_SRC_ROOT", &library)
            .env("CARGO_ENCODED_RUSTFLAGS", rustflags(&arch))
            .args(["rustc", "--release", "--offline", "-Z", "build-std=core"])
            .args(["--target", "nvptx64-nvidia-cuda", "--target-dir"])
            .arg(&target);
        if env::var_os("CARGO_FEATURE_TEST_KERNELS").is_some() {
            cargo.args(["--features", "test-kernels"]);
        }
        let output = cargo.arg("--").args(arguments).output();
        let output = output.map_err(|error| format!("cannot run cargo: {error}"))?;
        if !output.status.success() {
            eprintln!("{}", String::from_utf8_lossy(&output.stderr));
            return Err(
                "the kernels did not compile to PTX; the compiler's messages are below".into()
            );
        }
        Ok::<_, String>(output.stdout)
    };
    // The assembly is the PTX; there is nothing to link.
    cargo(&["--emit=asm", "-Clinker=true"])?;
    fs::copy(&assembly, out.join("kernels.ptx"))
        .map_err(|error| format!("no PTX at {}: {error}", assembly.display()))?;
    let expanded = cargo(&["-Zunpretty=expanded"])?;
    let entries = entries::describe(&String::from_utf8_lossy(&expanded))?;
    fs::write(out.join("entries.rs"), entries).map_err(|error| format!("entries.rs: {error}"))
}

/// Compiler flags for the kernels and for `core` alike: functions of different target CPUs are
/// not inlined into each other.
fn rustflags(arch: &str) -> String {
    [
        &format!("-Ctarget-cpu={arch}"),
        // Jump threading copies a barrier into both arms of a branch around it, and threads that
        // take different arms then wait at different barriers.
        "-Zmir-enable-passes=-JumpThreading",
        // Everything is inlined, as an array passed to a call goes through memory; but callees
        // first, when they are already simplified. `inline(always)` on the large ones would do it
        // before, and LLVM's time grows with the square of a function's local arrays.
        "-Cllvm-args=-inline-threshold=1000000",
    ]
    .join("\x1f")
}

/// Writes a package of its own around the device's sources.
///
/// Compiling `warpfield-device` itself would bring its development dependencies and its workspace
/// into the build, and would write into sources that may be a registry's. The sources have no
/// dependencies, so this needs no network: those of the standard library, which cargo resolves
/// even to build only `core`, come with the compiler's source.
fn write_package(package: &Path, device: &Path, library: &Path) -> Result<(), String> {
    let manifest = format!(
        r#"[package]
name = "warpfield-device"
version = "0.0.0"
edition = "2024"

[lib]
path = {:?}
crate-type = ["cdylib"]

[features]
test-kernels = []
# Known to the sources, and never on here.
proptest = []

[profile.release]
opt-level = 3
lto = "fat"
codegen-units = 1
panic = "abort"

[workspace]
"#,
        device.join("lib.rs"),
    );
    let config = format!(
        "[source.crates-io]\nreplace-with = \"vendor\"\n\n[source.vendor]\ndirectory = {:?}\n",
        library.join("vendor"),
    );
    write(&package.join("Cargo.toml"), &manifest)?;
    write(&package.join(".cargo/config.toml"), &config)
}

/// Removes what the outer build, or the user for the outer build, has set for its own compilations.
fn isolate(command: &mut Command) {
    for (name, _) in env::vars_os() {
        let text = name.to_string_lossy();
        let keep = ["CARGO_HOME", "CARGO_MAKEFLAGS"];
        let ours = ["CARGO", "RUST", "DEP_"].iter().any(|prefix| text.starts_with(prefix));
        if ours && !keep.contains(&text.as_ref()) && !text.starts_with("RUSTUP_") {
            command.env_remove(&name);
        }
    }
    // Empty, not unset: a configuration file of the user's may name wrappers too.
    command.env("RUSTC_WRAPPER", "").env("RUSTC_WORKSPACE_WRAPPER", "");
}

/// The `library` folder of the compiler's own source.
fn rust_source(rustc: &OsString) -> Result<PathBuf, String> {
    println!("cargo::rerun-if-env-changed=WARPFIELD_RUST_SRC");
    let query = |arguments: &[&str]| {
        let output = Command::new(rustc).args(arguments).output();
        let output = output.map_err(|error| format!("cannot run {}: {error}", rustc.display()))?;
        Ok::<_, String>(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let sysroot = query(&["--print", "sysroot"])?;
    let version = query(&["--version"])?;
    let release = version.split(' ').nth(1).unwrap_or("unknown").to_owned();

    let mut places = vec![PathBuf::from(sysroot).join("lib/rustlib/src/rust/library")];
    // Where scripts/rust-src.sh puts it.
    let cache = env::var_os("XDG_CACHE_HOME").filter(|path| !path.is_empty()).map(PathBuf::from);
    let cache = cache.or_else(|| Some(env::home_dir()?.join(".cache")));
    places.extend(cache.map(|cache| cache.join(format!("warpfield/rust-src-{release}/library"))));
    if let Some(named) = env::var_os("WARPFIELD_RUST_SRC") {
        places = vec![named.into()];
    }
    let source = |place: &PathBuf| place.join("core/src/lib.rs");
    let Some(library) = places.iter().find(|place| source(place).is_file()) else {
        return Err(format!(
            "the feature `ptx` needs the source of Rust's `core` {release}, which is not at {}. \
             Run: {}",
            places[0].display(),
            remedy(&release),
        ));
    };
    // Only what exists: cargo takes a missing file for a changed one.
    println!("cargo::rerun-if-changed={}", source(library).display());
    Ok(library.clone())
}

/// The command that brings the source, for this machine.
fn remedy(release: &str) -> String {
    let script = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default())
        .join("scripts/rust-src.sh");
    if Path::new("/etc/debian_version").exists() && script.is_file() {
        script.display().to_string()
    } else {
        format!("rustup component add rust-src --toolchain {release}")
    }
}

fn variable(name: &str) -> Result<OsString, String> {
    env::var_os(name).ok_or_else(|| format!("cargo did not set {name}"))
}

/// Writes a file unless it is so already, which would make cargo compile anew.
fn write(path: &Path, content: &str) -> Result<(), String> {
    if fs::read_to_string(path).is_ok_and(|old| old == content) {
        return Ok(());
    }
    let parent = path.parent().expect("a file in a folder");
    fs::create_dir_all(parent)
        .and_then(|()| fs::write(path, content))
        .map_err(|error| format!("cannot write {}: {error}", path.display()))
}
