//! A model in many `.safetensors` files, which an index beside them lists: `model.safetensors.index.json`.
//!
//! The index says of each tensor in which file of the same folder it lies (`weight_map`). Only the files that are asked for are
//! opened. The layout is that of the Hugging Face Hub.

use std::path::{Component, Path};

use serde::Deserialize;

use super::budget::JSON_HEADER;
use super::map::Map;
use super::tensors::Members;
use super::{FileError, Member, Mode, Opened, Place, RawSpec, open_as};

#[derive(Deserialize)]
struct ShardIndex {
    weight_map: Members<String>,
}

/// Whether a file is such an index, by its name.
pub(super) fn is_index(path: &Path) -> bool {
    path.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.ends_with(".safetensors.index.json"))
}

/// The tensors of an index, in the order of their names, each in its file.
///
/// # Errors
/// An index that is malformed.
pub(super) fn members(path: &Path, map: &Map) -> Result<Vec<Member>, FileError> {
    let fail = |text: String| FileError::new(path, format!("not a readable index of safetensors files: {text}"));
    if map.bytes().len() > JSON_HEADER {
        return Err(fail(format!("it is longer than {JSON_HEADER} bytes")));
    }
    let ShardIndex { weight_map: Members(mut listed) } =
        serde_json::from_slice(map.bytes()).map_err(|e| fail(e.to_string()))?;
    let folder = path.parent().unwrap_or(Path::new(""));
    listed.sort();
    let twice: Vec<bool> = (0..listed.len())
        .map(|k| k > 0 && listed[k - 1].0 == listed[k].0 || listed.get(k + 1).is_some_and(|next| next.0 == listed[k].0))
        .collect();
    let place = |file: String, twice: bool| match twice {
        true => Place::Nowhere("its name is there twice".into()),
        false if is_plain(&file) => Place::Shard(folder.join(file)),
        false => Place::Nowhere(format!("the index names the file '{file}', which is not one beside it")),
    };
    Ok(listed.into_iter().zip(twice).map(|((name, file), twice)| Member { name, place: place(file, twice) }).collect())
}

/// Whether this is the name of a file, and no way to another folder.
fn is_plain(file: &str) -> bool {
    let mut parts = Path::new(file).components();
    matches!((parts.next(), parts.next()), (Some(Component::Normal(_)), None)) && !file.ends_with(['/', '\\'])
}

impl Opened {
    /// The file that the array at a position lies in, and where there, if that is another file.
    ///
    /// # Errors
    /// A file that is missing or cannot be read; one that has no such array.
    pub(super) fn shard(&self, at: usize, mode: Mode) -> Result<Option<(Opened, usize)>, FileError> {
        let Member { name, place: Place::Shard(path) } = &self.members[at] else { return Ok(None) };
        let told = |error: FileError| {
            let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            FileError::new(&self.path, format!("{name}: its file {file}: {}", error.text()))
        };
        let file = open_as(path, &RawSpec::default(), mode).map_err(told)?;
        let at = file.find(Some(name)).map_err(told)?;
        Ok(Some((file, at)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FileArray, open, open_one};

    fn shard(folder: &Path, file: &str, name: &str, values: &[u8]) {
        let header = format!(r#"{{"{name}":{{"dtype":"U8","shape":[{0}],"data_offsets":[0,{0}]}}}}"#, values.len());
        let bytes = [&(header.len() as u64).to_le_bytes()[..], header.as_bytes(), values].concat();
        std::fs::write(folder.join(file), bytes).unwrap();
    }

    #[test]
    fn tensors_are_found_in_their_files() {
        let folder = tempfile::tempdir().unwrap();
        shard(folder.path(), "a.safetensors", "one", &[1, 2, 3]);
        shard(folder.path(), "b.safetensors", "two", &[4, 5]);
        let index = folder.path().join("model.safetensors.index.json");
        let text = r#"{"metadata":{"total_size":5},"weight_map":{
            "two":"b.safetensors","one":"a.safetensors","gone":"c.safetensors","none":"a.safetensors",
            "up":"../a.safetensors","down":"/etc/passwd","two times":"a.safetensors","two times":"b.safetensors"}}"#;
        std::fs::write(&index, text).unwrap();
        let raw = RawSpec::default();
        let file = open(&index, &raw).unwrap();
        assert_eq!(
            file.names().collect::<Vec<_>>(),
            ["down", "gone", "none", "one", "two", "two times", "two times", "up"]
        );
        assert_eq!(file.outline(3).unwrap().shape, [3]);
        assert_eq!(open_one(&index, Some("two"), &raw).unwrap().to_vec::<u8>().unwrap(), [4, 5]);
        let x = FileArray::open(&index, Some("one"), &raw, Mode::Write).unwrap();
        x.call(|x| x.index_set_(&takewise::ix![0], 9, &takewise::Rules::NEUTRAL)).unwrap();
        assert_eq!(open_one(&index, Some("one"), &raw).unwrap().to_vec::<u8>().unwrap(), [9, 2, 3]);
        for (name, told) in [
            ("gone", "model.safetensors.index.json: gone: its file c.safetensors: no such file"),
            ("none", "none: its file a.safetensors: has no tensor 'none'; it holds: one"),
            ("up", "up: the index names the file '../a.safetensors', which is not one beside it"),
            ("down", "down: the index names the file '/etc/passwd', which is not one beside it"),
            ("two times", "two times: its name is there twice"),
            ("other", "has no tensor 'other'; it holds: down, gone, none, one, two, two times, two times, up"),
        ] {
            let error = open_one(&index, Some(name), &raw).unwrap_err().to_string();
            assert!(error.ends_with(told), "{error}");
            assert!(FileArray::open(&index, Some(name), &raw, Mode::Read).is_err());
        }
        for (text, told) in [("{", "EOF"), (r#"{"a":1}"#, "missing field `weight_map`"), ("[]", "invalid")] {
            std::fs::write(&index, text).unwrap();
            let error = open(&index, &raw).err().unwrap().to_string();
            assert!(error.contains("not a readable index of safetensors files") && error.contains(told), "{error}");
        }
    }
}
