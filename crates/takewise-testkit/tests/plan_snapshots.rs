//! The plans of canonical calls, frozen: a lost fusion, a narrower chunk or a new loop shows as a diff.
//!
//! `cargo xtask explain-snapshots` rewrites `tests/data/plans.txt` (it sets `TAKEWISE_BLESS=1`); read the diff.

use std::fmt::Write;
use takewise::Index;
use takewise::ops::{self, Source};
use takewise::{AnyView, AnyViewMut, DType, Reduce, Result, Rules, Scalar, Slice, Tensor, strategy, threads};
use takewise_dialects::rules::{JAX, TORCH};

const R: Rules = Rules::NEUTRAL;

/// An array of a dtype in one of the layouts users hold.
fn array(shape: &[usize], dtype: DType, twist: &str) -> Tensor {
    let t = match twist {
        "transposed" => {
            let turned: Vec<usize> = shape.iter().rev().copied().collect();
            let order: Vec<i64> = (0..shape.len() as i64).rev().collect();
            Tensor::zeroed(&turned, dtype).and_then(|t| t.permute(&order))
        }
        "sliced" => {
            let mut wide = shape.to_vec();
            wide.iter_mut().for_each(|n| *n += 3);
            let full = Tensor::zeroed(&wide, dtype);
            let items: Vec<Index> = shape
                .iter()
                .map(|&n| Index::Range(Slice { start: Some(1), stop: Some(n as i64 + 1), step: None }))
                .collect();
            full.and_then(|t| t.index(&items, &R))
        }
        "reversed" => Tensor::zeroed(shape, dtype).and_then(|t| {
            let last = Index::Range(Slice { start: None, stop: None, step: Some(-1) });
            t.index(&[Index::Ellipsis, last], &R)
        }),
        "broadcast" => Tensor::zeroed(&shape[shape.len() - 1..], dtype).and_then(|t| t.broadcast_to(shape)),
        _ => Tensor::zeroed(shape, dtype),
    };
    t.unwrap()
}

struct Book {
    text: String,
    calls: usize,
}

impl Book {
    fn call<T>(&mut self, name: &str, f: impl FnOnce() -> Result<T>) {
        let (result, plans) = strategy::trace(true, f);
        assert!(result.is_ok(), "{name}: {}", result.err().unwrap());
        let _ = writeln!(self.text, "## {name}");
        for p in plans.iter().filter(|p| p.verb != "read" || !p.plan.to_string().starts_with("copy")) {
            let _ = write!(self.text, "{} {p}", p.verb);
        }
        self.calls += 1;
    }
}

fn with<R>(tensors: &[&Tensor], f: impl FnOnce(&[AnyView]) -> R) -> R {
    let guards: Vec<_> = tensors.iter().map(|t| t.read_any().unwrap()).collect();
    let views: Vec<AnyView> = guards.iter().map(|g| g.view()).collect();
    f(&views)
}

fn into<R>(dst: &Tensor, f: impl FnOnce(&mut AnyViewMut) -> R) -> R {
    f(&mut dst.write_any().unwrap().view_mut())
}

fn reads(book: &mut Book) {
    for twist in ["plain", "transposed", "sliced", "reversed", "broadcast"] {
        let x = array(&[6, 5, 4], DType::F32, twist);
        for dim in 0..3 {
            let mut shape = [6, 5, 4];
            shape[dim] = 2;
            let i = array(&shape, DType::I64, "plain");
            book.call(&format!("gather {twist} dim {dim}"), || {
                with(&[&x, &i], |v| ops::gather(&v[0], dim as i64, &v[1], &R))
            });
            let i = array(&[7], DType::I32, "plain");
            let name = format!("index_select {twist} dim {dim}");
            book.call(&name, || with(&[&x, &i], |v| ops::index_select(&v[0], dim as i64, &v[1], &R)));
            let one = array(&[1, 1, 1], DType::I64, "plain");
            let name = format!("take_along {twist} dim {dim}, broadcast index");
            book.call(&name, || with(&[&x, &one], |v| ops::take_along(&v[0], Some(dim as i64), &v[1], &R)));
        }
        let flat = array(&[3, 2], DType::I64, "plain");
        book.call(&format!("take {twist}"), || with(&[&x, &flat], |v| ops::take(&v[0], &v[1], &R)));
        let tuples = array(&[3, 2], DType::I64, "plain");
        book.call(&format!("gather_nd {twist}"), || with(&[&x, &tuples], |v| ops::gather_nd(&v[0], &v[1], 0, &R)));
        let batched = array(&[6, 3], DType::I64, "plain");
        book.call(&format!("gather_axis {twist} axis 1 batch 1"), || {
            with(&[&x, &batched], |v| ops::gather_axis(&v[0], 1, &v[1], 1, &R))
        });
        book.call(&format!("gather_axis {twist} axis 2 batch 1"), || {
            with(&[&x, &batched], |v| ops::gather_axis(&v[0], 2, &v[1], 1, &R))
        });
        let mask = array(&[6, 5, 4], DType::Bool, "plain");
        book.call(&format!("masked_select {twist}"), || with(&[&x, &mask], |v| ops::masked_select(&v[0], &v[1], &R)));
    }
    for dtype in [DType::U8, DType::F16, DType::F64, DType::C128, DType::Opaque { size: 12, align: 4, tag: 0 }] {
        let x = array(&[6, 5, 4], dtype, "plain");
        let i = array(&[7], DType::U8, "plain");
        book.call(&format!("rows of {dtype:?}"), || with(&[&x, &i], |v| ops::take_axis(&v[0], 0, &v[1], &R)));
        let i = array(&[6, 5, 2], DType::I16, "plain");
        book.call(&format!("gather of {dtype:?}"), || with(&[&x, &i], |v| ops::gather(&v[0], 2, &v[1], &R)));
    }
}

fn subscripts(book: &mut Book) {
    let i = array(&[3], DType::I64, "plain");
    let j = array(&[2, 1], DType::I32, "plain");
    let row = array(&[6], DType::Bool, "plain");
    let plane = array(&[6, 5], DType::Bool, "plain");
    let inner = array(&[5, 4], DType::Bool, "plain");
    let (a, b) = (Index::Tensor(&i), Index::Tensor(&j));
    let all = Index::Range(Slice::ALL);
    let some = Index::Range(Slice { start: Some(1), stop: Some(3), step: None });
    let odd = Index::Range(Slice { start: None, stop: None, step: Some(2) });
    let table: Vec<(&str, Vec<Index>)> = vec![
        ("[i]", vec![a.clone()]),
        ("[:, i]", vec![all.clone(), a.clone()]),
        ("[..., i]", vec![Index::Ellipsis, a.clone()]),
        ("[i, j]", vec![a.clone(), b.clone()]),
        ("[i, :, j]", vec![a.clone(), all.clone(), b.clone()]),
        ("[:, i, j]", vec![all.clone(), a.clone(), b.clone()]),
        ("[i, j, i]", vec![a.clone(), b.clone(), a.clone()]),
        ("[i, 1:3]", vec![a.clone(), some.clone()]),
        ("[i, :, 1:3]", vec![a.clone(), all.clone(), some.clone()]),
        ("[i, ::2]", vec![a.clone(), odd.clone()]),
        ("[0, i]", vec![Index::Int(0), a.clone()]),
        ("[0, :, i]", vec![Index::Int(0), all.clone(), a.clone()]),
        ("[i, 0]", vec![a.clone(), Index::Int(0)]),
        ("[None, i]", vec![Index::NewAxis, a.clone()]),
        ("[True]", vec![Index::Bool(true)]),
        ("[True, i]", vec![Index::Bool(true), a.clone()]),
        ("[row]", vec![Index::Tensor(&row)]),
        ("[plane]", vec![Index::Tensor(&plane)]),
        ("[plane, 1:3]", vec![Index::Tensor(&plane), some.clone()]),
        ("[:, inner]", vec![all.clone(), Index::Tensor(&inner)]),
        ("[0, inner]", vec![Index::Int(0), Index::Tensor(&inner)]),
        ("[::2, inner]", vec![odd, Index::Tensor(&inner)]),
    ];
    for twist in ["plain", "transposed", "sliced"] {
        let x = array(&[6, 5, 4], DType::F32, twist);
        for (name, items) in &table {
            book.call(&format!("x{name} {twist}"), || x.index(items, &TORCH.get));
            if twist != "sliced" {
                book.call(&format!("x{name} = 1 {twist}"), || x.index_set_(items, Scalar::Int(1), &TORCH.set));
            }
        }
    }
}

fn writes(book: &mut Book) {
    for twist in ["plain", "transposed", "sliced"] {
        let x = array(&[6, 5, 4], DType::F32, twist);
        for dim in 0..3i64 {
            let mut shape = [6, 5, 4];
            shape[dim as usize] = 2;
            let (i, v) = (array(&shape, DType::I64, "plain"), array(&shape, DType::F32, "plain"));
            for (name, how) in
                [("scatter", None), ("scatter_add", Some(Reduce::Sum)), ("scatter max", Some(Reduce::Max))]
            {
                book.call(&format!("{name} {twist} dim {dim}"), || {
                    with(&[&i, &v], |r| into(&x, |x| ops::scatter_(x, dim, &r[0], &r[1], how, &R)))
                });
            }
            book.call(&format!("scatter number {twist} dim {dim}"), || {
                with(&[&i], |r| into(&x, |x| ops::scatter_(x, dim, &r[0], Source::Scalar(Scalar::Int(1)), None, &R)))
            });
            let rows = array(&[2], DType::I64, "plain");
            book.call(&format!("index_add {twist} dim {dim}"), || {
                with(&[&rows, &v], |r| into(&x, |x| ops::index_add_(x, dim, &r[0], &r[1], Scalar::Int(1), &R)))
            });
            book.call(&format!("index_copy {twist} dim {dim}"), || {
                with(&[&rows, &v], |r| into(&x, |x| ops::index_copy_(x, dim, &r[0], &r[1], &R)))
            });
            book.call(&format!("index_fill {twist} dim {dim}"), || {
                with(&[&rows], |r| into(&x, |x| ops::index_fill_(x, dim, &r[0], 1, &R)))
            });
        }
        let (i, v) = (array(&[3, 2], DType::I64, "plain"), array(&[6], DType::F32, "plain"));
        book.call(&format!("put {twist}"), || with(&[&i, &v], |r| into(&x, |x| ops::put_(x, &r[0], &r[1], false, &R))));
        book.call(&format!("put from transposed {twist}"), || {
            let v = array(&[2, 3], DType::F32, "transposed");
            with(&[&i, &v], |r| into(&x, |x| ops::put_(x, &r[0], &r[1], false, &R)))
        });
        let mask = array(&[5, 4], DType::Bool, "plain");
        book.call(&format!("masked_fill {twist}"), || {
            with(&[&mask], |r| into(&x, |x| ops::masked_fill_(x, &r[0], 1, &R)))
        });
        let (tuples, v) = (array(&[3, 2], DType::I64, "plain"), array(&[3, 4], DType::F32, "plain"));
        book.call(&format!("scatter_nd {twist}"), || {
            with(&[&tuples, &v], |r| into(&x, |x| ops::scatter_nd_(x, &r[0], &r[1], None, &R)))
        });
        book.call(&format!("x.at[i].add {twist}"), || {
            x.index_put_(&[Index::Tensor(&tuples)], &array(&[3, 2, 5, 4], DType::F32, "plain"), true, &JAX.index_put)
        });
    }
}

/// Calls large enough that the table of strategies has something to choose.
fn strategies(book: &mut Book) {
    let x = array(&[1 << 14], DType::F32, "plain");
    for n in [33, 100, 128, 512, 513, 4096] {
        let (i, v) = (array(&[n], DType::I64, "plain"), array(&[n], DType::F32, "plain"));
        book.call(&format!("take {n}"), || with(&[&x, &i], |v| ops::take(&v[0], &v[1], &R)));
        let (wide, narrow) = (array(&[1 << 14], DType::F32, "plain"), array(&[64], DType::F32, "plain"));
        for (dst, size) in [(&wide, "many"), (&narrow, "few")] {
            for how in [None, Some(Reduce::Sum)] {
                let name = format!("scatter {how:?} {n} into {size}");
                book.call(&name, || with(&[&i, &v], |r| into(dst, |x| ops::scatter_(x, 0, &r[0], &r[1], how, &R))));
            }
            for (how, include_self) in [(Reduce::Mean, true), (Reduce::Sum, false)] {
                let name = format!("scatter_reduce {how:?} {include_self} {n} into {size}");
                book.call(&name, || {
                    with(&[&i, &v], |r| into(dst, |x| ops::scatter_reduce_(x, 0, &r[0], &r[1], how, include_self, &R)))
                });
            }
        }
    }
    let (x, y) = (array(&[1024, 1024], DType::F64, "plain"), array(&[1024, 1024], DType::F64, "plain"));
    let i = array(&[1024, 1024], DType::I64, "plain");
    for dim in [0, 1] {
        book.call(&format!("gather dim {dim}"), || with(&[&x, &i], |v| ops::gather(&v[0], dim, &v[1], &R)));
        let name = format!("scatter_add dim {dim}");
        book.call(&name, || with(&[&i, &y], |r| into(&x, |x| ops::scatter_add_(x, dim, &r[0], &r[1], &R))));
    }
    let columns = array(&[700], DType::I64, "plain");
    book.call("columns", || with(&[&x, &columns], |v| ops::index_select(&v[0], 1, &v[1], &R)));
    book.call("rows", || with(&[&x, &columns], |v| ops::index_select(&v[0], 0, &v[1], &R)));
    let mask = array(&[1024, 1024], DType::Bool, "plain");
    book.call("mask", || with(&[&x, &mask], |v| ops::masked_select(&v[0], &v[1], &R)));
    book.call("fill", || with(&[&mask], |r| into(&x, |x| ops::masked_fill_(x, &r[0], 1, &R))));
}

#[test]
fn plans_stay_as_they_were() {
    // What is chosen depends on both; results do not.
    takewise::Cpu::supported()[0].force();
    let book = threads::with_threads(1, || {
        let mut book = Book { text: String::new(), calls: 0 };
        reads(&mut book);
        subscripts(&mut book);
        writes(&mut book);
        strategies(&mut book);
        book
    });
    assert!(book.calls >= 200, "{} calls", book.calls);
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/plans.txt");
    if std::env::var_os("TAKEWISE_BLESS").is_some() {
        std::fs::write(path, &book.text).unwrap();
        return;
    }
    let frozen = std::fs::read_to_string(path).unwrap_or_default();
    let changed = book.text.lines().zip(frozen.lines()).position(|(now, then)| now != then);
    assert!(
        book.text == frozen,
        "plans changed from line {}; see the head of this file",
        changed.map_or(frozen.lines().count(), |n| n + 1)
    );
}

/// The page that shows the table of strategies shows this one; it is written anew as the plans are.
#[test]
fn the_architecture_page_has_the_table() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/ARCHITECTURE.md");
    let page = std::fs::read_to_string(path).unwrap();
    const HEAD: &str = "| strategy | for | when, and what it saves |\n|---|---|---|\n";
    let start = page.find(HEAD).expect("the head of the table") + HEAD.len();
    let rows: usize = page[start..].split_inclusive('\n').take_while(|l| l.starts_with('|')).map(str::len).sum();
    if std::env::var_os("TAKEWISE_BLESS").is_some() {
        let page = [&page[..start], &strategy::strategies(), &page[start + rows..]].concat();
        std::fs::write(path, page).unwrap();
    } else {
        assert_eq!(page[start..start + rows], strategy::strategies(), "run `cargo xtask explain-snapshots`");
    }
}

/// Also where the memory is that of a result dropped before.
#[test]
fn results_of_a_dry_run_hold_zeros() {
    let x = Tensor::from_slice(&vec![1f32; 1 << 18], &[512, 512]).unwrap();
    let rows = Tensor::from_slice(&(0..512).collect::<Vec<i64>>(), &[512]).unwrap();
    let calls: [&dyn Fn() -> Result<Tensor>; 3] =
        [&|| x.clone_data(), &|| x.t()?.contiguous(), &|| x.index_select(0, &rows, &R)];
    for (k, call) in calls.iter().enumerate() {
        assert_eq!(call().unwrap().to_vec::<f32>().unwrap().iter().sum::<f32>(), 262_144.0);
        let (result, plans) = strategy::trace(true, call);
        assert_eq!(plans.len(), 1, "call {k}");
        assert!(result.unwrap().to_vec::<f32>().unwrap().iter().all(|v| *v == 0.0), "call {k}");
    }
}
