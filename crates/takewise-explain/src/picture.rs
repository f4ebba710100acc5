//! From a call that is watched to an explanation of it.

use takewise::strategy::{Location, Note, watch};
use takewise::{AnyView, DType, Error};

use crate::data::{
    Axis, Bytes, Explanation, Failure, How, Kind, Memory, Operand, Outcome, Pointer, Role, Sample, VERSION,
};
use crate::failure;
use crate::history::{History, Known};
use crate::outcome::{self, Found, NamedResult};
use crate::text;
use crate::{axes, flow, left, masks, plans, searches};

/// An explanation in the making: operands are named, the call is watched, results are named.
///
/// Elements are followed by where they lie: memory of the operands must stay where it is until the results have been named.
///
/// ```
/// use takewise::{Rules, ops};
/// use takewise_explain::{Picture, data::Role};
/// let (x, i) = ([10i64, 20, 30], [2usize, 0]);
/// let mut picture = Picture::new("x[i]", "takewise", "take");
/// picture.operand("x", Role::Data, &(&x).into());
/// picture.operand("i", Role::Index, &(&i).into());
/// let taken = picture.watch(false, || ops::take(&x, &i, &Rules::NEUTRAL))?;
/// picture.result("result", &taken.read_any()?.view());
/// let explained = picture.finish();
/// let first = &explained.results[0].cells[0].sources[0];
/// assert_eq!((first.operand, first.at, first.by[0].at), (Some(0), 2, 0));
/// # Ok::<(), takewise::Error>(())
/// ```
pub struct Picture {
    made: Explanation,
    history: History,
    dry: bool,
    results: Vec<NamedResult>,
    /// Arrays that have a name, of which the call may have kept some.
    names: Vec<(String, Location)>,
    /// Axes that somebody knew more of.
    axes: Vec<(usize, Vec<Axis>)>,
    kind: Option<Kind>,
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
            history: History::default(),
            dry: false,
            results: Vec::new(),
            names: Vec::new(),
            axes: Vec::new(),
            kind: None,
        }
    }

    /// Names an array that goes in, and returns its number. Its values are those it has now.
    ///
    /// Arrays may share memory. Cost: one text for each element of at most [`MOST`](crate::data::MOST).
    pub fn operand(&mut self, name: &str, role: Role, array: &AnyView<'_>) -> usize {
        self.made.operands.push(Operand {
            name: name.to_owned(),
            role,
            shape: array.shape().to_vec(),
            dtype: array.dtype().name().to_owned(),
            strides: array.layout().strides().to_vec(),
            values: text::values(array),
        });
        let truths = masks::truths(array);
        self.history.operands.push(Known { location: Location::of(array), role, truths });
        self.made.operands.len() - 1
    }

    /// Says what an array is called, should a way back turn out to have kept it: then it becomes an operand of that name.
    ///
    /// What is kept and has no name is called `saved`.
    pub fn name(&mut self, name: &str, array: &AnyView<'_>) {
        self.names.push((name.to_owned(), Location::of(array)));
    }

    /// Makes the call and notes what it does on this thread. With `dry` nothing moves: results hold zeros, and their values
    /// are not shown.
    pub fn watch<R>(&mut self, dry: bool, call: impl FnOnce() -> R) -> R {
        let (result, watched) = watch(dry, call);
        self.history.append(watched);
        self.dry |= dry;
        result
    }

    /// Names an array that comes out. It may be an operand, which the call has written into, or a view of one.
    pub fn result(&mut self, name: &str, array: &AnyView<'_>) {
        let values = if self.dry { None } else { text::values(array) };
        self.results.push(NamedResult::new(name, array, values));
    }

    /// Says where the axes of a result come from, where that is known; else it is told by strides and elements.
    pub fn axes(&mut self, result: usize, axes: Vec<Axis>) {
        self.axes.push((result, axes));
    }

    /// Says what kind of call it is, where that is known: a gradient, or a write that may have had nothing to write.
    pub fn kind(&mut self, kind: Kind) {
        self.kind = Some(kind);
    }

    /// The facts of an error that the watched call ended with: the operand that holds the bad value, the position of the first
    /// one, its value, all bad positions as far as they are listed, and how many there are. The class is left to the caller,
    /// and the message is the error's own.
    ///
    /// ```
    /// use takewise::{Rules, ops};
    /// use takewise_explain::{Picture, data::Role};
    /// let (x, i) = ([10i64, 20, 30], [2i64, 7, -9]);
    /// let mut picture = Picture::new("x[i]", "takewise", "take");
    /// picture.operand("x", Role::Data, &(&x).into());
    /// picture.operand("i", Role::Index, &(&i).into());
    /// let error = picture.watch(false, || ops::take(&x, &i, &Rules::NEUTRAL)).unwrap_err();
    /// let failure = picture.failure(&error);
    /// assert_eq!((failure.operand, failure.at, &failure.bad[..]), (Some(1), Some(1), &[1, 2][..]));
    /// picture.failed(failure);
    /// assert!(picture.finish().error.is_some());
    /// ```
    pub fn failure(&self, error: &Error) -> Failure {
        failure::facts(&self.history, error)
    }

    /// Says that the call fails.
    pub fn failed(&mut self, failure: Failure) {
        self.made.error = Some(failure);
    }

    /// The explanation.
    ///
    /// Cost: in proportion to the elements that are listed, of which there are at most [`MOST`](crate::data::MOST) in a result.
    pub fn finish(mut self) -> Explanation {
        self.adopt();
        let history = &self.history;
        let found: Vec<Found> =
            self.results.iter().map(|result| outcome::found(history, result, self.kind, &self.made.operands)).collect();
        self.made.kind = self.kind.unwrap_or_else(|| plans::kind(history, &found));
        self.made.sample = sample(history, &self.results, &found);
        for (k, (named, found)) in self.results.iter().zip(found).enumerate() {
            let kind = found.kind;
            let told = self.axes.iter().rev().find(|(result, _)| *result == k).map(|(_, axes)| axes.clone());
            let mut outcome = Outcome {
                name: named.name.clone(),
                shape: named.location.layout.shape().to_vec(),
                dtype: named.location.dtype.name().to_owned(),
                strides: named.location.layout.strides().to_vec(),
                values: named.values.clone(),
                memory: found.memory,
                base: found.base,
                axes: Vec::new(),
                cells: found.cells,
            };
            outcome.axes =
                told.unwrap_or_else(|| axes::origins(history, &self.made.operands, &outcome, kind, &named.location));
            self.made.results.push(outcome);
        }
        lead(&mut self.made);
        self.made.left_out = left::out(history, &self.made);
        self.made.searches = searches::all(history, &mut self.made.operands);
        self.made.masks = masks::all(history);
        self.made.flows = flow::all(history, &self.made, &self.results);
        self.made.plans = plans::all(history);
        self.made.bytes = plans::bytes(history, &self.made.plans);
        self.made
    }

    /// Arrays that a way back has kept become operands.
    fn adopt(&mut self) {
        for k in 0..self.history.notes.len() {
            let Note::Saved { array, values } = &self.history.notes[k] else { continue };
            if self.history.holds(array) {
                continue;
            }
            let named = self.names.iter().find(|(_, known)| known.is(array));
            let name = named.map_or("saved", |(name, _)| name);
            let taken = |text: &str| self.made.operands.iter().any(|operand| operand.name == text);
            let numbered = (1..).map(|k| if k == 1 { name.to_owned() } else { format!("{name}{k}") });
            let name = numbered.into_iter().find(|text| !taken(text)).unwrap_or_default();
            let role = match array.dtype {
                DType::Bool => Role::Mask,
                dtype if dtype.is_integer() => Role::Index,
                _ => Role::Data,
            };
            let (shape, count) = (array.layout.shape().to_vec(), array.layout.numel());
            let texts: Option<Vec<String>> = values.iter().map(|bytes| text::element(bytes, array.dtype)).collect();
            let truths = (array.dtype.size() == 1).then(|| values.iter().map(|bytes| bytes[0] != 0).collect());
            self.made.operands.push(Operand {
                name,
                role,
                shape,
                dtype: array.dtype.name().to_owned(),
                strides: array.layout.strides().to_vec(),
                values: texts.filter(|texts| texts.len() == count),
            });
            self.history.operands.push(Known { location: array.clone(), role, truths });
        }
    }
}

/// An index without axes, which the engine takes as a number, leads to all that comes to a result.
fn lead(made: &mut Explanation) {
    // Where to cut is no place that is read.
    if made.error.is_some() || made.operation.contains("split") {
        return;
    }
    for (operand, _) in made.operands.iter().enumerate().filter(|(_, o)| o.role == Role::Index && o.shape.is_empty()) {
        let sources = || made.results.iter().flat_map(|r| &r.cells).flat_map(|cell| &cell.sources);
        if sources().any(|source| source.by.iter().any(|by| by.operand == operand)) {
            continue;
        }
        let cells = made.results.iter_mut().flat_map(|result| &mut result.cells);
        let moved = cells.filter(|cell| cell.how != How::Position).flat_map(|cell| &mut cell.sources);
        moved.filter(|source| source.operand != Some(operand)).for_each(|s| s.by.push(Pointer { operand, at: 0 }));
    }
}

/// How much is listed, where it is not all.
fn sample(history: &History, results: &[NamedResult], found: &[Found]) -> Option<Sample> {
    let moves = history.plans.iter().filter_map(|traced| Some((traced.moves.as_ref()?.len(), traced.total)));
    let partly = moves.filter(|(shown, of)| shown < of).max_by_key(|(_, of)| *of);
    let longest = results.iter().zip(found).filter(|(_, found)| found.sampled && found.memory != Memory::Fresh);
    let walked = results.iter().zip(found).filter(|(_, found)| found.sampled);
    let elements = longest.chain(walked).map(|(named, found)| (found.cells.len(), named.location.layout.numel()));
    let (shown, of) = partly.or_else(|| elements.max_by_key(|(_, of)| *of))?;
    Some(Sample { shown, of })
}
