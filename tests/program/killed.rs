//! Runs that are killed in the middle.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::Folder;

const WITNESSES: usize = 12;

/// What the folder has as outputs.
fn outputs(folder: &Folder) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder.path("out")) else { return vec![] };
    let paths = entries.map(|entry| entry.unwrap().path());
    paths.filter(|path| path.extension().is_some_and(|ending| ending == "json")).collect()
}

/// Killed once there are so many outputs: they are whole, and a new run makes the rest.
#[test]
fn outputs_are_whole_or_not_there() {
    let folder = Folder::new();
    folder.run("export-vk k.zkey vk.json").succeeds();
    let names: Vec<String> = (0..WITNESSES).map(|i| format!("w{i}.wtns")).collect();
    for name in &names {
        fs::copy(folder.path("w.wtns"), folder.path(name)).unwrap();
    }
    let prove = format!("prove k.zkey --quiet --out-dir out {}", names.join(" "));
    let mut cut_short = 0;
    for after in [0, 1, 2, 3, 7, 12] {
        let mut run = Command::new(env!("CARGO_BIN_EXE_warpfield"))
            .args(prove.split_whitespace())
            .current_dir(folder.path("."))
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let start = Instant::now();
        while outputs(&folder).len() < after && run.try_wait().unwrap().is_none() {
            assert!(start.elapsed() < Duration::from_secs(60), "{after} outputs");
            thread::sleep(Duration::from_micros(100));
        }
        run.kill().unwrap();
        run.wait().unwrap();
        let there = outputs(&folder);
        cut_short += usize::from(there.len() < 2 * WITNESSES);
        for path in there {
            let text = fs::read_to_string(&path).unwrap();
            serde_json::from_str::<serde_json::Value>(&text)
                .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            let public = path.to_str().unwrap().replace(".proof.json", ".public.json");
            let arguments = format!("verify vk.json {public} {}", path.display());
            // Public signals come first, so that no proof is without them.
            if path.to_str().unwrap().ends_with(".proof.json") {
                folder.run(&arguments).succeeds();
            }
        }
        fs::remove_dir_all(folder.path("out")).ok();
    }
    assert!(cut_short >= 4, "runs were killed before they were done");
    folder.run(&prove).succeeds();
    assert_eq!(outputs(&folder).len(), 2 * WITNESSES);
}
