//! Batches of an Arrow IPC file or stream.
//!
//! Both are messages, one after the other. A file also has a directory of them at its end; of a stream they are found by walking
//! through it. What a message says of its lengths is compared with the file before it is read.
//!
//! The file is mapped, and columns that are not compressed stand on it: of those, no more is read than is touched.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, make_array};
use arrow_buffer::Buffer;
use arrow_ipc::convert::try_fb_to_schema;
use arrow_ipc::reader::FileDecoder;
use arrow_ipc::{Block, Message, MessageHeader, MetadataVersion, root_as_footer, root_as_message};
use arrow_schema::{DataType, Schema, SchemaRef};
use bytes::Bytes;
use takewise_files::FileBytes;

use crate::Format;
use crate::error::{Error, Result};
use crate::kind;

/// What stands at both ends of a file.
const MAGIC: &[u8; 6] = b"ARROW1";

/// What stands before the length of a message, but for the oldest writers.
const CONTINUED: [u8; 4] = [0xff; 4];

/// A file whose messages have been found.
#[derive(Debug)]
pub(crate) struct ArrowFile {
    file: Arc<FileBytes>,
    format: Format,
    schema: SchemaRef,
    version: MetadataVersion,
    /// Dictionaries and batches, in the order in which they are read, and the rows of each.
    blocks: Vec<(Block, Range<usize>)>,
}

/// What a file is found to hold.
struct Found {
    schema: Schema,
    version: MetadataVersion,
    blocks: Vec<Block>,
}

impl ArrowFile {
    /// Finds the messages: the columns, and how many rows there are.
    ///
    /// # Errors
    /// A file that is cut short, or whose messages lie outside it.
    pub(crate) fn open(path: &Path, format: Format) -> Result<(Self, SchemaRef, usize)> {
        let file = Arc::new(FileBytes::open(path)?);
        let (Found { schema, version, .. }, blocks, rows) = file.call(|bytes| -> Result<_> {
            let found = match format {
                Format::ArrowStream => walked(bytes)?,
                _ => listed(bytes)?,
            };
            let (mut blocks, mut rows) = (Vec::with_capacity(found.blocks.len()), 0usize);
            for block in &found.blocks {
                let metadata = part(bytes, block.offset(), block.metaDataLength().into())?;
                part(bytes, block.offset(), length(block)?)?;
                let start = rows;
                if let Some(batch) = message(metadata)?.header_as_record_batch() {
                    let count = usize::try_from(batch.length()).ok();
                    rows = count
                        .and_then(|n| rows.checked_add(n))
                        .ok_or_else(|| Error::new("says that it has fewer than no rows"))?;
                }
                blocks.push((*block, start..rows));
            }
            Ok((found, blocks, rows))
        })??;
        let schema = Arc::new(schema);
        Ok((Self { file, format, schema: schema.clone(), version, blocks }, schema, rows))
    }

    pub(crate) fn format(&self) -> Format {
        self.format
    }

    /// Decodes the columns at these places, which are sorted, and hands them on a batch at a time; with `wanted`, only batches that
    /// have some of those rows, which are sorted, and with each the rows of it.
    ///
    /// # Errors
    /// Messages that are damaged, a codec that is not known; what `push` says.
    pub(crate) fn batches(&self, places: &[usize], wanted: Option<&[usize]>, push: &mut Push<'_>) -> Result<()> {
        let mut decoder = FileDecoder::new(self.schema.clone(), self.version).with_projection(places.to_vec());
        let file = Buffer::from(Bytes::from_owner(Mapped(Arc::clone(&self.file))));
        self.file.call(|_| {
            for (block, rows) in &self.blocks {
                let here = wanted.map(|wanted| within(wanted, rows));
                let is_batch = message(part(&file, block.offset(), block.metaDataLength().into())?)?;
                let is_batch = is_batch.header_type() != MessageHeader::DictionaryBatch;
                if is_batch && here.as_ref().is_some_and(Vec::is_empty) {
                    continue;
                }
                let bytes =
                    file.slice_with_length(block.offset() as usize, part(&file, block.offset(), length(block)?)?.len());
                let (head, body) = bytes.split_at(block.metaDataLength() as usize);
                let message = message(head)?;
                if is_batch {
                    inflatable(message.header_as_record_batch(), body)?;
                    if let Some(batch) = decoder.read_record_batch(block, &bytes)? {
                        let columns = batch.columns().iter().map(settled).collect::<Result<Vec<_>>>()?;
                        push(&columns, here.as_deref())?;
                    }
                } else {
                    inflatable(message.header_as_dictionary_batch().and_then(|held| held.data()), body)?;
                    decoder.read_dictionary(block, &Buffer::from(&bytes[..]))?;
                }
            }
            Ok(())
        })?
    }
}

/// What is done with the columns of a batch, and those of its rows that are wanted: without them, all are.
pub(crate) type Push<'p> = dyn FnMut(&[ArrayRef], Option<&[usize]>) -> Result<()> + 'p;

/// The array; text in memory of its own, as it is looked at once, and a mapped file may change. A dictionary has its own already.
fn settled(array: &ArrayRef) -> Result<ArrayRef> {
    if matches!(array.data_type(), DataType::Dictionary(..)) || !kind::is_text(array.data_type()) {
        return Ok(array.clone());
    }
    let data = array.to_data();
    let own = data.buffers().iter().map(|buffer| Buffer::from(&buffer[..])).collect();
    Ok(make_array(data.into_builder().buffers(own).build()?))
}

/// The file as the owner of what stands on it.
struct Mapped(Arc<FileBytes>);

impl AsRef<[u8]> for Mapped {
    fn as_ref(&self) -> &[u8] {
        self.0.as_ref().as_ref()
    }
}

/// Those of sorted rows that lie in a range, counted from its start.
fn within(wanted: &[usize], rows: &Range<usize>) -> Vec<usize> {
    let [low, high] = [rows.start, rows.end].map(|end| wanted.partition_point(|row| *row < end));
    wanted[low..high].iter().map(|row| row - rows.start).collect()
}

fn damaged() -> Error {
    Error::new("cannot be decoded: a length in it contradicts itself")
}

fn cut_short() -> Error {
    Error::new("is cut short: a message reaches beyond its end")
}

/// Bytes of a message, its head and its body.
fn length(block: &Block) -> Result<i64> {
    if block.metaDataLength() < 0 || block.bodyLength() < 0 {
        return Err(damaged());
    }
    i64::from(block.metaDataLength()).checked_add(block.bodyLength()).ok_or_else(damaged)
}

/// Bytes of the file.
fn part(file: &[u8], offset: i64, length: i64) -> Result<&[u8]> {
    let (Ok(start), Ok(length)) = (usize::try_from(offset), usize::try_from(length)) else { return Err(damaged()) };
    start.checked_add(length).and_then(|end| file.get(start..end)).ok_or_else(cut_short)
}

/// The message of its bytes, which begin with its length.
fn message(bytes: &[u8]) -> Result<Message<'_>> {
    let start = if bytes.starts_with(&CONTINUED) { 8 } else { 4 };
    let inner = bytes.get(start..).filter(|inner| !inner.is_empty()).ok_or_else(damaged)?;
    root_as_message(inner).map_err(|e| Error::new(format!("cannot be decoded: a message is damaged: {e}")))
}

/// The messages that the directory at the end of a file lists: first dictionaries, then batches.
fn listed(file: &[u8]) -> Result<Found> {
    let (size, tail) = (file.len(), MAGIC.len() + 4);
    let cut = || Error::new("is cut short: an Arrow file ends with ARROW1, and this one does not");
    if size < tail + 8 {
        return Err(cut());
    }
    let (length, magic) = file[size - tail..].split_at(4);
    if magic != MAGIC {
        return Err(cut());
    }
    let length = i64::from(i32::from_le_bytes(length.try_into().map_err(|_| damaged())?));
    let start = (size - tail) as i64 - length;
    let bytes = part(file, start, length)?;
    let footer =
        root_as_footer(bytes).map_err(|e| Error::new(format!("cannot be decoded: its directory is damaged: {e}")))?;
    let schema = footer.schema().ok_or_else(|| Error::new("cannot be decoded: it has no schema"))?;
    let dictionaries = footer.dictionaries().into_iter().flatten();
    let batches = footer.recordBatches().into_iter().flatten();
    let blocks = dictionaries.chain(batches).copied().collect();
    Ok(Found { schema: try_fb_to_schema(schema)?, version: footer.version(), blocks })
}

/// The messages of a stream, one after the other.
fn walked(file: &[u8]) -> Result<Found> {
    let (mut at, mut head, mut blocks) = (0i64, None, Vec::new());
    loop {
        // The format lets the end of the file end a stream too. No writer does that, and a stream that was cut off between two
        // messages looks the same.
        if at as usize == file.len() {
            return Err(Error::new("is cut short: the mark that ends a stream is not there"));
        }
        let prefix = part(file, at, 4)?;
        let (start, length) = if prefix == CONTINUED { (8, part(file, at + 4, 4)?) } else { (4, prefix) };
        let length = i64::from(i32::from_le_bytes(length.try_into().map_err(|_| damaged())?));
        if length == 0 {
            break;
        }
        let whole = length.checked_add(start).filter(|_| length > 0).ok_or_else(damaged)?;
        let message = message(part(file, at, whole)?)?;
        let body = message.bodyLength();
        let end = whole.checked_add(body).filter(|_| body >= 0).ok_or_else(damaged)?;
        part(file, at, end)?;
        match message.header_type() {
            MessageHeader::Schema if head.is_none() => {
                let schema = message.header_as_schema().ok_or_else(damaged)?;
                head = Some((try_fb_to_schema(schema)?, message.version()));
            }
            MessageHeader::DictionaryBatch | MessageHeader::RecordBatch if head.is_some() => {
                blocks.push(Block::new(at, i32::try_from(whole).map_err(|_| damaged())?, body));
            }
            other => return Err(Error::new(format!("cannot be decoded: a message is {other:?} where none can be"))),
        }
        at = at.checked_add(end).ok_or_else(damaged)?;
    }
    let (schema, version) = head.ok_or_else(|| Error::new("is cut short: it has no schema"))?;
    Ok(Found { schema, version, blocks })
}

/// Asks whether there is memory for what the compressed buffers of a batch say they hold: the decoder would end the program where
/// there is none.
fn inflatable(batch: Option<arrow_ipc::RecordBatch<'_>>, body: &[u8]) -> Result<()> {
    let Some(batch) = batch.filter(|batch| batch.compression().is_some()) else { return Ok(()) };
    for buffer in batch.buffers().into_iter().flatten() {
        let start = usize::try_from(buffer.offset()).map_err(|_| damaged())?;
        let Some(Ok(head)) = body.get(start..).and_then(|b| b.get(..8)).map(<[u8; 8]>::try_from) else { continue };
        // Less than nothing means that the buffer is stored as it is.
        let says = usize::try_from(i64::from_le_bytes(head)).unwrap_or(0);
        if buffer.length() > 0 && Vec::<u8>::new().try_reserve_exact(says).is_err() {
            return Err(Error::new(format!("cannot be decoded: a buffer says that it holds {says} bytes")));
        }
    }
    Ok(())
}
