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
        sums[to.at] = to.from.iter().map(|from| gradient[from.at]).sum();
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
        assert_eq!(by_flows(&explained, &gradient, operand), want, "operand {operand}: {:?}", explained.flows);
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

/// Of products and extremes nothing is said rather than something wrong.
#[test]
fn what_is_no_sum_is_left_out() {
    for reduce in [Reduce::Prod, Reduce::Max, Reduce::Mean] {
        let g = given();
        let mut picture = Picture::new("", "takewise", "");
        picture.operand("x", Role::Data, &g.x.read_any().unwrap().view());
        picture.operand("v", Role::Values, &g.v.read_any().unwrap().view());
        let made = picture.watch(false, || g.x.scatter_reduce(0, &g.i, &g.v, reduce, true, &R)).unwrap();
        picture.result("result", &made.read_any().unwrap().view());
        assert!(picture.finish().flows.is_empty());
    }
}
