//! Gradients of gradients against central differences of the gradients, for every operation the tape knows; and which
//! tensors a walk ends at.

use crate::gradients::ints;
use crate::tape::leaf;
use takewise::error::Result;
use takewise::grad::{self, Graph, RowGradient};
use takewise::index::step;
use takewise::{DType, Reduce, Rules, Scalar, Tensor, ix};
use takewise_dialects::rules::TORCH;
use takewise_dialects::words::node_name;

/// Numbers without small common multiples, different in every place.
fn numbers(shape: &[usize], seed: usize) -> Vec<f64> {
    (0..shape.iter().product()).map(|k| ((k * 37 + seed * 53) % 101) as f64 / 16.0 + 0.75).collect()
}

fn dense(g: Option<grad::Gradient>, like: &Tensor) -> Tensor {
    g.map_or_else(|| Tensor::zeroed(like.shape(), DType::F64).unwrap(), |g| g.to_dense().unwrap())
}

type Op<'f> = dyn Fn(&[Tensor]) -> Result<Tensor> + 'f;

/// The weighted sum of the gradients of `f`, whose gradient was weighted by the last operand.
fn weighted(f: &Op, operands: &[Tensor], graph: Graph) -> (Vec<Tensor>, f64) {
    let (v, inputs) = operands.split_last().unwrap();
    let y = f(inputs).unwrap();
    let all: Vec<&Tensor> = inputs.iter().collect();
    let found = grad::grad(&[(&y, Some(v))], &all, graph, true).unwrap();
    let found: Vec<Tensor> = found.into_iter().zip(inputs).map(|(g, t)| dense(g, t)).collect();
    let sum = found
        .iter()
        .enumerate()
        .map(|(k, g)| -> f64 {
            let g = g.to_vec::<f64>().unwrap();
            g.iter().zip(numbers(&[g.len()], 7 + k)).map(|(a, b)| a * b).sum()
        })
        .sum();
    (found, sum)
}

fn check(what: &str, shapes: &[&[usize]], f: &Op) {
    let leaves = |values: &[Vec<f64>], shapes: &[Vec<usize>]| -> Vec<Tensor> {
        values.iter().zip(shapes).map(|(v, s)| leaf(v, s)).collect()
    };
    let mut shapes: Vec<Vec<usize>> = shapes.iter().map(|s| s.to_vec()).collect();
    let mut values: Vec<Vec<f64>> = shapes.iter().enumerate().map(|(k, s)| numbers(s, k)).collect();
    let result = f(&leaves(&values, &shapes)).unwrap_or_else(|e| panic!("{what}: {e}")).shape().to_vec();
    values.push(numbers(&result, 5));
    shapes.push(result);

    let operands = leaves(&values, &shapes);
    let (first, _) = weighted(f, &operands, Graph::CREATE);
    let weights: Vec<Tensor> = first
        .iter()
        .enumerate()
        .map(|(k, g)| Tensor::from_vec(numbers(&[g.numel()], 7 + k), g.shape()).unwrap())
        .collect();
    let outputs: Vec<(&Tensor, Option<&Tensor>)> =
        first.iter().zip(&weights).filter(|(g, _)| g.requires_grad()).map(|(g, w)| (g, Some(w))).collect();
    let all: Vec<&Tensor> = operands.iter().collect();
    let second = grad::grad(&outputs, &all, Graph::default(), true).unwrap_or_else(|e| panic!("{what}: {e}"));
    for (k, (got, operand)) in second.into_iter().zip(&operands).enumerate() {
        let got = dense(got, operand).to_vec::<f64>().unwrap();
        for at in 0..got.len() {
            let moved = |by: f64| {
                let mut values = values.clone();
                values[k][at] += by;
                weighted(f, &leaves(&values, &shapes), Graph::default()).1
            };
            let want = (moved(1e-4) - moved(-1e-4)) / 2e-4;
            let close = (got[at] - want).abs() <= 1e-5 * want.abs().max(1.0);
            assert!(close, "{what}: operand {k} element {at}: {} but differences say {want}", got[at]);
        }
    }
}

#[test]
fn reads() {
    let along = ints(&[2, 2], &[0, 2, 1, 1]);
    let at = ints(&[3], &[2, 0, 2]);
    let mask = Tensor::from_slice(&[true, false, true, false, true, true], &[2, 3]).unwrap();
    let tuples = ints(&[3, 2], &[0, 1, 1, 2, 0, 1]);
    let x: &[&[usize]] = &[&[2, 3]];
    check("gather", x, &|t| t[0].gather(1, &along, &TORCH.gather));
    check("gather_sparse", x, &|t| t[0].gather_sparse(1, &along, &TORCH.gather));
    check("take_along", &[&[1, 3]], &|t| t[0].take_along(Some(1), &along, &TORCH.take_along));
    check("take_along flat", x, &|t| t[0].take_along(None, &at, &TORCH.take_along));
    check("take", x, &|t| t[0].take(&along, &TORCH.take));
    check("index_select", x, &|t| t[0].index_select(1, &at, &TORCH.index_select));
    check("gather_axis", x, &|t| t[0].gather_axis(1, &at, 0, &Rules::NEUTRAL));
    check("gather_nd", x, &|t| t[0].gather_nd(&tuples, 0, &Rules::NEUTRAL));
    check("masked_select", x, &|t| t[0].masked_select(&mask, &TORCH.masked_select));
    check("masked_select stretched", &[&[3]], &|t| t[0].masked_select(&mask, &TORCH.masked_select));
    check("subscript", x, &|t| t[0].index(&ix![.., &at], &TORCH.get));
    check("where", &[&[2, 3], &[3]], &|t| mask.where_(&t[0], &t[1], DType::F64, &TORCH.where_));
    check("flip", x, &|t| t[0].flip(&[1]));
    check("clone", x, &|t| t[0].clone_data());
    check("reshape", x, &|t| t[0].t()?.reshape(&[6]));
    check("sum", x, &|t| t[0].sum(None, false, None));
    check("sum of an axis", x, &|t| t[0].sum(Some(&[1]), false, None));
    check("sum kept", x, &|t| t[0].sum(Some(&[0]), true, None));
    for (padding, by_count, sparse) in [
        (None, false, false),
        (Some(2), false, false),
        (Some(0), true, false),
        (None, false, true),
        (Some(2), false, true),
    ] {
        let how = RowGradient { padding, by_count, sparse };
        check(&format!("{how:?}"), &[&[4, 2]], &|t| t[0].rows(&at, how, &Rules::NEUTRAL));
    }
}

#[test]
fn views_and_chains() {
    let x: &[&[usize]] = &[&[2, 3]];
    check("select", x, &|t| t[0].select(0, 1));
    check("slice", x, &|t| t[0].slice(1, step(.., 2)));
    check("transposed", x, &|t| t[0].t());
    check("expand", x, &|t| t[0].expand(&[2, 2, 3]));
    check("windows", &[&[4]], &|t| t[0].unfold(0, 3, 1));
    check("diagonal", x, &|t| t[0].diagonal(0, 0, 1));
    check("views of views", x, &|t| t[0].t()?.narrow(0, 1, 2)?.select(1, 0)?.expand(&[3, 2]));
    check("twice", x, &|t| {
        let y = t[0].clone_data()?;
        y.index_set_(&ix![0], &t[0].select(0, 1)?, &TORCH.set)?;
        y.index_set_(&ix![.., 1], &t[0].select(1, 2)?, &TORCH.set)?;
        y.t()?.contiguous()?.index_select(0, &ints(&[2], &[1, 1]), &TORCH.index_select)
    });
    check("in place, then read through an old view", &[&[4], &[2]], &|t| {
        let y = t[0].clone_data()?;
        let part = y.narrow(0, 1, 3)?;
        part.index_put_(&ix![&ints(&[2], &[2, 0])], &t[1], false, &TORCH.index_put)?;
        part.scatter_reduce(0, &ints(&[2], &[0, 0]), &t[1], Reduce::Prod, true, &TORCH.scatter_reduce)
    });
}

#[test]
fn writes() {
    let along = ints(&[2, 2], &[0, 2, 1, 1]);
    let apart = ints(&[2], &[2, 0]);
    let mask = Tensor::from_slice(&[true, false, true, false, true, true], &[2, 3]).unwrap();
    let tuples = ints(&[2, 2], &[0, 1, 1, 2]);
    let pair: &[&[usize]] = &[&[2, 3], &[2, 2]];
    check("scatter", pair, &|t| t[0].scatter(1, &along, &t[1], None, &TORCH.scatter));
    check("scatter of a large source", &[&[2, 3], &[3, 3]], &|t| t[0].scatter(1, &along, &t[1], None, &TORCH.scatter));
    check("scatter of a number", &[&[2, 3]], &|t| t[0].scatter(1, &along, 2.0, None, &TORCH.scatter));
    check("scatter_add", pair, &|t| t[0].scatter_add(1, &along, &t[1], &TORCH.scatter_add));
    check("index_add", pair, &|t| t[0].index_add(1, &apart, &t[1], Scalar::Float(-2.5), &TORCH.index_add));
    check("index_copy", pair, &|t| t[0].index_copy(1, &apart, &t[1], &TORCH.index_copy));
    check("index_fill", &[&[2, 3], &[]], &|t| t[0].index_fill(1, &apart, &t[1], &TORCH.index_fill));
    check("put", &[&[2, 3], &[2, 2]], &|t| t[0].put(&along, &t[1], false, &TORCH.put));
    check("put accumulated", &[&[2, 3], &[2, 2]], &|t| t[0].put(&along, &t[1], true, &TORCH.put));
    check("index_put", &[&[3, 2], &[2]], &|t| t[0].index_put(&ix![&apart], &t[1], false, &TORCH.index_put));
    check("index_put accumulated", &[&[3, 2], &[2]], &|t| t[0].index_put(&ix![&apart], &t[1], true, &TORCH.index_put));
    check("masked_fill", &[&[2, 3], &[]], &|t| t[0].masked_fill(&mask, &t[1], &TORCH.masked_fill));
    check("masked_fill stretched", &[&[3], &[]], &|t| t[0].masked_fill(&mask, &t[1], &TORCH.masked_fill));
    check("masked_scatter", &[&[2, 3], &[5]], &|t| t[0].masked_scatter(&mask, &t[1], &TORCH.masked_scatter));
    check("tensor_scatter", &[&[2, 3], &[2]], &|t| t[0].tensor_scatter(&tuples, &t[1], None, &Rules::NEUTRAL));
    check("tensor_scatter added", &[&[2, 3], &[2]], &|t| {
        t[0].tensor_scatter(&tuples, &t[1], Some(Reduce::Sum), &Rules::NEUTRAL)
    });
    check("put_along", &[&[2, 3], &[1, 2]], &|t| t[0].put_along(1, &along, &t[1], &Rules::NEUTRAL));
    check("select_scatter", &[&[2, 3], &[3]], &|t| t[0].select_scatter(0, 1, &t[1], &TORCH.views));
    check("slice_scatter", pair, &|t| t[0].slice_scatter(1, (1..).into(), &t[1], &TORCH.views));
    check("diagonal_scatter", &[&[2, 3], &[2]], &|t| t[0].diagonal_scatter(1, 0, 1, &t[1], &TORCH.views));
}

#[test]
fn reductions() {
    let along = ints(&[2, 2], &[0, 2, 1, 1]);
    let at = ints(&[2], &[2, 2]);
    let tuples = ints(&[3, 2], &[0, 1, 1, 2, 0, 1]);
    for how in [Reduce::Sum, Reduce::Mean, Reduce::Prod, Reduce::Max, Reduce::Min] {
        for own in [true, false] {
            let what = format!("{how:?} include_self={own}");
            check(&format!("scatter_reduce {what}"), &[&[2, 3], &[2, 2]], &|t| {
                t[0].scatter_reduce(1, &along, &t[1], how, own, &TORCH.scatter_reduce)
            });
            check(&format!("scatter_reduce of a large source {what}"), &[&[2, 3], &[3, 3]], &|t| {
                t[0].scatter_reduce(1, &along, &t[1], how, own, &TORCH.scatter_reduce)
            });
            check(&format!("scatter_reduce_ {what}"), &[&[2, 3], &[2, 2]], &|t| {
                let y = t[0].clone_data()?;
                y.narrow(1, 0, 3)?.scatter_reduce_(1, &along, &t[1], how, own, &TORCH.scatter_reduce)?;
                y.scatter_reduce_(1, &along, &t[1], how, own, &TORCH.scatter_reduce)?;
                Ok(y)
            });
            check(&format!("index_reduce {what}"), &[&[2, 3], &[2, 2]], &|t| {
                t[0].index_reduce(1, &at, &t[1], how, own, &TORCH.index_reduce)
            });
        }
        check(&format!("tensor_scatter {how:?}"), &[&[2, 3], &[3]], &|t| {
            t[0].tensor_scatter(&tuples, &t[1], Some(how), &Rules::NEUTRAL)
        });
    }
    check("a product of what shares memory", &[&[3], &[2, 3]], &|t| {
        let wide = t[0].expand(&[2, 3])?;
        wide.scatter_reduce(1, &along, &t[1], Reduce::Prod, true, &TORCH.scatter_reduce)
    });
    check("a product with what shares memory", &[&[2, 3], &[2]], &|t| {
        let wide = t[1].expand(&[2, 2])?;
        t[0].scatter_reduce(1, &along, &wide, Reduce::Prod, true, &TORCH.scatter_reduce)
    });
    check("tensor_scatter divided", &[&[2, 3], &[3]], &|t| {
        t[0].tensor_scatter(&tuples, &t[1], Some(Reduce::Div), &Rules::NEUTRAL)
    });
    // The product of three numbers is linear in each, so its third derivative is one.
    let w = leaf(&[2.0, 3.0, 5.0], &[3]);
    let y = w.narrow(0, 0, 1).unwrap();
    let y = y.scatter_reduce(
        0,
        &ints(&[2], &[0, 0]),
        &w.narrow(0, 1, 2).unwrap(),
        Reduce::Prod,
        true,
        &TORCH.scatter_reduce,
    );
    let mut y = y.unwrap().sum(None, false, None).unwrap();
    for (k, want) in [vec![15.0, 10.0, 6.0], vec![0.0, 5.0, 3.0], vec![0.0, 0.0, 1.0]].iter().enumerate() {
        let g = grad::grad(&[(&y, None)], &[&w], Graph::CREATE, false).unwrap().remove(0).unwrap().to_dense().unwrap();
        let got = g.to_vec::<f64>().unwrap();
        assert!(got.iter().zip(want).all(|(a, b)| (a - b).abs() < 1e-12), "derivative {}: {got:?}", k + 1);
        y = g.select(0, k as i64).unwrap();
    }
}

#[test]
fn products_with_zeros() {
    let at = ints(&[2], &[0, 0]);
    let index = &at;
    let product =
        |x: &Tensor, s: &Tensor| x.scatter_reduce(0, index, s, Reduce::Prod, true, &TORCH.scatter_reduce).unwrap();
    for zero in 0..3 {
        let mut values = [2.0, 3.0, 5.0];
        values[zero] = 0.0;
        let (x, s) = (leaf(&values[..1], &[1]), leaf(&values[1..], &[2]));
        let [dx, ds] = &grad::grad(&[(&product(&x, &s), None)], &[&x, &s], Graph::CREATE, false).unwrap()[..] else {
            panic!()
        };
        let flat = |g: &Option<grad::Gradient>| g.as_ref().unwrap().to_dense().unwrap();
        let ones = leaf(&[1.0, 1.0], &[2]).detach();
        let twice =
            grad::grad(&[(&flat(dx), None), (&flat(ds), Some(&ones))], &[&x, &s], Graph::default(), false).unwrap();
        let [x, a, b] = values;
        assert_eq!(flat(&twice[0]).to_vec::<f64>().unwrap(), [a + b], "x={x}");
        assert_eq!(flat(&twice[1]).to_vec::<f64>().unwrap(), [b + x, a + x]);
    }
    let (x, s) = (leaf(&[2.0], &[1]), leaf(&[0.0, 0.0], &[2]));
    let y = product(&x, &s);
    let ds = grad::grad(&[(&y, None)], &[&s], Graph::CREATE, false).unwrap().remove(0).unwrap().to_dense().unwrap();
    let e = ds.sum(None, false, None).unwrap().backward(None, false).unwrap_err();
    let text = "scatter_reduce(): Double backward is unsupported for src when >1 zeros in src are scattered to the same \
                position in self";
    assert_eq!(e.text(), text);
}

#[test]
fn walks_end_where_they_are_asked_to() {
    let (w, u) = (leaf(&[1., 2., 3.], &[3]), leaf(&[1.], &[1]));
    let y = w.clone_data().unwrap();
    let part = y.narrow(0, 1, 2).unwrap();
    let wide = part.expand(&[2, 2]).unwrap();
    let z = wide.index(&ix![&ints(&[3], &[0, 1, 1])], &TORCH.get).unwrap();
    let all = z.sum(None, false, None).unwrap();
    let of = |t: &Tensor| {
        let g = grad::grad(&[(&all, None)], &[t], Graph::RETAIN, true).unwrap().remove(0);
        g.map(|g| g.to_dense().unwrap().to_vec::<f64>().unwrap())
    };
    assert_eq!(of(&w), Some(vec![0., 3., 3.]));
    assert_eq!(of(&y), of(&w));
    assert_eq!(of(&part), Some(vec![3., 3.]));
    assert_eq!(of(&wide), Some(vec![1., 1., 2., 2.]));
    assert_eq!(of(&all), Some(vec![1.]));
    assert_eq!(of(&u), None);
    assert_eq!(of(&y.narrow(0, 1, 2).unwrap()), None, "the same elements, but not what z came from");
    assert!(w.grad().is_none());
    let text = |r: Result<Vec<Option<grad::Gradient>>>| r.unwrap_err().text();
    assert_eq!(
        text(grad::grad(&[(&all, None)], &[&w, &u], Graph::RETAIN, false)),
        "The differentiated Tensor at index 1 appears to not have been used in the graph. Set allow_unused=True if this is \
         the desired behavior."
    );
    assert_eq!(
        text(grad::grad(&[(&all, None)], &[], Graph::RETAIN, false)),
        "`inputs` argument to `grad()` cannot be empty."
    );
    let plain = "One of the differentiated Tensors does not require grad";
    assert_eq!(text(grad::grad(&[(&all, None)], &[&w.detach()], Graph::RETAIN, false)), plain);

    part.retain_grad().unwrap();
    grad::backward(&[(&all, None)], Some(&[&y]), Graph::RETAIN).unwrap();
    let held = |t: &Tensor| t.grad().map(|g| g.to_dense().unwrap().to_vec::<f64>().unwrap());
    assert_eq!((held(&w), held(&y), held(&part)), (None, Some(vec![0., 3., 3.]), Some(vec![3., 3.])));
    all.backward(None, false).unwrap();
    assert_eq!((held(&w), held(&y), held(&part)), (Some(vec![0., 3., 3.]), Some(vec![0., 6., 6.]), Some(vec![6., 6.])));
    assert!(y.retains_grad() && part.retains_grad() && !w.retains_grad() && !wide.retains_grad());
}

/// A gradient that is recorded can be added to, and is not the tensor the walk began with.
#[test]
fn recorded_gradients_are_collected() {
    let (w, v) = (leaf(&[1., 2.], &[2]), leaf(&[3., 4.], &[2]));
    let y = w.clone_data().unwrap();
    grad::backward(&[(&y, Some(&v))], None, Graph::CREATE).unwrap();
    let first = w.grad().unwrap().to_dense().unwrap();
    assert_eq!((node_name(first.grad_fn().unwrap().op()), first.shares_memory(&v)), ("CloneBackward0", false));
    grad::backward(&[(&y, Some(&v))], None, Graph::CREATE).unwrap();
    let twice = w.grad().unwrap().to_dense().unwrap();
    assert_eq!((first.to_vec::<f64>().unwrap(), twice.to_vec::<f64>().unwrap()), (vec![3., 4.], vec![6., 8.]));
    w.set_grad(None).unwrap();
    twice.sum(None, false, None).unwrap().backward(None, false).unwrap();
    assert_eq!(v.grad().unwrap().to_dense().unwrap().to_vec::<f64>().unwrap(), [2., 2.]);
    y.backward(Some(&v), false).unwrap();
    assert!(!w.grad().unwrap().to_dense().unwrap().requires_grad());
}

#[test]
fn second_gradients_do_not_depend_on_threads() {
    let n = 20_000;
    let index = ints(&[n], &(0..n as i64).map(|k| k * k % 977).collect::<Vec<_>>());
    let waves = |n: usize, by: f64| -> Vec<f64> { (0..n).map(|k| 1.0 + (k as f64 * by).sin() / 32.0).collect() };
    let all = |threads| {
        takewise::threads::with_threads(threads, || {
            let (w, s, v) =
                (leaf(&waves(1000, 0.11), &[1000]), leaf(&waves(n, 0.37), &[n]), leaf(&waves(n, 0.7), &[n]));
            let mut bits: Vec<u64> = vec![];
            for how in [Reduce::Prod, Reduce::Max, Reduce::Mean] {
                let y = w.scatter_reduce(0, &index, &s, how, true, &TORCH.scatter_reduce).unwrap();
                let y = y.gather(0, &index, &TORCH.gather).unwrap();
                let first = grad::grad(&[(&y, Some(&v))], &[&w, &s], Graph::CREATE, false).unwrap();
                let first: Vec<Tensor> = first.into_iter().map(|g| g.unwrap().to_dense().unwrap()).collect();
                let ones: Vec<Tensor> = first.iter().map(|g| g.detach().ones_like().unwrap()).collect();
                let outputs: Vec<_> = first.iter().zip(&ones).map(|(g, one)| (g, Some(one))).collect();
                let second = grad::grad(&outputs, &[&w, &s, &v], Graph::default(), true).unwrap();
                let second = second.into_iter().flatten().map(|g| g.to_dense().unwrap());
                for t in first.iter().map(Tensor::detach).chain(second) {
                    bits.extend(t.to_vec::<f64>().unwrap().iter().map(|x| x.to_bits()));
                }
            }
            bits
        })
    };
    let one = all(1);
    assert!(one.len() > 6 * n && all(2) == one && all(7) == one);
}
