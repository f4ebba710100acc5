//! Operations that compare: sorted searches, what is not zero, one of two values.

use takewise::ops::{self, Search, Source};
use takewise::promote::{self, result_type};
use takewise::{DType, Op, Scalar, Tensor};
use takewise_operations::{self as operations, Parameter, Role, Run};

use super::{Operand, Own, home};
use crate::NUMPY;
use crate::error::{EvalError, Result};
use crate::run::create::from_value;
use crate::run::search::spread;
use crate::run::{Outcome, elements, raise, to_scalar};
use crate::value::{Array, Value};

impl Own<'_> {
    /// Two arguments, each in the dtype it has beside the other.
    fn paired(&self, sequence: Role, sought: Role) -> Result<(Operand, Source<Operand>)> {
        let (sequence, sought) = (self.value(sequence), self.value(sought));
        let [sequence, sought] = [sequence, sought].map(|value| value.unwrap_or(Value::None));
        let beside = |value: &Value, other: &Value| match (value, other) {
            (Value::Array(_), _) | (_, Value::Array(_)) => self.beside(value, other),
            _ => self.operand(value),
        };
        let found = match to_scalar(&sought).filter(|_| !matches!(sought, Value::Array(_))) {
            Some(number) => Source::Scalar(number),
            None => Source::Array(beside(&sought, &sequence)?),
        };
        Ok((beside(&sequence, &sought)?, found))
    }

    /// Numbers in the dtype that they have beside an array, or an array as it is.
    fn beside(&self, value: &Value, other: &Value) -> Result<Operand> {
        let (Some(array), None) = (other.array(), value.array()) else { return self.operand(value) };
        let numbers = self.operand(value)?;
        let promotion = array.face.compare.promotion;
        let items = elements(&numbers.tensor).map_err(raise)?;
        let mut operands: Vec<_> = items.iter().filter_map(to_scalar).map(promote::Operand::Number).collect();
        operands.push(promote::Operand::of(array.dtype(), 1));
        let dtype = result_type(promotion, &operands).map_err(|e| raise(e.in_words(operations::RULES.words)))?;
        Ok(Operand { tensor: from_value(value, Some(dtype), &NUMPY)?, ..numbers })
    }

    pub(super) fn search(&self) -> Outcome {
        let (mut sequence, mut sought) = self.paired(Role::Sequence, Role::Sought)?;
        let mut order = self.value(Role::Sorter).map(|value| self.operand(&value)).transpose()?;
        let side = match self.value(Role::Side) {
            None => None,
            Some(Value::Str(side)) if ["left", "right"].contains(&&*side) => Some(side),
            Some(other) => return Err(self.refused(Role::Side, "\"left\" or \"right\"", &other)),
        };
        let narrow = self.flag(Role::Narrow).unwrap_or(false);
        let mut search = Search {
            right: self.flag(Role::Right).unwrap_or(false),
            side: side.as_deref(),
            out_int32: narrow,
            axis: self.whole(Role::Axis)?.unwrap_or(-1),
            ..Search::default()
        };
        if let (Source::Array(values), Run::SearchSorted) = (&mut sought, self.entry.operation.run) {
            let order = order.as_mut().map(|order| &mut order.tensor);
            search.axis = spread(&mut sequence.tensor, &mut values.tensor, order, search.axis).map_err(raise)?;
        }
        let face = match &sought {
            Source::Array(values) => home(&[&sequence, values]),
            Source::Scalar(_) => home(&[&sequence]),
        };
        let found = || {
            let open = sequence.tensor.read_any()?;
            let order = order.as_ref().map(|order| order.tensor.read_any()).transpose()?;
            let search = Search { sorter: order.as_ref().map(|order| order.view()), ..search };
            let opened = match &sought {
                Source::Array(values) => Some(values.tensor.read_any()?),
                Source::Scalar(_) => None,
            };
            let values = match (&sought, &opened) {
                (Source::Scalar(number), _) => Source::Scalar(*number),
                (_, Some(values)) => Source::Array(values.view()),
                (_, None) => Source::Scalar(Scalar::Int(0)),
            };
            match self.entry.operation.run {
                Run::Bucketize => ops::bucketize(values, open.view(), narrow, search.right, &operations::RULES),
                _ => ops::searchsorted(open.view(), values, &search, &operations::RULES),
            }
        };
        self.finish(face, if narrow { DType::I32 } else { DType::I64 }, &found)
    }

    pub(super) fn nonzero(&self) -> Outcome {
        let x = self.array(Role::Data)?;
        let (size, fill) = (self.given_whole(Role::Width)?, self.number(Role::Padding)?.unwrap_or(Scalar::Int(0)));
        let listed = |found: Tensor| operations::sized(Op::Nonzero, found, 0, size, fill, &operations::RULES);
        match self.flag(Role::AsTuple) {
            Some(true) if self.out()?.is_some() => {
                Err(EvalError::type_error("nonzero() with as_tuple gives several arrays and has no use for out="))
            }
            Some(true) => self.coordinates(&x, listed),
            _ => self.finish(home(&[&x]), DType::I64, &|| listed(x.tensor.nonzero(&operations::RULES)?)),
        }
    }

    /// One array of coordinates for each axis, each as `listed` makes it.
    fn coordinates(&self, x: &Operand, listed: impl Fn(Tensor) -> takewise::Result<Tensor>) -> Outcome {
        let found = || {
            x.tensor.nonzero_tuple(&operations::RULES)?.into_iter().map(&listed).collect::<takewise::Result<Vec<_>>>()
        };
        let found = self.divided(found)?;
        let face = home(&[x]);
        Ok(Value::tuple(found.into_iter().map(|axis| Value::Array(Array::new(axis, face))).collect::<Vec<_>>()))
    }

    pub(super) fn choose(&self) -> Outcome {
        let condition = self.array(Role::Condition)?;
        let choices: Vec<&'static Parameter> = self.entry.operation.all().filter(|p| p.role == Role::Choice).collect();
        let given: Vec<Option<Value>> = choices.iter().map(|p| self.call.get(p.name)).collect();
        let (a, b) = match &given[..] {
            [Some(a), Some(b)] => (a, b),
            [None, None] if self.out()?.is_none() => return self.coordinates(&condition, Ok),
            [None, None] => {
                return Err(EvalError::type_error("where() of a condition alone has no use for out="));
            }
            _ => return Err(EvalError::type_error("where() takes input and other together, or neither")),
        };
        let number = |value: &Value| to_scalar(value).filter(|_| !matches!(value, Value::Array(_)));
        let opened = |value: &Value, other: &Value| match number(value) {
            Some(_) => Ok(None),
            None => self.beside(value, other).map(Some),
        };
        let (one, two) = (opened(a, b)?, opened(b, a)?);
        let arrays: Vec<&Operand> = [Some(&condition), one.as_ref(), two.as_ref()].into_iter().flatten().collect();
        let face = home(&arrays);
        let promoted = |operand: &Option<Operand>, value: &Value| match (operand, number(value)) {
            (Some(operand), _) => promote::Operand::of(operand.tensor.dtype(), operand.tensor.rank()),
            (None, number) => promote::Operand::Number(number.unwrap_or(Scalar::Int(0))),
        };
        let rules = self.rules(false, face)?;
        let dtype = match (&one, &two) {
            (Some(one), Some(two)) if one.tensor.dtype() == two.tensor.dtype() => one.tensor.dtype(),
            _ => result_type(face.compare.promotion, &[promoted(&one, a), promoted(&two, b)])
                .map_err(|e| raise(e.in_words(rules.words)))?,
        };
        let chosen = |operand: Option<Operand>, value: &Value| match operand {
            Some(operand) => Ok(operand.tensor),
            None => from_value(value, Some(dtype), face),
        };
        let (one, two) = (chosen(one, a)?, chosen(two, b)?);
        self.finish(face, dtype, &|| condition.tensor.where_(&one, &two, dtype, &rules))
    }
}
