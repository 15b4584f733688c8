//! What is printed of values that hold secrets: their sizes, never the secrets.

use std::fmt::Debug;

use blstrs::Scalar;
use warpfield::groth16::synthesis::Synthesis;
use warpfield::groth16::{Blinding, ToxicWaste, Witness};
use warpfield::msm::ScalarSlice;

/// A byte that each secret here is made of.
const BYTE: u8 = 0x5a;

fn secret() -> Scalar {
    Option::from(Scalar::from_bytes_le(&[BYTE; 32])).expect("below r")
}

/// Whether a text has the bytes of a secret, as a number or one by one.
fn shows(text: &str) -> bool {
    let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let (hexadecimal, decimal) = (format!("{BYTE:02x}").repeat(4), format!("{BYTE},").repeat(4));
    text.to_lowercase().contains(&hexadecimal) || text.contains(&decimal)
}

#[track_caller]
fn hidden(name: &str, value: &impl Debug) {
    for text in [format!("{value:?}"), format!("{value:#?}")] {
        assert!(text.contains(name) && !shows(&text), "{text}");
    }
}

#[test]
fn the_check_sees_secrets() {
    assert!(shows(&format!("{:?}", secret())));
    assert!(shows(&format!("{:#?}", [BYTE; 32])) && shows(&format!("{:?}", [[BYTE; 32]; 2])));
    assert!(!shows("Witness(32 values)"));
}

#[test]
fn debug_output_holds_no_secret() {
    hidden("Witness(3 values)", &Witness::from_scalars(&[secret(); 3]));
    hidden("Blinding", &Blinding::fixed(secret(), secret()));
    hidden("ScalarSlice(2 scalars)", &ScalarSlice::from(&[[BYTE; 32]; 2][..]));
    hidden("Synthesis", &Synthesis::from([(); 5].map(|()| vec![secret(); 2])));
}

/// Draws the same byte for ever, so that what is drawn is known.
struct Known;

impl rand_core::CryptoRng for Known {}

impl rand_core::RngCore for Known {
    fn next_u32(&mut self) -> u32 {
        u32::from_le_bytes([BYTE; 4])
    }

    fn next_u64(&mut self) -> u64 {
        u64::from_le_bytes([BYTE; 8])
    }

    fn fill_bytes(&mut self, bytes: &mut [u8]) {
        bytes.fill(BYTE);
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), rand_core::Error> {
        self.fill_bytes(bytes);
        Ok(())
    }
}

#[test]
fn what_is_drawn_is_hidden_too() {
    hidden("ToxicWaste", &ToxicWaste::random(&mut Known).unwrap());
    hidden("Blinding", &Blinding::random(&mut Known).unwrap());
}

#[cfg(feature = "ptx")]
mod on_devices {
    use warpfield::gpu::{Device, emulator};
    use warpfield::msm::gpu::{HostSlice, StreamedScalars};
    use warpfield::pipeline::engine::{Input, Request};
    use warpfield::pipeline::pool::Pool;
    use warpfield::pipeline::stop::Stop;

    use super::*;

    #[test]
    fn debug_output_holds_no_secret() {
        let device = Device::emulated(emulator::Config::default());
        let mut pinned = device.alloc_pinned::<[u8; 32]>(4).unwrap();
        pinned.fill([BYTE; 32]);
        hidden("PinnedBuffer", &pinned);

        let stream = device.stream().unwrap();
        let memory = device.alloc::<[u8; 32]>(4).unwrap();
        stream.upload(&memory, &pinned).unwrap();
        hidden("DeviceSlice", &memory);
        hidden("Pending", &stream.upload_pinned(&memory, pinned, ..).unwrap());

        let scalars = [[BYTE; 32]; 2];
        let slice = HostSlice::from(ScalarSlice::from(&scalars[..]));
        hidden("HostSlice(64 pageable bytes)", &StreamedScalars::Integers(slice));

        let pool = Pool::new(&device, 1 << 12, 1).unwrap();
        let mut lent = pool.checkout_all::<Scalar, 5>([2; 5], &Stop::new()).unwrap();
        lent.iter_mut().for_each(|buffer| buffer.fill(secret()));
        hidden("Lent", &lent[0]);
        hidden("Synthesis", &Input::from(Synthesis::from(lent)));

        let blinding = Blinding::fixed(secret(), secret());
        let witness = Witness::from_scalars(&[secret(); 3]);
        hidden("Witness(3 values)", &Request::new(0, witness, blinding));
    }
}
