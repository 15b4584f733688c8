//! Keys as bellman has them.

use blstrs::G1Affine;

use crate::circuit::{Matrix, R1cs};
use crate::curve::{CurveGroup, G1, G2, PointSlice};
use crate::groth16::{Error, VerifyingKey};

/// What a circuit's synthesis tells of it besides values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Constraints and inputs.
    pub rows: usize,
    /// Inputs, the constant counted.
    pub inputs: usize,
    /// Auxiliary variables.
    pub auxiliary: usize,
    /// The numbers of the variables that have a point in A, in order. Inputs come first and have numbers from
    /// 0, and all of them are there; auxiliary variables' numbers follow.
    pub a: Vec<u32>,
    /// Those that have points in B.
    pub b: Vec<u32>,
}

impl Shape {
    /// That of a circuit with bellman's densities: for each auxiliary variable whether it is in a left factor
    /// (`a_aux`); for each input and for each auxiliary variable whether it is in a right factor (`b_inputs`,
    /// `b_aux`). All inputs are in left factors, by their own rows.
    ///
    /// # Errors
    ///
    /// [`Error::KeyParts`] if the densities are not of as many variables.
    pub fn with_densities(
        constraints: usize,
        a_aux: impl IntoIterator<Item = bool>,
        b_inputs: impl IntoIterator<Item = bool>,
        b_aux: impl IntoIterator<Item = bool>,
    ) -> Result<Self, Error> {
        let (mut b, inputs) = numbers(0, b_inputs);
        let (in_b, auxiliary) = numbers(inputs, b_aux);
        b.extend(in_b);
        let mut a: Vec<u32> = (0..inputs as u32).collect();
        let (in_a, found) = numbers(inputs, a_aux);
        a.extend(in_a);
        if found != auxiliary {
            let text = format!("densities of {found} auxiliary variables in A, {auxiliary} in B");
            return Err(Error::KeyParts(text));
        }
        Ok(Self { rows: constraints + inputs, inputs, auxiliary, a, b })
    }

    /// That of a circuit whose constant and public wires are inputs. A variable counts in a matrix where
    /// it has a coefficient that is not zero.
    ///
    /// # Errors
    ///
    /// [`Error::Circuit`].
    pub fn of(circuit: &R1cs) -> Result<Self, Error> {
        circuit.check().map_err(Error::Circuit)?;
        let inputs = circuit.n_public() as usize + 1;
        let [a, b] = [&circuit.a, &circuit.b].map(|matrix| used(matrix, circuit.n_wires as usize));
        let (b_inputs, b_aux) = b.split_at(inputs);
        let density = |used: &[bool]| used.to_vec();
        let constraints = circuit.n_constraints();
        Self::with_densities(constraints, density(&a[inputs..]), density(b_inputs), density(b_aux))
    }

    /// Inputs and auxiliary variables.
    #[must_use]
    pub fn variables(&self) -> usize {
        self.inputs + self.auxiliary
    }

    /// log₂ of the domain.
    #[must_use]
    pub fn log_domain(&self) -> u32 {
        self.rows.next_power_of_two().trailing_zeros()
    }

    /// Values of a, b, c, the inputs and the auxiliary variables.
    #[must_use]
    pub fn lengths(&self) -> [usize; 5] {
        [self.rows, self.rows, self.rows, self.inputs, self.auxiliary]
    }

    fn check(&self) -> Result<(), String> {
        let Self { rows, inputs, auxiliary, .. } = *self;
        if inputs == 0 || rows < inputs {
            return Err(format!("{inputs} inputs, the constant among them, in {rows} rows"));
        }
        let variables = self.variables();
        if u32::try_from(variables).is_err() {
            return Err(format!("{inputs} inputs and {auxiliary} auxiliary variables"));
        }
        for (name, numbers) in [("A", &self.a), ("B", &self.b)] {
            if !numbers.is_sorted_by(|one, next| one < next) {
                return Err(format!("the variables of {name} are not in order"));
            }
            if let Some(last) = numbers.last().filter(|last| **last as usize >= variables) {
                return Err(format!(
                    "{variables} variables, and in {name} there is one of number {last}"
                ));
            }
        }
        match self.a.get(inputs - 1) {
            Some(&last) if last as usize == inputs - 1 => Ok(()),
            _ => Err("an input that is not in A".to_owned()),
        }
    }
}

/// The numbers of variables, from the first one's on, that count, and how many there are.
fn numbers(first: usize, counts: impl IntoIterator<Item = bool>) -> (Vec<u32>, usize) {
    let (mut found, mut variables) = (vec![], 0);
    for counts in counts {
        if counts {
            found.push((first + variables) as u32);
        }
        variables += 1;
    }
    (found, variables)
}

/// Which wires a matrix has coefficients of.
fn used(matrix: &Matrix, wires: usize) -> Vec<bool> {
    let mut used = vec![false; wires];
    for (wire, coefficient) in matrix.rows().flatten() {
        used[*wire as usize] |= !bool::from(ff::Field::is_zero(coefficient));
    }
    used
}

/// What a [`VectorKey`] is made of. Vectors of points are affine, 96 bytes a point in G1 and 192 in G2,
/// coordinates in Montgomery form, little-endian, and zeros for infinity: as in a
/// [`ProvingKey`](crate::groth16::ProvingKey).
pub struct VectorKeyParts {
    /// The circuit's.
    pub shape: Shape,
    /// α, β, γ, δ and IC, a point an input.
    pub vk: VerifyingKey,
    /// β in G1.
    pub beta_g1: G1Affine,
    /// δ in G1.
    pub delta_g1: G1Affine,
    /// τⁱ·Z(τ)/δ for i below n − 1, where the domain has n points.
    pub h: Vec<u8>,
    /// (β·Aᵢ + α·Bᵢ + Cᵢ)(τ)/δ of each auxiliary variable.
    pub l: Vec<u8>,
    /// Aᵢ(τ) of the variables that are in A.
    pub a: Vec<u8>,
    /// Bᵢ(τ) of those that are in B, in G1.
    pub b_g1: Vec<u8>,
    /// The same in G2.
    pub b_g2: Vec<u8>,
}

/// A key as bellman's `Parameters`, with the [`Shape`] of its circuit, in memory.
pub struct VectorKey(VectorKeyParts);

impl VectorKey {
    /// A key of its parts. That the points are in their groups is for the caller to know: a proof that is not
    /// in them is found before it is given out.
    ///
    /// # Errors
    ///
    /// [`Error::KeyParts`] if they do not agree with each other.
    pub fn new(parts: VectorKeyParts) -> Result<Self, Error> {
        let VectorKeyParts { shape, vk, h, l, a, b_g1, b_g2, .. } = &parts;
        shape.check().map_err(Error::KeyParts)?;
        let (in_h, in_b) = ((1 << shape.log_domain()) - 1, shape.b.len());
        for (name, bytes, expected, size) in [
            ("IC", vk.ic.len(), shape.inputs, 1),
            ("H", h.len(), in_h, G1::BYTES),
            ("L", l.len(), shape.auxiliary, G1::BYTES),
            ("A", a.len(), shape.a.len(), G1::BYTES),
            ("B in G1", b_g1.len(), in_b, G1::BYTES),
            ("B in G2", b_g2.len(), in_b, G2::BYTES),
        ] {
            if bytes != expected * size {
                let found = bytes / size;
                let text = format!("{name} has {found} points, and the circuit takes {expected}");
                return Err(Error::KeyParts(text));
            }
        }
        Ok(Self(parts))
    }

    /// The circuit's shape.
    #[must_use]
    pub fn shape(&self) -> &Shape {
        &self.0.shape
    }

    /// The part that verifies.
    #[must_use]
    pub fn verifying_key(&self) -> &VerifyingKey {
        &self.0.vk
    }

    /// What it is made of.
    #[must_use]
    pub fn parts(&self) -> &VectorKeyParts {
        &self.0
    }

    /// Bytes of all its points.
    #[must_use]
    pub fn size_bytes(&self) -> usize {
        let VectorKeyParts { h, l, a, b_g1, b_g2, .. } = &self.0;
        [h, l, a, b_g1, b_g2].map(Vec::len).iter().sum()
    }

    pub(crate) fn beta_g1(&self) -> &G1Affine {
        &self.0.beta_g1
    }

    pub(crate) fn delta_g1(&self) -> &G1Affine {
        &self.0.delta_g1
    }

    /// τⁱ·Z(τ)/δ, a point for each coefficient of h.
    #[must_use]
    pub fn h(&self) -> PointSlice<'_, G1> {
        points(&self.0.h)
    }

    /// L, a point for each auxiliary variable.
    #[must_use]
    pub fn l(&self) -> PointSlice<'_, G1> {
        points(&self.0.l)
    }

    /// A, of the variables that are in it.
    #[must_use]
    pub fn a(&self) -> PointSlice<'_, G1> {
        points(&self.0.a)
    }

    /// B in G1, of the variables that are in it.
    #[must_use]
    pub fn b_g1(&self) -> PointSlice<'_, G1> {
        points(&self.0.b_g1)
    }

    /// B in G2, of the same.
    #[must_use]
    pub fn b_g2(&self) -> PointSlice<'_, G2> {
        points(&self.0.b_g2)
    }
}

fn points<G: CurveGroup>(bytes: &[u8]) -> PointSlice<'_, G> {
    PointSlice::new(bytes).expect("whole points, as `VectorKey::new` has checked")
}
