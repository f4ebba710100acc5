//! Tensors as the columns of a file.

use std::io::Write;
use std::sync::Arc;

use arrow_array::types::{
    Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{ArrayRef, ArrowPrimitiveType, BooleanArray, PrimitiveArray, RecordBatch, RecordBatchOptions};
use arrow_buffer::{BooleanBuffer, ScalarBuffer};
use arrow_ipc::writer::{FileWriter, StreamWriter};
use arrow_schema::{Field, Schema, SchemaRef};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;
use takewise::{DType, Element, Tensor};

use crate::Format;
use crate::error::{Error, Result};
use crate::kind;

/// Writes columns: tensors of one axis and of `rows` elements each. Parquet is compressed with Snappy, as its other writers do by
/// default; Arrow is not, so that it can be mapped. No column has nulls.
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
/// A dtype that these formats do not have: complex numbers, bfloat16, records. Columns of other shapes. An output that cannot be
/// written.
pub fn write(out: impl Write + Send, format: Format, columns: &[(&str, &Tensor)], rows: usize) -> Result<()> {
    if columns.is_empty() && rows > 0 && format == Format::Parquet {
        return Err(Error::new(format!(
            "cannot be written: a Parquet file without columns has no rows, and this has {rows}"
        )));
    }
    let mut fields = Vec::with_capacity(columns.len());
    for (name, tensor) in columns {
        if tensor.shape() != [rows] {
            return Err(Error::new(format!("column '{name}' has shape {:?}, not [{rows}]", tensor.shape())));
        }
        let dtype = tensor.dtype();
        let of = kind::arrow(dtype).ok_or_else(|| {
            let cure = match dtype {
                DType::BF16 => "convert it to float32",
                DType::C64 | DType::C128 => "write its real and imaginary parts as columns",
                _ => "convert it to numbers",
            };
            Error::new(format!("column '{name}': {} has no {} values: {cure}", said(format), dtype.name()))
        })?;
        fields.push(Field::new(*name, of, false));
    }
    let arrays = columns.iter().map(|(_, tensor)| array(tensor)).collect::<Result<Vec<_>>>()?;
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

/// The elements as an array of Arrow's.
fn array(tensor: &Tensor) -> Result<ArrayRef> {
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
        other => return Err(Error::new(format!("cannot be written: {}", other.name()))),
    })
}

fn numbers<P: ArrowPrimitiveType<Native: Element>>(tensor: &Tensor) -> Result<ArrayRef> {
    let values: Vec<P::Native> = tensor.to_vec()?;
    Ok(Arc::new(PrimitiveArray::<P>::new(ScalarBuffer::from(values), None)))
}
