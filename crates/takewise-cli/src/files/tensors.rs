//! `.safetensors`: a JSON header and contiguous little-endian data.

use std::path::Path;

use safetensors::{Dtype, SafeTensors};
use takewise::DType;

use super::map::{Map, Placement};
use super::{Entry, FileError};

/// The tensors of a file, in the order their data lies.
pub(super) fn open(path: &Path, map: &Map) -> Result<Vec<Entry>, FileError> {
    let fail = |text: String| FileError::new(path, text);
    let bytes = map.bytes();
    let (header, metadata) =
        SafeTensors::read_metadata(bytes).map_err(|e| fail(format!("not a readable safetensors file: {e}")))?;
    let mut infos: Vec<_> = metadata.tensors().into_iter().collect();
    infos.sort_by_key(|(_, info)| info.data_offsets);
    let mut entries = Vec::with_capacity(infos.len());
    for (name, info) in infos {
        let dtype =
            element(info.dtype).ok_or_else(|| fail(format!("{name}: dtype {:?} is not supported", info.dtype)))?;
        let start = 8 + header + info.data_offsets.0;
        let mut placement = Placement::contiguous(start, info.shape.clone(), dtype);
        placement.swapped = cfg!(target_endian = "big") && dtype.size() > 1;
        entries.push((name, map.tensor(path, placement)?));
    }
    Ok(entries)
}

fn element(dtype: Dtype) -> Option<DType> {
    PAIRS.iter().find(|(d, _)| *d == dtype).map(|(_, d)| *d)
}

/// The format's name for a dtype, where it has one.
#[cfg(feature = "command")]
pub(super) fn name(dtype: DType) -> Option<Dtype> {
    PAIRS.iter().find(|(_, d)| *d == dtype).map(|(d, _)| *d)
}

const PAIRS: [(Dtype, DType); 14] = [
    (Dtype::BOOL, DType::Bool),
    (Dtype::U8, DType::U8),
    (Dtype::U16, DType::U16),
    (Dtype::U32, DType::U32),
    (Dtype::U64, DType::U64),
    (Dtype::I8, DType::I8),
    (Dtype::I16, DType::I16),
    (Dtype::I32, DType::I32),
    (Dtype::I64, DType::I64),
    (Dtype::F16, DType::F16),
    (Dtype::BF16, DType::BF16),
    (Dtype::F32, DType::F32),
    (Dtype::F64, DType::F64),
    (Dtype::C64, DType::C64),
];
