//! Small worlds: everything there is, up to a size; and how a numbered case is laid out and run.

use crate::arr::{Arr, numel};
use crate::case::{Case, Op};
use crate::operand::{Operand, Twist};
use crate::oracle::Sub;
use crate::rng::Rng;
use takewise::DType;
use takewise::index::rules::*;

/// One dtype for every element size: 1, 2, 4, 8, 16 bytes and records of 3, 12 and 24.
pub const SIZES: [DType; 8] = [
    DType::U8,
    DType::I16,
    DType::F32,
    DType::I64,
    DType::C128,
    DType::Opaque { size: 3, align: 1, tag: 0 },
    DType::Opaque { size: 12, align: 4, tag: 0 },
    DType::Opaque { size: 24, align: 8, tag: 0 },
];

/// Every dtype an index may have.
pub const INDEX_DTYPES: [DType; 8] =
    [DType::I64, DType::I32, DType::I16, DType::I8, DType::U8, DType::U16, DType::U32, DType::U64];

/// Every policy for values out of range.
pub const OUTSIDES: [Outside; 5] = [Outside::Raise, Outside::Clip, Outside::Wrap, Outside::Fill, Outside::Drop];

/// Both readings of negative values under every policy for values out of range.
pub fn policies() -> Vec<Rules> {
    let one = |sign| move |outside| Rules { sign, outside, ..Rules::NEUTRAL };
    [Sign::FromEnd, Sign::NonNegative].into_iter().flat_map(|sign| OUTSIDES.map(one(sign))).collect()
}

/// [`policies`] under every rule for duplicates.
pub fn write_policies() -> Vec<Rules> {
    let all = [Duplicates::Last, Duplicates::First, Duplicates::Error];
    policies().into_iter().flat_map(|r| all.map(|duplicates| Rules { duplicates, ..r })).collect()
}

/// All shapes of a rank with extents from `least` to `most`.
pub fn shapes(rank: usize, least: usize, most: usize) -> Vec<Vec<usize>> {
    let mut all = vec![vec![]];
    for _ in 0..rank {
        let longer = |s: &Vec<usize>| (least..=most).map(|n| [&s[..], &[n]].concat()).collect::<Vec<_>>();
        all = all.iter().flat_map(longer).collect();
    }
    all
}

/// All lists of `len` values, each from `low` to `high`.
pub fn tuples(len: usize, low: i64, high: i64) -> Vec<Vec<i64>> {
    let mut all = vec![vec![]];
    for _ in 0..len {
        let longer = |s: &Vec<i64>| (low..=high).map(|n| [&s[..], &[n]].concat()).collect::<Vec<_>>();
        all = all.iter().flat_map(longer).collect();
    }
    all
}

/// Every mask of a shape.
pub fn masks(shape: &[usize]) -> Vec<Arr> {
    let n = numel(shape);
    (0..1u32 << n).map(|bits| Arr::mask(shape, &(0..n).map(|k| bits >> k & 1 == 1).collect::<Vec<_>>())).collect()
}

/// Runs numbered cases. What is not crossed exhaustively (layouts, index dtypes, thread counts) is drawn from
/// the case's number, so a failure names all it needs to be run again.
#[derive(Default)]
pub struct World {
    /// Cases run so far.
    pub count: u64,
}

impl World {
    /// A new world.
    pub fn new() -> World {
        World::default()
    }

    /// The thread counts of a case: all of them now and then, one most of the time.
    pub fn threads(rng: &mut Rng) -> &'static [usize] {
        match rng.below(24) {
            0 => &[1, 2, 7],
            1 => &[7],
            _ => &[1],
        }
    }

    /// An index in another dtype, if its values fit one drawn at random.
    pub fn narrowed(rng: &mut Rng, index: &Arr) -> Arr {
        let dtype = rng.pick(&INDEX_DTYPES);
        let values: Vec<i64> = (0..index.data.len()).map(|k| index.int_at(k) as i64).collect();
        let narrow = Arr::ints(&index.shape, dtype, &values);
        let fits = (0..values.len()).all(|k| narrow.int_at(k) == values[k] as i128);
        if fits { narrow } else { index.clone() }
    }

    /// Runs a case with operands laid out at random.
    pub fn run(&mut self, op: Op, rules: &Rules, x: &Arr, index: Option<&Arr>, value: Option<&Arr>) {
        self.count += 1;
        let mut rng = Rng::new(self.count);
        let writes = Case::new(op.clone(), rules, Operand::plain(x), Operand::plain(x), None).writes();
        let read = |a: &Arr, rng: &mut Rng| Operand::new(a, &Twist::random(rng, a.shape.len(), true));
        let x = Operand::new(x, &Twist::random(&mut rng, x.shape.len(), !writes));
        let index = index.map(|i| {
            let i = if i.dtype == DType::I64 { World::narrowed(&mut rng, i) } else { i.clone() };
            read(&i, &mut rng)
        });
        let value = value.map(|v| read(v, &mut rng));
        let case = Case { op, rules: *rules, x, subs: vec![], index: index.into_iter().collect(), value };
        self.verify(case, rng);
    }

    /// Runs a subscript with operands laid out at random.
    pub fn subscript(&mut self, op: Op, rules: &Rules, x: &Arr, subs: &[Sub], value: Option<&Arr>) {
        self.count += 1;
        let mut rng = Rng::new(self.count);
        let read = |a: &Arr, rng: &mut Rng| Operand::new(a, &Twist::random(rng, a.shape.len(), true));
        let x = Operand::new(x, &Twist::random(&mut rng, x.shape.len(), op == Op::Get));
        let mut index = vec![];
        for sub in subs {
            if let Sub::Array(a) = sub {
                let a =
                    if a.dtype == DType::I64 && !rules.byte_masks { World::narrowed(&mut rng, a) } else { a.clone() };
                index.push(read(&a, &mut rng));
            }
        }
        let value = value.map(|v| read(v, &mut rng));
        let case = Case { op, rules: *rules, x, subs: subs.to_vec(), index, value };
        self.verify(case, rng);
    }

    /// Runs a case as it is.
    pub fn verify(&mut self, case: Case, mut rng: Rng) {
        let threads = World::threads(&mut rng);
        let out = Twist { stretched: 0, ..Twist::random(&mut rng, 8, false) };
        let out = Twist { order: vec![], ..out };
        case.verify(&format!("case {}", self.count), threads, &out);
    }
}
