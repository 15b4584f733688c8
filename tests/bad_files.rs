//! Every way in which a file can be bad has an error of its own, with section and offset.

mod support;

use support::*;
use warpfield::circuit::WitnessValues;
use warpfield::formats::zkey::{self, Trust};
use warpfield::formats::{Error, Source, inspect, r1cs, wtns};

fn sample() -> Sample {
    Sample::synthetic(5, 2, WitnessValues::FullWidth)
}

fn read_key(bytes: &[u8]) -> Result<(), Error> {
    let source = Source::from_bytes("key.zkey", bytes.to_vec());
    zkey::read(&source, Trust::CheckAlways).map(drop)
}

fn read_witness(bytes: &[u8]) -> Result<(), Error> {
    wtns::read(&Source::from_bytes("w.wtns", bytes.to_vec())).map(drop)
}

fn read_circuit(bytes: &[u8]) -> Result<(), Error> {
    r1cs::read(&Source::from_bytes("c.r1cs", bytes.to_vec())).map(drop)
}

/// The error's one line must have all these parts.
#[track_caller]
fn expect(result: Result<(), Error>, parts: &[&str]) {
    let line = result.expect_err("the file is bad").to_string();
    for part in parts {
        assert!(line.contains(part), "{line:?} should contain {part:?}");
    }
    assert_eq!(line.lines().count(), 1, "{line:?}");
}

#[test]
fn the_samples_are_good() {
    let sample = sample();
    read_key(&sample.zkey).unwrap();
    read_witness(&sample.wtns).unwrap();
    read_circuit(&sample.r1cs).unwrap();
}

#[test]
fn files_cut_anywhere() {
    let sample = sample();
    for length in 0..sample.zkey.len() {
        let result = read_key(&sample.zkey[..length]);
        assert!(result.is_err(), "key cut to {length}");
    }
    for length in 0..sample.wtns.len() {
        assert!(read_witness(&sample.wtns[..length]).is_err(), "witness cut to {length}");
    }
    for length in 0..sample.r1cs.len() {
        assert!(read_circuit(&sample.r1cs[..length]).is_err(), "circuit cut to {length}");
    }
    expect(read_key(&[]), &["key.zkey", "not a .zkey file"]);
    for (index, (_, start, length)) in sections(&sample.zkey).into_iter().enumerate() {
        let entry = format!("section table, entry {} of 10", index + 1);
        expect(read_key(&sample.zkey[..start - 12]), &[&entry, "bytes short"]);
        expect(read_key(&sample.zkey[..start + length - 1]), &["section", "1 bytes short"]);
    }
}

#[test]
fn no_changed_byte_panics() {
    let sample = Sample::synthetic(1, 1, WitnessValues::FullWidth);
    type Read = fn(&[u8]) -> Result<(), Error>;
    let key: Read = |bytes| {
        zkey::read(&Source::from_bytes("key.zkey", bytes.to_vec()), Trust::Trusted).map(drop)
    };
    let files: [(&[u8], Read); 3] =
        [(&sample.zkey, key), (&sample.wtns, read_witness), (&sample.r1cs, read_circuit)];
    for (bytes, read) in files {
        for offset in 0..bytes.len() {
            for change in [1, 0xff] {
                let mut changed = bytes.to_vec();
                changed[offset] ^= change;
                let _ = read(&changed);
                let _ = inspect(&Source::from_bytes("changed", changed));
            }
        }
    }
}

#[test]
fn wild_lengths_allocate_nothing() {
    let sample = sample();
    for length in [u64::MAX, u64::MAX - 12, 1 << 63, 1 << 40] {
        for (_, start, _) in sections(&sample.zkey) {
            let changed = patched(&sample.zkey, start - 8, &length.to_le_bytes());
            expect(read_key(&changed), &["section", "bytes short"]);
        }
    }
    let many = patched(&sample.zkey, 8, &u32::MAX.to_le_bytes());
    expect(read_key(&many), &["entry 11 of 4294967295", "bytes short"]);
    let few = patched(&sample.zkey, 8, &9u32.to_le_bytes());
    expect(read_key(&few), &["80 bytes follow"]);
    let wide = patched(&sample.zkey, section(&sample.zkey, 2), &u32::MAX.to_le_bytes());
    expect(read_key(&wide), &["section 2 (header)", "bytes short"]);
}

#[test]
fn sections_missing_twice_and_in_another_order() {
    let sample = sample();
    let all: Vec<u32> = (1..=10).collect();
    for missing in 1..=9 {
        let rest: Vec<u32> = all.iter().copied().filter(|id| *id != missing).collect();
        let name = format!("section {missing} (");
        expect(read_key(&with_sections(&sample.zkey, &rest)), &[&name, "section missing"]);
        let twice: Vec<u32> = all.iter().copied().chain([missing]).collect();
        expect(read_key(&with_sections(&sample.zkey, &twice)), &[&name, "present twice"]);
    }
    let reversed: Vec<u32> = all.iter().rev().copied().collect();
    read_key(&with_sections(&sample.zkey, &reversed)).unwrap();
    // What belongs to the ceremony is not needed for proofs.
    read_key(&with_sections(&sample.zkey, &all[..9])).unwrap();

    expect(read_witness(&with_sections(&sample.wtns, &[1])), &["section 2 (values)", "missing"]);
    expect(read_circuit(&with_sections(&sample.r1cs, &[2, 3])), &["section 1 (header)"]);
    expect(read_circuit(&with_sections(&sample.r1cs, &[1, 2])), &["section 3 (labels)"]);
}

#[test]
fn other_versions_formats_and_curves() {
    let sample = sample();
    let newer = patched(&sample.zkey, 4, &2u32.to_le_bytes());
    expect(read_key(&newer), &["version 2", "only 1 is"]);
    expect(read_key(&sample.wtns), &["not a .zkey file", "wtns", "right place"]);
    let file = |name: &str| std::fs::read(data(name)).unwrap();
    expect(read_key(&file("bn128/tiny.zkey")), &["section 2", "bn128", "circom -p bls12381"]);
    expect(read_key(&file("bn128/tiny.plonk.zkey")), &["section 1", "PLONK", "groth16 setup"]);
    expect(read_witness(&file("bn128/tiny.wtns")), &["section 1", "bn128"]);
    expect(read_circuit(&file("bn128/tiny.r1cs")), &["section 1", "bn128"]);
    for (modulus, name) in [
        (&[7, 0][..], "with modulus 0x7,"),
        (&[0; 80], "with modulus 0,"),
        (&[0xff; 64], &format!("with modulus 0x{},", "f".repeat(128))),
        (&[7; 1 << 20], "with a modulus of 1048576 bytes"),
    ] {
        let header = [&(modulus.len() as u32).to_le_bytes(), modulus].concat();
        let other = with_content(&sample.wtns, 1, &header);
        expect(read_witness(&other), &["section 1 (header)", name]);
    }
}

#[test]
fn counts_that_do_not_match() {
    let sample = sample();
    let sizes = section(&sample.zkey, 2) + 4 + 48 + 4 + 32;
    let with =
        |field: usize, value: u32| patched(&sample.zkey, sizes + 4 * field, &value.to_le_bytes());
    expect(read_key(&with(0, 11)), &["section 5 (A)", "11 points of 96 bytes"]);
    expect(read_key(&with(0, 9)), &["section 5 (A)", "9 points of 96 bytes"]);
    expect(read_key(&with(0, 2)), &["section 2", "2 public signals and the constant in 2 wires"]);
    expect(read_key(&with(1, 3)), &["section 3 (IC)", "288 bytes", "384 are needed for 4 points"]);
    expect(read_key(&with(2, 7)), &["domain size 7 is not a power of two"]);
    expect(read_key(&with(2, 0)), &["domain size 0"]);
    expect(read_key(&with(2, 2)), &["2 public signals do not fit a domain of 2"]);
    expect(read_key(&with(2, 16)), &["section 9 (H)", "16 points of 96 bytes"]);
    expect(read_key(&with(2, 1 << 30)), &["section 9 (H)"]);
    expect(read_key(&with(2, 1 << 31)), &["section 2", "2^31 are too many"]);
    expect(read_key(&with(0, 1 << 31)), &["section 2", "2^31 are too many"]);
    let more = patched(&sample.zkey, section(&sample.zkey, 4), &1000u32.to_le_bytes());
    expect(read_key(&more), &["section 4 (coefficients)", "1000 coefficients of 44 bytes"]);
    let values = section(&sample.wtns, 1) + 36;
    let more = patched(&sample.wtns, values, &u32::MAX.to_le_bytes());
    expect(read_witness(&more), &["section 2 (values)", "4294967295 values of 32 bytes"]);
    let header = section(&sample.r1cs, 1) + 36;
    let more = patched(&sample.r1cs, header + 24, &u32::MAX.to_le_bytes());
    expect(read_circuit(&more), &["section 2 (constraints)", "4294967295 constraints"]);
    let more = patched(&sample.r1cs, header + 24, &4u32.to_le_bytes());
    expect(read_circuit(&more), &["section 2 (constraints)", "the end of 4 constraints"]);
    let more = patched(&sample.r1cs, header, &u32::MAX.to_le_bytes());
    expect(read_circuit(&more), &["section 3 (labels)", "4294967295 labels of 8 bytes"]);
    let public = patched(&sample.r1cs, header + 8, &u32::MAX.to_le_bytes());
    expect(read_circuit(&public), &["section 1 (header)", "but there are only 10"]);
    // circom counts private inputs that it has left out, since no constraint has them.
    let private = patched(&sample.r1cs, header + 12, &1000u32.to_le_bytes());
    assert!(read_circuit(&private).is_ok());
}

#[test]
fn coefficients_out_of_range() {
    let sample = sample();
    let first = section(&sample.zkey, 4) + 4;
    let at = first.to_string();
    let with = |offset: usize, new: &[u8]| patched(&sample.zkey, first + offset, new);
    expect(read_key(&with(0, &[2])), &["section 4", &at, "the matrix is 2", "not below 2"]);
    expect(read_key(&with(4, &[8])), &["section 4", "the constraint is 8", "not below 8"]);
    expect(read_key(&with(8, &[10])), &["section 4", "the wire is 10", "not below 10"]);
    let at = (first + 12).to_string();
    expect(read_key(&with(12, &scalar_modulus())), &["section 4", &at, "scalar field's modulus"]);

    let term = section(&sample.r1cs, 2) + 4;
    let wire = patched(&sample.r1cs, term, &10u32.to_le_bytes());
    expect(read_circuit(&wire), &["section 2", &term.to_string(), "the wire is 10"]);
    let value = patched(&sample.r1cs, term + 4, &[0xff; 32]);
    expect(read_circuit(&value), &["section 2", &(term + 4).to_string(), "modulus"]);
    let terms = patched(&sample.r1cs, term - 4, &u32::MAX.to_le_bytes());
    expect(read_circuit(&terms), &["section 2", "bytes short"]);
}

#[test]
fn points_that_are_none() {
    let sample = sample();
    let names = [(3, "IC"), (5, "A"), (6, "B1"), (7, "B2"), (8, "C"), (9, "H")];
    for (id, name) in names {
        let size = if name == "B2" { 192 } else { 96 };
        let start = section(&sample.zkey, id);
        let at = start + 2 * size;
        let place = [format!("section {id} ({name}), point 2"), format!("offset {at}")];
        let place = [place[0].as_str(), place[1].as_str()];
        let mut off_curve = sample.zkey.clone();
        off_curve[at] ^= 1;
        expect(read_key(&off_curve), &[&place[..], &["not on the curve"]].concat());
        let unreduced = patched(&sample.zkey, at, &fp_modulus());
        expect(read_key(&unreduced), &[&place[..], &["not below the modulus"]].concat());
        let outside = match size {
            192 => patched(&sample.zkey, at, &outside_g2()),
            _ => patched(&sample.zkey, at, &outside_g1()),
        };
        expect(read_key(&outside), &[&place[..], &["not in the subgroup"]].concat());
    }
    let header = section(&sample.zkey, 2) + 88 + 12;
    let offsets = [0, 96, 192, 384, 576, 672];
    let names = ["α in G1", "β in G1", "β in G2", "γ in G2", "δ in G1", "δ in G2"];
    for (offset, name) in offsets.into_iter().zip(names) {
        let at = header + offset;
        let place = format!("section 2 (header), {name}: offset {at}");
        let g2 = name.ends_with("G2");
        let mut off_curve = sample.zkey.clone();
        off_curve[at] ^= 1;
        expect(read_key(&off_curve), &[&place, "not on the curve"]);
        let outside = if g2 { outside_g2().to_vec() } else { outside_g1().to_vec() };
        expect(read_key(&patched(&sample.zkey, at, &outside)), &[&place, "subgroup"]);
        let size = if g2 { 192 } else { 96 };
        expect(read_key(&patched(&sample.zkey, at, &vec![0; size])), &[&place, "infinity"]);
    }
}

#[test]
fn a_trusted_key_is_still_checked_for_the_curve() {
    let sample = sample();
    let at = section(&sample.zkey, 5);
    let read = |bytes: Vec<u8>| {
        zkey::read(&Source::from_bytes("key.zkey", bytes), Trust::Trusted).map(drop)
    };
    read(patched(&sample.zkey, at, &outside_g1())).unwrap();
    expect(read(patched(&sample.zkey, at, &[1; 96])), &["section 5 (A), point 0"]);
}

#[test]
fn bytes_in_memory_have_no_sidecar() {
    let folder = tempfile::tempdir().unwrap();
    let name = folder.path().join("key.zkey");
    zkey::read(&Source::from_bytes(&name, sample().zkey), Trust::CheckOnce).unwrap();
    assert!(!zkey::sidecar_path(&name).exists());
    std::fs::write(&name, sample().zkey).unwrap();
    zkey::open(&name, Trust::CheckOnce).unwrap();
    assert!(zkey::sidecar_path(&name).exists());
}

#[test]
fn custom_gates_and_repeated_sections() {
    let sample = sample();
    // Section 5: one use of a gate.
    let mut gates = sample.r1cs.clone();
    gates[8..12].copy_from_slice(&4u32.to_le_bytes());
    gates.extend(5u32.to_le_bytes());
    gates.extend(8u64.to_le_bytes());
    gates.extend([1, 0, 0, 0, 0, 0, 0, 0]);
    expect(read_circuit(&gates), &["section 5", "custom gates"]);
    for twice in [[1, 2, 3, 1], [1, 2, 3, 2]] {
        expect(read_circuit(&with_sections(&sample.r1cs, &twice)), &["present twice"]);
    }
    for twice in [[1, 2, 1], [1, 2, 2]] {
        expect(read_witness(&with_sections(&sample.wtns, &twice)), &["present twice"]);
    }
}

#[test]
fn witness_values() {
    let sample = sample();
    let values = section(&sample.wtns, 2);
    let at = values + 3 * 32;
    let large = patched(&sample.wtns, at, &scalar_modulus());
    expect(read_witness(&large), &["section 2 (values)", &format!("offset {at}"), "modulus"]);
    let two = patched(&sample.wtns, values, &[2]);
    expect(read_witness(&two), &["section 2 (values)", "must be 1"]);
}
