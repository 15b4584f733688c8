//! The kernels, compiled to PTX by the build script.

/// The PTX module that holds every kernel of `warpfield-device`, as text.
///
/// It is for the architecture named by `WARPFIELD_PTX_ARCH` at build time (`sm_80` by default) and
/// every later one: the driver compiles it for the GPU at hand when it is loaded.
pub const MODULE: &str = include_str!(concat!(env!("OUT_DIR"), "/kernels.ptx"));
