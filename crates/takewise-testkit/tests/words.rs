//! Errors in the words of the library whose rules an operation runs under, where no recorded case meets them: those of
//! `crates/takewise-notation/tests/golden` are replayed with class and text. Texts are from PyTorch 2.15, NumPy 2.4 and MindSpore 2.10.

use takewise::op::{Combine, Op};
use takewise::ops::{compare::*, *};
use takewise::{DType, Error, Index, Slice, Tensor};
use takewise_dialects::rules::{MINDSPORE as M, NUMPY as N, TORCH as T};

fn l(v: &[i64], shape: &[usize]) -> Tensor {
    Tensor::from_slice(v, shape).unwrap()
}

fn i(v: &[i64]) -> Tensor {
    l(v, &[v.len()])
}

fn ones(shape: &[usize], dtype: DType) -> Tensor {
    Tensor::ones(shape, dtype).unwrap()
}

/// `arange(6).reshape(2, 3)` and `arange(24).reshape(2, 3, 4)`.
fn six() -> Tensor {
    l(&[0, 1, 2, 3, 4, 5], &[2, 3])
}

fn cube() -> Tensor {
    l(&(0..24).collect::<Vec<_>>(), &[2, 3, 4])
}

/// Fails unless the call failed as the text says: `Class: first line`.
#[track_caller]
fn says<R>(result: Result<R, Error>, want: &str) {
    let e = result.err().unwrap_or_else(|| panic!("no error where expected: {want}"));
    assert_eq!(format!("{}: {}", e.class().name(), e.text()), want);
}

#[test]
fn torch_words() {
    let (x, row) = (six(), l(&[0, 1, 2], &[1, 3]));
    says(
        x.take_out(&i(&[0]), &mut ones(&[1], DType::F32), &T.take),
        "RuntimeError: take(): self and out expected to have the same dtype, but got self.dtype = Long and out.dtype = Float",
    );
    says(
        x.index_add(0, &i(&[0]), &row.float().unwrap(), 1.into(), &T.index_add),
        "RuntimeError: index_add_(): self (Long) and source (Float) must have the same scalar type",
    );
    says(
        x.index_copy(0, &i(&[0]), &row.float().unwrap(), &T.index_copy),
        "RuntimeError: index_copy_(): self and source expected to have the same dtype, but got (self) Long and (source) Float",
    );
    says(
        cube().index_copy(1, &i(&[0]), &ones(&[2, 1, 2], DType::I64), &T.index_copy),
        "RuntimeError: index_copy_(): Source/destination tensor must have same slice shapes. Destination slice shape: 2 4 at dimension 1 and source slice shape: 2 2 at dimension 0.",
    );
    says(
        x.put(&i(&[0]), &ones(&[1], DType::F32), false, &T.put),
        "RuntimeError: put_(): self and source expected to have the same dtype, but got self.dtype = Long and source.dtype = Float",
    );
    says(
        x.masked_scatter_(&Tensor::from_slice(&[true, false], &[2]).unwrap(), &i(&[1; 9]), &T.masked_scatter),
        "RuntimeError: The expanded size of the tensor (3) must match the existing size (2) at non-singleton dimension 1.  Target sizes: [2, 3].  Tensor sizes: [2]",
    );
    says(
        x.scatter(1, &l(&[0, 0, 0], &[3, 1]), 1, None, &T.scatter),
        "RuntimeError: Expected index [3, 1] to be no larger than self [2, 3] apart from dimension 1",
    );
    // The methods of tensors word their errors neutrally.
    let torch = |e: Error| e.in_words(takewise_dialects::words::torch);
    says(
        x.lt(&i(&[1, 2])).map_err(torch),
        "RuntimeError: The size of tensor a (3) must match the size of tensor b (2) at non-singleton dimension 1",
    );
    says(
        x.lt_scalar(takewise::Complex::new(0.0, 1.0)).map_err(torch),
        "NotImplementedError: \"lt_cpu\" not implemented for 'ComplexFloat'",
    );
    says(
        x.to(DType::U16).unwrap().eq(&x).map_err(torch),
        "RuntimeError: Promotion for uint16, uint32, uint64 types is not supported, attempted to promote UInt16 and Long",
    );
}

#[test]
fn numpy_words() {
    let (x, y) = (cube(), six());
    let (pair, row) = (i(&[0, 1]), l(&[0, 1, 2], &[1, 3]));
    says(
        x.index(&[Index::Range(Slice::ALL), Index::Tensor(&pair), Index::Tensor(&row)], &N.get),
        "IndexError: shape mismatch: indexing arrays could not be broadcast together with shapes (2,) (1,3) ",
    );
    says(
        y.byte().unwrap().index_set_(&[Index::Int(0)], f64::INFINITY, &N.set),
        "OverflowError: cannot convert float infinity to integer",
    );
    let dot = ones(&[], DType::F64);
    assert_eq!(dot.take_axis(0, &i(&[0, -1]), &N.take).unwrap().to_vec::<f64>().unwrap(), [1.0, 1.0]);
    says(dot.take_axis(1, &i(&[0]), &N.take), "IndexError: axis 1 is out of bounds for array of dimension 1");
    let alone = "IndexError: axis 0 is out of bounds for array of dimension 0";
    says(dot.take_along(Some(0), &i(&[0]), &N.take_along), alone);
    says(dot.put_along(0, &i(&[0]), &dot, &N.scatter), alone);
    says(y.take_axis(3, &i(&[0]), &N.take), "IndexError: axis 3 is out of bounds for array of dimension 2");
    says(
        y.take_along(Some(1), &l(&[0; 3], &[3, 1]), &N.take_along),
        "IndexError: shape mismatch: indexing arrays could not be broadcast together with shapes (2,1) (3,1) ",
    );
    says(
        y.take_along(Some(0), &l(&[0; 4], &[1, 4]), &N.take_along),
        "IndexError: shape mismatch: indexing arrays could not be broadcast together with shapes (1,4) (1,3) ",
    );
    let open = (y.read_any().unwrap(), i(&[1, 2]));
    says(
        compare(
            &open.0.view(),
            &open.1.read_any().unwrap().view(),
            Relation::Eq,
            &takewise_dialects::rules::NUMPY_COMPARE,
        ),
        "ValueError: operands could not be broadcast together with shapes (2,3) (2,) ",
    );
}

#[test]
fn mindspore_words() {
    let x = six().float().unwrap();
    says(
        cube().gather_axis(2, &i(&[0, 1]), 2, &M.gather_axis),
        "ValueError: For primitive[Gather], the indices shape size must be greater than or equal to 2, but got 1.",
    );
    let nd = |ix: &[i64], shape: &[usize], v: &Tensor, op| {
        tensor_scatter(
            x.read_any().unwrap().view(),
            l(ix, shape).read_any().unwrap().view(),
            v.read_any().unwrap().view(),
            None,
            op,
            &M.scatter_nd,
        )
    };
    says(
        nd(&[0, 7], &[2, 1], &x, Op::TensorScatter(Combine::Mul)),
        "RuntimeError: For 'TensorScatterMul', the 1-th value of 'indices'[7] is out of range[2].",
    );
    says(
        nd(&[0, 7], &[1, 2], &ones(&[1], DType::F32), Op::TensorScatter(Combine::Update)),
        "ValueError: For 'TensorScatterUpdate', indices out of range for input_x. Please check the indices which is [const vector]{0, 7}",
    );
    says(
        nd(&[0, 0], &[1, 2], &ones(&[2], DType::F32), Op::TensorScatter(Combine::Update)),
        "ValueError: For TensorScatterUpdate, updates_shape = indices_shape[:-1] + x_shape[indices_shape[-1]:], but got x_shape: (2, 3), indices_shape: (1, 2), updates_shape: (2).",
    );
    says(
        x.masked_select(&Tensor::from_slice(&[true, false], &[2]).unwrap(), &M.masked_select),
        "ValueError: For 'MaskedSelect', input.shape and mask.shape need to broadcast. The value of input.shape[2] or mask.shape[1] must be 1 or -1 when they are not the same, but got input.shape = [2, 3] and mask.shape = [2]",
    );
}

#[test]
fn facts_follow_the_first_line() {
    let e = six().gather(1, &l(&[0, 3, -1, 3], &[2, 2]), &T.gather).err().unwrap();
    assert_eq!(
        e.to_string(),
        "index 3 is out of bounds for dimension 1 with size 3\n  gather: axis 1 has length 3; value 3 at position [0, 1] \
         of the index (3 of 4 values out of range)\n  the value equals the length: 1-based? valid are 0 to 2"
    );
}
