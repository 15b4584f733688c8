//! Runs the target `r1cs`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    warpfield_fuzz::run(warpfield_fuzz::r1cs, bytes);
});
