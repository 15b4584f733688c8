//! Builds a circuit and its witness together.

use blstrs::Scalar;
use ff::Field;

use super::R1cs;

/// A wire of a circuit under construction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wire(u32);

/// A sum of wires, each times a constant.
#[derive(Clone, Debug, Default)]
pub struct LinearCombination(Vec<(u32, Scalar)>);

impl LinearCombination {
    /// A constant: a multiple of wire 0.
    pub fn constant(value: Scalar) -> Self {
        Self(vec![(0, value)])
    }
}

impl From<Wire> for LinearCombination {
    fn from(wire: Wire) -> Self {
        Self(vec![(wire.0, Scalar::ONE)])
    }
}

impl<T: Into<LinearCombination>> std::ops::Add<T> for LinearCombination {
    type Output = Self;

    fn add(mut self, other: T) -> Self {
        for (wire, coefficient) in other.into().0 {
            match self.0.iter_mut().find(|(found, _)| *found == wire) {
                Some((_, sum)) => *sum += coefficient,
                None => self.0.push((wire, coefficient)),
            }
        }
        self
    }
}

impl std::ops::Mul<Scalar> for LinearCombination {
    type Output = Self;

    fn mul(mut self, factor: Scalar) -> Self {
        self.0.iter_mut().for_each(|(_, coefficient)| *coefficient *= factor);
        self
    }
}

/// A circuit under construction, with a value for each wire. Wires must be made in the order of
/// their numbers: outputs, public inputs, private inputs, then the rest.
pub struct Builder {
    r1cs: R1cs,
    values: Vec<Scalar>,
}

impl Default for Builder {
    fn default() -> Self {
        Self { r1cs: R1cs { n_wires: 1, ..R1cs::default() }, values: vec![Scalar::ONE] }
    }
}

impl Builder {
    /// A public output. Its value comes later, by [`set_output`](Self::set_output).
    ///
    /// # Panics
    ///
    /// If a wire of another kind was made before.
    pub fn public_output(&mut self) -> Wire {
        assert_eq!(self.values.len(), 1 + self.r1cs.n_public_outputs as usize, "outputs are first");
        self.r1cs.n_public_outputs += 1;
        self.wire(Scalar::ZERO)
    }

    /// A public input.
    ///
    /// # Panics
    ///
    /// If a private wire was made before.
    pub fn public_input(&mut self, value: Scalar) -> Wire {
        let before = 1 + self.r1cs.n_public() as usize;
        assert_eq!(self.values.len(), before, "public inputs come before private wires");
        self.r1cs.n_public_inputs += 1;
        self.wire(value)
    }

    /// A private input.
    ///
    /// # Panics
    ///
    /// If an inner wire was made before.
    pub fn private_input(&mut self, value: Scalar) -> Wire {
        let before = 1 + self.r1cs.n_public() + self.r1cs.n_private_inputs;
        assert_eq!(self.values.len(), before as usize, "private inputs come before inner wires");
        self.r1cs.n_private_inputs += 1;
        self.wire(value)
    }

    /// An inner wire whose value the prover chooses.
    pub fn wire(&mut self, value: Scalar) -> Wire {
        self.values.push(value);
        Wire(self.values.len() as u32 - 1)
    }

    /// Gives an output its value and constrains it to equal `value`.
    pub fn set_output(&mut self, output: Wire, value: impl Into<LinearCombination>) {
        let value = value.into();
        self.values[output.0 as usize] = self.value(&value);
        self.enforce(value, LinearCombination::constant(Scalar::ONE), output);
    }

    /// A new wire for a·b, and its constraint.
    pub fn multiply(
        &mut self,
        a: impl Into<LinearCombination>,
        b: impl Into<LinearCombination>,
    ) -> Wire {
        let (a, b) = (a.into(), b.into());
        let product = self.value(&a) * self.value(&b);
        let wire = self.wire(product);
        self.enforce(a, b, wire);
        wire
    }

    /// The constraint a·b = c.
    pub fn enforce(
        &mut self,
        a: impl Into<LinearCombination>,
        b: impl Into<LinearCombination>,
        c: impl Into<LinearCombination>,
    ) {
        self.r1cs.a.push_row(a.into().0);
        self.r1cs.b.push_row(b.into().0);
        self.r1cs.c.push_row(c.into().0);
    }

    /// The value that a combination has under the witness so far.
    pub fn value(&self, combination: &LinearCombination) -> Scalar {
        combination.0.iter().map(|(wire, factor)| self.values[*wire as usize] * factor).sum()
    }

    /// The constraints, and the value of each wire.
    pub fn finish(mut self) -> (R1cs, Vec<Scalar>) {
        self.r1cs.n_wires = self.values.len() as u32;
        self.r1cs.n_labels = self.values.len() as u64;
        (self.r1cs, self.values)
    }
}
