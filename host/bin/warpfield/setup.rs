//! `warpfield setup`.

use warpfield::circuit::R1cs;
use warpfield::formats::{r1cs, write_atomically, zkey};
use warpfield::groth16::{self, KeyParts, ToxicWaste};

use crate::args::Setup;
use crate::device::DeviceName;
use crate::failure::Failure;
use crate::{paths, seed};

pub fn run(args: &Setup) -> Result<(), Failure> {
    paths::check(&[&args.circuit], None, &[&args.key])?;
    let circuit = r1cs::open(&args.circuit)?;
    warn();
    seed::warn(args.seed.as_ref());
    let waste = ToxicWaste::random(&mut seed::generator(args.seed.as_ref(), 0)?)?;
    let parts = parts(args.device, &circuit, &waste)?;
    write_atomically(&args.key, |out| zkey::write(&parts, out))?;
    tracing::info!(
        "key written to {1}; constraints: {0}",
        circuit.n_constraints(),
        args.key.display()
    );
    Ok(())
}

/// Says what such a key is good for.
pub fn warn() {
    tracing::warn!(
        "INSECURE KEY: a single-party setup lets whoever ran it forge proofs; \
         for tests and benchmarks only"
    );
}

/// The parts of the key, with their points by the device.
fn parts(device: DeviceName, circuit: &R1cs, waste: &ToxicWaste) -> Result<KeyParts, Failure> {
    match device {
        DeviceName::Cpu => Ok(groth16::setup(circuit, waste)?),
        #[cfg(feature = "ptx")]
        name => {
            let device = name.open(crate::device::EMULATED_OR_CPU)?;
            let module = warpfield::gpu::Module::load(&device, warpfield::ptx::MODULE)?;
            groth16::gpu::setup(&device, &module, circuit, waste).map_err(Failure::other)
        }
        #[cfg(not(feature = "ptx"))]
        _ => Err(Failure::other(
            "this build has no kernels; build with `--features cuda`, or make the key by \
             `--device cpu`",
        )),
    }
}
