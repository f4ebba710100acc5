//! Columns of tables by name or by place, and tables of text as they are written.

use std::io::Write;

use csv::WriterBuilder;
use takewise::{Error, Tensor};
use takewise_dialects::texts::texts_of;
use takewise_dialects::{Value, elements};
use takewise_files::{columns_named, dates_as_text};

use crate::json::number;
use crate::opener::Table;

/// The whole table; or the columns named by `key`, with commas between their names. One column alone has no axis for columns.
///
/// # Errors
/// A column that is not there, or that is no array of numbers.
pub(crate) fn chosen(table: &dyn Table, key: Option<&str>) -> Result<Tensor, String> {
    let Some(key) = key else { return table.tensor(None) };
    table.tensor(Some(&columns_named(&table.names(), table.types().len(), key)?))
}

/// Writes arrays as lines of cells: one array of at most two axes, or several of one, side by side under their names.
///
/// # Errors
/// More axes, different lengths, complex numbers; an output that cannot be written.
pub(crate) fn write(out: impl Write, entries: &[(String, Tensor)], delimiter: u8) -> Result<(), String> {
    let broken = |e: csv::Error| format!("cannot be written: {e}");
    let mut writer = WriterBuilder::new().delimiter(delimiter).flexible(true).from_writer(out);
    let Some((rows, width)) = extents(entries)? else { return Ok(()) };
    if entries.iter().any(|(name, _)| !name.is_empty()) {
        writer.write_record(entries.iter().map(|(name, _)| name.as_str())).map_err(broken)?;
    }
    let mut columns = Vec::with_capacity(entries.len());
    for (_, tensor) in entries {
        let dtype = tensor.dtype();
        let values = cells(tensor).map_err(|e| e.to_string())?;
        if let Some(odd) =
            values.iter().find(|v| !matches!(v, Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::Str(_)))
        {
            return Err(format!("a {} does not fit into one cell", odd.type_name()));
        }
        columns.push((values, dtype));
    }
    for row in 0..rows {
        let cells =
            columns.iter().flat_map(|(values, dtype)| values[row * width..][..width].iter().map(|v| text(v, *dtype)));
        writer.write_record(cells).map_err(broken)?;
    }
    writer.flush().map_err(|e| format!("cannot be written: {e}"))
}

/// The elements of an array in row-major order as what is written of them: texts and dates as text, others as numbers.
///
/// # Errors
/// Elements that can only be moved.
pub(crate) fn cells(tensor: &Tensor) -> takewise::Result<Vec<Value>> {
    match texts_of(tensor).or_else(|| dates_as_text(tensor)) {
        Some(texts) => Ok(texts?.into_iter().map(Value::str).collect()),
        None => elements(tensor),
    }
}

/// The columns of arrays, and how many rows they have: one array of at most two axes, or several of one. Each has a name: its own, or
/// its number from 0.
///
/// # Errors
/// More axes, different lengths.
pub(crate) fn columns(entries: &[(String, Tensor)]) -> Result<(Vec<(String, Tensor)>, usize), String> {
    let failed = |e: Error| e.to_string();
    let Some((rows, width)) = extents(entries)? else { return Err("a table has columns, the result has none".into()) };
    let columns = match entries {
        [(_, tensor)] if tensor.rank() == 2 => {
            (0..width).map(|k| Ok((String::new(), tensor.select(1, k as i64)?))).collect::<takewise::Result<Vec<_>>>()
        }
        [(name, tensor)] => tensor.reshape(&[rows as i64]).map(|tensor| vec![(name.clone(), tensor)]),
        several => Ok(several.to_vec()),
    };
    let named = |(k, (name, tensor)): (usize, (String, Tensor))| match name.is_empty() {
        true => (k.to_string(), tensor),
        false => (name, tensor),
    };
    Ok((columns.map_err(failed)?.into_iter().enumerate().map(named).collect(), rows))
}

/// Rows of arrays that are to be a table, and the columns that each gives; nothing if there are no arrays.
fn extents(entries: &[(String, Tensor)]) -> Result<Option<(usize, usize)>, String> {
    Ok(Some(match entries {
        [(_, tensor)] => match tensor.shape() {
            [] => (1, 1),
            [n] => (*n, 1),
            [n, width] => (*n, *width),
            shape => return Err(format!("a table has two axes, the result has {}: {shape:?}", shape.len())),
        },
        [(_, first), ..] => {
            if let Some((_, other)) = entries.iter().find(|(_, t)| t.rank() != 1 || t.shape() != first.shape()) {
                return Err(format!(
                    "columns have one axis and one length, not {:?} and {:?}",
                    first.shape(),
                    other.shape()
                ));
            }
            (first.numel(), 1)
        }
        [] => return Ok(None),
    }))
}

fn text(value: &Value, dtype: takewise::DType) -> String {
    match value {
        Value::Bool(b) => if *b { "True" } else { "False" }.to_owned(),
        Value::Int(i) => i.to_string(),
        Value::Float(x) if x.is_nan() => "nan".to_owned(),
        Value::Float(x) if x.is_infinite() => if *x > 0.0 { "inf" } else { "-inf" }.to_owned(),
        Value::Float(x) => number(*x, dtype),
        Value::Str(text) => text.to_string(),
        other => other.type_name().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use takewise_files::{TextSpec, TextTable};

    #[test]
    fn what_is_written_reads_back() {
        let x = Tensor::from_vec(vec![0.1f32, -1e20, f32::NAN, 2.0], &[2, 2]).unwrap();
        let mut out = Vec::new();
        write(&mut out, &[(String::new(), x.clone())], b',').unwrap();
        assert_eq!(String::from_utf8(out.clone()).unwrap(), "0.1,-1e20\nnan,2.0\n");
        let read = TextTable::read(&out[..], &TextSpec::default()).unwrap();
        assert_eq!(chosen(&read, None).unwrap().shape(), [2, 2]);
        let i = Tensor::from_vec(vec![1i64, 2], &[2]).unwrap();
        let mut out = Vec::new();
        write(&mut out, &[("a".into(), i.clone()), ("b".into(), i.clone())], b'\t').unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), "a\tb\n1\t1\n2\t2\n");
        assert!(write(Vec::new(), &[(String::new(), i), (String::new(), x)], b',').is_err());
    }
}
