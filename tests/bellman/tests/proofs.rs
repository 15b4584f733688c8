//! Keys that bellman makes, and proofs that it verifies.

mod circuit;

use bls12_381::{Bls12, Scalar as Other};
use groth16::{Parameters, generate_parameters};
use warpfield::circuit::{R1cs, WitnessValues, synthetic};
use warpfield::formats::{Source, parameters};
use warpfield::groth16::synthesis::{Shape, VectorKey};

use circuit::Constraints;

/// A circuit with its witness, and bellman's key for it.
struct Case {
    circuit: R1cs,
    witness: Vec<blstrs::Scalar>,
    parameters: Parameters<Bls12>,
}

impl Case {
    fn new(constraints: usize, public: usize) -> Self {
        let mut rng: rand_chacha::ChaCha8Rng = rand_core::SeedableRng::seed_from_u64(9);
        let values = WitnessValues::FullWidth;
        let (circuit, witness) = synthetic(constraints, public, values, &mut rng);
        let [alpha, beta, gamma, delta, tau] =
            [3, 1009, 77, 0x1234_5678, 0x9abc_def0].map(Other::from);
        let parameters = generate_parameters::<Bls12, _>(
            Constraints { circuit: &circuit, witness: &witness },
            bls12_381::G1Projective::generator(),
            bls12_381::G2Projective::generator(),
            alpha,
            beta,
            gamma,
            delta,
            tau.square() + tau,
        );
        let parameters = parameters.unwrap();
        Self { circuit, witness, parameters }
    }

    fn file(&self) -> Vec<u8> {
        let mut bytes = vec![];
        self.parameters.write(&mut bytes).unwrap();
        bytes
    }

    fn read(&self, bytes: Vec<u8>) -> Result<VectorKey, warpfield::formats::Error> {
        let shape = Shape::of(&self.circuit).unwrap();
        parameters::read(&Source::from_bytes("k.params", bytes), shape)
    }
}

#[test]
fn keys_are_read() {
    let case = Case::new(20, 3);
    assert_eq!(case.circuit.first_unsatisfied(&case.witness), None);
    let key = case.read(case.file()).unwrap();
    let Parameters { vk, h, l, a, b_g1, b_g2 } = &case.parameters;
    let parts = key.parts();
    for (found, points) in [(&parts.h, h), (&parts.l, l), (&parts.a, a), (&parts.b_g1, b_g1)] {
        assert_eq!(found.len(), 96 * points.len());
    }
    assert_eq!(parts.b_g2.len(), 192 * b_g2.len());
    let ic: Vec<_> = vk.ic.iter().map(|point| point.to_uncompressed()).collect();
    let found: Vec<_> = parts.vk.ic.iter().map(|point| point.to_uncompressed()).collect();
    assert_eq!(found, ic);
    assert_eq!(parts.vk.gamma_g2.to_uncompressed(), vk.gamma_g2.to_uncompressed());
}

#[test]
fn damaged_files() {
    let case = Case::new(20, 3);
    let file = case.file();
    let error = |bytes: Vec<u8>| case.read(bytes).err().unwrap().to_string();
    // Three points of G1 and three of G2, the number of points of IC, and those.
    let (ic, h) = (3 * 96 + 3 * 192, 3 * 96 + 3 * 192 + 4 + 4 * 96);
    for (len, text) in [
        (0, "k.params: α₁: offset 0: the file ends here, 96 bytes short"),
        (95, "k.params: α₁: offset 95: the file ends here, 1 bytes short"),
        (ic + 3, "k.params: IC: offset 867: the file ends here, 1 bytes short"),
        (h + 4 + 96, "k.params: H: offset 1352: the file ends here, 2880 bytes short"),
        (file.len() - 1, "the file ends here, 1 bytes short"),
    ] {
        let text_found = error(file[..len].to_vec());
        assert!(text_found.contains(text), "{len}: {text_found}");
    }
    let text = error([&file[..], &[0; 2]].concat());
    assert!(text.contains("the end of B₂") && text.contains("2 bytes follow"), "{text}");
    let mut bad = file.clone();
    bad[h + 4 + 2 * 96 + 50] ^= 1;
    let text = error(bad);
    let offset = h + 4 + 2 * 96;
    let expected = format!("k.params: H, point 2: offset {offset}: the point is not on the curve");
    assert!(text.contains(&expected), "{text}");
    let mut bad = file;
    bad[0] ^= 0x20;
    let text = error(bad);
    assert!(text.contains("k.params: α₁: offset 0: the point is not on the curve"), "{text}");
    // A key for another circuit.
    let text = Case::new(40, 3).read(case.file()).err().unwrap().to_string();
    assert!(text.contains("H has 31 points, and the circuit takes 63"), "{text}");
}

#[cfg(feature = "ptx")]
mod on_a_device {
    use std::sync::Arc;

    use bellman::VerificationError;
    use groth16::{Proof, prepare_verifying_key, verify_proof};
    use warpfield::gpu::{Device, Module, emulator};
    use warpfield::groth16::Blinding;
    use warpfield::groth16::gpu::{Contents, DeviceKey, Kernels, Scratch, Slot};
    use warpfield::groth16::synthesis::Synthesis;

    use super::circuit::scalar;
    use super::*;

    #[test]
    fn proofs_are_verified_by_bellman() {
        let device = Device::emulated(emulator::Config::default());
        let module = Module::load(&device, warpfield::ptx::MODULE).unwrap();
        let kernels = Kernels::new(&device, &module).unwrap();
        let stream = device.stream().unwrap();
        for (constraints, public) in [(13, 0), (13, 2), (30, 2)] {
            let case = Case::new(constraints, public);
            let key = Arc::new(case.read(case.file()).unwrap());
            let contents = Contents::of(&key).unwrap();
            let (sizes, residence) = (contents.sizes(), contents.sizes().resident(0));
            let memory = |bytes: usize| device.alloc::<u8>(bytes).unwrap();
            let of_scratch = memory(sizes.scratch_bytes(&kernels, &residence).unwrap());
            let of_key = memory(sizes.key_bytes(&residence));
            let on_device = DeviceKey::load(
                &kernels,
                &stream,
                key.clone(),
                &contents,
                &residence,
                &of_key,
                &of_scratch,
            )
            .unwrap();
            let slot = Slot::new(&sizes, &memory(sizes.staging_bytes())).unwrap();
            let scratch = Scratch::new(&on_device, &of_scratch).unwrap();

            let pinned = |len| device.alloc_pinned(len).unwrap();
            let mut synthesis = Synthesis::from(key.shape().lengths().map(pinned));
            synthesis.fill(&case.circuit, &case.witness).unwrap();
            let staged = on_device.stage_synthesis(&stream, &slot, synthesis).unwrap();
            let running = on_device.compute(&stream, &slot, scratch, &mut |_| Ok(())).unwrap();
            let (sums, _) = running.wait().unwrap();
            let inputs = staged.wait().unwrap().inputs;
            let blinding = Blinding::fixed(blstrs::Scalar::from(5), blstrs::Scalar::from(6));
            let proof = sums.finish(&*key, &blinding, &inputs[1..]).unwrap();

            let proof = Proof::<Bls12>::read(&proof.to_compressed()[..]).unwrap();
            let prepared = prepare_verifying_key(&case.parameters.vk);
            let mut signals: Vec<Other> = inputs[1..].iter().map(scalar).collect();
            verify_proof(&prepared, &proof, &signals).unwrap();
            if let Some(signal) = signals.first_mut() {
                *signal += Other::one();
                let verified = verify_proof(&prepared, &proof, &signals);
                assert!(matches!(verified, Err(VerificationError::InvalidProof)));
            }
        }
    }
}
