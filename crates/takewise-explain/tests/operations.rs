//! Every public function of `takewise::ops` has an explanation, and replaying it gives what the function gives. The list of
//! functions is the one of docs/api.txt, so a new one without a line here fails.

use crate::kit::{World, told};
use std::collections::BTreeSet;
use takewise::index::rules::{Outside, Width};
use takewise::ops::compare::{CompareRules, Relation, compare, compare_scalar, logical_not};
use takewise::ops::{Prepared, PreparedSearch, Search};
use takewise::{AnyView, AnyViewMut, DType, Index, Reduce, Result, Rules, Scalar, Slice, Tensor, ops};
use takewise_explain::Picture;
use takewise_explain::data::{self, Explanation, How, Kind, Role};
use takewise_testkit::operand::arr_of;
use takewise_testkit::verify::same;
use takewise_testkit::{Arr, Operand, Twist};

const R: Rules = Rules::NEUTRAL;

/// What functions are called with. Elements lie apart and in another order than they are counted.
struct Given {
    /// float32 (3, 4).
    x: Operand,
    /// int64 (3), along the first axis; one value twice.
    i: Operand,
    /// int32 (3, 4), along the first axis.
    along: Operand,
    /// int64 (4), flat positions; one value twice.
    flat: Operand,
    /// int64 (3, 2), tuples.
    tuples: Operand,
    /// bool (3, 4).
    mask: Operand,
    /// float32 (3, 4).
    v: Operand,
    /// float32 (4).
    row: Operand,
    /// float64 (4), as another dtype.
    wide: Operand,
    /// int64 (5), rising.
    sorted: Operand,
    /// int64 (5), falling.
    falling: Operand,
    /// int64 (2, 3), searched for.
    wanted: Operand,
}

impl Given {
    fn new() -> Given {
        let twist = |rank: usize| Twist { order: (0..rank).rev().collect(), gap: 3, lead: 1, ..Twist::default() };
        let of =
            |shape: &[usize], dtype, values: &[f64]| Operand::new(&Arr::of(shape, dtype, values), &twist(shape.len()));
        let ints = |shape: &[usize], dtype, values: &[i64]| {
            Operand::new(&Arr::ints(shape, dtype, values), &twist(shape.len()))
        };
        let x: Vec<f64> = (0..12).map(|k| f64::from(k * 7 % 12) + 0.5).collect();
        let v: Vec<f64> = (0..12).map(|k| 100.0 + f64::from(k)).collect();
        let truth = [true, false, true, true, false, false, true, false, false, true, false, true];
        Given {
            x: of(&[3, 4], DType::F32, &x),
            i: ints(&[3], DType::I64, &[2, 0, 2]),
            along: ints(&[3, 4], DType::I32, &[2, 0, 1, 1, 2, 0, 0, 1, 0, 2, 1, 2]),
            flat: ints(&[4], DType::I64, &[11, 3, 0, 3]),
            tuples: ints(&[3, 2], DType::I64, &[2, 1, 0, 3, 2, 1]),
            mask: Operand::new(&Arr::mask(&[3, 4], &truth), &twist(2)),
            v: of(&[3, 4], DType::F32, &v),
            row: of(&[4], DType::F32, &[1.0, 2.0, 3.0, 4.0]),
            wide: of(&[4], DType::F64, &[1.25, 2.25, 3.25, 4.25]),
            sorted: ints(&[5], DType::I64, &[1, 3, 3, 7, 9]),
            falling: ints(&[5], DType::I64, &[9, 7, 3, 3, 1]),
            wanted: ints(&[2, 3], DType::I64, &[3, 0, 10, 8, 9, 4]),
        }
    }

    fn all(&self) -> [(&'static str, Role, &Operand); 12] {
        [
            ("x", Role::Data, &self.x),
            ("i", Role::Index, &self.i),
            ("along", Role::Index, &self.along),
            ("flat", Role::Index, &self.flat),
            ("tuples", Role::Index, &self.tuples),
            ("mask", Role::Mask, &self.mask),
            ("v", Role::Values, &self.v),
            ("row", Role::Values, &self.row),
            ("wide", Role::Values, &self.wide),
            ("sorted", Role::Sequence, &self.sorted),
            ("falling", Role::Sequence, &self.falling),
            ("wanted", Role::Values, &self.wanted),
        ]
    }

    fn picture(&self) -> Picture {
        let mut picture = Picture::new("", "takewise", "");
        self.all().iter().for_each(|(name, role, operand)| {
            picture.operand(name, *role, &operand.view());
        });
        picture
    }

    fn world(&self) -> World<'_> {
        World { operands: self.all().iter().map(|(_, _, operand)| operand.value()).collect(), width: Width::Wide }
    }
}

fn told_by(picture: Picture, results: &[Arr], given: &Given) -> Explanation {
    let explained = picture.finish();
    for (outcome, result) in explained.results.iter().zip(results) {
        told(&outcome.values, result).unwrap();
    }
    for (operand, (name, _, own)) in explained.operands.iter().zip(given.all()) {
        assert_eq!(operand.name, name);
        told(&operand.values, own.value()).unwrap();
    }
    explained
}

/// The explanation of a function that makes tensors.
fn explain(given: &Given, call: &dyn Fn(&Given) -> Result<Vec<Tensor>>) -> (Explanation, Vec<Arr>) {
    let mut picture = given.picture();
    let made = picture.watch(false, || call(given)).unwrap();
    let open: Vec<_> = made.iter().map(|made| made.read_any().unwrap()).collect();
    open.iter().for_each(|open| picture.result("result", &open.view()));
    let results: Vec<Arr> = open.iter().map(|open| arr_of(&open.view())).collect();
    (told_by(picture, &results, given), results)
}

/// [`explain`], for a function that writes into `x`, or fills memory of the caller's.
fn explain_into(
    given: &Given,
    shape: Option<(&[usize], DType)>,
    call: &dyn Fn(&Given, &mut AnyViewMut<'_>) -> Result<()>,
) -> (Explanation, Vec<Arr>) {
    let mut picture = given.picture();
    // The destination is the operand itself, or something beside them.
    match shape {
        Some((shape, dtype)) => {
            let mut out = Operand::new(&Arr::zeros(shape, dtype), &Twist { gap: 5, ..Twist::default() });
            picture.watch(false, || call(given, &mut out.view_mut())).unwrap();
            picture.result("out", &out.view());
            let results = [out.now()];
            (told_by(picture, &results, given), results.into())
        }
        None => {
            let view = given.x.view();
            // SAFETY: nothing else reads `x` while it is written into.
            let mut x = unsafe { AnyViewMut::from_raw(view.as_ptr().cast_mut(), view.dtype(), view.layout().clone()) };
            picture.watch(false, || call(given, &mut x)).unwrap();
            picture.result("x", &given.x.view());
            let results = [given.x.now()];
            (told_by(picture, &results, given), results.into())
        }
    }
}

fn replays(given: &Given, (explained, results): (Explanation, Vec<Arr>), kind: Kind) -> Explanation {
    assert_eq!(explained.kind, kind);
    for (k, result) in results.iter().enumerate() {
        let got = given.world().replay(&explained, k, result.dtype);
        assert!(same(result, &got, false), "the call gives {result:?}\nits explanation {got:?}");
    }
    let json = serde_json::to_string(&explained).unwrap();
    assert_eq!(serde_json::from_str::<Explanation>(&json).unwrap(), explained);
    explained
}

fn reads(call: impl Fn(&Given) -> Result<Tensor>) {
    let given = Given::new();
    replays(&given, explain(&given, &|g| Ok(vec![call(g)?])), Kind::Read);
}

fn writes(call: impl Fn(&Given) -> Result<Tensor>) {
    let given = Given::new();
    let explained = replays(&given, explain(&given, &|g| Ok(vec![call(g)?])), Kind::Write);
    assert_eq!(explained.results[0].base, Some(0));
    assert!(!explained.results[0].cells.is_empty());
}

fn in_place(call: impl Fn(&Given, &mut AnyViewMut<'_>) -> Result<()>) {
    let given = Given::new();
    let explained = replays(&given, explain_into(&given, None, &call), Kind::Write);
    assert_eq!(explained.results[0].memory, data::Memory::InPlace { operand: 0 });
    assert!(!explained.results[0].cells.is_empty());
}

fn fills(shape: &[usize], call: impl Fn(&Given, &mut AnyViewMut<'_>) -> Result<()>) {
    let given = Given::new();
    replays(&given, explain_into(&given, Some((shape, DType::F32)), &call), Kind::Read);
}

/// Every cell is the position of one element, which `value` turns into what the result holds.
fn positions((explained, results): &(Explanation, Vec<Arr>), kind: Kind, value: &dyn Fn(usize, usize) -> usize) {
    assert_eq!(explained.kind, kind);
    for (outcome, result) in explained.results.iter().zip(results) {
        assert_eq!(outcome.cells.len(), result.data.len());
        for cell in &outcome.cells {
            assert_eq!((cell.how, cell.sources.len()), (How::Position, 1));
            assert_eq!(value(cell.at, cell.sources[0].at) as i128, result.int_at(cell.at), "{cell:?}");
        }
    }
}

fn coordinates(call: impl Fn(&Given) -> Result<Vec<Tensor>>, axis: impl Fn(usize) -> usize) {
    let given = Given::new();
    let made = explain(&given, &call);
    for (k, _) in made.1.iter().enumerate() {
        let only = |list: &Vec<Arr>| vec![list[k].clone()];
        let mut one = made.0.clone();
        one.results = vec![made.0.results[k].clone()];
        let apart = made.1.len() > 1;
        let value = |at: usize, source: usize| [source / 4, source % 4][if apart { k } else { axis(at) }];
        positions(&(one, only(&made.1)), Kind::Count, &value);
    }
    assert_eq!((made.0.masks.len(), made.0.masks[0].count), (1, 6));
}

/// Positions found, by the searches of an explanation.
fn searches(made: (Explanation, Vec<Arr>), sequence: usize, falls: bool) {
    let (explained, results) = made;
    assert_eq!((explained.kind, explained.searches.len()), (Kind::Search, 6));
    let given = Given::new();
    let of = |operand: usize| given.all()[operand].2.value().clone();
    for (k, search) in explained.searches.iter().enumerate() {
        assert_eq!((search.sequence, search.length), (sequence, 5));
        let answer = if falls { search.length - search.found } else { search.found };
        assert_eq!(results[0].int_at(k), answer as i128);
        let value = of(search.value.operand).int_at(search.value.at);
        // Halving, by the comparisons alone.
        let (mut low, mut high) = (0, search.length);
        for compared in &search.compared {
            assert_eq!(compared.at, low + (high - low) / 2);
            let element = compared.element.unwrap();
            assert_eq!(element as isize, search.row as isize + compared.at as isize * search.step);
            let element = of(search.sequence).int_at(element);
            assert_eq!(compared.after, if search.right { element <= value } else { element < value });
            if compared.after { low = compared.at + 1 } else { high = compared.at }
        }
        assert_eq!((low, high), (search.found, search.found));
        let cell = &explained.results[0].cells[k];
        assert_eq!((cell.how, cell.sources[0].operand, cell.sources[0].at), (How::Position, Some(11), k));
    }
}

fn found(sequence: usize, falls: bool, call: impl Fn(&Given) -> Result<Tensor>) {
    let given = Given::new();
    searches(explain(&given, &|g| Ok(vec![call(g)?])), sequence, falls);
}

fn found_into(call: impl Fn(&Given, &mut AnyViewMut<'_>) -> Result<()>) {
    let given = Given::new();
    searches(explain_into(&given, Some((&[2, 3], DType::I64)), &call), 9, false);
}

fn compares(call: impl Fn(&Given) -> Result<Tensor>) {
    let given = Given::new();
    let (explained, results) = explain(&given, &|g| Ok(vec![call(g)?]));
    assert_eq!((explained.kind, explained.plans.last().unwrap().verb.as_str()), (Kind::Value, "compare"));
    assert_eq!((explained.results[0].cells.len(), results[0].dtype), (0, DType::Bool));
}

/// Each cell is the place in its lane of the element that was found.
fn finds(call: impl Fn(&Given) -> Result<Tensor>, place: impl Fn(usize) -> usize) {
    let given = Given::new();
    let made = explain(&given, &|g| Ok(vec![call(g)?]));
    positions(&made, Kind::Read, &|_, source| place(source));
    assert!(made.0.results[0].cells.iter().all(|cell| cell.sources[0].operand == Some(0)));
}

fn sorts(call: impl Fn(&Given) -> Result<Vec<Tensor>>) {
    let given = Given::new();
    let (explained, mut results) = explain(&given, &call);
    let at = results.len() - 1;
    let mut last = explained.clone();
    last.results = vec![explained.results[at].clone()];
    positions(&(last, vec![results[at].clone()]), Kind::Sort, &|_, source| source / 4);
    if at > 0 {
        results.truncate(1);
        replays(&given, (explained, results), Kind::Sort);
    }
}

/// A mask with one axis.
fn column(g: &Given) -> Result<AnyView<'_>> {
    g.mask.view().narrow(1, 0, 1)?.select(1, 0)
}

/// What must be held of each function.
#[expect(clippy::too_many_lines)] // a table: a line for each function
fn table() -> Vec<(&'static str, fn())> {
    const CMP: &CompareRules = &CompareRules::BY_KIND;
    macro_rules! of {
        ($($name:literal => $what:expr;)*) => { vec![$(($name, || { $what; })),*] };
    }
    of! {
        "argmax" => finds(|g| ops::argmax(g.x.view(), 0, false, &R), |at| at / 4);
        "argmin" => finds(|g| ops::argmin(g.x.view(), 1, true, &R), |at| at % 4);
        "argsort" => sorts(|g| Ok(vec![ops::argsort(g.x.view(), 0, true, true, &R)?]));
        "argwhere" => coordinates(|g| Ok(vec![ops::argwhere(g.mask.view(), &R)?]), |at| at % 2);
        "bucketize" => found(9, false, |g| ops::bucketize(g.wanted.view(), g.sorted.view(), false, true, &R));
        "bucketize_into" => found_into(|g, out| ops::bucketize_into(g.wanted.view(), g.sorted.view(), false, false, out, &R));
        "cast_into" => fills(&[4], |g, out| ops::cast_into(&g.wide.view(), out));
        "compare::compare" => compares(|g| compare(&g.x.view(), &g.v.view(), Relation::Lt, CMP));
        "compare::compare_scalar" => compares(|g| compare_scalar(&g.x.view(), Scalar::Float(4.0), Relation::Ge, CMP));
        "compare::logical_not" => compares(|g| logical_not(&g.mask.view(), CMP));
        "copy_into" => fills(&[3, 4], |g, out| ops::copy_into(&g.v.view(), out));
        "count_true" => {
            let given = Given::new();
            let mut picture = given.picture();
            assert_eq!(picture.watch(false, || ops::count_true(given.mask.view())), 6);
            let explained = picture.finish();
            assert_eq!((explained.kind, explained.masks[0].count), (Kind::Count, 6));
            assert_eq!(explained.masks[0].places, [0, 2, 3, 6, 9, 11]);
        };
        "cumsum" => reads(|g| ops::cumsum(g.x.view(), 1, None, &R));
        "diagonal_scatter" => writes(|g| ops::diagonal_scatter(g.x.view(), 1, 0, 1, g.row.view().narrow(0, 1, 3)?, &R));
        "digitize" => {
            found(9, false, |g| ops::digitize(g.wanted.view(), g.sorted.view(), true, &R));
            found(10, true, |g| ops::digitize(g.wanted.view(), g.falling.view(), false, &R));
        };
        "flip" => reads(|g| ops::flip(g.x.view(), &[1], &R));
        "gather" => reads(|g| ops::gather(g.x.view(), 0, g.along.view(), &R));
        "gather_axis" => reads(|g| ops::gather_axis(g.x.view(), 1, g.along.view(), 1, &R));
        "gather_axis_into" => fills(&[3, 4], |g, out| ops::gather_axis_into(g.x.view(), 1, g.along.view(), 1, out, &R));
        "gather_into" => fills(&[3, 4], |g, out| ops::gather_into(g.x.view(), 0, g.along.view(), out, &R));
        "gather_nd" => reads(|g| ops::gather_nd(g.x.view(), g.tuples.view(), 0, &R));
        "gather_nd_into" => fills(&[3], |g, out| ops::gather_nd_into(g.x.view(), g.tuples.view(), 0, out, &R));
        "index" => {
            reads(|g| ops::index(g.x.view(), &[Index::Array(g.i.view()), Index::Range(Slice::ALL)], &R));
            reads(|g| ops::index(g.x.view(), &[Index::Array(g.mask.view())], &R));
            reads(|g| ops::index(g.x.view(), &[Index::Range(Slice::ALL), Index::Int(2)], &R));
            // A mask among other index arrays becomes lists of positions.
            reads(move |g| ops::index(g.x.view(), &[Index::Array(column(g)?), Index::Array(g.i.view().narrow(0, 0, 1)?)], &R));
        };
        "index_accumulate_" => in_place(|g, x| ops::index_accumulate_(x, &[Index::Array(g.i.view())], g.row.view(), Reduce::Max, &R));
        "index_add" => {
            writes(|g| ops::index_add(g.x.view(), 0, g.i.view(), g.v.view(), Scalar::Int(1), &R));
            writes(|g| ops::index_add(g.x.view(), 0, g.i.view(), g.v.view(), Scalar::Float(0.5), &R));
        };
        "index_add_" => in_place(|g, x| ops::index_add_(x, 0, g.i.view(), g.v.view(), Scalar::Int(3), &R));
        "index_copy" => writes(|g| ops::index_copy(g.x.view(), 0, g.i.view(), g.v.view(), &R));
        "index_copy_" => in_place(|g, x| ops::index_copy_(x, 0, g.i.view(), g.v.view(), &R));
        "index_fill" => writes(|g| ops::index_fill(g.x.view(), 1, g.i.view(), -1, &R));
        "index_fill_" => in_place(|g, x| ops::index_fill_(x, 1, g.i.view(), -1.5, &R));
        "index_into" => fills(&[3, 4], |g, out| ops::index_into(g.x.view(), &[Index::Array(g.i.view())], out, &R));
        "index_put" => writes(|g| ops::index_put(g.x.view(), &[Index::Array(g.i.view())], g.row.view(), true, &R));
        "index_put_" => in_place(|g, x| ops::index_put_(x, &[Index::Array(g.mask.view())], 7, false, &R));
        "index_reduce" => writes(|g| ops::index_reduce(g.x.view(), 0, g.i.view(), g.v.view(), Reduce::Mean, false, &R));
        "index_reduce_" => in_place(|g, x| ops::index_reduce_(x, 0, g.i.view(), g.v.view(), Reduce::Prod, true, &R));
        "index_select" => reads(|g| ops::index_select(g.x.view(), 0, g.i.view(), &R));
        "index_select_into" => fills(&[3, 4], |g, out| ops::index_select_into(g.x.view(), 0, g.i.view(), out, &R));
        "index_set" => {
            writes(|g| ops::index_set(g.x.view(), &[Index::Array(g.i.view())], g.row.view(), &R));
            // Of another dtype, which is converted first.
            let rules = Rules { same_dtype: false, ..R };
            writes(move |g| ops::index_set(g.x.view(), &[Index::Array(g.i.view())], g.wide.view(), &rules));
            writes(|g| ops::index_set(g.x.view(), &[Index::Int(1)], g.row.view(), &R));
            writes(|g| ops::index_set(g.x.view(), &[Index::Range(Slice::from(0..2))], 5, &R));
        };
        "index_set_" => {
            in_place(|g, x| ops::index_set_(x, &[Index::Int(1)], g.wide.view(), &R));
            in_place(|g, x| ops::index_set_(x, &[Index::Array(g.mask.view())], 2, &R));
        };
        "limit_rows_" => in_place(|g, x| ops::limit_rows_(x, g.i.view(), 2.0, 2.0, &R));
        "masked_fill" => writes(|g| ops::masked_fill(g.x.view(), g.mask.view(), 8, &R));
        "masked_fill_" => in_place(|g, x| ops::masked_fill_(x, g.mask.view(), 8, &R));
        "masked_scatter" => writes(|g| ops::masked_scatter(g.x.view(), g.mask.view(), g.v.view(), &R));
        "masked_scatter_" => in_place(|g, x| ops::masked_scatter_(x, g.mask.view(), g.v.view(), &R));
        "masked_select" => reads(|g| ops::masked_select(g.x.view(), g.mask.view(), &R));
        "masked_select_into" => fills(&[6], |g, out| ops::masked_select_into(g.x.view(), g.mask.view(), out, &R));
        "mean" => reads(|g| ops::mean(g.x.view(), Some(&[0]), false, None, &R));
        "nonzero" => coordinates(|g| Ok(vec![ops::nonzero(g.mask.view(), &R)?]), |at| at % 2);
        "nonzero_into" => {
            let given = Given::new();
            let made = explain_into(&given, Some((&[6, 2], DType::I64)), &|g, out| ops::nonzero_into(g.mask.view(), out, &R));
            positions(&made, Kind::Count, &|at, source| [source / 4, source % 4][at % 2]);
        };
        "nonzero_tuple" => coordinates(|g| ops::nonzero_tuple(g.mask.view(), &R), |_| 0);
        "put" => writes(|g| ops::put(g.x.view(), g.flat.view(), g.row.view(), true, &R));
        "put_" => {
            in_place(|g, x| ops::put_(x, g.flat.view(), g.row.view(), false, &R));
            let rules = Rules { short_values: takewise::index::rules::ShortValues::Repeat, ..R };
            in_place(move |g, x| ops::put_(x, g.flat.view(), g.row.view().narrow(0, 0, 3)?, false, &rules));
        };
        "put_along_" => in_place(|g, x| ops::put_along_(x, 0, g.along.view(), g.row.view(), &R));
        "put_along_flat_" => in_place(|g, x| ops::put_along_flat_(x, g.flat.view(), g.row.view(), &R));
        "scatter" => writes(|g| ops::scatter(g.x.view(), 0, g.along.view(), g.v.view(), None, &R));
        "scatter_" => in_place(|g, x| ops::scatter_(x, 0, g.along.view(), 3.5, Some(Reduce::Sum), &R));
        "scatter_add" => writes(|g| ops::scatter_add(g.x.view(), 0, g.along.view(), g.v.view(), &R));
        "scatter_add_" => in_place(|g, x| ops::scatter_add_(x, 0, g.along.view(), g.v.view(), &R));
        "scatter_nd" => {
            let given = Given::new();
            let call = |g: &Given| Ok(vec![ops::scatter_nd(g.tuples.view(), g.row.view().narrow(0, 0, 3)?, &[3, 4], &R)?]);
            replays(&given, explain(&given, &call), Kind::Write);
        };
        "scatter_nd_" => in_place(|g, x| ops::scatter_nd_(x, g.tuples.view(), g.row.view().narrow(0, 0, 3)?, None, &R));
        "scatter_reduce" => writes(|g| ops::scatter_reduce(g.x.view(), 0, g.along.view(), g.v.view(), Reduce::Min, false, &R));
        "scatter_reduce_" => in_place(|g, x| ops::scatter_reduce_(x, 0, g.along.view(), g.v.view(), Reduce::Mean, true, &R));
        "searchsorted" => {
            found(9, false, |g| ops::searchsorted(g.sorted.view(), g.wanted.view(), &Search::default(), &R));
            found(9, false, |g| ops::searchsorted(g.sorted.view(), g.wanted.view(), &Search { right: true, ..Search::default() }, &R));
        };
        "searchsorted_into" => found_into(|g, out| {
            ops::searchsorted_into(g.sorted.view(), g.wanted.view(), &Search::default(), out, &R)
        });
        "select_scatter" => writes(|g| ops::select_scatter(g.x.view(), 0, 1, g.row.view(), &R));
        "slice_scatter" => {
            let slice = Slice { start: Some(0), stop: Some(3), step: Some(2) };
            writes(move |g| ops::slice_scatter(g.x.view(), 0, slice, g.v.view().narrow(0, 0, 2)?, &R));
        };
        "sort" => sorts(|g| ops::sort(g.x.view(), 0, false, true, &R).map(|(values, at)| vec![values, at]));
        "sum" => reads(|g| ops::sum(g.x.view(), Some(&[0]), false, None, &R));
        "take" => {
            reads(|g| ops::take(g.x.view(), g.flat.view(), &R));
            let rules = Rules { outside: Outside::Fill, ..R };
            reads(move |g| ops::take(g.x.view().narrow(0, 0, 2)?, g.flat.view(), &rules));
        };
        "take_along" => reads(|g| ops::take_along(g.x.view(), Some(0), g.along.view(), &R));
        "take_along_into" => fills(&[3, 4], |g, out| ops::take_along_into(g.x.view(), Some(0), g.along.view(), out, &R));
        "take_axis" => reads(|g| ops::take_axis(g.x.view(), 1, g.i.view(), &R));
        "take_axis_into" => fills(&[3, 3], |g, out| ops::take_axis_into(g.x.view(), 1, g.i.view(), out, &R));
        "take_into" => fills(&[4], |g, out| ops::take_into(g.x.view(), g.flat.view(), out, &R));
        "tensor_scatter" => {
            let op = takewise::Op::TensorScatter(takewise::op::Combine::Max);
            writes(move |g| ops::tensor_scatter(g.x.view(), g.tuples.view(), g.row.view().narrow(0, 0, 3)?, Some(Reduce::Max), op, &R));
        };
        "where_" => {
            reads(|g| ops::where_(g.mask.view(), g.x.view(), g.v.view(), DType::F32, &R));
            reads(|g| ops::where_(g.mask.view(), g.x.view(), g.wide.view(), DType::F32, &R));
        };
        "where_into" => fills(&[3, 4], |g, out| ops::where_into(g.mask.view(), g.x.view(), g.v.view(), out, &R));
        "Prepared::read" => reads(|g| Prepared::gather(&[3, 4], DType::F32, 0, g.along.view(), &R)?.read(g.x.view()));
        "Prepared::read_into" => fills(&[3], |g, out| Prepared::gather_nd(&[3, 4], DType::F32, g.tuples.view(), 0, &R)?.read_into(g.x.view(), out));
        "Prepared::write" => in_place(|g, x| Prepared::masked_select(DType::F32, g.mask.view(), &R)?.write(2, x));
        "Prepared::accumulate" => in_place(|g, x| {
            Prepared::take_axis(&[3, 4], DType::F32, 0, g.i.view(), &R)?.accumulate(g.v.view(), x, Reduce::Sum)
        });
        "PreparedSearch::searchsorted" => found(9, false, |g| {
            PreparedSearch::new(g.sorted.view(), &R)?.searchsorted(g.wanted.view(), &Search::default())
        });
        "PreparedSearch::searchsorted_into" => found_into(|g, out| {
            PreparedSearch::new(g.sorted.view(), &R)?.searchsorted_into(g.wanted.view(), &Search::default(), out)
        });
    }
}

/// The public functions of `takewise::ops`, but for those that only tell or prepare something.
fn functions() -> BTreeSet<String> {
    let api = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/api.txt")).unwrap();
    let name = |line: &str| {
        let (name, what) = line.strip_prefix("takewise::ops::")?.split_once(": ")?;
        let own = !name.contains("::") || name.starts_with("compare::") && !name.contains("Relation");
        let kept = ["Prepared::read", "Prepared::read_into", "Prepared::write", "Prepared::accumulate"];
        let kept = kept.contains(&name) || name.starts_with("PreparedSearch::searchsorted");
        (what.starts_with("fn") && (own || kept)).then(|| name.to_owned())
    };
    api.lines().filter_map(name).collect()
}

#[test]
fn every_function_is_explained() {
    let here: BTreeSet<String> = table().iter().map(|(name, _)| (*name).to_owned()).collect();
    assert!(here.len() > 70);
    assert_eq!(here, functions());
}

#[test]
fn explanations_replay() {
    let mut failed = Vec::new();
    for (name, check) in table() {
        if std::panic::catch_unwind(check).is_err() {
            failed.push(name);
        }
    }
    assert!(failed.is_empty(), "{failed:?}");
}

/// What is made between watched calls without the engine can be told.
#[test]
fn arrays_made_elsewhere_can_be_told() {
    let given = Given::new();
    let mut picture = given.picture();
    let made = picture.watch(false, || {
        let minus: Vec<f32> = (0..4).map(|k| -(1.0 + k as f32)).collect();
        takewise::strategy::made(&given.row.view(), &AnyView::from(&minus), Some(Scalar::Int(-1)));
        ops::put(given.x.view(), given.flat.view(), AnyView::from(&minus), true, &R)
    });
    let made = made.unwrap();
    let open = made.read_any().unwrap();
    picture.result("result", &open.view());
    let results = [arr_of(&open.view())];
    replays(&given, (told_by(picture, &results, &given), results.into()), Kind::Write);
}
