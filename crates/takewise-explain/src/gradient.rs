//! What a gradient is made of: a sum of elements, each times a number, and the elements that these numbers are made of.
//!
//! Walking back only adds, copies, multiplies by what the call was given, and divides. So whatever was done on the way, an element
//! of the end is such a sum.

use crate::data::{Cell, How, Operand, Pointer, Source};
use crate::history::LEADING;
use crate::provenance::{Made, Provenance, Term, filler, with};
use crate::text;
use takewise::DType;

/// Terms of one element that are told apart at most.
const MOST: usize = 1 << 16;

/// A term.
#[derive(Clone)]
struct Part {
    of: Of,
    by: Vec<Pointer>,
    /// Real and imaginary.
    times: (f64, f64),
    factors: Vec<Pointer>,
}

/// What a term is, before it is multiplied.
#[derive(Clone)]
enum Of {
    Element(Pointer),
    Number(Option<String>),
    /// Nobody has noted it.
    Unknown,
}

/// An element of a gradient; nothing where it is what its base has there.
pub(crate) fn cell(
    origin: &Provenance,
    at: usize,
    own: Option<Pointer>,
    dtype: DType,
    operands: &[Operand],
) -> Option<Cell> {
    let mut parts = Vec::new();
    if collect(origin, dtype, &mut parts).is_none() {
        parts = vec![Part::new(Of::Unknown)];
    }
    let plain = |part: &Part| part.times == (1.0, 0.0) && part.by.is_empty();
    let with_self =
        parts.first().is_some_and(|part| matches!(part.of, Of::Element(p) if Some(p) == own) && plain(part));
    if with_self {
        parts.remove(0);
    }
    // Zeros add nothing; alone they say why nothing comes.
    if with_self || parts.len() > 1 {
        parts.retain(|part| !part.is_zero());
    }
    let mut cell = Cell { at, how: How::Sum, with_self, sources: Vec::new(), by: Vec::new(), value: None };
    match &parts[..] {
        [] if with_self => return None,
        [] => {
            cell.how = How::Fill;
            cell.value = text::element(&[0; 16], dtype);
        }
        [only] if !with_self && only.times == (1.0, 0.0) => cell.how = How::Copy,
        _ => {}
    }
    cell.sources = parts.into_iter().map(|part| part.source(dtype, operands)).collect();
    Some(cell)
}

impl Part {
    fn new(of: Of) -> Part {
        Part { of, by: Vec::new(), times: (1.0, 0.0), factors: Vec::new() }
    }

    fn is_zero(&self) -> bool {
        matches!(&self.of, Of::Number(Some(text)) if matches!(text.parse::<f64>(), Ok(0.0)) || text == "False")
    }

    fn source(self, dtype: DType, operands: &[Operand]) -> Source {
        let (operand, at, value) = match self.of {
            Of::Element(pointer) => (Some(pointer.operand), pointer.at, None),
            Of::Number(value) => (None, 0, value),
            Of::Unknown => (None, 0, None),
        };
        // What is not finite is felt even times zero.
        let known = operand.and_then(|k| operands.get(k)?.values.as_ref()?.get(at));
        let finite = known.and_then(|text| text.parse::<f64>().ok()).is_none_or(f64::is_finite);
        let times = (self.times != (1.0, 0.0)).then(|| text::number(self.times, dtype));
        let used = self.times != (0.0, 0.0) || !finite;
        // What is chosen on the way, by what the call was given, is a part of the weight.
        let role = |pointer: &Pointer| operands.get(pointer.operand).map(|operand| operand.role);
        let leads = |pointer: &Pointer| role(pointer).is_some_and(|role| LEADING.contains(&role));
        let (by, chosen): (Vec<_>, Vec<_>) = self.by.into_iter().partition(leads);
        let mut factors = self.factors;
        if times.is_some() {
            with(&mut factors, &chosen);
        }
        Source { operand, at, by, used, value, times, factors }
    }

    /// This, times a factor or divided by it.
    fn scaled(&mut self, (re, im): (f64, f64), divides: bool, factors: &[Pointer]) {
        let (a, b) = self.times;
        self.times = match (divides, im == 0.0 && b == 0.0) {
            (false, true) => (a * re, 0.0),
            (true, true) => (a / re, 0.0),
            (false, false) => (a * re - b * im, a * im + b * re),
            (true, false) => {
                let size = re * re + im * im;
                ((a * re + b * im) / size, (b * re - a * im) / size)
            }
        };
        with(&mut self.factors, factors);
    }
}

/// The terms of an origin, in order; nothing where they are too many to tell.
fn collect(origin: &Provenance, dtype: DType, into: &mut Vec<Part>) -> Option<()> {
    match origin {
        Provenance::Zero => {}
        Provenance::Element(pointer) => into.push(Part::new(Of::Element(*pointer))),
        Provenance::Number(value) => into.push(Part::new(Of::Number(value.clone()))),
        Provenance::Unknown | Provenance::Position(_) => into.push(Part::new(Of::Unknown)),
        Provenance::Made(made) => made.collect(dtype, into)?,
    }
    (into.len() <= MOST).then_some(())
}

impl Made {
    fn collect(&self, dtype: DType, into: &mut Vec<Part>) -> Option<()> {
        let first = into.len();
        let mut used = self.terms.iter().filter(|term| term.used);
        match self.how {
            How::Fill => {
                let value = self.value.as_ref().and_then(|bytes| filler(bytes, dtype));
                into.push(Part { by: self.by.clone(), ..Part::new(Of::Number(value)) });
            }
            How::Copy | How::Last | How::First => used.next()?.collect(dtype, into)?,
            How::Sum | How::Mean => {
                self.start.as_ref().map_or(Some(()), |start| collect(start, dtype, into))?;
                let mut count = usize::from(self.start.is_some());
                for term in used {
                    term.collect(dtype, into)?;
                    count += 1;
                }
                if self.how == How::Mean {
                    into[first..].iter_mut().for_each(|part| part.scaled((count as f64, 0.0), true, &[]));
                }
            }
            How::Prod | How::Div => {
                match &self.start {
                    Some(start) => collect(start, dtype, into)?,
                    None => used.next()?.collect(dtype, into)?,
                }
                for term in used {
                    let Some(value) = term.value else {
                        into.truncate(first);
                        into.push(Part::new(Of::Unknown));
                        break;
                    };
                    let factors = term.origin.pointers();
                    let divides = self.how == How::Div;
                    into[first..].iter_mut().for_each(|part| {
                        part.scaled(value, divides, &factors);
                        with(&mut part.by, &term.by);
                    });
                }
            }
            How::Max | How::Min | How::Position => into.push(Part::new(Of::Unknown)),
        }
        Some(())
    }
}

impl Term {
    fn collect(&self, dtype: DType, into: &mut Vec<Part>) -> Option<()> {
        let first = into.len();
        collect(&self.origin, dtype, into)?;
        into[first..].iter_mut().for_each(|part| with(&mut part.by, &self.by));
        Some(())
    }
}
