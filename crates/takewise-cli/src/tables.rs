//! Tables of text: columns of numbers, with commas or tabs between them, by name or by place.

use std::io::{Read, Write};
use std::path::Path;

use csv::{ReaderBuilder, StringRecord, WriterBuilder};
use takewise::{Error, Tensor};
use takewise_dialects::{Value, elements};

use crate::args::Form;
use crate::json::number;
use crate::opener::Table;

/// What separates cells, of a file that is a table by its name.
pub(crate) fn delimiter(path: &Path) -> Option<u8> {
    match Form::of_extension(path)? {
        Form::Csv => Some(b','),
        Form::Tsv => Some(b'\t'),
        _ => None,
    }
}

/// A column under way: of truth values, of integers, or of floats once one cell is no integer.
enum Cells {
    None(usize),
    Bool(Vec<bool>),
    Int(Vec<i64>),
    Float(Vec<f64>),
    /// The first cell that is no number, and its line.
    Text(String, u64),
}

/// What a cell holds.
enum Cell {
    Empty,
    Bool(bool),
    Int(i64),
    Float(f64),
}

fn cell(text: &str) -> Option<Cell> {
    let text = text.trim();
    if let Ok(i) = text.parse() {
        return Some(Cell::Int(i));
    }
    let digits = text.trim_start_matches(['-', '+']);
    match text {
        "" => Some(Cell::Empty),
        "True" | "true" | "TRUE" => Some(Cell::Bool(true)),
        "False" | "false" | "FALSE" => Some(Cell::Bool(false)),
        // An integer that is too large is not rounded.
        _ if digits.chars().all(|c| c.is_ascii_digit()) => None,
        _ => text.parse().ok().map(Cell::Float),
    }
}

impl Cells {
    fn push(self, text: &str, line: u64) -> Self {
        use Cells::{Bool, Float, Int, None as Empty, Text};
        let refused = || Text(text.trim().to_owned(), line);
        let floats = |ints: Vec<i64>| ints.into_iter().map(|i| i as f64).collect::<Vec<f64>>();
        let with = |mut all: Vec<f64>, x: f64| {
            all.push(x);
            Float(all)
        };
        let Some(found) = cell(text) else {
            return if let Text(..) = self { self } else { refused() };
        };
        match (self, found) {
            (text @ Text(..), _) => text,
            (Empty(n), Cell::Empty) => Empty(n + 1),
            (Empty(0), Cell::Bool(b)) => Bool(vec![b]),
            (Empty(0), Cell::Int(i)) => Int(vec![i]),
            (Empty(n), Cell::Int(i)) => with(vec![f64::NAN; n], i as f64),
            (Empty(n), Cell::Float(x)) => with(vec![f64::NAN; n], x),
            (Bool(mut all), Cell::Bool(b)) => {
                all.push(b);
                Bool(all)
            }
            (Int(mut all), Cell::Int(i)) => {
                all.push(i);
                Int(all)
            }
            (Int(all), Cell::Float(x)) => with(floats(all), x),
            (Int(all), Cell::Empty) => with(floats(all), f64::NAN),
            (Float(all), Cell::Int(i)) => with(all, i as f64),
            (Float(all), Cell::Float(x)) => with(all, x),
            (Float(all), Cell::Empty) => with(all, f64::NAN),
            _ => refused(),
        }
    }

    fn dtype(&self) -> &'static str {
        match self {
            Self::Bool(_) => "bool",
            Self::Int(_) => "int64",
            Self::None(_) | Self::Float(_) => "float64",
            Self::Text(..) => "text",
        }
    }
}

/// A table of text: its columns, each with a name where the first line gives some.
pub(crate) struct Text {
    names: Vec<String>,
    columns: Vec<Cells>,
    rows: usize,
}

impl Text {
    /// Reads a table. The first line gives names if one of its cells is no number.
    ///
    /// # Errors
    /// Lines of different lengths, bytes that are not UTF-8, a file that cannot be read.
    pub(crate) fn read(input: impl Read, delimiter: u8) -> Result<Self, String> {
        let mut reader = ReaderBuilder::new().has_headers(false).delimiter(delimiter).from_reader(input);
        let mut table = Self { names: Vec::new(), columns: Vec::new(), rows: 0 };
        let mut record = StringRecord::new();
        let mut first = true;
        while reader.read_record(&mut record).map_err(|e| said(&e))? {
            let line = record.position().map_or(0, csv::Position::line);
            if std::mem::take(&mut first) {
                table.columns.extend(record.iter().map(|_| Cells::None(0)));
                if record.iter().any(|text| cell(text).is_none()) {
                    table.names =
                        record.iter().map(|text| text.trim().trim_start_matches('\u{feff}').to_owned()).collect();
                    continue;
                }
            }
            table.rows += 1;
            for (column, text) in table.columns.iter_mut().zip(&record) {
                let before = std::mem::replace(column, Cells::None(0));
                *column = before.push(text, line);
            }
        }
        Ok(table)
    }

    fn called(&self, at: usize) -> String {
        called(&self.names(), at)
    }
}

impl Table for Text {
    fn about(&self) -> String {
        "table".into()
    }

    fn names(&self) -> Vec<&str> {
        self.names.iter().map(String::as_str).collect()
    }

    fn types(&self) -> Vec<&str> {
        self.columns.iter().map(Cells::dtype).collect()
    }

    fn rows(&self) -> usize {
        self.rows
    }

    fn tensor(&self, places: Option<&[usize]>) -> Result<Tensor, String> {
        let all: Vec<usize> = (0..self.columns.len()).collect();
        let chosen: Vec<&Cells> = places.unwrap_or(&all).iter().map(|&at| &self.columns[at]).collect();
        for (&at, column) in places.unwrap_or(&all).iter().zip(&chosen) {
            if let Cells::Text(text, line) = column {
                let others = "; choose columns of numbers with '#name'";
                let others = if places.is_none() { others } else { "" };
                return Err(format!("line {line}, column {}: '{text}' is no number{others}", self.called(at)));
            }
        }
        let shape: &[usize] = if let [_] = chosen[..] { &[self.rows] } else { &[self.rows, chosen.len()] };
        let bools = chosen.iter().filter(|c| matches!(c, Cells::Bool(_))).count();
        if bools > 0 && bools < chosen.len() {
            return Err("has columns of truth values and of numbers; choose one kind with '#name'".into());
        }
        let made = if bools > 0 {
            Tensor::from_vec(interleaved(&chosen, self.rows, |c, k| matches!(c, Cells::Bool(all) if all[k])), shape)
        } else if chosen.iter().all(|c| matches!(c, Cells::Int(_))) {
            Tensor::from_vec(
                interleaved(&chosen, self.rows, |c, k| if let Cells::Int(all) = c { all[k] } else { 0 }),
                shape,
            )
        } else {
            let float = |c: &Cells, k: usize| match c {
                Cells::Int(all) => all[k] as f64,
                Cells::Float(all) => all[k],
                _ => f64::NAN,
            };
            Tensor::from_vec(interleaved(&chosen, self.rows, float), shape)
        };
        made.map_err(|e: Error| e.to_string())
    }
}

/// The whole table; or the columns named by `key`, with commas between their names. One column alone has no axis for columns.
///
/// # Errors
/// A column that is not there, or that is no array of numbers.
pub(crate) fn chosen(table: &dyn Table, key: Option<&str>) -> Result<Tensor, String> {
    let Some(key) = key else { return table.tensor(None) };
    let (names, count) = (table.names(), table.types().len());
    let places = match place(&names, count, key) {
        Ok(at) => vec![at],
        Err(_) if key.contains(',') => {
            key.split(',').map(|name| place(&names, count, name)).collect::<Result<Vec<_>, _>>()?
        }
        Err(text) => return Err(text),
    };
    table.tensor(Some(&places))
}

/// The column of a name, or of a number that is no name.
fn place(names: &[&str], count: usize, name: &str) -> Result<usize, String> {
    let mut named = names.iter().enumerate().filter(|(_, n)| **n == name).map(|(at, _)| at);
    match (named.next(), named.next()) {
        (Some(at), None) => Ok(at),
        (Some(_), Some(_)) => Err(format!("has several columns '{name}'; give the number of one")),
        (None, _) => name.parse().ok().filter(|&at| at < count).ok_or_else(|| match names.is_empty() {
            true => format!("has no column '{name}'; it has {count}, without names, from 0"),
            false => format!("has no column '{name}'; it holds: {}", names.join(", ")),
        }),
    }
}

/// A column by its name in quotes, or by its place where it has none.
pub(crate) fn called(names: &[&str], at: usize) -> String {
    names.get(at).map_or_else(|| at.to_string(), |name| format!("'{name}'"))
}

/// The cells row by row.
fn interleaved<T>(columns: &[&Cells], rows: usize, at: impl Fn(&Cells, usize) -> T) -> Vec<T> {
    (0..rows)
        .flat_map(|row| columns.iter().map(move |column| (column, row)))
        .map(|(column, row)| at(column, row))
        .collect()
}

fn said(error: &csv::Error) -> String {
    match error.kind() {
        csv::ErrorKind::UnequalLengths { pos, expected_len, len } => {
            let line = pos.as_ref().map_or(0, csv::Position::line);
            format!("line {line} has {len} cells, the first has {expected_len}")
        }
        csv::ErrorKind::Utf8 { pos, .. } => {
            format!("line {} is not UTF-8 text", pos.as_ref().map_or(0, csv::Position::line))
        }
        _ => error.to_string(),
    }
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
        let values = elements(tensor).map_err(|e| e.to_string())?;
        if let Some(odd) = values.iter().find(|v| !matches!(v, Value::Bool(_) | Value::Int(_) | Value::Float(_))) {
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
        other => other.type_name().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(text: &str) -> Text {
        Text::read(text.as_bytes(), b',').unwrap()
    }

    #[test]
    fn columns_by_name_and_place() {
        let t = table("id, price ,sold\n1,2.5,True\n2,,False\n-3,4,true\n");
        assert_eq!(chosen(&t, Some("id")).unwrap().to_vec::<i64>().unwrap(), [1, 2, -3]);
        assert_eq!(chosen(&t, Some("2")).unwrap().to_vec::<bool>().unwrap(), [true, false, true]);
        let prices = chosen(&t, Some("price")).unwrap().to_vec::<f64>().unwrap();
        assert!(prices[0] == 2.5 && prices[1].is_nan() && prices[2] == 4.0);
        let two = chosen(&t, Some("price,id")).unwrap();
        assert_eq!((two.shape(), two.to_vec::<f64>().unwrap()[5]), (&[3, 2][..], -3.0));
        assert!(chosen(&t, None).unwrap_err().contains("truth values"));
        assert!(chosen(&t, Some("cost")).unwrap_err().contains("it holds: id, price, sold"));
    }

    #[test]
    fn tables_without_names() {
        assert_eq!(chosen(&table("1,2\n3,4\n"), None).unwrap().shape(), [2, 2]);
        assert_eq!(chosen(&table("5\n6\n"), None).unwrap().to_vec::<i64>().unwrap(), [5, 6]);
        assert_eq!(chosen(&table(""), None).unwrap().numel(), 0);
        assert!(chosen(&table("1,2\n"), Some("2")).unwrap_err().contains("from 0"));
    }

    #[test]
    fn what_is_no_table_of_numbers() {
        let t = table("a,b\n1,2\n3,x\n4,5\n");
        assert_eq!(
            chosen(&t, None).unwrap_err(),
            "line 3, column 'b': 'x' is no number; choose columns of numbers with '#name'"
        );
        assert_eq!(chosen(&t, Some("a")).unwrap().numel(), 3);
        assert!(chosen(&table("a\n9223372036854775808\n"), None).unwrap_err().contains("is no number"));
        assert!(chosen(&table("a,a\n1,2\n"), Some("a")).unwrap_err().contains("several"));
        assert!(Text::read(&b"1,2\n3\n"[..], b',').is_err_and(|e| e == "line 2 has 1 cells, the first has 2"));
        assert!(Text::read(&b"a\n\xff\n"[..], b',').is_err_and(|e| e == "line 2 is not UTF-8 text"));
    }

    #[test]
    fn what_is_written_reads_back() {
        let x = Tensor::from_vec(vec![0.1f32, -1e20, f32::NAN, 2.0], &[2, 2]).unwrap();
        let mut out = Vec::new();
        write(&mut out, &[(String::new(), x.clone())], b',').unwrap();
        assert_eq!(String::from_utf8(out.clone()).unwrap(), "0.1,-1e20\nnan,2.0\n");
        assert_eq!(chosen(&Text::read(&out[..], b',').unwrap(), None).unwrap().shape(), [2, 2]);
        let i = Tensor::from_vec(vec![1i64, 2], &[2]).unwrap();
        let mut out = Vec::new();
        write(&mut out, &[("a".into(), i.clone()), ("b".into(), i.clone())], b'\t').unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), "a\tb\n1\t1\n2\t2\n");
        assert!(write(Vec::new(), &[(String::new(), i), (String::new(), x)], b',').is_err());
    }
}
