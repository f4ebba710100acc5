//! Operations on arrays that are known by their roles: rows of different lengths, order.

use takewise::index::rules::Rules;
use takewise::{DType, Scalar, Tensor};
use takewise_operations::{self as operations, Arrays, Role, Settings};

use super::{Operand, Own, home};
use crate::error::{EvalError, Result};
use crate::face::Face;
use crate::run::{Outcome, to_scalar};
use crate::value::{Array, Value};

/// Rows as the engine takes them.
pub(super) fn lent(rows: &[(Role, Operand)]) -> Vec<(Role, &Tensor)> {
    rows.iter().map(|(role, operand)| (*role, &operand.tensor)).collect()
}

impl Own<'_> {
    /// The arrays that were given to say where rows lie.
    pub(super) fn rows(&self) -> Result<Vec<(Role, Operand)>> {
        if cfg!(target_family = "wasm") {
            return Ok(Vec::new());
        }
        let given = Role::ROWS.into_iter().filter_map(|role| self.given_value(role).map(|value| (role, value)));
        given.map(|(role, value)| self.operand(&value).map(|operand| (role, operand))).collect()
    }

    /// An argument that is not the `None` that stands for nothing.
    fn given_value(&self, role: Role) -> Option<Value> {
        self.value(role).filter(|value| !matches!(value, Value::None))
    }

    /// A whole number that is not the `None` that stands for nothing.
    pub(super) fn given_whole(&self, role: Role) -> Result<Option<i64>> {
        self.given_value(role).map_or(Ok(None), |_| self.whole(role))
    }

    pub(super) fn number(&self, role: Role) -> Result<Option<Scalar>> {
        let Some(value) = self.given_value(role) else { return Ok(None) };
        to_scalar(&value).map(Some).ok_or_else(|| self.refused(role, "a number", &value))
    }

    fn settings(&self) -> Result<Settings> {
        let plain = Settings::default();
        let whole = |role| self.given_whole(role);
        let how = match self.entry.parameter(Role::How) {
            Some(_) => self.word(Role::How, operations::HOW)?,
            None => None,
        };
        Ok(Settings {
            axis: self.axis()?,
            how: how.unwrap_or(plain.how),
            skip_nan: self.flag(Role::SkipNan).unwrap_or(false),
            empty: self.number(Role::Empty)?,
            width: whole(Role::Width)?,
            padding: self.number(Role::Padding)?.unwrap_or(plain.padding),
            with_mask: self.flag(Role::WithMask).unwrap_or(false),
            count: whole(Role::Count)?,
            right: self.flag(Role::Right).unwrap_or(false),
            at_least: whole(Role::AtLeast)?.unwrap_or(plain.at_least),
            descending: self.flag(Role::Descending).unwrap_or(false),
            largest: self.flag(Role::Largest).unwrap_or(true),
            invert: self.flag(Role::Invert).unwrap_or(false),
            with_index: self.flag(Role::WithIndex).unwrap_or(false),
            with_inverse: self.flag(Role::WithInverse).unwrap_or(false),
            with_counts: self.flag(Role::WithCounts).unwrap_or(false),
        })
    }

    /// What stands beside an array: numbers in lists in its dtype.
    fn number_beside(
        &self,
        role: Role,
        dtype: DType,
        face: &'static Face,
        rules: &Rules,
    ) -> Result<Option<(Role, Operand)>> {
        let Some(value) = self.given_value(role) else { return Ok(None) };
        let found = match &value {
            Value::Array(_) => self.operand(&value)?,
            plain => Operand { tensor: self.listed(plain, dtype, face, false, rules)?, face, array: false },
        };
        Ok(Some((role, found)))
    }

    /// Runs an operation on arrays; several results are a tuple, and the caller's memory is for the first.
    pub(super) fn arrays(&self, run: fn(&Arrays<'_>) -> takewise::Result<Vec<Tensor>>) -> Outcome {
        // The page has no such operation, and its engine is small.
        if cfg!(target_family = "wasm") {
            return Err(EvalError::runtime_error("the page has no rows of different lengths".to_owned()));
        }
        let mut operands = Vec::new();
        for role in [Role::Data, Role::Index, Role::Mask, Role::Among] {
            if let Some(value) = self.given_value(role) {
                operands.push((role, self.operand(&value)?));
            }
        }
        operands.extend(self.rows()?);
        let face = home(&operands.iter().map(|(_, operand)| operand).collect::<Vec<_>>());
        let (given, rules) = (self.settings()?, self.rules(false, face)?);
        if let Some(dtype) = operands.first().map(|(_, data)| data.tensor.dtype()) {
            for role in [Role::Sought, Role::Weights] {
                operands.extend(self.number_beside(role, dtype, face, &rules)?);
            }
        }
        let all = lent(&operands);
        let call = Arrays { all: &all, given: &given, rules: &rules };
        let mut made = self.divided(|| run(&call))?;
        let rest = made.split_off(1.min(made.len()));
        let Some(first) = made.pop() else { return Err(EvalError::runtime_error("there is no result".to_owned())) };
        let dtype = first.dtype();
        let first = self.finish(face, dtype, &|| Ok(first.clone()))?;
        if rest.is_empty() {
            return Ok(first);
        }
        let rest = rest.into_iter().map(|one| Value::Array(Array::new(one, face)));
        Ok(Value::Tuple(std::iter::once(first).chain(rest).collect()))
    }
}
