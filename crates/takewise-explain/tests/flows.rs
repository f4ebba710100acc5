//! Where a gradient is said to flow is where the engine's own gradients go.

use std::collections::HashMap;
use takewise::{Reduce, Result, Rules, Tensor};
use takewise_explain::Picture;
use takewise_explain::data::{Explanation, Role};

const R: Rules = Rules::NEUTRAL;

struct Given {
    x: Tensor,
    v: Tensor,
    i: Tensor,
    mask: Tensor,
}

fn given() -> Given {
    let numbers = |from: f64| Tensor::from_fn(&[3, 4], |k| from + k as f64).unwrap();
    let (mut x, mut v) = (numbers(0.5), numbers(100.0));
    x.requires_grad_(true).unwrap();
    v.requires_grad_(true).unwrap();
    let i = Tensor::from_fn(&[3, 4], |k| [2i64, 0, 2, 1, 1, 0, 0][k % 7]).unwrap();
    let mask = Tensor::from_fn(&[3, 4], |k| k % 3 == 0).unwrap();
    Given { x, v, i, mask }
}

/// The gradients of `x` and `v`, by the lists of an explanation.
fn by_flows(explained: &Explanation, gradient: &[f64], operand: usize) -> Vec<f64> {
    let mut sums = vec![0.0; 12];
    let flows: HashMap<usize, _> = explained.flows.iter().map(|flow| (flow.operand, &flow.to)).collect();
    for to in flows.get(&operand).into_iter().flat_map(|to| to.iter()) {
        let times = |k: usize| to.times.get(k).map_or(1.0, |text| text.parse::<f64>().unwrap());
        sums[to.at] = to.from.iter().enumerate().map(|(k, from)| gradient[from.at] * times(k)).sum();
    }
    sums
}

fn check(call: impl FnOnce(&Given) -> Result<Tensor>) {
    let g = given();
    let mut picture = Picture::new("", "takewise", "");
    for (name, role, array) in
        [("x", Role::Data, &g.x), ("v", Role::Values, &g.v), ("i", Role::Index, &g.i), ("mask", Role::Mask, &g.mask)]
    {
        picture.operand(name, role, &array.read_any().unwrap().view());
    }
    let made = picture.watch(false, || call(&g)).unwrap();
    picture.result("result", &made.read_any().unwrap().view());
    let explained = picture.finish();
    let gradient: Vec<f64> = (0..made.numel()).map(|k| ((k * k) % 7 + 1) as f64).collect();
    let weights = Tensor::from_slice(&gradient, made.shape()).unwrap();
    made.backward(Some(&weights), false).unwrap();
    for (operand, leaf) in [&g.x, &g.v].into_iter().enumerate() {
        let want = leaf.grad().map_or(vec![0.0; 12], |grad| grad.to_dense().unwrap().to_vec::<f64>().unwrap());
        let got = by_flows(&explained, &gradient, operand);
        let near = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-12 * a.abs().max(b.abs());
        assert!(got.iter().zip(&want).all(near), "operand {operand}: {got:?}, not {want:?}: {:?}", explained.flows);
    }
}

#[test]
fn gradients_flow_as_they_are_said_to() {
    check(|g| g.x.gather(0, &g.i, &R));
    check(|g| g.x.take(&g.i, &R));
    check(|g| g.x.scatter_add(0, &g.i, &g.v, &R));
    check(|g| g.x.masked_select(&g.mask, &R));
    check(|g| g.x.masked_fill(&g.mask, 3.0, &R));
    check(|g| g.x.t());
    let rows = |g: &Given| g.i.select(1, 0)?.contiguous();
    check(|g| g.x.index_select(0, &rows(g)?, &R));
    check(|g| g.x.index_add(0, &rows(g)?, &g.v, takewise::Scalar::Int(1), &R));
    let order = Tensor::from_slice(&[2i64, 0, 1], &[3]).unwrap();
    check(|g| g.x.index_copy(0, &order, &g.v, &R));
    check(|g| g.mask.where_(&g.x, &g.v, takewise::DType::F64, &R));
}

/// Shares of means and extremes, factors of products, `alpha`.
#[test]
fn gradients_are_multiplied_as_they_are_said_to_be() {
    for reduce in [Reduce::Sum, Reduce::Prod, Reduce::Mean, Reduce::Max, Reduce::Min] {
        for include_self in [true, false] {
            check(|g| g.x.scatter_reduce(0, &g.i, &g.v, reduce, include_self, &R));
            let rows = |g: &Given| g.i.select(1, 0)?.contiguous();
            if reduce != Reduce::Sum {
                check(|g| g.x.index_reduce(0, &rows(g)?, &g.v, reduce, include_self, &R));
            }
        }
    }
    let rows = |g: &Given| g.i.select(1, 0)?.contiguous();
    check(|g| g.x.index_add(0, &rows(g)?, &g.v, takewise::Scalar::Float(2.5), &R));
}

/// All that are the extreme have equal shares.
#[test]
fn ties_are_shared() {
    let values = |v: &[f64]| Tensor::from_slice(v, &[v.len()]).unwrap();
    let (mut x, mut v) = (values(&[5.0, 1.0]), values(&[5.0, 5.0, 2.0]));
    x.requires_grad_(true).unwrap();
    v.requires_grad_(true).unwrap();
    let i = Tensor::from_slice(&[0i64, 0, 0], &[3]).unwrap();
    let mut picture = Picture::new("", "takewise", "");
    picture.operand("x", Role::Data, &x.read_any().unwrap().view());
    picture.operand("v", Role::Values, &v.read_any().unwrap().view());
    let made = picture.watch(false, || x.scatter_reduce(0, &i, &v, Reduce::Max, true, &R)).unwrap();
    picture.result("result", &made.read_any().unwrap().view());
    let flows = picture.finish().flows;
    let third = (1.0f64 / 3.0).to_string();
    assert!(flows[0].to[0].times.iter().eq([&third]));
    assert_eq!(
        flows[1].to.iter().map(|to| (to.at, to.times[0].clone())).collect::<Vec<_>>(),
        [(0, third.clone()), (1, third)]
    );
}
