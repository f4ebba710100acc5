//! A table in a file: what its columns are, and the arrays of those that are wanted.

use std::fs::File;
use std::io::{Read, Seek};
use std::path::Path;

use arrow_schema::{DataType, SchemaRef};
use takewise::{DType, Tensor};

use crate::columns::Gathering;
use crate::error::{Error, Result, guarded};
use crate::ipc::Push;
use crate::kind::{self, Kind};
use crate::{Format, ipc, join, pq};

/// A table in a file, of which nothing but what describes it has been read.
///
/// ```
/// # use takewise::Tensor;
/// # use takewise_arrow::{Format, Table, write};
/// # let dir = tempfile::tempdir()?;
/// # let path = dir.path().join("t.arrow");
/// # let (a, b) = (Tensor::from_vec(vec![1u8, 2], &[2])?, Tensor::from_vec(vec![0.5f32, 1.5], &[2])?);
/// # write(std::fs::File::create(&path)?, Format::Arrow, &[("a", &a), ("b", &b)], 2)?;
/// let table = Table::open(&path)?;
/// assert_eq!(table.format(), Format::Arrow);
/// let told: Vec<String> = table.columns().iter().map(|c| format!("{}: {}", c.name(), c.type_name())).collect();
/// assert_eq!(told, ["a: uint8", "b: float32"]);
/// assert_eq!(table.tensor(&[0, 1])?.to_vec::<f32>()?, [1.0, 0.5, 2.0, 1.5]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Table {
    source: Source,
    columns: Vec<Column>,
    rows: usize,
}

/// Where batches come from.
#[derive(Debug)]
enum Source {
    Parquet(pq::ParquetFile),
    Arrow(ipc::ArrowFile),
}

/// A column of a table.
#[derive(Debug, Clone)]
pub struct Column {
    name: String,
    shown: String,
    kind: Result<Kind>,
}

impl Column {
    fn of(name: &str, given: &DataType) -> Self {
        Self { name: name.to_owned(), shown: kind::name(given), kind: kind::kind(given) }
    }

    /// Its name in the file.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it holds: a dtype, one with extents if a row holds several numbers (`float32 [3]`), or another type of Arrow's.
    pub fn type_name(&self) -> &str {
        &self.shown
    }

    /// The dtype of its numbers; nothing if it holds no numbers.
    pub fn dtype(&self) -> Option<DType> {
        self.kind.as_ref().ok().and_then(|kind| kind.dtype)
    }

    /// Whether it can be read: it holds numbers, or what has a dtype of NumPy's.
    pub fn is_array(&self) -> bool {
        self.kind.is_ok()
    }
}

impl Table {
    /// Opens a file. Its content tells the format, whatever its name.
    ///
    /// # Errors
    /// A file that is not there, is none of these, is cut short or damaged.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        if path.is_dir() {
            return Err(Error::new("is a folder: give one of its files"));
        }
        let mut file = File::open(path)?;
        let mut start = Vec::new();
        Read::by_ref(&mut file).take(8).read_to_end(&mut start)?;
        file.rewind()?;
        let format = Format::of_content(&start).ok_or_else(|| Error::new("is no Parquet or Arrow file"))?;
        if start.starts_with(b"PARE") {
            return Err(Error::new("is encrypted"));
        }
        if start.starts_with(b"FEA1") {
            return Err(Error::new("is Feather of the first version, which pyarrow rewrites"));
        }
        guarded(|| {
            let (source, schema, rows) = match format {
                Format::Parquet => {
                    let (source, schema, rows) = pq::ParquetFile::open(file)?;
                    (Source::Parquet(source), schema, rows)
                }
                Format::Arrow | Format::ArrowStream => {
                    let (source, schema, rows) = ipc::ArrowFile::open(path, format)?;
                    (Source::Arrow(source), schema, rows)
                }
            };
            Ok(Self { source, columns: columns(&schema), rows })
        })
    }

    /// The format of the file.
    pub fn format(&self) -> Format {
        match &self.source {
            Source::Parquet(_) => Format::Parquet,
            Source::Arrow(source) => source.format(),
        }
    }

    /// The columns, in file order.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Columns by their places, in that order. One alone has one axis, or those of what stands in its rows too. Several have
    /// shape `[rows, columns]`, in the dtype that NumPy's `result_type` names. Texts have the width of the longest, `<U5` as NumPy
    /// has it.
    ///
    /// # Errors
    /// A column that holds neither numbers nor text, or of whose values some are missing; several of which some are truth values or
    /// text, or hold several numbers a row; texts of which the longest widens the others too much; an integer that the common dtype cannot hold; a file that is damaged.
    pub fn tensor(&self, chosen: &[usize]) -> Result<Tensor> {
        self.made(chosen, None)
    }

    /// Some rows of [`Table::tensor`]: they ascend, and none comes twice. What is wrong with others is not seen.
    ///
    /// Of a Parquet file the pages that hold them are decoded, and of an Arrow file that is not compressed those numbers alone are
    /// read.
    ///
    /// ```
    /// # use takewise::Tensor;
    /// # use takewise_arrow::{Format, Table, write};
    /// # let dir = tempfile::tempdir()?;
    /// # let path = dir.path().join("t.parquet");
    /// let x = Tensor::from_vec((0..100i64).collect(), &[100])?;
    /// write(std::fs::File::create(&path)?, Format::Parquet, &[("x", &x)], 100)?;
    /// assert_eq!(Table::open(&path)?.rows_of(&[0], &[7, 42])?.to_vec::<i64>()?, [7, 42]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`Table::tensor`]; rows that are not there, or out of order.
    pub fn rows_of(&self, chosen: &[usize], rows: &[usize]) -> Result<Tensor> {
        if !rows.is_sorted_by(|row, next| row < next) || rows.last().is_some_and(|last| *last >= self.rows) {
            return Err(Error::new(format!("has {} rows, and those that are read ascend", self.rows)));
        }
        self.made(chosen, Some(rows))
    }

    /// The dtype and the shape of [`Table::tensor`], of which nothing is read. Of text there is no dtype before it is read.
    ///
    /// # Errors
    /// As [`Table::tensor`], but for what is in the rows.
    pub fn outline(&self, chosen: &[usize]) -> Result<(Option<DType>, Vec<usize>)> {
        let kinds = self.kinds(chosen)?;
        if let [kind] = kinds[..] {
            return Ok((kind.dtype, std::iter::once(self.rows).chain(kind.inner.iter().copied()).collect()));
        }
        Ok((self.common(chosen, &kinds)?, vec![self.rows, chosen.len()]))
    }

    fn made(&self, chosen: &[usize], rows: Option<&[usize]>) -> Result<Tensor> {
        let kinds = self.kinds(chosen)?;
        if let [kind] = kinds[..] {
            let mut columns = self.read(chosen, &[kind], rows)?;
            return columns.pop().map(|(_, tensor)| tensor).ok_or_else(|| Error::new("has no such column"));
        }
        // What cannot meet is refused before it is read.
        self.common(chosen, &kinds)?;
        join::joined(&self.read(chosen, &kinds, rows)?, rows.map_or(self.rows, <[usize]>::len))
    }

    fn kinds(&self, chosen: &[usize]) -> Result<Vec<&Kind>> {
        chosen.iter().map(|&at| self.kind(at)).collect()
    }

    /// The dtype in which several columns meet; nothing if they are of text.
    fn common(&self, chosen: &[usize], kinds: &[&Kind]) -> Result<Option<DType>> {
        if let Some((&at, kind)) = chosen.iter().zip(kinds).find(|(_, kind)| !kind.inner.is_empty()) {
            let (name, shown) = (&self.columns[at].name, &kind.inner);
            return Err(Error::new(format!(
                "column '{name}' holds {shown:?} numbers a row: choose it alone with '#{name}'"
            )));
        }
        let dtypes: Vec<DType> = kinds.iter().filter_map(|kind| kind.dtype).collect();
        match kinds.len() - dtypes.len() {
            0 => join::common(&dtypes).map(Some),
            _ if dtypes.is_empty() => Ok(None),
            _ => Err(Error::new("has columns of text and of other values; choose one kind with '#name'")),
        }
    }

    fn kind(&self, at: usize) -> Result<&Kind> {
        let column = self.columns.get(at).ok_or_else(|| Error::new(format!("has no column {at}")))?;
        column.kind.as_ref().map_err(|e| Error::new(format!("column '{}' {e}", column.name)))
    }

    /// The chosen columns with their names, each read once: all rows, or those that are wanted.
    fn read(&self, chosen: &[usize], kinds: &[&Kind], wanted: Option<&[usize]>) -> Result<Vec<(String, Tensor)>> {
        let count = wanted.map_or(self.rows, <[usize]>::len);
        let mut places = chosen.to_vec();
        places.sort_unstable();
        places.dedup();
        let of = |at: usize, e: Error| Error::new(format!("column '{}' {e}", self.columns[at].name));
        let mut gathering = Vec::with_capacity(places.len());
        for &at in &places {
            let kind = chosen.iter().position(|&c| c == at).map(|k| kinds[k]);
            let kind = kind.ok_or_else(|| Error::new("has no such column"))?;
            gathering.push(Gathering::of(kind, count).map_err(|e| of(at, e))?);
        }
        guarded(|| {
            let mut push: Box<Push<'_>> = Box::new(|arrays, rows| {
                if arrays.len() != places.len() {
                    return Err(Error::new("cannot be decoded: a batch has other columns than the schema"));
                }
                let mut each = gathering.iter_mut().zip(arrays).zip(&places);
                each.try_for_each(|((column, array), &at)| column.push(array, rows).map_err(|e| of(at, e)))
            });
            match &self.source {
                Source::Parquet(source) => source.batches(&places, wanted, &mut push),
                Source::Arrow(source) => source.batches(&places, wanted, &mut push),
            }
        })?;
        let mut width = 0;
        if places.len() > 1 {
            for (column, &at) in gathering.iter().zip(&places) {
                width = width.max(column.width().map_err(|e| of(at, e))?);
            }
        }
        let finished = gathering.into_iter().zip(&places);
        let tensors = finished
            .map(|(column, &at)| column.finish(count, wanted, width).map_err(|e| of(at, e)))
            .collect::<Result<Vec<_>>>()?;
        let found = |at: &usize| places.binary_search(at).map_err(|_| Error::new("has no such column"));
        chosen.iter().map(|at| Ok((self.columns[*at].name.clone(), tensors[found(at)?].clone()))).collect()
    }
}

fn columns(schema: &SchemaRef) -> Vec<Column> {
    schema.fields().iter().map(|field| Column::of(field.name(), field.data_type())).collect()
}
