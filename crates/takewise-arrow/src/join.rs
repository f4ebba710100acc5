//! Several columns as one array.

use takewise::promote::{Promotion, promote};
use takewise::{DType, Tensor, ops};

use crate::error::{Error, Result};

/// The dtype that several columns meet in: NumPy's `result_type`, but for truth values, which are no numbers here.
///
/// # Errors
/// Columns of truth values and of numbers.
pub(crate) fn common(columns: &[DType]) -> Result<DType> {
    let bools = columns.iter().filter(|dtype| **dtype == DType::Bool).count();
    if bools > 0 && bools < columns.len() {
        return Err(Error::new("has columns of truth values and of numbers; choose one kind with '#name'"));
    }
    // A table without columns holds integers, as a text without columns does.
    let mut dtypes = columns.iter().copied();
    let first = dtypes.next().unwrap_or(DType::I64);
    dtypes.try_fold(first, |so_far, dtype| Ok(promote(Promotion::Widening, so_far, dtype)?))
}

/// Columns of one axis side by side.
///
/// # Errors
/// A number that the common dtype cannot hold.
pub(crate) fn joined(columns: &[(String, Tensor)], rows: usize) -> Result<Tensor> {
    let dtypes: Vec<DType> = columns.iter().map(|(_, x)| x.dtype()).collect();
    let dtype = common(&dtypes)?;
    for (name, column) in columns {
        if let Some((row, value)) = lost(column, dtype)? {
            let kinds = named(&dtypes);
            return Err(Error::new(format!(
                "column '{name}', row {row}: {value} is no {}, in which columns of {kinds} meet; choose columns of one dtype with \
                 '#name'",
                dtype.name()
            )));
        }
    }
    let out = Tensor::empty(&[rows, columns.len()], dtype)?;
    let mut open = out.write_any()?;
    let mut whole = open.view_mut();
    for (at, (_, column)) in columns.iter().enumerate() {
        ops::cast_into(&column.read_any()?.view(), &mut whole.reborrow().select(1, at as i64)?)?;
    }
    drop(open);
    Ok(out)
}

/// The dtypes, each once.
fn named(columns: &[DType]) -> String {
    let mut names: Vec<&str> = Vec::new();
    for dtype in columns {
        if !names.contains(&dtype.name()) {
            names.push(dtype.name());
        }
    }
    names.join(" and ")
}

/// The first number that a dtype would round: only the widest integers have such, among floats.
fn lost(column: &Tensor, dtype: DType) -> Result<Option<(usize, i128)>> {
    let kept = |v: i128| (v as f64) as i128 == v;
    if dtype != DType::F64 {
        return Ok(None);
    }
    Ok(match column.dtype() {
        DType::I64 => first(&column.to_vec::<i64>()?, kept),
        DType::U64 => first(&column.to_vec::<u64>()?, kept),
        _ => None,
    })
}

fn first<T: Copy + Into<i128>>(values: &[T], kept: impl Fn(i128) -> bool) -> Option<(usize, i128)> {
    let at = values.iter().position(|&v| !kept(v.into()))?;
    Some((at, values[at].into()))
}
