//! What the tests of kernels share.

use ptx_emulator::{Arg, Checks, Config, Device, DevicePtr, Error, LaunchConfig, Module, Stats};

/// A module around functions and kernels.
pub fn module(body: &str) -> Module {
    let text = format!(".version 7.8\n.target sm_80\n.address_size 64\n{body}\n");
    match Module::parse(&text) {
        Ok(m) => m,
        Err(e) => panic!("{e}\n{text}"),
    }
}

/// A device with a seed.
pub fn device(seed: u64) -> Device {
    Device::new(Config::default().memory(64 << 20).seed(seed).threads(1).step_limit(20_000_000))
}

/// The same without the checks that can be left out.
pub fn unchecked(seed: u64) -> Device {
    let config = Config::default().memory(64 << 20).seed(seed).threads(1);
    Device::new(config.checks(Checks::NONE).step_limit(20_000_000))
}

/// Allocates and fills with 32-bit words.
pub fn upload(d: &Device, words: &[u32]) -> DevicePtr {
    let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    let p = d.alloc(bytes.len() as u64).unwrap();
    d.copy_to_device(p, &bytes).unwrap();
    p
}

/// Reads 32-bit words.
pub fn download(d: &Device, p: DevicePtr, n: usize) -> Vec<u32> {
    let mut bytes = vec![0; 4 * n];
    d.copy_to_host(&mut bytes, p).unwrap();
    bytes.chunks(4).map(|c| u32::from_le_bytes(c.try_into().unwrap())).collect()
}

/// Launches the only kernel of a module.
pub fn launch(d: &Device, m: &Module, config: LaunchConfig, args: &[Arg]) -> Result<Stats, Error> {
    d.launch(&m.kernels().next().unwrap(), config, args)
}

/// Kernel `k` with a pointer `%out` and `%tid`, `%gid`, registers `%r %p %rd` for the body.
pub fn kernel(body: &str) -> Module {
    module(&kernel_text(body))
}

/// The text of the same.
pub fn kernel_text(body: &str) -> String {
    format!(
        ".visible .entry k(.param .u64 out)\n{{\n.reg .pred %p<16>;\n.reg .b32 %r<64>;\n\
         .reg .b64 %rd<32>;\n.reg .b32 %tid, %gid;\n.reg .b64 %out;\n\
         ld.param.u64 %out, [out];\nmov.u32 %tid, %tid.x;\nmov.u32 %r0, %ctaid.x;\n\
         mov.u32 %r1, %ntid.x;\nmad.lo.u32 %gid, %r0, %r1, %tid;\n{body}\nret;\n}}\n"
    )
}

/// Runs such a kernel on `n` words of zeros; gives them back.
pub fn run(d: &Device, m: &Module, config: LaunchConfig, n: usize) -> Result<Vec<u32>, Error> {
    let out = upload(d, &vec![0; n]);
    launch(d, m, config, &[out.into()])?;
    Ok(download(d, out, n))
}
