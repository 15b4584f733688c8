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
    let (name, message) = shim::describe(code);
    let code_and_name = Some((code, name));
    Failure { kind: kind(code), code: code_and_name, message, remedy: remedy(code), kernel: None }
}

fn kind(code: u32) -> Kind {
    match code {
        2 => Kind::OutOfMemory,
        100 | 101 | 802..=804 => Kind::Unavailable,
        200 | 209 | 218 | 221..=223 | 300 => Kind::Ptx,
        1 | 701 | 720 => Kind::Argument,
        214 | 220 | 700 | 702 | 710 | 714..=719 => Kind::Fault,
        _ => Kind::Other,
    }
}

/// What may help, for the codes that people meet.
fn remedy(code: u32) -> Option<&'static str> {
    Some(match code {
        2 => "`nvidia-smi` shows who has the memory",
        100 => "no GPU is visible: see `nvidia-smi`, and the variable CUDA_VISIBLE_DEVICES",
        101 => "`warpfield devices` lists the devices",
        209 => "the GPU is older than the PTX: build with WARPFIELD_PTX_ARCH set to the GPU's",
        214 | 220 => "the hardware reports an error: see `nvidia-smi -q`",
        221 => "the driver's compiler (libnvidia-ptxjitcompiler) is missing",
        222 => "the driver is older than the PTX: update the driver",
        700 | 702 | 710 | 714..=719 => "start the process again: it gets no other context",
        701 => "fewer threads a block: the kernel's registers do not allow them",
        720 => "fewer blocks: a cooperative launch has them all at once",
        802 => "the machine's NVSwitch is not ready: is the fabric manager up?",
        803 => "the driver was updated: restart the machine",
        804 => "the driver's compatibility libraries are not for this GPU",
        _ => return None,
    })
}
