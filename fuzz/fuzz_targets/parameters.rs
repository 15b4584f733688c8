//! Runs the target `parameters`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    warpfield_fuzz::run(warpfield_fuzz::parameters, bytes);
});
