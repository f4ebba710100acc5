//! What small calls cost: the fixed price of checking, planning and dispatch on arrays of a few elements.
//!
//! `small` prints nanoseconds a call of every case; `small NAME COUNT` runs one case and prints nothing, for a tool that
//! counts instructions (`valgrind --tool=callgrind --toggle-collect='*small::once*'`).

use std::hint::black_box;
use std::time::Instant;

use takewise::index::{NUMPY, TORCH};
use takewise::ops::Search;
use takewise::plan::Builder;
use takewise::{AnyView, AnyViewMut, Rules, Tensor, View, ViewMut, ix, ops};

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
];

const X: [f32; 4] = [1., 2., 3., 4.];
const I: [i64; 4] = [0, 1, 1, 0];

fn main() {
    let mut arguments = std::env::args().skip(1);
    if let (Some(name), Some(count)) = (arguments.next(), arguments.next()) {
        let case = CASES.iter().find(|c| c.0 == name).expect("a case of that name");
        (0..count.parse().expect("a count")).for_each(|_: u32| once(case.1));
        return;
    }
    println!("{:<20} {:>9}", "call, 4 elements", "ns");
    for (name, run) in CASES {
        let mut rounds: Vec<f64> = (0..15).map(|_| round(*run)).collect();
        rounds.sort_by(f64::total_cmp);
        println!("{name:<20} {:>9.0}", rounds[rounds.len() / 4]);
    }
}

fn round(run: fn()) -> f64 {
    const CALLS: u32 = 20_000;
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
        let mut b = Builder::new("gather", &Rules::NEUTRAL, x.layout(), x.layout(), 4);
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
    ops::searchsorted_into(&sequence, &values, &Search::default(), &TORCH.search, &mut view).expect("sorted");
    black_box(out);
}

thread_local! {
    static TENSORS: (Tensor, Tensor) = (
        Tensor::from_slice(&X, &[2, 2]).expect("four elements"),
        Tensor::from_slice(&I, &[2, 2]).expect("four elements"),
    );
}

fn tensor_gather() {
    TENSORS.with(|(x, i)| black_box(x.gather(i, 1, &TORCH.gather)).expect("a result"));
}

fn tensor_index() {
    TENSORS.with(|(x, i)| black_box(x.index(&ix![0, i], &TORCH.get)).expect("a result"));
}
