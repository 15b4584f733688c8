//! Proofs on devices: the emulated one, in builds that have it.

use std::fs;

use super::{Folder, Sample, WitnessValues, read};

const PROVE: &str = "prove k.zkey --seed 01 --out-dir";

#[test]
fn proofs_are_the_cpus_and_reports_tell_of_them() {
    let folder = Folder::new();
    if !cfg!(feature = "ptx") {
        let run = folder.run(&format!("{PROVE} out --device emulated w.wtns"));
        run.fails(2, &["this build has no kernels", "--features cuda", "--device cpu"]);
        folder.run("plan k.zkey --device emulated").fails(2, &["this build has no kernels"]);
        return;
    }
    fs::copy(folder.path("w.wtns"), folder.path("v.wtns")).unwrap();
    folder.run(&format!("{PROVE} cpu w.wtns v.wtns")).succeeds();
    let run = folder.run(&format!(
        "{PROVE} out --device emulated --lock two --workers 2 --threads 1 --timeline t.json \
         --waterfall w.svg --report table w.wtns v.wtns"
    ));
    let table = run.succeeds().stdout;
    for part in ["msm_b2", "compute_held", "unattributed", "device 0"] {
        assert!(table.contains(part), "{part}: {table}");
    }
    for name in ["w.proof.json", "w.public.json", "v.proof.json", "v.public.json"] {
        let [found, expected] = ["out", "cpu"].map(|of| read(folder.path(of).join(name)));
        assert_eq!(found, expected, "{name}");
    }
    let trace: serde_json::Value = serde_json::from_str(&read(folder.path("t.json"))).unwrap();
    assert!(trace["traceEvents"].as_array().is_some_and(|events| events.len() > 20), "{trace}");
    assert!(read(folder.path("w.svg")).starts_with("<svg"));

    // Reports do not take the place of what is read or written, and are there of runs that fail, too.
    for (report, other) in [
        ("--timeline k.zkey", "an input"),
        ("--waterfall k.zkey.checked", "the sidecar of an input"),
        ("--timeline over/w.proof.json", "another output"),
        ("--timeline t.json --waterfall t.json", "another output"),
    ] {
        let run = folder.run(&format!("{PROVE} over --device emulated {report} w.wtns"));
        run.fails(2, &["would overwrite", other]);
    }
    let failed = "prove k.zkey bad.wtns p.json x.json --device emulated --timeline failed.json";
    folder.run(failed).fails(1, &["bad.wtns"]);
    assert!(read(folder.path("failed.json")).contains("msm_b2"));

    // A witness that does not satisfy the circuit costs its own proof.
    let run = folder.run(&format!(
        "{PROVE} bad --device emulated --lock none --keep-going --report json bad.wtns w.wtns"
    ));
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.stderr.contains("bad.wtns"), "{run:?}");
    let lines: Vec<serde_json::Value> =
        run.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(lines.len() > 20, "{run:?}");
    assert!(
        folder.path("bad/w.proof.json").exists() && !folder.path("bad/bad.proof.json").exists()
    );
}

/// A kernel traps before the second of three partitions.
#[test]
#[cfg(feature = "test-kernels")]
fn device_errors_are_answered_as_told() {
    let folder = Folder::new();
    for name in ["u.wtns", "v.wtns"] {
        fs::copy(folder.path("w.wtns"), folder.path(name)).unwrap();
    }
    let run = |out: &str, options: &str| {
        let options = format!("{options} --device emulated --workers 1");
        folder.run(&format!("{PROVE} {out} {options} u.wtns v.wtns w.wtns"))
    };
    folder.run(&format!("{PROVE} cpu u.wtns v.wtns w.wtns")).succeeds();
    let are_made = |out: &str| {
        for name in ["u.proof.json", "v.proof.json", "v.public.json", "w.proof.json"] {
            let [found, expected] = [out, "cpu"].map(|of| read(folder.path(of).join(name)));
            assert_eq!(found, expected, "{out}/{name}");
        }
    };

    run("fail", "--trap-before 1").fails(2, &["trap", "see --keep-going"]);
    let failed = run("keep", "--trap-before 1 --keep-going");
    assert_eq!(failed.code, 2, "{failed:?}");
    assert!(failed.stderr.contains("partition 3 of 3"), "{failed:?}");

    let proved = run("by-cpu", "--trap-before 1 --on-device-error cpu").succeeds();
    assert!(proved.stderr.contains("proving it on the CPU"), "{proved:?}");
    assert!(proved.stderr.contains("trap"), "{proved:?}");
    are_made("by-cpu");

    let proved = run("again", "--trap-before 1 --on-device-error retry").succeeds();
    assert!(proved.stderr.contains("going on in another process"), "{proved:?}");
    are_made("again");

    // Nothing is lost, and nothing is said.
    let proved = run("once", "--on-device-error retry").succeeds();
    assert!(!proved.stderr.contains("another process"), "{proved:?}");
    are_made("once");

    // The second process has a partition that cannot be proved.
    fs::copy(folder.path("bad.wtns"), folder.path("w.wtns")).unwrap();
    let failed = run("bad", "--trap-before 1 --on-device-error retry");
    assert_eq!(failed.code, 1, "{failed:?}");
    assert!(folder.path("bad/v.proof.json").exists());
}

/// Too little memory is the device's error, too.
#[test]
#[cfg(feature = "ptx")]
fn the_cpu_proves_what_does_not_fit_the_device() {
    let folder = Folder::new();
    let run = "prove k.zkey w.wtns p.json x.json --device emulated --vram 1K";
    let proved = folder.run(&format!("{run} --on-device-error cpu")).succeeds();
    assert!(proved.stderr.contains("proving on the CPU"), "{proved:?}");
    folder.run(&format!("{run} --on-device-error retry")).fails(2, &["bytes too small"]);
}

/// By the exit code and one line; what is proved before that or with `--keep-going` is written.
#[test]
fn failures_are_told_in_a_line() {
    let folder = Folder::new();
    let other = Sample::synthetic(31, 1, WitnessValues::FullWidth);
    fs::write(folder.path("other.wtns"), other.wtns).unwrap();
    for name in ["u.wtns", "v.wtns", "x.wtns"] {
        fs::copy(folder.path("w.wtns"), folder.path(name)).unwrap();
    }
    let devices = ["cpu", "emulated --workers 2"];
    for device in &devices[..if cfg!(feature = "ptx") { 2 } else { 1 }] {
        let prove =
            |arguments: &str| folder.run(&format!("prove k.zkey --device {device} {arguments}"));
        for (name, code, part) in [
            ("bad.wtns", 1, "does not satisfy"),
            ("other.wtns", 2, "values"),
            ("missing.wtns", 2, "No such file"),
        ] {
            prove(&format!("{name} p.json x.json")).fails(code, &[name, part]);
            assert!(!folder.path("p.json").exists() && !folder.path("x.json").exists());
        }
        let of_four = ["partition 2 of 4", "bad.wtns", "2 more not written, see --keep-going"];
        prove("--out-dir out w.wtns bad.wtns u.wtns v.wtns").fails(1, &of_four);
        let is_there = |name: &str| folder.path("out").join(name).exists();
        assert!(is_there("w.proof.json"), "{device}");
        assert!(["bad", "u", "v"].iter().all(|name| !is_there(&format!("{name}.proof.json"))));

        let run = prove("--out-dir out --keep-going missing.wtns u.wtns bad.wtns v.wtns x.wtns");
        assert_eq!(run.code, 2, "{run:?}");
        assert!(run.stderr.contains("2 of 5 partitions failed"), "{run:?}");
        assert!(["u", "v", "x"].iter().all(|name| is_there(&format!("{name}.proof.json"))));
        fs::remove_dir_all(folder.path("out")).unwrap();
    }
}

#[test]
fn memory_is_planned() {
    let folder = Folder::new();
    if !cfg!(feature = "cuda") {
        // Of a CUDA device, unless another is named.
        folder.run("plan k.zkey").fails(2, &["--features cuda"]);
    }
    if cfg!(feature = "ptx") {
        let plan = folder.run("plan k.zkey --device emulated --slots 3").succeeds().stdout;
        assert!(plan.contains("slots for a witness: 3") && plan.contains("all"), "{plan}");
        let few = "plan k.zkey --device emulated --vram 1K";
        folder.run(few).fails(2, &["bytes too small", "prove on the CPU"]);
        let run = folder.run(&format!("{PROVE} out --device emulated --vram 1K w.wtns"));
        run.fails(2, &["bytes too small"]);
    }
}

#[test]
fn wrong_options() {
    let folder = Folder::new();
    for (options, part) in [
        ("--lock three", "no lock strategy is named `three`"),
        ("--device gpu", "not cpu, cuda"),
        ("--device cuda:0,0", "twice"),
        ("--vram 1.5G", "not a number of bytes"),
        ("--workers 0", "1..=64"),
    ] {
        let run = folder.run(&format!("{PROVE} out {options} w.wtns"));
        assert!(run.code == 2 && run.stderr.contains(part), "{run:?}");
    }
    // What has no effect without a device.
    for option in ["--report table", "--vram 1G", "--workers 3", "--lock two", "--tables all"] {
        let run = folder.run(&format!("{PROVE} out {option} w.wtns"));
        run.fails(2, &[option.split(' ').next().unwrap(), "is for devices", "--device cuda"]);
    }
    let run = folder.run("bench prove --device cpu --constraints 8");
    run.fails(
        2,
        if cfg!(feature = "ptx") { &["the CPU runs no kernels"] } else { &["no kernels"] },
    );
}
