//! Writes the seeds of the corpus; those that are there are written anew.

#[path = "../../tests/corpus/seeds.rs"]
mod seeds;
#[path = "../../tests/support/mod.rs"]
mod support;

use std::fs;
use std::path::Path;

use warpfield_fuzz as targets;

fn main() -> std::io::Result<()> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    for seed in seeds::seeds() {
        let folder = corpus.join(seed.target);
        fs::create_dir_all(&folder)?;
        fs::write(folder.join(seed.name), seed.bytes)?;
    }
    Ok(())
}
