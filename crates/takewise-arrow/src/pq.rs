//! Batches of a Parquet file.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::sync::{Arc, OnceLock};

use arrow_schema::{DataType, FieldRef, Fields, Schema, SchemaRef};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder, RowSelection,
};
use parquet::file::metadata::PageIndexPolicy;

use crate::error::{Error, Result};
use crate::ipc::Push;
use crate::kind;

/// Rows decoded at a time: enough that a batch costs little beside its rows, and few enough to stay in the caches.
const BATCH: usize = 1 << 16;

/// A file whose footer has been read.
#[derive(Debug)]
pub(crate) struct ParquetFile {
    file: File,
    metadata: ArrowReaderMetadata,
    /// The same with where each page lies, once rows were asked for.
    indexed: OnceLock<ArrowReaderMetadata>,
    rows: usize,
}

impl ParquetFile {
    /// Reads the footer: the columns, and how many rows there are.
    ///
    /// # Errors
    /// A footer that is not there, is damaged or encrypted; columns that lie outside the file.
    pub(crate) fn open(file: File) -> Result<(Self, SchemaRef, usize)> {
        let size = file.metadata()?.len();
        let mut end = [0; 4];
        (&file).seek(SeekFrom::Start(size.saturating_sub(4)))?;
        if size < 12 || (&file).read_exact(&mut end).is_err() || end != *b"PAR1" {
            return Err(Error::new("is cut short: a Parquet file ends with PAR1, and this one does not"));
        }
        let metadata = ArrowReaderMetadata::load(&file, ArrowReaderOptions::new())?;
        let mut rows = 0usize;
        for group in metadata.metadata().row_groups() {
            let count = usize::try_from(group.num_rows()).ok();
            rows = count
                .and_then(|n| rows.checked_add(n))
                .ok_or_else(|| Error::new("says that it has fewer than no rows"))?;
            for column in group.columns() {
                let start = column.dictionary_page_offset().unwrap_or(column.data_page_offset());
                let start = start.min(column.data_page_offset());
                let end = start.checked_add(column.compressed_size());
                if start < 0 || column.compressed_size() < 0 || end.is_none_or(|end| end as u64 > size) {
                    let name = column.column_path().string();
                    return Err(Error::new(format!("is cut short: column '{name}' lies beyond its end")));
                }
            }
        }
        let schema = metadata.schema().clone();
        Ok((Self { file, metadata, indexed: OnceLock::new(), rows }, schema, rows))
    }

    /// Decodes the columns at these places, which are sorted, and hands them on a batch at a time; with `wanted`, only those rows, which
    /// are sorted: pages without one of them are not read, where the file says where its pages lie.
    ///
    /// # Errors
    /// Pages that are damaged, a codec that is not known; what `push` says.
    pub(crate) fn batches(&self, places: &[usize], wanted: Option<&[usize]>, push: &mut Push<'_>) -> Result<()> {
        let mask = ProjectionMask::roots(self.metadata.parquet_schema(), places.iter().copied());
        let metadata = viewed(if wanted.is_some() { self.indexed()? } else { &self.metadata }, places)?;
        let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(self.file.try_clone()?, metadata);
        let mut builder = builder.with_projection(mask).with_batch_size(BATCH);
        if let Some(wanted) = wanted {
            let together = wanted.chunk_by(|row, next| row + 1 == *next);
            let ranges = together.filter_map(|rows| Some(*rows.first()?..*rows.last()? + 1));
            builder = builder.with_row_selection(RowSelection::from_consecutive_ranges(ranges, self.rows));
        }
        for batch in builder.build()? {
            push(batch?.columns(), None)?;
        }
        Ok(())
    }

    fn indexed(&self) -> Result<&ArrowReaderMetadata> {
        if let Some(indexed) = self.indexed.get() {
            return Ok(indexed);
        }
        let options = ArrowReaderOptions::new().with_offset_index_policy(PageIndexPolicy::Optional);
        let read = ArrowReaderMetadata::load(&self.file, options)?;
        Ok(self.indexed.get_or_init(|| read))
    }
}

/// The same, with the texts of these columns decoded as views: what many rows share stays shared. Copies of it a few bytes could make
/// larger than memory.
fn viewed(metadata: &ArrowReaderMetadata, places: &[usize]) -> Result<ArrowReaderMetadata> {
    let view = |(at, field): (usize, &FieldRef)| match places.contains(&at) && kind::is_text(field.data_type()) {
        true => Arc::new(field.as_ref().clone().with_data_type(DataType::Utf8View)),
        false => field.clone(),
    };
    let schema = metadata.schema();
    let fields = Fields::from_iter(schema.fields().iter().enumerate().map(view));
    if fields == *schema.fields() {
        return Ok(metadata.clone());
    }
    let schema = Schema::new_with_metadata(fields, schema.metadata().clone());
    Ok(ArrowReaderMetadata::try_new(
        metadata.metadata().clone(),
        ArrowReaderOptions::new().with_schema(Arc::new(schema)),
    )?)
}
