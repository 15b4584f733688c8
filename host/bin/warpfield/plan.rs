//! `warpfield plan`.

use crate::args::Plan;
use crate::failure::Failure;

/// Prints the plan of each device.
#[cfg(feature = "ptx")]
pub fn run(args: &Plan) -> Result<(), Failure> {
    use std::sync::Arc;

    use warpfield::formats::zkey::{self, Trust};
    use warpfield::groth16::Key;
    use warpfield::pipeline::engine::Engine;
    use warpfield::pipeline::timeline::Timeline;

    let devices = args.device.open(crate::device::EMULATED)?;
    let key = |path| Ok(Arc::new(zkey::open(path, Trust::Trusted)?) as Arc<dyn Key>);
    let keys = args.keys.iter().map(key).collect::<Result<Vec<_>, Failure>>()?;
    let options = crate::engine::options(&args.engine, Timeline::off());
    for device in &devices {
        let plan = Engine::plan(device, &keys, &options)?;
        Failure::print(format_args!("{}\n{plan}", device.info().name))?;
    }
    Ok(())
}

/// Says what it takes.
#[cfg(not(feature = "ptx"))]
pub fn run(_: &Plan) -> Result<(), Failure> {
    Err(Failure::no_kernels())
}
