//! Explanations written by hand, so that drawings are tested on data whose every element is known.

use takewise_explain::data::*;
use takewise_explain::{Comparison, Explanation};

/// All of them by name, which is also that of their stored drawings.
pub(crate) fn all() -> Vec<(&'static str, Explanation)> {
    vec![
        ("gather", gather()),
        ("subscript", subscript()),
        ("scatter_add", scatter_add()),
        ("index_put", index_put()),
        ("mask", mask()),
        ("fill", bounds("fill")),
        ("clip", bounds("clip")),
        ("drop", dropped()),
        ("error", error()),
        ("searchsorted", searchsorted()),
        ("sort", sort()),
        ("nonzero", nonzero()),
        ("view", view()),
        ("cube", cube()),
        ("sample", sample()),
        ("gradient", gradient()),
        ("value", value()),
    ]
}

/// An explanation with nothing in it yet.
pub(crate) fn blank(expression: &str, operation: &str, kind: Kind) -> Explanation {
    Explanation {
        version: VERSION,
        expression: expression.into(),
        dialect: "torch".into(),
        operation: operation.into(),
        kind,
        operands: vec![],
        results: vec![],
        left_out: vec![],
        searches: vec![],
        masks: vec![],
        flows: vec![],
        plans: vec![],
        bytes: Bytes { read: 48, written: 24, requests: None },
        error: None,
        sample: None,
    }
}

fn strides(shape: &[usize]) -> Vec<isize> {
    (0..shape.len()).map(|axis| 8 * shape[axis + 1..].iter().product::<usize>() as isize).collect()
}

fn texts(values: &str) -> Option<Vec<String>> {
    Some(values.split_whitespace().map(str::to_owned).collect())
}

pub(crate) fn operand(name: &str, role: Role, shape: &[usize], dtype: &str, values: &str) -> Operand {
    Operand {
        name: name.into(),
        role,
        shape: shape.into(),
        dtype: dtype.into(),
        strides: strides(shape),
        values: texts(values),
    }
}

pub(crate) fn outcome(shape: &[usize], dtype: &str, values: &str, axes: Vec<Origin>, cells: Vec<Cell>) -> Outcome {
    Outcome {
        name: "result".into(),
        shape: shape.into(),
        dtype: dtype.into(),
        strides: strides(shape),
        values: texts(values),
        memory: Memory::Fresh,
        base: None,
        axes: axes.into_iter().zip(shape).map(|(from, extent)| Axis { extent: *extent, from }).collect(),
        cells,
    }
}

/// An element of operand 0, chosen by elements of others.
pub(crate) fn from(at: usize, by: &[(usize, usize)]) -> Source {
    let by = by.iter().map(|(operand, at)| Pointer { operand: *operand, at: *at }).collect();
    Source { operand: Some(0), at, by, used: true, value: None, times: None, factors: Vec::new() }
}

pub(crate) fn cell(at: usize, how: How, sources: Vec<Source>) -> Cell {
    Cell { at, how, with_self: false, sources, by: vec![], value: None }
}

fn walked(operand: usize, axis: usize) -> Origin {
    Origin::Axis { operand, axis, step: 1 }
}

fn chosen(operand: usize, axis: usize, along: usize) -> Origin {
    Origin::Index { operands: vec![operand], axis, along: vec![along] }
}

fn planned(verb: &str, text: &str, strategy: &str, reason: &str) -> Planned {
    Planned {
        verb: verb.into(),
        text: text.into(),
        strategies: vec![Named { name: strategy.into(), reason: reason.into() }],
        promise: "every index value is checked before anything is written".into(),
        read: 48,
        written: 24,
    }
}

/// The example of a library's page.
pub(crate) fn gather() -> Explanation {
    let mut e = blank("torch.gather(x, 1, index)", "gather", Kind::Read);
    e.operands = vec![
        operand("x", Role::Data, &[2, 3], "float32", "-0.1 0.3 3.6 0.4 0.5 -3.2"),
        operand("index", Role::Index, &[2, 2], "int64", "0 0 1 1"),
    ];
    let cells = [0, 0, 4, 4].iter().enumerate().map(|(k, at)| cell(k, How::Copy, vec![from(*at, &[(1, k)])]));
    let axes = vec![walked(0, 0), chosen(1, 1, 1)];
    e.results = vec![outcome(&[2, 2], "float32", "-0.1 -0.1 0.5 0.5", axes, cells.collect())];
    e.plans = vec![planned(
        "read",
        "loops  i0 < 2, i1 < 2\n  x + 12 i0 + 4 index[i0, i1]",
        "few",
        "4 positions are at most 32",
    )];
    e
}

pub(crate) fn subscript() -> Explanation {
    let mut e = blank("x[0, :, i]", "index", Kind::Read);
    e.operands = vec![
        operand("x", Role::Data, &[2, 3, 4], "int64", "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23"),
        operand("i", Role::Index, &[2], "int64", "3 -4"),
    ];
    let held = [3, 0];
    let cells = (0..6).map(|k| cell(k, How::Copy, vec![from(4 * (k / 2) + held[k % 2], &[(1, k % 2)])]));
    e.results = vec![outcome(&[3, 2], "int64", "3 0 7 4 11 8", vec![walked(0, 1), chosen(1, 0, 2)], cells.collect())];
    e
}

/// A destination, an index and values, `i` naming where each value goes.
fn write(
    call: &str,
    name: &str,
    dest: &str,
    index: &[i64],
    values: &str,
    after: &str,
    cells: Vec<Cell>,
) -> Explanation {
    let mut e = blank(call, name, Kind::Write);
    let n = dest.split_whitespace().count();
    let held: Vec<String> = index.iter().map(i64::to_string).collect();
    e.operands = vec![
        operand("x", Role::Data, &[n], "float32", dest),
        operand("index", Role::Index, &[index.len()], "int64", &held.join(" ")),
        operand("src", Role::Values, &[index.len()], "float32", values),
    ];
    e.results = vec![outcome(&[n], "float32", after, vec![walked(0, 0)], cells)];
    e.results[0].base = Some(0);
    e.results[0].memory = Memory::InPlace { operand: 0 };
    e
}

fn value_of(at: usize, used: bool) -> Source {
    Source { by: vec![Pointer { operand: 1, at }], used, operand: Some(2), ..from(at, &[]) }
}

pub(crate) fn scatter_add() -> Explanation {
    let values = |sources: &[usize]| sources.iter().map(|k| value_of(*k, true)).collect();
    let sum = |at, sources: &[usize]| Cell { with_self: true, ..cell(at, How::Sum, values(sources)) };
    let cells = vec![sum(0, &[0, 1, 3]), sum(2, &[2, 4])];
    write(
        "x.scatter_add_(0, index, src)",
        "scatter_add_",
        "0 10 20 30",
        &[0, 0, 2, 0, 2],
        "1 2 3 -4 5",
        "-1 10 28 30",
        cells,
    )
}

pub(crate) fn index_put() -> Explanation {
    let cells = vec![
        cell(0, How::Last, vec![value_of(2, true)]),
        cell(1, How::Last, vec![value_of(0, false), value_of(1, false), value_of(3, true)]),
    ];
    let mut e = write("x[index] = src", "setitem", "0 0 0", &[1, 1, 0, 1], "5 6 7 8", "7 8 0", cells);
    e.plans = vec![planned("write", "x[index] <- src", "few", "4 positions are at most 32")];
    e
}

pub(crate) fn mask() -> Explanation {
    let mut e = blank("x[x > 2]", "index", Kind::Read);
    e.operands = vec![
        operand("x", Role::Data, &[2, 3], "int64", "1 2 3 4 5 0"),
        operand("x > 2", Role::Mask, &[2, 3], "bool", "False False True True True False"),
    ];
    let cells = [2, 3, 4].iter().enumerate().map(|(k, at)| cell(k, How::Copy, vec![from(*at, &[(1, *at)])]));
    let axes = vec![Origin::Mask { operand: 1, along: vec![0, 1] }];
    e.results = vec![outcome(&[3], "int64", "3 4 5", axes, cells.collect())];
    e.masks = vec![Counted { operand: 1, count: 3, places: vec![2, 3, 4] }];
    e
}

/// `take` where the last position lies outside: filled, or clipped to the end.
pub(crate) fn bounds(rule: &str) -> Explanation {
    let mut e = blank(&format!("takewise.take(x, index, bounds=\"{rule}\")"), "take", Kind::Read);
    e.dialect = "takewise".into();
    e.operands = vec![
        operand("x", Role::Data, &[3], "int64", "10 20 30"),
        operand("index", Role::Index, &[3], "int64", "2 0 7"),
    ];
    let (last, shown) = match rule {
        "fill" => {
            let by = vec![Pointer { operand: 1, at: 2 }];
            (Cell { by, value: Some("-1".into()), ..cell(2, How::Fill, vec![]) }, "30 10 -1")
        }
        _ => (cell(2, How::Copy, vec![from(2, &[(1, 2)])]), "30 10 30"),
    };
    let cells = vec![cell(0, How::Copy, vec![from(2, &[(1, 0)])]), cell(1, How::Copy, vec![from(0, &[(1, 1)])]), last];
    e.results = vec![outcome(&[3], "int64", shown, vec![chosen(1, 0, 0)], cells)];
    e
}

/// The same call where the position is refused.
pub(crate) fn refused() -> Explanation {
    let mut e = bounds("error");
    e.results.clear();
    e.error = Some(Failure {
        class: "IndexError".into(),
        message: "index 7 is out of bounds for axis 0 with size 3".into(),
        operand: Some(1),
        at: Some(2),
        value: Some("7".into()),
        axis: Some(0),
        size: Some(3),
        bad: vec![2],
        count: Some(1),
        span: None,
    });
    e
}

pub(crate) fn dropped() -> Explanation {
    let cells = vec![cell(2, How::Last, vec![value_of(0, true)])];
    let mut e = write("x.at[index].set(src, mode=\"drop\")", "set", "0 0 0", &[2, 9], "5 6", "0 0 5", cells);
    e.dialect = "jax".into();
    e.results[0].memory = Memory::Fresh;
    e.left_out = vec![LeftOut { source: value_of(1, false), why: Why::Outside }];
    e
}

pub(crate) fn error() -> Explanation {
    let mut e = blank("torch.gather(x, 1, index)", "gather", Kind::Read);
    e.operands = vec![
        operand("x", Role::Data, &[2, 3], "float32", "-0.1 0.3 3.6 0.4 0.5 -3.2"),
        operand("index", Role::Index, &[2, 2], "int64", "0 9 1 -7"),
    ];
    e.error = Some(Failure {
        class: "RuntimeError".into(),
        message: "index 9 is out of bounds for dimension 1 with size 3\nat position [0, 1] of the index".into(),
        operand: Some(1),
        at: Some(1),
        value: Some("9".into()),
        axis: Some(1),
        size: Some(3),
        bad: vec![1, 3],
        count: Some(2),
        span: Some([19, 24]),
    });
    e
}

pub(crate) fn searchsorted() -> Explanation {
    let mut e = blank("torch.searchsorted(sequence, values)", "searchsorted", Kind::Search);
    e.operands = vec![
        operand("sequence", Role::Sequence, &[5], "int64", "1 3 5 7 9"),
        operand("values", Role::Values, &[3], "int64", "3 6 12"),
    ];
    let compared =
        [vec![(2, false), (1, false), (0, true)], vec![(2, true), (4, false), (3, false)], vec![(2, true), (4, true)]];
    let searches = [1, 3, 5].iter().zip(compared).enumerate().map(|(k, (found, compared))| Searched {
        value: Pointer { operand: 1, at: k },
        sequence: 0,
        row: 0,
        length: 5,
        step: 1,
        sorter: None,
        found: *found,
        right: false,
        compared: compared.into_iter().map(|(at, after)| Compared { at, element: Some(at), after }).collect(),
    });
    e.searches = searches.collect();
    let cells = (0..3).map(|k| cell(k, How::Position, vec![Source { operand: Some(1), ..from(k, &[]) }]));
    e.results = vec![outcome(&[3], "int64", "1 3 5", vec![walked(1, 0)], cells.collect())];
    e
}

/// Two results.
pub(crate) fn sort() -> Explanation {
    let mut e = blank("torch.sort(x)", "sort", Kind::Sort);
    e.operands = vec![operand("x", Role::Data, &[4], "float32", "3.5 -1 2 nan")];
    let order = [1, 2, 0, 3];
    let cells = |how| order.iter().enumerate().map(|(k, at)| cell(k, how, vec![from(*at, &[])])).collect();
    e.results = vec![
        outcome(&[4], "float32", "-1 2 3.5 nan", vec![walked(0, 0)], cells(How::Copy)),
        outcome(&[4], "int64", "1 2 0 3", vec![walked(0, 0)], cells(How::Position)),
    ];
    e.results[0].name = "values".into();
    e.results[1].name = "indices".into();
    e
}

pub(crate) fn nonzero() -> Explanation {
    let mut e = blank("torch.nonzero(x)", "nonzero", Kind::Count);
    e.operands = vec![operand("x", Role::Data, &[2, 3], "int64", "0 5 0 7 0 8")];
    e.masks = vec![Counted { operand: 0, count: 3, places: vec![1, 3, 5] }];
    let cells = (0..6).map(|k| cell(k, How::Position, vec![from([1, 3, 5][k / 2], &[])]));
    let axes = vec![Origin::Mask { operand: 0, along: vec![0, 1] }, Origin::Coordinates];
    e.results = vec![outcome(&[3, 2], "int64", "0 1 1 0 1 2", axes, cells.collect())];
    e
}

pub(crate) fn view() -> Explanation {
    let mut e = blank("x[:, ::2]", "index", Kind::View);
    e.operands = vec![operand("x", Role::Data, &[2, 4], "int64", "0 1 2 3 4 5 6 7")];
    let cells = [0, 2, 4, 6].iter().enumerate().map(|(k, at)| cell(k, How::Copy, vec![from(*at, &[])]));
    let axes = vec![walked(0, 0), Origin::Axis { operand: 0, axis: 1, step: 2 }];
    e.results = vec![outcome(&[2, 2], "int64", "0 2 4 6", axes, cells.collect())];
    e.results[0].memory = Memory::View { operand: 0 };
    e.results[0].strides = vec![32, 16];
    e.bytes = Bytes::default();
    e
}

/// A result of three axes.
pub(crate) fn cube() -> Explanation {
    let mut e = blank("x[i]", "index", Kind::Read);
    e.operands = vec![
        operand("x", Role::Data, &[3, 2, 2], "int64", "0 1 2 3 4 5 6 7 8 9 10 11"),
        operand("i", Role::Index, &[3], "int64", "2 0 2"),
    ];
    let cells = (0..12).map(|k| cell(k, How::Copy, vec![from([8, 0, 8][k / 4] + k % 4, &[(1, k / 4)])]));
    let axes = vec![chosen(1, 0, 0), walked(0, 1), walked(0, 2)];
    e.results = vec![outcome(&[3, 2, 2], "int64", "8 9 10 11 0 1 2 3 8 9 10 11", axes, cells.collect())];
    e
}

/// A call too large to show: no values, a few of its elements.
pub(crate) fn sample() -> Explanation {
    let mut e = blank("torch.nn.functional.embedding(ids, weight)", "embedding", Kind::Read);
    e.operands = vec![
        operand("weight", Role::Data, &[50_000, 768], "float16", ""),
        operand("ids", Role::Index, &[8, 512], "int64", ""),
    ];
    e.operands.iter_mut().for_each(|operand| operand.values = None);
    let cells = (0..40).map(|k| {
        cell(k * 78_643, How::Copy, vec![from((k * 977) * 768 + (k * 78_643) % 768, &[(1, k * 78_643 / 768)])])
    });
    let axes = vec![chosen(1, 0, 0), chosen(1, 1, 0), walked(0, 1)];
    e.results = vec![outcome(&[8, 512, 768], "float16", "", axes, cells.collect())];
    e.results[0].values = None;
    e.sample = Some(Sample { shown: 40, of: 3_145_728 });
    e.bytes = Bytes { read: 6_324_224, written: 6_291_456, requests: Some(3) };
    e
}

pub(crate) fn gradient() -> Explanation {
    let mut e = blank("x[i].sum().backward()", "backward", Kind::Gradient);
    e.operands =
        vec![operand("x", Role::Data, &[3], "float32", "1 2 3"), operand("i", Role::Index, &[3], "int64", "2 0 2")];
    let cells = [2, 0, 2].iter().enumerate().map(|(k, at)| cell(k, How::Copy, vec![from(*at, &[(1, k)])]));
    e.results = vec![outcome(&[3], "float32", "3 1 3", vec![chosen(1, 0, 0)], cells.collect())];
    let to = |at, from: &[usize]| FlowTo {
        at,
        from: from.iter().map(|at| Pointer { operand: 0, at: *at }).collect(),
        times: vec![],
    };
    e.flows = vec![Flow { operand: 0, to: vec![to(0, &[1]), to(2, &[0, 2])] }];
    e
}

/// Nothing is indexed, and the result has no axes.
pub(crate) fn value() -> Explanation {
    let mut e = blank("x.sum()", "sum", Kind::Value);
    e.operands = vec![operand("x", Role::Data, &[0, 3], "float32", "")];
    e.results = vec![outcome(&[], "float32", "0", vec![], vec![])];
    e
}

/// A call whose every name is hostile.
pub(crate) fn hostile() -> Explanation {
    let bad = "</script><script>alert(1)</script>\"'&]]>\u{1b}[2J\u{202e}\u{0}\u{200f}";
    let mut e = error();
    e.expression = bad.into();
    e.dialect = bad.into();
    e.operation = bad.into();
    for operand in &mut e.operands {
        operand.name = bad.into();
        operand.dtype = bad.into();
        operand.values.iter_mut().flatten().for_each(|value| *value = bad.into());
    }
    e.results = gather().results;
    e.results[0].name = bad.into();
    e.results[0].dtype = bad.into();
    e.results[0].values.iter_mut().flatten().for_each(|value| *value = bad.into());
    let failure = e.error.as_mut().unwrap();
    (failure.class, failure.message, failure.value) = (bad.into(), bad.into(), Some(bad.into()));
    e.plans = vec![planned(bad, bad, bad, bad)];
    e
}

/// One call under the rules for positions out of range, and one under two libraries' rules.
pub(crate) fn comparisons() -> Vec<(&'static str, Comparison)> {
    let rules = vec![
        ("error".into(), refused()),
        ("clip".into(), bounds("clip")),
        ("fill".into(), bounds("fill")),
        ("raise".into(), refused()),
    ];
    let mut numpy = subscript();
    numpy.dialect = "numpy".into();
    numpy.results[0] = outcome(&[2, 3], "int64", "3 7 11 0 4 8", vec![chosen(1, 0, 2), walked(0, 1)], vec![]);
    vec![
        ("rules", Comparison::of("takewise.take(x, index)", rules)),
        ("dialects", Comparison::of("x[0, :, i]", vec![("torch".into(), subscript()), ("numpy".into(), numpy)])),
    ]
}
