//! What an error says about the first bad index value, on index operands of every form.

use takewise::{AnyView, Kind, Rules, Scalar, Tensor, View, ViewMut, ix, ops};
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

/// The product of an outer subscript is not walked to find its first bad value: 10^12 positions from 2 * 10^6 index values.
#[test]
fn a_huge_product_with_one_bad_value_answers_at_once() -> takewise::Result<()> {
    let side = 1_000_000usize;
    let x = Tensor::from_vec(vec![0u8; 6], &[2, 3])?;
    let listed = |bad: &[(usize, i64)]| {
        let mut list: Vec<i64> = (0..side as i64).map(|k| k % 2).collect();
        bad.iter().for_each(|&(at, value)| list[at] = value);
        Tensor::from_vec(list, &[side])
    };
    let facts = |rows: &Tensor, columns: &Tensor| {
        let e = x.oindex_set_(&ix![rows, columns], Scalar::Int(7), &Rules::NEUTRAL).unwrap_err();
        (e.axis(), e.position().map(<[usize]>::to_vec), e.value(), e.bad())
    };
    let (good, last) = (listed(&[])?, listed(&[(side - 1, 9), (side - 2, -8)])?);
    assert_eq!(facts(&last, &good), (Some(0), Some(vec![side - 2]), Some(-8), 2));
    // The last row's value is met after those of all columns in the first row.
    assert_eq!(facts(&last, &last), (Some(1), Some(vec![side - 2]), Some(-8), 2));
    let second = listed(&[(1, 2)])?;
    assert_eq!(facts(&second, &listed(&[(side - 1, 3)])?), (Some(1), Some(vec![side - 1]), Some(3), 1));
    assert_eq!(facts(&second, &good), (Some(0), Some(vec![1]), Some(2), 1));
    assert_eq!(x.to_vec::<u8>()?, [0; 6]);
    Ok(())
}

/// An outer or pointwise subscript says of a mask that does not fit what a plain one says.
#[test]
fn a_mask_that_does_not_fit_has_a_wrong_shape() -> takewise::Result<()> {
    let x = Tensor::from_vec(vec![0u8; 6], &[2, 3])?;
    let mask = Tensor::from_vec(vec![true, false], &[2])?;
    let plain = x.index(&ix![.., &mask], &Rules::NEUTRAL).unwrap_err();
    for e in [x.oindex(&ix![.., &mask], &Rules::NEUTRAL), x.vindex(&ix![.., &mask], &Rules::NEUTRAL)] {
        let e = e.unwrap_err();
        assert_eq!((e.kind(), plain.kind()), (Kind::Shape, Kind::Shape));
        let said =
            |e: &takewise::Error| e.to_string().lines().next().and_then(|l| l.split_once(':').map(|t| t.1.to_string()));
        assert_eq!(said(&e), said(&plain));
    }
    Ok(())
}
