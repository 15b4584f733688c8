//! `warpfield prove`.

mod again;
mod maker;

use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::sync::Arc;

use warpfield::formats::zkey::{self, Trust};
use warpfield::formats::{Staged, json};

use crate::args::Prove;
use crate::failure::Failure;
use crate::{paths, reports, seed};
use again::Again;
use maker::{Maker, Partition};

/// One partition's files.
struct Job {
    witness: PathBuf,
    proof: PathBuf,
    public: PathBuf,
}

pub fn run(args: &Prove) -> Result<(), Failure> {
    let jobs = jobs(args)?;
    Maker::check(args)?;
    if let Some(folder) = &args.out_dir {
        paths::make_folder(folder)?;
    }
    check_paths(args, &jobs)?;
    seed::warn(args.seed.as_ref());
    let trust = match (args.trust_key, args.no_sidecar) {
        (true, _) => Trust::Trusted,
        (_, true) => Trust::CheckAlways,
        _ => Trust::CheckOnce,
    };
    let key = Arc::new(zkey::open(&args.key, trust)?);
    let timeline = reports::timeline(&args.reports);
    let maker = Maker::new(args, key, &timeline)?;
    let span = tracing::info_span!("partitions", steps = jobs.len() as u64).entered();
    let ended = prove_all(maker, args, &jobs);
    drop(span);
    let title = match jobs.len() {
        1 => "warpfield prove".to_owned(),
        count => format!("warpfield prove, {count} partitions"),
    };
    // Of a run that failed, too; which is the worse news then.
    let reported = reports::write(&args.reports, &timeline, &title);
    let ended = ended?;
    reported?;
    match ended {
        Ended::Here(failed) => summary(&jobs, failed),
        Ended::InAnother(status, failed) => again::summary(status, failed),
    }
}

/// How the partitions came to their ends, with those that failed while others were to go on.
enum Ended {
    Here(Vec<Failure>),
    /// Another process proved the rest.
    InAnother(ExitStatus, Vec<Failure>),
}

/// Proves all partitions.
fn prove_all(maker: Maker, args: &Prove, jobs: &[Job]) -> Result<Ended, Failure> {
    let mut failed = Vec::new();
    let mut next = jobs.iter().enumerate().skip(args.from.unwrap_or(0));
    let mut started = VecDeque::new();
    loop {
        let room = maker.ahead() - started.len();
        started.extend(
            next.by_ref()
                .take(room)
                .map(|(index, job)| (index, job, maker.start(args, index, job))),
        );
        let Some((index, job, partition)) = started.pop_front() else {
            return Ok(Ended::Here(failed));
        };
        let mut result = partition.and_then(|partition| write(partition, job));
        if let Err(Failure::Device(why)) = &result
            && let Some(again) = Again::of(args, &maker)
        {
            tracing::warn!("partition {} of {}: {why}; {again}", index + 1, jobs.len());
            let partition = match again {
                Again::OnCpu => maker.start_on_cpu(args, index, job),
                Again::OnDevice => maker.start(args, index, job),
                Again::InAnotherProcess => {
                    // Not two at a time: the other one needs the devices' memory.
                    drop((started, maker));
                    return Ok(Ended::InAnother(again::run(index)?, failed));
                }
            };
            result = partition.and_then(|partition| write(partition, job));
        }
        let result = result.map_err(|failure| match jobs.len() {
            1 => failure,
            count => failure.within(format_args!("partition {} of {count}", index + 1)),
        });
        match result {
            Ok(()) => {}
            Err(failure) if args.keep_going => {
                failure.report();
                failed.push(failure);
            }
            Err(failure) => {
                // Some of them may be under way.
                let rest = jobs.len() - index - 1;
                return Err(match rest {
                    0 => failure,
                    _ => failure.and(format_args!("{rest} more not written, see --keep-going")),
                });
            }
        }
    }
}

/// Waits for a proof and writes it.
fn write(partition: Partition, job: &Job) -> Result<(), Failure> {
    let (proof, signals) = partition.finish(job)?;
    let proof = json::proof_to_json(&proof);
    let proof = Staged::write(&job.proof, |out| json::write(&proof, out))?;
    let public = json::public_to_json(&signals);
    let public = Staged::write(&job.public, |out| json::write(&public, out))?;
    Staged::commit_all([proof, public])?;
    Ok(())
}

fn check_paths(args: &Prove, jobs: &[Job]) -> Result<(), Failure> {
    let witnesses = jobs.iter().map(|job| job.witness.as_path());
    let inputs: Vec<&Path> = [args.key.as_path()].into_iter().chain(witnesses).collect();
    let sidecar = (!args.trust_key && !args.no_sidecar).then(|| zkey::sidecar_path(&args.key));
    let proofs = jobs.iter().flat_map(|job| [job.proof.as_path(), job.public.as_path()]);
    let outputs: Vec<&Path> = proofs.chain(args.reports.files()).collect();
    paths::check(&inputs, sidecar.as_deref(), &outputs)?;
    outputs.into_iter().try_for_each(check_is_no_input)
}

/// The partitions that the arguments name.
fn jobs(args: &Prove) -> Result<Vec<Job>, Failure> {
    match (&args.out_dir, args.files.as_slice()) {
        (Some(folder), witnesses) => all_in_folder(folder, witnesses),
        (None, [witness, proof, public]) => {
            Ok(vec![Job { witness: witness.clone(), proof: proof.clone(), public: public.clone() }])
        }
        (None, files) => Err(Failure::other(format!(
            "{} file(s) after the key, where WITNESS.wtns PROOF.json PUBLIC.json are needed; \
             to prove several witnesses give --out-dir DIR",
            files.len()
        ))),
    }
}

/// Three witnesses without `--out-dir` would be one, and two that are overwritten.
fn check_is_no_input(output: &Path) -> Result<(), Failure> {
    let has_ending = |ending: &str| output.extension().is_some_and(|found| found == ending);
    if ["wtns", "zkey", "r1cs"].into_iter().any(has_ending) {
        return Err(Failure::other(format!(
            "{}: this output has the name of an input; to prove several witnesses give --out-dir DIR",
            output.display()
        )));
    }
    Ok(())
}

fn all_in_folder(folder: &Path, witnesses: &[PathBuf]) -> Result<Vec<Job>, Failure> {
    let mut of_stem = BTreeMap::new();
    for witness in witnesses {
        if let Some(other) = of_stem.insert(witness.file_stem(), witness) {
            return Err(Failure::other(format!(
                "{} and {} would have the same outputs: each would overwrite another output; rename one, or prove \
                 them to different folders",
                other.display(),
                witness.display()
            )));
        }
    }
    witnesses.iter().map(|path| in_folder(folder, path)).collect()
}

fn in_folder(folder: &Path, witness: &Path) -> Result<Job, Failure> {
    let stem = witness.file_stem().ok_or_else(|| {
        Failure::other(format!("{}: has no file name; name a witness", witness.display()))
    })?;
    let with = |ending: &str| {
        let mut name = stem.to_owned();
        name.push(ending);
        folder.join(name)
    };
    Ok(Job {
        witness: witness.to_owned(),
        proof: with(".proof.json"),
        public: with(".public.json"),
    })
}

fn summary(jobs: &[Job], failed: Vec<Failure>) -> Result<(), Failure> {
    if failed.is_empty() {
        match jobs {
            [job] => tracing::info!("proof verified and written to {}", job.proof.display()),
            jobs => tracing::info!("{} proofs verified and written", jobs.len()),
        }
        return Ok(());
    }
    let message = format!("{} of {} partitions failed", failed.len(), jobs.len());
    // A bad file is worse news than a bad witness: the caller cannot tell what it would have been.
    Err(match failed.iter().all(|failure| matches!(failure, Failure::Invalid(_))) {
        true => Failure::Invalid(message),
        false => Failure::Other(message),
    })
}
