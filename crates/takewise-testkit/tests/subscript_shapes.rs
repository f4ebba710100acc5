//! Subscripts under the rules of the libraries: shapes where these count integers differently, what is refused first, and the
//! forms that an entry comes in. `exhaustive_subscripts` holds every small subscript against the oracle, and the recorded
//! cases those of the libraries.

use takewise::index::step;
use takewise::{Class, DType, Error, Index, Kind, Rules, Slice, Tensor, View, ix};
use takewise_dialects::rules::{JAX, MINDSPORE, NUMPY, TORCH};

fn shape(rules: &Rules, x: &[usize], items: &[Index<'_>]) -> Result<Vec<usize>, Error> {
    Ok(Tensor::zeros(x, DType::U8)?.index(items, rules)?.shape().to_vec())
}

const X: &[usize] = &[2, 3, 4];
const Y: &[usize] = &[5, 6, 7, 8];
const A: [i64; 2] = [0, 1];

#[test]
fn numpy_counts_integers_among_the_arrays() {
    let square = [0i64, 1, 1, 0];
    let square = View::new(&square, &[2, 2]).unwrap();
    for (x, items, want) in [
        (X, &ix![0, .., &A][..], &[2, 3][..]),
        (Y, &ix![.., 0, .., &A], &[2, 5, 7]),
        (Y, &ix![0, .., &A, 0], &[2, 6]),
        (Y, &ix![0, .., .., &A], &[2, 6, 7]),
        (X, &ix![0, .., true], &[1, 3, 4]),
        (X, &ix![0, true], &[1, 3, 4]),
        (X, &ix![0, &A], &[2, 4]),
        (X, &ix![.., 0, &A], &[2, 2]),
        (X, &ix![&square], &[2, 2, 3, 4]),
        (X, &ix![step(.., -1), &A], &[2, 2, 4]),
    ] {
        for dialect in [&NUMPY, &MINDSPORE, &JAX] {
            assert_eq!(shape(&dialect.get, x, items).unwrap(), want, "{} {x:?} {items:?}", dialect.name);
        }
    }
    // An ellipsis that stands for nothing stands between two arrays all the same, but for MindSpore.
    for (dialect, want) in [(&NUMPY, [1, 2]), (&JAX, [1, 2]), (&MINDSPORE, [2, 1])] {
        assert_eq!(shape(&dialect.get, X, &ix![.., &[0i64], ..., &[1i64]]).unwrap(), want, "{}", dialect.name);
    }
}

#[test]
fn what_does_not_fit_is_refused_in_the_order_of_the_checks() {
    let kind = |rules: &Rules, x: &[usize], items: &[Index<'_>]| shape(rules, x, items).unwrap_err().kind();
    let mask = Tensor::from_slice(&[true, false, true, false], &[2, 2]).unwrap();
    let (none, zero): ([i64; 0], [i64; 1]) = ([], [0]);
    assert_eq!(kind(&TORCH.get, Y, &ix![&A, &none]), Kind::Shape);
    assert_eq!(kind(&TORCH.get, X, &ix![false, &A]), Kind::Shape);
    assert_eq!(kind(&TORCH.get, X, &ix![9, 9, 9, 9]), Kind::Shape, "the count comes before bounds");
    assert_eq!(kind(&TORCH.get, X, &ix![step(.., -1), 9]), Kind::Argument, "left to right");
    assert_eq!(kind(&TORCH.get, X, &ix![9, step(.., -1)]), Kind::OutOfRange);
    assert_eq!(kind(&TORCH.get, X, &ix![step(.., 0)]), Kind::Argument);
    assert_eq!(kind(&TORCH.get, &[], &ix![0]), Kind::Shape);
    assert_eq!(kind(&TORCH.get, &[], &ix![&zero]), Kind::Shape);
    assert_eq!(kind(&TORCH.get, &[0, 3], &ix![&zero]), Kind::Shape, "an empty axis");
    assert_eq!(kind(&TORCH.get, X, &ix![&mask]), Kind::Shape);
    assert_eq!(kind(&TORCH.get, X, &ix![..., ..., 0]), Kind::OutOfRange);
    assert_eq!(kind(&TORCH.get, X, &ix![..., ..., ()]), Kind::Axis);
    assert_eq!(kind(&TORCH.get, X, &ix![..., ..., &zero]), Kind::Shape);
    assert_eq!(kind(&NUMPY.get, X, &ix![..., ...]), Kind::Argument);
    let e = shape(&TORCH.get, X, &ix![(), 0, 9]).unwrap_err();
    assert_eq!((e.axis(), e.value(), e.len(), e.class()), (Some(1), Some(9), Some(3), Class::IndexError));
}

#[test]
#[allow(clippy::reversed_empty_ranges)] // bounds here count from the end
fn every_form_converts() {
    let (v, t) = (vec![1i32, 2], Tensor::zeroed(&[2, 3], DType::Bool).unwrap());
    let k = 3usize;
    let view = View::from(&v);
    let items = ix![
        0, -1i64, k, 1..3, 1.., ..3, ..=3, 1..=-1, .., (), true, &v, &[0u8; 3], &v[..1], &view, &view.any(), &t, ...,
    ];
    let shown: Vec<String> = items.iter().map(|i| i.to_string()).collect();
    let want = "0 -1 3 1:3 1: :3 :4 1: : None True int32[2] uint8[3] int32[1] int32[2] int32[2] bool[2, 3] ...";
    assert_eq!(shown.join(" ").replace("[2, 3]", "[2,3]"), want.replace("[2, 3]", "[2,3]"));
    assert_eq!(ix![].len(), 0);
    assert_eq!(step(8..2, -2), Slice { start: Some(8), stop: Some(2), step: Some(-2) });
}
