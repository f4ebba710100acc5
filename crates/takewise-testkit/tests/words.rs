//! Every error an operation can meet, in the words of the library whose rules it runs under. Texts recorded
//! from PyTorch 2.15, NumPy 2.4 and MindSpore 2.10.

use takewise::Reduce;
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
fn torch_gather_and_take() {
    let (x, r) = (six(), &T.gather);
    says(
        x.gather(2, &l(&[0], &[1, 1]), r),
        "IndexError: Dimension out of range (expected to be in range of [-2, 1], but got 2)",
    );
    says(x.gather(1, &ones(&[1, 1], DType::F32), r), "RuntimeError: gather(): Expected dtype int32/int64 for index");
    says(
        x.gather(1, &i(&[0]), r),
        "RuntimeError: Index tensor must have the same number of dimensions as input tensor",
    );
    says(
        x.gather(1, &l(&[0, 0, 0], &[3, 1]), r),
        "RuntimeError: Size does not match at dimension 0 expected index [3, 1] to be no larger than self [2, 3] apart from dimension 1",
    );
    says(x.gather(1, &l(&[5], &[1, 1]), r), "RuntimeError: index 5 is out of bounds for dimension 1 with size 3");
    says(x.gather(0, &l(&[-1], &[1, 1]), r), "RuntimeError: index -1 is out of bounds for dimension 0 with size 2");
    let mut out = ones(&[1, 1], DType::F32);
    says(
        x.gather_out(0, &l(&[0], &[1, 1]), &mut out, r),
        "RuntimeError: Expected out tensor to have dtype long int, but got float instead",
    );
    let r = &T.take;
    says(x.take(&i(&[6]), r), "IndexError: out of range: tried to access index 6 on a tensor of 6 elements.");
    says(x.take(&i(&[-7]), r), "IndexError: out of range: tried to access index -7 on a tensor of 6 elements.");
    says(ones(&[0], DType::F32).take(&i(&[0]), r), "IndexError: take(): tried to take from an empty tensor");
    says(x.take(&i(&[0]).int().unwrap(), r), "RuntimeError: take(): Expected a long tensor for index, but got Int");
    says(x.to(DType::U16).unwrap().take(&i(&[0]), r), "NotImplementedError: \"take_cpu\" not implemented for 'UInt16'");
    says(
        x.take_out(&i(&[0]), &mut ones(&[1], DType::F32), r),
        "RuntimeError: take(): self and out expected to have the same dtype, but got self.dtype = Long and out.dtype = Float",
    );
    let r = &T.take_along;
    says(
        x.take_along(Some(1), &i(&[0]), r),
        "RuntimeError: torch.take_along_dim(): input and indices should have the same number of dimensions, but got 2 dimensions for input, and 1 dimensions for indices",
    );
    says(
        x.take_along(Some(1), &l(&[0, 0, 0], &[3, 1]), r),
        "RuntimeError: The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 0",
    );
    says(
        x.take_along(Some(1), &l(&[0], &[1, 1]).int().unwrap(), r),
        "RuntimeError: torch.take_along_dim(): dtype of indices should be Long but got Int",
    );
    says(
        x.take_along(None, &i(&[-1]), &T.gather),
        "RuntimeError: index -1 is out of bounds for dimension 0 with size 6",
    );
    let r = &T.index_select;
    says(x.index_select(0, &l(&[0], &[1, 1]), r), "IndexError: index_select(): Index is supposed to be a vector");
    says(x.index_select(0, &i(&[5]), r), "IndexError: index out of range in self");
    says(x.index_select(1, &i(&[5]), r), "RuntimeError: INDICES element is out of DATA bounds, id=5 axis_dim=3");
    says(cube().index_select(2, &i(&[5]), r), "IndexError: index out of range in self");
    says(
        l(&[5], &[]).index_select(0, &i(&[0, 0]), r),
        "RuntimeError: index_select(): Index to scalar can have only 1 value, got 2 value(s)",
    );
    says(
        x.index_select(0, &ones(&[1], DType::F32), r),
        "RuntimeError: index_select(): Expected dtype int32 or int64 for index",
    );
}

#[test]
#[expect(clippy::too_many_lines)] // a list of texts
fn torch_index_family() {
    let (x, row, one) = (six(), l(&[0, 1, 2], &[1, 3]), 1.into());
    let add = |t: &Tensor, d, ix: &Tensor, s: &Tensor| t.index_add(d, ix, s, one, &T.index_add);
    says(
        add(&x, 0, &l(&[0], &[1, 1]), &x),
        "IndexError: index_add_(): Index is supposed to be a vector, but got dim: 2 with type: Long and size: [1, 1]",
    );
    says(
        add(&x, 0, &i(&[0]).short().unwrap(), &row),
        "RuntimeError: index_add_(): Expected dtype int32/int64 for index but got: Short",
    );
    says(
        add(&x, 0, &i(&[0]), &row.float().unwrap()),
        "RuntimeError: index_add_(): self (Long) and source (Float) must have the same scalar type",
    );
    says(
        add(&x, 0, &i(&[0]), &x),
        "RuntimeError: index_add_(): Number of indices (1) should be equal to source.size(dim): (2), for dim: 0",
    );
    says(
        add(&x, 0, &i(&[0]), &i(&[0, 1, 2])),
        "RuntimeError: index_add_(): Number of indices (1) should be equal to source.size(dim): (3), for dim: 0",
    );
    says(
        add(&x, 0, &i(&[0]), &l(&[0, 1], &[1, 2])),
        "RuntimeError: source tensor shape must match self tensor shape, excluding the specified dimension. Got self.shape = [2, 3] source.shape = [1, 2]",
    );
    says(add(&x, 0, &i(&[5]), &row), "RuntimeError: index 5 is out of bounds for dimension 0 with size 2");
    says(add(&i(&[0, 1, 2]), 0, &i(&[5]), &i(&[1])), "IndexError: index out of range in self");
    let copy = |ix: &Tensor, s: &Tensor| x.index_copy(0, ix, s, &T.index_copy);
    says(copy(&l(&[0], &[1, 1]), &x), "IndexError: index_copy_(): Index should have dimension 1 or 0 (got 2)");
    says(
        copy(&i(&[0]).int().unwrap(), &row),
        "RuntimeError: index_copy_(): Expected a long tensor for index, but got Int",
    );
    says(
        copy(&i(&[0]), &row.float().unwrap()),
        "RuntimeError: index_copy_(): self and source expected to have the same dtype, but got (self) Long and (source) Float",
    );
    says(
        copy(&i(&[0]), &x),
        "IndexError: index_copy_(): Number of indices (1) should be equal to source.size(dim) (2)",
    );
    says(
        copy(&i(&[0]), &l(&[0, 1], &[1, 2])),
        "RuntimeError: index_copy_(): Source/destination tensor must have same slice shapes. Destination slice shape: 3 at dimension 0 and source slice shape: 2 at dimension 0.",
    );
    says(
        cube().index_copy(1, &i(&[0]), &ones(&[2, 1, 2], DType::I64), &T.index_copy),
        "RuntimeError: index_copy_(): Source/destination tensor must have same slice shapes. Destination slice shape: 2 4 at dimension 1 and source slice shape: 2 2 at dimension 0.",
    );
    says(
        copy(&i(&[0]), &i(&[0, 1, 2])),
        "IndexError: index_copy_(): When source and destination are not scalars, their dimensionality must match. Source dimensionality (1), destination dimensionality (2)",
    );
    says(
        i(&[0, 1, 2]).index_copy(0, &i(&[0, 1]), &l(&[1], &[]), &T.index_copy),
        "IndexError: index_copy_(): When source is scalar, index should have one element (got 2)",
    );
    says(copy(&i(&[5]), &row), "IndexError: index_copy_(): index 5 is out of bounds for dimension 0 with size 2");
    let r = &T.index_fill;
    says(x.index_fill(0, &l(&[0], &[1, 1]), 1, r), "RuntimeError: Index has to be a vector/scalar");
    says(x.index_fill(0, &i(&[0]).int().unwrap(), 1, r), "IndexError: index_fill_(): Expected dtype int64 for index.");
    says(cube().index_fill(2, &i(&[-5]), 1, r), "IndexError: index -5 is out of bounds for dimension 2 with size 4");
    says(
        x.index_fill(0, &i(&[0]), &i(&[1]), r),
        "RuntimeError: index_fill_ only supports a 0-dimensional value tensor, but got tensor with 1 dimension(s).",
    );
    says(
        x.index_fill(0, &i(&[0]), takewise::Complex::new(0.0, 1.0), r),
        "RuntimeError: index_fill_(): Converting complex Scalar to non-complex type is not supported",
    );
    says(
        x.index_fill(0, &i(&[0]), 1e30, r),
        "RuntimeError: value cannot be converted to type int64_t without overflow",
    );
    says(
        x.index_reduce(0, &i(&[5]), &row, Reduce::Prod, true, &T.index_reduce),
        "IndexError: index out of range in self",
    );
    says(
        x.put(&i(&[9]), &i(&[1]), false, &T.put),
        "IndexError: out of range: tried to access index 9 on a tensor of 6 elements.",
    );
    says(
        x.put(&i(&[0, 1]), &i(&[1]), false, &T.put),
        "IndexError: put_(): Expected source and index to have the same number of elements, but got source.numel() = 1, index.numel() = 2",
    );
    says(
        x.put(&i(&[0]), &ones(&[1], DType::F32), false, &T.put),
        "RuntimeError: put_(): self and source expected to have the same dtype, but got self.dtype = Long and source.dtype = Float",
    );
}

#[test]
#[expect(clippy::too_many_lines)] // a list of texts
fn torch_masks_and_scatters() {
    let x = six();
    let wide = i(&[1, 0, 1]);
    let mask = x.gt_scalar(1).unwrap();
    let short = Tensor::from_slice(&[true, false], &[2]).unwrap();
    says(x.masked_select(&wide, &T.masked_select), "RuntimeError: masked_select: expected BoolTensor for mask");
    says(
        x.masked_select(&short, &T.masked_select),
        "RuntimeError: The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 1",
    );
    let r = &T.masked_fill;
    says(
        x.masked_fill(&wide, 1, r),
        "RuntimeError: masked_fill_ only supports boolean masks, but got mask with dtype long int",
    );
    says(
        x.masked_fill_(&short, 1, r),
        "RuntimeError: The size of tensor a (3) must match the size of tensor b (2) at non-singleton dimension 1",
    );
    says(
        x.masked_fill_(&ones(&[2, 2, 3], DType::Bool), 1, r),
        "RuntimeError: output with shape [2, 3] doesn't match the broadcast shape [2, 2, 3]",
    );
    says(
        x.masked_fill(&mask, &i(&[1]), r),
        "RuntimeError: masked_fill_ only supports a 0-dimensional value tensor, but got tensor with 1 dimension(s).",
    );
    says(
        x.byte().unwrap().masked_fill(&mask, 300, r),
        "RuntimeError: value cannot be converted to type uint8_t without overflow",
    );
    let r = &T.masked_scatter;
    says(
        x.masked_scatter(&mask, &i(&[1, 2]), r),
        "RuntimeError: Number of elements of source < number of ones in mask",
    );
    says(
        x.masked_scatter(&mask, &ones(&[9], DType::F32), r),
        "RuntimeError: masked_scatter: expected self and source to have same dtypes but gotLong and Float",
    );
    says(
        x.masked_scatter(&wide, &i(&[1; 9]), r),
        "RuntimeError: masked_scatter_ only supports boolean masks, but got mask with dtype Long",
    );
    says(
        x.masked_scatter_(&short, &i(&[1; 9]), r),
        "RuntimeError: The expanded size of the tensor (3) must match the existing size (2) at non-singleton dimension 1.  Target sizes: [2, 3].  Tensor sizes: [2]",
    );
    let r = &T.scatter;
    let cell = l(&[0], &[1, 1]);
    says(
        x.scatter(2, &cell, 1, None, r),
        "IndexError: Dimension out of range (expected to be in range of [-2, 1], but got 2)",
    );
    says(
        x.scatter(0, &cell.float().unwrap(), 1, None, r),
        "RuntimeError: scatter(): Expected dtype int32/int64 for index",
    );
    says(
        x.scatter(0, &cell, &cell.float().unwrap(), None, r),
        "RuntimeError: scatter(): Expected self.dtype to be equal to src.dtype",
    );
    says(
        x.scatter(0, &i(&[0]), 1, None, r),
        "RuntimeError: Index tensor must have the same number of dimensions as self tensor",
    );
    says(
        x.scatter(1, &cell, &i(&[1]), None, r),
        "IndexError: Dimension out of range (expected to be in range of [-1, 0], but got 1)",
    );
    let tall = l(&[0, 0, 0], &[3, 1]);
    says(
        x.scatter(1, &tall, 1, None, r),
        "RuntimeError: Expected index [3, 1] to be no larger than self [2, 3] apart from dimension 1",
    );
    says(
        x.scatter(1, &tall, &tall, None, r),
        "RuntimeError: Expected index [3, 1] to be no larger than self [2, 3] apart from dimension 1 and to be no larger size than src [3, 1]",
    );
    says(
        x.scatter(0, &l(&[7], &[1, 1]), 1, None, r),
        "RuntimeError: index 7 is out of bounds for dimension 0 with size 2",
    );
    says(
        x.scatter_add(0, &cell, &cell.float().unwrap(), &T.scatter_add),
        "RuntimeError: scatter(): Expected self.dtype to be equal to src.dtype",
    );
    let shared = i(&[0, 1, 2]);
    says(
        shared.scatter_(0, &shared, &shared, None, r),
        "RuntimeError: unsupported operation: some elements of the input tensor and the written-to tensor refer to a single memory location. Please clone() the tensor before performing the operation.",
    );
    let wide = ones(&[1, 3], DType::I64).broadcast_to(&[2, 3]).unwrap();
    says(
        wide.scatter_(0, &cell, 1, None, r),
        "RuntimeError: unsupported operation: more than one element of the written-to tensor refers to a single memory location. Please clone() the tensor before performing the operation.",
    );
    says(
        x.select_scatter(0, 0, &i(&[0, 1]), &T.views),
        "RuntimeError: expected src to have a size equal to the slice of self. src size = [2], slice size = [3]",
    );
    says(
        x.select_scatter(0, 7, &i(&[0, 1, 2]), &T.views),
        "IndexError: select(): index 7 out of range for tensor of size [2, 3] at dimension 0",
    );
    says(
        x.where_(&x, &x, DType::I64, &T.where_),
        "RuntimeError: where expected condition to be a boolean tensor, but got a tensor with dtype Long",
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

fn at(t: &Tensor) -> Index<'_> {
    Index::Tensor(t)
}

#[test]
fn torch_subscripts() {
    let x = cube();
    let get = |items: &[Index<'_>]| x.index(items, &T.get);
    let all = || Index::Range(Slice::ALL);
    says(get(&[Index::Int(5)]), "IndexError: index 5 is out of bounds for dimension 0 with size 2");
    says(get(&[all(), all(), Index::Int(-9)]), "IndexError: index -9 is out of bounds for dimension 2 with size 4");
    says(
        get(&[Index::Int(0), Index::Int(0), Index::Int(0), Index::Int(0)]),
        "IndexError: too many indices for tensor of dimension 3",
    );
    says(get(&[all(), at(&i(&[9]))]), "IndexError: index 9 is out of bounds for dimension 0 with size 3");
    says(get(&[all(), at(&i(&[0])), at(&i(&[7]))]), "IndexError: index 7 is out of bounds for dimension 1 with size 4");
    says(
        get(&[Index::NewAxis, at(&ones(&[2, 2], DType::Bool))]),
        "IndexError: The shape of the mask [2, 2] at index 1 does not match the shape of the indexed tensor [1, 2, 3, 4] at index 2",
    );
    says(
        get(&[at(&i(&[0, 1])), at(&i(&[0, 1, 0]))]),
        "IndexError: shape mismatch: indexing tensors could not be broadcast together with shapes [2], [3]",
    );
    says(
        get(&[at(&ones(&[1], DType::I16))]),
        "IndexError: tensors used as indices must be long, int, byte or bool tensors",
    );
    let step = |n| Index::Range(Slice { step: Some(n), ..Slice::ALL });
    says(get(&[step(0)]), "ValueError: slice step cannot be zero");
    says(get(&[step(-1)]), "ValueError: step must be greater than zero");
    says(
        ones(&[0, 3], DType::F32).index(&[at(&i(&[0]))], &T.get),
        "IndexError: index is out of bounds for dimension with size 0",
    );
    let scalar = l(&[7], &[]);
    says(
        scalar.index(&[Index::Int(0)], &T.get),
        "IndexError: invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to convert a 0-dim tensor to a number",
    );
    says(scalar.index(&[all()], &T.get), "IndexError: slice() cannot be applied to a 0-dim tensor.");
    let set = |items: &[Index<'_>], v: &Tensor| x.index_set_(items, v, &T.set);
    says(
        set(&[Index::Int(0)], &i(&[0, 1, 2])),
        "RuntimeError: The expanded size of the tensor (4) must match the existing size (3) at non-singleton dimension 1.  Target sizes: [3, 4].  Tensor sizes: [3]",
    );
    says(
        set(&[Index::Int(0), Index::Int(0)], &six()),
        "RuntimeError: expand(torch.LongTensor{[2, 3]}, size=[4]): the number of sizes provided (1) must be greater or equal to the number of dimensions in the tensor (2)",
    );
    says(
        set(&[at(&i(&[0]))], &i(&[0, 1, 2])),
        "RuntimeError: shape mismatch: value tensor of shape [3] cannot be broadcast to indexing result of shape [1, 3, 4]",
    );
    says(
        set(&[at(&i(&[0]))], &ones(&[], DType::F32)),
        "RuntimeError: Index put requires the source and destination dtypes match, got Long for the destination and Float for the source.",
    );
    says(x.index_set_(&[Index::Int(0)], i128::MAX, &T.set), "ValueError: Overflow when unpacking long long");
    says(
        x.index_set_(&[Index::Int(0)], 1e30, &T.set),
        "RuntimeError: value cannot be converted to type int64_t without overflow",
    );
}

#[test]
#[expect(clippy::too_many_lines)] // a list of texts
fn numpy_words() {
    let x = cube();
    let get = |items: &[Index<'_>]| x.index(items, &N.get);
    let all = || Index::Range(Slice::ALL);
    says(get(&[Index::Int(5)]), "IndexError: index 5 is out of bounds for axis 0 with size 2");
    says(get(&[all(), at(&i(&[9]))]), "IndexError: index 9 is out of bounds for axis 1 with size 3");
    says(
        get(&[Index::Int(0), Index::Int(0), Index::Int(0), Index::Int(0)]),
        "IndexError: too many indices for array: array is 3-dimensional, but 4 were indexed",
    );
    says(get(&[Index::Ellipsis, Index::Ellipsis]), "IndexError: an index can only have a single ellipsis ('...')");
    says(
        get(&[all(), at(&i(&[0, 1])), at(&l(&[0, 1, 2], &[1, 3]))]),
        "IndexError: shape mismatch: indexing arrays could not be broadcast together with shapes (2,) (1,3) ",
    );
    says(
        get(&[Index::NewAxis, at(&ones(&[2, 2], DType::Bool))]),
        "IndexError: boolean index did not match indexed array along axis 1; size of axis is 3 but size of corresponding boolean axis is 2",
    );
    says(
        get(&[at(&ones(&[1], DType::F64))]),
        "IndexError: arrays used as indices must be of integer (or boolean) type",
    );
    says(
        x.index_set_(&[Index::Int(0)], &i(&[0, 1, 2]), &N.set),
        "ValueError: could not broadcast input array from shape (3,) into shape (3,4)",
    );
    says(
        x.index_set_(&[at(&i(&[0]))], &i(&[0, 1, 2]), &N.set),
        "ValueError: shape mismatch: value array of shape (3,) could not be broadcast to indexing result of shape (1,3,4)",
    );
    let (y, mask) = (six(), six().gt_scalar(1).unwrap());
    says(
        y.index_set_(&[at(&mask)], &i(&[0, 1, 2]), &N.set),
        "ValueError: NumPy boolean array indexing assignment cannot assign 3 input values to the 4 output values where the mask is true",
    );
    says(
        y.index_set_(&[at(&mask)], &six(), &N.set),
        "TypeError: NumPy boolean array indexing assignment requires a 0 or 1-dimensional input, input has 2 dimensions",
    );
    let byte = y.byte().unwrap();
    let put = |v: takewise::Scalar| byte.index_set_(&[Index::Int(0)], v, &N.set);
    says(put(300.into()), "OverflowError: Python integer 300 out of bounds for uint8");
    says(put(300.7.into()), "OverflowError: Python integer 300 out of bounds for uint8");
    says(put(i128::MAX.into()), "OverflowError: Python int too large to convert to C long");
    says(put(f64::NAN.into()), "ValueError: cannot convert float NaN to integer");
    says(put(f64::INFINITY.into()), "OverflowError: cannot convert float infinity to integer");
    says(y.take(&i(&[6, 1]), &N.take), "IndexError: index 6 is out of bounds for axis 0 with size 6");
    says(ones(&[0], DType::F64).take(&i(&[0]), &N.take), "IndexError: cannot do a non-empty take from an empty axes.");
    let dot = ones(&[], DType::F64);
    assert_eq!(dot.take_axis(0, &i(&[0, -1]), &N.take).unwrap().to_vec::<f64>().unwrap(), [1.0, 1.0]);
    says(dot.take_axis(-1, &i(&[0, 1]), &N.take), "IndexError: index 1 is out of bounds for axis 0 with size 1");
    says(dot.take_axis(1, &i(&[0]), &N.take), "IndexError: axis 1 is out of bounds for array of dimension 1");
    let alone = "IndexError: axis 0 is out of bounds for array of dimension 0";
    says(dot.take_along(Some(0), &i(&[0]), &N.take_along), alone);
    says(dot.put_along(0, &i(&[0]), &dot, &N.scatter), alone);
    let ranks = "ValueError: `indices` and `arr` must have the same number of dimensions";
    says(ones(&[1], DType::F64).take_along(Some(0), &l(&[0], &[]), &N.take_along), ranks);
    says(y.take_axis(3, &i(&[0]), &N.take), "IndexError: axis 3 is out of bounds for array of dimension 2");
    says(
        y.take_axis(0, &ones(&[1], DType::F64), &N.take),
        "TypeError: Cannot cast array data from dtype('float64') to dtype('int64') according to the rule 'same_kind'",
    );
    says(
        y.take_along(Some(1), &l(&[5], &[1, 1]), &N.take_along),
        "IndexError: index 5 is out of bounds for axis 1 with size 3",
    );
    says(
        y.take_along(Some(1), &i(&[0]), &N.take_along),
        "ValueError: `indices` and `arr` must have the same number of dimensions",
    );
    says(
        y.take_along(Some(1), &l(&[0; 3], &[3, 1]), &N.take_along),
        "IndexError: shape mismatch: indexing arrays could not be broadcast together with shapes (2,1) (3,1) ",
    );
    says(
        y.take_along(Some(0), &l(&[0; 4], &[1, 4]), &N.take_along),
        "IndexError: shape mismatch: indexing arrays could not be broadcast together with shapes (1,4) (1,3) ",
    );
    says(
        y.take_along(Some(1), &ones(&[1, 1], DType::F64), &N.take_along),
        "IndexError: `indices` must be an integer array",
    );
    says(
        l(&[5], &[]).nonzero(&N.nonzero),
        "ValueError: Calling nonzero on 0d arrays is not allowed. Use np.atleast_1d(scalar).nonzero() instead.",
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
#[expect(clippy::too_many_lines)] // a list of texts
fn mindspore_words() {
    let x = six().float().unwrap();
    let (cell, r) = (l(&[0], &[1, 1]), &M.gather);
    says(x.gather(2, &cell, r), "ValueError: For primitive[GatherD], the dim value must be in [-2,2], but got 2.");
    says(x.gather(0, &i(&[0]), r), "ValueError: For primitive[GatherD], the x_rank must be equal to 1, but got 2.");
    says(
        x.gather(1, &l(&[0; 3], &[3, 1]), r),
        "ValueError: For primitive[GatherD], the x shape must be greater than or equal to 3, but got 2.",
    );
    says(
        x.gather(1, &l(&[-4], &[1, 1]), r),
        "RuntimeError: For 'GatherD', the value of 'index' must be in [-3, 3), but got: -4",
    );
    says(
        x.gather(1, &cell.short().unwrap(), r),
        "TypeError: For primitive[GatherD], the input argument[index] must be a type of {Tensor[Int32], Tensor[Int64]}, but got Tensor[Int16].",
    );
    says(
        x.bfloat16().unwrap().gather(1, &cell, r),
        "TypeError: Select CPU operator[GatherD] fail! Unsupported data type!",
    );
    let along = |ix: &Tensor, axis, batch| x.gather_axis(axis, ix, batch, &M.gather_axis);
    says(along(&i(&[0]), 5, 0), "ValueError: For primitive[Gather], the axis must be in [-2,2], but got 5.");
    says(
        along(&i(&[-5]), 0, 0),
        "RuntimeError: For 'Gather', the 'input_indices' should be in the range [0, 2), but got -3, error_code[58]",
    );
    says(
        along(&l(&[0, 1], &[1, 2]), 0, 1),
        "ValueError: For primitive[Gather], the axis must be greater than or equal to 1, but got 0.",
    );
    says(
        along(&l(&[0, 1], &[1, 2]), 1, 2),
        "ValueError: For primitive[Gather], the batch_dims must be in [-2,2), but got 2.",
    );
    says(along(&i(&[0]), 1, -2), "RuntimeError: The int64_t value(-1) is less than 0.");
    says(
        along(&i(&[0]), 1, 1),
        "RuntimeError: For 'Gather', params.shape[0] should be equal to indices.shape[0] but got param.shape: [const vector]{2, 3}, indices.shape: [const vector]{1}",
    );
    says(
        cube().gather_axis(2, &i(&[0, 1]), 2, &M.gather_axis),
        "ValueError: For primitive[Gather], the indices shape size must be greater than or equal to 2, but got 1.",
    );
    let nd = |v: &[i64], shape: &[usize]| x.gather_nd(&l(v, shape), 0, &M.gather_nd);
    says(
        nd(&[0, 0, 0], &[1, 3]),
        "ValueError: For primitive[GatherNd], the In GatherNd, the input of indices data must be greater than or equal to 3, but got 2.",
    );
    says(
        nd(&[-1, 0], &[1, 2]),
        "RuntimeError: For 'GatherNd', the indices[0]: [const vector]{-1, 0}, does not index into input_shape: [const vector]{2, 3}.",
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
    let one = ones(&[1], DType::F32);
    says(
        nd(&[-1, 0], &[1, 2], &one, Op::TensorScatter(Combine::Add)),
        "RuntimeError: For 'TensorScatterAdd', the 0-th value of 'indices'[-1, 0] is out of range[2, 3].",
    );
    says(
        nd(&[0, 7], &[2, 1], &x, Op::TensorScatter(Combine::Mul)),
        "RuntimeError: For 'TensorScatterMul', the 1-th value of 'indices'[7] is out of range[2].",
    );
    says(
        nd(&[0, 7], &[1, 2], &one, Op::TensorScatter(Combine::Update)),
        "ValueError: For 'TensorScatterUpdate', indices out of range for input_x. Please check the indices which is [const vector]{0, 7}",
    );
    says(
        nd(&[0, 0], &[1, 2], &ones(&[2], DType::F32), Op::TensorScatter(Combine::Update)),
        "ValueError: For TensorScatterUpdate, updates_shape = indices_shape[:-1] + x_shape[indices_shape[-1]:], but got x_shape: (2, 3), indices_shape: (1, 2), updates_shape: (2).",
    );
    let nd = |v: i64| {
        scatter_nd(l(&[v], &[1, 1]).read_any().unwrap().view(), one.read_any().unwrap().view(), &[3], &M.scatter_nd)
    };
    says(
        nd(-1),
        "RuntimeError: For 'ScatterNd', each element in 'indice' must be greater than or equal to 0, but got -1",
    );
    says(
        nd(9),
        "RuntimeError: For 'ScatterNd', each element in 'indices' should be smaller than the value of shape, but got 9 and got the value of shape 3",
    );
    let get = |items: &[Index<'_>]| cube().index(items, &M.get).map(|_| ());
    says(get(&[Index::Int(5)]), "IndexError: index 5 is out of bounds for dimension with size 2");
    says(
        get(&[at(&i(&[9]))]),
        "RuntimeError: For 'Gather', the 'input_indices' should be in the range [0, 2), but got 9, error_code[58]",
    );
    says(get(&[Index::Ellipsis, Index::Ellipsis]), "IndexError: An index can only have a single ellipsis('...')");
    let short = Tensor::from_slice(&[true, false], &[2]).unwrap();
    says(
        x.masked_select(&short, &M.masked_select),
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
