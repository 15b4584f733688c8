//! The circuits of `warpfield bench prove`.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use blstrs::Scalar;
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng as _;
use warpfield::circuit::{self, R1cs, Shape, WitnessValues};
use warpfield::formats::{write_atomically, wtns, zkey};
use warpfield::gpu::{Device, Module};
use warpfield::groth16::synthesis::{self, Synthesis};
use warpfield::groth16::{self, Key, ToxicWaste, Witness};
use warpfield::pipeline::engine::Input;
use warpfield::pipeline::pool::Pool;
use warpfield::pipeline::stop::Stop;

use crate::args::{BenchProve, FormName, ShapeName, Values};
use crate::failure::Failure;

/// Public inputs of circuits that have no shape of their own.
const PUBLIC: usize = 1;

/// A circuit's key, and what its partitions are made of.
pub struct Circuit {
    /// Constraints, and rows of public signals and the constant.
    pub rows: usize,
    pub key: Arc<dyn Key>,
    sample: Sample,
    /// To make all this.
    pub seconds: f64,
}

enum Sample {
    Witness(Witness),
    Synthesis(Synthesis<Vec<Scalar>>),
}

impl Circuit {
    /// Of so many rows, or of the shape that is asked for.
    pub fn new(device: &Device, rows: usize, options: &BenchProve) -> Result<Self, Failure> {
        let start = Instant::now();
        let mut rng = ChaCha20Rng::seed_from_u64(rows as u64);
        let (r1cs, values) = match options.shape {
            Some(ShapeName::Porep32) => Shape::porep32(options.scale).circuit(&mut rng),
            None => {
                let values = match options.witness {
                    Values::Random => WitnessValues::FullWidth,
                    Values::Mixed => WitnessValues::Mixed { bits_percent: 70 },
                    Values::Bits => WitnessValues::Boolean,
                };
                circuit::synthetic(rows - PUBLIC - 1, PUBLIC, values, &mut rng)
            }
        };
        let rows = r1cs.n_constraints() + r1cs.n_public() as usize + 1;
        let waste = ToxicWaste::random(&mut rng)?;
        let module = Module::load(device, warpfield::ptx::MODULE)?;
        let (key, sample): (Arc<dyn Key>, _) = match options.form {
            FormName::Zkey => {
                let parts = groth16::gpu::setup(device, &module, &r1cs, &waste);
                let parts = parts.map_err(Failure::other)?;
                let witness = Witness::from_scalars(&values);
                if let Some(folder) = &options.dir {
                    keep(folder, &parts, &witness)?;
                }
                (Arc::new(parts.into_key()?), Sample::Witness(witness))
            }
            FormName::Abc => {
                let key = groth16::gpu::setup_vectors(device, &module, &r1cs, &waste);
                let key = Arc::new(key.map_err(Failure::other)?);
                (key, Sample::Synthesis(synthesis(&r1cs, &values)?))
            }
        };
        Ok(Self { rows, key, sample, seconds: start.elapsed().as_secs_f64() })
    }

    /// What so many partitions are made of, by turns for these devices, and the pools of pinned memory that it is in
    /// where the form asks for that. Freeing them takes long.
    pub fn inputs(
        &self,
        devices: &[Device],
        partitions: usize,
    ) -> Result<(Vec<Input>, Vec<Pool>), Failure> {
        match &self.sample {
            Sample::Witness(witness) => {
                Ok(((0..partitions).map(|_| witness.clone().into()).collect(), Vec::new()))
            }
            Sample::Synthesis(synthesis) => {
                let Synthesis { a, b, c, inputs, auxiliary } = synthesis;
                let values = [a, b, c, inputs, auxiliary];
                // With room for where buffers begin.
                let bytes = values.map(|values| size_of_val(&**values) + 4096).iter().sum();
                let each = partitions.div_ceil(devices.len());
                let pools = devices.iter().map(|device| Pool::new(device, bytes, each));
                let pools = pools.collect::<Result<Vec<_>, _>>().map_err(Failure::other)?;
                let input = |pool: &Pool| {
                    let lent = pool.checkout_all(values.map(Vec::len), &Stop::new());
                    let mut lent = lent.map_err(Failure::other)?;
                    for (lent, values) in lent.iter_mut().zip(values) {
                        lent.copy_from_slice(values);
                    }
                    Ok(Input::from(Synthesis::from(lent)))
                };
                let inputs = pools.iter().cycle().take(partitions).map(input);
                Ok((inputs.collect::<Result<_, Failure>>()?, pools))
            }
        }
    }
}

/// What a synthesis gives.
fn synthesis(r1cs: &R1cs, values: &[Scalar]) -> Result<Synthesis<Vec<Scalar>>, Failure> {
    let lengths = synthesis::Shape::of(r1cs)?.lengths();
    let mut synthesis = Synthesis::from(lengths.map(|length| vec![Scalar::default(); length]));
    synthesis.fill(r1cs, values)?;
    Ok(synthesis)
}

/// The files that [`keep`] writes.
pub fn kept(folder: &Path) -> [PathBuf; 2] {
    ["circuit.zkey", "witness.wtns"].map(|name| folder.join(name))
}

/// Writes files for `warpfield prove`.
fn keep(folder: &Path, parts: &groth16::KeyParts, witness: &Witness) -> Result<(), Failure> {
    let [key, values] = kept(folder);
    write_atomically(&key, |out| zkey::write(parts, out))?;
    write_atomically(&values, |out| wtns::write(witness, out))?;
    Ok(())
}
