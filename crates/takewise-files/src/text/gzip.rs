//! Text that gzip has compressed, told by its first bytes.

use std::io::{BufRead, BufReader, Result};

use flate2::bufread::MultiGzDecoder;

/// Whether a file that begins so is compressed by gzip.
///
/// ```
/// assert!(takewise_files::is_gzip(&[0x1f, 0x8b, 8, 0]) && !takewise_files::is_gzip(b"a,b\n"));
/// ```
pub fn is_gzip(start: &[u8]) -> bool {
    start.starts_with(&[0x1f, 0x8b])
}

/// What a stream holds, or if gzip compressed that, what it was before.
pub(super) fn unpacked<'a>(mut input: impl BufRead + 'a) -> Result<Box<dyn BufRead + 'a>> {
    Ok(match is_gzip(input.fill_buf()?) {
        true => Box::new(BufReader::with_capacity(1 << 16, MultiGzDecoder::new(input))),
        false => Box::new(input),
    })
}
