//! Every way of walking a mask, forced on small inputs: lengths around the 64 places of a word, from nothing selected to
//! everything, every element size, every level of the processor, and memory that no store may touch on either side.

use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use takewise::index::rules::Rules;
use takewise::{AnyView, DType, DType::Bool, View, ViewMut, ops};
use takewise_testkit::oracle::where_;
use takewise_testkit::verify::{contents, in_parts};
use takewise_testkit::worlds::SIZES;
use takewise_testkit::{Arr, Case, Op, Operand, Rng, Twist};

const R: Rules = Rules::NEUTRAL;

/// Masks of a length by how many of a hundred places they select, and one of runs.
fn masks(rng: &mut Rng, n: usize) -> Vec<Vec<bool>> {
    let mut all: Vec<Vec<bool>> =
        [0, 1, 6, 50, 99, 100].iter().map(|&p| (0..n).map(|_| rng.below(100) < p).collect()).collect();
    let (mut on, mut runs) = (rng.one_in(2), vec![]);
    for _ in 0..n {
        on ^= rng.one_in(40);
        runs.push(on);
    }
    all.push(runs);
    all
}

/// A mask whose true bytes are not all 1.
fn operand(mask: &Arr, twist: &Twist) -> Operand {
    let mut bytes = mask.clone();
    bytes.data.iter_mut().enumerate().for_each(|(k, e)| e[0] *= [1, 2, 128, 255][k % 4]);
    Operand::new(&Arr::new(&mask.shape, Bool, bytes.data), twist)
}

/// Reads, fills and stores through one mask, all levels having their turn.
fn all_verbs(x: &Arr, mask: &Arr, twist: &Twist, mask_twist: &Twist, threads: &[usize]) {
    let hits = mask.data.iter().filter(|e| e[0] != 0).count();
    let values = Arr::arange(&[hits], x.dtype);
    let run = |op: Op, value: Option<&Arr>| {
        let value = value.map(|v| Operand::new(v, &Twist { order: vec![], ..twist.clone() }));
        let case = Case::new(op, &R, Operand::new(x, twist), operand(mask, mask_twist), value);
        case.verify("forced", threads, &Twist { order: vec![], ..twist.clone() });
    };
    run(Op::MaskedSelect, None);
    run(Op::MaskedScatter, Some(&values));
    if !matches!(x.dtype, DType::Opaque { .. }) {
        run(Op::MaskedFill { value: 9 }, None);
    }
}

#[test]
fn every_length_around_a_word() {
    let mut rng = Rng::new(3);
    let plain = Twist::default();
    for n in 0..=200 {
        for (k, mask) in masks(&mut rng, n).iter().enumerate() {
            let mask = Arr::mask(&[n], mask);
            for dtype in SIZES {
                let lead = Twist { lead: (n + k) % 3, ..plain.clone() };
                let threads: &[usize] = if (n + k) % 16 == 0 { &[1, 2, 7] } else { &[1] };
                all_verbs(&Arr::arange(&[n], dtype), &mask, &lead, &plain, threads);
            }
        }
    }
}

/// Elements with gaps, masks with gaps, stored backwards, transposed, and tables whose rows do not join.
#[test]
fn other_layouts() {
    let mut rng = Rng::new(4);
    let plain = Twist::default();
    let twists = [
        plain.clone(),
        Twist { gap: 3, lead: 1, ..plain.clone() },
        Twist { reversed: u32::MAX, ..plain.clone() },
        Twist { order: vec![1, 0], ..plain.clone() },
    ];
    for shape in [[3, 5], [2, 63], [2, 64], [3, 65], [2, 130], [40, 3], [65, 2], [1, 200]] {
        for mask in masks(&mut rng, shape[0] * shape[1]) {
            let mask = Arr::mask(&shape, &mask);
            for (dtype, (a, b)) in SIZES.into_iter().zip(twists.iter().flat_map(|a| twists.iter().map(move |b| (a, b))))
            {
                all_verbs(&Arr::arange(&shape, dtype), &mask, a, b, &[1]);
            }
            for (a, b) in twists.iter().flat_map(|a| twists.iter().map(move |b| (a, b))) {
                all_verbs(&Arr::arange(&shape, DType::F32), &mask, a, b, &[1, 2]);
            }
        }
    }
}

/// Views of a larger table: rows have gaps on one side, on the other, on both, and masks stand still along an axis.
#[test]
fn rows_with_gaps() {
    let mut rng = Rng::new(5);
    let data: Vec<f32> = (0..4000).map(|k| k as f32).collect();
    for width in [1, 7, 63, 64, 65, 100, 128, 131] {
        for mask in masks(&mut rng, 9 * 140) {
            for (x_step, m_steps) in [(140, [140, 1]), (width as isize, [140, 1]), (140, [0, 1]), (140, [1, 0])] {
                let x = View::strided(&data, 3, &[9, width], &[x_step, 1]).unwrap();
                let m = View::strided(&mask, 1, &[9, width], &m_steps).unwrap();
                let places = (0..9).flat_map(|r| (0..width).map(move |c| (r, c)));
                let want: Vec<f32> = places
                    .filter(|&(r, c)| m.get(&[r, c]) == Some(true))
                    .map(|(r, c)| x.get(&[r, c]).unwrap())
                    .collect();
                for threads in [1, 2, 7] {
                    let got = in_parts(threads, || ops::masked_select(&x, &m, &R)).unwrap();
                    assert_eq!(got.to_vec::<f32>().unwrap(), want, "width {width} steps {x_step} {m_steps:?}");
                }
            }
        }
    }
}

/// Coordinates of every length and dtype, into memory of every layout.
#[test]
fn coordinates() {
    let mut rng = Rng::new(6);
    for n in (0..=200).chain([511, 512, 513, 1100]) {
        for mask in masks(&mut rng, n) {
            for dtype in [Bool, DType::U8, DType::F32, DType::F64, DType::F16, DType::I64, DType::C64] {
                let values: Vec<f64> = mask.iter().map(|&m| f64::from(u8::from(m)) * 3.0).collect();
                let x = if dtype == Bool { Arr::mask(&[n], &mask) } else { Arr::of(&[n], dtype, &values) };
                let shape: &[usize] = if n % 3 == 0 && n > 0 { &[3, n / 3] } else { &[n] };
                let x = x.reshape(shape);
                let gap = if n % 5 == 0 { 8 } else { 0 };
                let threads: &[usize] = if n % 16 == 0 { &[1, 2, 7] } else { &[1] };
                let twist = Twist { gap, lead: n % 2, ..Twist::default() };
                let case = Case {
                    op: Op::Nonzero,
                    rules: R,
                    x: Operand::new(&x, &twist),
                    subs: vec![],
                    index: vec![],
                    value: None,
                };
                case.verify("coordinates", threads, &Twist { gap, ..Twist::default() });
            }
        }
    }
}

/// One of two values per place, each an array, a single value, or one that stands still along an axis.
#[test]
fn choices() {
    let mut rng = Rng::new(7);
    let twists =
        [Twist::default(), Twist { gap: 2, lead: 1, ..Twist::default() }, Twist { stretched: 1, ..Twist::default() }];
    for n in [0, 1, 15, 16, 17, 63, 64, 65, 200] {
        for mask in masks(&mut rng, n) {
            for dtype in SIZES {
                let c = Arr::mask(&[n], &mask);
                for (t, [m, p, q]) in
                    [[0, 0, 0], [0, 2, 0], [0, 0, 2], [0, 2, 2], [1, 0, 1], [2, 1, 0]].into_iter().enumerate()
                {
                    let (a, b) = (Arr::arange(&[n], dtype), rng.arr(&[n], dtype));
                    let (c, a, b) =
                        (operand(&c, &twists[m]), Operand::new(&a, &twists[p]), Operand::new(&b, &twists[q]));
                    let want = where_(c.value(), a.value(), b.value()).unwrap();
                    let got = in_parts(1 + t, || ops::where_(c.view(), a.view(), b.view(), dtype, &R));
                    assert_eq!(contents(got).unwrap(), want, "{n} {dtype:?}");
                    if matches!(dtype, DType::Opaque { .. }) {
                        continue;
                    }
                    let nine = Arr::of(&[n], dtype, &vec![9.0; n]);
                    let want = where_(c.value(), &nine, b.value()).unwrap();
                    let got = in_parts(1 + t, || ops::masked_fill(b.view(), c.view(), 9, &R));
                    assert_eq!(contents(got).unwrap(), want, "{n} {dtype:?} filled");
                }
            }
        }
    }
}

/// A mask that another thread changes all the time: the call may fail or give any selection, but what it stores lies in
/// its output, and what it gives was in its input.
#[test]
fn masks_that_change_meanwhile() {
    const N: usize = 5000;
    let flickering: Vec<AtomicU8> = (0..N).map(|k| AtomicU8::new((k % 3 == 0) as u8)).collect();
    let x: Vec<f32> = (1..=N).map(|k| k as f32).collect();
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut rng = Rng::new(8);
            while !stop.load(Ordering::Relaxed) {
                let (first, on) = (rng.below(N), rng.below(2) as u8);
                flickering[first..N.min(first + 300)].iter().for_each(|m| m.store(on, Ordering::Relaxed));
            }
        });
        // SAFETY: not sound by the letter, and the point of the test: bytes that change are what foreign memory does.
        let mask = unsafe { std::slice::from_raw_parts(flickering.as_ptr().cast::<bool>(), N) };
        let mask: AnyView = View::from(mask).any();
        for round in 0..600 {
            let run = || {
                if let Ok(got) = ops::masked_select(View::from(&x[..]), &mask, &R) {
                    let got = got.to_vec::<f32>().unwrap();
                    assert!(got.windows(2).all(|w| w[0] < w[1]), "not in order, or not from the input");
                }
                if let Ok(got) = ops::nonzero(&mask, &R) {
                    let got = got.to_vec::<i64>().unwrap();
                    assert!(got.windows(2).all(|w| w[0] < w[1]) && got.iter().all(|k| (0..N as i64).contains(k)));
                }
                let mut guarded = vec![-1.0f32; N + 128];
                let mut dst = ViewMut::from(&mut guarded[64..64 + N]).into();
                let _ = ops::masked_scatter_(&mut dst, &mask, View::from(&x[..]), &R);
                let _ = ops::masked_fill_(&mut dst, &mask, 0.5, &R);
                assert!(guarded[..64].iter().chain(&guarded[64 + N..]).all(|v| *v == -1.0));
            };
            in_parts([1, 2, 7][round % 3], run);
        }
        stop.store(true, Ordering::Relaxed);
    });
    assert!(takewise::Cpu::current() >= takewise::Cpu::Baseline);
}
