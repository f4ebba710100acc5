//! Complex gradients of everything that is not linear in its operands, against differences of the operation itself: a gradient
//! `d` of `z` says that the real part of `sum(conj(g) * result)` grows by the real part of `conj(d) * step` when `z` takes a
//! small step.

use takewise::grad::{self, Of};
use takewise::op::{Combine, Op};
use takewise::{AnyView, Complex, DType, Reduce, Rules, Scalar, Tensor, View, ops};

type C = Complex<f64>;

const STEP: f64 = 1e-6;

fn c(re: f64, im: f64) -> C {
    Complex { re, im }
}

fn view(values: &[C]) -> AnyView<'_> {
    View::from(values).any()
}

fn weight(g: &[C], result: &Tensor) -> f64 {
    let result = result.to_vec::<C>().unwrap();
    g.iter().zip(result).map(|(g, r)| (g.conj() * r).re).sum()
}

/// Compares a gradient of `operand` with differences of `f`.
fn check(name: &str, operand: &[C], gradient: &Tensor, g: &[C], f: impl Fn(&[C]) -> Tensor) {
    let gradient = gradient.to_vec::<C>().unwrap();
    assert_eq!(gradient.len(), operand.len(), "{name}");
    for k in 0..operand.len() {
        for step in [c(STEP, 0.0), c(0.0, STEP)] {
            let moved = |sign: f64| {
                let mut all = operand.to_vec();
                all[k] += step * sign;
                weight(g, &f(&all))
            };
            let (got, want) = ((gradient[k].conj() * step).re / STEP, (moved(1.0) - moved(-1.0)) / (2.0 * STEP));
            assert!((got - want).abs() < 1e-6, "{name}: place {k}, step {step}: {got} and not {want}");
        }
    }
}

const X: [C; 3] = [Complex { re: 1.0, im: 2.0 }, Complex { re: -0.5, im: 0.25 }, Complex { re: 0.0, im: 3.0 }];
const S: [C; 4] = [
    Complex { re: 2.0, im: -1.0 },
    Complex { re: 1.0, im: 1.0 },
    Complex { re: 0.0, im: 0.0 },
    Complex { re: -1.5, im: 0.5 },
];
const G: [C; 3] = [Complex { re: 0.5, im: 1.0 }, Complex { re: 1.0, im: -2.0 }, Complex { re: -1.0, im: 0.75 }];

#[test]
fn products_means_and_sums_at_places() {
    // A zero alone in its place, and one beside others.
    for index in [[0i64, 0, 1, 2], [0, 1, 0, 0]] {
        let at = View::from(&index[..]);
        for how in [Reduce::Prod, Reduce::Sum, Reduce::Mean] {
            for own in [true, false] {
                let rules = Rules::NEUTRAL;
                let run = |x: &[C], s: &[C]| ops::scatter_reduce(view(x), 0, &at, view(s), how, own, &rules).unwrap();
                let (dx, ds) = grad::scatter_reduce(view(&G), 0, &at, view(&X), view(&S), how, own, &rules).unwrap();
                let name = format!("scatter_reduce {how:?} {own} {index:?}");
                check(&name, &X, &dx, &G, |x| run(x, &S));
                check(&name, &S, &ds, &G, |s| run(&X, s));
                let run = |x: &[C], s: &[C]| ops::index_reduce(view(x), 0, &at, view(s), how, own, &rules).unwrap();
                let (dx, ds) = grad::index_reduce(view(&G), 0, &at, view(&X), view(&S), how, own, &rules).unwrap();
                check(&name, &X, &dx, &G, |x| run(x, &S));
                check(&name, &S, &ds, &G, |s| run(&X, s));
            }
        }
    }
}

#[test]
fn products_and_quotients_at_tuples() {
    let index = [0i64, 0, 2];
    let at = View::new(&index, &[3, 1]).unwrap();
    let s = [S[0], S[1], S[3]];
    for how in [Reduce::Prod, Reduce::Div, Reduce::Sum] {
        let rules = Rules::NEUTRAL;
        let run = |x: &[C], s: &[C]| {
            ops::tensor_scatter(view(x), &at, view(s), Some(how), Op::TensorScatter(Combine::Update), &rules).unwrap()
        };
        let (dx, ds) = grad::tensor_scatter_reduce(view(&G), &at, view(&X), view(&s), how, &rules).unwrap();
        check(&format!("{how:?} of an array"), &X, &dx, &G, |x| run(x, &s));
        check(&format!("{how:?} of values"), &s, &ds, &G, |s| run(&X, s));
    }
}

#[test]
fn a_complex_factor_of_index_add() {
    let index = [2i64, 0];
    let (at, s, alpha) = (View::from(&index[..]), [S[0], S[3]], Scalar::Complex(0.5, -2.0));
    let rules = Rules::NEUTRAL;
    let run = |s: &[C]| ops::index_add(view(&X), 0, &at, view(s), alpha, &rules).unwrap();
    let ds = grad::index_add(view(&G), Of::Source(&[2]), 0, &at, alpha, &rules).unwrap();
    check("index_add", &s, &ds, &G, run);
}

/// What is recorded, and what of it is differentiated again: the gradient of a gradient is one of the gradient's formula.
#[test]
fn recorded_products_and_the_gradients_of_their_gradients() {
    let index = Tensor::from_slice(&[0i64, 0, 2], &[3]).unwrap();
    let s = [S[0], S[1], S[3]];
    let leaf = |values: &[C]| {
        let mut t = Tensor::from_slice(values, &[values.len()]).unwrap();
        t.requires_grad_(true).unwrap();
        t
    };
    let g = Tensor::from_slice(&G, &[3]).unwrap();
    // The gradient of the source, weighted by another.
    let first = |x: &Tensor, s: &Tensor| {
        let y = x.scatter_reduce(0, &index, s, Reduce::Prod, true, &Rules::NEUTRAL).unwrap();
        let graph = grad::Graph { create: true, retain: true };
        grad::grad(&[(&y, Some(&g))], &[s], graph, false).unwrap()
    };
    let (x, t) = (leaf(&X), leaf(&s));
    let ds = first(&x, &t)[0].clone().unwrap().to_dense().unwrap();
    assert_eq!(ds.dtype(), DType::C128);
    let weights = [G[2], G[0], G[1]];
    let w = Tensor::from_slice(&weights, &[3]).unwrap();
    let graph = grad::Graph { create: false, retain: false };
    let dd = grad::grad(&[(&ds, Some(&w))], &[&x, &t], graph, false).unwrap();
    let dense = |k: usize| dd[k].clone().unwrap().to_dense().unwrap();
    let again = |x: &[C], s: &[C]| first(&leaf(x), &leaf(s))[0].clone().unwrap().to_dense().unwrap().detach();
    check("again, of the array", &X, &dense(0), &weights, |x| again(x, &s));
    check("again, of the source", &s, &dense(1), &weights, |s| again(&X, s));
}
