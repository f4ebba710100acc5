//! Diagonals, triangles and grids: masks and index arrays made by comparing coordinates.

use takewise::index::rules::{Rules, ShortValues};
use takewise::op::Op;
use takewise::promote::{Promotion, promote};
use takewise::{DType, DTypeSet, Tensor};

use super::create::array_like;
use super::rearrange::given;
use super::split::{counted, first};
use super::{Outcome, raise};
use crate::error::{EvalError, Result};
use crate::sig::Call;
use crate::value::Value;

/// Which elements of a matrix lie on or below a diagonal.
fn below(rows: i64, columns: i64, diagonal: i64) -> takewise::Result<Tensor> {
    // A diagonal beyond the matrix is like the nearest one beside it.
    let first = diagonal.clamp(-rows, columns);
    let row = Tensor::arange(first, first.saturating_add(rows), 1, None)?.unsqueeze(1)?;
    Tensor::arange(0, columns, 1, None)?.unsqueeze(0)?.le(&row)
}

/// The triangle of the last two axes below (or from) a diagonal, the rest zero.
fn triangle(call: &Call, lower: bool) -> Outcome {
    let mut x = first(call)?;
    let k = call.int(if call.has("k") { "k" } else { "diagonal" })?;
    if x.rank() < 2 {
        if !call.face.facts.shapes.vector_triangles || x.rank() == 0 {
            return Err(call.face.refused(format!("{}: input tensor must have at least 2 dimensions", call.name)));
        }
        let n = x.shape()[0];
        x = x.broadcast_to(&[n, n]).map_err(raise)?;
    }
    let (rows, columns) = (x.shape()[x.rank() - 2] as i64, x.shape()[x.rank() - 1] as i64);
    let mask = below(rows, columns, if lower { k } else { k.saturating_sub(1) }).map_err(raise)?;
    let zero = Tensor::zeroed(&[], x.dtype()).map_err(raise)?;
    let rules = &call.face.rules.where_;
    let (a, b) = if lower { (&x, &zero) } else { (&zero, &x) };
    // NumPy chooses elements in the order of bytes of this machine.
    let dtype = promote(Promotion::Widening, x.dtype(), x.dtype()).unwrap_or(x.dtype());
    given(call, mask.where_(a, b, dtype.native(), rules))
}

/// `tril(x, diagonal)`.
pub(crate) fn tril(call: &Call) -> Outcome {
    triangle(call, true)
}

/// `triu(x, diagonal)`.
pub(crate) fn triu(call: &Call) -> Outcome {
    triangle(call, false)
}

/// Coordinates of a triangle: a tuple of two arrays, or the rows of one.
fn triangle_indices(call: &Call, lower: bool) -> Outcome {
    // NumPy's names, then torch's.
    let named = |own: &'static str, other: &'static str| if call.has(own) { own } else { other };
    let (rows, diagonal) = (call.int(named("n", "row"))?, call.int(named("k", "offset"))?);
    let columns = call.maybe_int(named("m", "col"))?.unwrap_or(rows);
    if rows < 0 || columns < 0 {
        return Err(call.face.refused(format!("{}: a matrix has no negative sizes", call.name)));
    }
    indices_of(call, rows, columns, diagonal, lower)
}

fn indices_of(call: &Call, rows: i64, columns: i64, diagonal: i64, lower: bool) -> Outcome {
    let mut mask = below(rows, columns, if lower { diagonal } else { diagonal.saturating_sub(1) }).map_err(raise)?;
    if !lower {
        mask = mask.logical_not().map_err(raise)?;
    }
    let parts = mask.nonzero_tuple(&call.face.rules.nonzero).map_err(raise)?;
    if call.face.facts.shapes.coordinate_tuples {
        let parts = parts.iter().map(|t| Ok(call.wrap(super::cast::convert(t, call.face.position, call.face)?)));
        return Ok(Value::tuple(parts.collect::<Result<Vec<_>>>()?));
    }
    let both = mask.nonzero(&call.face.rules.nonzero).and_then(|t| t.t()?.contiguous()).map_err(raise)?;
    let dtype = call.dtype("dtype")?.unwrap_or(DType::I64);
    Ok(call.wrap(super::cast::convert(&both, dtype, call.face)?))
}

/// `tril_indices(n, k, m)`, torch's `tril_indices(row, col, offset)`.
pub(crate) fn tril_indices(call: &Call) -> Outcome {
    triangle_indices(call, true)
}

/// `triu_indices`.
pub(crate) fn triu_indices(call: &Call) -> Outcome {
    triangle_indices(call, false)
}

fn indices_from(call: &Call, lower: bool) -> Outcome {
    let x = first(call)?;
    let [rows, columns] = x.shape() else { return Err(EvalError::value_error("input array must be 2-d")) };
    indices_of(call, *rows as i64, *columns as i64, call.int("k")?, lower)
}

/// `tril_indices_from(arr, k)`.
pub(crate) fn tril_indices_from(call: &Call) -> Outcome {
    indices_from(call, true)
}

/// `triu_indices_from(arr, k)`.
pub(crate) fn triu_indices_from(call: &Call) -> Outcome {
    indices_from(call, false)
}

/// The numbers 0 to `n`, made in the dtype they are wanted in where it counts exactly.
fn counting(call: &Call, n: i64, dtype: DType) -> Result<Tensor> {
    let is_direct = matches!(dtype, DType::I64 | DType::I32 | DType::F64);
    let counted = Tensor::arange(0, n, 1, is_direct.then_some(dtype)).map_err(raise)?;
    super::cast::convert(&counted, dtype, call.face)
}

fn same_positions(call: &Call, n: i64, count: usize) -> Outcome {
    let along = counting(call, n, call.face.position)?;
    let mut parts = super::room(call.op(), count, size_of::<Tensor>() + 400).map_err(raise)?;
    parts.extend((0..count).map(|_| call.wrap(along.clone())));
    Ok(Value::tuple(parts))
}

/// `diag_indices(n, ndim)`.
pub(crate) fn diag_indices(call: &Call) -> Outcome {
    same_positions(call, call.int("n")?, usize::try_from(call.int("ndim")?).unwrap_or(0))
}

/// `diag_indices_from(arr)`.
pub(crate) fn diag_indices_from(call: &Call) -> Outcome {
    let x = first(call)?;
    if x.rank() < 2 {
        return Err(EvalError::value_error("input array must be at least 2-d"));
    }
    if x.shape().windows(2).any(|w| w[0] != w[1]) {
        return Err(EvalError::value_error("All dimensions of input must be of equal length"));
    }
    same_positions(call, x.shape()[0] as i64, x.rank())
}

/// A matrix with a vector on a diagonal.
fn with_diagonal(call: &Call, vector: &Tensor, k: i64) -> Outcome {
    let n = vector.numel() + k.unsigned_abs() as usize;
    let zeros = Tensor::zeroed(&[n, n], vector.dtype()).map_err(raise)?;
    given(call, zeros.diagonal_scatter(k, 0, 1, vector, &call.face.rules.views))
}

/// `diag(x, k)`: the diagonal of a matrix, or a matrix with that diagonal.
pub(crate) fn diag(call: &Call) -> Outcome {
    let x = first(call)?;
    let k = call.int(if call.has("k") { "k" } else { "diagonal" })?;
    match x.rank() {
        1 => with_diagonal(call, &x, k),
        2 if call.face.facts.shapes.shares_memory => given(call, x.diagonal(k, 0, 1)),
        2 => given(call, x.diagonal(k, 0, 1).and_then(|d| d.clone_data())),
        rank => Err(call.face.refused((call.face.refusals.diagonal)(rank))),
    }
}

/// `diagflat(x, k)`.
pub(crate) fn diagflat(call: &Call) -> Outcome {
    let x = first(call)?.reshape(&[-1]).map_err(raise)?;
    with_diagonal(call, &x, call.int(if call.has("k") { "k" } else { "offset" })?)
}

/// torch's `diag_embed(input, offset, dim1, dim2)`.
pub(crate) fn diag_embed(call: &Call) -> Outcome {
    let x = first(call)?;
    let rank = x.rank() + 1;
    let offset = call.int("offset")?;
    let (a, b) = (counted(call, call.int("dim1")?, rank)?, counted(call, call.int("dim2")?, rank)?);
    if a == b {
        let text = format!("diagonal dimensions cannot be identical {}, {}", call.int("dim1")?, call.int("dim2")?);
        return Err(EvalError::runtime_error(text));
    }
    let Some((length, batch)) = x.shape().split_last() else {
        return Err(EvalError::index_error("Dimension out of range (expected to be in range of [-1, 0], but got -2)"));
    };
    let side = length + offset.unsigned_abs() as usize;
    let mut others = batch.iter().copied();
    let shape: Vec<usize> =
        (0..rank).map(|d| if d == a || d == b { side } else { others.next().unwrap_or(1) }).collect();
    let zeros = Tensor::zeroed(&shape, x.dtype()).map_err(raise)?;
    given(call, zeros.diagonal_scatter(offset, a as i64, b as i64, &x, &call.face.rules.views))
}

/// `fill_diagonal(a, val, wrap)`, torch's `fill_diagonal_(fill_value, wrap)`: places of the flattened array.
pub(crate) fn fill_diagonal(call: &Call) -> Outcome {
    let array = call.array("input")?;
    let x = array.tensor();
    let value = call.get(if call.has("val") { "val" } else { "fill_value" }).unwrap_or(Value::None);
    if x.rank() < 2 {
        return Err(call.face.refused(call.face.refusals.diagonal_of_vector));
    }
    let n: Vec<i64> = x.shape().iter().map(|n| *n as i64).collect();
    if x.rank() > 2 && n.windows(2).any(|w| w[0] != w[1]) {
        return Err(call.face.refused(call.face.refusals.diagonal_of_cuboid));
    }
    // From the end: the stride of each axis in elements of the flattened array.
    let step: i64 = (0..n.len()).map(|d| n[d + 1..].iter().product::<i64>()).sum();
    let total: i64 = n.iter().product();
    let end = if x.rank() == 2 && !call.flag("wrap") { total.min(n[1] * n[1]) } else { total };
    let places = Tensor::arange(0, end, step, None).map_err(raise)?;
    let all = DTypeSet::ALL;
    let rules = Rules { short_values: ShortValues::Repeat, same_dtype: false, data: all, ..call.face.rules.put };
    let values = match super::to_scalar(&value) {
        Some(number) => super::create::filled(&[], number, x.dtype(), call.face)?,
        None => super::cast::convert(&array_like(&value, call.face)?.tensor(), x.dtype(), call.face)?,
    };
    if places.numel() > 0 {
        let values = values.reshape(&[-1]).map_err(raise)?;
        x.put_(&places, &values, false, &rules).map_err(raise)?;
    }
    Ok(if call.face.facts.shapes.gives_target { Value::Array(array) } else { Value::None })
}

/// NumPy's `indices(dimensions, dtype, sparse)`: the coordinates of a grid.
pub(crate) fn indices(call: &Call) -> Outcome {
    let shape = call.ints("dimensions")?;
    let dtype = call.dtype("dtype")?.unwrap_or(call.face.int);
    let rank = shape.len();
    let along = |axis: usize| -> Result<Tensor> {
        let mut thin = vec![1; rank];
        thin[axis] = shape[axis];
        counting(call, shape[axis], dtype)?.reshape(&thin).map_err(raise)
    };
    let parts = (0..rank).map(along).collect::<Result<Vec<_>>>()?;
    if call.flag("sparse") {
        return Ok(Value::tuple(parts.into_iter().map(|t| call.wrap(t)).collect::<Vec<_>>()));
    }
    let whole: Vec<usize> = std::iter::once(rank).chain(shape.iter().map(|n| (*n).max(0) as usize)).collect();
    let grid = Tensor::zeroed(&whole, dtype).map_err(raise)?;
    for (k, part) in parts.iter().enumerate() {
        let to = grid.select(0, k as i64).map_err(raise)?;
        let wide = part.broadcast_to(to.shape()).map_err(raise)?;
        super::copy_into(Op::Named(&"indices"), &to, &wide, call.face.words)?;
    }
    Ok(call.wrap(grid))
}

/// `meshgrid(*xi, indexing)`: vectors stretched to a grid; NumPy's are copies unless asked otherwise.
pub(crate) fn meshgrid(call: &Call) -> Outcome {
    let items = super::rearrange::several(call)?;
    let crossed = match call.text("indexing").as_deref() {
        Some("xy") => true,
        Some("ij") => false,
        _ => return Err(call.face.refused("Valid values for `indexing` are 'xy' and 'ij'.")),
    };
    let vectors = items.iter().map(|v| Ok(array_like(v, call.face)?.tensor())).collect::<Result<Vec<_>>>()?;
    if let Some(refused) = (call.face.refusals.grid)(&vectors) {
        return Err(refused);
    }
    let vectors = vectors.iter().map(|t| t.reshape(&[-1]).map_err(raise)).collect::<Result<Vec<_>>>()?;
    let rank = vectors.len();
    let place = |k: usize| if crossed && rank > 1 && k < 2 { 1 - k } else { k };
    let mut shape = vec![1usize; rank];
    vectors.iter().enumerate().for_each(|(k, v)| shape[place(k)] = v.numel());
    let sparse = call.has("sparse") && call.flag("sparse");
    let copy = call.has("copy") && call.flag("copy");
    let one = |(k, vector): (usize, &Tensor)| -> Result<Tensor> {
        let mut thin = vec![1; rank];
        thin[place(k)] = vector.numel() as i64;
        let mut grid = vector.reshape(&thin).map_err(raise)?;
        if !sparse {
            grid = grid.broadcast_to(&shape).map_err(raise)?;
        }
        if copy { grid.to_row_major().map_err(raise) } else { Ok(grid) }
    };
    let grids = vectors.iter().enumerate().map(one).collect::<Result<Vec<_>>>()?;
    Ok(super::split::stretched(call, grids))
}

/// `diagonal(a, offset, axis1, axis2)`.
pub(crate) fn diagonal_axes(call: &Call) -> Outcome {
    given(call, first(call)?.diagonal(call.int("offset")?, call.int("axis1")?, call.int("axis2")?))
}
