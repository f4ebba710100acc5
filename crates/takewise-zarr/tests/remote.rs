//! Arrays behind URLs: a server on this machine, which counts what it is asked for.

#![cfg(feature = "remote")]

use std::collections::HashMap;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use takewise::{DType, Tensor, ix};
use takewise_zarr::{Array, Create, Objects};
use tempfile::TempDir;

#[derive(Default)]
struct Counts {
    requests: AtomicUsize,
    bytes: AtomicUsize,
    now: AtomicUsize,
    most: AtomicUsize,
    /// Whether all it is asked for fails.
    fails: AtomicBool,
}

/// Serves a folder over HTTP from threads of its own, for as long as the process lives; its URL.
fn served(folder: &Path) -> (String, Arc<Counts>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let counts = Arc::new(Counts::default());
    let (folder, all) = (folder.to_path_buf(), counts.clone());
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let (folder, counts) = (folder.clone(), all.clone());
            std::thread::spawn(move || while answer(&stream, &folder, &counts).is_some() {});
        }
    });
    (url, counts)
}

/// Answers one request; nothing when there are no more.
fn answer(stream: &TcpStream, folder: &Path, counts: &Counts) -> Option<()> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|read| *read > 0)?;
    let mut words = line.split(' ').map(str::to_owned);
    let (method, path) = (words.next()?, words.next()?);
    let mut headers = HashMap::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok().filter(|read| *read > 0)?;
        let Some((name, value)) = line.split_once(':') else { break };
        headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
    }
    let mut body = vec![0; headers.get("content-length").and_then(|n| n.parse().ok()).unwrap_or(0)];
    reader.read_exact(&mut body).ok()?;
    counts.requests.fetch_add(1, Ordering::Relaxed);
    counts.most.fetch_max(counts.now.fetch_add(1, Ordering::Relaxed) + 1, Ordering::Relaxed);
    std::thread::sleep(Duration::from_millis(5));
    let (status, extra, data) = match counts.fails.load(Ordering::Relaxed) {
        true => (403, String::new(), b"not for you".to_vec()),
        false => found(&method, &folder.join(path.trim_start_matches('/')), &headers, &body),
    };
    counts.now.fetch_sub(1, Ordering::Relaxed);
    let length = data.len();
    let data = if method == "HEAD" { Vec::new() } else { data };
    counts.bytes.fetch_add(data.len(), Ordering::Relaxed);
    let head = format!(
        "HTTP/1.1 {status} Answer\r\nContent-Length: {length}\r\nLast-Modified: Thu, 01 Jan 2026 00:00:00 GMT\r\n{extra}\r\n"
    );
    let mut stream = stream;
    stream.write_all(head.as_bytes()).ok()?;
    stream.write_all(&data).ok()
}

/// Status, further headers and the body.
fn found(method: &str, file: &Path, headers: &HashMap<String, String>, body: &[u8]) -> (u16, String, Vec<u8>) {
    match method {
        "PUT" => {
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, body).unwrap();
            return (201, String::new(), Vec::new());
        }
        "DELETE" => {
            let gone = fs::remove_file(file).is_ok();
            return (if gone { 204 } else { 404 }, String::new(), Vec::new());
        }
        _ => {}
    }
    let Some(data) = fs::read(file).ok() else { return (404, String::new(), b"nothing here".to_vec()) };
    let sum = data.iter().fold(7u64, |sum, byte| sum.wrapping_mul(31).wrapping_add(u64::from(*byte)));
    let tag = format!("ETag: \"{sum}\"\r\nAccept-Ranges: bytes\r\n");
    let Some(range) = headers.get("range").and_then(|range| range.strip_prefix("bytes=")) else {
        return (200, tag, data);
    };
    let (first, last) = range.split_once('-').unwrap();
    let (start, end) = match (first.parse::<usize>(), last.parse::<usize>()) {
        (Ok(first), Ok(last)) => (first, data.len().min(last + 1)),
        (Ok(first), Err(_)) => (first, data.len()),
        (Err(_), last) => (data.len().saturating_sub(last.unwrap()), data.len()),
    };
    if start >= data.len() {
        return (416, format!("Content-Range: bytes */{}\r\n", data.len()), Vec::new());
    }
    let told = format!("{tag}Content-Range: bytes {start}-{}/{}\r\n", end - 1, data.len());
    (206, told, data[start..end].to_vec())
}

/// 0, 1, 2, ... of shape (64, 64), in a folder under each name.
fn numbers(folder: &Path, name: &str, shards: bool) -> PathBuf {
    let new = Create::new(&[64, 64], DType::F32, &[8, 8]);
    let new = if shards { new.shards(&[32, 32]) } else { new };
    let all = Tensor::arange(0, 4096, 1, Some(DType::F32)).unwrap().reshape(&[64, 64]).unwrap();
    new.create(folder.join(name)).unwrap().set(&ix![], all.read_any().unwrap().view().clone()).unwrap();
    folder.join(name)
}

fn counted(counts: &Counts) -> (usize, usize) {
    (counts.requests.swap(0, Ordering::Relaxed), counts.bytes.swap(0, Ordering::Relaxed))
}

#[test]
fn touched_chunks_are_asked_for_at_once() {
    let dir = TempDir::new().unwrap();
    numbers(dir.path(), "deep/chunks.zarr", false);
    numbers(dir.path(), "shards.zarr", true);
    let (url, counts) = served(dir.path());
    let (i, j) = ([63i64, 0, 17, 17, 40], [0i64, 63, 5, 6, 40]);
    let want = [4032.0, 63.0, 1093.0, 1094.0, 2600.0];
    let x = Array::open_url(&format!("{url}/deep/chunks.zarr"), &[]).unwrap();
    counted(&counts);
    assert_eq!(x.index(&ix![&i, &j]).unwrap().to_vec::<f32>().unwrap(), want);
    let (requests, bytes) = counted(&counts);
    assert_eq!((requests as u64, bytes as u64), (x.traffic().requests, x.traffic().bytes));
    assert_eq!(requests, 4);
    assert!(counts.most.load(Ordering::Relaxed) > 1);
    let x = Array::open_url(&format!("{url}/shards.zarr/"), &[]).unwrap();
    counted(&counts);
    assert_eq!(x.index(&ix![&i, &j]).unwrap().to_vec::<f32>().unwrap(), want);
    // Four indexes, and four chunks.
    assert_eq!(counted(&counts).0, 8);
    assert_eq!(x.index(&ix![&i, &j]).unwrap().to_vec::<f32>().unwrap(), want);
    assert_eq!(counted(&counts).0, 4);
    // From a thread of another runtime too.
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let last = runtime.block_on(async { x.index(&ix![63, 63]).unwrap().to_vec::<f32>().unwrap() });
    assert_eq!(last, [4095.0]);
}

#[test]
fn writes_and_creation() {
    let dir = TempDir::new().unwrap();
    let (url, _) = served(dir.path());
    let (store, path) = Objects::behind(&format!("{url}/new.zarr"), &[]).unwrap();
    let x = Create::new(&[10], DType::I32, &[2]).shards(&[4]).fill(-1).create_in(store, &path).unwrap();
    x.set(&ix![&[9i64, 0, 9]], &[7, 8, 9]).unwrap();
    let all = [8, -1, -1, -1, -1, -1, -1, -1, -1, 9];
    assert_eq!(x.index(&ix![]).unwrap().to_vec::<i32>().unwrap(), all);
    assert_eq!(Array::open(dir.path().join("new.zarr")).unwrap().index(&ix![]).unwrap().to_vec::<i32>().unwrap(), all);
    // What holds nothing but the fill value goes.
    x.set(&ix![9], &[-1]).unwrap();
    assert!(!dir.path().join("new.zarr/c/2").exists());
    assert!(dir.path().join("new.zarr/c/0").exists());
}

#[test]
fn a_shard_that_changes_is_begun_anew() {
    let dir = TempDir::new().unwrap();
    let folder = numbers(dir.path(), "x.zarr", true);
    let (url, _) = served(dir.path());
    let x = Array::open_url(&format!("{url}/x.zarr"), &[]).unwrap();
    assert_eq!(x.index(&ix![0, &[0i64, 31]]).unwrap().to_vec::<f32>().unwrap(), [0.0, 31.0]);
    Array::open(&folder).unwrap().set(&ix![..32, ..31], &[5.0f32]).unwrap();
    assert_eq!(x.index(&ix![0, &[0i64, 31]]).unwrap().to_vec::<f32>().unwrap(), [5.0, 31.0]);
    // Much shorter, so that the old range is past its end.
    Array::open(&folder).unwrap().set(&ix![1.., ..32], &[0.0f32]).unwrap();
    assert_eq!(x.index(&ix![0, &[0i64, 31]]).unwrap().to_vec::<f32>().unwrap(), [5.0, 31.0]);
}

#[test]
fn what_cannot_be_opened_is_told() {
    let dir = TempDir::new().unwrap();
    numbers(dir.path(), "x.zarr", false);
    let (url, counts) = served(dir.path());
    let told = |url: &str| Array::open_url(url, &[]).unwrap_err().to_string();
    assert_eq!(
        told(&format!("{url}/y.zarr")),
        format!("{url}/y.zarr: holds no Zarr array: neither zarr.json nor .zarray is there")
    );
    assert_eq!(
        told("ftp://example.org/x"),
        "ftp://example.org/x: stores behind ftp:// are not read here, only http, https and s3"
    );
    assert!(told("nonsense").starts_with("nonsense: is no URL"));
    let x = Array::open_url(&format!("{url}/x.zarr"), &[]).unwrap();
    counted(&counts);
    let bad = x.index(&ix![&[0i64, 64]]).unwrap_err().to_string();
    assert!(bad.starts_with("index: index 64 is out of bounds for axis 0 with size 64"), "{bad}");
    assert_eq!(counted(&counts).0, 0);
    counts.fails.store(true, Ordering::Relaxed);
    let failed = x.index(&ix![0]).unwrap_err();
    assert!(matches!(failed, takewise_zarr::Error::Store { .. }), "{failed}");
    assert!(failed.to_string().starts_with(&format!("{url}/x.zarr/c/0/")), "{failed}");
}
