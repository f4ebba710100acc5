//! Batches of an Arrow IPC file or stream.
//!
//! Both are messages, one after the other. A file also has a directory of them at its end; of a stream they are found by walking
//! through it. What a message says of its lengths is compared with the file before it is read.

use std::cell::RefCell;
use std::fs::File;
use std::io::{BufReader, Read, Seek};
use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_buffer::Buffer;
use arrow_ipc::convert::try_fb_to_schema;
use arrow_ipc::reader::FileDecoder;
use arrow_ipc::{Block, Message, MessageHeader, MetadataVersion, root_as_footer, root_as_message};
use arrow_schema::{Schema, SchemaRef};

use crate::Format;
use crate::error::{Error, Result};

/// What stands at both ends of a file.
const MAGIC: &[u8; 6] = b"ARROW1";

/// What stands before the length of a message, but for the oldest writers.
const CONTINUED: [u8; 4] = [0xff; 4];

/// A file whose messages have been found.
#[derive(Debug)]
pub(crate) struct ArrowFile {
    file: RefCell<BufReader<File>>,
    format: Format,
    schema: SchemaRef,
    version: MetadataVersion,
    /// Dictionaries and batches, in the order in which they are read.
    blocks: Vec<Block>,
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
    pub(crate) fn open(file: File, format: Format) -> Result<(Self, SchemaRef, usize)> {
        let size = file.metadata()?.len();
        let mut file = BufReader::new(file);
        let Found { schema, version, blocks } = match format {
            Format::ArrowStream => walked(&mut file, size)?,
            _ => listed(&mut file, size)?,
        };
        let mut rows = 0usize;
        for block in &blocks {
            let metadata = part(&mut file, block.offset(), block.metaDataLength().into(), size)?;
            part_is_there(block.offset(), i64::from(block.metaDataLength()), block.bodyLength(), size)?;
            if let Some(batch) = message(&metadata)?.header_as_record_batch() {
                let count = usize::try_from(batch.length()).ok();
                rows = count
                    .and_then(|n| rows.checked_add(n))
                    .ok_or_else(|| Error::new("says that it has fewer than no rows"))?;
            }
        }
        let schema = Arc::new(schema);
        Ok((Self { file: RefCell::new(file), format, schema: schema.clone(), version, blocks }, schema, rows))
    }

    pub(crate) fn format(&self) -> Format {
        self.format
    }

    /// Decodes the columns at these places, which are sorted, and hands them on a batch at a time.
    ///
    /// # Errors
    /// Messages that are damaged, a codec that is not known; what `push` says.
    pub(crate) fn batches(&self, places: &[usize], push: &mut dyn FnMut(&[ArrayRef]) -> Result<()>) -> Result<()> {
        let mut decoder = FileDecoder::new(self.schema.clone(), self.version).with_projection(places.to_vec());
        let mut file = self.file.borrow_mut();
        let size = file.get_ref().metadata()?.len();
        for block in &self.blocks {
            let length = i64::from(block.metaDataLength()).checked_add(block.bodyLength()).ok_or_else(damaged)?;
            let bytes = Buffer::from_vec(part(&mut file, block.offset(), length, size)?);
            let message = message(bytes.get(..block.metaDataLength() as usize).ok_or_else(damaged)?)?;
            match message.header_type() {
                MessageHeader::DictionaryBatch => {
                    let batch = message.header_as_dictionary_batch().and_then(|dictionary| dictionary.data());
                    inflatable(batch, &bytes[block.metaDataLength() as usize..])?;
                    decoder.read_dictionary(block, &bytes)?;
                }
                _ => {
                    inflatable(message.header_as_record_batch(), &bytes[block.metaDataLength() as usize..])?;
                    if let Some(batch) = decoder.read_record_batch(block, &bytes)? {
                        push(batch.columns())?;
                    }
                }
            }
        }
        Ok(())
    }
}

fn damaged() -> Error {
    Error::new("cannot be decoded: a length in it contradicts itself")
}

fn cut_short() -> Error {
    Error::new("is cut short: a message reaches beyond its end")
}

/// Compares where a message lies with the size of the file.
fn part_is_there(offset: i64, metadata: i64, body: i64, size: u64) -> Result<()> {
    if offset < 0 || metadata < 0 || body < 0 {
        return Err(damaged());
    }
    let end = metadata.checked_add(body).and_then(|length| offset.checked_add(length));
    if end.is_none_or(|end| end as u64 > size) { Err(cut_short()) } else { Ok(()) }
}

/// Bytes of the file.
fn part(file: &mut BufReader<File>, offset: i64, length: i64, size: u64) -> Result<Vec<u8>> {
    part_is_there(offset, length, 0, size)?;
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(length as usize).map_err(|_| Error::new("has a message that is larger than memory"))?;
    // What is read already stays in the buffer where the next part is near.
    let here = file.stream_position()?;
    file.seek_relative(offset - here as i64)?;
    file.by_ref().take(length as u64).read_to_end(&mut bytes)?;
    if bytes.len() as i64 == length { Ok(bytes) } else { Err(cut_short()) }
}

/// The message of its bytes, which begin with its length.
fn message(bytes: &[u8]) -> Result<Message<'_>> {
    let start = if bytes.starts_with(&CONTINUED) { 8 } else { 4 };
    let inner = bytes.get(start..).filter(|inner| !inner.is_empty()).ok_or_else(damaged)?;
    root_as_message(inner).map_err(|e| Error::new(format!("cannot be decoded: a message is damaged: {e}")))
}

/// The messages that the directory at the end of a file lists: first dictionaries, then batches.
fn listed(file: &mut BufReader<File>, size: u64) -> Result<Found> {
    let tail = MAGIC.len() as u64 + 4;
    let cut = || Error::new("is cut short: an Arrow file ends with ARROW1, and this one does not");
    if size < tail + 8 {
        return Err(cut());
    }
    let end = part(file, (size - tail) as i64, tail as i64, size)?;
    let (length, magic) = end.split_at(4);
    if magic != MAGIC {
        return Err(cut());
    }
    let length = i64::from(i32::from_le_bytes(length.try_into().map_err(|_| damaged())?));
    let start = (size - tail) as i64 - length;
    let bytes = part(file, start, length, size)?;
    let footer =
        root_as_footer(&bytes).map_err(|e| Error::new(format!("cannot be decoded: its directory is damaged: {e}")))?;
    let schema = footer.schema().ok_or_else(|| Error::new("cannot be decoded: it has no schema"))?;
    let dictionaries = footer.dictionaries().into_iter().flatten();
    let batches = footer.recordBatches().into_iter().flatten();
    let blocks = dictionaries.chain(batches).copied().collect();
    Ok(Found { schema: try_fb_to_schema(schema)?, version: footer.version(), blocks })
}

/// The messages of a stream, one after the other.
fn walked(file: &mut BufReader<File>, size: u64) -> Result<Found> {
    let (mut at, mut head, mut blocks) = (0i64, None, Vec::new());
    loop {
        // The format lets the end of the file end a stream too. No writer does that, and a stream that was cut off between two
        // messages looks the same.
        if at as u64 == size {
            return Err(Error::new("is cut short: the mark that ends a stream is not there"));
        }
        let prefix = part(file, at, 4, size)?;
        let (start, length) = if prefix == CONTINUED { (8, part(file, at + 4, 4, size)?) } else { (4, prefix) };
        let length = i64::from(i32::from_le_bytes(length.try_into().map_err(|_| damaged())?));
        if length == 0 {
            break;
        }
        let whole = length.checked_add(start).filter(|_| length > 0).ok_or_else(damaged)?;
        let bytes = part(file, at, whole, size)?;
        let message = message(&bytes)?;
        let body = message.bodyLength();
        part_is_there(at, whole, body, size)?;
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
        at = at.checked_add(whole).and_then(|at| at.checked_add(body)).ok_or_else(damaged)?;
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
