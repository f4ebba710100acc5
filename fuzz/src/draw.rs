//! What every target draws: rules, dtypes, layouts.

use takewise::DType;
use takewise::dtype::DTYPES;
use takewise::index::rules::*;
use takewise_testkit::worlds::{INDEX_DTYPES, OUTSIDES};
use takewise_testkit::{Arr, Case, Operand, Rng, Twist};

/// Rules in which every policy may be any of its values.
pub fn rules(rng: &mut Rng) -> Rules {
    Rules {
        sign: rng.pick(&[Sign::FromEnd, Sign::NonNegative]),
        outside: rng.pick(&OUTSIDES),
        duplicates: rng.pick(&[Duplicates::Last, Duplicates::Last, Duplicates::First, Duplicates::Error]),
        extent: rng.pick(&[Extent::AtMost, Extent::Equal]),
        lone_int: rng.pick(&[LoneInt::JoinsArrays, LoneInt::SelectsFirst]),
        empty: rng.pick(&[Empty::StillChecks, Empty::Forgives]),
        negative_step: !rng.one_in(4),
        accumulate: rng.pick(&[Width::Native, Width::Wide]),
        ..Rules::NEUTRAL
    }
}

/// Any dtype, records included.
pub fn dtype(rng: &mut Rng) -> DType {
    match rng.below(DTYPES.len() + 3) {
        0 => DType::Opaque { size: 3, align: 1, tag: 0 },
        1 => DType::Opaque { size: 12, align: 4, tag: 0 },
        2 => DType::Opaque { size: 24, align: 8, tag: 0 },
        k => DTYPES[k - 3],
    }
}

/// Any dtype an index may have.
pub fn index_dtype(rng: &mut Rng) -> DType {
    rng.pick(&INDEX_DTYPES)
}

/// A shape of up to `most` axes.
pub fn shape(rng: &mut Rng, most: usize) -> Vec<usize> {
    let rank = rng.below(most + 1);
    rng.shape(rank, 4)
}

/// An operand that is only read, laid out somehow.
pub fn operand(rng: &mut Rng, value: &Arr) -> Operand {
    Operand::new(value, &Twist::random(rng, value.shape.len(), true))
}

/// A destination, laid out somehow.
pub fn destination(rng: &mut Rng, value: &Arr) -> Operand {
    Operand::new(value, &Twist::random(rng, value.shape.len(), false))
}

/// Holds the engine against the oracle; whether the call was valid.
pub fn verify(rng: &mut Rng, case: &Case) -> bool {
    let threads: &[usize] = if rng.one_in(8) { &[1, 2, 7] } else { &[1] };
    let out = Twist { order: vec![], stretched: 0, ..Twist::random(rng, 8, false) };
    case.verify("fuzz", threads, &out);
    case.expected().is_ok()
}
