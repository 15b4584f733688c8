//! Runs the target `public`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    warpfield_fuzz::run(warpfield_fuzz::public, bytes);
});
