//! Circuits at the edges.

use std::time::Instant;

use warpfield::circuit::WitnessValues;

use crate::files::Sample;
use crate::support::check;

#[test]
fn a_first_one() {
    let now = Instant::now();
    check(&Sample::synthetic(12, 2, WitnessValues::FullWidth));
    eprintln!("{:?}", now.elapsed());
}
