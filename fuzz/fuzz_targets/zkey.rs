//! Runs the target `zkey`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    warpfield_fuzz::run(warpfield_fuzz::zkey, bytes);
});
