//! Functions that compare: sorted searches, what is not zero, one of two values.

use std::borrow::Cow;
use takewise::op::Op;

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFloat, PyInt, PyTuple};
use smallvec::SmallVec;
use takewise::error::DTypeRule;
use takewise::ops::{self, Search, Source};
use takewise::promote;
use takewise::{DType, Fault, Rules, Scalar, Tensor};
use takewise_dialects::spread;
use takewise_operations::{Role, sized};

use super::RULES;
use super::arguments::{Data, Out, PlainNumber, Target, bytes, rules_of};
use crate::border::arrive::Arrived;
use crate::border::callable::Arguments;
use crate::border::literal::Numbers;
use crate::border::{Family, Home, Operand, foreign, literal, numpy};
use crate::error::{OrRaise, raise, refuse};
use crate::threads::divided;

/// What is a [`Source`] once it is known what stands beside it, which numbers in nested lists take their dtype from.
enum Opened {
    Array(Operand),
    Listed(Numbers),
    Number(Scalar),
}

/// What is [`Opened`] when all arguments have arrived.
enum Argument<'py> {
    Array(Arrived<'py>),
    Listed(Numbers),
    Number(Scalar),
}

impl Argument<'_> {
    #[inline]
    fn open(self) -> PyResult<Opened> {
        match self {
            Argument::Array(array) => array.open().map(Opened::Array),
            Argument::Listed(numbers) => Ok(Opened::Listed(numbers)),
            Argument::Number(number) => Ok(Opened::Number(number)),
        }
    }
}

impl<'a, 'py> FromPyObject<'a, 'py> for Argument<'py> {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Argument<'py>> {
        if let Some(found) = Arrived::of_exact(&object) {
            return Ok(Argument::Array(found));
        }
        numpy::refuse_class(&object)?;
        // NumPy's float64 is a float of Python's too, but an array of rank 0 first.
        let number = object.is_exact_instance_of::<PyFloat>()
            || object.is_exact_instance_of::<PyInt>()
            || object.is_exact_instance_of::<PyBool>();
        if !number && let Some(found) = Arrived::of_other(&object)? {
            return Ok(Argument::Array(found));
        }
        match literal::scalar(&object) {
            Some(number) => Ok(Argument::Number(number)),
            None => match Numbers::of(&object) {
                Ok(numbers) => Ok(Argument::Listed(numbers)),
                Err(error) => match foreign::listed(&object) {
                    Some(operand) => Ok(Argument::Array(Arrived::Held(Box::new(operand)))),
                    None => Err(error),
                },
            },
        }
    }
}

/// What is looked for, or looked through: dates of Python's and pandas' too.
struct Searched<'py>(Argument<'py>);

impl<'a, 'py> FromPyObject<'a, 'py> for Searched<'py> {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Searched<'py>> {
        object.extract().map(Searched).or_else(|error| match foreign::dated(&object)? {
            Some(dates) => Ok(Searched(Argument::Array(Arrived::Held(Box::new(dates))))),
            None => Err(error),
        })
    }
}

impl Opened {
    /// Whose it is.
    fn home(&self) -> &Home {
        match self {
            Opened::Array(operand) => &operand.home,
            Opened::Listed(_) | Opened::Number(_) => &Home::Plain,
        }
    }

    /// The dtype of an array.
    fn array(&self) -> Option<DType> {
        match self {
            Opened::Array(operand) => Some(operand.tensor.dtype()),
            Opened::Listed(_) | Opened::Number(_) => None,
        }
    }

    /// It beside an array of a library, if there is one.
    fn given(self, py: Python<'_>, family: Family, other: Option<DType>) -> PyResult<Source<Operand>> {
        match self {
            Opened::Array(operand) => Ok(Source::Array(operand)),
            Opened::Listed(numbers) => {
                let tensor = numbers.beside(py, family, other)?;
                Ok(Source::Array(Operand { tensor, home: Home::Plain }))
            }
            Opened::Number(number) => Ok(Source::Scalar(number)),
        }
    }

    /// It as an array; a number by itself counts as one of rank 0.
    fn whole(self, py: Python<'_>, family: Family, other: Option<DType>) -> PyResult<Operand> {
        match self {
            Opened::Number(number) => {
                let tensor = Numbers::one(number).beside(py, family, other)?;
                Ok(Operand { tensor, home: Home::Plain })
            }
            Opened::Array(operand) => Ok(operand),
            Opened::Listed(numbers) => Ok(Operand { tensor: numbers.beside(py, family, other)?, home: Home::Plain }),
        }
    }
}

/// Bytes of the array, by which a call is judged to be work or not.
fn size_of(given: &Source<Operand>) -> usize {
    match given {
        Source::Array(operand) => bytes(&operand.tensor),
        Source::Scalar(_) => 0,
    }
}

/// Whose it is.
fn source_home(given: &Source<Operand>) -> &Home {
    match given {
        Source::Array(operand) => &operand.home,
        Source::Scalar(_) => &Home::Plain,
    }
}

/// How promotion sees it.
fn promoted(given: &Source<Operand>) -> promote::Operand {
    match given {
        Source::Array(Operand { tensor, .. }) => promote::Operand::of(tensor.dtype(), tensor.shape().len()),
        Source::Scalar(number) => promote::Operand::Number(*number),
    }
}

/// The sequence and the values of a search, each in the dtype it has beside the other.
fn paired(py: Python<'_>, sequence: Argument<'_>, values: Argument<'_>) -> PyResult<(Operand, Source<Operand>)> {
    let sequence = sequence.open()?;
    let values = values.open()?;
    let family = Home::first_of([sequence.home(), values.home()]).family();
    let (one, other) = (sequence.array(), values.array());
    Ok((sequence.whole(py, family, other)?, values.given(py, family, one)?))
}

/// The result of `work`, of the dtype given, as `home` has arrays or in the caller's memory.
fn finish<'py>(
    py: Python<'py>,
    op: Op,
    home: &Home,
    dtype: DType,
    out: Option<Out<'py>>,
    threads: Option<usize>,
    bytes: usize,
    work: impl FnOnce() -> takewise::Result<Tensor>,
) -> PyResult<Bound<'py, PyAny>> {
    let Some(out) = out else {
        return home.result(py, divided(py, threads, bytes, work));
    };
    let mut target = Target::of(out)?;
    let given = target.tensor.dtype();
    if given != dtype {
        let fault = Fault::DType { op, rule: DTypeRule::Out, given, wanted: Some(dtype) };
        return Err(raise(py, &RULES.fail(fault)));
    }
    divided(py, threads, bytes, || work()?.index_out(&[takewise::Index::Ellipsis], &mut target.tensor, &RULES))
        .map_err(|e| e.in_op(op))
        .or_raise(py)?;
    target.finish()
}

/// Runs `f` on the values looked for.
fn looked_for<R>(
    given: &Source<Operand>,
    f: impl FnOnce(Source<takewise::AnyView>) -> takewise::Result<R>,
) -> takewise::Result<R> {
    match given {
        Source::Scalar(number) => f(Source::Scalar(*number)),
        Source::Array(Operand { tensor, .. }) => f(Source::Array(tensor.read_any()?.view())),
    }
}

/// Positions in a sorted sequence.
pub(super) fn searchsorted<'py>(a: &Arguments<'_, 'py>) -> PyResult<Bound<'py, PyAny>> {
    let (py, op) = (a.py, a.op());
    let (Searched(sequence), Searched(input)) = (a.need(Role::Sequence)?, a.need(Role::Sought)?);
    let (axis, out_int32, right) = (a.get(Role::Axis)?.unwrap_or(-1), a.flag(Role::Narrow)?, a.flag(Role::Right)?);
    let (side, sorter) = (a.get::<String>(Role::Side)?, a.get::<Data<'py>>(Role::Sorter)?);
    let (out, threads) = (a.get(Role::Out)?, a.get(Role::Threads)?);
    let (mut sequence, mut input) = paired(py, sequence, input)?;
    let mut order = sorter.map(Data::open).transpose()?;
    let axis = match &mut input {
        Source::Array(values) => {
            let order = order.as_mut().map(|order| &mut order.tensor);
            spread(&mut sequence.tensor, &mut values.tensor, order, axis).or_raise(py)?
        }
        Source::Scalar(_) => axis,
    };
    let (order, side) = (order.as_ref(), side.as_deref());
    let homes = [Some(&sequence.home), Some(source_home(&input)), order.map(|order| &order.home)];
    let work = bytes(&sequence.tensor).saturating_add(size_of(&input));
    let home = Home::first_of(homes.into_iter().flatten());
    finish(py, op, home, positions(out_int32), out, threads, work, || {
        let open = sequence.tensor.read_any()?;
        let order = order.map(|order| order.tensor.read_any()).transpose()?;
        let sorter = order.as_ref().map(|order| order.view());
        let search = Search { right, side, sorter, out_int32, axis };
        looked_for(&input, |values| ops::searchsorted(open.view(), values, &search, &RULES))
    })
}

/// The dtype of positions.
fn positions(out_int32: bool) -> DType {
    if out_int32 { DType::I32 } else { DType::I64 }
}

/// Positions between boundaries.
pub(super) fn bucketize<'py>(a: &Arguments<'_, 'py>) -> PyResult<Bound<'py, PyAny>> {
    let (py, op) = (a.py, a.op());
    let (Searched(input), Searched(boundaries)) = (a.need(Role::Sought)?, a.need(Role::Sequence)?);
    let (out_int32, right) = (a.flag(Role::Narrow)?, a.flag(Role::Right)?);
    let (out, threads) = (a.get(Role::Out)?, a.get(Role::Threads)?);
    let (Operand { tensor: edges, home }, input) = paired(py, boundaries, input)?;
    let work = bytes(&edges).saturating_add(size_of(&input));
    let home = Home::first_of([source_home(&input), &home]);
    finish(py, op, home, positions(out_int32), out, threads, work, || {
        let open = edges.read_any()?;
        looked_for(&input, |values| ops::bucketize(values, open.view(), out_int32, right, &RULES))
    })
}

/// Coordinates of what is not zero.
pub(super) fn nonzero<'py>(a: &Arguments<'_, 'py>) -> PyResult<Bound<'py, PyAny>> {
    let (py, input) = (a.py, a.need::<Data<'py>>(Role::Data)?);
    let (as_tuple, out, threads) = (a.flag(Role::AsTuple)?, a.get::<Out<'py>>(Role::Out)?, a.get(Role::Threads)?);
    let (size, fill) =
        (a.get(Role::Width)?, a.get::<PlainNumber>(Role::Padding)?.map_or(Scalar::Int(0), |number| number.0));
    let listed = |found: Tensor| sized(Op::Nonzero, found, 0, size, fill, &RULES);
    let x = input.open()?;
    match out {
        Some(_) if as_tuple => {
            let text = "nonzero() with as_tuple gives several arrays and has no use for out=";
            Err(refuse(py, "TypeError", text))
        }
        None if as_tuple => coordinates(py, &x, threads, listed),
        out => {
            let found = || listed(x.tensor.nonzero(&RULES)?);
            finish(py, a.op(), &x.home, DType::I64, out, threads, bytes(&x.tensor), found)
        }
    }
}

/// One array of coordinates for each axis, each as `listed` makes it.
fn coordinates<'py>(
    py: Python<'py>,
    x: &Operand,
    threads: Option<usize>,
    listed: impl Fn(Tensor) -> takewise::Result<Tensor> + Sync,
) -> PyResult<Bound<'py, PyAny>> {
    let work = || x.tensor.nonzero_tuple(&RULES)?.into_iter().map(&listed).collect::<takewise::Result<Vec<_>>>();
    let found = divided(py, threads, bytes(&x.tensor), work).or_raise(py)?;
    let mut given = SmallVec::<[Bound<'py, PyAny>; 4]>::with_capacity(found.len());
    for axis in found {
        given.push(x.home.give(py, axis)?);
    }
    Ok(PyTuple::new(py, given)?.into_any())
}

/// One of two values; without both, the coordinates of what is not zero.
pub(super) fn choose<'py>(a: &Arguments<'_, 'py>) -> PyResult<Bound<'py, PyAny>> {
    let (py, condition) = (a.py, a.need::<Data<'py>>(Role::Condition)?);
    let choices = a.two::<Argument<'py>>(Role::Choice)?;
    let (out, threads) = (a.get::<Out<'py>>(Role::Out)?, a.get(Role::Threads)?);
    let op = a.op();
    let condition = condition.open()?;
    let (a, b) = match choices {
        [Some(a), Some(b)] => (a.open()?, b.open()?),
        [None, None] if out.is_none() => return coordinates(py, &condition, threads, Ok),
        [None, None] => return Err(refuse(py, "TypeError", "where() of a condition alone has no use for out=")),
        _ => return Err(refuse(py, "TypeError", "where() takes input and other together, or neither")),
    };
    let family = Home::first_of([a.home(), b.home(), &condition.home]).family();
    let (one, other) = (a.array(), b.array());
    let (a, b) = (a.given(py, family, other)?, b.given(py, family, one)?);
    let (dtype, rules) = (common(py, &a, &b, family)?, rules_of(family));
    let home = Home::first_of([&condition.home, source_home(&a), source_home(&b)]);
    let work = bytes(&condition.tensor).saturating_add(size_of(&a)).saturating_add(size_of(&b));
    let (a, b) = (chosen(py, &a, dtype, rules)?, chosen(py, &b, dtype, rules)?);
    finish(py, op, home, dtype, out, threads, work, || condition.tensor.where_(&a, &b, dtype, rules))
}

/// The dtype two values meet in, by the promotion of a library.
fn common(py: Python<'_>, a: &Source<Operand>, b: &Source<Operand>, family: Family) -> PyResult<DType> {
    if let (Source::Array(a), Source::Array(b)) = (a, b)
        && a.tensor.dtype() == b.tensor.dtype()
        && !matches!(a.tensor.dtype(), DType::Opaque { .. })
    {
        return Ok(a.tensor.dtype());
    }
    let table = family.face().compare.promotion;
    promote::result_type(table, &[promoted(a), promoted(b)]).map_err(|e| e.in_words(RULES.words)).or_raise(py)
}

/// A value to choose; a number as an array.
fn chosen<'s>(py: Python<'_>, given: &'s Source<Operand>, dtype: DType, rules: &Rules) -> PyResult<Cow<'s, Tensor>> {
    match given {
        Source::Array(operand) => Ok(Cow::Borrowed(&operand.tensor)),
        Source::Scalar(number) => literal::number(py, *number, dtype, rules.conversion).map(Cow::Owned),
    }
}
