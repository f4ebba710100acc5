//! Every vector-Jacobian product against central differences of its operation in f64, over exhaustive small tables.

use takewise::error::Result;
use takewise::grad::{self, Of};
use takewise::index::rules::{Duplicates, Outside, Rules, Sign};
use takewise::op::Op;
use takewise::ops::{self, Prepared};
use takewise::{AnyView, DType, Reduce, Scalar, Tensor, ix};
use takewise_dialects::rules::{Dialect, TORCH};
use takewise_testkit::worlds;

const R: Rules = Rules::NEUTRAL;

/// Numbers without small common multiples, different in every place.
fn tensor(shape: &[usize], seed: usize) -> Tensor {
    let n: usize = shape.iter().product();
    let data = (0..n).map(|k| ((k * 37 + seed * 11) % 101) as f64 + 2.0).collect();
    Tensor::from_vec::<f64>(data, shape).unwrap()
}

pub(crate) fn ints(shape: &[usize], data: &[i64]) -> Tensor {
    Tensor::from_slice(data, shape).unwrap()
}

fn view<R>(t: &Tensor, f: impl FnOnce(AnyView<'_>) -> R) -> R {
    f(t.read_any().unwrap().view())
}

/// Holds the gradients `vjp(g, inputs)` against differences of `f`; steps of `step` are exact where `f` is linear.
fn check(
    what: &str,
    inputs: &[Tensor],
    step: f64,
    f: impl Fn(&[Tensor]) -> Result<Tensor>,
    vjp: impl Fn(&Tensor, &[Tensor]) -> Result<Vec<Tensor>>,
) -> usize {
    let y = f(inputs).unwrap_or_else(|e| panic!("{what}: {e}"));
    let g = tensor(y.shape(), 5);
    let weights = g.to_vec::<f64>().unwrap();
    let got = vjp(&g, inputs).unwrap_or_else(|e| panic!("{what}: {e}"));
    for (k, (input, got)) in inputs.iter().zip(&got).enumerate() {
        assert_eq!((got.shape(), got.dtype()), (input.shape(), DType::F64), "{what}: input {k}");
        let got = got.to_vec::<f64>().unwrap();
        let values = input.to_vec::<f64>().unwrap();
        for at in 0..values.len() {
            let moved = |by: f64| {
                let mut all: Vec<Tensor> = inputs.to_vec();
                let mut moved = values.clone();
                moved[at] += by;
                all[k] = Tensor::from_vec(moved, input.shape()).unwrap();
                f(&all).unwrap().to_vec::<f64>().unwrap()
            };
            let (up, down) = (moved(step), moved(-step));
            let want: f64 = weights.iter().zip(up.iter().zip(&down)).map(|(w, (u, d))| w * (u - d)).sum::<f64>();
            let want = want / (2.0 * step);
            let close = (got[at] - want).abs() <= 1e-6 * want.abs().max(1.0);
            assert!(close, "{what}: input {k} element {at}: {} but differences say {want}", got[at]);
        }
    }
    1
}

/// A read, whose one gradient `vjp` gives.
fn read(
    what: &str,
    x: &Tensor,
    f: impl Fn(AnyView<'_>) -> Result<Tensor>,
    vjp: impl Fn(AnyView<'_>) -> Result<Tensor>,
) -> usize {
    check(what, std::slice::from_ref(x), 1.0, |t| view(&t[0], &f), |g, _| Ok(vec![view(g, &vjp)?]))
}

/// A write of a source into an array, whose gradients `vjp` gives one at a time.
fn write(
    what: &str,
    pair: &[Tensor; 2],
    f: impl Fn(AnyView<'_>, AnyView<'_>) -> Result<Tensor>,
    vjp: impl Fn(AnyView<'_>, Of<'_>) -> Result<Tensor>,
) -> usize {
    let gradients = |g: &Tensor, t: &[Tensor]| {
        [Of::Input, Of::Source(t[1].shape())].into_iter().map(|of| view(g, |g| vjp(g, of))).collect()
    };
    check(what, pair, 1.0, |t| view(&t[0], |x| view(&t[1], |s| f(x, s))), gradients)
}

/// A call of two operands, whose gradients `vjp` gives both at once.
fn both(
    what: &str,
    pair: &[Tensor; 2],
    step: f64,
    f: impl Fn(AnyView<'_>, AnyView<'_>) -> Result<Tensor>,
    vjp: impl Fn(AnyView<'_>, AnyView<'_>, AnyView<'_>) -> Result<(Tensor, Tensor)>,
) -> usize {
    let gradients = |g: &Tensor, t: &[Tensor]| {
        let (a, b) = view(g, |g| view(&t[0], |x| view(&t[1], |s| vjp(g, x, s))))?;
        Ok(vec![a, b])
    };
    check(what, pair, step, |t| view(&t[0], |x| view(&t[1], |s| f(x, s))), gradients)
}

fn policies() -> Vec<Rules> {
    let outside = [Outside::Raise, Outside::Clip, Outside::Wrap, Outside::Drop];
    outside
        .iter()
        .flat_map(|&outside| [Sign::FromEnd, Sign::NonNegative].map(|sign| Rules { outside, sign, ..R }))
        .collect()
}

/// The values that are good under a policy, for an axis of length `n`.
fn range(rules: &Rules, n: i64) -> (i64, i64) {
    match (rules.outside, rules.sign) {
        (Outside::Raise, Sign::FromEnd) => (-n, n - 1),
        (Outside::Raise, Sign::NonNegative) => (0, n - 1),
        _ => (-n - 1, n),
    }
}

#[test]
fn reads_and_writes_on_a_line() {
    let mut count = 0;
    for rules in policies() {
        for (n, m) in [(1, 1), (2, 1), (2, 2), (3, 2), (2, 3), (3, 3)] {
            let (low, high) = range(&rules, n as i64);
            for values in worlds::tuples(m, low.max(-2), high.min(2)) {
                count += line(n, &ints(&[m], &values), &rules);
            }
        }
    }
    assert!(count > 3000, "{count}");
}

/// Every operation along the one axis of `n` places.
fn line(n: usize, index: &Tensor, rules: &Rules) -> usize {
    let what = format!("{n} by {:?} under {:?} {:?}", index.to_vec::<i64>().unwrap(), rules.outside, rules.sign);
    let pair = [tensor(&[n], 0), tensor(index.shape(), 1)];
    let i = index.read_any().unwrap();
    let i = i.view();
    line_reads(&pair[0], &i, rules, &what)
        + line_stores(&pair, &i, rules, &what)
        + line_sums(&pair, &i, rules, &what)
        + line_reductions(&pair, &i, rules, &what)
}

fn line_reads(x: &Tensor, i: &AnyView<'_>, rules: &Rules, what: &str) -> usize {
    let n = x.numel();
    let mut count = read(
        &format!("gather {what}"),
        x,
        |x| ops::gather(x, 0, i.clone(), rules),
        |g| grad::gather(&[n], 0, i.clone(), g, rules),
    );
    count +=
        read(&format!("take {what}"), x, |x| ops::take(x, i.clone(), rules), |g| grad::take(&[n], i.clone(), g, rules));
    count += read(
        &format!("index_select {what}"),
        x,
        |x| ops::index_select(x, 0, i.clone(), rules),
        |g| grad::index_select(&[n], 0, i.clone(), g, rules),
    );
    count
}

fn line_stores(pair: &[Tensor; 2], i: &AnyView<'_>, rules: &Rules, what: &str) -> usize {
    let mut count = 0;
    for duplicates in [Duplicates::Last, Duplicates::First] {
        let rules = &Rules { duplicates, ..*rules };
        count += write(
            &format!("scatter {duplicates:?} {what}"),
            pair,
            |x, s| ops::scatter(x, 0, i.clone(), s, None, rules),
            |g, of| grad::scatter(g, of, 0, i.clone(), rules),
        );
        for accumulate in [false, true] {
            count += write(
                &format!("put {accumulate} {duplicates:?} {what}"),
                pair,
                |x, s| ops::put(x, i.clone(), s, accumulate, rules),
                |g, of| grad::put(g, of, i.clone(), accumulate, rules),
            );
        }
        count += write(
            &format!("index_copy {duplicates:?} {what}"),
            pair,
            |x, s| ops::index_copy(x, 0, i.clone(), s, rules),
            |g, of| grad::index_copy(g, of, 0, i.clone(), rules),
        );
    }
    count
}

fn line_sums(pair: &[Tensor; 2], i: &AnyView<'_>, rules: &Rules, what: &str) -> usize {
    let mut count = write(
        &format!("scatter_add {what}"),
        pair,
        |x, s| ops::scatter_add(x, 0, i.clone(), s, rules),
        |g, of| grad::scatter_add(g, of, 0, i.clone(), rules),
    );
    let alpha = Scalar::Float(-2.5);
    count += write(
        &format!("index_add {what}"),
        pair,
        |x, s| ops::index_add(x, 0, i.clone(), s, alpha, rules),
        |g, of| grad::index_add(g, of, 0, i.clone(), alpha, rules),
    );
    // The value is read out of the array before the fill, so differences are taken of the number.
    count += write(
        &format!("index_fill {what}"),
        &[pair[0].clone(), tensor(&[], 3)],
        |x, v| ops::index_fill(x, 0, i.clone(), v, rules),
        |g, of| grad::index_fill(g, of, 0, i.clone(), rules),
    );
    count
}

fn line_reductions(pair: &[Tensor; 2], i: &AnyView<'_>, rules: &Rules, what: &str) -> usize {
    let mut count = 0;
    for how in [Reduce::Sum, Reduce::Mean, Reduce::Prod, Reduce::Max, Reduce::Min, Reduce::Div] {
        for include in [true, false] {
            if how == Reduce::Div && !include {
                continue;
            }
            let step = if matches!(how, Reduce::Sum | Reduce::Mean) { 1.0 } else { 1e-4 };
            let name = format!("{how:?} include_self={include} {what}");
            count += both(
                &format!("scatter_reduce {name}"),
                pair,
                step,
                |x, s| ops::scatter_reduce(x, 0, i.clone(), s, how, include, rules),
                |g, x, s| grad::scatter_reduce(g, 0, i.clone(), x, s, how, include, rules),
            );
            count += both(
                &format!("index_reduce {name}"),
                pair,
                step,
                |x, s| ops::index_reduce(x, 0, i.clone(), s, how, include, rules),
                |g, x, s| grad::index_reduce(g, 0, i.clone(), x, s, how, include, rules),
            );
        }
    }
    count
}

/// Products of every combination of zeros and non-zeros; they are linear in each factor.
#[test]
fn products_with_zeros() {
    for zeros in worlds::tuples(5, 0, 1) {
        let at = |k: usize| if zeros[k] == 1 { 0.0 } else { k as f64 + 2.0 };
        let x = Tensor::from_slice(&[at(0), at(1)], &[2]).unwrap();
        let src = Tensor::from_slice(&[at(2), at(3), at(4)], &[3]).unwrap();
        for values in worlds::tuples(3, 0, 1) {
            let index = ints(&[3], &values);
            for include in [true, false] {
                let i = index.read_any().unwrap();
                both(
                    &format!("{zeros:?} by {values:?} {include}"),
                    &[x.clone(), src.clone()],
                    1.0,
                    |x, s| ops::scatter_reduce(x, 0, i.view(), s, Reduce::Prod, include, &R),
                    |g, x, s| grad::scatter_reduce(g, 0, i.view(), x, s, Reduce::Prod, include, &R),
                );
            }
        }
    }
}

/// Ties share equally, and the array's own value only if it takes part.
#[test]
fn equal_maxima_share() {
    let go = |x: [f64; 2], s: [f64; 2], include: bool| {
        let (x, s) = (Tensor::from_slice(&x, &[2]).unwrap(), Tensor::from_slice(&s, &[2]).unwrap());
        let (g, i) = (Tensor::from_slice(&[12.0, 7.0], &[2]).unwrap(), ints(&[2], &[0, 0]));
        let (a, b) = view(&g, |g| {
            view(&i, |i| view(&x, |x| view(&s, |s| grad::scatter_reduce(g, 0, i, x, s, Reduce::Max, include, &R))))
        })
        .unwrap();
        (a.to_vec::<f64>().unwrap(), b.to_vec::<f64>().unwrap())
    };
    assert_eq!(go([5., 1.], [5., 5.], true), (vec![4., 7.], vec![4., 4.]));
    assert_eq!(go([5., 1.], [5., 5.], false), (vec![0., 7.], vec![6., 6.]));
    assert_eq!(go([5., f64::NAN], [5., 2.], true), (vec![6., 7.], vec![6., 0.]));
    let (own, theirs) = go([f64::NAN, 1.], [5., 2.], true);
    assert!(own[0].is_nan() && own[1] == 7.0 && theirs.iter().all(|v| v.is_nan()));
}

#[test]
fn along_and_slices_of_every_shape() {
    let mut count = 0;
    let shapes: Vec<Vec<usize>> = (1..=3).flat_map(|rank| worlds::shapes(rank, 1, 3)).collect();
    for shape in &shapes {
        for d in 0..shape.len() {
            count += along(shape, d) + slices(shape, d);
        }
    }
    assert!(count > 1500, "{count}");
}

/// Along axis `d` by indices of as many axes.
fn along(shape: &[usize], d: usize) -> usize {
    let (n, mut count) = (shape[d] as i64, 0);
    // The index is smaller than the array off the axis and longer along it; the source is larger still.
    for less in [0, 1] {
        let small: Vec<usize> = (0..shape.len()).map(|k| if k == d { 2 } else { (shape[k] - less).max(1) }).collect();
        let large: Vec<usize> = small.iter().map(|n| n + less).collect();
        let m: usize = small.iter().product();
        let index = ints(&small, &(0..m).map(|k| (k as i64 * 5 + 1) % n).collect::<Vec<_>>());
        let i = index.read_any().unwrap();
        let (i, dim) = (i.view(), d as i64 - if less == 1 { shape.len() as i64 } else { 0 });
        let (pair, what) = ([tensor(shape, 0), tensor(&large, 1)], format!("{shape:?} along {d} by {small:?}"));
        count += read(
            &format!("gather {what}"),
            &pair[0],
            |x| ops::gather(x, dim, i.clone(), &R),
            |g| grad::gather(shape, dim, i.clone(), g, &R),
        );
        count += write(
            &format!("scatter {what}"),
            &pair,
            |x, s| ops::scatter(x, dim, i.clone(), s, None, &R),
            |g, of| grad::scatter(g, of, dim, i.clone(), &R),
        );
        count += write(
            &format!("scatter_add {what}"),
            &pair,
            |x, s| ops::scatter_add(x, dim, i.clone(), s, &R),
            |g, of| grad::scatter_add(g, of, dim, i.clone(), &R),
        );
        for how in [Reduce::Mean, Reduce::Prod, Reduce::Max] {
            for include in [true, false] {
                count += both(
                    &format!("{how:?} {include} {what}"),
                    &pair,
                    1e-4,
                    |x, s| ops::scatter_reduce(x, dim, i.clone(), s, how, include, &R),
                    |g, x, s| grad::scatter_reduce(g, dim, i.clone(), x, s, how, include, &R),
                );
            }
        }
    }
    count
}

/// By indices that broadcast off axis `d`, and whole slices of it.
fn slices(shape: &[usize], d: usize) -> usize {
    let (n, mut count) = (shape[d] as i64, 0);
    // Both broadcast off the axis.
    let stretched: Vec<usize> = (0..shape.len()).map(|k| if k == d { 2 } else { 1 }).collect();
    let thin: Vec<usize> = (0..shape.len()).map(|k| if k == d { shape[k] } else { 1 }).collect();
    let full: Vec<usize> = (0..shape.len()).map(|k| if k == d { 2 } else { shape[k] }).collect();
    let fill =
        |s: &[usize]| ints(s, &(0..s.iter().product::<usize>()).map(|k| (k as i64 * 3 + 1) % n).collect::<Vec<_>>());
    for (xs, is) in [(shape, &stretched), (&thin[..], &full)] {
        let index = fill(is);
        let i = index.read_any().unwrap();
        count += read(
            &format!("take_along {xs:?} by {is:?}"),
            &tensor(xs, 0),
            |x| ops::take_along(x, Some(d as i64), i.view(), &R),
            |g| grad::take_along(xs, Some(d as i64), i.view(), g, &R),
        );
        let whole = fill(&[2, 2]);
        let w = whole.read_any().unwrap();
        count += read(
            "take_along flat",
            &tensor(xs, 0),
            |x| ops::take_along(x, None, w.view(), &R),
            |g| grad::take_along(xs, None, w.view(), g, &R),
        );
    }
    let mut gathers = vec![(vec![], 0), (vec![0], 0), (vec![2, 2], 0)];
    if d > 0 {
        gathers.push((vec![shape[0], 2], 1));
    }
    for (rows, batch) in gathers {
        let index = fill(&rows);
        let i = index.read_any().unwrap();
        count += read(
            &format!("gather_axis {shape:?} {d} {rows:?} in {batch}"),
            &tensor(shape, 0),
            |x| ops::gather_axis(x, d as i64, i.view(), batch, &R),
            |g| grad::gather_axis(shape, d as i64, i.view(), batch, g, &R),
        );
    }
    count
}

#[test]
fn tuples() {
    for shape in [vec![2usize, 3], vec![3, 2, 2]] {
        for depth in 1..=shape.len() {
            let data: Vec<i64> = (0..3 * depth).map(|k| (k as i64 * 7 + 1) % shape[k % depth] as i64).collect();
            let index = ints(&[3, depth], &data);
            let i = index.read_any().unwrap();
            let updates: Vec<usize> = std::iter::once(3).chain(shape[depth..].iter().copied()).collect();
            let pair = [tensor(&shape, 0), tensor(&updates, 1)];
            read(
                "gather_nd",
                &pair[0],
                |x| ops::gather_nd(x, i.view(), 0, &R),
                |g| grad::gather_nd(&shape, i.view(), 0, g, &R),
            );
            for (how, sums) in [(None, false), (Some(Reduce::Sum), true)] {
                write(
                    "tensor_scatter",
                    &pair,
                    |x, u| ops::tensor_scatter(x, i.view(), u, how, Op::ScatterNd, &R),
                    |g, of| grad::tensor_scatter(g, of, i.view(), sums, &R),
                );
            }
        }
    }
}

#[test]
fn masks_and_where() {
    for bits in 0..64u32 {
        let mask: Vec<bool> = (0..6).map(|k| bits >> k & 1 == 1).collect();
        let full = Tensor::from_slice(&mask, &[2, 3]).unwrap();
        let row = Tensor::from_slice(&mask[..3], &[3]).unwrap();
        for (mask, xs) in [(&full, vec![2, 3]), (&row, vec![2, 3]), (&full, vec![1, 3]), (&full, vec![])] {
            let m = mask.read_any().unwrap();
            let m = m.view();
            let x = tensor(&xs, 0);
            // The array itself may have been stretched to the mask.
            let own = |d: Tensor, of: Of<'_>| match of {
                Of::Input => view(&d, |d| grad::broadcast(&xs, d)),
                Of::Source(_) => Ok(d),
            };
            read(
                "masked_select",
                &x,
                |x| ops::masked_select(x, m.clone(), &R),
                |g| grad::masked_select(&xs, m.clone(), g, &R),
            );
            write(
                "masked_fill",
                &[x.clone(), tensor(&[], 1)],
                |x, v| ops::masked_fill(x, m.clone(), v, &R),
                |g, of| own(grad::masked_fill(g, of, m.clone(), &R)?, of),
            );
            write(
                "masked_scatter",
                &[x.clone(), tensor(&[2, 4], 1)],
                |x, s| ops::masked_scatter(x, m.clone(), s, &R),
                |g, of| own(grad::masked_scatter(g, of, m.clone(), &R)?, of),
            );
            both(
                "where",
                &[x.clone(), tensor(&[3], 1)],
                1.0,
                |a, b| ops::where_(m.clone(), a, b, DType::F64, &R),
                |g, _, _| grad::where_(m.clone(), &xs, &[3], g, &R),
            );
        }
    }
}

#[test]
fn subscripts() {
    let i = ints(&[2], &[1, 1]);
    let j = ints(&[2, 1], &[2, 0]);
    let mask = Tensor::from_slice(&[true, false, true], &[3]).unwrap();
    let lists: Vec<Vec<takewise::Index<'_>>> = vec![
        ix![0].to_vec(),
        ix![1..].to_vec(),
        ix![.., 1].to_vec(),
        ix![..., (), 2].to_vec(),
        ix![&i].to_vec(),
        ix![.., &i].to_vec(),
        ix![&i, &j].to_vec(),
        ix![&j, .., ()].to_vec(),
        ix![.., &mask].to_vec(),
        ix![-1, &j].to_vec(),
        ix![true].to_vec(),
        ix![false].to_vec(),
        ix![0, takewise::index::step(.., 2)].to_vec(),
    ];
    for dialect in [&TORCH, &Dialect::NEUTRAL] {
        for items in &lists {
            let (x, what) = (tensor(&[3, 3], 0), format!("{}[{items:?}]", dialect.name));
            read(&what, &x, |x| ops::index(x, items, &dialect.get), |g| grad::index(&[3, 3], items, g, &dialect.get));
            let shape = view(&x, |x| ops::index(x, items, &dialect.get)).unwrap().shape().to_vec();
            let ones: Vec<usize> = std::iter::once(1).chain(shape.iter().copied()).collect();
            let last: Vec<usize> = shape.last().map_or(vec![], |n| vec![*n]);
            for value in [shape, ones, last, vec![]] {
                write(
                    &format!("{what} = {value:?}"),
                    &[x.clone(), tensor(&value, 1)],
                    |x, v| ops::index_set(x, items, v, &dialect.set),
                    |g, of| grad::index_set(g, of, items, &dialect.set),
                );
            }
        }
    }
    write(
        "index_put accumulate",
        &[tensor(&[3, 3], 0), tensor(&[2], 1)],
        |x, v| ops::index_put(x, &ix![&i, &i], v, true, &R),
        |g, of| grad::index_put(g, of, &ix![&i, &i], true, &R),
    );
}

#[test]
fn views() {
    type Part = fn(&Tensor) -> Result<Tensor>;
    let parts: [(&[usize], Part); 12] = [
        (&[2, 3], |x| x.select(1, 2)),
        (&[2, 3], |x| x.slice(1, takewise::index::step(.., 2))),
        (&[2, 3], |x| x.t()),
        (&[3, 2, 2], |x| x.permute(&[2, 0, 1])),
        (&[3, 3], |x| x.diagonal(1, 0, 1)),
        (&[1, 3], |x| x.expand(&[2, 2, 3])),
        (&[5], |x| x.unfold(0, 3, 1)),
        (&[5], |x| x.unfold(0, 2, 2)),
        (&[4, 3], |x| x.unfold(0, 2, 1)),
        (&[2, 3], |x| x.view(&[3, 2])),
        (&[2, 3], |x| x.reversed(&[1])),
        (&[0, 3], |x| x.t()),
    ];
    for (shape, part) in parts {
        let x = tensor(shape, 0);
        let seen = part(&x).unwrap();
        let offset = (seen.storage_offset() - x.storage_offset()) as isize * 8;
        check(
            &format!("view of {shape:?}"),
            &[x],
            1.0,
            |t| part(&t[0])?.contiguous(),
            |g, _| view(g, |g| Ok(vec![grad::view(shape, |_| Ok((offset, seen.layout().clone())), g)?])),
        );
    }
}

#[test]
fn replaced_parts_and_sums() {
    let x = tensor(&[3, 3], 0);
    let pair = [x.clone(), tensor(&[3], 1)];
    write(
        "select_scatter",
        &pair,
        |x, s| ops::select_scatter(x, 1, -1, s, &R),
        |g, of| grad::select_scatter(g, of, 1, -1, &R),
    );
    write(
        "slice_scatter",
        &[x.clone(), tensor(&[2, 3], 1)],
        |x, s| ops::slice_scatter(x, 0, (1..).into(), s, &R),
        |g, of| grad::slice_scatter(g, of, 0, (1..).into(), &R),
    );
    write(
        "diagonal_scatter",
        &pair,
        |x, s| ops::diagonal_scatter(x, 0, 0, 1, s, &R),
        |g, of| grad::diagonal_scatter(g, of, 0, 0, 1, &R),
    );
    for axes in [None, Some(&[0i64][..]), Some(&[-1]), Some(&[0, 1])] {
        for keep in [false, true] {
            check(
                "sum",
                std::slice::from_ref(&x),
                1.0,
                |t| view(&t[0], |x| ops::sum(x, axes, keep, None, &R)),
                |g, _| {
                    let summed = |d: i64| axes.is_none_or(|a| a.contains(&d) || a.contains(&(d - 2)));
                    let kept: Vec<i64> = (0..2).map(|d| if summed(d) { 1 } else { 3 }).collect();
                    Ok(vec![g.reshape(&kept)?.broadcast_to(&[3, 3])?.contiguous()?])
                },
            );
        }
    }
}

#[test]
fn kept_plans_turn_round() {
    let index = ints(&[4], &[2, 0, 2, 1]);
    let plan = view(&index, |i| Prepared::take_axis(&[3, 2], DType::F64, 0, i, &R)).unwrap();
    read("read", &tensor(&[3, 2], 0), |x| plan.read(x), |g| plan.read_vjp(g));
    let write = |t: &[Tensor]| {
        let out = t[0].clone_data()?;
        plan.write(t[1].read_any()?.view(), &mut out.write_any()?.view_mut())?;
        Ok(out)
    };
    check("write", &[tensor(&[3, 2], 0), tensor(&[4, 2], 1)], 1.0, write, |g, _| {
        let (a, b) = view(g, |g| plan.write_vjp(g))?;
        Ok(vec![a, b])
    });
    assert!(view(&tensor(&[3, 3], 0), |g| plan.read_vjp(g)).is_err());
}

/// The gradient of the wrong shape is an error, not a broadcast.
#[test]
fn gradients_have_the_shape_of_results() {
    let i = ints(&[2], &[0, 1]);
    let refused = |shape: &[usize]| view(&i, |i| view(&tensor(shape, 0), |g| grad::gather(&[3], 0, i, g, &R))).is_err();
    assert!(refused(&[1]) && refused(&[]) && refused(&[3]) && !refused(&[2]));
}

/// The same bits at any number of threads, above the size where work is shared.
#[test]
fn gradients_do_not_depend_on_threads() {
    let n = 40_000;
    let index = ints(&[n, 4], &(0..4 * n as i64).map(|k| k * k % 977).collect::<Vec<_>>());
    let g = Tensor::from_vec((0..4 * n).map(|k| (k as f32 * 0.37).sin()).collect::<Vec<f32>>(), &[n, 4]).unwrap();
    let x = Tensor::from_vec((0..4000).map(|k| (k as f32 * 0.11).cos()).collect::<Vec<f32>>(), &[1000, 4]).unwrap();
    let upstream = Tensor::from_vec((0..4000).map(|k| k as f32 * 0.3).collect::<Vec<f32>>(), &[1000, 4]).unwrap();
    let all = |threads| {
        takewise::threads::with_threads(threads, || {
            let mut bits: Vec<Vec<u32>> = vec![];
            let mut keep = |t: Tensor| bits.push(t.to_vec::<f32>().unwrap().iter().map(|v| v.to_bits()).collect());
            view(&index, |i| {
                view(&g, |g| {
                    keep(grad::gather(&[1000, 4], 0, i.clone(), g.clone(), &R).unwrap());
                    keep(ops::sum(g.clone(), Some(&[0]), false, None, &R).unwrap());
                    view(&upstream, |up| {
                        view(&x, |x| {
                            keep(grad::scatter(up.clone(), Of::Source(&[n, 4]), 0, i.clone(), &R).unwrap());
                            for how in [Reduce::Mean, Reduce::Prod, Reduce::Max] {
                                let (a, b) =
                                    grad::scatter_reduce(up.clone(), 0, i.clone(), x.clone(), g.clone(), how, true, &R)
                                        .unwrap();
                                keep(a);
                                keep(b);
                            }
                        })
                    });
                })
            });
            bits
        })
    };
    let one = all(1);
    assert_eq!(one, all(2));
    assert_eq!(one, all(7));
}
