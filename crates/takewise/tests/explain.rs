//! The plans of canonical calls, stored: a loop that is no longer merged with its neighbour, a row that is no longer
//! moved whole, a pass that was added are differences in `data/explain.txt`.
//!
//! `cargo xtask explain-snapshots` writes the file again (it sets `TAKEWISE_BLESS`).

use std::fmt::Write;

use takewise::index::rules::{Outside, Sign};
use takewise::{DType, Reduce, Rules, Slice, Tensor, exec};

const STORED: &str = include_str!("data/explain.txt");
const R: &Rules = &Rules::NEUTRAL;

/// The text of every call so far.
struct Book(String);

impl Book {
    /// Adds what a call would do, without doing it.
    fn add<T>(&mut self, name: &str, call: impl FnOnce() -> takewise::Result<T>) {
        let (result, plans) = exec::trace(true, call);
        writeln!(self.0, "# {name}").unwrap();
        if let Err(error) = result {
            panic!("{name}: {error}");
        }
        for traced in &plans {
            write!(self.0, "{} {}", traced.verb, traced.plan).unwrap();
        }
        self.0.push('\n');
    }
}

fn zeros(shape: &[usize], dtype: DType) -> Tensor {
    Tensor::zeroed(shape, dtype).unwrap()
}

fn f(shape: &[usize]) -> Tensor {
    zeros(shape, DType::F32)
}

fn i(shape: &[usize]) -> Tensor {
    zeros(shape, DType::I64)
}

fn mask(shape: &[usize]) -> Tensor {
    let count = shape.iter().product();
    let values: Vec<bool> = (0..count).map(|k| k % 3 == 0).collect();
    Tensor::from_slice(&values, shape).unwrap()
}

fn every(step: i64) -> Slice {
    Slice { step: Some(step), ..Slice::ALL }
}

/// One array of a shape, laid out in the ways that make a plan differ.
fn layouts(shape: &[usize]) -> Vec<(&'static str, Tensor)> {
    let plain = f(shape);
    let last = shape.len() as i64 - 1;
    let turned: Vec<usize> = shape.iter().rev().copied().collect();
    let backwards: Vec<i64> = (0..=last).rev().collect();
    let mut wide = shape.to_vec();
    wide[last as usize] *= 2;
    let mut row = shape.to_vec();
    row[0] = 1;
    let target: Vec<i64> = shape.iter().map(|&n| n as i64).collect();
    vec![
        ("contiguous", plain.clone()),
        ("transposed", f(&turned).permute(&backwards).unwrap()),
        ("every second column", f(&wide).slice(last, every(2)).unwrap()),
        ("left half", f(&wide).narrow(last, 0, shape[last as usize] as i64).unwrap()),
        ("reversed rows", plain.reversed(&[0]).unwrap()),
        ("one row stretched", f(&row).expand(&target).unwrap()),
    ]
}

fn along(book: &mut Book) {
    for (how, x) in layouts(&[8, 100, 64]) {
        for (dim, shape) in [(0, [3, 100, 64]), (1, [8, 30, 64]), (2, [8, 100, 5])] {
            let index = i(&shape);
            book.add(&format!("gather {how} (8,100,64) dim {dim} by {shape:?}"), || x.gather(&index, dim, R));
        }
        book.add(&format!("index_select {how} dim 0"), || x.index_select(&i(&[20]), 0, R));
        book.add(&format!("index_select {how} dim 1"), || x.index_select(&i(&[20]), 1, R));
        book.add(&format!("index_select {how} dim 2"), || x.index_select(&i(&[20]), 2, R));
        book.add(&format!("take {how}"), || x.take(&i(&[40, 5]), R));
    }
    let x = f(&[8, 100, 64]);
    for (how, index) in [
        ("stretched over the last axis", i(&[8, 30, 1]).expand(&[8, 30, 64]).unwrap()),
        ("stretched over the first axis", i(&[1, 30, 64]).expand(&[8, 30, 64]).unwrap()),
        ("transposed", i(&[64, 30, 8]).permute(&[2, 1, 0]).unwrap()),
        ("smaller off the axis", i(&[4, 30, 32])),
        ("empty", i(&[8, 0, 64])),
    ] {
        book.add(&format!("gather dim 1 by an index {how}"), || x.gather(&index, 1, R));
    }
    book.add("take_along dim 1, index broadcast", || x.take_along(&i(&[1, 30, 1]), Some(1), R));
    book.add("take_along dim 1, array broadcast", || f(&[1, 100, 64]).take_along(&i(&[8, 30, 64]), Some(1), R));
    book.add("take_along flat", || x.take_along(&i(&[30]), None, R));
    for dtype in [DType::U8, DType::F16, DType::F64, DType::C128, DType::Opaque { size: 12, align: 4 }] {
        book.add(&format!("gather dim 0 of {dtype:?}"), || zeros(&[50, 4], dtype).gather(&i(&[7, 4]), 0, R));
        book.add(&format!("rows of {dtype:?}"), || zeros(&[50, 4], dtype).index_select(&i(&[7]), 0, R));
    }
    for outside in [Outside::Raise, Outside::Clip, Outside::Wrap, Outside::Fill, Outside::Drop] {
        for sign in [Sign::FromEnd, Sign::NonNegative] {
            let rules = Rules { outside, sign, ..Rules::NEUTRAL };
            book.add(&format!("take {sign:?} {outside:?}"), || f(&[50]).take(&i(&[7]), &rules));
        }
    }
}

fn batched(book: &mut Book) {
    let x = f(&[4, 6, 50, 32]);
    for (axis, batch, shape) in
        [(2, 0, &[7][..]), (2, 1, &[4, 7]), (2, 2, &[4, 6, 7]), (3, 2, &[4, 6, 7]), (1, 1, &[4, 3, 3]), (0, 0, &[])]
    {
        book.add(&format!("gather axis {axis} batch_dims {batch} by {shape:?}"), || {
            x.gather_axis(&i(shape), axis, batch, R)
        });
    }
    for (depth, batch, lead) in
        [(1, 0, vec![9]), (2, 0, vec![9]), (4, 0, vec![3, 3]), (2, 1, vec![4, 9]), (0, 0, vec![9])]
    {
        let shape = [&lead[..], &[depth]].concat();
        book.add(&format!("gather_nd by {shape:?} batch {batch}"), || x.gather_nd(&i(&shape), batch, R));
    }
    book.add("scatter_nd rows", || x.scatter_nd_(&i(&[9, 2]), &f(&[9, 50, 32]), None, R));
    book.add("scatter_nd points, summed", || x.scatter_nd_(&i(&[9, 4]), &f(&[9]), Some(Reduce::Sum), R));
}

fn writes(book: &mut Book) {
    for (how, x) in layouts(&[8, 100, 64]) {
        if how == "one row stretched" {
            continue; // a destination does not meet itself
        }
        for dim in 0..3 {
            let mut shape = [8, 100, 64];
            shape[dim as usize] = 5;
            let (index, source) = (i(&shape), f(&shape));
            book.add(&format!("scatter {how} dim {dim}"), || x.scatter_(&index, &source, dim, None, R));
            book.add(&format!("scatter_add {how} dim {dim}"), || x.scatter_add_(&index, &source, dim, R));
        }
        book.add(&format!("put {how}"), || x.put_(&i(&[40]), &f(&[40]), false, R));
    }
    let x = f(&[8, 100, 64]);
    let rows = f(&[8, 20, 64]);
    book.add("scatter a number dim 1", || x.scatter_(&i(&[8, 5, 64]), 1.5, 1, None, R));
    book.add("scatter from a larger source", || x.scatter_(&i(&[4, 5, 64]), &f(&[6, 7, 64]), 1, None, R));
    book.add("scatter_reduce mean dim 1", || {
        x.scatter_reduce_(&i(&[8, 5, 64]), &f(&[8, 5, 64]), 1, Reduce::Mean, true, R)
    });
    book.add("scatter_reduce max without self", || {
        x.scatter_reduce_(&i(&[8, 5, 64]), &f(&[8, 5, 64]), 1, Reduce::Max, false, R)
    });
    book.add("index_add dim 1", || x.index_add_(1, &i(&[20]), &rows, takewise::Scalar::Int(1), R));
    book.add("index_copy dim 1", || x.index_copy_(1, &i(&[20]), &rows, R));
    book.add("index_fill dim 1", || x.index_fill_(&i(&[20]), 0.0, 1, R));
    book.add("index_reduce prod dim 1", || x.index_reduce_(1, &i(&[20]), &rows, Reduce::Prod, true, R));
    book.add("put, summed", || x.put_(&i(&[40]), &f(&[40]), true, R));
    book.add("put_along dim 1", || x.put_along_(&i(&[8, 3, 1]), &f(&[1, 3, 64]), 1, R));
    let gradient = Rules { overlap: takewise::index::rules::Overlap::CopyInput, ..Rules::NEUTRAL };
    book.add("scatter from the destination itself", || x.scatter_(&i(&[8, 100, 64]), &x.clone(), 1, None, &gradient));
}

fn masks(book: &mut Book) {
    for (how, x) in layouts(&[30, 40]) {
        book.add(&format!("masked_select {how}"), || x.masked_select(&mask(&[30, 40]), R));
        if how != "one row stretched" {
            book.add(&format!("masked_fill {how}"), || x.masked_fill_(&mask(&[30, 40]), 1.0, R));
            book.add(&format!("masked_scatter {how}"), || x.masked_scatter_(&mask(&[30, 40]), &f(&[1200]), R));
        }
    }
    let x = f(&[30, 40]);
    book.add("masked_select, mask transposed", || x.masked_select(&mask(&[40, 30]).t()?, R));
    book.add("masked_select, mask over rows", || x.masked_select(&mask(&[30, 1]), R));
    book.add("masked_select, mask over columns", || x.masked_select(&mask(&[40]), R));
    book.add("masked_fill, mask over rows", || x.masked_fill_(&mask(&[30, 1]), 1.0, R));
}

/// Plans of every family, in the order of the file.
fn explained() -> String {
    let mut book = Book(String::new());
    along(&mut book);
    batched(&mut book);
    writes(&mut book);
    masks(&mut book);
    book.0
}

#[test]
fn plans_are_as_stored() {
    let fresh = explained();
    if std::env::var_os("TAKEWISE_BLESS").is_some() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/explain.txt");
        std::fs::write(path, &fresh).unwrap();
        return;
    }
    let mut name = "";
    for (stored, now) in STORED.lines().zip(fresh.lines()) {
        name = if now.starts_with('#') { now } else { name };
        assert_eq!(now, stored, "{name}; if it is meant: cargo xtask explain-snapshots");
    }
    assert_eq!(fresh.lines().count(), STORED.lines().count(), "calls were added or removed");
}

/// What the stored plans are for: the shapes whose speed depends on merging have few loops.
#[test]
fn whole_rows_move_at_once() {
    let plan = |call: &dyn Fn() -> takewise::Result<Tensor>| exec::trace(true, call).1.remove(0).plan;
    let x = f(&[8, 100, 64]);
    assert_eq!(plan(&|| x.index_select(&i(&[20]), 1, R)).chunk(), 64 * 4);
    assert_eq!(plan(&|| x.index_select(&i(&[20]), 0, R)).chunk(), 100 * 64 * 4);
    assert_eq!(plan(&|| x.take_along(&i(&[1, 30, 1]), Some(1), R)).chunk(), 64 * 4);
    assert_eq!(plan(&|| x.gather_axis(&i(&[8, 30]), 1, 1, R)).chunk(), 64 * 4);
}
