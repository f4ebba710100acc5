//! Replaying an explanation by hand: a loop over its lists, and nothing of the engine.

use takewise::DType;
use takewise::index::rules::Width;
use takewise_explain::data::{Cell, Explanation, How, Outcome, Source};
use takewise_testkit::num::{Reduce, fold};
use takewise_testkit::{Arr, Elem, Num};

/// A text as the element of a dtype that it stands for.
pub(crate) fn parse(text: &str, dtype: DType) -> Num {
    let real = |text: &str| text.parse::<f64>().unwrap_or_else(|_| panic!("{text} is no number"));
    if let Some(parts) = text.strip_suffix('j') {
        // The sign between the parts, which is not that of an exponent.
        let sign =
            parts.char_indices().skip(1).filter(|(k, c)| "+-".contains(*c) && !parts[..*k].ends_with('e')).last();
        let at = sign.expect("two parts").0;
        return Num::Complex(real(&parts[..at]), real(&parts[at..])).as_dtype(dtype);
    }
    match text {
        "True" => Num::Int(1).as_dtype(dtype),
        "False" => Num::Int(0).as_dtype(dtype),
        _ => match text.parse::<i128>() {
            Ok(v) => Num::Int(v).as_dtype(dtype),
            Err(_) => Num::Float(real(text)).as_dtype(dtype),
        },
    }
}

/// Whether texts are the elements of an array.
pub(crate) fn told(values: &Option<Vec<String>>, array: &Arr) -> Result<(), String> {
    let Some(values) = values else {
        let record = matches!(array.dtype, DType::Opaque { .. }) || array.data.len() > takewise_explain::data::MOST;
        return if record { Ok(()) } else { Err("no values".into()) };
    };
    for (k, text) in values.iter().enumerate() {
        let (want, got) = (array.num_at(k), parse(text, array.dtype));
        let same = got.encode(array.dtype) == array.data[k] || got.is_nan() && want.is_nan();
        // A byte of a boolean array is true whatever it is.
        if !(same || array.dtype == DType::Bool && got.truth() == want.truth()) {
            return Err(format!("element {k} is {want:?}, not {text}"));
        }
    }
    Ok(())
}

/// The arrays that go in, in the order of an explanation's operands, and how wide halves are summed.
pub(crate) struct World<'a> {
    pub(crate) operands: Vec<&'a Arr>,
    pub(crate) width: Width,
}

impl World<'_> {
    fn element(&self, source: &Source, dtype: DType) -> Elem {
        let own = match (source.operand, &source.value) {
            (Some(operand), _) => {
                let array = self.operands[operand];
                let same = array.dtype == dtype || matches!(dtype, DType::Opaque { .. });
                if same { array.data[source.at] } else { array.num_at(source.at).as_dtype(dtype).encode(dtype) }
            }
            (None, Some(value)) => parse(value, dtype).encode(dtype),
            (None, None) => panic!("a source that nobody knows: {source:?}"),
        };
        match &source.times {
            Some(factor) => Num::decode(dtype, &own).times(parse(factor, dtype), dtype).encode(dtype),
            None => own,
        }
    }

    /// One element of a result, by what its cell says.
    pub(crate) fn cell(&self, outcome: &Outcome, cell: &Cell, dtype: DType) -> Elem {
        let used: Vec<&Source> = cell.sources.iter().filter(|source| source.used).collect();
        let reduce = match cell.how {
            How::Copy | How::Last | How::First => {
                assert_eq!(used.len(), 1, "{cell:?}");
                let kept = match cell.how {
                    How::Last => cell.sources.last(),
                    _ => cell.sources.first(),
                };
                assert!(kept.is_some_and(|source| source.used), "{cell:?}");
                return self.element(used[0], dtype);
            }
            How::Fill => {
                assert!(cell.sources.is_empty());
                let value = cell.value.as_ref();
                return value.map_or([0; 24], |value| parse(value, dtype).encode(dtype));
            }
            How::Sum => Reduce::Sum,
            How::Prod => Reduce::Prod,
            How::Mean => Reduce::Mean,
            How::Max => Reduce::Amax,
            How::Min => Reduce::Amin,
            other => panic!("{other:?}"),
        };
        let start = match (cell.with_self, outcome.base) {
            (false, _) => reduce.identity(dtype),
            (true, Some(base)) => self.operands[base].num_at(cell.at),
            (true, None) => Num::Int(0).as_dtype(dtype),
        };
        let terms: Vec<Num> = used.iter().map(|source| Num::decode(dtype, &self.element(source, dtype))).collect();
        fold(start, &terms, reduce, terms.len() + usize::from(cell.with_self), dtype, self.width).encode(dtype)
    }

    /// The whole result, element by element.
    pub(crate) fn replay(&self, explained: &Explanation, result: usize, dtype: DType) -> Arr {
        let outcome = &explained.results[result];
        let count: usize = outcome.shape.iter().product();
        let mut data: Vec<Option<Elem>> = match outcome.base {
            Some(base) => self.operands[base].data.iter().copied().map(Some).collect(),
            None => vec![None; count],
        };
        assert_eq!(data.len(), count, "a base has the result's shape");
        let mut before = None;
        for cell in &outcome.cells {
            assert!(before < Some(cell.at), "cells come in order");
            before = Some(cell.at);
            data[cell.at] = Some(self.cell(outcome, cell, dtype));
        }
        let data = data.into_iter().enumerate().map(|(at, e)| e.unwrap_or_else(|| panic!("nothing is said of {at}")));
        Arr::new(&outcome.shape, dtype, data.collect())
    }
}
