//! Errors: one opaque word that says what went wrong, where in the index, and in whose words.
//!
//! An operation reports a [`Fault`]: plain facts. The dialect in force turns the fault into the text and
//! exception class its library would give ([`Words`]); our own facts (operation, axis, position in the
//! index operand, how many are bad, likely cause) follow on a second line. So wording is data, and no
//! operation knows a dialect.

mod escape;
mod fault;
mod words_neutral;

use crate::op::Op;
pub use escape::plain;
pub use fault::{ArgumentRule, DTypeRule, Fault, GradientRule, OutOfRange, ShapeRule};
pub use words_neutral::neutral;

use crate::dims::Dims;
use std::fmt;

/// The result of every fallible call.
///
/// ```
/// use takewise::prelude::*;
/// fn last(x: &Tensor) -> takewise::Result<Tensor> {
///     x.index(&ix![-1], &Rules::NEUTRAL)
/// }
/// assert_eq!(last(&tensor!([1, 2]))?.item()?, Scalar::Int(2));
/// # Ok::<(), takewise::Error>(())
/// ```
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The exception class a Python library would raise.
///
/// ```
/// use takewise::prelude::*;
/// use takewise::Class;
/// let error = ops::take(&[10, 20, 30], &[0, 7, -9], &Rules::NEUTRAL).unwrap_err();
/// assert_eq!((error.class(), error.class().name()), (Class::IndexError, "IndexError"));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
#[allow(missing_docs)]
pub enum Class {
    IndexError,
    ValueError,
    TypeError,
    RuntimeError,
    NotImplementedError,
    OverflowError,
    MemoryError,
    OSError,
}

impl Class {
    /// The class name as Python prints it.
    pub const fn name(self) -> &'static str {
        match self {
            Class::IndexError => "IndexError",
            Class::ValueError => "ValueError",
            Class::TypeError => "TypeError",
            Class::RuntimeError => "RuntimeError",
            Class::NotImplementedError => "NotImplementedError",
            Class::OverflowError => "OverflowError",
            Class::MemoryError => "MemoryError",
            Class::OSError => "OSError",
        }
    }
}

/// What kind of thing went wrong; the part callers may branch on.
///
/// ```
/// use takewise::prelude::*;
/// let error = ops::take(&[10, 20, 30], &[0, 7, -9], &Rules::NEUTRAL).unwrap_err();
/// assert_eq!(error.kind(), Kind::OutOfRange);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Kind {
    /// An index value lies outside its axis.
    OutOfRange,
    /// An axis number lies outside the rank.
    Axis,
    /// Shapes or ranks do not fit together.
    Shape,
    /// A dtype is not accepted or two dtypes differ.
    DType,
    /// A number does not fit the destination dtype.
    Value,
    /// Two operands share memory in a way that has no answer.
    Overlap,
    /// The same place is written twice and the policy forbids it.
    Duplicate,
    /// Another call is using the same memory right now.
    Busy,
    /// An argument is malformed.
    Argument,
    /// Sizes overflow or memory ran out.
    Memory,
    /// What an operand's memory stands for could not be read: a mapped file that was cut short, a disk that failed.
    Storage,
}

/// How a dialect words a fault: class and first line, or `None` to use the neutral words.
///
/// ```
/// use takewise::prelude::*;
/// use takewise::{Class, Fault, error::Words};
/// fn terse(fault: &Fault) -> Option<(Class, String)> {
///     Some((Class::ValueError, format!("{} failed", fault.op().name())))
/// }
/// let words: Words = terse;
/// let error = ops::take(&[1], &[5], &Rules { words, ..Rules::NEUTRAL }).unwrap_err();
/// assert_eq!(error.text(), "take failed");
/// ```
pub type Words = fn(&Fault) -> Option<(Class, String)>;

/// Why a call failed. One word wide; inspect it with the accessors.
///
/// ```
/// use takewise::{ops, Kind, Rules, View};
/// let x = [10, 20, 30];
/// let i = [0i64, 3, -7];
/// let e = ops::take(&View::from(&x[..]), &View::from(&i[..]), &Rules::NEUTRAL).unwrap_err();
/// assert_eq!((e.kind(), e.value(), e.len(), e.bad()), (Kind::OutOfRange, Some(3), Some(3), 2));
/// assert_eq!(e.position(), Some(&[1][..]));
/// ```
pub struct Error(Box<Inner>);

struct Inner {
    fault: Fault,
    words: Words,
    context: Option<Box<str>>,
}

impl Error {
    /// An error in the words of a dialect.
    ///
    /// ```
    /// use takewise::prelude::*;
    /// use takewise::{Fault, Op, error};
    /// let error = Error::new(error::neutral, Fault::Dim { op: Op::Gather, dim: 5, rank: 2 });
    /// assert_eq!(error.kind(), Kind::Axis);
    /// ```
    #[cold]
    #[inline(never)]
    pub fn new(words: Words, fault: Fault) -> Error {
        Error(Box::new(Inner { fault, words, context: None }))
    }

    /// An error in the neutral words.
    ///
    /// ```
    /// use takewise::prelude::*;
    /// use takewise::{Fault, Op};
    /// let error = Error::plain(Fault::Dim { op: Op::Gather, dim: 5, rank: 2 });
    /// assert!(error.to_string().starts_with("gather"));
    /// ```
    #[cold]
    #[inline(never)]
    pub fn plain(fault: Fault) -> Error {
        Error::new(neutral, fault)
    }

    /// The same fault in another dialect's words.
    ///
    /// ```
    /// use takewise::prelude::*;
    /// use takewise::{Class, Fault};
    /// fn terse(_: &Fault) -> Option<(Class, String)> {
    ///     Some((Class::ValueError, "no".into()))
    /// }
    /// let error = ops::take(&[10, 20, 30], &[0, 7, -9], &Rules::NEUTRAL).unwrap_err();
    /// assert_eq!(error.in_words(terse).text(), "no");
    /// ```
    #[cold]
    pub fn in_words(mut self, words: Words) -> Error {
        self.0.words = words;
        self
    }

    /// The same error naming another operation: inner helpers report as the call the user made.
    ///
    /// ```
    /// use takewise::prelude::*;
    /// use takewise::Op;
    /// let error = ops::take(&[10, 20, 30], &[0, 7, -9], &Rules::NEUTRAL).unwrap_err();
    /// assert_eq!(error.in_op(Op::Gather).fault().op(), Op::Gather);
    /// ```
    #[cold]
    pub fn in_op(mut self, op: Op) -> Error {
        self.0.fault.set_op(op);
        self
    }

    /// The same error about an operand that is one column of the caller's (index tuples): its position gains
    /// the column.
    #[cold]
    pub(crate) fn in_column(mut self) -> Error {
        if let Fault::OutOfRange(o) = &mut self.0.fault
            && let Some(position) = &mut o.position
        {
            position.push(o.ordinal);
        }
        self
    }

    /// The same error about operands that are arrays of one axis each, laid along axes of their own: its position is the one in
    /// the array as it was given.
    pub(crate) fn in_own_axis(mut self) -> Error {
        if let Fault::OutOfRange(o) = &mut self.0.fault
            && let Some(position) = &mut o.position
            && let Some(&own) = position.get(o.ordinal)
        {
            *position = Shape::from_slice(&[own]);
        }
        self
    }

    /// Adds a line that says what the caller was doing.
    ///
    /// ```
    /// use takewise::prelude::*;
    /// let error = ops::take(&[10, 20, 30], &[0, 7, -9], &Rules::NEUTRAL).unwrap_err();
    /// assert!(error.context("reading the third column").to_string().ends_with("reading the third column"));
    /// ```
    #[cold]
    pub fn context(mut self, line: impl Into<String>) -> Error {
        self.0.context = Some(line.into().into_boxed_str());
        self
    }

    /// The facts.
    ///
    /// ```
    /// use takewise::prelude::*;
    /// let error = ops::take(&[10, 20, 30], &[0, 7, -9], &Rules::NEUTRAL).unwrap_err();
    /// assert!(matches!(error.fault(), takewise::Fault::OutOfRange(facts) if facts.total == 3));
    /// ```
    pub fn fault(&self) -> &Fault {
        &self.0.fault
    }

    /// What kind of thing went wrong.
    ///
    /// ```
    /// use takewise::prelude::*;
    /// let error = ops::take(&[10, 20, 30], &[0, 7, -9], &Rules::NEUTRAL).unwrap_err();
    /// assert_eq!(error.kind(), Kind::OutOfRange);
    /// ```
    pub fn kind(&self) -> Kind {
        self.0.fault.kind()
    }

    /// The exception class of the dialect in force.
    ///
    /// ```
    /// use takewise::prelude::*;
    /// let error = ops::take(&[10, 20, 30], &[0, 7, -9], &Rules::NEUTRAL).unwrap_err();
    /// assert_eq!(error.class(), takewise::Class::IndexError);
    /// ```
    pub fn class(&self) -> Class {
        self.headline().0
    }

    /// The first line: exactly the dialect's text where it has one.
    ///
    /// ```
    /// use takewise::prelude::*;
    /// let error = ops::take(&[10, 20, 30], &[0, 7, -9], &Rules::NEUTRAL).unwrap_err();
    /// assert_eq!(error.text().lines().count(), 1);
    /// ```
    pub fn text(&self) -> String {
        self.headline().1
    }

    fn headline(&self) -> (Class, String) {
        (self.0.words)(&self.0.fault)
            .unwrap_or_else(|| neutral(&self.0.fault).unwrap_or((Class::RuntimeError, String::new())))
    }

    /// The axis (of the indexed array) concerned, if one is.
    ///
    /// ```
    /// use takewise::prelude::*;
    /// let error = ops::take(&[10, 20, 30], &[0, 7, -9], &Rules::NEUTRAL).unwrap_err();
    /// assert_eq!(error.axis(), Some(0));
    /// ```
    pub fn axis(&self) -> Option<usize> {
        self.0.fault.out_of_range().map(|o| o.axis)
    }

    /// Coordinates, in the index operand, of the first bad value; in the values stored, of the first that does not fit.
    ///
    /// ```
    /// use takewise::prelude::*;
    /// let error = ops::take(&[10, 20, 30], &[0, 7, -9], &Rules::NEUTRAL).unwrap_err();
    /// assert_eq!(error.position(), Some(&[1][..]));
    /// ```
    pub fn position(&self) -> Option<&[usize]> {
        match &self.0.fault {
            Fault::Unfit { position, .. } => Some(position),
            other => other.out_of_range().and_then(|o| o.position.as_deref()),
        }
    }

    /// The first bad index value, or the first integer stored that does not fit.
    ///
    /// ```
    /// use takewise::prelude::*;
    /// let error = ops::take(&[10, 20, 30], &[0, 7, -9], &Rules::NEUTRAL).unwrap_err();
    /// assert_eq!(error.value(), Some(7));
    /// ```
    pub fn value(&self) -> Option<i128> {
        match &self.0.fault {
            Fault::Unfit { value, .. } => Some(*value),
            other => other.out_of_range().map(|o| o.value),
        }
    }

    /// The length of the axis the value missed.
    ///
    /// ```
    /// use takewise::prelude::*;
    /// let error = ops::take(&[10, 20, 30], &[0, 7, -9], &Rules::NEUTRAL).unwrap_err();
    /// assert_eq!(error.len(), Some(3));
    /// ```
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> Option<usize> {
        self.0.fault.out_of_range().map(|o| o.len)
    }

    /// How many index values are out of range (0 for other kinds).
    ///
    /// ```
    /// use takewise::prelude::*;
    /// let error = ops::take(&[10, 20, 30], &[0, 7, -9], &Rules::NEUTRAL).unwrap_err();
    /// assert_eq!(error.bad(), 2);
    /// ```
    pub fn bad(&self) -> usize {
        match &self.0.fault {
            Fault::Unfit { bad, .. } => *bad,
            other => other.out_of_range().map_or(0, |o| o.bad),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (_, text) = self.headline();
        f.write_str(&text)?;
        // Our own words have the facts, but for how many there are of them.
        let own = neutral(&self.0.fault).is_some_and(|(_, own)| own == text);
        let facts = if own { self.0.fault.count() } else { self.0.fault.facts() };
        if let Some(facts) = facts.filter(|facts| *facts != text && !self.0.fault.told(&text)) {
            write!(f, "\n  {facts}")?;
        }
        if let Some(cause) = self.0.fault.cause() {
            write!(f, "\n  {cause}")?;
        }
        if let Some(context) = &self.0.context {
            write!(f, "\n  {context}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {self}", self.class().name())
    }
}

impl std::error::Error for Error {}

/// A shape as messages have it: `[2, 3]`.
pub fn list<T: fmt::Display>(items: &[T]) -> String {
    let parts: Vec<String> = items.iter().map(|v| v.to_string()).collect();
    format!("[{}]", parts.join(", "))
}

/// A shape as a Python tuple without spaces: `(2,3)`, `(3,)`, `()`.
pub fn tuple<T: fmt::Display>(items: &[T]) -> String {
    let parts: Vec<String> = items.iter().map(T::to_string).collect();
    let comma = if parts.len() == 1 { "," } else { "" };
    format!("({}{comma})", parts.join(","))
}

/// A shape kept inside a fault.
///
/// ```
/// use takewise::error::Shape;
/// assert_eq!(Shape::from_slice(&[2, 3])[..], [2, 3]);
/// ```
pub type Shape = Dims<usize>;
