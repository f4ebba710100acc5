//! Explanations are true: a plain loop over the lists of one gives what the call gives, for random calls of every kind.
//! `TAKEWISE_CASES` sets how many; `TAKEWISE_SEED` runs one alone.

use crate::kit::{World, told};
use std::collections::BTreeSet;
use takewise::index::rules::{Outside, Rules};
use takewise::{DType, Error, Kind};
use takewise_explain::data::{Explanation, How, Memory, Role, Why};
use takewise_explain::{Picture, data};
use takewise_testkit::calls::{LARGE, SMALL, Size, call};
use takewise_testkit::oracle::{Place, place};
use takewise_testkit::rng::cases;
use takewise_testkit::verify::{in_parts, same};
use takewise_testkit::{Arr, Case, Op, Operand, Rng};

/// The explanation of a case, and what came of it.
fn explain(case: &mut Case, dry: bool) -> (Explanation, Result<Arr, Error>) {
    let mut picture = Picture::new("", "takewise", &format!("{:?}", case.op));
    let search = matches!(case.op, Op::Search { .. });
    picture.operand("x", if search { Role::Sequence } else { Role::Data }, &case.x.view());
    for index in &case.index {
        let view = index.view();
        let role = if view.dtype() == DType::Bool { Role::Mask } else { Role::Index };
        picture.operand("i", if search { Role::Sorter } else { role }, &view);
    }
    if let Some(value) = &case.value {
        picture.operand("v", Role::Values, &value.view());
    }
    let done = if case.writes() {
        picture.kind(data::Kind::Write);
        let done = picture.watch(dry, || case.write());
        done.map(|()| {
            picture.result("x", &case.x.view());
            case.x.now()
        })
    } else {
        picture.watch(dry, || case.read()).map(|made| {
            let open = made.read_any().unwrap();
            picture.result("result", &open.view());
            takewise_testkit::operand::arr_of(&open.view())
        })
    };
    if let Err(error) = &done {
        let failure = picture.failure(error);
        picture.failed(failure);
    }
    (picture.finish(), done)
}

fn arrays(case: &Case) -> Vec<&Arr> {
    let index = case.index.iter().map(Operand::value);
    [case.x.value()].into_iter().chain(index).chain(case.value.iter().map(Operand::value)).collect()
}

/// The axis along which a single index of values points, and its length.
fn pointed(case: &Case) -> Option<usize> {
    use Op::*;
    let shape = &case.x.value().shape;
    let extent = |dim: i64| {
        let rank = shape.len() as i64;
        shape.get(if dim < 0 { dim + rank } else { dim } as usize).copied().unwrap_or(1)
    };
    match case.op {
        Take | Put { .. } => Some(shape.iter().product()),
        Gather { dim } | TakeAlong { dim } | IndexSelect { dim } | Scatter { dim } | PutAlong { dim } => {
            Some(extent(dim))
        }
        ScatterReduce { dim, .. } | IndexCopy { dim } | IndexAdd { dim, .. } | IndexReduce { dim, .. } => {
            Some(extent(dim))
        }
        GatherAxis { axis, .. } => Some(extent(axis)),
        _ => None,
    }
}

/// Positions of an index's elements that mean such a place, the first of those that lie on one another.
fn meaning(index: &Operand, n: usize, rules: &Rules, what: Place) -> BTreeSet<usize> {
    let (shape, view) = (&index.value().shape, index.view());
    let own = |at: Vec<usize>| {
        let strides = view.layout().strides();
        at.iter().zip(strides).zip(shape).fold(0, |p, ((k, s), n)| p * n + if *s == 0 { 0 } else { *k })
    };
    let all = takewise_testkit::coords(shape).into_iter().enumerate();
    let bad = all.filter(|(k, _)| place(index.value().int_at(*k), n, rules) == what);
    bad.map(|(_, at)| own(at)).collect()
}

/// Holds what is left out against the rule.
fn check_left_out(case: &Case, explained: &Explanation) {
    let outside: Vec<_> = explained.left_out.iter().filter(|left| left.why == Why::Outside).collect();
    let rule = matches!(case.rules.outside, Outside::Fill | Outside::Drop);
    assert!(outside.is_empty() || rule, "nothing is left out under {:?}", case.rules.outside);
    for left in &outside {
        // Integers of a subscript, and arrays without axes that stand for one, are no elements that lead anywhere.
        assert!(!left.source.used && (!left.source.by.is_empty() || !case.subs.is_empty()));
    }
    let Some(n) = pointed(case).filter(|_| rule) else { return };
    let lanes = explained.plans.last().is_some_and(|plan| plan.written > 0 || !outside.is_empty());
    let want = meaning(&case.index[0], n, &case.rules, Place::Nowhere);
    let got: BTreeSet<usize> = outside.iter().flat_map(|left| &left.source.by).map(|by| by.at).collect();
    assert!(explained.sample.is_some() || !lanes || got == want, "left out {got:?}, the rule says {want:?}");
    if let (Some(result), false) = (explained.results.first(), case.writes()) {
        let by = |cell: &data::Cell| if cell.how == How::Fill { cell.by.clone() } else { Vec::new() };
        let filled: BTreeSet<usize> = result.cells.iter().flat_map(by).map(|by| by.at).collect();
        assert!(explained.sample.is_some() || filled == got, "filled {filled:?}, left out {got:?}");
    }
}

/// Two elements of the index that name one place are told, where the index is plain to see.
fn check_duplicate(case: &Case, explained: &Explanation) {
    let Some(n) = pointed(case).filter(|_| case.index[0].value().data.len() < 100) else { return };
    if case.index[0].view().layout().strides().contains(&0) {
        return;
    }
    let failure = explained.error.as_ref().unwrap();
    assert_eq!((failure.operand, failure.bad.len(), failure.at), (Some(1), 2, failure.bad.get(1).copied()));
    let means = |k: usize| place(case.index[0].value().int_at(k), n, &case.rules);
    assert_eq!(means(failure.bad[0]), means(failure.bad[1]));
}

/// Holds the bad positions of an error against a plain look.
fn check_bad(case: &Case, explained: &Explanation, error: &Error) {
    if error.kind() == Kind::Duplicate {
        check_duplicate(case, explained);
    }
    if error.kind() != Kind::OutOfRange || error.position().is_none() {
        return;
    }
    let failure = explained.error.as_ref().unwrap();
    assert_eq!(failure.value.as_deref(), Some(&*error.value().unwrap().to_string()));
    assert_eq!((failure.axis, failure.size, failure.count), (error.axis(), error.len(), Some(error.bad())));
    let operand = failure.operand.expect("an operand holds the bad value");
    let index = &case.index[operand - 1];
    let mut want = meaning(index, error.len().unwrap(), &case.rules, Place::Bad);
    let batch = match case.op {
        Op::GatherNd { batch } => Some(batch),
        Op::ScatterNd { .. } => Some(0),
        _ => None,
    };
    let apart = index.view().layout().strides().last() != Some(&0);
    if let Some(batch) = batch.filter(|_| apart) {
        let depth = index.value().shape.last().copied().unwrap_or(1);
        want.retain(|at| at % depth == error.axis().unwrap() - batch);
    }
    let got: BTreeSet<usize> = failure.bad.iter().copied().collect();
    let listed = if error.bad() > data::MOST { got.is_subset(&want) } else { got == want };
    assert!(listed, "bad positions {got:?}, a plain look finds {want:?}");
    assert_eq!(failure.at, failure.bad.first().copied());
    assert!(want.contains(&failure.at.unwrap()));
}

fn check_positions(case: &Case, explained: &Explanation, result: &Arr) {
    let cells = &explained.results[0].cells;
    assert_eq!(cells.len(), result.data.len());
    if let Op::Search { .. } = case.op {
        let found: Vec<i128> = explained.searches.iter().map(|s| s.found as i128).collect();
        assert_eq!(found, (0..result.data.len()).map(|k| result.int_at(k)).collect::<Vec<_>>());
        return;
    }
    let (shape, rank) = (&case.x.value().shape, case.x.value().shape.len());
    for cell in cells {
        assert_eq!(cell.how, How::Position);
        let at = takewise::layout::unravel(cell.sources[0].at, shape);
        let (row, axis) = (cell.at / rank, cell.at % rank);
        let truth = case.x.value().truth(cell.sources[0].at);
        // Of elements that lie on one another the first is named.
        let step = case.x.view().layout().strides()[axis];
        assert!(truth && (step == 0 || at[axis] as i128 == result.int_at(row * rank + axis)), "{cell:?}");
    }
}

/// Everything that can be said of a case is true.
fn check(case: &Case, dry: bool) -> bool {
    let mut mine = case.clone();
    let (explained, done) = explain(&mut mine, dry);
    let operands = arrays(case);
    for (operand, array) in explained.operands.iter().zip(&operands) {
        told(&operand.values, array).unwrap();
        assert_eq!(operand.shape, array.shape);
    }
    let text = serde_json::to_string(&explained).unwrap();
    assert_eq!(serde_json::from_str::<Explanation>(&text).unwrap(), explained, "JSON holds all of it");
    let done = match done {
        Ok(done) => done,
        Err(error) => {
            check_bad(case, &explained, &error);
            return false;
        }
    };
    check_left_out(case, &explained);
    let want = if dry { case.clone().run().unwrap() } else { done };
    let result = &explained.results[0];
    if case.writes() && !want.data.is_empty() {
        assert_eq!((result.memory, result.base), (Memory::InPlace { operand: 0 }, Some(0)));
    }
    if !dry {
        told(&result.values, &want).unwrap();
    }
    if explained.sample.is_some() || want.data.is_empty() {
        return true;
    }
    if matches!(case.op, Op::Nonzero | Op::Search { .. }) {
        check_positions(case, &explained, &want);
        return true;
    }
    let world = World { operands, width: case.rules.accumulate };
    let got = world.replay(&explained, 0, want.dtype);
    assert!(same(&want, &got, case.computes()), "the call gives {want:?}\nits explanation {got:?}");
    true
}

fn run(size: Size, default: u64, base: u64, threads: usize) {
    let alone = std::env::var("TAKEWISE_SEED").ok().and_then(|s| s.parse::<u64>().ok());
    let (first, count) = alone.map_or((base, cases(default)), |s| (s, 1));
    for seed in first..first + count {
        let mut rng = Rng::new(seed);
        let case = call(&mut rng, size);
        let one = |dry| in_parts(threads, || check(&case, dry));
        let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| (one(false), one(true))));
        if done.is_err() {
            panic!("TAKEWISE_SEED={seed}: {case:?}");
        }
    }
}

#[test]
fn small_calls_replay() {
    run(SMALL, 8_000, 11 << 32, 1);
}

#[test]
fn calls_in_many_parts_replay() {
    run(SMALL, 1_000, 12 << 32, 7);
}

#[test]
fn large_calls_replay_or_say_that_they_are_samples() {
    run(LARGE, 60, 13 << 32, 2);
}

/// Dry and real runs say the same, but for what only a real one has.
#[test]
fn dry_runs_say_the_same() {
    for seed in 0..1_000 {
        let case = call(&mut Rng::new(seed), SMALL);
        let [(mut real, done), (mut dry, _)] = [false, true].map(|dry| explain(&mut case.clone(), dry));
        for e in [&mut real, &mut dry] {
            e.results.iter_mut().for_each(|result| result.values = None);
            // Strategies within others are known where they run; plans of records are the same.
            e.plans.iter_mut().for_each(|plan| plan.strategies.truncate(1));
        }
        assert_eq!(real, dry, "seed {seed}: {case:?} {done:?}");
    }
}
