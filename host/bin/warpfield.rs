//! The program `warpfield`.
fn main() {}
