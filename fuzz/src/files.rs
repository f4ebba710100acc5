//! Hostile files: a header that lies, ends early or is not text must be refused in one line, and never read past the
//! end of the file or allocate what it claims.

use std::fs;
use std::path::PathBuf;

use takewise_files::{Opened, RawSpec, open};
use takewise_testkit::Rng;

/// An `.npy`, `.npz` or `.safetensors` file, damaged.
pub fn run(bytes: &[u8]) -> bool {
    let rng = &mut Rng::from_bytes(bytes);
    let (extension, mut content) = match rng.below(4) {
        0 => ("npz", zip(rng)),
        1 => ("safetensors", safetensors(rng)),
        _ => ("npy", npy(rng)),
    };
    damage(rng, &mut content);
    let path = scratch(extension);
    fs::write(&path, &content).expect("the scratch file can be written");
    match open(&path, &RawSpec::default()) {
        Ok(file) => touch(&file, content.len()),
        Err(error) => {
            one_line(&error.to_string());
            false
        }
    }
}

fn one_line(text: &str) {
    assert!(!text.is_empty() && !text.contains(char::is_control), "{text:?} is not one clear line");
}

/// One file per process and extension: a name that is used again cannot fill the disk.
fn scratch(extension: &str) -> PathBuf {
    std::env::temp_dir().join(format!("takewise-fuzz-{}.{extension}", std::process::id()))
}

/// Reads every byte of what was opened, unless it stands for more elements than the file can hold; whether there was
/// anything.
fn touch(file: &Opened, size: usize) -> bool {
    let mut tensors = Vec::new();
    for at in 0..file.names().len() {
        let outline = file.outline(at);
        match file.tensor(at) {
            Ok(tensor) => {
                let outline = outline.expect("what can be read can be described");
                assert_eq!((outline.size, &outline.shape[..]), (tensor.dtype().size(), tensor.shape()));
                tensors.push(tensor);
            }
            Err(error) => one_line(&error.to_string()),
        }
    }
    for tensor in &tensors {
        let bytes = tensor.numel() * tensor.dtype().size();
        // Stored entries are parts of the file; only a compressed one may be larger, by deflate's largest ratio.
        assert!(bytes <= 1100 * size, "{bytes} bytes of elements from a file of {size}");
        let open = tensor.read_any().expect("nobody else uses the tensor");
        let view = open.view();
        let shape = view.shape().to_vec();
        for k in 0..view.numel().min(4096) {
            let at = takewise::layout::unravel(k, &shape);
            assert_eq!(view.bytes_at(&at).is_some(), view.dtype().size() <= 16);
        }
        // Wider elements, strings and structs, are read by a copy.
        tensor.clone_data().expect("what the file holds fits into memory twice");
    }
    !tensors.is_empty()
}

fn npy(rng: &mut Rng) -> Vec<u8> {
    let descr = rng.pick(&[
        "<f4", "<i8", "|u1", "|b1", ">f8", "<c16", "<f2", "|O", "<U5", "|V2", "<m8[ns]", "<q", "f4", "=i4", "|i4",
        "|V0",
    ]);
    let extents: Vec<String> = (0..rng.below(4)).map(|_| extent(rng)).collect();
    let comma = if extents.len() == 1 || rng.one_in(3) { "," } else { "" };
    let order = rng.pick(&["False", "True", "0", "None"]);
    let mut text =
        format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': ({}{comma}), }}", extents.join(", "));
    if rng.one_in(8) {
        text = rng
            .pick(&[
                "{}",
                "",
                "[1]",
                "{'shape': (2,)}",
                "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': ()}",
            ])
            .into();
    }
    let version = rng.pick(&[1u8, 1, 1, 2, 3, 4, 0]);
    let length = text.len() + 1;
    let mut out = b"\x93NUMPY".to_vec();
    out.extend([version, 0]);
    if version == 1 {
        out.extend((length as u16).to_le_bytes());
    } else {
        out.extend((length as u32).to_le_bytes());
    }
    out.extend(text.bytes());
    out.push(b'\n');
    out.extend((0..rng.below(400)).map(|k| (k * 37) as u8));
    out
}

fn extent(rng: &mut Rng) -> String {
    match rng.below(12) {
        0 => rng
            .pick(&["-1", "2L", "[[3]]", "18446744073709551615", "9223372036854775807", "1e3", "0x4", "4294967296"])
            .into(),
        _ => rng.below(6).to_string(),
    }
}

/// A zip archive of one stored entry.
fn zip(rng: &mut Rng) -> Vec<u8> {
    let (name, data) = (rng.pick(&["a.npy", "a", "", "../a.npy"]), npy(rng));
    let lie = if rng.one_in(4) { rng.pick(&[0u32, 1, u32::MAX, data.len() as u32 * 2]) } else { data.len() as u32 };
    let method = rng.pick(&[0u16, 0, 0, 8, 12, 14, 99]);
    let fields = |out: &mut Vec<u8>| {
        out.extend([20, 0, 0, 0]);
        out.extend(method.to_le_bytes());
        out.extend([0; 4]);
        out.extend(crc32(&data).to_le_bytes());
        out.extend(lie.to_le_bytes());
        out.extend((data.len() as u32).to_le_bytes());
        out.extend((name.len() as u16).to_le_bytes());
        out.extend([0; 2]);
    };
    let mut out = b"PK\x03\x04".to_vec();
    fields(&mut out);
    out.extend(name.bytes());
    out.extend(&data);
    let directory = out.len();
    out.extend(b"PK\x01\x02\x14\x00");
    fields(&mut out);
    out.extend([0; 14]);
    out.extend(name.bytes());
    let length = out.len() - directory;
    out.extend(b"PK\x05\x06\0\0\0\0\x01\0\x01\0");
    out.extend((length as u32).to_le_bytes());
    out.extend((directory as u32).to_le_bytes());
    out.extend([0; 2]);
    out
}

fn crc32(data: &[u8]) -> u32 {
    !data.iter().fold(u32::MAX, |crc, &byte| {
        (0..8).fold(crc ^ u32::from(byte), |c, _| if c & 1 == 1 { c >> 1 ^ 0xedb8_8320 } else { c >> 1 })
    })
}

fn safetensors(rng: &mut Rng) -> Vec<u8> {
    let dtype = rng.pick(&["F32", "I64", "BOOL", "BF16", "U8", "F8_E4M3", "X"]);
    let shape: Vec<String> = (0..rng.below(3)).map(|_| extent(rng)).collect();
    let (from, to) = (rng.pick(&["0", "0", "8", "-1"]), rng.pick(&["0", "4", "16", "64", "18446744073709551615"]));
    let text = format!(r#"{{"t":{{"dtype":"{dtype}","shape":[{}],"data_offsets":[{from},{to}]}}}}"#, shape.join(","));
    let claim = if rng.one_in(6) { rng.pick(&[0u64, 1, u64::MAX, 1 << 40]) } else { text.len() as u64 };
    let mut out = claim.to_le_bytes().to_vec();
    out.extend(text.bytes());
    out.extend(std::iter::repeat_n(1u8, rng.below(80)));
    out
}

/// Cuts the end off, or changes some bytes, or nothing.
fn damage(rng: &mut Rng, content: &mut Vec<u8>) {
    match rng.below(4) {
        0 => content.truncate(rng.below(content.len() + 1)),
        1 => {
            for _ in 0..1 + rng.below(4) {
                let at = rng.below(content.len());
                if let Some(byte) = content.get_mut(at) {
                    *byte = rng.below(256) as u8;
                }
            }
        }
        _ => {}
    }
}
