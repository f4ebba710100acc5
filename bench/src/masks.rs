//! Reads and writes through masks: densities, element sizes, and the forms that share them.

use crate::families::random;
use crate::table::Case;
use arrow_array::cast::AsArray;
use arrow_array::types::Float32Type;
use arrow_array::{BooleanArray, Float32Array};
use arrow_select::filter::filter;
use candle_core::{Device, Tensor as Candle};
use takewise::ops;
use takewise::{AnyView, AnyViewMut, Element, Index, Rules, Scalar, Tensor, View, ViewMut};
use takewise_dialects::rules::TORCH;

const R: Rules = Rules::NEUTRAL;

/// Elements of a workload; a square of 1000 where the shape counts.
const N: usize = 1_000_000;

/// An element that a checksum can be made of.
trait Sample: Element + PartialEq + 'static {
    fn of(k: usize) -> Self;
    fn number(self) -> f64;
}

macro_rules! samples {
    ($($t:ty),*) => {$(
        impl Sample for $t {
            fn of(k: usize) -> $t { (k % 101) as $t }
            fn number(self) -> f64 { self as f64 }
        }
    )*};
}
samples!(u8, f32, f64);

/// An element of 16 bytes.
#[derive(Clone, Copy, PartialEq)]
struct Pair(f64, f64);

// SAFETY: two numbers, without padding.
unsafe impl Element for Pair {
    const DTYPE: takewise::DType = takewise::DType::C128;
}

impl Sample for Pair {
    fn of(k: usize) -> Pair {
        Pair((k % 101) as f64, k as f64)
    }
    fn number(self) -> f64 {
        self.0 + self.1
    }
}

/// A checksum of a few places.
fn probe<T: Sample>(v: &[T]) -> f64 {
    let n = v.len();
    if n == 0 { 0.0 } else { [0, n / 3, n / 2, n - 1].iter().map(|&k| v[k].number()).sum() }
}

fn of<T: Sample>(t: Tensor) -> f64 {
    t.read::<T>().map(|r| r.as_slice().map_or(f64::NAN, probe)).unwrap_or(f64::NAN)
}

/// A mask by name: a percentage, or runs of a hundred.
fn mask(kind: &str) -> Vec<bool> {
    match kind {
        "runs" => {
            let mut on = false;
            let turn = |v: &i64| {
                on ^= *v == 0;
                on
            };
            random(N, 100).iter().map(turn).collect()
        }
        percent => {
            let percent: i64 = percent.trim_end_matches('%').parse().unwrap();
            random(N, 100).iter().map(|v| *v < percent).collect()
        }
    }
}

const KINDS: [&str; 4] = ["1%", "50%", "99%", "runs"];

/// Workloads of one element type.
fn typed<T: Sample>(run: &mut dyn FnMut(Case), dtype: &str) {
    let x: Vec<T> = (0..N).map(T::of).collect();
    for kind in KINDS {
        let m = mask(kind);
        let (xv, mv) = (View::new(&x, &[1000, 1000]).unwrap().any(), View::new(&m, &[1000, 1000]).unwrap().any());
        run(Case {
            name: &format!("mask: get {kind} {dtype}"),
            elements: N,
            engines: vec![
                ("takewise", Box::new(|| of::<T>(ops::index(&xv, &[Index::Array(mv.clone())], &TORCH.get).unwrap()))),
                (
                    "loop",
                    Box::new(|| probe(&x.iter().zip(&m).filter(|(_, m)| **m).map(|(x, _)| *x).collect::<Vec<T>>())),
                ),
                (
                    "branchless",
                    Box::new(|| {
                        let n = m.iter().filter(|m| **m).count();
                        let mut out = vec![T::of(0); n + 1];
                        let mut k = 0;
                        for (x, m) in x.iter().zip(&m) {
                            out[k] = *x;
                            k += usize::from(*m);
                        }
                        out.pop();
                        probe(&out)
                    }),
                ),
            ],
        });
        stores(run, kind, dtype, &x, &m);
    }
}

/// Stores of one number and of as many values as the mask selects, and their new-array forms.
fn stores<T: Sample>(run: &mut dyn FnMut(Case), kind: &str, dtype: &str, x: &[T], m: &[bool]) {
    let shape = [1000, 1000];
    let mv = View::new(m, &shape).unwrap().any();
    let (mut a, mut b) = (x.to_vec(), x.to_vec());
    let (value, seven) = (Scalar::Int(7), T::of(7));
    let one = [seven];
    let given: AnyView = View::new(&one, &[]).unwrap().any();
    run(Case {
        name: &format!("mask: set number {kind} {dtype}"),
        elements: N,
        engines: vec![
            (
                "takewise",
                Box::new(|| {
                    let mut dst: AnyViewMut = ViewMut::new(&mut a, &shape).unwrap().into();
                    ops::index_set_(&mut dst, &[Index::Array(mv.clone())], given.clone(), &TORCH.set).unwrap();
                    probe(&a)
                }),
            ),
            (
                "loop",
                Box::new(|| {
                    b.iter_mut().zip(m).for_each(|(x, m)| {
                        if *m {
                            *x = seven
                        }
                    });
                    probe(&b)
                }),
            ),
        ],
    });
    let count = m.iter().filter(|m| **m).count();
    let values: Vec<T> = (0..count).map(T::of).collect();
    run(Case {
        name: &format!("mask: set values {kind} {dtype}"),
        elements: N,
        engines: vec![
            (
                "takewise",
                Box::new(|| {
                    let mut dst: AnyViewMut = ViewMut::new(&mut a, &shape).unwrap().into();
                    let values = View::from(&values[..]).any();
                    ops::index_set_(&mut dst, &[Index::Array(mv.clone())], values, &TORCH.set).unwrap();
                    probe(&a)
                }),
            ),
            (
                "loop",
                Box::new(|| {
                    let mut next = values.iter();
                    b.iter_mut().zip(m).filter(|(_, m)| **m).zip(&mut next).for_each(|((x, _), v)| *x = *v);
                    probe(&b)
                }),
            ),
        ],
    });
    if kind != "50%" {
        return;
    }
    let xv = View::new(x, &shape).unwrap().any();
    let y: Vec<T> = (0..N).map(|k| T::of(k + 5)).collect();
    let yv = View::new(&y, &shape).unwrap().any();
    run(Case {
        name: &format!("mask: masked_fill {dtype}"),
        elements: N,
        engines: vec![
            ("takewise", Box::new(|| of::<T>(ops::masked_fill(&xv, &mv, value, &R).unwrap()))),
            (
                "loop",
                Box::new(|| {
                    let one = if dtype == "c128" { None } else { Some(seven) };
                    let fill = one.unwrap_or_else(|| filling());
                    probe(&x.iter().zip(m).map(|(x, m)| if *m { fill } else { *x }).collect::<Vec<T>>())
                }),
            ),
        ],
    });
    run(Case {
        name: &format!("mask: where {dtype}"),
        elements: N,
        engines: vec![
            ("takewise", Box::new(|| of::<T>(ops::where_(&mv, &xv, &yv, T::DTYPE, &R).unwrap()))),
            (
                "loop",
                Box::new(|| {
                    let both = x.iter().zip(&y);
                    probe(&both.zip(m).map(|((x, y), m)| if *m { *x } else { *y }).collect::<Vec<T>>())
                }),
            ),
        ],
    });
}

/// Seven as the element [`ops::masked_fill`] stores it.
fn filling<T: Sample>() -> T {
    let mut one = [T::of(0)];
    let mut dst: AnyViewMut = ViewMut::from(&mut one[..]).into();
    ops::masked_fill_(&mut dst, View::from(&[true][..]), 7, &R).unwrap();
    one[0]
}

pub fn all(run: &mut dyn FnMut(Case)) {
    typed::<f32>(run, "f32");
    typed::<u8>(run, "u8");
    typed::<f64>(run, "f64");
    typed::<Pair>(run, "c128");
    nonzero(run);
    rows(run);
    beside_arrow(run);
    let m = mask("50%");
    let (x, y): (Vec<f32>, Vec<f32>) = ((0..N).map(f32::of).collect(), (0..N).map(|k| f32::of(k + 5)).collect());
    let bytes: Vec<u8> = m.iter().map(|v| u8::from(*v)).collect();
    let candle = |v: &[f32]| Candle::from_slice(v, (1000, 1000), &Device::Cpu).unwrap();
    let (cx, cy) = (candle(&x), candle(&y));
    let cm = Candle::from_slice(&bytes, (1000, 1000), &Device::Cpu).unwrap();
    let view = |v| View::new(v, &[1000, 1000]).unwrap();
    let (xv, yv, mv) = (view(&x), view(&y), View::new(&m, &[1000, 1000]).unwrap());
    run(Case {
        name: "mask: where beside candle",
        elements: N,
        engines: vec![
            ("takewise", Box::new(|| of::<f32>(ops::where_(&mv, &xv, &yv, takewise::DType::F32, &R).unwrap()))),
            (
                "candle",
                Box::new(|| {
                    let got = cm.where_cond(&cx, &cy).unwrap().flatten_all().unwrap();
                    let at = |k: usize| f64::from(got.get(k).unwrap().to_scalar::<f32>().unwrap());
                    [0, N / 3, N / 2, N - 1].into_iter().map(at).sum()
                }),
            ),
        ],
    });
}

/// Flat masks beside Arrow's, which are bits where ours are bytes: an eighth of the memory to look at.
fn beside_arrow(run: &mut dyn FnMut(Case)) {
    let x: Vec<f32> = (0..N).map(f32::of).collect();
    let column = Float32Array::from(x.clone());
    for kind in KINDS {
        let m = mask(kind);
        let bits = BooleanArray::from(m.clone());
        run(Case {
            name: &format!("mask: get 1-d {kind} beside Arrow"),
            elements: N,
            engines: vec![
                (
                    "takewise",
                    Box::new(|| of::<f32>(ops::masked_select(View::from(&x[..]), View::from(&m[..]), &R).unwrap())),
                ),
                ("arrow", Box::new(|| probe(filter(&column, &bits).unwrap().as_primitive::<Float32Type>().values()))),
            ],
        });
    }
}

/// Coordinates of what is not zero.
fn nonzero(run: &mut dyn FnMut(Case)) {
    let sum = |t: Tensor| {
        let guard = t.read::<i64>().unwrap();
        let (n, rank) = (t.shape()[0], t.shape()[1]);
        [0, n / 3, n / 2, n - 1]
            .iter()
            .flat_map(|&k| (0..rank).map(move |d| (k, d)))
            .map(|(k, d)| guard.get(&[k, d]).unwrap() as f64)
            .sum::<f64>()
    };
    let probe = |columns: &[Vec<i64>]| {
        let n = columns[0].len();
        [0, n / 3, n / 2, n - 1].iter().flat_map(|&k| columns.iter().map(move |c| c[k] as f64)).sum::<f64>()
    };
    for kind in KINDS {
        let m = mask(kind);
        let mv = View::new(&m, &[1000, 1000]).unwrap().any();
        run(Case {
            name: &format!("mask: nonzero 2-d {kind}"),
            elements: N,
            engines: vec![
                ("takewise", Box::new(|| sum(ops::nonzero(&mv, &R).unwrap()))),
                (
                    "loop",
                    Box::new(|| {
                        let mut at = [Vec::new(), Vec::new()];
                        for r in 0..1000 {
                            for c in 0..1000 {
                                if m[r * 1000 + c] {
                                    at[0].push(r as i64);
                                    at[1].push(c as i64);
                                }
                            }
                        }
                        probe(&at)
                    }),
                ),
            ],
        });
        let flat = View::from(&m[..]).any();
        run(Case {
            name: &format!("mask: nonzero 1-d {kind}"),
            elements: N,
            engines: vec![
                ("takewise", Box::new(|| sum(ops::nonzero(&flat, &R).unwrap()))),
                (
                    "loop",
                    Box::new(|| {
                        let n = m.iter().filter(|m| **m).count();
                        let mut out = vec![0i64; n + 1];
                        let mut k = 0;
                        for (i, m) in m.iter().enumerate() {
                            out[k] = i as i64;
                            k += usize::from(*m);
                        }
                        out.pop();
                        probe(&[out])
                    }),
                ),
            ],
        });
    }
    let x: Vec<f32> = mask("50%").iter().map(|m| f32::from(u8::from(*m))).collect();
    let xv = View::new(&x, &[1000, 1000]).unwrap().any();
    run(Case {
        name: "mask: nonzero 2-d 50% f32",
        elements: N,
        engines: vec![
            ("takewise", Box::new(|| sum(ops::nonzero(&xv, &R).unwrap()))),
            (
                "loop",
                Box::new(|| {
                    let mut at = [Vec::new(), Vec::new()];
                    for (k, _) in x.iter().enumerate().filter(|(_, v)| **v != 0.0) {
                        at[0].push((k / 1000) as i64);
                        at[1].push((k % 1000) as i64);
                    }
                    probe(&at)
                }),
            ),
        ],
    });
}

/// Rows of 16 elements, a table with gaps, and a mask of one row for all.
fn rows(run: &mut dyn FnMut(Case)) {
    let x: Vec<f32> = (0..N).map(f32::of).collect();
    for kind in KINDS {
        let m = &mask(kind)[..N / 16];
        let xv = View::new(&x[..N / 16 * 16], &[N / 16, 16]).unwrap().any();
        let mv = View::from(m).any();
        run(Case {
            name: &format!("mask: rows of 16 {kind}"),
            elements: N,
            engines: vec![
                ("takewise", Box::new(|| of::<f32>(ops::index(&xv, &[Index::Array(mv.clone())], &TORCH.get).unwrap()))),
                (
                    "loop",
                    Box::new(|| {
                        let mut out = Vec::new();
                        m.iter()
                            .zip(x.chunks_exact(16))
                            .filter(|(m, _)| **m)
                            .for_each(|(_, r)| out.extend_from_slice(r));
                        probe(&out)
                    }),
                ),
            ],
        });
    }
    let m = mask("50%");
    let gaps = View::strided(&x, 0, &[1000, 900], &[1000, 1]).unwrap().any();
    let mv = View::new(&m[..900_000], &[1000, 900]).unwrap().any();
    run(Case {
        name: "mask: get 50% of a table with gaps",
        elements: N,
        engines: vec![
            ("takewise", Box::new(|| of::<f32>(ops::masked_select(&gaps, &mv, &R).unwrap()))),
            (
                "loop",
                Box::new(|| {
                    let mut out = Vec::new();
                    for (r, row) in x.chunks_exact(1000).enumerate() {
                        out.extend(row.iter().zip(&m[r * 900..][..900]).filter(|(_, m)| **m).map(|(x, _)| *x));
                    }
                    probe(&out)
                }),
            ),
        ],
    });
    let turned = View::strided(&x, 0, &[1000, 1000], &[1, 1000]).unwrap().any();
    let square = View::new(&m, &[1000, 1000]).unwrap().any();
    run(Case {
        name: "mask: get 50% of a transposed table",
        elements: N,
        engines: vec![
            ("takewise", Box::new(|| of::<f32>(ops::masked_select(&turned, &square, &R).unwrap()))),
            (
                "loop",
                Box::new(|| {
                    let place = |k: usize| x[k % 1000 * 1000 + k / 1000];
                    probe(&(0..N).filter(|k| m[*k]).map(place).collect::<Vec<f32>>())
                }),
            ),
        ],
    });
}
