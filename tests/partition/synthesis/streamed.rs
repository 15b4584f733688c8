//! Keys as bellman has them, of which some points stay in host memory.

use warpfield::circuit::WitnessValues;

use super::Case;
use crate::streamed::in_host;
use crate::support::Machine;

#[test]
fn more_and_more_vectors() {
    let case = Case::synthetic(13, 1, WitnessValues::FullWidth);
    let expected = case.expected();
    for (vectors, chunk) in [(1, 100), (2, 5), (5, 4)] {
        let machine = Machine::with(&case.key, in_host(vectors, chunk));
        let (proof, ..) = case.prove(&machine, machine.scratch()).unwrap();
        assert_eq!(proof, expected, "{vectors} vectors, {chunk} at a time");
    }
}
