//! Sorted searches and sorts against their definitions: a linear scan, or torch's halving written out, on
//! operands cast to the dtype the library compares in.

use takewise::index::rules::{Outside, Rules, Sign};
use takewise::op::Op;
use takewise::ops::{self, Search, Source};
use takewise::promote::{Promotion, promote};
use takewise::tensor::cast;
use takewise::{AnyView, AnyViewMut, DType, Kind, Scalar, Tensor, View};
use takewise::{dtype::DTYPES, index::rules::Conversion, index::rules::NanOrder, layout::Coordinates};
use takewise_dialects::rules::{NUMPY, TORCH};
use takewise_testkit::operand::arr_of;
use takewise_testkit::oracle::{bisect, goes_right, total_cmp};
use takewise_testkit::{Num, Operand, Rng, Twist};

fn elements(view: &AnyView<'_>) -> Vec<Num> {
    let all = arr_of(view);
    (0..all.data.len()).map(|k| all.num_at(k)).collect()
}

/// The halving every library does, with torch's comparisons or the total order.
fn halving(s: &[Num], v: Num, right: bool, order: NanOrder) -> i64 {
    bisect(s.len(), |k| goes_right(s[k], v, right, order)) as i64
}

/// The definition on a sorted sequence.
fn count(s: &[Num], v: Num, right: bool) -> i64 {
    s.iter().filter(|e| goes_right(**e, v, right, NanOrder::Last)).count() as i64
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
fn random(r: &mut Rng, dtype: DType, n: usize) -> Tensor {
    let pick = |r: &mut Rng| match r.below(3) {
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
    cast(&AnyView::of_elements(&bytes, dtype, &[n]).unwrap(), dtype, Conversion::RangeChecked).unwrap()
}

fn cast_to(t: &Tensor, dtype: DType, how: Conversion) -> Vec<Num> {
    let made = cast(&t.read_any().unwrap().view(), dtype, how).unwrap();
    elements(&made.read_any().unwrap().view())
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
    let mut r = Rng::new(1);
    for (a, b, n) in known.iter().flat_map(|a| known.iter().flat_map(move |b| [(*a, *b, 0), (*a, *b, 9), (*a, *b, 40)]))
    {
        let common = promote(Promotion::ByKind, a, b).unwrap();
        for right in [false, true] {
            let mut s = random(&mut r, a, n);
            if r.below(2) == 0 {
                s = sorted(&s);
            }
            let v = random(&mut r, b, 21);
            let (sc, vc) =
                (cast_to(&s, common, Conversion::RangeChecked), cast_to(&v, common, Conversion::RangeChecked));
            let want: Vec<i64> = vc.iter().map(|v| halving(&sc, *v, right, NanOrder::Unordered)).collect();
            assert_eq!(found(&s, &v, right, &TORCH.search), want, "{a:?} {b:?} {right} {sc:?} {vc:?}");
        }
    }
}

#[test]
fn numpy_in_every_pair_of_dtypes() {
    let mut r = Rng::new(2);
    for (a, b) in DTYPES.iter().flat_map(|a| DTYPES.iter().map(move |b| (*a, *b))) {
        let common = promote(Promotion::Widening, a, b).unwrap();
        for (right, n) in [(false, 12), (true, 12), (true, 1), (false, 33)] {
            let (s, v) = (sorted(&random(&mut r, a, n)), random(&mut r, b, 19));
            let (sc, vc) =
                (cast_to(&s, common, Conversion::IntegersChecked), cast_to(&v, common, Conversion::IntegersChecked));
            let want: Vec<i64> = vc.iter().map(|v| count(&sc, *v, right)).collect();
            assert_eq!(found(&s, &v, right, &NUMPY.search), want, "{a:?} {b:?} {right} {sc:?} {vc:?}");
        }
    }
}

#[test]
fn neutral_rules_round_nothing() {
    let mut r = Rng::new(3);
    let real: Vec<DType> = DTYPES.into_iter().filter(|d| !d.is_complex()).collect();
    for (a, b) in real.iter().flat_map(|a| real.iter().map(move |b| (*a, *b))) {
        for right in [false, true] {
            let (s, v) = (sorted(&random(&mut r, a, 25)), random(&mut r, b, 25));
            let (sc, vc) = (cast_to(&s, a, Conversion::RangeChecked), cast_to(&v, b, Conversion::RangeChecked));
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
            let nums: Vec<Num> = s.iter().map(|v| Num::Float(*v as f64)).collect();
            for (right, order) in
                [false, true].into_iter().flat_map(|r| [(r, NanOrder::Unordered), (r, NanOrder::Last)])
            {
                let rules = Rules { order, ..Rules::NEUTRAL };
                let search = Search { right, ..Search::default() };
                let got = ops::searchsorted(&s, &values, &search, &rules).unwrap().to_vec::<i64>().unwrap();
                let want: Vec<i64> =
                    values.iter().map(|v| halving(&nums, Num::Float(*v as f64), right, order)).collect();
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
        let mut r = Rng::new(7);
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
        let mut r = Rng::new(8);
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
    let mut r = Rng::new(9);
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
        let mut r = Rng::new(10);
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

/// Numbers beyond what a float of 64 bits tells apart.
#[test]
fn large_integers_are_not_rounded() {
    let n = &NUMPY.search;
    assert_eq!(ask(&[1u64, 1 << 53, (1 << 53) + 1], (1i64 << 53) + 1, false, n), [1]);
    assert_eq!(ask(&[1u64, 1 << 63, (1 << 63) + 1], (1i128 << 63) + 1, false, n), [2]);
    assert_eq!(ask(&[1u64, 1 << 53], 1i128 << 70, false, n), [2]);
}

/// The same array in other strides: axes in another order in memory, spread out, walked backwards.
fn twisted(r: &mut Rng, view: &AnyView<'_>) -> Operand {
    let twist = Twist::random(r, view.rank(), false);
    Operand::new(&arr_of(view), &twist)
}

#[test]
fn any_strides_any_axis_lane_by_lane_into_any_output() {
    let mut r = Rng::new(4);
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
        let (s, v) = (twisted(&mut r, &s.read_any().unwrap().view()), twisted(&mut r, &v.read_any().unwrap().view()));
        let order = order.map(|o| twisted(&mut r, &o.read_any().unwrap().view()));
        let int32 = r.below(2) == 0;
        let right = r.below(2) == 0;
        let search = Search {
            right,
            side: None,
            sorter: order.as_ref().map(Operand::view),
            out_int32: int32,
            axis: axis as i64 - if r.below(2) == 0 { rank as i64 } else { 0 },
        };
        let rules = Rules::NEUTRAL;
        let got = ops::searchsorted(s.view(), v.view(), &search, &rules).unwrap();
        let blank = Tensor::zeroed(&queries, got.dtype()).unwrap();
        let mut out = twisted(&mut r, &blank.read_any().unwrap().view());
        ops::searchsorted_into(s.view(), v.view(), &search, &mut out.view_mut(), &rules).unwrap();
        let got = elements(&got.read_any().unwrap().view());
        assert_eq!(got, elements(&out.view()), "round {round}");
        for (k, c) in Coordinates::new(&queries).enumerate() {
            let mut lane: Vec<Num> = (0..shape[axis])
                .map(|i| {
                    let mut at = c.to_vec();
                    at[axis] = i;
                    s.value().num(&at)
                })
                .collect();
            lane.sort_by(|a, b| total_cmp(*a, *b));
            assert_eq!(got[k], Num::Int(count(&lane, v.value().num_at(k), right) as i128), "round {round} at {c:?}");
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

/// The texts are those of recorded cases, but for one that needs a sequence beyond 32 bits.
#[test]
fn what_is_refused_writes_nothing() {
    let t = &TORCH.search;
    let (s, m, v) = ([1i64, 3, 5, 7, 9], [1i64, 3, 5, 7, 9, 2, 4, 6, 8, 10], [1i64, 2, 3]);
    let m = View::new(&m, &[2, 5]).unwrap();
    let refused = |s: AnyView<'_>, v: Source<AnyView<'_>>, search: &Search<'_>| {
        let mut out = [-1i64; 3];
        ops::searchsorted_into(s, v, search, &mut AnyViewMut::from(&mut out[..]), t).unwrap_err();
        assert_eq!(out, [-1; 3]);
    };
    refused(m.any(), (&v).into(), &Search::default());
    refused(m.any(), 6.into(), &Search::default());
    refused((&s).into(), (&v).into(), &Search { side: Some("RIGHT"), ..Search::default() });
    refused((&s).into(), (&v).into(), &Search { side: Some("left"), right: true, ..Search::default() });
    let (short, ints, beyond) = ([0i64, 1, 2], [0i32, 1, 2, 3, 4], [0i64, 1, 2, 5, 4]);
    for sorter in [AnyView::from(&short), AnyView::from(&ints), AnyView::from(&beyond)] {
        refused((&s).into(), (&v).into(), &Search { sorter: Some(sorter), ..Search::default() });
    }
    let narrow = Search { out_int32: true, ..Search::default() };
    refused((&s).into(), (&v).into(), &narrow);
    let one = [0i8];
    let huge = View::strided(&one, 0, &[i32::MAX as usize], &[0]).unwrap();
    let e = ops::searchsorted(&huge, &[0i8], &narrow, t).err().unwrap();
    assert_eq!(
        e.text(),
        "torch.searchsorted(): the size of boundaries' last dimension should be less than 2147483647, but we got \
         2147483647"
    );
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
    let e = ops::searchsorted(&pairs, &v, &Search::default(), &Rules::NEUTRAL).err().unwrap();
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
    let mut r = Rng::new(5);
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
    let mut r = Rng::new(6);
    for (dtype, down) in DTYPES.into_iter().flat_map(|d| [(d, false), (d, true)]) {
        for shape in [&[][..], &[0], &[7], &[60], &[3, 5], &[2, 3, 4], &[4, 0]] {
            let rank = shape.len() as i64;
            let t = random(&mut r, dtype, shape.iter().product());
            let t = t.reshape(&shape.iter().map(|n| *n as i64).collect::<Vec<_>>()).unwrap();
            let t = twisted(&mut r, &t.read_any().unwrap().view());
            for dim in -rank.max(1)..rank.max(1) {
                let (values, order) = ops::sort(t.view(), dim, down, true, &Rules::NEUTRAL).unwrap();
                let axis = dim.rem_euclid(rank.max(1)) as usize;
                let n = shape.get(axis).copied().unwrap_or(1);
                let values = elements(&values.read_any().unwrap().view());
                let order = elements(&order.read_any().unwrap().view());
                for (k, c) in Coordinates::new(shape).enumerate() {
                    let lane = |i: usize| {
                        let mut at = c.to_vec();
                        at.iter_mut().skip(axis).take(1).for_each(|a| *a = i);
                        t.value().num(&at)
                    };
                    let mut want: Vec<usize> = (0..n).collect();
                    want.sort_by(|a, b| {
                        let o = total_cmp(lane(*a), lane(*b));
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
