//! `warpfield bench`.

use super::{Folder, Run};

/// The JSON that a run prints.
fn json(run: Run) -> serde_json::Value {
    serde_json::from_str(&run.succeeds().stdout).unwrap()
}

/// That all that are named have a line that begins so.
#[track_caller]
fn has_lines(run: Run, names: &[&str]) {
    let text = run.succeeds().stdout;
    for name in names {
        assert!(text.lines().any(|line| line.starts_with(name)), "{name}: {text}");
    }
}

#[test]
fn bench_measures_on_the_emulator_too() {
    let folder = Folder::new();
    let run = folder.run("bench field --device emulated --repeats 1");
    if cfg!(feature = "test-kernels") {
        has_lines(
            run,
            &[
                "wide multiply-add",
                "Fp squaring",
                "G1 XYZZ + affine",
                "G2 affine + affine",
                "spread:",
                "memory of the host",
                "memory of the device",
            ],
        );
        let json = json(folder.run("bench field --device emulated --repeats 2 --json"));
        let rows = json["rows"].as_array().unwrap();
        assert!(rows.len() >= 11 && rows.iter().all(|row| row["median"].as_f64() > Some(0.0)));
        assert_eq!(json["multiprocessors"].as_u64(), Some(1));
    } else {
        run.fails(2, &["--features cuda,test-kernels", "--device cpu"]);
    }
    folder.run("bench field --device gpu").fails(2, &["cuda:N"]);
}

#[test]
fn bench_sums_on_the_emulator_too() {
    let folder = Folder::new();
    let run = folder.run("bench msm --device emulated --log-size 0,4 --bits 4 --repeats 1");
    if cfg!(feature = "ptx") {
        let text = run.succeeds().stdout;
        for part in ["accumulate", "G1", "2^0", "2^4", "spread:", "operands", "workspace"] {
            assert!(text.contains(part), "{part}: {text}");
        }
        let arguments = "bench msm --device emulated --log-size 2 --group g2 --tables all \
                         --repeats 2 --json";
        let json = json(folder.run(arguments));
        let row = &json["rows"][0];
        assert_eq!(
            (row["log_size"].as_u64(), row["steps"].as_array().unwrap().len()),
            (Some(2), 7)
        );
        assert_eq!(row["copies"], row["windows"]);
        assert!(row["wall"]["median"].as_f64() > Some(0.0), "{json}");
        let memory = &json["memory"]["device"];
        let bytes = |name: &str| memory[name].as_u64().unwrap();
        let used = bytes("free_before_bytes") - bytes("free_least_bytes");
        let (parts, workspace) = (&memory["parts"], row["workspace_bytes"].as_u64().unwrap());
        assert_eq!(parts["operands"].as_u64(), Some(4 * (192 + 32)));
        assert_eq!(parts["workspace"].as_u64(), Some(workspace));
        assert!(used >= 4 * (192 + 32) + workspace && bytes("total_bytes") > used, "{json}");
        let arguments =
            "bench msm --device emulated --log-size 2 --bits 5 --tables all --repeats 1";
        folder.run(arguments).succeeds();
        let arguments = "bench msm --device emulated --log-size 2 --group g2 --halvings 1";
        folder.run(arguments).fails(2, &["--halvings", "G2"]);
    } else {
        run.fails(2, &["--features cuda"]);
    }
    folder.run("bench msm --device emulated --log-size 29").fails(2, &["--log-size"]);
    folder.run("bench msm --log-size 2 --tables most").fails(2, &["--tables"]);
}

/// The numbers of a row of the library's table, `row(log, bits, log_segment, bin)`.
fn row_of_table(line: &str) -> Option<[u32; 4]> {
    let (numbers, rest) = line.strip_prefix("    row(")?.split_once(')')?;
    let numbers = numbers.split(", ").map(|number| number.replace('_', "").parse().ok());
    let halved = rest.strip_prefix(".halved(").is_some();
    assert!(!halved && rest.starts_with(", // ") && rest.contains(" ms"), "{line}");
    numbers.collect::<Option<Vec<_>>>()?.try_into().ok()
}

#[test]
fn bench_tunes_on_the_emulator_too() {
    let folder = Folder::empty();
    let tune = "bench tune-msm --device emulated --seconds 1";
    let run = folder.run(&format!("{tune} --log-size 3,1"));
    if cfg!(feature = "ptx") {
        let Run { stdout, stderr, .. } = run.succeeds();
        let lines: Vec<_> = stdout.lines().collect();
        let [head, table, rows @ .., end] = &lines[..] else { panic!("{stdout}") };
        assert!(head.starts_with("// ") && head.contains("tune-msm"), "{stdout}");
        assert_eq!((*table, *end), ("const G1_NONE: &[Row] = &[", "];"));
        let rows: Vec<_> = rows.iter().map(|line| row_of_table(line).expect(line)).collect();
        assert_eq!(rows.iter().map(|row| row[0]).collect::<Vec<_>>(), [1, 3]);
        for [_, bits, log_segment, bin] in &rows {
            assert!((2..=24).contains(bits) && (1..=12).contains(log_segment), "{stdout}");
            assert!((256..=25_600).contains(bin), "{stdout}");
        }
        assert!(rows[0][1] <= rows[1][1], "{stdout}");
        assert!(stderr.contains("2^1: ") && stderr.contains("2^3: "), "{stderr}");

        // All copies of four bases fit, those of 2^10 do not.
        let arguments = format!("{tune} --log-size 2,10 --group g2 --tables 50000 --json");
        let run = folder.run(&arguments).succeeds();
        assert!(run.stderr.contains("2^10: no room"), "{}", run.stderr);
        let json: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
        let rows = json["rows"].as_array().unwrap();
        assert_eq!((json["group"].as_str(), rows.len()), (Some("G2"), 1));
        let row = &rows[0];
        let bits = row["bits"].as_u64().unwrap();
        assert_eq!(row["copies"].as_u64(), Some(255_u64.div_ceil(bits)));
        assert!(row["seconds"].as_f64() > Some(0.0) && row["sums"].as_u64() >= Some(2), "{json}");
        assert!(row["halving"].is_null(), "{json}");
    } else {
        run.fails(2, &["--features cuda"]);
    }
    folder.run("bench tune-msm --device emulated --log-size 29").fails(2, &["--log-size"]);
    folder.run("bench tune-msm --device cpu --log-size 2").fails(2, &["CPU", "kernels"]);
    folder.run("bench tune-msm --device emulated").fails(2, &["required"]);
    folder.run(&format!("{tune} --log-size 2 --seconds 0")).fails(2, &["--seconds"]);
}

#[test]
fn bench_sums_operands_of_the_host_too() {
    let folder = Folder::new();
    let bench = "bench msm --device emulated --repeats 1";
    let run = folder.run(&format!("{bench} --log-size 0,3 --scalars pinned"));
    if cfg!(feature = "ptx") {
        let parts = ["G1, bases in device memory, scalars in pinned memory", "2^0 ", "2^3 "];
        has_lines(run, &[&parts[..], &["spread:", "memory of the device"]].concat());

        let host = format!("{bench} --log-size 3 --bases pageable --scalars pageable");
        let run = folder.run(&format!("{host} --budget 1000"));
        let least = run.stderr.trim().rsplit(' ').next().unwrap().parse::<u64>();
        run.fails(2, &["budget of 1000 bytes"]);
        let least = least.unwrap();
        let json = json(folder.run(&format!("{host} --budget {least} --json")));
        let row = &json["rows"][0];
        let number = |name: &str| row[name].as_u64().unwrap();
        assert_eq!((&json["bases"], &json["scalars"]), (&"pageable".into(), &"pageable".into()));
        assert!(number("workspace_bytes") <= least && number("pinned_bytes") > 0, "{json}");
        assert_eq!(number("chunks"), 8_u64.div_ceil(number("most")));
        assert!(number("chunks") > 1 && row["wall"]["median"].as_f64() > Some(0.0), "{json}");
        assert_eq!(json["memory"]["device"]["parts"]["operands"].as_u64(), Some(0));

        let run = folder.run(&format!("{bench} --log-size 2 --bases pinned --tables all"));
        run.fails(2, &["--tables"]);
        let run = folder.run(&format!("{bench} --log-size 2 --scalars pinned --bits 4"));
        run.fails(2, &["--bits", "device memory"]);
    } else {
        run.fails(2, &["--features cuda"]);
    }
    folder.run(&format!("{bench} --log-size 2 --scalars elsewhere")).fails(2, &["--scalars"]);
    let run = folder.run("bench msm --device cpu --log-size 2 --bases pinned");
    run.fails(2, &["--bases", "GPU"]);
}

#[test]
fn bench_transforms_on_the_emulator_too() {
    let folder = Folder::new();
    let run = folder.run("bench ntt --device emulated --log-size 0,3,8 --repeats 1");
    if cfg!(feature = "ptx") {
        has_lines(run, &["2^0     natural", "2^3     reversed", "2^8     natural", "spread:"]);
        let json = json(folder.run("bench ntt --device emulated --log-size 5 --json"));
        assert_eq!(json["rows"].as_array().unwrap().len(), 2);
        assert!(json["rows"][1]["max"].as_f64() > Some(0.0), "{json}");
        assert_eq!(json["memory"]["device"]["parts"]["scratch"].as_u64(), Some(32 * 32));
    } else {
        run.fails(2, &["--features cuda", "--device cpu"]);
    }
}

#[test]
fn bench_measures_the_cpu() {
    let folder = Folder::new();
    let ends = ["spread:", "memory of the host"];
    let run = folder.run("bench field --device cpu --repeats 1");
    has_lines(run, &[&["Fr multiplication", "Fp squaring", "Fp2"][..], &ends].concat());
    let run = folder.run("bench ntt --device cpu --log-size 0,10 --repeats 1");
    has_lines(run, &[&["2^0     natural", "2^10    reversed"][..], &ends].concat());
    let run = folder.run("bench msm --device cpu --log-size 0,6 --repeats 1 --group g2");
    has_lines(run, &[&["G2", "2^0", "2^6"][..], &ends].concat());
    for bench in ["field", "ntt --log-size 4", "msm --log-size 4"] {
        let json = json(folder.run(&format!("bench {bench} --device cpu --repeats 3 --json")));
        let row = &json["rows"][0];
        let time = if row["wall"].is_null() { row } else { &row["wall"] };
        let [min, median, max] = ["min", "median", "max"].map(|name| time[name].as_f64().unwrap());
        assert!(0.0 < min && min <= median && median <= max, "{json}");
        assert!(json["device"].as_str().unwrap().contains("thread"), "{json}");
        assert!(json["memory"]["device"].is_null(), "{json}");
        if cfg!(target_os = "linux") {
            assert!(json["memory"]["host_peak_bytes"].as_u64() > Some(1 << 20), "{json}");
        }
    }
    for option in ["--bits 3", "--tables all", "--scalars pinned"] {
        let run = folder.run(&format!("bench msm --device cpu --log-size 4 {option}"));
        run.fails(2, &["--bits", "GPU"]);
    }
}

#[test]
fn bench_without_a_gpu_tells_what_goes_without() {
    let folder = Folder::new();
    for (bench, cpu) in [
        ("ntt", true),
        ("msm --log-size 4", true),
        ("tune-msm --log-size 4", false),
        ("prove --constraints 8", false),
    ] {
        let run = folder.run(&format!("bench {bench} --device cuda:4711"));
        assert_eq!(run.stderr.contains("--device cpu"), cpu || !cfg!(feature = "ptx"), "{run:?}");
        let parts: &[_] = if cfg!(feature = "ptx") { &["--device emulated"] } else { &[] };
        run.fails(2, parts);
    }
}

#[test]
#[cfg(feature = "ptx")]
fn bench_overwrites_nothing() {
    let folder = Folder::new();
    std::fs::copy(folder.path("k.zkey"), folder.path("circuit.zkey")).unwrap();
    for (options, parts) in [
        ("--dir .", &["circuit.zkey", "exists already"][..]),
        ("--dir k.zkey", &["k.zkey", "is not a folder"]),
        ("--timeline t --waterfall t", &["t: ", "would overwrite another output"]),
        ("--dir new --waterfall new/witness.wtns", &["would overwrite another output"]),
        ("--waterfall none/t", &["none/t", "make the folder first"]),
        ("--scale 1/8", &["--scale", "--constraints"]),
    ] {
        let bench = "bench prove --device emulated --constraints 8 --partitions 3 --rounds 1";
        folder.run(&format!("{bench} {options}")).fails(2, parts);
    }
}
