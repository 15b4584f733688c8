//! Prints the public items of a crate, a line each, from the JSON that rustdoc has written of it: without those
//! that every type has by itself.

use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let json = std::env::args_os().nth(1).ok_or("usage: warpfield-public-api CRATE.json")?;
    let api = public_api::Builder::from_rustdoc_json(json)
        .omit_blanket_impls(true)
        .omit_auto_trait_impls(true)
        .build()?;
    api.items().for_each(|item| println!("{item}"));
    Ok(())
}
