//! What an error says: kind, axis, position in the index operand, value, length, how many are bad. The first offending position
//! in index order is named, in any number of parts. `Case::verify` holds the facts of every operation against the oracle; here
//! are those of subscripts of two operands, of values at the ends of dtypes, and the words.

use takewise::index::rules::{Rules, Sign};
use takewise::threads::with_threads;
use takewise::{DType, Error, Kind, Slice};
use takewise_testkit::{Arr, Case, Op, Operand, Sub};

/// The error of a case, which must be the same in any number of parts.
fn error(case: &Case) -> Error {
    let one = |n| with_threads(n, || case.clone().run()).expect_err("the case is bad");
    let first = one(1);
    for n in [2, 7] {
        assert_eq!(one(n).to_string(), first.to_string(), "{n} parts: {case:?}");
    }
    first
}

#[track_caller]
fn says(e: &Error, axis: usize, position: Option<&[usize]>, value: i128, len: usize, bad: usize) {
    assert_eq!(e.kind(), Kind::OutOfRange, "{e:?}");
    let said = (e.axis(), e.position(), e.value(), e.len(), e.bad());
    assert_eq!(said, (Some(axis), position, Some(value), Some(len), bad), "{e:?}");
    let text = e.to_string();
    assert!(text.contains(&value.to_string()) && text.contains(&len.to_string()), "{text}");
}

/// An index operand of 5000 values for an axis of length 4 or more; bad are 4321 (value 9), 4700 and 4999.
fn late(shape: &[usize]) -> Arr {
    let mut values: Vec<i64> = (0..5000).map(|k| k % 4).collect();
    values[4321] = 99;
    values[4700] = -100;
    values[4999] = 99;
    Arr::ints(shape, DType::I64, &values)
}

fn case(op: Op, x: &[usize], index: &Arr, value: &[usize]) -> Case {
    let x = Operand::plain(&Arr::arange(x, DType::F32));
    let value = Some(Operand::plain(&Arr::arange(value, DType::F32)));
    Case::new(op, &Rules::NEUTRAL, x, Operand::plain(index), value)
}

#[test]
fn subscripts() {
    let all = Sub::Range(Slice::ALL);
    let sub = |subs: &[Sub], op: Op| {
        let arrays = subs.iter().filter_map(|s| if let Sub::Array(a) = s { Some(Operand::plain(a)) } else { None });
        Case {
            op,
            rules: Rules::NEUTRAL,
            x: Operand::plain(&Arr::arange(&[4, 5, 6], DType::F32)),
            subs: subs.to_vec(),
            index: arrays.collect(),
            value: Some(Operand::plain(&Arr::zeros(&[], DType::F32))),
        }
    };
    let array = |a: &Arr| Sub::Array(a.clone());
    for op in [Op::Get, Op::Set, Op::SetAdd] {
        let e = error(&sub(&[all.clone(), array(&late(&[500, 10]))], op.clone()));
        says(&e, 1, Some(&[432, 1]), 99, 5, 3);
        // Two operands that broadcast: the position is that in the operand which holds the bad value.
        let column = Arr::ints(&[3, 1], DType::I64, &[0, 1, 2]);
        let row = Arr::ints(&[4], DType::I64, &[0, 1, -7, 5]);
        let e = error(&sub(&[array(&column), all.clone(), array(&row)], op.clone()));
        says(&e, 2, Some(&[2]), -7, 6, 1);
        let e = error(&sub(&[Sub::Int(1), Sub::Int(5)], op.clone()));
        says(&e, 1, None, 5, 5, 1);
        let e = error(&sub(&[Sub::Int(-5)], op));
        says(&e, 0, None, -5, 4, 1);
    }
}

/// Values beyond i64 and in every index dtype are reported as they are.
#[test]
fn values_of_every_dtype() {
    let index = Arr::from_slice(&[2], &[0u64, u64::MAX]);
    says(&error(&case(Op::Take, &[3], &index, &[0])), 0, Some(&[1]), u64::MAX as i128, 3, 1);
    let index = Arr::from_slice(&[1], &[i64::MIN]);
    says(&error(&case(Op::Gather { dim: 0 }, &[3], &index, &[0])), 0, Some(&[0]), i64::MIN as i128, 3, 1);
    let index = Arr::from_slice(&[3], &[1i8, -128, 127]);
    says(&error(&case(Op::Take, &[3], &index, &[0])), 0, Some(&[1]), -128, 3, 2);
    let index = Arr::from_slice(&[2], &[200u8, 255]);
    says(&error(&case(Op::IndexSelect { dim: 0 }, &[3], &index, &[0])), 0, Some(&[0]), 200, 3, 2);
    let index = Arr::from_slice(&[], &[40_000u16]);
    says(&error(&case(Op::TakeAxis { axis: 0 }, &[3], &index, &[0])), 0, Some(&[]), 40_000, 3, 1);
}

/// The likely cause is named where the numbers suggest one.
#[test]
fn likely_causes() {
    let one_based = Arr::ints(&[3], DType::I64, &[1, 2, 3]);
    let text = error(&case(Op::Take, &[3], &one_based, &[0])).to_string();
    assert!(text.contains("1-based"), "{text}");
    let padded = Arr::ints(&[3], DType::I64, &[1, 2, -1]);
    let mut refused = case(Op::Gather { dim: 0 }, &[3], &padded, &[0]);
    refused.rules = Rules { sign: Sign::NonNegative, ..Rules::NEUTRAL };
    let text = error(&refused).to_string();
    assert!(text.contains("padding"), "{text}");
}

/// Kinds other than a value out of range.
#[test]
fn other_kinds() {
    let line = Arr::ints(&[2], DType::I64, &[0, 1]);
    let kind = |op, x: &[usize], index: &Arr, value: &[usize]| error(&case(op, x, index, value)).kind();
    assert_eq!(kind(Op::Gather { dim: 2 }, &[2], &line, &[]), Kind::Axis);
    assert_eq!(kind(Op::Gather { dim: 0 }, &[2, 2], &line, &[]), Kind::Shape);
    assert_eq!(kind(Op::Gather { dim: 0 }, &[2], &Arr::of(&[1], DType::F32, &[0.]), &[]), Kind::DType);
    assert_eq!(kind(Op::IndexAdd { dim: 0, alpha: 1 }, &[2], &line, &[3]), Kind::Shape);
    assert_eq!(kind(Op::MaskedSelect, &[2], &line, &[]), Kind::DType);
    assert_eq!(kind(Op::GatherAxis { axis: 0, batch: 1 }, &[2, 2], &line, &[]), Kind::Argument);
    let mut typed = case(Op::Scatter { dim: 0 }, &[2], &line, &[2]);
    typed.value = Some(Operand::plain(&Arr::zeros(&[2], DType::F64)));
    assert_eq!(error(&typed).kind(), Kind::DType);
    let mut wide = case(Op::ScatterValue { dim: 0, value: 300 }, &[2], &line, &[]);
    wide.x = Operand::plain(&Arr::zeros(&[2], DType::U8));
    assert_eq!(error(&wide).kind(), Kind::Value);
}
