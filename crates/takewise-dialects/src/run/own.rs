//! takewise's own functions: the operations of the catalogue on arrays of any library.
//!
//! Each argument is converted by what its parameter is for. The result is an array of the library of the first array given; where
//! only lists are given it is NumPy's.

use takewise::index::rules::{Casting, Fill, Outside, Rules};
use takewise::ops::{self, Search, Source};
use takewise::promote::{self, result_type};
use takewise::{DType, Error, Index, OwnedIndex, Reduce, Scalar, Tensor};
use takewise_operations::{self as operations, Entry, Given, Parameter, Policy, Role, Run, Way};

use super::create::{array_like, from_value};
use super::search::spread;
use super::{Outcome, raise, subscript, to_i64, to_scalar};
use crate::error::EvalError;
use crate::face::Face;
use crate::sig::Call;
use crate::value::{Array, Value};
use crate::{NEUTRAL, NUMPY};

type Result<T, E = EvalError> = std::result::Result<T, E>;

/// Runs the operation that is called so.
pub(crate) fn call(call: &Call) -> Outcome {
    let unknown = || EvalError::type_error(format!("{} is no function of takewise", call.name));
    let own = Own { call, entry: operations::named(call.name).ok_or_else(unknown)? };
    own.flags()?;
    match own.entry.operation.run {
        Run::Read { fresh, into } => own.read(fresh, into),
        Run::Write { copy, place, combines, gives } => own.write(copy, place, combines, gives),
        Run::Subscript(way) => own.subscript(way),
        Run::Store => own.store(),
        Run::Copy => own.copy(),
        Run::ScatterNd => own.scatter_nd(),
        Run::SearchSorted | Run::Bucketize => own.search(),
        Run::Nonzero => own.nonzero(),
        Run::Where => own.choose(),
    }
}

/// An operation and its arguments.
struct Own<'c> {
    call: &'c Call,
    entry: Entry,
}

/// An array, and the library it is of.
struct Operand {
    tensor: Tensor,
    face: &'static Face,
    /// Whether it stood there as an array, and not as numbers in lists.
    array: bool,
}

/// Whose the result is: the first array's.
fn home(operands: &[&Operand]) -> &'static Face {
    operands.iter().find(|operand| operand.array).map_or(&NUMPY, |operand| operand.face)
}

impl Own<'_> {
    /// The argument for something, if it was given or has a default.
    fn value(&self, role: Role) -> Option<Value> {
        self.call.get(self.entry.parameter(role)?.name)
    }

    fn parameter(&self, role: Role) -> &'static str {
        self.entry.parameter(role).map_or("x", |p| p.name)
    }

    fn refused(&self, role: Role, wanted: &str, given: &Value) -> EvalError {
        let (name, argument) = (self.entry.name, self.parameter(role));
        EvalError::type_error(format!("{name}(): {argument} must be {wanted}, not {}", crate::print::repr(given)))
    }

    /// Fails for a switch that is neither true nor false.
    fn flags(&self) -> Result<()> {
        const SWITCHES: [Role; 6] =
            [Role::Accumulate, Role::IncludeSelf, Role::Right, Role::Narrow, Role::AsTuple, Role::Negative];
        for role in SWITCHES {
            if let Some(value) = self.value(role).filter(|value| !matches!(value, Value::Bool(_))) {
                return Err(self.refused(role, "True or False", &value));
            }
        }
        Ok(())
    }

    fn flag(&self, role: Role) -> Option<bool> {
        match self.value(role) {
            Some(Value::Bool(flag)) => Some(flag),
            _ => None,
        }
    }

    fn whole(&self, role: Role) -> Result<Option<i64>> {
        let Some(value) = self.value(role) else { return Ok(None) };
        to_i64(&value).map(Some).map_err(|_| self.refused(role, "an integer", &value))
    }

    fn word<T: Copy>(&self, role: Role, words: &[(&str, T)]) -> Result<Option<T>> {
        let Some(value) = self.value(role) else { return Ok(None) };
        let text = match &value {
            Value::Str(text) => Some(&**text),
            _ => None,
        };
        let shown = text.map_or_else(|| crate::print::repr(&value), |text| format!("{text:?}"));
        let chosen = operations::choose(self.parameter(role), words, text, &shown);
        chosen.map(Some).map_err(EvalError::value_error)
    }

    /// The rules of the call, `combining` values or not, beside arrays of a library.
    fn rules(&self, combining: bool, face: &'static Face) -> Result<Rules> {
        let policy = Policy {
            // An explanation asks for other rules than a call says by a library that has them.
            bounds: self.word(Role::Bounds, operations::BOUNDS)?.or(Some(self.call.face.rules.get.outside)),
            negative: self.flag(Role::Negative),
            duplicates: self.word(Role::Duplicates, operations::DUPLICATES)?,
            casting: self.word(Role::Casting, operations::CASTING)?,
        };
        if let Some(text) = policy.refused(combining) {
            return Err(EvalError::value_error(text));
        }
        let mut rules = policy.rules();
        if let Some(fill) = self.value(Role::Fill) {
            if rules.outside != Outside::Fill {
                return Err(EvalError::value_error(operations::FILL_UNUSED));
            }
            let number = to_scalar(&fill).ok_or_else(|| EvalError::type_error("fill_value must be a number"))?;
            rules.fill = Some(Fill::Number(number));
        }
        Ok(match face.facts.operands.meets {
            Some(meet) => Rules { meet, conversion: face.conversion, ..rules },
            None => rules,
        })
    }

    fn given(&self) -> Result<Given> {
        let axis = match self.whole(Role::Axis)? {
            Some(axis) => Some(axis),
            // `None` was given where that means something, or is the default.
            None => match self.entry.parameter(Role::AxisOrNone) {
                Some(p) if !matches!(self.call.passed(p.name), Some(Value::None)) => self.whole(Role::AxisOrNone)?,
                _ => None,
            },
        };
        let reduce = match self.entry.parameter(Role::HasReduce) {
            Some(_) => self.word(Role::HasReduce, operations::REDUCE)?,
            None => self.word(Role::Reduce, operations::REDUCE)?,
        };
        let alpha = match self.value(Role::Factor) {
            Some(value) => to_scalar(&value).ok_or_else(|| EvalError::type_error("alpha must be a number"))?,
            None => Scalar::Int(1),
        };
        Ok(Given {
            axis,
            batch_dims: self.whole(Role::BatchDims)?.unwrap_or(0),
            reduce: reduce.flatten(),
            include_self: self.flag(Role::IncludeSelf).unwrap_or(true),
            accumulate: self.flag(Role::Accumulate).unwrap_or(false),
            alpha,
        })
    }

    /// A value as an array.
    fn operand(&self, value: &Value) -> Result<Operand> {
        match value {
            Value::Array(array) => Ok(Operand { tensor: array.tensor(), face: array.face, array: true }),
            plain => {
                let empty = plain.items().is_some_and(|items| items.is_empty());
                let tensor = match empty {
                    true => from_value(plain, Some(DType::I64), &NUMPY)?,
                    false => array_like(plain, &NUMPY)?.tensor(),
                };
                Ok(Operand { tensor, face: &NUMPY, array: false })
            }
        }
    }

    fn array(&self, role: Role) -> Result<Operand> {
        let value = self.value(role).ok_or_else(|| self.refused(role, "an array", &Value::None))?;
        self.operand(&value)
    }

    /// The first argument of a write in place.
    fn target(&self) -> Result<Array> {
        match self.value(Role::Data) {
            Some(Value::Array(array)) if !array.scalar => Ok(array),
            other => Err(self.refused(Role::Data, "an array to write into", &other.unwrap_or(Value::None))),
        }
    }

    /// Positions or a mask.
    fn places(&self) -> Result<Operand> {
        self.array(if self.entry.parameter(Role::Index).is_some() { Role::Index } else { Role::Mask })
    }

    /// What is stored in an array: numbers in lists in its dtype if they are of its kind, and a number as an array where one has to be.
    fn stored(&self, x: &Tensor, face: &'static Face, combining: bool, rules: &Rules) -> Result<Source<Tensor>> {
        let whole = self.entry.parameter(Role::Array).is_some();
        let role = if whole { Role::Array } else { Role::Values };
        let value = self.value(role).ok_or_else(|| self.refused(role, "an array or a number", &Value::None))?;
        match &value {
            Value::Array(array) => Ok(Source::Array(array.tensor())),
            plain => match to_scalar(plain) {
                Some(number) if !whole => Ok(Source::Scalar(number)),
                _ => self.listed(plain, x.dtype(), face, combining, rules).map(Source::Array),
            },
        }
    }

    fn listed(
        &self,
        value: &Value,
        dtype: DType,
        face: &'static Face,
        combining: bool,
        rules: &Rules,
    ) -> Result<Tensor> {
        let natural = from_value(value, None, &NUMPY)?;
        let kind = |d: DType| (d != DType::Bool, d.is_float() || d.is_complex(), d.is_complex());
        let fits = natural.dtype() == dtype || kind(natural.dtype()) <= kind(dtype);
        match rules.casting {
            Casting::SameKind if !fits || dtype.is_foreign() => Ok(natural),
            Casting::Any if !combining => Ok(natural),
            _ => from_value(value, Some(dtype), if face.facts.tensors { &NUMPY } else { face }),
        }
    }

    /// Runs work among as many threads as the call says.
    fn divided<T>(&self, work: impl FnOnce() -> takewise::Result<T>) -> Result<T> {
        let threads = self.whole(Role::Threads)?.map(|n| usize::try_from(n).map_err(|_| n)).transpose();
        let threads = threads.map_err(|n| {
            self.refused(
                Role::Threads,
                "a number of threads, or 0 for as many as there are processors",
                &Value::Int(n.into()),
            )
        })?;
        let done = match threads {
            Some(n) => takewise::threads::on_threads(n, work),
            None => work(),
        };
        done.map_err(|error: Error| raise(error.in_op(self.entry.op())))
    }

    /// Memory for the result.
    fn out(&self) -> Result<Option<Array>> {
        match self.value(Role::Out) {
            None => Ok(None),
            Some(Value::Array(array)) if !array.scalar => Ok(Some(array)),
            Some(other) => Err(self.refused(Role::Out, "an array to write into", &other)),
        }
    }

    /// The array that was written to; tensors take another shape where they must.
    fn settled(&self, out: Array, target: Tensor) -> Outcome {
        if target.shape() != &out.shape()[..] && !out.face.facts.tensors {
            let text = format!("out= has shape {:?}, the result {:?}", &out.shape()[..], target.shape());
            return Err(EvalError::value_error(text));
        }
        if !target.is_identical(&out.tensor()) {
            out.replace(target);
        }
        Ok(Value::Array(out))
    }

    fn read(
        &self,
        fresh: fn(&operations::Call<'_>) -> takewise::Result<Tensor>,
        into: fn(&operations::Call<'_>, &mut Tensor) -> takewise::Result<bool>,
    ) -> Outcome {
        let (x, index, given) = (self.array(Role::Data)?, self.places()?, self.given()?);
        let face = home(&[&x, &index]);
        let rules = self.rules(false, face)?;
        let call = operations::Call {
            x: &x.tensor,
            index: &index.tensor,
            value: Source::Scalar(Scalar::Int(0)),
            given: &given,
            rules: &rules,
        };
        match self.out()? {
            None => self.divided(|| fresh(&call)).map(|made| Value::Array(Array::new(made, face))),
            Some(out) => {
                let mut target = out.tensor();
                self.divided(|| into(&call, &mut target))?;
                self.settled(out, target)
            }
        }
    }

    fn write(
        &self,
        copy: Option<fn(&operations::Call<'_>) -> takewise::Result<Tensor>>,
        place: fn(&operations::Call<'_>) -> takewise::Result<()>,
        combines: fn(&Given) -> bool,
        gives: bool,
    ) -> Outcome {
        let given = self.given()?;
        let combining = combines(&given);
        let in_place = copy.filter(|_| !self.entry.in_place);
        let (x, target) = match in_place {
            Some(_) => (self.array(Role::Data)?, None),
            None => {
                let target = self.target()?;
                (Operand { tensor: target.tensor(), face: target.face, array: true }, Some(target))
            }
        };
        let index = self.places()?;
        let rules = self.rules(combining, x.face)?;
        let value = self.stored(&x.tensor, x.face, combining, &rules)?;
        let (x_tensor, value) = (&x.tensor, value.map(|tensor| tensor));
        let call = operations::Call { x: x_tensor, index: &index.tensor, value, given: &given, rules: &rules };
        match (in_place, target) {
            (Some(copy), _) => {
                let made = self.divided(|| copy(&call))?;
                Ok(Value::Array(Array::new(made, home(&[&x, &index]))))
            }
            (None, target) => {
                self.divided(|| place(&call))?;
                Ok(target.filter(|_| gives).map_or(Value::None, Value::Array))
            }
        }
    }

    /// The key as the engine's list.
    fn key(&self) -> Result<Vec<OwnedIndex>> {
        subscript::items(&NEUTRAL, &self.value(Role::Key).unwrap_or(Value::None))
    }

    fn subscript(&self, way: Way) -> Outcome {
        let (x, key) = (self.array(Role::Data)?, self.key()?);
        let items: Vec<Index<'_>> = key.iter().map(OwnedIndex::lent).collect();
        let rules = self.rules(false, x.face)?;
        match self.out()? {
            None => {
                let made = self.divided(|| way.read(&x.tensor, &items, &rules))?;
                Ok(Value::Array(Array::new(made, home(&[&x]))))
            }
            Some(out) => {
                let mut target = out.tensor();
                self.divided(|| x.tensor.index_out(&items, &mut target, &rules))?;
                self.settled(out, target)
            }
        }
    }

    fn store(&self) -> Outcome {
        let how = self.flag(Role::Accumulate).filter(|add| *add).map(|_| Reduce::Sum);
        let target = match self.entry.in_place {
            true => self.target()?,
            false => {
                let x = self.array(Role::Data)?;
                Array::new(x.tensor.clone_data().map_err(raise)?, home(&[&x]))
            }
        };
        let key = self.key()?;
        let items: Vec<Index<'_>> = key.iter().map(OwnedIndex::lent).collect();
        let (x, rules) = (target.tensor(), self.rules(how.is_some(), target.face)?);
        let value = self.stored(&x, target.face, how.is_some(), &rules)?;
        self.divided(|| Way::Plain.write(&x, &items, value.map(|tensor| tensor), how, &rules))?;
        Ok(Value::Array(target))
    }

    fn copy(&self) -> Outcome {
        let x = self.array(Role::Data)?;
        let Some(out) = self.out()? else {
            let made = self.divided(|| x.tensor.to_row_major())?;
            return Ok(Value::Array(Array::new(made, home(&[&x]))));
        };
        let mut target = out.tensor();
        self.divided(|| x.tensor.index_out(&[Index::Ellipsis], &mut target, &operations::RULES))?;
        self.settled(out, target)
    }

    fn scatter_nd(&self) -> Outcome {
        let (updates, index) = (self.array(Role::Array)?, self.places()?);
        let wrong = |value: &Value| self.refused(Role::Shape, "a sequence of lengths, none of them negative", value);
        let value = self.value(Role::Shape).unwrap_or(Value::None);
        let lengths = value.items().ok_or_else(|| wrong(&value))?;
        let length = |v: &Value| to_i64(v).ok().and_then(|n| usize::try_from(n).ok()).ok_or_else(|| wrong(&value));
        let shape = lengths.iter().map(length).collect::<Result<Vec<_>>>()?;
        let rules = self.rules(false, updates.face)?;
        let made = self.divided(|| {
            let zeros = Tensor::zeroed(&shape, updates.tensor.dtype())?;
            zeros.scatter_nd_(&index.tensor, &updates.tensor, Some(Reduce::Sum), &rules)?;
            Ok(zeros)
        })?;
        Ok(Value::Array(Array::new(made, home(&[&updates]))))
    }

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
        let items = super::elements(&numbers.tensor).map_err(raise)?;
        let mut operands: Vec<_> = items.iter().filter_map(to_scalar).map(promote::Operand::Number).collect();
        operands.push(promote::Operand::of(array.dtype(), 1));
        let dtype = result_type(promotion, &operands).map_err(|e| raise(e.in_words(operations::RULES.words)))?;
        Ok(Operand { tensor: from_value(value, Some(dtype), &NUMPY)?, ..numbers })
    }

    fn search(&self) -> Outcome {
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
        self.finish(face, if narrow { DType::I32 } else { DType::I64 }, found)
    }

    /// The result of work, of a dtype known before, in memory given or its own.
    fn finish(&self, face: &'static Face, dtype: DType, work: impl FnOnce() -> takewise::Result<Tensor>) -> Outcome {
        let Some(out) = self.out()? else {
            return self.divided(work).map(|made| Value::Array(Array::new(made, face)));
        };
        let mut target = out.tensor();
        super::check_out_dtype(self.call, self.entry.op(), &target, dtype)?;
        self.divided(|| work()?.index_out(&[Index::Ellipsis], &mut target, &operations::RULES))?;
        self.settled(out, target)
    }

    fn nonzero(&self) -> Outcome {
        let x = self.array(Role::Data)?;
        match self.flag(Role::AsTuple) {
            Some(true) if self.out()?.is_some() => {
                Err(EvalError::type_error("nonzero() with as_tuple gives several arrays and has no use for out="))
            }
            Some(true) => self.coordinates(&x),
            _ => self.finish(home(&[&x]), DType::I64, || x.tensor.nonzero(&operations::RULES)),
        }
    }

    /// One array of coordinates for each axis.
    fn coordinates(&self, x: &Operand) -> Outcome {
        let found = self.divided(|| x.tensor.nonzero_tuple(&operations::RULES))?;
        let face = home(&[x]);
        Ok(Value::tuple(found.into_iter().map(|axis| Value::Array(Array::new(axis, face))).collect::<Vec<_>>()))
    }

    fn choose(&self) -> Outcome {
        let condition = self.array(Role::Condition)?;
        let choices: Vec<&'static Parameter> = self.entry.operation.all().filter(|p| p.role == Role::Choice).collect();
        let given: Vec<Option<Value>> = choices.iter().map(|p| self.call.get(p.name)).collect();
        let (a, b) = match &given[..] {
            [Some(a), Some(b)] => (a, b),
            [None, None] if self.out()?.is_none() => return self.coordinates(&condition),
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
        self.finish(face, dtype, || condition.tensor.where_(&one, &two, dtype, &rules))
    }
}
