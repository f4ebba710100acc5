//! What canonical calls cost: the fixed price of checking, planning and dispatch on arrays of a few elements, and the
//! price of an element on those of 4,096.
//!
//! `small` prints nanoseconds a call of every case; `small --names` lists the cases; `small NAME COUNT` runs one and
//! prints nothing, for a tool that counts instructions (`cargo xtask counts`).

use std::hint::black_box;
use std::time::Instant;

use takewise::ops::Search;
use takewise::plan::Builder;
use takewise::{AnyView, AnyViewMut, Rules, Tensor, View, ViewMut, ix, ops};
use takewise_dialects::rules::{NUMPY, TORCH};

/// A named call.
type Case = (&'static str, fn());

const CASES: &[Case] = &[
    ("plan of gather", plan),
    ("gather_into", gather),
    ("take_into", take),
    ("index_select_into", index_select),
    ("x[1, 2:3] into", basic),
    ("x[i] into", rows),
    ("x[i, j] into", points),
    ("x[mask] into", mask),
    ("index_put_", put),
    ("scatter_", scatter),
    ("scatter_add_", scatter_add),
    ("masked_fill_", masked_fill),
    ("searchsorted into", search),
    ("Tensor::gather", tensor_gather),
    ("Tensor::index", tensor_index),
    ("Tensor::scatter_", tensor_scatter),
    ("4096: take", many_take),
    ("4096: take, i32 index", many_take_narrow),
    ("4096: gather along 0", many_gather),
    ("4096: gather along 1", many_gather_last),
    ("4096: rows of 64", many_rows),
    ("4096: x[i, j]", many_points),
    ("4096: x[mask]", many_mask),
    ("4096: masked_fill_", many_fill),
    ("4096: index_put_", many_put),
    ("4096: scatter_", many_scatter),
    ("4096: scatter_add_", many_scatter_add),
    ("4096: index_add_ rows", many_index_add),
    ("4096: nonzero", many_nonzero),
    ("4096: searchsorted", many_search),
    ("512: searchsorted in place", few_search),
    ("4096: transposed copy", many_copy),
];

const X: [f32; 4] = [1., 2., 3., 4.];
const I: [i64; 4] = [0, 1, 1, 0];

fn main() {
    let mut arguments = std::env::args().skip(1);
    if std::env::args().nth(1).as_deref() == Some("--names") {
        CASES.iter().for_each(|(name, _)| println!("{name}"));
        return;
    }
    if let (Some(name), Some(count)) = (arguments.next(), arguments.next()) {
        let case = CASES.iter().find(|c| c.0 == name).expect("a case of that name");
        (0..count.parse().expect("a count")).for_each(|_: u32| once(case.1));
        return;
    }
    println!("{:<24} {:>9}", "call, 4 elements or 4096", "ns");
    for (name, run) in CASES {
        let mut rounds: Vec<f64> = (0..15).map(|_| round(*run)).collect();
        rounds.sort_by(f64::total_cmp);
        println!("{name:<24} {:>9.0}", rounds[rounds.len() / 4]);
    }
}

fn round(run: fn()) -> f64 {
    const CALLS: u32 = 2_000;
    let start = Instant::now();
    for _ in 0..CALLS {
        once(run);
    }
    start.elapsed().as_nanos() as f64 / f64::from(CALLS)
}

#[inline(never)]
fn once(run: fn()) {
    black_box(run)();
}

fn square<'a, T: takewise::Element>(data: &'a [T]) -> AnyView<'a> {
    View::new(data, &[2, 2]).expect("four elements").into()
}

fn plan() {
    TENSORS.with(|(x, i)| {
        let mut b = Builder::new(takewise::Op::Gather, &Rules::NEUTRAL, x.layout(), x.layout(), 4);
        let operand = b.operand(i.layout());
        b.axis(1, 2, 4, operand, 0);
        b.index_loop(2, 8, 8, &[16]);
        b.index_loop(2, 4, 0, &[8]);
        black_box(&b.build().expect("a plan"));
    });
}

fn into(shape: &[usize], run: impl FnOnce(&mut AnyViewMut) -> takewise::Result<()>) {
    let mut out = [0f32; 4];
    let n = shape.iter().product();
    let mut view = ViewMut::new(&mut out[..n], shape).expect("the shape fits").into();
    run(&mut view).expect("the call is good");
    black_box(out);
}

fn gather() {
    into(&[2, 2], |out| ops::gather_into(square(&X), 1, square(&I), out, &TORCH.gather));
}

fn take() {
    into(&[4], |out| ops::take_into(View::from(&X[..]), View::from(&I[..]), out, &TORCH.take));
}

fn index_select() {
    into(&[2, 2], |out| ops::index_select_into(square(&X), 0, View::from(&I[..2]), out, &TORCH.index_select));
}

fn basic() {
    into(&[1], |out| ops::index_into(square(&X), &ix![1, 1..2], out, &TORCH.get));
}

fn rows() {
    into(&[2, 2], |out| ops::index_into(square(&X), &ix![&I[..2]], out, &NUMPY.get));
}

fn points() {
    into(&[4], |out| ops::index_into(square(&X), &ix![&I[..], &I[..]], out, &NUMPY.get));
}

fn mask() {
    let mask = [true, false, false, true];
    into(&[2], |out| ops::index_into(square(&X), &ix![square(&mask)], out, &NUMPY.get));
}

fn put() {
    let one = [1f32];
    into(&[4], |x| ops::index_put_(x, &ix![&I[..]], &View::from(&one[..]), false, &TORCH.index_put));
}

fn scatter() {
    into(&[2, 2], |x| ops::scatter_(x, 1, square(&I), square(&X), None, &TORCH.scatter));
}

fn scatter_add() {
    into(&[2, 2], |x| ops::scatter_add_(x, 1, square(&I), square(&X), &TORCH.scatter_add));
}

fn masked_fill() {
    let mask = [true, false, false, true];
    into(&[2, 2], |x| ops::masked_fill_(x, square(&mask), 1.0, &TORCH.masked_fill));
}

fn search() {
    let mut out = [0i64; 4];
    let mut view: AnyViewMut = ViewMut::from(&mut out[..]).into();
    let (sequence, values) = (View::from(&X[..]), View::from(&X[..]));
    ops::searchsorted_into(&sequence, &values, &Search::default(), &mut view, &TORCH.search).expect("sorted");
    black_box(out);
}

thread_local! {
    static TENSORS: (Tensor, Tensor) = (
        Tensor::from_slice(&X, &[2, 2]).expect("four elements"),
        Tensor::from_slice(&I, &[2, 2]).expect("four elements"),
    );
}

fn tensor_gather() {
    TENSORS.with(|(x, i)| black_box(x.gather(1, i, &TORCH.gather)).expect("a result"));
}

fn tensor_index() {
    TENSORS.with(|(x, i)| black_box(x.index(&ix![0, i], &TORCH.get)).expect("a result"));
}

fn tensor_scatter() {
    TENSORS.with(|(x, i)| black_box(x.scatter_(1, i, 1.0, None, &TORCH.scatter)).expect("a good call"));
}

/// Operands of the larger cases, all of 4,096 elements in 64 rows.
struct Many {
    x: Tensor,
    out: Tensor,
    flat: Tensor,
    narrow: Tensor,
    rows: Tensor,
    lanes: Tensor,
    columns: Tensor,
    mask: Tensor,
    sorted: Tensor,
}

thread_local! {
    static MANY: Many = Many::new().expect("shapes that fit");
}

impl Many {
    fn new() -> takewise::Result<Many> {
        const N: usize = 4096;
        let mixed = |below: u64| (0..N as u64).map(move |k| (k.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33) % below);
        let x: Vec<f32> = (0..N).map(|k| k as f32).collect();
        let flat: Vec<i64> = mixed(N as u64).map(|v| v as i64).collect();
        let lanes: Vec<i64> = mixed(64).map(|v| v as i64).collect();
        let narrow: Vec<i32> = flat.iter().map(|v| *v as i32).collect();
        let mask: Vec<bool> = mixed(2).map(|v| v == 1).collect();
        Ok(Many {
            out: Tensor::from_slice(&x, &[64, 64])?,
            sorted: Tensor::from_slice(&x, &[N])?,
            x: Tensor::from_slice(&x, &[64, 64])?,
            flat: Tensor::from_slice(&flat, &[N])?,
            narrow: Tensor::from_slice(&narrow, &[N])?,
            rows: Tensor::from_slice(&lanes[..64], &[64])?,
            columns: Tensor::from_slice(&lanes[64..], &[N - 64])?,
            lanes: Tensor::from_slice(&lanes, &[64, 64])?,
            mask: Tensor::from_slice(&mask, &[64, 64])?,
        })
    }
}

fn many<R>(run: impl FnOnce(&Many) -> takewise::Result<R>) {
    MANY.with(|m| black_box(run(m)).map_or_else(|e| panic!("{e}"), |_| ()));
}

fn many_take() {
    many(|m| m.x.take(&m.flat, &TORCH.take));
}

fn many_take_narrow() {
    many(|m| m.x.take(&m.narrow, &NUMPY.take));
}

fn many_gather() {
    many(|m| m.x.gather(0, &m.lanes, &TORCH.gather));
}

fn many_gather_last() {
    many(|m| m.x.gather(1, &m.lanes, &TORCH.gather));
}

fn many_rows() {
    many(|m| m.x.index_select(0, &m.rows, &TORCH.index_select));
}

fn many_points() {
    many(|m| m.x.index(&ix![&m.columns, &m.columns], &NUMPY.get));
}

fn many_mask() {
    many(|m| m.x.index(&ix![&m.mask], &NUMPY.get));
}

fn many_fill() {
    many(|m| m.out.masked_fill_(&m.mask, 1.0, &TORCH.masked_fill));
}

fn many_put() {
    many(|m| m.out.index_set_(&ix![&m.columns, &m.columns], 2.0, &NUMPY.set));
}

fn many_scatter() {
    many(|m| m.out.scatter_(1, &m.lanes, &m.x, None, &TORCH.scatter));
}

fn many_scatter_add() {
    many(|m| m.out.scatter_add_(1, &m.lanes, &m.x, &TORCH.scatter_add));
}

fn many_index_add() {
    many(|m| m.out.index_add_(0, &m.rows, &m.x, 1.into(), &TORCH.index_add));
}

fn many_nonzero() {
    many(|m| m.mask.nonzero(&TORCH.nonzero));
}

fn many_search() {
    many(|m| {
        let (sequence, values) = (m.sorted.read_any()?, m.x.read_any()?);
        ops::searchsorted(sequence.view(), values.view(), &Search::default(), &TORCH.search)
    });
}

/// So few values that the last elements are compared where they lie, and falling, so that each is searched for.
fn few_search() {
    many(|m| {
        let (sequence, values) = (m.sorted.read_any()?, m.x.read_any()?);
        let few = values.view().narrow(0, 0, 8)?.reversed(&[1])?;
        ops::searchsorted(sequence.view(), &few, &Search::default(), &TORCH.search)
    });
}

fn many_copy() {
    many(|m| m.x.t()?.contiguous());
}
