//! Values of a column, batch by batch, as one vector.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type,
    UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{
    Array, ArrayRef, ArrowPrimitiveType, BinaryViewArray, Int64Array, StringViewArray, UInt64Array, make_array,
};
use arrow_schema::DataType;
use takewise::{AnyView, DType, Element, Rules, Tensor, View, ops};
use takewise_files::texts_as_array;

use crate::error::{Error, Result};
use crate::kind::Kind;

/// A column under way.
pub(crate) struct Gathering {
    values: Box<dyn Values>,
    inner: Vec<usize>,
    rows: usize,
    /// In how many rows values are missing, and the first of them.
    missing: Option<(usize, usize)>,
    /// A dictionary of texts as it came, and as many rows can share it.
    dictionary: Option<[ArrayRef; 2]>,
}

impl Gathering {
    /// An empty one; `rows` is what the file promises.
    ///
    /// # Errors
    /// No memory for so many rows.
    pub(crate) fn of(kind: &Kind, rows: usize) -> Result<Self> {
        let width = kind.inner.iter().try_fold(1usize, |n, &d| n.checked_mul(d));
        let count = width.and_then(|width| width.checked_mul(rows));
        let count = count.ok_or_else(|| Error::new("has more values than memory can hold"))?;
        let Some(dtype) = kind.dtype else {
            return Ok(Self::new(Box::new(Texts(Vec::new())), Vec::new()));
        };
        let values: Box<dyn Values> = match dtype {
            DType::Bool => Box::new(Bools(room(count)?)),
            DType::I8 => numbers::<Int8Type>(count)?,
            DType::I16 => numbers::<Int16Type>(count)?,
            DType::I32 => numbers::<Int32Type>(count)?,
            DType::I64 => numbers::<Int64Type>(count)?,
            DType::U8 => numbers::<UInt8Type>(count)?,
            DType::U16 => numbers::<UInt16Type>(count)?,
            DType::U32 => numbers::<UInt32Type>(count)?,
            DType::U64 => numbers::<UInt64Type>(count)?,
            DType::F16 => numbers::<Float16Type>(count)?,
            DType::F32 => numbers::<Float32Type>(count)?,
            DType::F64 => numbers::<Float64Type>(count)?,
            other if is_time(other) => Box::new(Times(room(count)?, other)),
            other => Box::new(Bytes(room(count.saturating_mul(other.size()))?, other)),
        };
        Ok(Self::new(values, kind.inner.clone()))
    }

    fn new(values: Box<dyn Values>, inner: Vec<usize>) -> Self {
        Self { values, inner, rows: 0, missing: None, dictionary: None }
    }

    /// The rows of a batch, or some of them.
    ///
    /// # Errors
    /// An array of another type than the schema says.
    pub(crate) fn push(&mut self, array: &ArrayRef, rows: Option<&[usize]>) -> Result<()> {
        let Some(rows) = rows.filter(|rows| rows.len() < array.len()) else { return self.extend(array) };
        if let Some((leaf, each)) = plain(array)
            && self.values.pick(leaf, each, rows)?
        {
            self.rows += rows.len();
            return Ok(());
        }
        let rows = rows.iter().map(|row| *row as u64);
        self.extend(&arrow_select::take::take(array.as_ref(), &UInt64Array::from_iter_values(rows), None)?)
    }

    fn extend(&mut self, array: &ArrayRef) -> Result<()> {
        let rows = array.len();
        let mut array = array.clone();
        let mut each = 1usize; // values to a row
        let mut missing = Vec::new();
        loop {
            array = match array.data_type() {
                // What it leaves out is left out of what is made of it.
                DataType::Dictionary(..) => {
                    let dictionary = array.as_any_dictionary();
                    arrow_select::take::take(self.shared(dictionary.values()).as_ref(), dictionary.keys(), None)?
                }
                DataType::FixedSizeList(..) => {
                    mark(&mut missing, array.as_ref(), rows, each);
                    let list = array.as_fixed_size_list();
                    each = each.saturating_mul(usize::try_from(list.value_length()).unwrap_or(0));
                    list.values().clone()
                }
                _ => break,
            };
        }
        if rows.checked_mul(each) != Some(array.len()) {
            return Err(Error::new(format!("has {} values in {rows} rows of {each}", array.len())));
        }
        if !array.data_type().is_temporal() {
            // Of dates, what is missing is NaT.
            mark(&mut missing, array.as_ref(), rows, each);
        }
        let count = missing.iter().filter(|gone| **gone).count();
        if let Some(first) = missing.iter().position(|gone| *gone) {
            let before = self.missing.unwrap_or((0, self.rows + first));
            self.missing = Some((before.0 + count, before.1));
        }
        self.values.push(array.as_ref())?;
        self.rows += rows;
        Ok(())
    }

    /// The values of a dictionary: texts as views, of which rows take no copies. Those of a file are seen with each of its batches.
    fn shared(&mut self, values: &ArrayRef) -> ArrayRef {
        if let Some([before, views]) = &self.dictionary
            && before.to_data().ptr_eq(&values.to_data())
        {
            return views.clone();
        }
        let Some(views) = views(values.as_ref()) else { return values.clone() };
        let views: ArrayRef = Arc::new(views);
        self.dictionary = Some([values.clone(), views.clone()]);
        views
    }

    /// The column as a tensor: an axis for its rows, and those of what stands in a row. Texts are at least `width` characters wide.
    ///
    /// # Errors
    /// Values that are missing; other rows than were promised. `wanted` says which rows they are, if not all.
    pub(crate) fn finish(self, rows: usize, wanted: Option<&[usize]>, width: usize) -> Result<Tensor> {
        if let Some((count, row)) = self.missing {
            let row = wanted.and_then(|wanted| wanted.get(row).copied()).unwrap_or(row);
            let rows = if count == 1 { "1 row" } else { &format!("{count} rows") };
            return Err(Error::new(format!(
                "has nulls in {rows}, the first is row {row}: fill them before the file is written (`fill_null` in polars and pyarrow), \
                 or leave those rows out"
            )));
        }
        if self.rows != rows {
            return Err(Error::new(format!("has {} rows where the file says {rows}", self.rows)));
        }
        let shape: Vec<usize> = std::iter::once(rows).chain(self.inner).collect();
        self.values.finish(&shape, width)
    }

    /// Characters of the longest text, if it holds texts.
    ///
    /// # Errors
    /// Texts that do not fit into memory so wide.
    pub(crate) fn width(&self) -> Result<usize> {
        self.values.width()
    }
}

/// Marks the rows in which an array of several values a row has nulls; no rows are there until one has.
fn mark(missing: &mut Vec<bool>, array: &dyn Array, rows: usize, each: usize) {
    let Some(nulls) = array.nulls().filter(|nulls| nulls.null_count() > 0) else { return };
    missing.resize(rows, false);
    for k in (0..nulls.len()).filter(|&k| nulls.is_null(k)) {
        if let Some(gone) = missing.get_mut(k / each.max(1)) {
            *gone = true;
        }
    }
}

/// The numbers of an array without nulls, and how many are in a row; nothing if they are not stored one behind the other.
fn plain(array: &ArrayRef) -> Option<(&dyn Array, usize)> {
    let (mut leaf, mut each) = (array.as_ref(), 1usize);
    while let Some(list) = leaf.as_fixed_size_list_opt() {
        if list.null_count() > 0 {
            return None;
        }
        each = each.checked_mul(usize::try_from(list.value_length()).ok()?)?;
        leaf = list.values().as_ref();
    }
    (leaf.null_count() == 0 && array.len().checked_mul(each) == Some(leaf.len())).then_some((leaf, each))
}

/// The vector of a column, whatever its dtype.
trait Values {
    fn push(&mut self, array: &dyn Array) -> Result<()>;
    /// Some rows of so many values; whether it was done. The engine asks for what is not in memory yet, many pages at a time.
    fn pick(&mut self, array: &dyn Array, each: usize, rows: &[usize]) -> Result<bool>;
    fn finish(self: Box<Self>, shape: &[usize], width: usize) -> Result<Tensor>;
    fn width(&self) -> Result<usize> {
        Ok(0)
    }
}

struct Bools(Vec<bool>);

struct Numbers<P: ArrowPrimitiveType>(Vec<P::Native>);

fn numbers<P: ArrowPrimitiveType<Native: Element>>(count: usize) -> Result<Box<dyn Values>> {
    Ok(Box::new(Numbers::<P>(room(count)?)))
}

/// A vector with room for what a file promises, unless there is none.
fn room<T>(count: usize) -> Result<Vec<T>> {
    let mut data = Vec::new();
    data.try_reserve_exact(count).map_err(|_| Error::new(format!("has {count} values, more than memory can hold")))?;
    Ok(data)
}

impl Values for Bools {
    fn push(&mut self, array: &dyn Array) -> Result<()> {
        let array = array.as_boolean_opt().ok_or_else(|| other(array))?;
        self.0.extend(array.values());
        Ok(())
    }

    fn pick(&mut self, _: &dyn Array, _: usize, _: &[usize]) -> Result<bool> {
        Ok(false) // eight of them are a byte
    }

    fn finish(self: Box<Self>, shape: &[usize], _: usize) -> Result<Tensor> {
        Ok(Tensor::from_vec(self.0, shape)?)
    }
}

impl<P: ArrowPrimitiveType<Native: Element>> Values for Numbers<P> {
    fn push(&mut self, array: &dyn Array) -> Result<()> {
        let array = array.as_primitive_opt::<P>().ok_or_else(|| other(array))?;
        self.0.extend_from_slice(array.values());
        Ok(())
    }

    fn pick(&mut self, array: &dyn Array, each: usize, rows: &[usize]) -> Result<bool> {
        let Some(array) = array.as_primitive_opt::<P>().filter(|_| each > 0) else { return Ok(false) };
        let table = View::new(&array.values()[..], &[array.len() / each, each])?;
        let rows: Vec<i64> = rows.iter().map(|row| *row as i64).collect();
        let picked = ops::index_select(table.any(), 0, View::new(&rows, &[rows.len()])?.any(), &Rules::NEUTRAL)?;
        self.0.extend(picked.to_vec::<P::Native>()?);
        Ok(true)
    }

    fn finish(self: Box<Self>, shape: &[usize], _: usize) -> Result<Tensor> {
        Ok(Tensor::from_vec(self.0, shape)?)
    }
}

/// Whether these are dates or spans of time, which NumPy counts in 64 bits.
pub(crate) fn is_time(dtype: DType) -> bool {
    dtype.name().starts_with("datetime64") || dtype.name().starts_with("timedelta64")
}

/// Dates or spans of time, as numbers of their unit. The least number is NaT.
struct Times(Vec<i64>, DType);

impl Times {
    /// The numbers of an array that has 64 bits for each.
    fn counted(array: &dyn Array) -> Result<Int64Array> {
        let as_numbers = array.to_data().into_builder().data_type(DataType::Int64).build()?;
        make_array(as_numbers).as_primitive_opt::<Int64Type>().cloned().ok_or_else(|| other(array))
    }
}

impl Values for Times {
    fn push(&mut self, array: &dyn Array) -> Result<()> {
        let counted = match array.as_primitive_opt::<Date32Type>() {
            Some(days) => days.unary::<_, Int64Type>(i64::from),
            None => Self::counted(array)?,
        };
        self.0.extend(counted.iter().map(|value| value.unwrap_or(i64::MIN)));
        Ok(())
    }

    fn pick(&mut self, array: &dyn Array, each: usize, rows: &[usize]) -> Result<bool> {
        if *array.data_type() == DataType::Date32 {
            return Ok(false); // these have half the bits
        }
        let mut numbers = Numbers::<Int64Type>(std::mem::take(&mut self.0));
        let picked = numbers.pick(&Self::counted(array)?, each, rows);
        self.0 = numbers.0;
        picked
    }

    fn finish(self: Box<Self>, shape: &[usize], _: usize) -> Result<Tensor> {
        Ok(Tensor::from_vec(self.0, shape)?.reinterpret(self.1)?)
    }
}

/// Elements of so many bytes.
struct Bytes(Vec<u8>, DType);

impl Values for Bytes {
    fn push(&mut self, array: &dyn Array) -> Result<()> {
        let array = array.as_fixed_size_binary_opt().ok_or_else(|| other(array))?;
        (0..array.len()).for_each(|row| self.0.extend_from_slice(array.value(row)));
        Ok(())
    }

    fn pick(&mut self, _: &dyn Array, _: usize, _: &[usize]) -> Result<bool> {
        Ok(false)
    }

    fn finish(self: Box<Self>, shape: &[usize], _: usize) -> Result<Tensor> {
        Ok(ops::index(AnyView::of_elements(&self.0, self.1, shape)?, &[], &Rules::NEUTRAL)?)
    }
}

/// Texts as they were decoded, in UTF-8 or not. What the file says of their number takes no memory.
struct Texts(Vec<BinaryViewArray>);

impl Texts {
    fn array(&self, shape: &[usize], width: usize) -> Result<Tensor> {
        let texts = self.0.iter().flat_map(|part| (0..part.len()).map(move |row| part.value(row)));
        // What several share is held once.
        let buffers = self.0.iter().flat_map(|part| part.data_buffers().iter().chain([part.views().inner()]));
        let held: BTreeMap<_, _> = buffers.map(|buffer| (buffer.as_ptr(), buffer.len())).collect();
        texts_as_array(texts, width, held.values().sum(), shape).map_err(Error::new)
    }
}

impl Values for Texts {
    fn push(&mut self, array: &dyn Array) -> Result<()> {
        self.0.push(views(array).ok_or_else(|| other(array))?.to_binary_view());
        Ok(())
    }

    fn pick(&mut self, _: &dyn Array, _: usize, _: &[usize]) -> Result<bool> {
        Ok(false)
    }

    fn finish(self: Box<Self>, shape: &[usize], width: usize) -> Result<Tensor> {
        self.array(shape, width)
    }

    fn width(&self) -> Result<usize> {
        let rows = self.0.iter().map(Array::len).sum();
        Ok(self.array(&[rows], 0)?.dtype().size() / 4)
    }
}

/// Texts where they lie, if these are texts.
fn views(array: &dyn Array) -> Option<StringViewArray> {
    let short = array.as_string_opt::<i32>().map(StringViewArray::from);
    let long = || array.as_string_opt::<i64>().map(StringViewArray::from);
    short.or_else(long).or_else(|| array.as_string_view_opt().cloned())
}

fn other(array: &dyn Array) -> Error {
    Error::new(format!("holds {} where the schema says otherwise", array.data_type()))
}
