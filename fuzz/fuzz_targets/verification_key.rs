//! Runs the target `verification_key`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    warpfield_fuzz::run(warpfield_fuzz::verification_key, bytes);
});
