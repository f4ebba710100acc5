//! Tables of text as they are read: what stands between cells, which lines are comments, and whether the first one holds names.

mod blanks;
mod cells;
mod dates;
mod gzip;
mod texts;

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::str::FromStr;

use csv::{ReaderBuilder, StringRecord};
use takewise::{DType, Error, Tensor};

use crate::columns::{column_called, columns_named};
use crate::words::words;
use cells::{Cells, Met, is_name, is_value};
pub use dates::dates_as_text;
pub use gzip::is_gzip;
use texts::Texts;
pub use texts::texts_as_array;

/// How to read a table of text: what the table cannot tell by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TextSpec {
    /// Whether the first line holds names. Otherwise it does where each of its cells can only be a name.
    pub header: Option<bool>,
    /// What stands between cells. Otherwise the end of the file's name tells, or the first line.
    pub delimiter: Option<Mark>,
    /// Cells that are empty, NA, N/A, null or None hold no value: NaN, or NaT among dates. Otherwise they are errors.
    pub missing: bool,
}

/// What stands between cells.
///
/// ```
/// use takewise_files::Mark;
/// assert_eq!((";".parse(), "tab".parse(), "blanks".parse()), (Ok(Mark::Byte(b';')), Ok(Mark::Byte(b'\t')), Ok(Mark::Blanks)));
/// assert!("and".parse::<Mark>().is_err());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// One character.
    Byte(u8),
    /// Blanks and tabs, as many as there are.
    Blanks,
}

impl FromStr for Mark {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.as_bytes() {
            b"tab" | b"\\t" => Ok(Self::Byte(b'\t')),
            b"blanks" | b"blank" | b"space" | b" " => Ok(Self::Blanks),
            [b] if b.is_ascii_punctuation() && !matches!(b, b'"' | b'#' | b'.' | b'-' | b'+') || *b == b'\t' => {
                Ok(Self::Byte(*b))
            }
            _ => Err("one character such as , ; | :, or tab, or blanks".into()),
        }
    }
}

/// A table of text: its columns, each with a name where the first line gives some. It is read whole, and once: text has no index of
/// its rows.
///
/// Columns of integers are `int64`, or `uint64` where one needs that. Others are `float64`. Truth values are `bool`, and dates
/// `datetime64` in the finest unit of their column. No number is rounded. Words are text of the width of the longest, `<U5` as NumPy
/// has it. Blanks around a cell do not count.
///
/// ```
/// use takewise_files::{TextSpec, TextTable};
/// let table = TextTable::read(&b"id,price\n3,0.5\n1,2.5\n"[..], &TextSpec::default())?;
/// assert_eq!((table.names(), table.types(), table.rows()), (vec!["id", "price"], vec!["int64", "float64"], 2));
/// assert_eq!(table.tensor(Some(&[1]))?.to_vec::<f64>().unwrap(), [0.5, 2.5]);
/// assert_eq!(table.tensor(None)?.shape(), [2, 2]);
/// # Ok::<(), String>(())
/// ```
pub struct TextTable {
    names: Vec<String>,
    columns: Vec<Cells>,
    rows: usize,
    /// The first line, where nobody said that it holds names.
    unsure: Option<u64>,
}

/// The ends of names that mean a table of text, and what stands between its cells where the end tells.
const ENDS: [(&str, Option<Mark>); 3] =
    [("csv", None), ("tsv", Some(Mark::Byte(b'\t'))), ("tab", Some(Mark::Byte(b'\t')))];

/// What the end of a name means, that of `prices.csv.gz` too.
fn end(path: &Path) -> Option<(&'static str, Option<Mark>)> {
    let packed = path.extension().is_some_and(|end| end.eq_ignore_ascii_case("gz"));
    let path = if packed { Path::new(path.file_stem()?) } else { path };
    let end = path.extension()?.to_str()?;
    ENDS.into_iter().find(|(known, _)| end.eq_ignore_ascii_case(known))
}

/// What follows the name of a column that holds text, whatever its cells are.
const AS_TEXT: &str = ":text";

impl TextTable {
    /// Whether the end of a name means a table of text.
    pub fn is_named(path: &Path) -> bool {
        end(path).is_some()
    }

    /// Reads the table of a file, which may be compressed by gzip.
    ///
    /// # Errors
    /// As [`read`](Self::read), without the name of the file.
    pub fn open(path: &Path, how: &TextSpec) -> Result<Self, String> {
        Self::open_as(path, how, None)
    }

    /// [`open`](Self::open), and the columns that `key` names, by [`columns_named`]; without a key all of them. The cells of
    /// columns `name:text` are text, whatever they hold: `007` stays as it is.
    ///
    /// # Errors
    /// As [`open`](Self::open) and [`tensor`](Self::tensor), and for a column that is not there.
    pub fn open_columns(path: &Path, how: &TextSpec, key: Option<&str>) -> Result<(Self, Tensor), String> {
        let text = key.and_then(|key| key.strip_suffix(AS_TEXT));
        let table = Self::open_as(path, how, text)?;
        let places = text.or(key).map(|key| columns_named(&table.names(), table.columns.len(), key)).transpose()?;
        let tensor = table.tensor(places.as_deref())?;
        Ok((table, tensor))
    }

    fn open_as(path: &Path, how: &TextSpec, text: Option<&str>) -> Result<Self, String> {
        let file = File::open(path).map_err(|e| match e.kind() {
            std::io::ErrorKind::NotFound => "no such file".to_owned(),
            _ => e.to_string(),
        })?;
        let delimiter = how.delimiter.or(end(path).and_then(|(_, mark)| mark));
        let file = gzip::unpacked(BufReader::with_capacity(1 << 16, file)).map_err(|e| e.to_string())?;
        Self::read_as(file, &TextSpec { delimiter, ..*how }, text)
    }

    /// Reads a table. The first line gives names if each of its cells is a name and a column below holds values, or if that is said.
    ///
    /// # Errors
    /// Lines of different lengths, a first line of names and values, bytes that are not UTF-8, a file that cannot be read.
    pub fn read(input: impl BufRead, how: &TextSpec) -> Result<Self, String> {
        Self::read_as(input, how, None)
    }

    fn read_as(mut input: impl BufRead, how: &TextSpec, text: Option<&str>) -> Result<Self, String> {
        let mark = match how.delimiter {
            Some(mark) => mark,
            None => told(input.fill_buf().map_err(|e| e.to_string())?),
        };
        let mut table = Self { names: Vec::new(), columns: Vec::new(), rows: 0, unsure: None };
        let mut first = true;
        records(input, mark, |record, line| {
            if std::mem::take(&mut first) {
                table.columns.extend(record.iter().map(|_| Cells::None(0)));
                let named = how.names(record, line)?;
                if named {
                    let name = |text: &str| text.trim().trim_start_matches('#').trim_start().to_owned();
                    table.names = record.iter().map(name).collect();
                }
                let places = text.map(|key| columns_named(&table.names(), table.columns.len(), key)).transpose()?;
                for &at in places.iter().flatten() {
                    table.columns[at] = Cells::Any(Texts::empty(0));
                }
                // Who names a column by what stands there has said that these are names.
                let said = |key: &str| key.split(',').any(|part| table.names.iter().any(|name| name == part));
                if named && how.header.is_none() && !text.is_some_and(said) {
                    table.unsure = Some(line);
                }
                if named {
                    return Ok(());
                }
            }
            if table.rows == 0 && record.len() == table.names.len() + 1 && !table.names.is_empty() {
                // R leaves away the name of the column of row names.
                table.names.insert(0, String::new());
                table.columns.insert(0, Cells::None(0));
            }
            if record.len() != table.columns.len() {
                return Err(format!("line {line} has {} cells, the first has {}", record.len(), table.columns.len()));
            }
            table.rows += 1;
            for (column, text) in table.columns.iter_mut().zip(record) {
                let before = std::mem::replace(column, Cells::None(0));
                *column = before.push(text, line, how.missing);
            }
            Ok(())
        })?;
        Ok(table)
    }

    /// The names of its columns; none if they have no names.
    pub fn names(&self) -> Vec<&str> {
        self.names.iter().map(String::as_str).collect()
    }

    /// What each column holds: a dtype, or `text`.
    pub fn types(&self) -> Vec<&str> {
        self.columns.iter().map(Cells::dtype).collect()
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Columns by their places; without places all of them. One alone has the axis of rows, several have an axis more.
    ///
    /// # Errors
    /// Columns that hold no numbers, with the line and the column of the first cell; columns that do not meet in one dtype.
    pub fn tensor(&self, places: Option<&[usize]>) -> Result<Tensor, String> {
        let all: Vec<usize> = (0..self.columns.len()).collect();
        let places = places.unwrap_or(&all);
        let place = |at: usize| match self.names.is_empty() {
            true => format!("cell {}", at + 1),
            false => format!("column {}", column_called(&self.names(), at)),
        };
        let mut met = None;
        for &at in places {
            if let Some(wrong) = self.columns[at].wrong() {
                let mut text = format!("line {}, {}: {}", wrong.line, place(at), wrong.text);
                match places {
                    [_] if wrong.is_text => text += &format!("; '#name{AS_TEXT}' reads a column as text"),
                    [_] => {}
                    _ => text += "; choose columns of numbers with '#name'",
                }
                return Err(text);
            }
            met = Some(self.columns[at].met(met)?);
        }
        if let Some(line) = self.unsure
            && self.rows > 0
            && !self.columns.iter().any(Cells::has_values)
        {
            let (header, none) = (words().header, words().no_header);
            return Err(format!(
                "line {line} may hold names or text, as no column below it holds values: {header} takes it for names, {none} for text"
            ));
        }
        let shape: &[usize] = if let [_] = places { &[self.rows] } else { &[self.rows, places.len()] };
        let failed = |e: Error| e.to_string();
        let Some(met) = met else { return Tensor::from_vec(Vec::<f64>::new(), shape).map_err(failed) };
        if met == Met::Text {
            let texts: Vec<&Texts> = places.iter().filter_map(|&at| self.columns[at].texts()).collect();
            return texts::tensor(&texts, self.rows, shape);
        }
        let dtype = met.dtype().ok_or("elements of 8 bytes are too large")?;
        let mut bits = Vec::with_capacity(self.rows * places.len());
        for row in 0..self.rows {
            for &at in places {
                let found = self.columns[at].bits(row, met).ok_or_else(|| {
                    format!(
                        "row {row}, {}: the value does not fit into {}, in which the columns meet; choose one with '#name'",
                        place(at),
                        dtype.name()
                    )
                })?;
                bits.push(found);
            }
        }
        if dtype == DType::Bool {
            return Tensor::from_vec(bits.into_iter().map(|b| b != 0).collect(), shape).map_err(failed);
        }
        Tensor::from_vec(bits, shape).and_then(|all| all.reinterpret(dtype)).map_err(failed)
    }
}

impl TextSpec {
    /// Whether the first line holds names.
    ///
    /// # Errors
    /// A line that may be either.
    fn names(&self, record: &StringRecord, line: u64) -> Result<bool, String> {
        if let Some(header) = self.header {
            return Ok(header);
        }
        let found = record.iter().enumerate().find_map(|(at, text)| Some((at, is_value(text, self.missing).err()?)));
        let Some((at, why)) = found else { return Ok(false) };
        if record.iter().all(is_name) {
            return Ok(true);
        }
        Err(format!(
            "line {line}, cell {}: {why}. Not each cell of the first line is a name either: {} takes it for names, {} for values",
            at + 1,
            words().header,
            words().no_header
        ))
    }
}

/// Gives each line of cells to `each`, with its number.
fn records(
    input: impl BufRead,
    mark: Mark,
    mut each: impl FnMut(&StringRecord, u64) -> Result<(), String>,
) -> Result<(), String> {
    let mut record = StringRecord::new();
    let mut lines = Lines { input, line: Vec::new(), at: 0, begun: false };
    match mark {
        Mark::Byte(mark) => {
            let mut reader = ReaderBuilder::new().has_headers(false).flexible(true).delimiter(mark).from_reader(lines);
            while reader.read_record(&mut record).map_err(|e| said(&e))? {
                each(&record, record.position().map_or(0, csv::Position::line))?;
            }
        }
        Mark::Blanks => {
            for number in 1.. {
                if !lines.next().map_err(|e| e.to_string())? {
                    break;
                }
                let line = std::str::from_utf8(&lines.line).map_err(|_| format!("line {number} is not UTF-8 text"))?;
                record.clear();
                blanks::cells(line).for_each(|text| record.push_field(&text));
                if !record.is_empty() {
                    each(&record, number)?;
                }
            }
        }
    }
    Ok(())
}

/// Lines of a text, those that are comments empty.
struct Lines<R> {
    input: R,
    line: Vec<u8>,
    at: usize,
    begun: bool,
}

impl<R: BufRead> Lines<R> {
    fn next(&mut self) -> std::io::Result<bool> {
        self.at = 0;
        self.line.clear();
        self.input.read_until(b'\n', &mut self.line)?;
        if !std::mem::replace(&mut self.begun, true) && self.line.starts_with(BOM) {
            self.line.drain(..BOM.len());
        }
        if is_comment(&self.line) {
            self.line.clear();
            self.line.push(b'\n');
        }
        Ok(!self.line.is_empty())
    }
}

impl<R: BufRead> Read for Lines<R> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        if self.at == self.line.len() && !self.next()? {
            return Ok(0);
        }
        let count = into.len().min(self.line.len() - self.at);
        into[..count].copy_from_slice(&self.line[self.at..][..count]);
        self.at += count;
        Ok(count)
    }
}

/// What some programs write before a text in UTF-8.
const BOM: &[u8] = "\u{feff}".as_bytes();

/// Whether a line is a comment: `#` and a blank, nothing, or more such marks. `#fff` is a cell.
fn is_comment(line: &[u8]) -> bool {
    let line = line.trim_ascii_start();
    line.first() == Some(&b'#') && line.get(1).is_none_or(|b| b.is_ascii_whitespace() || matches!(b, b'#' | b'!'))
}

/// What stands between the cells of a text, by its first lines: what of a tab, a comma and a semicolon comes in the first one, else
/// blanks, if they part the second line into as many cells.
fn told(start: &[u8]) -> Mark {
    let start = String::from_utf8_lossy(start.strip_prefix(BOM).unwrap_or(start));
    let mut lines = start.lines().filter(|line| !line.trim().is_empty() && !is_comment(line.as_bytes()));
    let first = lines.next().unwrap_or_default();
    let mut open = false;
    let outside: Vec<char> = first
        .chars()
        .filter(|c| {
            open ^= *c == '"';
            !open
        })
        .collect();
    if let Some(mark) = ['\t', ',', ';'].into_iter().find(|mark| outside.contains(mark)) {
        return Mark::Byte(mark as u8);
    }
    let count = |line: &str| blanks::cells(line).count();
    // `2020-01-01 12:00` is one cell.
    let parted = count(first) > 1 && is_value(first, false).is_err();
    // In R's tables the first line has a cell less.
    let alike = |line: &str| [count(first), count(first) + 1].contains(&count(line)) && is_value(line, false).is_err();
    match parted && lines.next().is_none_or(alike) {
        true => Mark::Blanks,
        false => Mark::Byte(b','),
    }
}

fn said(error: &csv::Error) -> String {
    match error.kind() {
        csv::ErrorKind::Utf8 { pos, .. } => {
            format!("line {} is not UTF-8 text", pos.as_ref().map_or(0, csv::Position::line))
        }
        _ => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, how: &TextSpec) -> Result<TextTable, String> {
        TextTable::read(text.as_bytes(), how)
    }

    fn chosen(table: &TextTable, key: Option<&str>) -> Result<Tensor, String> {
        let places = key.map(|key| columns_named(&table.names(), table.types().len(), key)).transpose()?;
        table.tensor(places.as_deref())
    }

    fn table(text: &str) -> TextTable {
        read(text, &TextSpec::default()).unwrap()
    }

    fn refused(text: &str) -> String {
        let table = read(text, &TextSpec::default());
        table.and_then(|table| chosen(&table, None).map(|_| ())).unwrap_err()
    }

    const MISSING: TextSpec = TextSpec { header: None, delimiter: None, missing: true };

    #[test]
    fn columns_by_name_and_place() {
        let t = read("id, price ,sold\n1,2.5,True\n2,,False\n-3,4,true\n", &MISSING).unwrap();
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

    /// Whatever is odd in the first line, it is neither dropped nor taken for names.
    #[test]
    fn a_first_line_that_may_be_either_is_refused() {
        for odd in
            ["NA", "", "\"1,000\"", "18446744073709551616", "1e400", "1.2.3", "12kg", "x", "-", "None", "$5", "2020"]
        {
            for text in [format!("a,{odd}\n3,4\n"), format!("1,{odd},b\n3,4,5\n")] {
                let odd_one = if text.starts_with('a') { "line 1, cell 1" } else { "line 1, cell" };
                let said = read(&text, &TextSpec::default()).err().unwrap_or_default();
                assert!(
                    (said.starts_with(odd_one) && said.contains("header: Some(false)")) || text == "a,x\n3,4\n",
                    "{text}: {said}"
                );
            }
        }
        let names = TextSpec { header: Some(true), ..TextSpec::default() };
        assert_eq!(read("id,2020\n3,4\n", &names).unwrap().names(), ["id", "2020"]);
        let none = TextSpec { header: Some(false), ..TextSpec::default() };
        let t = read("x,1\ny,2\n", &none).unwrap();
        assert_eq!(chosen(&t, Some("1")).unwrap().to_vec::<i64>().unwrap(), [1, 2]);
        assert_eq!(chosen(&t, Some("0")).unwrap().dtype().size(), 4);
        assert!(
            chosen(&read("a,b\nx,y\n", &TextSpec::default()).unwrap(), None).unwrap_err().starts_with("line 1 may")
        );
        assert_eq!(chosen(&read("1,NA\n3,4\n", &MISSING).unwrap(), None).unwrap().shape(), [2, 2]);
    }

    #[test]
    fn no_number_is_rounded() {
        let t = chosen(&table("18446744073709551615,1\n5,2\n"), None).unwrap();
        assert_eq!(t.to_vec::<u64>().unwrap(), [u64::MAX, 1, 5, 2]);
        assert!(refused("a\n18446744073709551615\n-1\n").starts_with("line 3, column 'a': '-1' is negative"));
        assert!(refused("a\n-1\n18446744073709551615\n").contains("number above it is negative"));
        assert!(refused("a\n9007199254740993\n0.5\n").contains("do not fit"));
        assert!(refused("a\n0.5\n9007199254740993\n").contains("does not fit into float64"));
        assert!(refused("a,b\n0.5,9007199254740993\n").contains("the value does not fit into float64"));
        assert!(refused("a\n1e400\n").contains("does not fit into 64 bits"));
        assert!(refused("a\n1\n\"\"\n").contains("the cell is empty; missing: true reads it as no value"));
    }

    #[test]
    fn what_stands_between_cells() {
        for text in [
            "1;2\n3;4\n",
            "1 2\n3   4\n",
            " 1\t2\n3\t4",
            "# by hand\n1,2\n# more, \"of it\n3,4\n",
            "a b\n1 2\n3 4\n",
            "#a,b\n1,2\n3,4",
        ] {
            assert_eq!(chosen(&table(text), None).unwrap().to_vec::<i64>().unwrap(), [1, 2, 3, 4], "{text}");
        }
        assert_eq!(table("#a,b\n1,2\n").names(), ["a", "b"]);
        assert!(refused("1,5;2,5\n").contains("'5;2' is no number"));
        // A cell that begins with the mark of comments is a cell.
        assert_eq!(chosen(&table("color,n\n#fff,1\n#000,2\n"), Some("n")).unwrap().numel(), 2);
        assert_eq!(refused("1,2\n3\n"), "line 2 has 1 cells, the first has 2");
        assert_eq!(refused("1 2\n3 x\n"), "line 2, cell 2: 'x' is no number; choose columns of numbers with '#name'");
        assert!(
            TextTable::read(&b"a\n\xff\n"[..], &TextSpec::default()).is_err_and(|e| e == "line 2 is not UTF-8 text")
        );
        assert!(refused("a,a\n1,2\n3,x\n").contains("line 3"));
        assert!(chosen(&table("a,a\n1,2\n"), Some("a")).unwrap_err().contains("several"));
    }

    #[test]
    fn dates_are_read_and_written() {
        let written = "2020-01-01\n2021-02-03T10:00:00\nNaT\n";
        let t = chosen(&read(written, &MISSING).unwrap(), None).unwrap();
        assert_eq!((t.dtype().name(), t.shape()), ("datetime64[s]", &[3][..]));
        let texts = dates_as_text(&t).unwrap().unwrap();
        assert_eq!(texts, ["2020-01-01T00:00:00", "2021-02-03T10:00:00", "NaT"]);
        assert!(refused("t\n2020-01-01\n5\n").contains("'5' is no date"));
        assert!(refused("t,x\n2020-01-01,5\n").contains("columns of dates"));
    }
}
