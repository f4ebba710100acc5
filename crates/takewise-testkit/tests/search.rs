//! Sorted searches and sorts against their definitions: a linear scan, or torch's halving written out, on
//! operands cast to the dtype the library compares in.

use std::cmp::Ordering;
use takewise::index::rules::{Outside, Rules, Sign};
use takewise::internal::convert::convert_as;
use takewise::op::Op;
use takewise::ops::{self, Search, Source};
use takewise::promote::{Promotion, promote};
use takewise::{AnyView, AnyViewMut, DType, Kind, Layout, Scalar, Tensor, View};
use takewise::{dtype::DTYPES, index::rules::Conversion, index::rules::NanOrder, layout::Coordinates};
use takewise_dialects::rules::{NUMPY, TORCH};

/// An element as the oracle sees it.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Num {
    Int(i128),
    Real(f64),
    Complex(f64, f64),
}

fn elements(view: &AnyView<'_>) -> Vec<Num> {
    let read = |c: &[usize]| {
        let b = view.bytes_at(c).unwrap();
        let part = |k: usize, n: usize| &b[k * n..(k + 1) * n];
        match view.dtype() {
            DType::F16 => Num::Real(takewise::f16::from_ne_bytes([b[0], b[1]]).to_f64()),
            DType::BF16 => Num::Real(takewise::bf16::from_ne_bytes([b[0], b[1]]).to_f64()),
            DType::F32 => Num::Real(f32::from_ne_bytes(part(0, 4).try_into().unwrap()) as f64),
            DType::F64 => Num::Real(f64::from_ne_bytes(part(0, 8).try_into().unwrap())),
            DType::C64 => {
                let at = |k| f32::from_ne_bytes(part(k, 4).try_into().unwrap()) as f64;
                Num::Complex(at(0), at(1))
            }
            DType::C128 => {
                let at = |k| f64::from_ne_bytes(part(k, 8).try_into().unwrap());
                Num::Complex(at(0), at(1))
            }
            d => {
                let raw = i128::from_le_bytes({
                    let mut w = [0; 16];
                    w[..d.size()].copy_from_slice(&b[..d.size()]);
                    w
                });
                let bits = 128 - 8 * d.size() as u32;
                Num::Int(if d.is_signed_integer() { raw << bits >> bits } else { raw })
            }
        }
    };
    Coordinates::new(view.shape()).map(|c| read(&c)).collect()
}

/// `None` where a comparison is false both ways.
fn plain(a: Num, b: Num) -> Option<Ordering> {
    match (a, b) {
        (Num::Int(a), Num::Int(b)) => Some(a.cmp(&b)),
        (Num::Real(a), Num::Real(b)) => a.partial_cmp(&b),
        (Num::Int(a), Num::Real(b)) if b.is_finite() => {
            Some(a.cmp(&(b.floor() as i128)).then(if b.fract() == 0.0 { Ordering::Equal } else { Ordering::Less }))
        }
        (Num::Int(_), Num::Real(b)) => 0.0.partial_cmp(&b),
        (Num::Real(_), Num::Int(_)) => plain(b, a).map(Ordering::reverse),
        _ => unreachable!("complex numbers are ordered by `total`"),
    }
}

/// NaN after everything; complex numbers lexicographic within what is NaN.
fn total(a: Num, b: Num) -> Ordering {
    let nan = |v: f64| v.is_nan();
    match (a, b) {
        (Num::Complex(ar, ai), Num::Complex(br, bi)) => {
            let class = |r, i| (nan(r), nan(i));
            let part = |a: f64, b: f64| a.partial_cmp(&b).unwrap_or(Ordering::Equal);
            class(ar, ai).cmp(&class(br, bi)).then(part(ar, br)).then(part(ai, bi))
        }
        _ => {
            let is_nan = |n| matches!(n, Num::Real(v) if nan(v));
            plain(a, b).unwrap_or_else(|| is_nan(a).cmp(&is_nan(b)))
        }
    }
}

/// The halving every library does, with torch's comparisons or the total order.
fn halving(s: &[Num], v: Num, right: bool, order: NanOrder) -> i64 {
    let (mut lo, mut hi) = (0, s.len());
    while lo < hi {
        let mid = lo + (hi - lo) / 2;
        let stop = match order {
            NanOrder::Unordered if right => plain(s[mid], v) == Some(Ordering::Greater),
            NanOrder::Unordered => matches!(plain(s[mid], v), Some(Ordering::Greater | Ordering::Equal)),
            NanOrder::Last if right => total(s[mid], v) == Ordering::Greater,
            NanOrder::Last => total(s[mid], v) != Ordering::Less,
        };
        if stop { hi = mid } else { lo = mid + 1 }
    }
    lo as i64
}

/// The definition on a sorted sequence.
fn count(s: &[Num], v: Num, right: bool) -> i64 {
    s.iter().filter(|e| total(**e, v) == Ordering::Less || (right && total(**e, v) == Ordering::Equal)).count() as i64
}

struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % n
    }
}

const EDGES: [f64; 34] = [
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    0.0,
    -0.0,
    1.0,
    -1.0,
    1.5,
    2.0,
    3.0,
    127.0,
    128.0,
    255.0,
    256.0,
    257.0,
    2049.0,
    32768.0,
    65504.0,
    65520.0,
    65536.0,
    16777216.0,
    16777218.0,
    2147483647.0,
    2147483648.0,
    -2147483648.0,
    9007199254740992.0,
    9007199254740994.0,
    4611686018427387904.0,
    9223372036854775808.0,
    -9223372036854775808.0,
    18446744073709551616.0,
    1e30,
    5e-324,
    1e-40,
];
const WHOLE: [i128; 16] = [
    0,
    1,
    -1,
    255,
    257,
    2049,
    65519,
    65521,
    16777217,
    16777219,
    9007199254740993,
    9007199254740995,
    i64::MAX as i128,
    i64::MIN as i128,
    i64::MAX as i128 - 511,
    u64::MAX as i128,
];

/// A 1-d tensor of a dtype, of edge values.
fn random(r: &mut Random, dtype: DType, n: usize) -> Tensor {
    let pick = |r: &mut Random| match r.below(3) {
        0 => Scalar::Int(WHOLE[r.below(WHOLE.len())]),
        1 => Scalar::Float(r.below(9) as f64 / 2.0 - 2.0),
        _ => Scalar::Float(EDGES[r.below(EDGES.len())]),
    };
    let mut bytes = Vec::new();
    for _ in 0..n {
        let value = match (pick(r), dtype.is_complex()) {
            (Scalar::Float(re), true) => Scalar::Complex(re, EDGES[r.below(10)]),
            (value, _) => value,
        };
        let one =
            takewise::internal::number::scalar_bytes(Op::T, value, dtype, Conversion::Wrap, takewise::error::neutral);
        bytes.extend_from_slice(&one.unwrap()[..dtype.size()]);
    }
    of_bytes(&bytes, dtype, &[n])
}

fn of_bytes(bytes: &[u8], dtype: DType, shape: &[usize]) -> Tensor {
    // SAFETY: the layout is contiguous and the bytes are those of its elements.
    let view = unsafe { AnyView::from_raw(bytes.as_ptr(), dtype, Layout::contiguous(shape, dtype.size()).unwrap()) };
    let out = Tensor::zeroed(shape, dtype).unwrap();
    convert_as(&view, &mut out.write_any().unwrap().view_mut(), Conversion::RangeChecked).unwrap();
    out
}

fn cast(t: &Tensor, dtype: DType, how: Conversion) -> Vec<Num> {
    let out = Tensor::zeroed(t.shape(), dtype).unwrap();
    convert_as(&t.read_any().unwrap().view(), &mut out.write_any().unwrap().view_mut(), how).unwrap();
    elements(&out.read_any().unwrap().view())
}

fn sorted(t: &Tensor) -> Tensor {
    t.sort(0, false, true, &Rules::NEUTRAL).unwrap().0
}

fn found(s: &Tensor, v: &Tensor, right: bool, rules: &Rules) -> Vec<i64> {
    let search = Search { right, ..Search::default() };
    s.searchsorted(v, &search, None, rules).unwrap().to_vec().unwrap()
}

#[test]
fn torch_in_every_pair_of_dtypes_also_unsorted() {
    let known: Vec<DType> = TORCH.search.data.iter().collect();
    assert_eq!(known.len(), 9);
    let mut r = Random(1);
    for (a, b, n) in known.iter().flat_map(|a| known.iter().flat_map(move |b| [(*a, *b, 0), (*a, *b, 9), (*a, *b, 40)]))
    {
        let common = promote(Promotion::ByKind, a, b).unwrap();
        for right in [false, true] {
            let mut s = random(&mut r, a, n);
            if r.below(2) == 0 {
                s = sorted(&s);
            }
            let v = random(&mut r, b, 21);
            let (sc, vc) = (cast(&s, common, Conversion::RangeChecked), cast(&v, common, Conversion::RangeChecked));
            let want: Vec<i64> = vc.iter().map(|v| halving(&sc, *v, right, NanOrder::Unordered)).collect();
            assert_eq!(found(&s, &v, right, &TORCH.search), want, "{a:?} {b:?} {right} {sc:?} {vc:?}");
        }
    }
}

#[test]
fn numpy_in_every_pair_of_dtypes() {
    let mut r = Random(2);
    for (a, b) in DTYPES.iter().flat_map(|a| DTYPES.iter().map(move |b| (*a, *b))) {
        let common = promote(Promotion::Widening, a, b).unwrap();
        for (right, n) in [(false, 12), (true, 12), (true, 1), (false, 33)] {
            let (s, v) = (sorted(&random(&mut r, a, n)), random(&mut r, b, 19));
            let (sc, vc) =
                (cast(&s, common, Conversion::IntegersChecked), cast(&v, common, Conversion::IntegersChecked));
            let want: Vec<i64> = vc.iter().map(|v| count(&sc, *v, right)).collect();
            assert_eq!(found(&s, &v, right, &NUMPY.search), want, "{a:?} {b:?} {right} {sc:?} {vc:?}");
        }
    }
}

#[test]
fn neutral_rules_round_nothing() {
    let mut r = Random(3);
    let real: Vec<DType> = DTYPES.into_iter().filter(|d| !d.is_complex()).collect();
    for (a, b) in real.iter().flat_map(|a| real.iter().map(move |b| (*a, *b))) {
        for right in [false, true] {
            let (s, v) = (sorted(&random(&mut r, a, 25)), random(&mut r, b, 25));
            let (sc, vc) = (cast(&s, a, Conversion::RangeChecked), cast(&v, b, Conversion::RangeChecked));
            let want: Vec<i64> = vc.iter().map(|v| count(&sc, *v, right)).collect();
            assert_eq!(found(&s, &v, right, &Rules::NEUTRAL), want, "{a:?} {b:?} {right} {sc:?} {vc:?}");
        }
    }
}

#[test]
fn every_short_sequence_with_nan_anywhere() {
    let letters = [f32::NAN, f32::NEG_INFINITY, -0.0, 1.0, f32::INFINITY];
    let values = [f32::NAN, f32::NEG_INFINITY, -1.0, 0.0, 1.0, 2.0, f32::INFINITY];
    for len in 0..=5u32 {
        for code in 0..5usize.pow(len) {
            let s: Vec<f32> = (0..len).map(|k| letters[code / 5usize.pow(k) % 5]).collect();
            let nums: Vec<Num> = s.iter().map(|v| Num::Real(*v as f64)).collect();
            for (right, order) in
                [false, true].into_iter().flat_map(|r| [(r, NanOrder::Unordered), (r, NanOrder::Last)])
            {
                let rules = Rules { order, ..Rules::NEUTRAL };
                let search = Search { right, ..Search::default() };
                let got = ops::searchsorted(&s, &values, &search, &rules).unwrap().to_vec::<i64>().unwrap();
                let want: Vec<i64> =
                    values.iter().map(|v| halving(&nums, Num::Real(*v as f64), right, order)).collect();
                assert_eq!(got, want, "{s:?} {right} {order:?}");
            }
        }
    }
}

/// Runs `check` at every level of processor there is here.
fn at_every_level(check: impl Fn()) {
    let usual = takewise::Cpu::current();
    for level in takewise::Cpu::supported() {
        assert!(level.force());
        check();
    }
    assert!(usual.force());
}

/// The halving of every value, in the values' own dtype.
fn halved(s: &Tensor, v: &Tensor, right: bool, order: NanOrder) -> Vec<i64> {
    let (s, v) = (elements(&s.read_any().unwrap().view()), elements(&v.read_any().unwrap().view()));
    v.iter().map(|v| halving(&s, *v, right, order)).collect()
}

/// Lengths around those at which a tree gets a level, a node or a leaf more, each with enough values that all elements
/// are copied, with so few that only some are, and with fewer than a tree is made for.
#[test]
fn trees_halve_in_every_dtype_at_every_length_also_unsorted() {
    at_every_level(|| {
        let mut r = Random(7);
        for (k, dtype) in DTYPES.into_iter().enumerate() {
            for n in (0..=300).filter(|n| (n + k) % 3 == 0 || [15, 16, 31, 32, 63, 64, 128, 255, 256].contains(n)) {
                let any = random(&mut r, dtype, n);
                let count = [15, 16, 20, 65, 280][r.below(5)];
                let v = random(&mut r, dtype, count);
                let v = if n % 2 == 0 { sorted(&v) } else { v };
                let right = r.below(2) == 0;
                for (s, order) in [
                    (sorted(&any), NanOrder::Last),
                    (sorted(&any), NanOrder::Unordered),
                    (any.clone(), NanOrder::Last),
                    (any.clone(), NanOrder::Unordered),
                ] {
                    if dtype.is_complex() && order == NanOrder::Unordered {
                        continue;
                    }
                    let rules = Rules { order, ..Rules::NEUTRAL };
                    let want = halved(&s, &v, right, order);
                    assert_eq!(found(&s, &v, right, &rules), want, "{dtype:?} {n} {right} {order:?}");
                }
            }
        }
    });
}

/// Sequences of some thousands, nearly sorted: one element, anywhere or among the first, is out of order, and no answer may
/// differ.
#[test]
fn deep_trees_halve_with_one_element_out_of_order() {
    at_every_level(|| {
        let mut r = Random(8);
        for round in 0..120 {
            let n = if round % 4 < 2 { 1000 + r.below(9000) } else { 1024 << r.below(4) };
            let mut s: Vec<i64> = (0..n as i64).map(|k| k / 3 * 2).collect();
            let values = [n / 2, n / 40, 16][round % 3];
            let mut v: Vec<i64> = (0..values).map(|_| r.below(n) as i64 - 5).collect();
            if round % 2 == 0 {
                v.sort();
            }
            for unsorted in [false, true] {
                if unsorted {
                    let reach = if r.below(2) == 0 { n } else { 18 };
                    s[r.below(reach)] = r.below(reach) as i64;
                }
                let right = r.below(2) == 0;
                let nums: Vec<Num> = s.iter().map(|v| Num::Int(*v as i128)).collect();
                let of = |v: i64| halving(&nums, Num::Int(v as i128), right, NanOrder::Last);
                let want: Vec<i64> = v.iter().map(|v| of(*v)).collect();
                assert_eq!(ask(&s, &v, right, &Rules::NEUTRAL), want, "{n} {values} {unsorted}");
                let single: Vec<f32> = s.iter().map(|v| *v as f32).collect();
                let spread: Vec<f32> = single.iter().rev().flat_map(|v| [*v, -1.0]).collect();
                let spread = View::strided(&spread, 2 * n - 2, &[n], &[-2]).unwrap();
                let asked: Vec<f64> = v.iter().map(|v| *v as f64).collect();
                assert_eq!(ask(&single, &asked, right, &Rules::NEUTRAL), want, "{n} {values} {unsorted}");
                assert_eq!(ask(&spread, &asked, right, &Rules::NEUTRAL), want, "{n} {values} {unsorted}");
            }
        }
    });
}

#[test]
fn trees_read_through_sorters_and_write_either_integer() {
    let mut r = Random(9);
    for n in [0, 1, 14, 40, 64, 200, 900] {
        let s = random(&mut r, DType::F64, n);
        let order = s.argsort(0, false, true, &Rules::NEUTRAL).unwrap();
        for (values, right) in [(16, true), (20, false), (500, true), (500, false)] {
            let v = random(&mut r, DType::F64, values);
            let want = found(&sorted(&s), &v, right, &Rules::NEUTRAL);
            for out_int32 in [false, true] {
                let search = Search { right, out_int32, ..Search::default() };
                let got = s.searchsorted(&v, &search, Some(&order), &Rules::NEUTRAL).unwrap();
                let got: Vec<i64> = elements(&got.read_any().unwrap().view())
                    .into_iter()
                    .map(|p| if let Num::Int(p) = p { p as i64 } else { -1 })
                    .collect();
                assert_eq!(got, want, "{n} {values} {right}");
            }
        }
    }
}

#[test]
fn prepared_sequences_answer_as_plain_calls() {
    at_every_level(|| {
        let mut r = Random(10);
        for (k, dtype) in DTYPES.into_iter().enumerate() {
            for n in [0, 1, 15, 16, 17, 32, 100 + k, 255, 256, 700] {
                for order in [NanOrder::Last, NanOrder::Unordered] {
                    let rules = Rules { order, ..Rules::NEUTRAL };
                    let any = random(&mut r, dtype, n);
                    for s in [sorted(&any), any] {
                        let guard = s.read_any().unwrap();
                        let kept = ops::PreparedSearch::new(guard.view(), &rules).unwrap();
                        assert_eq!((kept.len(), kept.is_empty(), kept.dtype()), (n, n == 0, dtype));
                        for (count, right) in [(0, true), (1, false), (3, true), (40, false), (300, true)] {
                            let v = random(&mut r, dtype, count);
                            let search = Search { right, ..Search::default() };
                            let got = kept.searchsorted(v.read_any().unwrap().view(), &search).unwrap();
                            let got: Vec<i64> = got.to_vec().unwrap();
                            assert_eq!(got, found(&s, &v, right, &rules), "{dtype:?} {n} {count}");
                        }
                    }
                }
            }
        }
    });
    let kept = ops::PreparedSearch::new(&[1f64, 2.0, 4.0], &Rules::NEUTRAL).unwrap();
    let mut out = [0i32; 2];
    let search = Search { out_int32: true, ..Search::default() };
    kept.searchsorted_into(&[2i64, 3], &search, &mut AnyViewMut::from(&mut out[..])).unwrap();
    assert_eq!(out, [1, 2]);
    let order = [0i64, 1, 2];
    let sorter = Search { sorter: Some((&order).into()), ..Search::default() };
    assert_eq!(kept.searchsorted(1.0, &sorter).err().unwrap().kind(), Kind::Argument);
    let table = [1i64, 2, 3, 4];
    let e = ops::PreparedSearch::new(View::new(&table, &[2, 2]).unwrap(), &Rules::NEUTRAL);
    assert_eq!(e.err().unwrap().kind(), Kind::Shape);
}

/// The largest and least integers, which have no neighbour to be searched for on the other side.
#[test]
fn the_ends_of_integer_types() {
    macro_rules! ends {
        ($($t:ty),*) => {$(
            let s = [<$t>::MIN, <$t>::MIN, 3, <$t>::MAX, <$t>::MAX];
            let v: Vec<$t> = [<$t>::MIN, 3, <$t>::MAX].repeat(8);
            assert_eq!(ask(&s, &v, false, &Rules::NEUTRAL), [0i64, 2, 3].repeat(8));
            assert_eq!(ask(&s, &v, true, &Rules::NEUTRAL), [2i64, 3, 5].repeat(8));
        )*};
    }
    at_every_level(|| {
        ends!(u8, u16, u32, u64, i8, i16, i32, i64);
    });
}

fn ask<'a>(s: impl Into<AnyView<'a>>, v: impl Into<Source<AnyView<'a>>>, right: bool, rules: &Rules) -> Vec<i64> {
    let search = Search { right, ..Search::default() };
    ops::searchsorted(s, v, &search, rules).unwrap().to_vec().unwrap()
}

#[test]
fn measured_rows() {
    let (nan, inf) = (f32::NAN, f32::INFINITY);
    let t = &TORCH.search;
    let both = |s: &[f32], v: &[f32]| (ask(s, v, false, t), ask(s, v, true, t));
    assert_eq!(both(&[1., 2., 3., nan], &[nan, 0., 2.5, inf, -inf]), (vec![4, 0, 2, 4, 0], vec![4, 0, 2, 4, 0]));
    assert_eq!(both(&[1., 2., 3.], &[nan, inf, -inf]), (vec![3, 3, 0], vec![3, 3, 0]));
    assert_eq!(both(&[1., nan, nan], &[nan, 1., 2., inf]), (vec![3; 4], vec![3; 4]));
    assert_eq!(both(&[nan, 1., 2.], &[0., 1., 2., 3., nan]).0, [1, 1, 2, 3, 3]);
    assert_eq!(both(&[-inf, 1., inf], &[-inf, inf, nan]), (vec![0, 2, 3], vec![1, 3, 3]));
    assert_eq!(both(&[-0.0, 0.0], &[-0.0, 0.0]), (vec![0, 0], vec![2, 2]));
    assert_eq!(both(&[5., 1., 4., 2., 3.], &[1., 2., 3., 4., 5.]).0, [0, 2, 2, 2, 5]);
    let falling = both(&[5., 4., 3., 2., 1.], &[1., 2., 3., 4., 5., 0., 6.]);
    assert_eq!(falling, (vec![0, 0, 0, 5, 5, 0, 5], vec![0, 0, 5, 5, 5, 0, 5]));

    let s = [1i64 << 24, (1 << 24) + 1, (1 << 24) + 2];
    assert_eq!(ask(&s, &[16777217f32], false, t), [0]);
    assert_eq!(ask(&s, &[16777217f64], false, t), [1]);
    assert_eq!(ask(&[1u8, 3, 5, 7, 9], -1, false, t), [5]);
    assert_eq!(ask(&[1u8, 3, 5, 7, 9], &[-1i8], false, t), [0]);
    assert_eq!(ask(&[1i32, 3, 5], 1i64 << 40, false, t), [0]);
    assert_eq!(ask(&[0.1f32, 0.2, 0.3], 0.3, true, t), [3]);
    assert_eq!(ask(&[0.1f32, 0.2, 0.3], &[0.3f64], true, t), [2]);

    let n = &NUMPY.search;
    assert_eq!(ask(&[1f32, 2., 3., nan], &[inf, nan], false, n), [3, 3]);
    assert_eq!(ask(&[1f32, 2., 3., nan], &[inf, nan], true, n), [3, 4]);
    assert_eq!(ask(&[1u8, 3, 5], -1, false, n), [0]);
    assert_eq!(ask(&[0.1f32, 0.2, 0.3], 0.3, true, n), [2]);
    assert_eq!(ask(&[1u64, 1 << 53, (1 << 53) + 1], (1i64 << 53) + 1, false, n), [1]);
    assert_eq!(ask(&[1u64, 1 << 63, (1 << 63) + 1], (1i128 << 63) + 1, false, n), [2]);
    assert_eq!(ask(&[1u64, 1 << 53], 1i128 << 70, false, n), [2]);
}

/// The same array in other strides: axes reversed in memory, spread out, walked backwards.
struct Twisted {
    bytes: Vec<u8>,
    first: usize,
    layout: Layout,
    dtype: DType,
}

impl Twisted {
    fn new(r: &mut Random, view: &AnyView<'_>) -> Twisted {
        let (shape, size) = (view.shape(), view.dtype().size());
        let mut order: Vec<usize> = (0..shape.len()).collect();
        if r.below(2) == 0 {
            order.reverse();
        }
        let (mut strides, mut first) = (vec![0isize; shape.len()], 3isize);
        let mut step = (size + [0, 1, size][r.below(3)]) as isize;
        for d in order {
            let back = r.below(2) == 0;
            strides[d] = if back { -step } else { step };
            first += if back { step * (shape[d] as isize - 1).max(0) } else { 0 };
            step *= shape[d].max(1) as isize;
        }
        let layout = Layout::new(shape, &strides).unwrap();
        let mut bytes = vec![0xee; step as usize + 2 * size + 3];
        for c in Coordinates::new(shape) {
            let at = (first + layout.offset(&c)) as usize;
            bytes[at..at + size].copy_from_slice(&view.bytes_at(&c).unwrap()[..size]);
        }
        Twisted { bytes, first: first as usize, layout, dtype: view.dtype() }
    }

    fn view(&self) -> AnyView<'_> {
        // SAFETY: every element was written above, inside the bytes.
        unsafe { AnyView::from_raw(self.bytes.as_ptr().add(self.first), self.dtype, self.layout.clone()) }
    }

    fn view_mut(&mut self) -> AnyViewMut<'_> {
        // SAFETY: as above, and steps clear each other.
        unsafe { AnyViewMut::from_raw(self.bytes.as_mut_ptr().add(self.first), self.dtype, self.layout.clone()) }
    }
}

#[test]
fn any_strides_any_axis_lane_by_lane_into_any_output() {
    let mut r = Random(4);
    for round in 0..400 {
        let rank = 1 + r.below(4);
        let axis = r.below(rank);
        let shape: Vec<usize> = (0..rank).map(|_| r.below(5)).collect();
        let mut queries = shape.clone();
        queries[axis] = [r.below(12), 16 + r.below(30)][r.below(2)];
        let (dtype, other) =
            ([DType::I64, DType::F32, DType::U8, DType::F16][r.below(4)], [DType::I32, DType::F64][r.below(2)]);
        let s = random(&mut r, dtype, shape.iter().product())
            .reshape(&shape.iter().map(|n| *n as i64).collect::<Vec<_>>())
            .unwrap();
        let (s, order) = match r.below(2) {
            0 => (s.sort(axis as i64, false, true, &Rules::NEUTRAL).unwrap().0, None),
            _ => (s.clone(), Some(s.argsort(axis as i64, false, true, &Rules::NEUTRAL).unwrap())),
        };
        let v = random(&mut r, other, queries.iter().product());
        let v = v.reshape(&queries.iter().map(|n| *n as i64).collect::<Vec<_>>()).unwrap();
        let (s, v) =
            (Twisted::new(&mut r, &s.read_any().unwrap().view()), Twisted::new(&mut r, &v.read_any().unwrap().view()));
        let order = order.map(|o| Twisted::new(&mut r, &o.read_any().unwrap().view()));
        let int32 = r.below(2) == 0;
        let right = r.below(2) == 0;
        let search = Search {
            right,
            side: None,
            sorter: order.as_ref().map(Twisted::view),
            out_int32: int32,
            axis: axis as i64 - if r.below(2) == 0 { rank as i64 } else { 0 },
        };
        let rules = Rules::NEUTRAL;
        let got = ops::searchsorted(s.view(), v.view(), &search, &rules).unwrap();
        let blank = Tensor::zeroed(&queries, got.dtype()).unwrap();
        let mut out = Twisted::new(&mut r, &blank.read_any().unwrap().view());
        ops::searchsorted_into(s.view(), v.view(), &search, &mut out.view_mut(), &rules).unwrap();
        let got = elements(&got.read_any().unwrap().view());
        assert_eq!(got, elements(&out.view()), "round {round}");
        let (flat_s, flat_v) = (elements(&s.view()), elements(&v.view()));
        let flat = |at: &[usize], shape: &[usize]| at.iter().zip(shape).fold(0, |f, (i, n)| f * n + i);
        for (k, c) in Coordinates::new(&queries).enumerate() {
            let mut lane: Vec<Num> = (0..shape[axis])
                .map(|i| {
                    let mut at = c.to_vec();
                    at[axis] = i;
                    flat_s[flat(&at, &shape)]
                })
                .collect();
            lane.sort_by(|a, b| total(*a, *b));
            assert_eq!(got[k], Num::Int(count(&lane, flat_v[k], right) as i128), "round {round} at {c:?}");
        }
    }
}

#[test]
fn expanded_operands_are_read_in_place() {
    let (one, five) = ([7i64], [1i64, 7, 7, 7, 9]);
    let same = View::strided(&one, 0, &[5], &[0]).unwrap();
    assert_eq!(ask(&same, &[7i64, 8], true, &Rules::NEUTRAL), [5, 5]);
    let twice = View::strided(&one, 0, &[3, 2], &[0, 0]).unwrap();
    assert_eq!(ask(View::from(&five[..]), &twice, false, &Rules::NEUTRAL), [1; 6]);
    // A haystack far larger than memory: nothing may copy it.
    let huge = View::strided(&one, 0, &[1 << 40], &[0]).unwrap();
    assert_eq!(ask(&huge, &[7f32, 8.0], true, &Rules::NEUTRAL), [1 << 40, 1 << 40]);
}

#[test]
#[expect(clippy::too_many_lines)] // a list of texts
fn errors_say_what_torch_says_and_write_nothing() {
    let t = &TORCH.search;
    let (s, m, v) = ([1i64, 3, 5, 7, 9], [1i64, 3, 5, 7, 9, 2, 4, 6, 8, 10], [1i64, 2, 3]);
    let m = View::new(&m, &[2, 5]).unwrap();
    let fails = |s: AnyView<'_>, v: Source<AnyView<'_>>, search: &Search<'_>| {
        let mut out = [-1i64; 3];
        let e = ops::searchsorted_into(s, v, search, &mut AnyViewMut::from(&mut out[..]), t).unwrap_err();
        assert_eq!(out, [-1; 3]);
        (e.class().name(), e.text(), e.kind())
    };
    let plain = Search::default();
    let (class, text, kind) = fails(m.any(), (&v).into(), &plain);
    assert_eq!((class, kind), ("RuntimeError", Kind::Shape));
    assert_eq!(
        text,
        "torch.searchsorted(): boundaries tensor should be 1 dimension or the first N-1 dimensions of boundaries tensor \
         and input value tensor must match, but we got boundaries tensor [2, 5] and input value tensor [3]"
    );
    assert_eq!(
        fails(m.any(), 6.into(), &plain).1,
        "torch.searchsorted(): input value can be a scalar only when boundaries tensor dimension is 1, but we got \
         boundaries tensor dim(2) and input value's dim(0) numel(1)"
    );
    let side = |side, right| Search { side: Some(side), right, ..Search::default() };
    assert_eq!(
        fails((&s).into(), (&v).into(), &side("RIGHT", false)).1,
        "torch.searchsorted(): side can only be 'left' or 'right' but got RIGHT"
    );
    assert_eq!(
        fails((&s).into(), (&v).into(), &side("left", true)).1,
        "torch.searchsorted(): side and right can't be set to opposites, got side of left while right was True"
    );
    let short = [0i64, 1, 2];
    let ints = [0i32, 1, 2, 3, 4];
    let beyond = [0i64, 1, 2, 5, 4];
    let with = |sorter| Search { sorter: Some(sorter), ..Search::default() };
    assert_eq!(
        fails((&s).into(), (&v).into(), &with((&short).into())).1,
        "torch.searchsorted(): boundary and sorter must have the same size, but got boundary tensor [5]and got sorter \
         tensor [3]"
    );
    assert_eq!(
        fails((&s).into(), (&v).into(), &with((&ints).into())).1,
        "torch.searchsorted(): sorter must be a tensor of long dtype but got dtype Int"
    );
    assert_eq!(
        fails((&s).into(), (&v).into(), &with((&beyond).into())).1,
        "torch.searchsorted(): sorter index out of range"
    );
    let narrow = Search { out_int32: true, ..Search::default() };
    assert_eq!(
        fails((&s).into(), (&v).into(), &narrow).1,
        "torch.searchsorted(): output tensor's dtype is wrong, it can only be Int(int32) or Long(int64) depending on \
         whether out_int32 flag is True, but we got output tensor's dtype Long and out_int32 flag is True"
    );
    let one = [0i8];
    let huge = View::strided(&one, 0, &[i32::MAX as usize], &[0]).unwrap();
    let e = ops::searchsorted(&huge, &[0i8], &narrow, t).err().unwrap();
    assert_eq!(
        e.text(),
        "torch.searchsorted(): the size of boundaries' last dimension should be less than 2147483647, but we got \
         2147483647"
    );
    let flags = [false, true];
    let e = ops::searchsorted(&flags, &[true], &plain, t).err().unwrap();
    assert_eq!(
        (e.class().name(), e.text()),
        ("NotImplementedError", "\"searchsorted_out_cpu\" not implemented for 'Bool'".into())
    );
    assert_eq!(ask(&flags, &[1i64], false, t), [1]);
    let e = ops::bucketize(&v, &m, false, false, t).err().unwrap();
    assert_eq!(e.text(), "boundaries tensor must be 1 dimension, but got dim(2)");
    let e = ops::searchsorted(&m, &v, &plain, &NUMPY.search).err().unwrap();
    assert_eq!((e.class().name(), e.text()), ("ValueError", "object too deep for desired array".into()));
    let e = ops::digitize(&v, &[1i64, 3, 2], false, &NUMPY.search).err().unwrap();
    assert_eq!(e.text(), "bins must be monotonically increasing or decreasing");
    #[derive(Clone, Copy)]
    struct Pair {
        _a: u32,
        _b: u32,
    }
    // SAFETY: Pair is Copy and its dtype is its own size.
    unsafe impl takewise::Element for Pair {
        const DTYPE: DType = DType::opaque::<Pair>();
    }
    let pairs = [Pair { _a: 1, _b: 2 }];
    let e = ops::searchsorted(&pairs, &v, &plain, &Rules::NEUTRAL).err().unwrap();
    assert_eq!(e.kind(), Kind::DType);
    assert_eq!(ops::argsort(&pairs, 0, false, true, &Rules::NEUTRAL).err().unwrap().kind(), Kind::DType);
}

#[test]
fn sorter_values_follow_the_rules() {
    // Sorted by [2, 0, 1]; the sorter says 1 as -2, and lengthens the sequence by a value out of range.
    let (s, v) = ([20i32, 30, 10, 40], [5i32, 15, 25, 35, 45]);
    let order = [2i8, 0, -3, 9];
    let ask = |sign, outside, fill| {
        let rules = Rules { sign, outside, fill, ..Rules::NEUTRAL };
        let search = Search { sorter: Some((&order).into()), ..Search::default() };
        ops::searchsorted(&s, &v, &search, &rules).map(|t| t.to_vec::<i64>().unwrap())
    };
    assert_eq!(ask(Sign::FromEnd, Outside::Clip, None).unwrap(), [0, 1, 2, 3, 4]);
    assert_eq!(ask(Sign::FromEnd, Outside::Wrap, None).unwrap(), [0, 1, 2, 4, 4]);
    assert_eq!(ask(Sign::FromEnd, Outside::Fill, Some(44.into())).unwrap(), [0, 1, 2, 3, 4]);
    let e = ask(Sign::FromEnd, Outside::Raise, None).unwrap_err();
    assert!(e.to_string().contains("sorter value 9 at position 3 is outside [0, 4)"), "{e}");
    let e = ask(Sign::NonNegative, Outside::Raise, None).unwrap_err();
    assert!(e.to_string().contains("sorter value -3 at position 2"), "{e}");
}

#[test]
fn the_same_at_any_thread_count() {
    let mut r = Random(5);
    let s = sorted(&random(&mut r, DType::F64, 1000));
    let v = random(&mut r, DType::F32, 30_011);
    let run = |n| {
        takewise::threads::with_threads(n, || {
            (
                found(&s, &v, false, &Rules::NEUTRAL),
                v.argsort(0, true, true, &Rules::NEUTRAL).unwrap().to_vec::<i64>().unwrap(),
            )
        })
    };
    let one = run(1);
    assert_eq!(run(2), one);
    assert_eq!(run(7), one);
}

#[test]
fn sorts_are_stable_in_every_dtype_direction_and_axis() {
    let mut r = Random(6);
    for (dtype, down) in DTYPES.into_iter().flat_map(|d| [(d, false), (d, true)]) {
        for shape in [&[][..], &[0], &[7], &[60], &[3, 5], &[2, 3, 4], &[4, 0]] {
            let rank = shape.len() as i64;
            let t = random(&mut r, dtype, shape.iter().product());
            let t = t.reshape(&shape.iter().map(|n| *n as i64).collect::<Vec<_>>()).unwrap();
            let t = Twisted::new(&mut r, &t.read_any().unwrap().view());
            for dim in -rank.max(1)..rank.max(1) {
                let (values, order) = ops::sort(t.view(), dim, down, true, &Rules::NEUTRAL).unwrap();
                let axis = dim.rem_euclid(rank.max(1)) as usize;
                let n = shape.get(axis).copied().unwrap_or(1);
                let (all, values) = (elements(&t.view()), elements(&values.read_any().unwrap().view()));
                let order = elements(&order.read_any().unwrap().view());
                let flat = |at: &[usize]| at.iter().zip(shape).fold(0, |f, (i, n)| f * n + i);
                for (k, c) in Coordinates::new(shape).enumerate() {
                    let lane = |i: usize| {
                        let mut at = c.to_vec();
                        at.iter_mut().skip(axis).take(1).for_each(|a| *a = i);
                        all[flat(&at)]
                    };
                    let mut want: Vec<usize> = (0..n).collect();
                    want.sort_by(|a, b| {
                        let o = total(lane(*a), lane(*b));
                        if down { o.reverse() } else { o }
                    });
                    let here = want[c.get(axis).copied().unwrap_or(0)];
                    assert_eq!(order[k], Num::Int(here as i128), "{dtype:?} {shape:?} {dim} {down}");
                    assert_eq!(format!("{:?}", values[k]), format!("{:?}", lane(here)));
                }
            }
        }
    }
}

#[test]
fn digitize_falls_and_rises() {
    let n = &NUMPY.search;
    let get = |v: &[f64], bins: &[f64], right| ops::digitize(v, bins, right, n).unwrap().to_vec::<i64>().unwrap();
    assert_eq!(get(&[0.2, 6.4, 3.0, 1.6], &[0.0, 1.0, 2.5, 4.0, 10.0], false), [1, 4, 3, 2]);
    assert_eq!(get(&[1., 2., 3.], &[3., 2., 1.], false), [2, 1, 0]);
    assert_eq!(get(&[1., 2., 3.], &[3., 2., 1.], true), [3, 2, 1]);
    assert_eq!(get(&[1., f64::NAN], &[], false), [0, 0]);
    assert_eq!(get(&[1., 2., 3.], &[2., 2.], false), [0, 2, 2]);
    assert_eq!(get(&[f64::NAN, 1.0], &[1., 2., f64::NAN], false), [3, 1]);
}
