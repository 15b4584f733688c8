//! Groth16 proofs over BLS12-381 from the files of circom and snarkjs.
//!
//! The same that the program `warpfield` does, as a library: open a key ([`formats::zkey`]) and
//! witnesses ([`formats::wtns`]), make proofs ([`groth16::Prover`]), verify them
//! ([`groth16::verify`], [`groth16::verify_batch`]), and read and write snarkjs' JSON
//! ([`formats::json`]).
//!
//! ```
//! use std::sync::Arc;
//!
//! use rand_core::OsRng;
//! use warpfield::formats::zkey::{self, Trust};
//! use warpfield::formats::{json, wtns};
//! use warpfield::groth16::{self, Blinding, Prover};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let (key_file, witness_file) = ("tests/data/mult1000/circuit.zkey", "tests/data/mult1000/witness.wtns");
//! // Mapped, not read: a key of 10 GiB does not take 10 GiB of memory.
//! let key = Arc::new(zkey::open(key_file, Trust::CheckAlways)?);
//! let prover = Prover::new(key.clone())?;
//!
//! let witness = wtns::open(witness_file)?;
//! let proof = prover.prove(&witness, Blinding::random(&mut OsRng)?)?;
//!
//! let signals = witness.public_signals(key.n_public());
//! assert!(groth16::verify(key.verifying_key(), &signals, &proof)?);
//! println!("{}", json::proof_to_json(&proof)); // what snarkjs reads
//! let bytes: [u8; 192] = proof.to_compressed(); // what bellman and Filecoin read
//! # Ok(())
//! # }
//! ```
//!
//! Keys, proofs and scalars are [`blstrs`] types; its `ff`, `group` and `pairing` versions are the
//! ones to use. Everything runs on the current rayon pool, from any thread, without global state.
//!
//! # Stages
//!
//! Each stage of a proof is a [`tracing`] span of level INFO: `load_key` (`check_on_curve`,
//! `hash_key`, `check_subgroups`), `prove` (`quotient`: `rows`, `ntt`; `msm`: `msm_g1` four times,
//! `msm_g2`; `verify`), `setup` (`exponents`), `verify_batch`. No span and no error holds a secret.
//!
//! # Features
//!
//! | feature | gives |
//! | --- | --- |
//! | `cli` (default) | the program; a library user does without by `default-features = false` |
//! | `ptx` | the module of GPU kernels as PTX text and a device that emulates one, the modules `ptx` and `gpu`; needs the source of Rust's `core` |
//! | `cuda` | `ptx` with CUDA devices; builds without a CUDA toolkit, and runs without a driver |
//! | `lock-two`, `lock-none`, `lock-single` (all default) | a strategy each that keeps the workers of a device apart: [`pipeline::interlock`] |
//! | `metrics` | the timeline's reports for a recorder of the crate `metrics`, see [`pipeline::timeline`] |
//! | `test-kernels` | `ptx` with kernels of single operations, for tests and measurements |

// Says on docs.rs which feature an item needs.
#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod circuit;
pub mod curve;
mod field;
pub mod formats;
#[cfg(feature = "ptx")]
pub mod gpu;
pub mod groth16;
pub mod msm;
pub mod ntt;
pub mod pipeline;
#[cfg(feature = "ptx")]
pub mod ptx;
