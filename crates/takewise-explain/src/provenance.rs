//! What an element is made of: operands' elements, numbers, and what was done with them.

use std::rc::Rc;

use takewise::DType;

use crate::data::{Cell, How, Pointer, Source};
use crate::text;

/// Where an element comes from.
#[derive(Clone, Debug)]
pub(crate) enum Provenance {
    /// Nobody has noted it.
    Unknown,
    /// Fresh memory that nothing was written to.
    Zero,
    /// A number of the call itself.
    Number(Option<String>),
    /// An element of an operand, as it was before the call.
    Element(Pointer),
    /// A position or a truth value, of these elements.
    Position(Vec<Pointer>),
    /// Something was done with others.
    Made(Rc<Made>),
}

/// What was done.
#[derive(Debug)]
pub(crate) struct Made {
    pub(crate) how: How,
    /// What was there before and takes part.
    pub(crate) start: Option<Provenance>,
    pub(crate) terms: Vec<Term>,
    /// Of a fill: the index elements that led nowhere, and the value.
    pub(crate) by: Vec<Pointer>,
    pub(crate) value: Option<Vec<u8>>,
}

/// One of the elements that meet.
#[derive(Debug)]
pub(crate) struct Term {
    pub(crate) origin: Provenance,
    pub(crate) by: Vec<Pointer>,
    pub(crate) used: bool,
    /// What it is, real and imaginary, where that is multiplied or divided by.
    pub(crate) value: Option<(f64, f64)>,
}

impl Provenance {
    /// One thing done with others.
    pub(crate) fn made(how: How, start: Option<Provenance>, terms: Vec<Term>) -> Provenance {
        Provenance::Made(Rc::new(Made { how, start, terms, by: Vec::new(), value: None }))
    }

    /// A copy of something, to which these index elements led.
    pub(crate) fn copy(origin: Provenance, by: Vec<Pointer>) -> Provenance {
        Provenance::made(How::Copy, None, vec![Term { origin, by, used: true, value: None }])
    }

    /// The operands' elements in it.
    pub(crate) fn pointers(&self) -> Vec<Pointer> {
        self.pointers_where(&|_| true)
    }

    /// The same, but of the elements whose positions were worked out only some.
    pub(crate) fn pointers_where(&self, worked_out: &dyn Fn(&Pointer) -> bool) -> Vec<Pointer> {
        match self {
            Provenance::Element(pointer) => vec![*pointer],
            Provenance::Position(of) => of.iter().copied().filter(worked_out).collect(),
            Provenance::Made(made) => {
                let used = made.terms.iter().filter(|term| term.used).map(|term| &term.origin);
                made.start.iter().chain(used).flat_map(|origin| origin.pointers_where(worked_out)).collect()
            }
            Provenance::Unknown | Provenance::Zero | Provenance::Number(_) => Vec::new(),
        }
    }

    /// What this is as an element of a result, whose base has `own` there; nothing where nobody knows.
    pub(crate) fn cell(&self, at: usize, own: Option<Pointer>, dtype: DType) -> Option<Cell> {
        let mut cell = Cell { at, how: How::Copy, with_self: false, sources: Vec::new(), by: Vec::new(), value: None };
        match self {
            Provenance::Unknown => return None,
            Provenance::Zero => {
                cell.how = How::Fill;
                cell.value = text::element(&[0; 16], dtype);
            }
            Provenance::Element(_) | Provenance::Number(_) => cell.sources = self.sources(&[], true),
            Provenance::Position(_) => {
                cell.how = How::Position;
                cell.sources = self.sources(&[], true);
            }
            Provenance::Made(made) => return made.cell(at, own, dtype),
        }
        Some(cell)
    }

    /// This as something that meets others.
    fn sources(&self, by: &[Pointer], used: bool) -> Vec<Source> {
        let source = |operand, at| Source { operand, at, by: by.to_vec(), used, ..Source::default() };
        match self {
            Provenance::Element(pointer) => vec![source(Some(pointer.operand), pointer.at)],
            Provenance::Position(of) => of.iter().map(|p| source(Some(p.operand), p.at)).collect(),
            Provenance::Number(value) => vec![Source { value: value.clone(), ..source(None, 0) }],
            Provenance::Zero => vec![Source { value: Some("0".to_owned()), ..source(None, 0) }],
            Provenance::Unknown => vec![source(None, 0)],
            Provenance::Made(made) => made.sources(by, used),
        }
    }
}

impl Made {
    fn cell(&self, at: usize, own: Option<Pointer>, dtype: DType) -> Option<Cell> {
        let by = self.by.clone();
        let mut cell = Cell { at, how: self.how, with_self: false, sources: Vec::new(), by, value: None };
        match self.how {
            How::Fill => cell.value = self.value.as_ref().and_then(|bytes| filler(bytes, dtype)),
            How::Copy => {
                let term = self.terms.first()?;
                let mut cell = term.origin.cell(at, None, dtype)?;
                cell.sources.iter_mut().for_each(|source| with(&mut source.by, &term.by));
                if cell.sources.is_empty() {
                    with(&mut cell.by, &term.by);
                }
                return Some(cell);
            }
            How::Last | How::First if self.terms.len() == 1 => {
                let term = self.terms.first()?;
                return Provenance::copy(term.origin.clone(), term.by.clone()).cell(at, own, dtype);
            }
            _ => {
                (cell.with_self, cell.sources) = self.started(own);
                let divides = self.how == How::Div;
                let sources = |term: &Term| match factors(&term.origin).filter(|_| divides) {
                    Some(factors) => factors,
                    None => term.origin.sources(&term.by, term.used),
                };
                cell.sources.extend(self.terms.iter().flat_map(sources));
                // What is divided by one alone is as it was.
                match (divides, cell.with_self, cell.sources.len()) {
                    (true, true, 0) => return None,
                    (true, false, 1) => cell.how = How::Copy,
                    _ => {}
                }
            }
        }
        Some(cell)
    }

    /// Whether the base's own element is the first that takes part, and what else came before the terms.
    fn started(&self, own: Option<Pointer>) -> (bool, Vec<Source>) {
        match &self.start {
            None => (false, Vec::new()),
            // A fresh sum of something begins with no element.
            Some(Provenance::Zero) => (own.is_some() || self.how != How::Sum || self.terms.is_empty(), Vec::new()),
            Some(Provenance::Element(pointer)) if Some(*pointer) == own => (true, Vec::new()),
            Some(Provenance::Made(before)) if before.how == self.how && self.how != How::Mean => {
                let (own, mut sources) = before.started(own);
                sources.extend(before.terms.iter().flat_map(|term| term.origin.sources(&term.by, term.used)));
                (own, sources)
            }
            Some(other) => (false, other.sources(&[], true).into_iter().filter(|source| source.used).collect()),
        }
    }

    /// What was made as something that meets others: one source, where it can be said in one.
    fn sources(&self, by: &[Pointer], used: bool) -> Vec<Source> {
        let unknown = || vec![Source { by: by.to_vec(), used, ..Source::default() }];
        let mut kept = self.terms.iter().filter(|term| term.used);
        match (self.how, &self.start, kept.next(), kept.next()) {
            (How::Fill, ..) => {
                let mut all = self.by.clone();
                with(&mut all, by);
                vec![Source { by: all, used, ..Source::default() }]
            }
            (How::Copy | How::Last | How::First, _, Some(term), None) => {
                let mut all = term.by.clone();
                with(&mut all, by);
                term.origin.sources(&all, used)
            }
            (How::Prod, Some(start), Some(Term { origin: Provenance::Number(factor), .. }), None) => {
                let mut sources = start.sources(by, used);
                sources.iter_mut().for_each(|source| source.times = factor.clone());
                sources
            }
            _ => unknown(),
        }
    }
}

/// The factors of a product that began with one; nothing for what is no product.
fn factors(origin: &Provenance) -> Option<Vec<Source>> {
    match origin {
        Provenance::Number(Some(number)) if number.parse() == Ok(1.0) => Some(Vec::new()),
        Provenance::Made(made) => match (made.how, &made.terms[..]) {
            (How::Copy, [term]) => factors(&term.origin),
            (How::Prod, terms) => {
                let mut all = made.start.as_ref().map_or(Some(Vec::new()), factors)?;
                for term in terms {
                    let inner = factors(&term.origin);
                    all.extend(inner.unwrap_or_else(|| term.origin.sources(&term.by, term.used)));
                }
                Some(all)
            }
            _ => None,
        },
        _ => None,
    }
}

/// A fill value of a dtype as text.
pub(crate) fn filler(bytes: &[u8], dtype: DType) -> Option<String> {
    let mut element = [0; 16];
    element.get_mut(..bytes.len())?.copy_from_slice(bytes);
    text::element(&element, dtype)
}

/// Adds what is not there yet.
pub(crate) fn with(all: &mut Vec<Pointer>, more: &[Pointer]) {
    for pointer in more {
        if !all.contains(pointer) {
            all.push(*pointer);
        }
    }
}
