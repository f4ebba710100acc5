//! Every vector-Jacobian product against central differences of its operation in f64, over exhaustive small tables.

use takewise::error::Result;
use takewise::grad::{self, Of};
use takewise::index::rules::{Duplicates, Outside, Rules, Sign};
use takewise::op::Op;
use takewise::ops::{self, Prepared};
use takewise::{AnyView, DType, Reduce, Scalar, Tensor, ix};
use takewise_dialects::rules::{Dialect, TORCH};

const R: Rules = Rules::NEUTRAL;

/// Numbers without small common multiples, different in every place.
fn tensor(shape: &[usize], seed: usize) -> Tensor {
    let n: usize = shape.iter().product();
    let data = (0..n).map(|k| ((k * 37 + seed * 11) % 101) as f64 + 2.0).collect();
    Tensor::from_vec::<f64>(data, shape).unwrap()
}

fn ints(shape: &[usize], data: &[i64]) -> Tensor {
    Tensor::from_slice(data, shape).unwrap()
}

/// Every list of `m` numbers from `low` to `high`.
fn lists(m: usize, low: i64, high: i64) -> Vec<Vec<i64>> {
    let mut all = vec![vec![]];
    for _ in 0..m {
        all = all.iter().flat_map(|l| (low..=high).map(move |v| [&l[..], &[v]].concat())).collect();
    }
    all
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
            for values in lists(m, low.max(-2), high.min(2)) {
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
    let (n, mut count) = (x.numel(), 0);
    count += check(
        &format!("gather {what}"),
        std::slice::from_ref(x),
        1.0,
        |t| view(&t[0], |x| ops::gather(x, 0, i.clone(), rules)),
        |g, _| view(g, |g| Ok(vec![grad::gather(&[n], 0, i.clone(), g, rules)?])),
    );
    count += check(
        &format!("take {what}"),
        std::slice::from_ref(x),
        1.0,
        |t| view(&t[0], |x| ops::take(x, i.clone(), rules)),
        |g, _| view(g, |g| Ok(vec![grad::take(&[n], i.clone(), g, rules)?])),
    );
    count += check(
        &format!("index_select {what}"),
        std::slice::from_ref(x),
        1.0,
        |t| view(&t[0], |x| ops::index_select(x, 0, i.clone(), rules)),
        |g, _| view(g, |g| Ok(vec![grad::index_select(&[n], 0, i.clone(), g, rules)?])),
    );
    count
}

fn line_stores(pair: &[Tensor; 2], i: &AnyView<'_>, rules: &Rules, what: &str) -> usize {
    let (m, mut count) = (i.shape(), 0);
    for duplicates in [Duplicates::Last, Duplicates::First] {
        let rules = &Rules { duplicates, ..*rules };
        count += check(
            &format!("scatter {duplicates:?} {what}"),
            pair,
            1.0,
            |t| view(&t[0], |x| view(&t[1], |s| ops::scatter(x, 0, i.clone(), s, None, rules))),
            |g, _| {
                view(g, |g| {
                    Ok(vec![
                        grad::scatter(g.clone(), Of::Input, 0, i.clone(), rules)?,
                        grad::scatter(g, Of::Source(m), 0, i.clone(), rules)?,
                    ])
                })
            },
        );
        for accumulate in [false, true] {
            count += check(
                &format!("put {accumulate} {duplicates:?} {what}"),
                pair,
                1.0,
                |t| view(&t[0], |x| view(&t[1], |s| ops::put(x, i.clone(), s, accumulate, rules))),
                |g, _| {
                    view(g, |g| {
                        Ok(vec![
                            grad::put(g.clone(), Of::Input, i.clone(), accumulate, rules)?,
                            grad::put(g, Of::Source(m), i.clone(), accumulate, rules)?,
                        ])
                    })
                },
            );
        }
        count += check(
            &format!("index_copy {duplicates:?} {what}"),
            pair,
            1.0,
            |t| view(&t[0], |x| view(&t[1], |s| ops::index_copy(x, 0, i.clone(), s, rules))),
            |g, _| {
                view(g, |g| {
                    Ok(vec![
                        grad::index_copy(g.clone(), Of::Input, 0, i.clone(), rules)?,
                        grad::index_copy(g, Of::Source(m), 0, i.clone(), rules)?,
                    ])
                })
            },
        );
    }
    count
}

fn line_sums(pair: &[Tensor; 2], i: &AnyView<'_>, rules: &Rules, what: &str) -> usize {
    let (m, mut count) = (i.shape(), 0);
    count += check(
        &format!("scatter_add {what}"),
        pair,
        1.0,
        |t| view(&t[0], |x| view(&t[1], |s| ops::scatter_add(x, 0, i.clone(), s, rules))),
        |g, _| {
            view(g, |g| {
                Ok(vec![
                    grad::scatter_add(g.clone(), Of::Input, 0, i.clone(), rules)?,
                    grad::scatter_add(g, Of::Source(m), 0, i.clone(), rules)?,
                ])
            })
        },
    );
    count += check(
        &format!("index_add {what}"),
        pair,
        1.0,
        |t| view(&t[0], |x| view(&t[1], |s| ops::index_add(x, 0, i.clone(), s, Scalar::Float(-2.5), rules))),
        |g, _| {
            view(g, |g| {
                Ok(vec![
                    grad::index_add(g.clone(), Of::Input, 0, i.clone(), Scalar::Float(-2.5), rules)?,
                    grad::index_add(g, Of::Source(m), 0, i.clone(), Scalar::Float(-2.5), rules)?,
                ])
            })
        },
    );
    // The value is read out of the array before the fill, so differences are taken of the number.
    let value = tensor(&[], 3);
    count += check(
        &format!("index_fill {what}"),
        &[pair[0].clone(), value],
        1.0,
        |t| view(&t[0], |x| view(&t[1], |v| ops::index_fill(x, 0, i.clone(), v, rules))),
        |g, _| {
            view(g, |g| {
                Ok(vec![
                    grad::index_fill(g.clone(), Of::Input, 0, i.clone(), rules)?,
                    grad::index_fill(g, Of::Source(&[]), 0, i.clone(), rules)?,
                ])
            })
        },
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
            let linear = matches!(how, Reduce::Sum | Reduce::Mean);
            let name = format!("{how:?} include_self={include} {what}");
            count += check(
                &format!("scatter_reduce {name}"),
                pair,
                if linear { 1.0 } else { 1e-4 },
                |t| view(&t[0], |x| view(&t[1], |s| ops::scatter_reduce(x, 0, i.clone(), s, how, include, rules))),
                |g, t| {
                    view(g, |g| {
                        view(&t[0], |x| {
                            view(&t[1], |s| {
                                let (a, b) = grad::scatter_reduce(g, 0, i.clone(), x, s, how, include, rules)?;
                                Ok(vec![a, b])
                            })
                        })
                    })
                },
            );
            count += check(
                &format!("index_reduce {name}"),
                pair,
                if linear { 1.0 } else { 1e-4 },
                |t| view(&t[0], |x| view(&t[1], |s| ops::index_reduce(x, 0, i.clone(), s, how, include, rules))),
                |g, t| {
                    view(g, |g| {
                        view(&t[0], |x| {
                            view(&t[1], |s| {
                                let (a, b) = grad::index_reduce(g, 0, i.clone(), x, s, how, include, rules)?;
                                Ok(vec![a, b])
                            })
                        })
                    })
                },
            );
        }
    }
    count
}

/// Products of every combination of zeros and non-zeros; they are linear in each factor.
#[test]
fn products_with_zeros() {
    for zeros in lists(5, 0, 1) {
        let at = |k: usize| if zeros[k] == 1 { 0.0 } else { k as f64 + 2.0 };
        let x = Tensor::from_slice(&[at(0), at(1)], &[2]).unwrap();
        let src = Tensor::from_slice(&[at(2), at(3), at(4)], &[3]).unwrap();
        for values in lists(3, 0, 1) {
            let index = ints(&[3], &values);
            for include in [true, false] {
                let i = index.read_any().unwrap();
                check(
                    &format!("{zeros:?} by {values:?} {include}"),
                    &[x.clone(), src.clone()],
                    1.0,
                    |t| {
                        view(&t[0], |x| {
                            view(&t[1], |s| ops::scatter_reduce(x, 0, i.view(), s, Reduce::Prod, include, &R))
                        })
                    },
                    |g, t| {
                        view(g, |g| {
                            view(&t[0], |x| {
                                view(&t[1], |s| {
                                    let (a, b) = grad::scatter_reduce(g, 0, i.view(), x, s, Reduce::Prod, include, &R)?;
                                    Ok(vec![a, b])
                                })
                            })
                        })
                    },
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
    let shapes: Vec<Vec<usize>> =
        (1..=3).flat_map(|r| lists(r, 1, 3)).map(|s| s.iter().map(|n| *n as usize).collect()).collect();
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
        let (x, src, what) = (tensor(shape, 0), tensor(&large, 1), format!("{shape:?} along {d} by {small:?}"));
        count += check(
            &format!("gather {what}"),
            std::slice::from_ref(&x),
            1.0,
            |t| view(&t[0], |x| ops::gather(x, dim, i.clone(), &R)),
            |g, _| view(g, |g| Ok(vec![grad::gather(shape, dim, i.clone(), g, &R)?])),
        );
        count += check(
            &format!("scatter {what}"),
            &[x.clone(), src.clone()],
            1.0,
            |t| view(&t[0], |x| view(&t[1], |s| ops::scatter(x, dim, i.clone(), s, None, &R))),
            |g, _| {
                view(g, |g| {
                    Ok(vec![
                        grad::scatter(g.clone(), Of::Input, dim, i.clone(), &R)?,
                        grad::scatter(g, Of::Source(&large), dim, i.clone(), &R)?,
                    ])
                })
            },
        );
        count += check(
            &format!("scatter_add {what}"),
            &[x.clone(), src.clone()],
            1.0,
            |t| view(&t[0], |x| view(&t[1], |s| ops::scatter_add(x, dim, i.clone(), s, &R))),
            |g, _| {
                view(g, |g| {
                    Ok(vec![
                        grad::scatter_add(g.clone(), Of::Input, dim, i.clone(), &R)?,
                        grad::scatter_add(g, Of::Source(&large), dim, i.clone(), &R)?,
                    ])
                })
            },
        );
        for how in [Reduce::Mean, Reduce::Prod, Reduce::Max] {
            for include in [true, false] {
                count += check(
                    &format!("{how:?} {include} {what}"),
                    &[x.clone(), src.clone()],
                    1e-4,
                    |t| view(&t[0], |x| view(&t[1], |s| ops::scatter_reduce(x, dim, i.clone(), s, how, include, &R))),
                    |g, t| {
                        view(g, |g| {
                            view(&t[0], |x| {
                                view(&t[1], |s| {
                                    let (a, b) = grad::scatter_reduce(g, dim, i.clone(), x, s, how, include, &R)?;
                                    Ok(vec![a, b])
                                })
                            })
                        })
                    },
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
        count += check(
            &format!("take_along {xs:?} by {is:?}"),
            &[tensor(xs, 0)],
            1.0,
            |t| view(&t[0], |x| ops::take_along(x, Some(d as i64), i.view(), &R)),
            |g, _| view(g, |g| Ok(vec![grad::take_along(xs, Some(d as i64), i.view(), g, &R)?])),
        );
        let whole = fill(&[2, 2]);
        let w = whole.read_any().unwrap();
        count += check(
            "take_along flat",
            &[tensor(xs, 0)],
            1.0,
            |t| view(&t[0], |x| ops::take_along(x, None, w.view(), &R)),
            |g, _| view(g, |g| Ok(vec![grad::take_along(xs, None, w.view(), g, &R)?])),
        );
    }
    for rows in [vec![], vec![0], vec![2, 2]] {
        let index = fill(&rows);
        let i = index.read_any().unwrap();
        count += check(
            &format!("gather_axis {shape:?} {d} {rows:?}"),
            &[tensor(shape, 0)],
            1.0,
            |t| view(&t[0], |x| ops::gather_axis(x, d as i64, i.view(), 0, &R)),
            |g, _| view(g, |g| Ok(vec![grad::gather_axis(shape, d as i64, i.view(), 0, g, &R)?])),
        );
    }
    if d > 0 {
        let index = fill(&[shape[0], 2]);
        let i = index.read_any().unwrap();
        count += check(
            &format!("gather_axis batched {shape:?} {d}"),
            &[tensor(shape, 0)],
            1.0,
            |t| view(&t[0], |x| ops::gather_axis(x, d as i64, i.view(), 1, &R)),
            |g, _| view(g, |g| Ok(vec![grad::gather_axis(shape, d as i64, i.view(), 1, g, &R)?])),
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
            check(
                "gather_nd",
                &pair[..1],
                1.0,
                |t| view(&t[0], |x| ops::gather_nd(x, i.view(), 0, &R)),
                |g, _| view(g, |g| Ok(vec![grad::gather_nd(&shape, i.view(), 0, g, &R)?])),
            );
            for (how, sums) in [(None, false), (Some(Reduce::Sum), true)] {
                check(
                    "tensor_scatter",
                    &pair,
                    1.0,
                    |t| view(&t[0], |x| view(&t[1], |u| ops::tensor_scatter(x, i.view(), u, how, Op::ScatterNd, &R))),
                    |g, _| {
                        view(g, |g| {
                            Ok(vec![
                                grad::tensor_scatter(g.clone(), Of::Input, i.view(), sums, &R)?,
                                grad::tensor_scatter(g, Of::Source(&updates), i.view(), sums, &R)?,
                            ])
                        })
                    },
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
            check(
                "masked_select",
                std::slice::from_ref(&x),
                1.0,
                |t| view(&t[0], |x| ops::masked_select(x, m.clone(), &R)),
                |g, _| view(g, |g| Ok(vec![grad::masked_select(&xs, m.clone(), g, &R)?])),
            );
            check(
                "masked_fill",
                &[x.clone(), tensor(&[], 1)],
                1.0,
                |t| view(&t[0], |x| view(&t[1], |v| ops::masked_fill(x, m.clone(), v, &R))),
                |g, _| {
                    view(g, |g| {
                        let own = grad::masked_fill(g.clone(), Of::Input, m.clone(), &R)?;
                        let own = view(&own, |own| grad::broadcast(&xs, own))?;
                        Ok(vec![own, grad::masked_fill(g, Of::Source(&[]), m.clone(), &R)?])
                    })
                },
            );
            check(
                "masked_scatter",
                &[x.clone(), tensor(&[2, 4], 1)],
                1.0,
                |t| view(&t[0], |x| view(&t[1], |s| ops::masked_scatter(x, m.clone(), s, &R))),
                |g, _| {
                    view(g, |g| {
                        let own = grad::masked_scatter(g.clone(), Of::Input, m.clone(), &R)?;
                        let own = view(&own, |own| grad::broadcast(&xs, own))?;
                        Ok(vec![own, grad::masked_scatter(g, Of::Source(&[2, 4]), m.clone(), &R)?])
                    })
                },
            );
            check(
                "where",
                &[x.clone(), tensor(&[3], 1)],
                1.0,
                |t| view(&t[0], |a| view(&t[1], |b| ops::where_(m.clone(), a, b, DType::F64, &R))),
                |g, _| {
                    view(g, |g| {
                        let (a, b) = grad::where_(m.clone(), &xs, &[3], g, &R)?;
                        Ok(vec![a, b])
                    })
                },
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
            check(
                &what,
                std::slice::from_ref(&x),
                1.0,
                |t| view(&t[0], |x| ops::index(x, items, &dialect.get)),
                |g, _| view(g, |g| Ok(vec![grad::index(&[3, 3], items, g, &dialect.get)?])),
            );
            let shape = view(&x, |x| ops::index(x, items, &dialect.get)).unwrap().shape().to_vec();
            let ones: Vec<usize> = std::iter::once(1).chain(shape.iter().copied()).collect();
            let last: Vec<usize> = shape.last().map_or(vec![], |n| vec![*n]);
            for value in [shape, ones, last, vec![]] {
                check(
                    &format!("{what} = {value:?}"),
                    &[x.clone(), tensor(&value, 1)],
                    1.0,
                    |t| view(&t[0], |x| view(&t[1], |v| ops::index_set(x, items, v, &dialect.set))),
                    |g, _| {
                        view(g, |g| {
                            Ok(vec![
                                grad::index_set(g.clone(), Of::Input, items, &dialect.set)?,
                                grad::index_set(g, Of::Source(&value), items, &dialect.set)?,
                            ])
                        })
                    },
                );
            }
        }
    }
    check(
        "index_put accumulate",
        &[tensor(&[3, 3], 0), tensor(&[2], 1)],
        1.0,
        |t| view(&t[0], |x| view(&t[1], |v| ops::index_put(x, &ix![&i, &i], v, true, &R))),
        |g, _| {
            view(g, |g| {
                Ok(vec![
                    grad::index_put(g.clone(), Of::Input, &ix![&i, &i], true, &R)?,
                    grad::index_put(g, Of::Source(&[2]), &ix![&i, &i], true, &R)?,
                ])
            })
        },
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
    let (x, row) = (tensor(&[3, 3], 0), tensor(&[3], 1));
    check(
        "select_scatter",
        &[x.clone(), row.clone()],
        1.0,
        |t| view(&t[0], |x| view(&t[1], |s| ops::select_scatter(x, 1, -1, s, &R))),
        |g, _| {
            view(g, |g| {
                Ok(vec![
                    grad::select_scatter(g.clone(), Of::Input, 1, -1, &R)?,
                    grad::select_scatter(g, Of::Source(&[3]), 1, -1, &R)?,
                ])
            })
        },
    );
    check(
        "slice_scatter",
        &[x.clone(), tensor(&[2, 3], 1)],
        1.0,
        |t| view(&t[0], |x| view(&t[1], |s| ops::slice_scatter(x, 0, (1..).into(), s, &R))),
        |g, _| {
            view(g, |g| {
                Ok(vec![
                    grad::slice_scatter(g.clone(), Of::Input, 0, (1..).into(), &R)?,
                    grad::slice_scatter(g, Of::Source(&[2, 3]), 0, (1..).into(), &R)?,
                ])
            })
        },
    );
    check(
        "diagonal_scatter",
        &[x.clone(), row],
        1.0,
        |t| view(&t[0], |x| view(&t[1], |s| ops::diagonal_scatter(x, 0, 0, 1, s, &R))),
        |g, _| {
            view(g, |g| {
                Ok(vec![
                    grad::diagonal_scatter(g.clone(), Of::Input, 0, 0, 1, &R)?,
                    grad::diagonal_scatter(g, Of::Source(&[3]), 0, 0, 1, &R)?,
                ])
            })
        },
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
    check(
        "read",
        &[tensor(&[3, 2], 0)],
        1.0,
        |t| view(&t[0], |x| plan.read(x)),
        |g, _| view(g, |g| Ok(vec![plan.read_vjp(g)?])),
    );
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
