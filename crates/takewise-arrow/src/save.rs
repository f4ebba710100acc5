//! Tensors as the columns of a file.

use std::io::Write;
use std::sync::Arc;

use arrow_array::types::{
    Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{
    Array, ArrayRef, ArrowPrimitiveType, BooleanArray, Date32Array, FixedSizeBinaryArray, Int64Array, PrimitiveArray,
    RecordBatch, RecordBatchOptions, make_array,
};
use arrow_buffer::{BooleanBuffer, Buffer, ScalarBuffer};
use arrow_ipc::writer::{FileWriter, StreamWriter};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;
use takewise::ops::copy_into;
use takewise::{AnyViewMut, DType, Element, Tensor};

use crate::Format;
use crate::columns::is_time;
use crate::error::{Error, Result};
use crate::kind;

/// Writes columns: tensors of one axis and of `rows` elements each. Parquet is compressed with Snappy, as its other writers do by
/// default; Arrow is not, so that it can be mapped. NaT becomes null, and nothing else does.
///
/// ```
/// # use takewise::Tensor;
/// # use takewise_arrow::{Format, Table, write};
/// # let dir = tempfile::tempdir()?;
/// # let path = dir.path().join("t.parquet");
/// let x = Tensor::from_vec(vec![1i8, -1, 0], &[3])?;
/// write(std::fs::File::create(&path)?, Format::Parquet, &[("x", &x)], 3)?;
/// assert_eq!(Table::open(&path)?.tensor(&[0])?.to_vec::<i8>()?, [1, -1, 0]);
/// // A dtype that such files do not have is refused before anything is written.
/// let z = x.to(takewise::DType::C64)?;
/// assert!(write(std::io::sink(), Format::Arrow, &[("z", &z)], 3).unwrap_err().to_string().contains("complex64"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// A dtype that these formats do not have: complex numbers, bfloat16, text, records, dates in other units than days and seconds and
/// parts of those; days beyond 32 bits. Columns of other shapes. An output that cannot be
/// written.
pub fn write(out: impl Write + Send, format: Format, columns: &[(&str, &Tensor)], rows: usize) -> Result<()> {
    if columns.is_empty() && rows > 0 && format == Format::Parquet {
        return Err(Error::new(format!(
            "cannot be written: a Parquet file without columns has no rows, and this has {rows}"
        )));
    }
    let (mut fields, mut arrays) = (Vec::with_capacity(columns.len()), Vec::with_capacity(columns.len()));
    for (name, tensor) in columns {
        if tensor.shape() != [rows] {
            return Err(Error::new(format!("column '{name}' has shape {:?}, not [{rows}]", tensor.shape())));
        }
        let dtype = tensor.dtype();
        let of = kind::arrow(dtype).ok_or_else(|| {
            let cure = match dtype {
                DType::BF16 => "convert it to float32",
                DType::C64 | DType::C128 => "write its real and imaginary parts as columns",
                other if is_time(other) => "convert it to days, seconds, or thousandths of those",
                _ => "convert it to numbers",
            };
            Error::new(format!("column '{name}': {} has no {} values: {cure}", said(format), dtype.name()))
        })?;
        let array = array(tensor, &of).map_err(|e| Error::new(format!("column '{name}' {e}")))?;
        fields.push(Field::new(*name, of, array.null_count() > 0));
        arrays.push(array);
    }
    let schema = Arc::new(Schema::new(fields));
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    let batch = RecordBatch::try_new_with_options(schema.clone(), arrays, &options)?;
    put(out, format, &schema, &batch).map_err(|e| Error::new(format!("cannot be written: {}", e.0)))
}

fn said(format: Format) -> &'static str {
    if format == Format::Parquet { "Parquet" } else { "Arrow" }
}

fn put(out: impl Write + Send, format: Format, schema: &SchemaRef, batch: &RecordBatch) -> Result<()> {
    let told = |e: &dyn std::fmt::Display| Error::new(e.to_string());
    match format {
        Format::Parquet => {
            let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
            let write = || {
                let mut writer = ArrowWriter::try_new(out, schema.clone(), Some(properties))?;
                writer.write(batch)?;
                writer.close().map(drop)
            };
            write().map_err(|e: parquet::errors::ParquetError| told(&e))
        }
        Format::Arrow => {
            let write = || {
                let mut writer = FileWriter::try_new_buffered(out, schema)?;
                writer.write(batch)?;
                writer.into_inner().map(drop)
            };
            write().map_err(|e: arrow_schema::ArrowError| told(&e))
        }
        Format::ArrowStream => {
            let write = || {
                let mut writer = StreamWriter::try_new_buffered(out, schema)?;
                writer.write(batch)?;
                writer.into_inner().map(drop)
            };
            write().map_err(|e: arrow_schema::ArrowError| told(&e))
        }
    }
}

/// The elements as an array of Arrow's, of the type that their dtype has there.
fn array(tensor: &Tensor, of: &DataType) -> Result<ArrayRef> {
    Ok(match tensor.dtype() {
        DType::Bool => Arc::new(BooleanArray::new(BooleanBuffer::from(tensor.to_vec::<bool>()?), None)),
        DType::I8 => numbers::<Int8Type>(tensor)?,
        DType::I16 => numbers::<Int16Type>(tensor)?,
        DType::I32 => numbers::<Int32Type>(tensor)?,
        DType::I64 => numbers::<Int64Type>(tensor)?,
        DType::U8 => numbers::<UInt8Type>(tensor)?,
        DType::U16 => numbers::<UInt16Type>(tensor)?,
        DType::U32 => numbers::<UInt32Type>(tensor)?,
        DType::U64 => numbers::<UInt64Type>(tensor)?,
        DType::F16 => numbers::<Float16Type>(tensor)?,
        DType::F32 => numbers::<Float32Type>(tensor)?,
        DType::F64 => numbers::<Float64Type>(tensor)?,
        other if is_time(other) => times(tensor, of)?,
        _ => bytes(tensor)?,
    })
}

fn numbers<P: ArrowPrimitiveType<Native: Element>>(tensor: &Tensor) -> Result<ArrayRef> {
    let values: Vec<P::Native> = tensor.to_vec()?;
    Ok(Arc::new(PrimitiveArray::<P>::new(ScalarBuffer::from(values), None)))
}

/// Dates or spans of time. NaT is missing.
fn times(tensor: &Tensor, of: &DataType) -> Result<ArrayRef> {
    let counted = tensor.reinterpret(DType::I64)?.contiguous()?.to_vec::<i64>()?;
    let known = counted.into_iter().map(|value| (value != i64::MIN).then_some(value));
    if *of == DataType::Date32 {
        let day =
            |value: i64| i32::try_from(value).map_err(|_| Error::new(format!("has the day {value}, beyond 32 bits")));
        let days = known.map(|value| value.map(day).transpose()).collect::<Result<Vec<_>>>()?;
        return Ok(Arc::new(Date32Array::from(days)));
    }
    let numbers = Int64Array::from_iter(known).into_data();
    Ok(make_array(numbers.into_builder().data_type(of.clone()).build()?))
}

/// Elements of so many bytes.
fn bytes(tensor: &Tensor) -> Result<ArrayRef> {
    let size = tensor.dtype().size();
    let mut all = vec![0; size * tensor.numel()];
    copy_into(&tensor.read_any()?.view(), &mut AnyViewMut::of_elements(&mut all, tensor.dtype(), tensor.shape())?)?;
    let array = FixedSizeBinaryArray::try_new(size as i32, Buffer::from_vec(all), None)?;
    Ok(Arc::new(array))
}
