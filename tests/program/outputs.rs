//! Where outputs go, where inputs come from, and what the system may refuse.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};

use super::{Folder, Run, read};

#[test]
fn outputs_that_collide_are_refused_before_any_work() {
    let folder = Folder::new();
    fs::create_dir(folder.path("sub")).unwrap();
    fs::copy(folder.path("w.wtns"), folder.path("sub/w.wtns")).unwrap();
    fs::hard_link(folder.path("k.zkey"), folder.path("again")).unwrap();
    let before = folder.names();
    folder
        .run("prove k.zkey --out-dir out w.wtns sub/w.wtns")
        .fails(2, &["w.wtns and sub/w.wtns", "would overwrite another output", "rename one"]);
    for (arguments, name) in [
        ("prove k.zkey w.wtns p.json p.json", "p.json"),
        ("prove k.zkey w.wtns p.json ./sub/../p.json", "p.json"),
        ("prove k.zkey w.wtns w.wtns x.json", "w.wtns"),
        ("prove k.zkey w.wtns ./k.zkey x.json", "k.zkey"),
        ("prove k.zkey w.wtns k.zkey.checked x.json", "k.zkey.checked"),
        ("export-vk k.zkey k.zkey", "k.zkey"),
        ("setup c.r1cs c.r1cs", "c.r1cs"),
        // The same file by another name.
        ("prove k.zkey w.wtns again x.json", "again"),
        ("prove again w.wtns k.zkey x.json", "k.zkey"),
    ] {
        folder.run(arguments).fails(2, &[name, "would overwrite"]);
    }
    for output in ["sub/w.wtns x.json", "p.json new.wtns"] {
        let run = folder.run(&format!("prove k.zkey w.wtns {output}"));
        run.fails(2, &["has the name of an input", "--out-dir"]);
    }
    for (arguments, parts) in [
        ("prove k.zkey w.wtns none/p x", ["none/p", "No such file"]),
        ("prove k.zkey w.wtns none/ x", ["none/: is a directory", "the name of a file"]),
        ("prove k.zkey w.wtns sub x", ["sub: is a directory", "the name of a file"]),
        ("prove k.zkey --out-dir w.wtns w.wtns", ["w.wtns", "is not a folder"]),
        ("setup c.r1cs none/k.zkey", ["none/k.zkey", "No such file"]),
    ] {
        folder.run(arguments).fails(2, &parts);
    }
    assert_eq!(folder.names(), before);
}

#[cfg(unix)]
#[test]
fn special_outputs() {
    let folder = Folder::new();
    let run = folder.run("prove --quiet k.zkey w.wtns /dev/stdout /dev/null").succeeds();
    assert!(run.stdout.contains("pi_a"), "{run:?}");
    std::os::unix::fs::symlink("target.json", folder.path("link.json")).unwrap();
    fs::write(folder.path("target.json"), "").unwrap();
    folder.run("prove k.zkey w.wtns link.json x.json").succeeds();
    assert!(read(folder.path("target.json")).contains("pi_a"));
    assert!(folder.path("link.json").is_symlink());
    std::os::unix::fs::symlink("fresh.json", folder.path("dangling.json")).unwrap();
    folder.run("prove k.zkey w.wtns dangling.json x.json").succeeds();
    assert!(read(folder.path("fresh.json")).contains("pi_a"));
    std::os::unix::fs::symlink("loop.json", folder.path("loop.json")).unwrap();
    folder.run("prove k.zkey w.wtns loop.json x.json").fails(2, &["loop.json", "links"]);
    assert!(!folder.names().iter().any(|name| name.starts_with(".warpfield")));
}

/// What is printed and what goes to `/dev/stdout` come in their order, after what was there.
#[cfg(target_os = "linux")]
#[test]
fn stdout_is_a_file() {
    let folder = Folder::new();
    let prove = "prove --quiet k.zkey w.wtns /dev/stdout /proc/self/fd/1 --seed 01";
    let expected = folder.run(prove).succeeds().stdout;
    assert!(expected.contains("pi_a"), "{expected}");
    for append in [false, true] {
        fs::write(folder.path("out"), "before\n").unwrap();
        let mut options = fs::OpenOptions::new();
        let out = options.append(append).write(true).open(folder.path("out")).unwrap();
        out.set_len(if append { 7 } else { 0 }).unwrap();
        let mut run = Command::new(env!("CARGO_BIN_EXE_warpfield"));
        run.args(prove.split_whitespace()).current_dir(folder.path("."));
        assert!(run.stdout(out.try_clone().unwrap()).status().unwrap().success());
        writeln!(&out, "after").unwrap();
        let before = if append { "before\n" } else { "" };
        assert_eq!(read(folder.path("out")), format!("{before}{expected}after\n"));
    }
}

/// Not even by descriptors are inputs written to, and outputs not to where another one is.
#[cfg(target_os = "linux")]
#[test]
fn descriptors_of_files_that_are_in_use() {
    let folder = Folder::new();
    fs::write(folder.path("q"), "").unwrap();
    let program = env!("CARGO_BIN_EXE_warpfield");
    for (arguments, part) in [
        ("prove k.zkey w.wtns /dev/stdout x >> w.wtns", "would overwrite an input"),
        ("prove k.zkey /dev/stdin /dev/stdin x < w.wtns", "would overwrite an input"),
        ("prove k.zkey w.wtns /proc/self/fd/7 x 7<> k.zkey", "would overwrite an input"),
        ("export-vk /dev/stdin /dev/stdin < k.zkey", "would overwrite an input"),
        ("setup /dev/stdin /dev/stdin < c.r1cs", "would overwrite an input"),
        ("prove k.zkey w.wtns /dev/stdin x < q", "is not for writing"),
        ("prove k.zkey w.wtns /dev/stdout q >> q", "would overwrite what a descriptor has open"),
        ("prove k.zkey w.wtns /dev/fd/9 x", "No such file"),
        ("prove k.zkey w.wtns x /dev/fd/3", "No such file"),
        ("prove k.zkey w.wtns q /dev/stderr 2>> q", ""),
    ] {
        let before = ["k.zkey", "w.wtns", "c.r1cs", "q"].map(|name| fs::read(folder.path(name)));
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("{program} {arguments}")]).current_dir(folder.path("."));
        let run = Run::from(shell.output().unwrap());
        if part.is_empty() {
            assert_eq!(run.code, 2, "{run:?}");
            assert!(read(folder.path("q")).contains("would overwrite another output"));
            continue;
        }
        run.fails(2, &[part]);
        let after = ["k.zkey", "w.wtns", "c.r1cs", "q"].map(|name| fs::read(folder.path(name)));
        for (before, after) in before.iter().zip(&after) {
            assert_eq!(before.as_ref().unwrap(), after.as_ref().unwrap(), "{arguments}");
        }
    }
}

/// What goes to pipes and devices is written first, in the order of the arguments, so that a pair of files is not made
/// half new by it.
#[cfg(target_os = "linux")]
#[test]
fn pairs_of_outputs() {
    let folder = Folder::new();
    for arguments in ["/dev/full x", "x /dev/full"] {
        let run = folder.run(&format!("prove k.zkey w.wtns {arguments}"));
        run.fails(2, &["/dev/full", "No space left"]);
        assert!(!folder.path("x").exists(), "{arguments}");
    }
    assert!(
        Command::new("mkfifo")
            .args(["p", "u"])
            .current_dir(folder.path("."))
            .status()
            .unwrap()
            .success()
    );
    let mut cat = Command::new("cat");
    let cat = cat.args(["p", "u"]).current_dir(folder.path(".")).stdout(Stdio::piped()).spawn();
    folder.run("prove k.zkey w.wtns p u").succeeds();
    let out = String::from_utf8(cat.unwrap().wait_with_output().unwrap().stdout).unwrap();
    assert!(out.find("pi_a") < out.rfind('['), "the proof, then the public signals: {out}");
}

/// Killed in the middle.
#[cfg(unix)]
#[test]
fn a_demo_leaves_nothing_behind() {
    let folder = Folder::empty();
    let mut demo = Command::new(env!("CARGO_BIN_EXE_warpfield"));
    demo.args(["demo", "--threads", "1"]).env("TMPDIR", folder.path("."));
    let mut demo = demo.stdout(Stdio::piped()).spawn().unwrap();
    // The circuit is made.
    let mut line = String::new();
    BufReader::new(demo.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    assert!(line.contains("circuit"), "{line}");
    demo.kill().unwrap();
    demo.wait().unwrap();
    assert_eq!(folder.names(), [""; 0]);
}

/// Files by stdin are not beside others; endless ones end where they are not what they should be.
#[cfg(target_os = "linux")]
#[test]
fn special_inputs() {
    let folder = Folder::new();
    let with_stdin = |arguments: &str, stdin: &str| {
        let output = Command::new(env!("CARGO_BIN_EXE_warpfield"))
            .args(arguments.split_whitespace())
            .current_dir(folder.path("."))
            .stdin(fs::File::open(folder.path(stdin)).unwrap())
            .output()
            .unwrap();
        Run::from(output)
    };
    with_stdin("prove /dev/stdin w.wtns p x", "k.zkey").succeeds();
    with_stdin("prove k.zkey /dev/stdin p x", "w.wtns").succeeds();
    assert!(!Path::new("/dev/stdin.checked").exists());
    let pipe =
        format!("cat w.wtns | {} prove k.zkey /dev/stdin p x", env!("CARGO_BIN_EXE_warpfield"));
    let mut shell = Command::new("sh");
    shell.args(["-c", &pipe]).current_dir(folder.path("."));
    assert!(shell.status().unwrap().success());
    folder.run("export-vk k.zkey vk").succeeds();
    for arguments in [
        "prove k.zkey /dev/zero p x",
        "prove /dev/zero w.wtns p x",
        "setup /dev/zero new.zkey",
        "export-vk /dev/zero new.json",
        "inspect /dev/zero",
        "verify vk x /dev/zero",
    ] {
        folder.run(arguments).fails(2, &["/dev/zero: "]);
    }
}

/// Few open files.
#[cfg(target_os = "linux")]
#[test]
fn limits_of_the_system() {
    let folder = Folder::new();
    let program = env!("CARGO_BIN_EXE_warpfield");
    let with_files = |count: u32| {
        let command = format!("ulimit -n {count}; {program} prove k.zkey w.wtns p x --no-sidecar");
        let mut shell = Command::new("sh");
        Run::from(shell.args(["-c", &command]).current_dir(folder.path(".")).output().unwrap())
    };
    let mut told = 0;
    for count in 4..16 {
        let run = with_files(count);
        assert!(!run.stderr.contains("panicked"), "{run:?}");
        told += usize::from(run.code == 2 && run.stderr.contains("ulimit -n"));
    }
    assert!(told > 0);
    with_files(64).succeeds();
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_or_a_closed_pipe_is_an_error_and_no_panic() {
    let folder = Folder::new();
    folder.run("prove k.zkey w.wtns p x").succeeds();
    folder.run("export-vk k.zkey vk").succeeds();
    for arguments in ["verify vk x p", "inspect k.zkey", "demo", "devices"] {
        let output = Command::new(env!("CARGO_BIN_EXE_warpfield"))
            .args(arguments.split_whitespace())
            .current_dir(folder.path("."))
            .stdout(fs::File::create("/dev/full").unwrap())
            .output()
            .unwrap();
        Run::from(output).fails(2, &["stdout", "No space left"]);
    }
    folder.run("setup c.r1cs /dev/full").fails(2, &["/dev/full", "No space left"]);
    fs::remove_file(folder.path("x")).unwrap();
    folder.run("prove k.zkey w.wtns /dev/full x").fails(2, &["/dev/full", "No space left"]);
}
