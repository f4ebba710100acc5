//! What an error says about the first bad index value, on index operands of every form.

use takewise::{AnyView, Kind, Scalar, View, ViewMut, ops};
use takewise_dialects::rules::TORCH;

/// A number as index stands at `[]`, not at the `[0]` it is looked up by.
#[test]
fn a_number_has_no_coordinates() {
    let x = [1i64, 2, 3];
    let seven = [7i64];
    let index: AnyView = View::new(&seven, &[]).unwrap().into();
    let input = View::from(&x[..]);
    let mut data = x;
    let mut dst = ViewMut::from(&mut data[..]).into();
    let one = [5i64];
    let source = View::new(&one, &[1]).unwrap();
    let errors = [
        ops::gather(&input, 0, &index, &TORCH.gather).unwrap_err(),
        ops::take(&input, &index, &TORCH.take).unwrap_err(),
        ops::index_select(&input, 0, &index, &TORCH.index_select).unwrap_err(),
        ops::index_fill_(&mut dst, 0, &index, 5, &TORCH.index_fill).unwrap_err(),
        ops::index_add_(&mut dst, 0, &index, &source, Scalar::Int(1), &TORCH.index_add).unwrap_err(),
        ops::index_copy_(&mut dst, 0, &index, &source, &TORCH.index_copy).unwrap_err(),
        ops::scatter_(&mut dst, 0, &index, &source, None, &TORCH.scatter).unwrap_err(),
    ];
    for e in errors {
        assert_eq!((e.kind(), e.value(), e.len(), e.bad()), (Kind::OutOfRange, Some(7), Some(3), 1), "{e}");
        assert_eq!(e.position(), Some(&[][..]), "{e}");
    }
    assert_eq!(data, x);
}

/// Transposed, reversed and stretched operands: coordinates are the operand's own, and all bad values are counted.
#[test]
fn coordinates_are_those_of_the_operand() {
    let x = [0f32; 4];
    let input = View::new(&x, &[2, 2]).unwrap();
    let mut i = vec![0i64; 2 * 1500];
    (i[1500 + 700], i[1500 + 1499], i[1300]) = (2, -1, 9);
    let rows = View::new(&i, &[2, 1500]).unwrap();
    let e = ops::gather(&input, 1, &rows, &TORCH.gather).unwrap_err();
    assert_eq!((e.position(), e.value(), e.bad()), (Some(&[0, 1300][..]), Some(9), 3));
    let columns = AnyView::from(rows.clone()).transpose(0, 1).unwrap();
    let e = ops::gather(&input, 0, &columns, &TORCH.gather).unwrap_err();
    assert_eq!((e.position(), e.value(), e.bad()), (Some(&[700, 1][..]), Some(2), 3));
    let reversed = AnyView::from(rows).reversed(&[1]).unwrap();
    let e = ops::gather(&input, 1, &reversed, &TORCH.gather).unwrap_err();
    assert_eq!((e.position(), e.value(), e.bad()), (Some(&[0, 199][..]), Some(9), 3));
}
