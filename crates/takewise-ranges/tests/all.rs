//! Rows of different lengths against plain loops: every small world, every reduction, any number of threads, and what is refused.

use takewise::index::rules::Outside;
use takewise::threads::with_threads;
use takewise::{Kind, Result, Rules, Tensor, tensor};
use takewise_ranges::{
    How, Reduction, Rows, offsets_of, pack, pad, positions, put, put_, reduce, repeat, searchsorted, take,
};

const R: Rules = Rules::NEUTRAL;

/// All offsets of up to three rows over up to four values.
fn worlds() -> Vec<Vec<i64>> {
    let mut all: Vec<Vec<i64>> = (0..=4).map(|first| vec![first]).collect();
    for _ in 0..3 {
        let longer = all.iter().flat_map(|known| {
            let last = known[known.len() - 1];
            (last..=4).map(move |next| [&known[..], &[next]].concat())
        });
        let longer: Vec<_> = longer.collect();
        all.extend(longer);
        all.sort();
        all.dedup();
    }
    all
}

fn vector(values: &[i64]) -> Tensor {
    Tensor::from_slice(values, &[values.len()]).unwrap()
}

fn values(width: usize) -> Tensor {
    let all: Vec<f32> = (0..4 * width).map(|k| [3.0, -1.0, f32::NAN, 2.5, -1.0][k * 3 % 5]).collect();
    Tensor::from_slice(&all, &[4, width]).unwrap()
}

#[test]
fn rows_are_taken_as_a_loop_takes_them() -> Result<()> {
    let x = tensor!([[10, 11], [20, 21], [30, 31], [40, 41]]);
    for offsets in worlds() {
        let rows = offsets.len() - 1;
        let every: Vec<Vec<i64>> =
            (0..rows as i64).flat_map(|a| (0..rows as i64).map(move |b| vec![a, b - rows as i64])).collect();
        for ids in every.iter().chain([&vec![]]) {
            let edges = vector(&offsets);
            let (mut wanted, mut ends) = (Vec::new(), vec![0i64]);
            for id in ids {
                let row = id.rem_euclid(rows as i64) as usize;
                for at in offsets[row]..offsets[row + 1] {
                    wanted.extend([10 * (at + 1), 10 * (at + 1) + 1]);
                }
                ends.push(wanted.len() as i64 / 2);
            }
            let picked = vector(ids);
            for threads in [1, 2, 7] {
                let (made, out) = with_threads(threads, || take(&x, Rows::Offsets(&edges), Some(&picked), 0, &R))?;
                assert_eq!((made.to_vec::<i64>()?, out.to_vec::<i64>()?), (wanted.clone(), ends.clone()));
            }
            // Strided values go by the engine, along the other axis.
            let turned = x.t()?;
            let (made, _) = take(&turned, Rows::Offsets(&edges), Some(&picked), 1, &R)?;
            assert_eq!(made.t()?.to_row_major()?.to_vec::<i64>()?, wanted);
            let (at, _) = positions(Rows::Offsets(&edges), Some(&picked), Some(4), &R)?;
            assert_eq!(x.take_axis(0, &at, &R)?.to_vec::<i64>()?, wanted);
        }
    }
    Ok(())
}

/// What a loop makes of the values of a row that count, with their positions.
fn folded(how: How, own: &[(usize, f32)]) -> f64 {
    let all = own.iter().map(|(_, value)| *value);
    let best = |greater: bool| {
        own.iter().copied().reduce(|a, b| {
            let beyond = if greater { b.1 > a.1 } else { b.1 < a.1 };
            if !a.1.is_nan() && (b.1.is_nan() || beyond) { b } else { a }
        })
    };
    match how {
        How::Sum => all.fold(0.0f32, |a, b| a + b).into(),
        How::Prod => all.fold(1.0f32, |a, b| a * b).into(),
        How::Mean if own.is_empty() => 0.0,
        How::Mean => (all.fold(0.0f32, |a, b| a + b) / own.len() as f32).into(),
        How::Min => best(false).map_or(f64::INFINITY, |(_, v)| v.into()),
        How::Max => best(true).map_or(f64::NEG_INFINITY, |(_, v)| v.into()),
        How::ArgMin => best(false).map_or(-1.0, |(at, _)| at as f64),
        How::ArgMax => best(true).map_or(-1.0, |(at, _)| at as f64),
        How::First => own.first().map_or(0.0, |(_, v)| (*v).into()),
        How::Last => own.last().map_or(0.0, |(_, v)| (*v).into()),
        How::Count => own.len() as f64,
        How::Any => f64::from(u8::from(own.iter().any(|(_, v)| *v != 0.0))),
        How::All => f64::from(u8::from(own.iter().all(|(_, v)| *v != 0.0))),
    }
}

fn numbers(made: &Tensor) -> Result<Vec<f64>> {
    use takewise::DType;
    Ok(match made.dtype() {
        DType::Bool => made.to_vec::<bool>()?.iter().map(|v| f64::from(u8::from(*v))).collect(),
        DType::I64 => made.to_vec::<i64>()?.iter().map(|v| *v as f64).collect(),
        _ => made.to_vec::<f32>()?.iter().map(|v| f64::from(*v)).collect(),
    })
}

const ALL: [How; 12] = [
    How::Sum,
    How::Mean,
    How::Min,
    How::Max,
    How::Prod,
    How::Any,
    How::All,
    How::Count,
    How::First,
    How::Last,
    How::ArgMin,
    How::ArgMax,
];

#[test]
fn reductions_are_what_loops_make() -> Result<()> {
    let bits = |all: &[f64]| all.iter().map(|v| if v.is_nan() { u64::MAX } else { v.to_bits() }).collect::<Vec<_>>();
    for width in [1, 3] {
        let x = values(width);
        let all = x.to_vec::<f32>()?;
        let mask: Vec<bool> = (0..4 * width).map(|k| k % 3 != 1).collect();
        let masked = Tensor::from_slice(&mask, &[4, width])?;
        let ids = vector(&[3, 0, 0, 2]);
        for offsets in worlds() {
            let edges = vector(&offsets);
            for how in ALL {
                for (skip_nan, with_mask, with_ids) in [
                    (false, false, false),
                    (true, false, false),
                    (false, true, false),
                    (false, false, true),
                    (true, true, true),
                ] {
                    let mut wanted = Vec::new();
                    for row in offsets.windows(2) {
                        for e in 0..width {
                            let own = (row[0]..row[1]).filter_map(|entry| {
                                let at = if with_ids { [3, 0, 0, 2][entry as usize] } else { entry as usize };
                                let value = all[at * width + e];
                                let hidden =
                                    with_mask && !mask[entry as usize * width + e] || skip_nan && value.is_nan();
                                (!hidden).then_some((at, value))
                            });
                            wanted.push(folded(how, &own.collect::<Vec<_>>()));
                        }
                    }
                    let asked = Reduction {
                        ids: with_ids.then_some(&ids),
                        mask: with_mask.then_some(&masked),
                        skip_nan,
                        ..Reduction::by(how)
                    };
                    for threads in [1, 2, 7] {
                        let made = with_threads(threads, || reduce(&x, Rows::Offsets(&edges), 0, &asked, &R))?;
                        let case = format!(
                            "{how:?} of {offsets:?}, {width} wide, nan {skip_nan}, mask {with_mask}, ids {with_ids}"
                        );
                        assert_eq!(bits(&numbers(&made)?), bits(&wanted), "{case}");
                    }
                }
            }
        }
    }
    Ok(())
}

#[test]
fn integers_and_halves_are_held_as_said() -> Result<()> {
    let rows = tensor!([0, 3]);
    let one = |x: Tensor, how| reduce(&x, Rows::Offsets(&rows), 0, &Reduction::by(how), &R);
    assert_eq!(one(Tensor::from_slice(&[-1i8, -1, -2], &[3])?, How::Mean)?.to_vec::<i8>()?, [-2]);
    assert_eq!(one(Tensor::from_slice(&[200u8, 100, 0], &[3])?, How::Sum)?.to_vec::<u8>()?, [44]);
    let halves: Vec<takewise::f16> = [2048.0, 1.0, 1.0].map(takewise::f16::from_f32).to_vec();
    assert_eq!(one(Tensor::from_slice(&halves, &[3])?, How::Sum)?.to_vec::<takewise::f16>()?[0].to_f32(), 2050.0);
    let empty = Reduction { empty: Some(7.into()), ..Reduction::by(How::Max) };
    let made = reduce(&tensor!([1, 2]), Rows::Offsets(&tensor!([0, 0, 2])), 0, &empty, &R)?;
    assert_eq!(made.to_vec::<i64>()?, [7, 2]);
    let weights = Reduction { weights: Some(&tensor!([2, 10])), ..Reduction::by(How::Sum) };
    assert_eq!(reduce(&tensor!([1, 2]), Rows::Offsets(&tensor!([0, 2])), 0, &weights, &R)?.to_vec::<i64>()?, [22]);
    Ok(())
}

#[test]
fn padded_rows_come_back() -> Result<()> {
    let x = tensor!([[1, 2], [3, 4], [5, 6], [7, 8]]);
    for offsets in worlds() {
        let edges = vector(&offsets);
        let lengths: Vec<i64> = offsets.windows(2).map(|row| row[1] - row[0]).collect();
        for more in [0, 2] {
            let width = *lengths.iter().max().unwrap_or(&0) as usize + more;
            let (dense, mask) = pad(&x, Rows::Offsets(&edges), Some(width), (-1).into(), true, &R)?;
            assert_eq!(dense.shape(), [lengths.len(), width, 2]);
            let told: Vec<bool> = lengths.iter().flat_map(|n| (0..width as i64).map(move |k| k < *n)).collect();
            assert_eq!(mask.map(|mask| mask.to_vec::<bool>()).transpose()?, Some(told));
            let strided = x.t()?.to_row_major()?.t()?;
            let (by_engine, _) = pad(&strided, Rows::Offsets(&edges), Some(width), (-1).into(), false, &R)?;
            assert_eq!(dense.to_vec::<i64>()?, by_engine.to_vec::<i64>()?);
            let (packed, out) = pack(&dense, &vector(&lengths), &R)?;
            let (wanted, ends) = take(&x, Rows::Offsets(&edges), None, 0, &R)?;
            assert_eq!(packed.to_vec::<i64>()?, wanted.to_vec::<i64>()?);
            assert_eq!(out.to_vec::<i64>()?, ends.to_vec::<i64>()?);
        }
    }
    Ok(())
}

#[test]
fn rows_are_put_where_they_fit_and_else_nothing_is() -> Result<()> {
    let rows = tensor!([0, 2, 4, 5]);
    let x = tensor!([0, 0, 0, 0, 0]);
    put_(&x, Rows::Offsets(&rows), Some(&tensor!([1, 0, 1])), &tensor!([1, 2, 3, 4, 5, 6]), None, 0, &R)?;
    assert_eq!(x.to_vec::<i64>()?, [3, 4, 5, 6, 0]);
    let source = Rows::Offsets(&tensor!([1, 2]));
    let made = put(&x, Rows::Offsets(&rows), Some(&tensor!([2])), &tensor!([7, 8]), Some(source), 0, &R)?;
    assert_eq!(made.to_vec::<i64>()?, [3, 4, 5, 6, 8]);
    let error = put_(&x, Rows::Offsets(&rows), Some(&tensor!([2])), &tensor!([7, 8]), None, 0, &R).unwrap_err();
    assert!(error.to_string().contains("the rows named hold 1 values, and the source has 2"), "{error}");
    let source = Rows::Offsets(&tensor!([0, 2, 3]));
    let error =
        put_(&x, Rows::Offsets(&rows), Some(&tensor!([0, 1])), &tensor!([7, 8, 9]), Some(source), 0, &R).unwrap_err();
    assert!(error.to_string().contains("row 1 of the source holds 1 values, and row 1 where it goes 2"), "{error}");
    let dropping = Rules { outside: Outside::Drop, ..R };
    let source = Rows::Offsets(&tensor!([0, 1, 2]));
    put_(&x, Rows::Offsets(&rows), Some(&tensor!([9, 2])), &tensor!([7, 8]), Some(source), 0, &dropping)?;
    assert_eq!(x.to_vec::<i64>()?, [3, 4, 5, 6, 8]);
    Ok(())
}

#[test]
fn every_wrong_row_is_named() {
    let x = tensor!([1, 2, 3, 4]);
    let said = |rows: Rows<'_>| take(&x, rows, None, 0, &R).unwrap_err().to_string();
    for (offsets, part) in [
        (vec![], "offsets are empty"),
        (vec![0, 3, 2, 4, 1], "offsets fall from 3 to 2 in row 1 (so do 2 of 4 rows)"),
        (vec![-1, 3], "offsets begin at -1"),
        (vec![0, 4, 7], "row 1 ends at offset 7, and there are 4 values along axis 0"),
    ] {
        let error = said(Rows::Offsets(&vector(&offsets)));
        assert!(error.contains(part) && error.contains("take_ranges"), "{error}");
    }
    let (starts, stops) = (vector(&[0, 3]), vector(&[2, 1]));
    assert!(
        said(Rows::Stops(&starts, &stops))
            .contains("row 1 lies from 3 to 1: it stops before it starts (1 of 2 rows are such)")
    );
    assert!(said(Rows::Stops(&starts, &vector(&[1]))).contains("there are 2 starts and 1 stops"));
    assert!(said(Rows::Starts(&starts, &vector(&[1, -2]))).contains("row 1 has length -2"));
    assert!(said(Rows::Lengths(&vector(&[2, 3]))).contains("row 1 ends at offset 5"));
    assert!(said(Rows::Lengths(&tensor!([1.5]))).contains("lengths must hold integers, not float"));
    let huge = Tensor::from_slice(&[0u64, u64::MAX], &[2]).unwrap();
    assert!(said(Rows::Offsets(&huge)).contains("offsets holds 18446744073709551615 at position 1, beyond int64"));
    let error = take(&x, Rows::Offsets(&tensor!([0, 4])), Some(&tensor!([0, 5])), 0, &R).unwrap_err();
    assert_eq!(error.kind(), Kind::OutOfRange);
    let text = error.to_string();
    assert!(text.contains("take_ranges") && text.contains('5') && text.contains("position"), "{text}");
}

#[test]
fn rows_outside_obey_the_policy() -> Result<()> {
    let (x, rows, ids) = (tensor!([1, 2, 3]), tensor!([0, 1, 3]), tensor!([2, -1, -3]));
    let by = |outside| -> Result<(Vec<i64>, Vec<i64>)> {
        let (made, out) = take(&x, Rows::Offsets(&rows), Some(&ids), 0, &Rules { outside, ..R })?;
        Ok((made.to_vec()?, out.to_vec()?))
    };
    assert_eq!(by(Outside::Fill)?, (vec![2, 3], vec![0, 0, 2, 2]));
    assert_eq!(by(Outside::Clip)?, (vec![2, 3, 2, 3, 1], vec![0, 2, 4, 5]));
    assert_eq!(by(Outside::Wrap)?, (vec![1, 2, 3, 2, 3], vec![0, 1, 3, 5]));
    Ok(())
}

#[test]
fn searches_stay_in_their_rows() -> Result<()> {
    let x = Tensor::from_slice(&[1.0f64, 3.0, 3.0, f64::NAN, 2.0], &[5])?;
    for offsets in worlds().into_iter().filter(|offsets| offsets.len() == 3) {
        for right in [false, true] {
            for value in [0.0, 3.0, 9.0, f64::NAN] {
                let sought = Tensor::from_slice(&[value, value], &[2])?;
                let found = searchsorted(&x, Rows::Offsets(&vector(&offsets)), &sought, None, right, &R)?;
                let whole = x.to_vec::<f64>()?;
                let wanted: Vec<i64> = offsets
                    .windows(2)
                    .map(|row| {
                        let own = &whole[row[0] as usize..row[1] as usize];
                        let less = |a: f64, b: f64| !a.is_nan() && (b.is_nan() || a < b);
                        own.iter().filter(|v| if right { !less(value, **v) } else { less(**v, value) }).count() as i64
                    })
                    .collect();
                assert_eq!(found.to_vec::<i64>()?, wanted, "{offsets:?} {value} {right}");
            }
        }
    }
    Ok(())
}

#[test]
fn row_numbers_and_offsets_are_each_others_way_back() -> Result<()> {
    for offsets in worlds().into_iter().filter(|offsets| offsets[0] == 0) {
        let edges = vector(&offsets);
        let (ids, count) = takewise_ranges::range_ids(takewise::Op::Take, Rows::Offsets(&edges), &R)?;
        assert_eq!(offsets_of(&ids, Some(count), &R)?.to_vec::<i64>()?, offsets);
        let of_rows = vector(&(0..count as i64).collect::<Vec<_>>());
        assert_eq!(repeat(&of_rows, Rows::Offsets(&edges), 0, &R)?.to_vec::<i64>()?, ids.to_vec::<i64>()?);
    }
    let said = |ids: &Tensor| offsets_of(ids, Some(2), &R).unwrap_err().to_string();
    assert!(said(&tensor!([0, 1, 0])).contains("ids fall from 1 to 0 at position 2"));
    assert!(said(&tensor!([0, 5])).contains("id 5 at position 1 is none of 2 rows"));
    Ok(())
}

#[test]
fn gradients_flow_through_the_engines_own() -> Result<()> {
    let mut x = Tensor::from_slice(&[1.0f32, 4.0, 2.0], &[3])?;
    x.requires_grad_(true)?;
    let rows = tensor!([0, 2, 2, 3]);
    let made = reduce(&x, Rows::Offsets(&rows), 0, &Reduction::by(How::Max), &R)?;
    made.backward(Some(&Tensor::from_slice(&[10.0f32, 20.0, 30.0], &[3])?), false)?;
    let grad = x.grad();
    let dense = grad.as_ref().and_then(|grad| grad.dense());
    assert_eq!(dense.map(|grad| grad.to_vec::<f32>()).transpose()?, Some(vec![0.0, 10.0, 30.0]));
    let (taken, _) = take(&x, Rows::Offsets(&rows), Some(&tensor!([0, 0])), 0, &R)?;
    assert!(taken.requires_grad());
    Ok(())
}

/// What a loop makes of the values that came to a place, with what is there.
fn grouped(how: How, x: f64, own: &[(usize, f32)], include_self: bool, skip_nan: bool) -> f64 {
    if own.is_empty() {
        return x;
    }
    let counts = include_self && !(skip_nan && x.is_nan());
    match how {
        // What is there has no position.
        How::ArgMin | How::ArgMax => folded(how, own),
        How::Count => folded(how, own) + f64::from(u8::from(counts)),
        _ if counts => folded(how, &[&[(99, x as f32)], own].concat()),
        _ => folded(how, own),
    }
}

#[test]
fn groups_without_sorting_are_what_loops_make() -> Result<()> {
    use takewise::index::rules::Conversion;
    use takewise::{DType, Op};
    use takewise_ranges::{Grouping, index_reduce, scatter_reduce};

    let source = values(2);
    let all = source.to_vec::<f32>()?;
    let start = [1.0f32, f32::NAN, 0.0, -4.0, 2.0, 2.0];
    for index in [[0i64, 2, 0, 0], [1, 1, 1, 1], [2, -1, -3, 0], [0, 1, 2, 0]] {
        for how in ALL {
            for (include_self, skip_nan) in [(true, false), (false, false), (true, true), (false, true)] {
                let asked = Grouping { how, include_self, skip_nan };
                let dtype = match how {
                    How::Any | How::All => DType::F32,
                    How::Count | How::ArgMin | How::ArgMax => DType::I64,
                    _ => DType::F32,
                };
                let x = Tensor::from_slice(&start, &[3, 2])?;
                let x = takewise::tensor::cast(&x.read_any()?.view(), dtype, Conversion::Wrap)?;
                let held = numbers(&x)?;
                let mut wanted = held.clone();
                for (to, wanted) in wanted.iter_mut().enumerate() {
                    let own = (0..4).filter(|k| index[*k].rem_euclid(3) as usize == to / 2);
                    let own = own.map(|k| (k, all[2 * k + to % 2])).filter(|(_, v)| !(skip_nan && v.is_nan()));
                    *wanted = grouped(how, held[to], &own.collect::<Vec<_>>(), include_self, skip_nan);
                }
                let bits = |all: &[f64]| {
                    all.iter().map(|v| if v.is_nan() { u64::MAX } else { v.to_bits() }).collect::<Vec<_>>()
                };
                let made = index_reduce(Op::Take, &x, 0, &vector(&index), &source, asked, &R)?;
                assert_eq!(
                    bits(&numbers(&made)?),
                    bits(&wanted),
                    "{how:?} at {index:?}, self {include_self}, nan {skip_nan}"
                );
                let each: Vec<i64> = index.iter().flat_map(|k| [*k, *k]).collect();
                let each = Tensor::from_slice(&each, &[4, 2])?;
                let made = scatter_reduce(Op::Take, &x, 0, &each, &source, asked, &R)?;
                assert_eq!(bits(&numbers(&made)?), bits(&wanted), "scattered {how:?} at {index:?}");
                let made = scatter_reduce(Op::Take, &x.t()?, 1, &each.t()?, &source.t()?, asked, &R)?;
                assert_eq!(bits(&numbers(&made.t()?.to_row_major()?)?), bits(&wanted), "turned {how:?} at {index:?}");
            }
        }
    }
    let asked = Grouping { how: How::Last, include_self: true, skip_nan: false };
    let x = tensor!([1, 2]);
    let said = |index: &Tensor, source: &Tensor| {
        index_reduce(Op::Take, &x, 0, index, source, asked, &R).unwrap_err().to_string()
    };
    assert!(said(&tensor!([2]), &tensor!([1])).contains("index 2 is out of bounds for axis 0 with size 2"));
    assert!(said(&tensor!([0]), &tensor!([1, 2])).contains("1 index values do not fit"));
    assert!(said(&tensor!([0]), &tensor!([1.5])).contains("float"));
    Ok(())
}
