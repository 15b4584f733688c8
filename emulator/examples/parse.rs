//! Parses PTX files and lists their kernels, or says which line is not understood.

use ptx_emulator::Module;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for path in std::env::args().skip(1) {
        let module =
            Module::parse(&std::fs::read_to_string(&path)?).map_err(|e| format!("{path}: {e}"))?;
        println!("{path}: PTX {} for {}", module.version(), module.target());
        for k in module.kernels() {
            let params: Vec<_> = k.params().iter().map(|p| p.ty.to_string()).collect();
            println!("  {}({}), {} bytes shared", k.name(), params.join(", "), k.static_shared());
        }
    }
    Ok(())
}
