//! The driver's status codes.

use cust::sys::CUresult;

use super::super::error::{Failure, Kind};
use super::shim;

/// What a call of the driver has answered, the last one of this thread.
pub(super) fn check(result: CUresult) -> Result<(), Failure> {
    if result == CUresult::CUDA_SUCCESS { Ok(()) } else { Err(last()) }
}

/// The failure of this thread's last call of the driver.
pub(super) fn last() -> Failure {
    let code = shim::last();
    if code == shim::NO_LIBRARY {
        let message = format!("no CUDA driver ({})", shim::reason());
        let failure = Failure::new(Kind::Unavailable, message);
        return failure.remedy("install NVIDIA's driver, or go without a GPU");
    }
    let (kind, remedy) = meaning(code);
    let (name, message) = shim::describe(code);
    Failure { kind, code: Some((code, name)), message, remedy, kernel: None }
}

/// The kind of a code, and what may help: for those that people meet.
fn meaning(code: u32) -> (Kind, Option<&'static str>) {
    use Kind::{Argument, Fault, Other, OutOfMemory, Ptx, Unavailable};
    match code {
        2 => (OutOfMemory, Some("`nvidia-smi` shows who has the memory")),
        100 => (
            Unavailable,
            Some("no GPU is visible: see `nvidia-smi`, and the variable CUDA_VISIBLE_DEVICES"),
        ),
        101 => (Unavailable, Some("`warpfield devices` lists the devices")),
        802 => {
            (Unavailable, Some("the machine's NVSwitch is not ready: is the fabric manager up?"))
        }
        803 => (Unavailable, Some("the driver was updated: restart the machine")),
        804 => (Unavailable, Some("the driver's compatibility libraries are not for this GPU")),
        200 | 218 | 223 | 300 => (Ptx, None),
        209 => (
            Ptx,
            Some("the GPU is older than the PTX: build with WARPFIELD_PTX_ARCH set to the GPU's"),
        ),
        221 => (Ptx, Some("the driver's compiler (libnvidia-ptxjitcompiler) is missing")),
        222 => (Ptx, Some("the driver is older than the PTX: update the driver")),
        701 => (Argument, Some("fewer threads a block: the kernel's registers do not allow them")),
        720 => (Argument, Some("fewer blocks: a cooperative launch has them all at once")),
        214 | 220 => (Fault, Some("the hardware reports an error: see `nvidia-smi -q`")),
        700 | 702 | 710 | 714..=719 => {
            (Fault, Some("drop everything of this device and open it again"))
        }
        _ => (Other, None),
    }
}
