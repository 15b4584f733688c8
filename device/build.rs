//! Tells dependants where these sources are: a dependant's build script sees the path as
//! `DEP_WARPFIELD_DEVICE_MANIFEST_DIR`, in a workspace and from a registry alike.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let dir = std::env::var("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR");
    println!("cargo::metadata=manifest_dir={dir}");
}
