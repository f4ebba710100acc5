//! Subscripts in normal form, read element by element: no plan, no kernel. Expected shapes are those
//! measured in PyTorch and NumPy.

use crate::naive::{Outcome, parse_and_read};
use takewise::index::step;
use takewise::{Class, Kind, Rules, Slice, Tensor, View, ix};
use takewise_dialects::rules::{JAX, MINDSPORE, NUMPY, TORCH};

/// Shapes of `x[text]` with A = [0, 1] and B of shape (3, 1).
fn shape(rules: &Rules, x: &[usize], text: &str) -> Result<Vec<usize>, takewise::Error> {
    let text = text.replace('A', "[0,1]").replace('B', "[[0],[1],[2]]");
    match parse_and_read(rules, x, &text) {
        Outcome::Read { shape, .. } => Ok(shape),
        Outcome::Error(e) => Err(e),
        Outcome::Outside(..) => panic!("{text}: a value is out of range"),
    }
}

const X: &[usize] = &[2, 3, 4];
const Y: &[usize] = &[5, 6, 7, 8];

#[test]
fn torch_places_index_axes_as_measured() {
    for (x, text, want) in [
        (X, "0,:,A", &[3, 2][..]),
        (X, ":,0,A", &[2, 2]),
        (X, "A,:,0", &[2, 3]),
        (Y, ":,0,:,A", &[5, 7, 2]),
        (Y, "0,:,A,0", &[6, 2]),
        (Y, "A,0,:,A", &[2, 7]),
        (Y, "A,:,A", &[2, 6, 8]),
        (Y, ":,A,:,A", &[2, 5, 7]),
        (Y, ":,A,A", &[5, 2, 8]),
        (Y, "A,...,A", &[2, 6, 7]),
        (Y, "...,A,A", &[5, 6, 2]),
        (Y, "A,B", &[3, 2, 7, 8]),
        (Y, ":,A,None,A", &[2, 5, 1, 8]),
        (Y, ":,A,None,0", &[5, 2, 1, 8]),
        (Y, "None,A,:,A", &[2, 1, 6, 8]),
        (Y, "[0],:,A", &[2, 6, 8]),
        (Y, ":,B", &[5, 3, 1, 7, 8]),
        (Y, "[0],[]", &[0, 7, 8]),
        (X, "True", &[1, 2, 3, 4]),
        (X, "False", &[0, 2, 3, 4]),
        (X, ":,True", &[2, 1, 3, 4]),
        (X, "0,True", &[1, 3, 4]),
        (X, "0,:,True", &[3, 1, 4]),
        (X, ":,0,True", &[2, 1, 4]),
        (X, "True,:,0", &[1, 2, 4]),
        (X, "True,0,:,0", &[1, 3]),
        (X, "True,:,True", &[1, 2, 3, 4]),
        (X, "True,A", &[2, 3, 4]),
        (X, ":,True,A", &[2, 2, 4]),
        (X, "True,:,A", &[2, 2, 4]),
        (X, "True,A,:,A", &[2, 3]),
        (X, "True,:,A,A", &[2, 2]),
        (X, "A,:,True", &[2, 3, 4]),
        (X, "False,[0]", &[0, 3, 4]),
        (X, "True,False", &[0, 2, 3, 4]),
        (X, "None,True", &[1, 1, 2, 3, 4]),
        (X, "0,0,0,True", &[1]),
        (&[], "True", &[1]),
        (&[], "None,True", &[1, 1]),
        (&[], "True,False", &[0]),
        (X, "[[True,False,True],[False,True,False]]", &[3, 4]),
        (X, "[[True,False,True],[False,True,False]],0", &[3]),
        (X, "[[True,False,False],[False,True,False]],A", &[2]),
        (X, "[True,True],[True,False,True]", &[2, 4]),
        (X, "[True,True],:,[True,False,True,False]", &[2, 3]),
        (X, "0,[[True,True,False,False],[False,False,False,True],[False,False,False,False]]", &[3]),
        (X, "...,...", &[2, 3, 4]),
        (X, "...,0,...", &[2, 3]),
        (X, "...,...,0:1", &[2, 3, 4]),
        (X, ":,[0],...,[1]", &[2, 1]),
        (&[0, 3], ":,[5]", &[0, 1]),
        (&[2, 0], "[5]", &[1, 0]),
    ] {
        assert_eq!(shape(&TORCH.get, x, text).unwrap(), want, "{x:?} [{text}]");
    }
}

#[test]
fn numpy_counts_integers_among_the_arrays() {
    for (x, text, want) in [
        (X, "0,:,A", &[2, 3][..]),
        (Y, ":,0,:,A", &[2, 5, 7]),
        (Y, "0,:,A,0", &[2, 6]),
        (Y, "0,:,:,A", &[2, 6, 7]),
        (X, "0,:,True", &[1, 3, 4]),
        (X, "0,True", &[1, 3, 4]),
        (X, "0,A", &[2, 4]),
        (X, ":,0,A", &[2, 2]),
        (X, "[[0,1],[1,0]]", &[2, 2, 3, 4]),
        (X, ":,[0],...,[1]", &[1, 2]),
        (X, "::-1,A", &[2, 2, 4]),
    ] {
        assert_eq!(shape(&NUMPY.get, x, text).unwrap(), want, "{x:?} [{text}]");
        if !text.contains("...") {
            assert_eq!(shape(&MINDSPORE.get, x, text).unwrap(), want, "mindspore {x:?} [{text}]");
        }
        assert_eq!(shape(&JAX.get, x, text).unwrap(), want, "jax {x:?} [{text}]");
    }
    assert_eq!(shape(&MINDSPORE.get, X, ":,[0],...,[1]").unwrap(), [2, 1]);
}

#[test]
fn what_does_not_fit_is_refused_in_the_order_of_the_checks() {
    let kind = |rules: &Rules, x: &[usize], text: &str| shape(rules, x, text).unwrap_err().kind();
    assert_eq!(kind(&TORCH.get, Y, "A,[]"), Kind::Shape);
    assert_eq!(kind(&TORCH.get, X, "False,A"), Kind::Shape);
    assert_eq!(kind(&TORCH.get, X, "9,9,9,9"), Kind::Shape, "the count comes before bounds");
    assert_eq!(kind(&TORCH.get, X, "::-1,9"), Kind::Argument, "left to right");
    assert_eq!(kind(&TORCH.get, X, "9,::-1"), Kind::OutOfRange);
    assert_eq!(kind(&TORCH.get, X, "::0"), Kind::Argument);
    assert_eq!(kind(&TORCH.get, &[], "0"), Kind::Shape);
    assert_eq!(kind(&TORCH.get, &[], "[0]"), Kind::Shape);
    assert_eq!(kind(&TORCH.get, &[0, 3], "[0]"), Kind::Shape, "an empty axis");
    assert_eq!(kind(&TORCH.get, X, "[[True,False],[True,False]]"), Kind::Shape);
    assert_eq!(kind(&TORCH.get, X, "...,...,0"), Kind::OutOfRange);
    assert_eq!(kind(&TORCH.get, X, "...,...,None"), Kind::Axis);
    assert_eq!(kind(&TORCH.get, X, "...,...,[0]"), Kind::Shape);
    assert_eq!(kind(&NUMPY.get, X, "...,..."), Kind::Argument);
    let e = shape(&TORCH.get, X, "None,0,9").unwrap_err();
    assert_eq!((e.axis(), e.value(), e.len(), e.class()), (Some(1), Some(9), Some(3), Class::IndexError));
}

#[test]
fn integers_outside_follow_the_rules_too() {
    let read = |rules: &Rules, text: &str| match parse_and_read(rules, &[3, 2], text) {
        Outcome::Read { values, .. } => values,
        Outcome::Outside(at, value) => vec![-(at as i64) - 1, value],
        Outcome::Error(e) => panic!("{e}"),
    };
    assert_eq!(read(&JAX.get, "7"), [4, 5]);
    assert_eq!(read(&JAX.get, "-7,1"), [1]);
    assert_eq!(read(&JAX.set, "7"), [-1, 7], "A value for the plan to drop, on axis 0");
    let wrap = Rules { outside: takewise::index::rules::Outside::Wrap, ..NUMPY.get };
    assert_eq!(read(&wrap, "-4,5"), [5]);
    assert_eq!(read(&wrap, "[3,-1]"), [0, 1, 4, 5]);
}

#[test]
#[allow(clippy::reversed_empty_ranges)] // bounds here count from the end
fn every_form_converts() {
    let (v, t) = (vec![1i32, 2], Tensor::zeroed(&[2, 3], takewise::DType::Bool).unwrap());
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
