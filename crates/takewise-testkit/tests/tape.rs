//! The tape: what backward collects, through views, writes in place and copies; who may be changed; what it costs.

#[cfg(target_os = "linux")]
use crate::sparse::resident;
use takewise::grad::{self, no_grad};
use takewise::index::step;
use takewise::{DType, Reduce, Rules, Scalar, Tensor, ix};
use takewise_dialects::rules::TORCH;
use takewise_dialects::words::{self, node_name};

/// A tensor whose gradient is collected.
pub(crate) fn leaf(data: &[f64], shape: &[usize]) -> Tensor {
    let mut t = Tensor::from_slice(data, shape).unwrap();
    t.requires_grad_(true).unwrap();
    t
}

fn floats(data: &[f64], shape: &[usize]) -> Tensor {
    Tensor::from_slice(data, shape).unwrap()
}

fn ints(data: &[i64]) -> Tensor {
    Tensor::from_slice(data, &[data.len()]).unwrap()
}

fn name(t: &Tensor) -> Option<&'static str> {
    t.grad_fn().map(|f| node_name(f.op()))
}

pub(crate) fn grad_of(t: &Tensor) -> Vec<f64> {
    t.grad().expect("a gradient").to_dense().unwrap().to_vec().unwrap()
}

/// As PyTorch rounds it: what a repeated element receives is added up before it is added to what came from elsewhere.
#[test]
fn repeated_elements_are_added_up_first() {
    let w = leaf(&[1.], &[1]);
    let repeated = w.expand(&[2]).unwrap().gather(0, &ints(&[0, 1]), &TORCH.gather).unwrap();
    let single = w.gather(0, &ints(&[0]), &TORCH.gather).unwrap();
    let (twice, once) = (floats(&[0.2, 0.3], &[2]), floats(&[0.1], &[1]));
    let outputs = [(&repeated, Some(&twice)), (&single, Some(&once))];
    let found = grad::grad(&outputs, &[&w], grad::Graph::default(), false).unwrap().remove(0).unwrap();
    assert_eq!(found.to_dense().unwrap().to_vec::<f64>().unwrap(), [0.1 + (0.2 + 0.3)]);
    assert_ne!(0.1 + (0.2 + 0.3), 0.1 + 0.2 + 0.3);
}

#[test]
fn gradients_add_up_and_start_from_one() {
    let w = leaf(&[1., 2., 3., 4.], &[2, 2]);
    let index = Tensor::from_slice(&[0i64, 0, 1, 0], &[2, 2]).unwrap();
    let y = w.gather(1, &index, &TORCH.gather).unwrap();
    assert_eq!((name(&y), y.is_leaf(), name(&w), w.is_leaf()), (Some("GatherBackward0"), false, None, true));
    y.backward(Some(&floats(&[1., 2., 3., 4.], &[2, 2])), false).unwrap();
    assert_eq!(grad_of(&w), [3., 0., 4., 3.]);
    w.gather(0, &Tensor::from_slice(&[0i64, 1], &[1, 2]).unwrap(), &TORCH.gather).unwrap();
    let s = w.gather(0, &Tensor::from_slice(&[0i64, 1], &[1, 2]).unwrap(), &TORCH.gather).unwrap();
    s.sum(None, false, None).unwrap().backward(None, false).unwrap();
    assert_eq!(grad_of(&w), [4., 0., 4., 4.]);
    w.set_grad(None).unwrap();
    assert!(w.grad().is_none() && y.grad().is_none());
}

/// The words of a refusal are those of a recorded case, but for those of memory that has a history; here is what stays as it was.
#[test]
fn what_is_refused_changes_nothing() {
    let (w, i, g) = (leaf(&[1., 2., 3.], &[3]), ints(&[0, 1]), floats(&[1., 2.], &[2]));
    let y = w.gather(0, &i, &TORCH.gather).unwrap();
    y.backward(Some(&g), true).unwrap();
    y.backward(Some(&g), false).unwrap();
    assert!(y.backward(Some(&g), false).is_err());
    assert_eq!(grad_of(&w), [2., 4., 0.]);
    // Nothing is saved by a sum, so its graph can be walked again.
    let s = w.sum(None, false, None).unwrap();
    s.backward(None, false).unwrap();
    s.backward(None, false).unwrap();

    assert!(w.index_fill_(0, &i, 1.0, &TORCH.index_fill).is_err());
    assert!(w.index_set_(&ix![0], 1.0, &TORCH.set).is_err());
    assert_eq!(w.to_vec::<f64>().unwrap(), [1., 2., 3.]);
    no_grad(|| w.index_set_(&ix![0], 9.0, &TORCH.set)).unwrap();
    assert_eq!(w.to_vec::<f64>().unwrap(), [9., 2., 3.]);

    let text = |r: takewise::Result<()>| r.unwrap_err().in_words(words::torch).text();
    let mut into = w.clone_data().unwrap();
    let refused = floats(&[1.], &[1]).gather_out(0, &ints(&[0, 0, 0]), &mut into, &TORCH.gather).map(|_| ());
    assert!(text(refused).contains("functions with out=... arguments"), "nor may out be part of a history");
    assert!(text(into.write::<f64>().map(|_| ())).contains("under no_grad only"));
    no_grad(|| into.write::<f64>().unwrap().set(&[0], 7.0));
    assert_eq!(into.to_vec::<f64>().unwrap(), [7., 2., 3.]);
}

#[test]
fn a_saved_operand_names_where_it_came_from() {
    let w = leaf(&[1., 2., 3.], &[3]);
    let y = w.clone_data().unwrap();
    y.index_set_(&ix![0], 4.0, &TORCH.set).unwrap();
    assert_eq!(name(&y), Some("CopySlices"));
    let z = y.scatter_reduce(0, &ints(&[0]), &floats(&[2.], &[1]), Reduce::Prod, true, &TORCH.scatter_reduce).unwrap();
    y.index_set_(&ix![0], 7.0, &TORCH.set).unwrap();
    let e = z.sum(None, false, None).unwrap().backward(None, false).unwrap_err().in_words(words::torch);
    assert!(
        e.text()
            .contains("[torch.DoubleTensor [3]], which is output 0 of torch::autograd::CopySlices, is at version 2; expected version 1")
    );
}

/// Writing through a view changes the history of what it views, and the other way round.
#[test]
fn views_and_writes_in_place() {
    let (w, v) = (leaf(&[1., 2., 3., 4.], &[2, 2]), leaf(&[10.], &[]));
    let z = Tensor::zeroed(&[2, 2], DType::F64).unwrap();
    let row = z.select(0, 0).unwrap();
    assert!(!row.requires_grad());
    row.index_set_(&ix![0], &v, &TORCH.set).unwrap();
    assert!(z.requires_grad() && row.requires_grad() && !z.is_leaf());
    assert_eq!((name(&z), name(&row.select(0, 0).unwrap())), (Some("CopySlices"), Some("SelectBackward0")));
    z.index_set_(&ix![1], &w.select(1, 1).unwrap(), &TORCH.set).unwrap();
    let before = z.sum(None, false, None).unwrap();
    z.index_set_(&ix![0, 0], 0.0, &TORCH.set).unwrap();
    let after = z.t().unwrap().sum(None, false, None).unwrap();
    before.backward(None, true).unwrap();
    assert_eq!((grad_of(&v), grad_of(&w)), (vec![1.], vec![0., 1., 0., 1.]));
    after.backward(None, false).unwrap();
    assert_eq!((grad_of(&v), grad_of(&w)), (vec![1.], vec![0., 2., 0., 2.]));
}

#[test]
fn detached_tensors_have_a_history_of_their_own() {
    let w = leaf(&[1., 2.], &[2]);
    let d = w.detach();
    assert!(!d.requires_grad() && d.shares_memory(&w));
    d.index_set_(&ix![0], 5.0, &TORCH.set).unwrap();
    assert_eq!((w.to_vec::<f64>().unwrap(), w.version()), (vec![5., 2.], 1));
    let mut second = w.detach();
    second.requires_grad_(true).unwrap();
    second.sum(None, false, None).unwrap().backward(None, false).unwrap();
    assert!(w.grad().is_none() && second.grad().is_some());
    let quiet = no_grad(|| w.select(0, 0)).unwrap();
    assert!(!quiet.requires_grad() && !no_grad(|| w.clone_data()).unwrap().requires_grad());
    assert!(w.select(0, 0).unwrap().requires_grad() && !w.select(0, 0).unwrap().is_leaf());
    assert!(grad::is_grad_enabled());
}

#[test]
fn gradients_lie_in_memory_like_their_leaf() {
    let mut p = Tensor::zeroed(&[3, 2], DType::F64).unwrap().t().unwrap();
    p.requires_grad_(true).unwrap();
    p.slice(1, step(.., 2)).unwrap().sum(None, false, None).unwrap().backward(None, false).unwrap();
    let g = p.grad().unwrap().to_dense().unwrap();
    assert_eq!((g.strides(), g.to_vec::<f64>().unwrap()), (vec![1, 2], vec![1., 0., 1., 1., 0., 1.]));
    // A leaf that is a part of its storage: the rest takes no part.
    let mut part = floats(&[1., 2., 3., 4.], &[4]).narrow(0, 1, 2).unwrap();
    part.requires_grad_(true).unwrap();
    part.expand(&[3, 2]).unwrap().sum(None, false, None).unwrap().backward(None, false).unwrap();
    assert_eq!(grad_of(&part), [3., 3.]);
    let wide = floats(&[1.], &[1]).expand(&[3]).unwrap();
    assert!(wide.clone().requires_grad_(true).is_err());
}

#[test]
fn sparse_gradients_stay_sparse_until_they_meet_dense_ones() {
    let w = leaf(&[1., 2., 3.], &[3]);
    let sparse = |at: &[i64], g: &[f64]| {
        let y = w.gather_sparse(0, &ints(at), &TORCH.gather).unwrap();
        y.backward(Some(&floats(g, &[g.len()])), false).unwrap();
        w.grad().unwrap()
    };
    assert_eq!(sparse(&[1, 1], &[1., 2.]).sparse().unwrap().nnz(), 2);
    let both = sparse(&[1, 0], &[3., 4.]);
    let both = both.sparse().unwrap();
    assert_eq!((both.nnz(), both.values().to_vec::<f64>().unwrap()), (3, vec![4., 4., 2.]));
    w.gather(0, &ints(&[2]), &TORCH.gather).unwrap().backward(Some(&floats(&[5.], &[1])), false).unwrap();
    assert_eq!(w.grad().unwrap().dense().unwrap().to_vec::<f64>().unwrap(), [4., 6., 5.]);
    assert_eq!(sparse(&[0, 0], &[1., 1.]).dense().unwrap().to_vec::<f64>().unwrap(), [6., 6., 5.]);
}

/// A table of 2.5 GB of which a thousand rows are trained.
#[cfg(target_os = "linux")]
#[test]
fn a_large_table_collects_a_gradient_of_its_rows() {
    let before = resident();
    let mut table = Tensor::zeroed(&[10_000_000, 64], DType::F32).unwrap();
    table.requires_grad_(true).unwrap();
    let index = ints(&(0..1000).map(|k| k * 9_973).collect::<Vec<_>>());
    let sparse = grad::RowGradient { sparse: true, ..Default::default() };
    let rows = table.rows(&index, sparse, &Rules::NEUTRAL).unwrap();
    rows.sum(None, false, None).unwrap().backward(None, false).unwrap();
    let g = table.grad().unwrap();
    assert_eq!(g.sparse().unwrap().values().shape(), [1000, 64]);
    let grown = resident().saturating_sub(before);
    assert!(grown < 64 << 20, "{} MiB", grown >> 20);
}

/// Dropping a chain of a million nodes takes no stack.
#[test]
fn long_chains_are_walked_and_dropped() {
    let w = leaf(&[1., 2.], &[2]);
    let y = w.clone_data().unwrap();
    for k in 0..200_000 {
        y.index_set_(&ix![k % 2], 3.0, &TORCH.set).unwrap();
    }
    y.index_set_(&ix![0], &w.select(0, 1).unwrap(), &TORCH.set).unwrap();
    y.sum(None, false, None).unwrap().backward(None, false).unwrap();
    assert_eq!(grad_of(&w), [0., 1.]);
    drop(y);
}

/// One call of every kind of operation against its vector-Jacobian product, functional and in place.
#[test]
fn every_operation_is_recorded() {
    let i = ints(&[2, 0]);
    let mask = Tensor::from_slice(&[true, false, true], &[3]).unwrap();
    let src = || leaf(&[7., 8.], &[2]);
    let g = floats(&[1., 10., 100.], &[3]);
    type Write = fn(&Tensor, &Tensor, &Tensor, &Tensor) -> takewise::Result<()>;
    let writes: [(&str, Write, [f64; 3], [f64; 2]); 9] = [
        ("ScatterBackward0", |y, i, s, _| y.scatter_(0, i, s, None, &TORCH.scatter), [0., 10., 0.], [100., 1.]),
        ("ScatterAddBackward0", |y, i, s, _| y.scatter_add_(0, i, s, &TORCH.scatter_add), [1., 10., 100.], [100., 1.]),
        ("IndexCopyBackward0", |y, i, s, _| y.index_copy_(0, i, s, &TORCH.index_copy), [0., 10., 0.], [100., 1.]),
        (
            "IndexAddBackward0",
            |y, i, s, _| y.index_add_(0, i, s, Scalar::Int(2), &TORCH.index_add),
            [1., 10., 100.],
            [200., 2.],
        ),
        ("PutBackward0", |y, i, s, _| y.put_(i, s, true, &TORCH.put), [1., 10., 100.], [100., 1.]),
        (
            "IndexPutBackward0",
            |y, i, s, _| y.index_put_(&ix![i], s, false, &TORCH.index_put),
            [0., 10., 0.],
            [100., 1.],
        ),
        (
            "MaskedScatterBackward0",
            |y, _, s, m| y.masked_scatter_(m, s, &TORCH.masked_scatter),
            [0., 10., 0.],
            [1., 100.],
        ),
        (
            "ScatterReduceBackward0",
            |y, i, s, _| y.scatter_reduce_(0, i, s, Reduce::Mean, true, &TORCH.scatter_mean),
            [0.5, 10., 50.],
            [50., 0.5],
        ),
        (
            "IndexReduceBackward0",
            |y, i, s, _| y.index_reduce_(0, i, s, Reduce::Prod, true, &TORCH.index_reduce),
            [8., 10., 700.],
            [300., 1.],
        ),
    ];
    for (name, write, of_w, of_s) in writes {
        let (w, s) = (leaf(&[1., 2., 3.], &[3]), src());
        let y = w.clone_data().unwrap();
        write(&y, &i, &s, &mask).unwrap();
        assert_eq!(self::name(&y), Some(name));
        y.backward(Some(&g), false).unwrap();
        assert_eq!((grad_of(&w), grad_of(&s)), (of_w.to_vec(), of_s.to_vec()), "{name}");
    }
    let (w, s) = (leaf(&[1., 2., 3.], &[3]), src());
    let made = [
        w.index_select(0, &i, &TORCH.index_select),
        w.take(&i, &TORCH.take),
        w.take_along(Some(0), &i, &TORCH.take_along),
        w.masked_select(&mask, &TORCH.masked_select),
        w.index(&ix![&i], &TORCH.get),
        w.gather_nd(&Tensor::from_slice(&[2i64, 0], &[2, 1]).unwrap(), 0, &Rules::NEUTRAL),
        w.gather_axis(0, &i, 0, &Rules::NEUTRAL),
        w.to(DType::F32),
        w.flip(&[0]),
        w.scatter(0, &i, &s, None, &TORCH.scatter),
        w.index_fill(0, &i, 1.0, &TORCH.index_fill),
        w.masked_fill(&mask, 1.0, &TORCH.masked_fill),
        w.slice_scatter(0, (1..).into(), &s, &TORCH.views),
        w.select_scatter(0, 1, &s.select(0, 0).unwrap(), &TORCH.views),
        mask.where_(&w, &w, DType::F64, &TORCH.where_),
    ];
    for y in made {
        let y = y.unwrap();
        assert!(y.requires_grad() && !y.is_leaf(), "{:?}", y.grad_fn());
        y.sum(None, false, None).unwrap().backward(None, false).unwrap();
    }
    assert_eq!((grad_of(&w), grad_of(&s)), (vec![12., 6., 11.], vec![3., 2.]));
}
