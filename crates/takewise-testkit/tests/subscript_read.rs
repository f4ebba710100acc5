//! Reading through subscripts: values, dtypes, what is shared, how copies lie in memory.

use takewise::index::{NewAxis, step};
use takewise::{Class, DType, Element, Error, Index, Kind, Rules, Tensor, View, ix, threads};
use takewise_dialects::rules::{MINDSPORE, NUMPY, TORCH};

pub(crate) fn arange(shape: &[usize]) -> Tensor {
    let n = shape.iter().product::<usize>() as i64;
    Tensor::from_slice(&(0..n).collect::<Vec<_>>(), shape).unwrap()
}

fn ints(values: &[i64]) -> Tensor {
    Tensor::from_slice(values, &[values.len()]).unwrap()
}

fn read(x: &Tensor, items: &[Index<'_>]) -> Vec<i64> {
    x.index(items, &TORCH.get).unwrap().to_vec().unwrap()
}

fn fails(x: &Tensor, items: &[Index<'_>], rules: &Rules) -> Error {
    x.index(items, rules).unwrap_err()
}

#[test]
#[allow(clippy::reversed_empty_ranges)] // an empty slice is what is meant
fn views_share_and_keep_strides_as_torch_has_them() {
    let x = arange(&[2, 3]);
    for (items, shape, strides, offset) in [
        (&ix![step(.., 7)][..], &[1, 3][..], &[21, 1][..], 0),
        (&ix![NewAxis], &[1, 2, 3], &[6, 3, 1], 0),
        (&ix![.., NewAxis], &[2, 1, 3], &[3, 3, 1], 0),
        (&ix![..., NewAxis], &[2, 3, 1], &[3, 1, 1], 0),
        (&ix![1, 2], &[], &[], 5),
        (&ix![..., -1], &[2], &[3], 2),
        (&ix![], &[2, 3], &[3, 1], 0),
        (&ix![9..], &[0, 3], &[3, 1], 6),
        (&ix![2..1], &[0, 3], &[3, 1], 6),
        (&ix![.., 1..-1], &[2, 1], &[3, 1], 1),
    ] {
        let got = x.index(items, &TORCH.get).unwrap();
        assert!(got.shares_memory(&x), "{items:?}");
        assert_eq!((got.shape(), &got.strides()[..], got.storage_offset()), (shape, strides, offset), "{items:?}");
    }
    let flipped = x.index(&ix![.., step(.., -2)], &NUMPY.get).unwrap();
    assert!(flipped.shares_memory(&x));
    assert_eq!(flipped.to_vec::<i64>().unwrap(), [2, 0, 5, 3]);
    assert!(!x.index(&ix![true], &TORCH.get).unwrap().shares_memory(&x));
}

#[test]
fn a_0d_tensor_is_an_int_a_bool_or_a_copy() {
    let x = arange(&[3]);
    let one = |dtype| Tensor::from_slice(&[2i64], &[]).unwrap().to(dtype).unwrap();
    for dtype in [DType::I8, DType::I16, DType::I32, DType::I64, DType::U16, DType::U32, DType::U64] {
        let got = x.index(&ix![&one(dtype)], &TORCH.get).unwrap();
        assert!(got.shares_memory(&x) && got.rank() == 0 && got.to_vec::<i64>().unwrap() == [2], "{dtype:?}");
        let got = x.index(&ix![&one(dtype)], &NUMPY.get).unwrap();
        assert!(!got.shares_memory(&x) && got.rank() == 0, "{dtype:?}");
    }
    assert_eq!(x.index(&ix![&one(DType::U8)], &TORCH.get).unwrap().shape(), [1, 3]);
    assert_eq!(x.index(&ix![&one(DType::Bool)], &TORCH.get).unwrap().shape(), [1, 3]);
    assert_eq!(x.index(&ix![&one(DType::U8)], &NUMPY.get).unwrap().shape(), [] as [usize; 0]);
    assert_eq!(fails(&x, &ix![&one(DType::F32)], &TORCH.get).kind(), Kind::DType);
}

#[test]
fn every_index_dtype_is_read_in_place() {
    fn one<T: Element>(values: [T; 4], x: &Tensor) {
        // Every second element, backwards: 3, 1 of each quadruple.
        let view = View::strided(&values, 3, &[2], &[-2]).unwrap();
        let got = x.index(&ix![&view], &NUMPY.get).unwrap();
        assert_eq!(got.to_vec::<i64>().unwrap(), [2, 1], "{:?}", T::DTYPE);
    }
    let x = arange(&[3]);
    one([0i8, -2, 0, -1], &x);
    one([0i16, -2, 0, -1], &x);
    one([0i32, -2, 0, -1], &x);
    one([0i64, -2, 0, -1], &x);
    one([9u8, 1, 9, 2], &x);
    one([9u16, 1, 9, 2], &x);
    one([9u32, 1, 9, 2], &x);
    one([9u64, 1, 9, 2], &x);
    let e = fails(&x, &ix![&[0u64, u64::MAX]], &NUMPY.get);
    assert_eq!((e.value(), e.position()), (Some(u64::MAX as i128), Some(&[1][..])));
    for (dtype, rules, ok) in [
        (DType::I16, &TORCH.get, false),
        (DType::I32, &TORCH.get, true),
        (DType::U8, &MINDSPORE.get, false),
        (DType::I16, &MINDSPORE.get, true),
        (DType::F32, &NUMPY.get, false),
    ] {
        let index = ints(&[0]).to(dtype).unwrap();
        let got = x.index(&ix![&index], rules).map_err(|e| e.kind());
        assert_eq!(got.is_ok(), ok, "{dtype:?}");
        assert!(got.is_ok() || got.err() == Some(Kind::DType));
    }
}

#[test]
fn copies_lie_in_memory_as_torch_lays_them() {
    let p = arange(&[2, 3, 4]).permute(&[2, 1, 0]).unwrap();
    let a = ints(&[0, 1]);
    for (items, shape, strides) in [
        (&ix![&a][..], &[2, 3, 2][..], &[6, 1, 3][..]),
        (&ix![.., &a], &[4, 2, 2], &[1, 4, 8]),
        (&ix![.., .., &a], &[4, 3, 2], &[2, 8, 1]),
        (&ix![true], &[1, 4, 3, 2], &[24, 1, 4, 12]),
    ] {
        let got = p.index(items, &TORCH.get).unwrap();
        assert_eq!((got.shape(), &got.strides()[..]), (shape, strides), "{items:?}");
        let plain = p.index(items, &MINDSPORE.get).unwrap();
        assert!(plain.is_contiguous());
        assert_eq!(plain.to_vec::<i64>().unwrap(), got.to_vec::<i64>().unwrap());
    }
    let t = Tensor::from_slice(&[0i64, 1, 1, 0], &[2, 2]).unwrap().t().unwrap();
    let got = arange(&[2, 3, 4]).index(&ix![&t], &TORCH.get).unwrap();
    assert_eq!(got.strides(), [12, 24, 4, 1]);
    let got = arange(&[5, 6, 7, 8]).index(&ix![.., &a, &a], &NUMPY.get).unwrap();
    assert_eq!((got.shape(), &got.strides()[..]), (&[5, 2, 8][..], &[8, 40, 1][..]));
}

#[test]
fn errors_say_where_and_how_many() {
    let x = arange(&[2, 3, 4]);
    let e = fails(&x, &ix![.., .., &[0i64, 7, -5]], &TORCH.get);
    assert_eq!(
        (e.kind(), e.axis(), e.value(), e.len(), e.bad(), e.position()),
        (Kind::OutOfRange, Some(2), Some(7), Some(4), 2, Some(&[1][..]))
    );
    let e = fails(&x, &ix![.., &[3i64]], &TORCH.get);
    assert!(e.to_string().contains("1-based?"), "{e}");
    assert_eq!(fails(&x, &ix![2], &TORCH.get).class(), Class::IndexError);
    // torch checks nothing where nothing is read, NumPy everything.
    let empty = Tensor::zeroed(&[0, 3], DType::F32).unwrap();
    assert_eq!(empty.index(&ix![.., &[5i64]], &TORCH.get).unwrap().shape(), [0, 1]);
    assert_eq!(fails(&empty, &ix![.., &[5i64]], &NUMPY.get).value(), Some(5));
    assert_eq!(fails(&empty, &ix![&[0i64]], &TORCH.get).class(), Class::IndexError);
    assert_eq!(fails(&empty, &ix![&[0i64]], &NUMPY.get).len(), Some(0));
    assert_eq!(fails(&empty, &ix![0], &TORCH.get).kind(), Kind::OutOfRange);
    let no_columns = Tensor::zeroed(&[2, 0], DType::F32).unwrap();
    assert_eq!(no_columns.index(&ix![&[5i64]], &TORCH.get).unwrap().shape(), [1, 0]);
    assert_eq!(fails(&no_columns, &ix![&[5i64]], &NUMPY.get).value(), Some(5));
}

#[test]
fn large_masks_agree_with_filtering_at_any_thread_count() {
    let n = 300_000;
    let x = arange(&[n]);
    let mask: Vec<bool> = (0..n).map(|k| (k * 2654435761) % 7 < 2 || (k / 5000) % 5 == 1).collect();
    let want: Vec<i64> = (0..n).filter(|k| mask[*k]).map(|k| k as i64).collect();
    let rows = arange(&[n / 4, 4]);
    let some: Vec<bool> = mask[..n / 4].to_vec();
    let kept: Vec<i64> = (0..n).filter(|k| some[k / 4]).map(|k| k as i64).collect();
    for threads in [1, 2, 7] {
        threads::with_threads(threads, || {
            assert_eq!(read(&x, &ix![&mask]), want);
            assert_eq!(read(&rows, &ix![&some]), kept);
        });
    }
}

#[test]
fn a_tensor_may_index_itself() {
    let x = ints(&[2, 0, 1]);
    assert_eq!(read(&x, &ix![&x]), [1, 2, 0]);
    let m = Tensor::from_slice(&[true, false], &[2]).unwrap();
    assert_eq!(m.index(&ix![&m], &TORCH.get).unwrap().to_vec::<bool>().unwrap(), [true]);
}
