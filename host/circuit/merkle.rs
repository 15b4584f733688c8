//! A circuit for demonstrations: a secret leaf lies in a Merkle tree whose root is public.

use blstrs::Scalar;
use ff::Field;

use super::{Builder, LinearCombination, R1cs, Wire};

/// Rounds of the MiMC permutation with x⁵: ⌈log₅ r⌉, so that the degree reaches r.
const ROUNDS: usize = 110;

/// The constraints of a path of `depth` siblings, and a witness for `leaf` at `position` (its bits,
/// lowest first, say at each level whether the node is the right child). The root is the only
/// public signal. About 332 constraints a level.
///
/// The hash is MiMC-x⁵ in Miyaguchi–Preneel mode. It is here to make a circuit of realistic shape;
/// nobody has analysed these round constants.
pub fn merkle_membership(leaf: Scalar, position: u64, siblings: &[Scalar]) -> (R1cs, Vec<Scalar>) {
    let constants = round_constants();
    let mut builder = Builder::default();
    let root = builder.public_output();
    let mut node = builder.private_input(leaf);
    let siblings: Vec<Wire> =
        siblings.iter().map(|&sibling| builder.private_input(sibling)).collect();
    let bits: Vec<Wire> = (0..siblings.len())
        .map(|level| builder.private_input(Scalar::from(position.unbounded_shr(level as u32) & 1)))
        .collect();
    for (sibling, bit) in siblings.into_iter().zip(bits) {
        boolean(&mut builder, bit);
        let (left, right) = swap_if(&mut builder, bit, node, sibling);
        node = hash(&mut builder, left, right, &constants);
    }
    builder.set_output(root, node);
    builder.finish()
}

/// bit·(bit − 1) = 0.
fn boolean(builder: &mut Builder, bit: Wire) {
    let less_one = LinearCombination::from(bit) + LinearCombination::constant(-Scalar::ONE);
    builder.enforce(bit, less_one, LinearCombination::default());
}

/// (a, b), or (b, a) if `bit` is one: with d = bit·(b − a) they are a + d and b − d.
fn swap_if(
    builder: &mut Builder,
    bit: Wire,
    a: Wire,
    b: Wire,
) -> (LinearCombination, LinearCombination) {
    let difference = LinearCombination::from(b) + LinearCombination::from(a) * -Scalar::ONE;
    let d = builder.multiply(bit, difference);
    (
        LinearCombination::from(a) + d,
        LinearCombination::from(b) + LinearCombination::from(d) * -Scalar::ONE,
    )
}

/// E_left(right) + left + right, where E_k(x) runs x ← (x + k + cᵢ)⁵.
fn hash(
    builder: &mut Builder,
    left: LinearCombination,
    right: LinearCombination,
    constants: &[Scalar],
) -> Wire {
    let mut state = right.clone();
    for constant in constants {
        let input = state + left.clone() + LinearCombination::constant(*constant);
        let square = builder.multiply(input.clone(), input.clone());
        let fourth = builder.multiply(square, square);
        state = builder.multiply(fourth, input).into();
    }
    // One wire for the sum keeps the combinations of the next level short.
    let one = LinearCombination::constant(Scalar::ONE);
    builder.multiply(state + left + right, one)
}

/// Nothing-up-my-sleeve numbers: BLAKE3 of a label and the round.
fn round_constants() -> Vec<Scalar> {
    (0..ROUNDS)
        .map(|round| {
            let digest = blake3::hash(format!("warpfield merkle demo round {round}").as_bytes());
            let mut bytes = *digest.as_bytes();
            bytes[31] &= 0x3f; // 254 bits are below r
            crate::field::scalar_from_canonical(&bytes).expect("below r")
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reference_hash(left: Scalar, right: Scalar) -> Scalar {
        let permuted = round_constants().iter().fold(right, |x, c| (x + left + c).pow([5]));
        permuted + left + right
    }

    #[test]
    fn the_root_is_that_of_the_path() {
        let leaf = Scalar::from(77);
        let siblings: Vec<_> = (100..104).map(Scalar::from).collect();
        for position in 0..16u64 {
            let (r1cs, witness) = merkle_membership(leaf, position, &siblings);
            assert_eq!(r1cs.first_unsatisfied(&witness), None);
            let root = siblings.iter().enumerate().fold(leaf, |node, (level, &sibling)| {
                match position >> level & 1 {
                    0 => reference_hash(node, sibling),
                    _ => reference_hash(sibling, node),
                }
            });
            assert_eq!(witness[1], root, "position {position}");
        }
    }

    #[test]
    fn a_changed_wire_is_noticed() {
        let (r1cs, witness) = merkle_membership(Scalar::from(5), 1, &[Scalar::from(6)]);
        for wire in 0..witness.len() {
            let mut changed = witness.clone();
            changed[wire] += Scalar::from(3);
            assert!(r1cs.first_unsatisfied(&changed).is_some(), "wire {wire}");
        }
    }
}
