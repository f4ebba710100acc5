//! Calls of nothing but tensors, by the short road their row has: no exchange, no values, nothing bound.
//!
//! It gives up on everything out of the ordinary, errors included, before anything is written: the general road then does
//! what there is to do, and meets what is wrong again. Results and objects are the same on both. Calls so large that other
//! threads run meanwhile take the general road from the start: what these change could make a write fail halfway.

use pyo3::prelude::*;
use pyo3::types::{PyInt, PyTuple};
use takewise_dialects::Function;
use takewise_dialects::sig::Plain;

use super::convert::{face_of, give_fresh};
use crate::border::torch::{may_write, wrote};
use crate::border::{Home, Operand};
use crate::threads::detaches;

/// As many arguments as a row has here.
const MOST: usize = 4;

/// A call's function and arguments; a receiver is the first.
struct PlainCall<'a, 'py> {
    function: &'a Function,
    given: [Option<Borrowed<'a, 'py, PyAny>>; MOST],
}

/// An argument opened: large, and looked at where it was made.
type OpenedArgument = PyResult<Option<Operand>>;

impl<'a, 'py> PlainCall<'a, 'py> {
    /// A call of so many arguments, if it is one.
    #[inline]
    fn of(
        function: &'a Function,
        receiver: Option<&'a Bound<'py, PyAny>>,
        args: &'a Bound<'py, PyTuple>,
        count: usize,
    ) -> Option<PlainCall<'a, 'py>> {
        let own = usize::from(receiver.is_some());
        if args.len() + own != count || count > MOST {
            return None;
        }
        let mut given = [None; MOST];
        given[0] = receiver.map(Bound::as_borrowed);
        for (k, place) in given[own..count].iter_mut().enumerate() {
            *place = Some(args.get_borrowed_item(k).ok()?);
        }
        Some(PlainCall { function, given })
    }

    /// The argument at a position.
    #[inline]
    fn at(&self, k: usize) -> Option<Borrowed<'a, 'py, PyAny>> {
        self.given.get(k).copied().flatten()
    }

    /// Whether an argument is the first one again, which is opened once.
    #[inline]
    fn again(&self, k: usize) -> bool {
        self.at(k).zip(self.at(0)).is_some_and(|(other, first)| other.is(&*first))
    }

    /// The tensor at a position, unless it is the first one again.
    #[inline]
    fn open(&self, k: usize) -> OpenedArgument {
        match self.at(k) {
            Some(object) if k == 0 || !self.again(k) => Operand::of_tensor(&object),
            _ => Ok(None),
        }
    }

    /// What was opened, if it is for the function and has no gradient to be kept.
    #[inline]
    fn fit<'o>(&self, opened: &'o OpenedArgument) -> Option<&'o Operand> {
        let Ok(Some(operand)) = opened else { return None };
        let taken = matches!(operand.home, Home::Own) || face_of(self.function.face, &operand.home).facts.tensors;
        (taken && !operand.tensor.requires_grad()).then_some(operand)
    }

    /// [`PlainCall::fit`] of an argument after the first.
    #[inline]
    fn other<'o>(&self, k: usize, opened: &'o OpenedArgument, first: &'o Operand) -> Option<&'o Operand> {
        if self.again(k) { Some(first) } else { self.fit(opened) }
    }

    /// The number of an axis.
    #[inline]
    fn axis(&self, k: usize) -> Option<i64> {
        self.at(k)?.cast_exact::<PyInt>().ok()?.extract().ok()
    }
}

/// The result; `None` where the general road has to be taken.
pub(super) fn call<'py>(
    py: Python<'py>,
    function: &Function,
    receiver: Option<&Bound<'py, PyAny>>,
    args: &Bound<'py, PyTuple>,
) -> Option<Bound<'py, PyAny>> {
    let plain = function.plain()?;
    let call = PlainCall::of(function, receiver, args, plain.count())?;
    let (tables, face) = (function.face.rules, function.face);
    // Without an axis the index stands where that would.
    let (axis, at) = if plain.count() == 2 { (0, 1) } else { (call.axis(1)?, 2) };
    // What is stored may be a number: nothing has been opened in vain then.
    if !Operand::may_be_tensor(&*call.at(plain.count() - 1)?) {
        return None;
    }
    let (x, i) = (call.open(0), call.open(at));
    let x = call.fit(&x)?;
    let i = call.other(at, &i, x)?;
    let source;
    let made = match plain {
        Plain::Two(_) | Plain::Along(_) if is_large([x, i]) => return None,
        Plain::Two(run) => run(&x.tensor, &i.tensor, tables),
        Plain::Along(run) => run(&x.tensor, axis, &i.tensor, tables),
        Plain::Write(run) => {
            source = call.open(3);
            let s = call.other(3, &source, x)?;
            if is_large([x, i, s]) {
                return None;
            }
            if function.in_place() {
                may_write(py, &x.tensor).ok()?;
                run(&x.tensor, axis, &i.tensor, &s.tensor, tables).ok()?;
                wrote(py, &x.tensor).ok()?;
                return Some(call.at(0)?.to_owned());
            }
            let copy = Plain::copy(&x.tensor).ok()?;
            run(&copy, axis, &i.tensor, &s.tensor, tables).ok()?;
            return give_fresh(py, face, [&x.home, &i.home, &s.home], copy, face, false).ok();
        }
    };
    give_fresh(py, face, [&x.home, &i.home], made.ok()?, face, false).ok()
}

/// Whether a call on these would let go of the interpreter's lock.
#[inline]
fn is_large<const N: usize>(operands: [&Operand; N]) -> bool {
    detaches(operands.iter().map(|o| o.tensor.numel().saturating_mul(o.tensor.dtype().size())).sum())
}
