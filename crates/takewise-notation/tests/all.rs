//! The integration tests of takewise-notation as one program, which is linked once: `cargo test -p takewise-notation --test all MODULE::`.

mod documents;
mod explain;
mod explain_all;
mod golden;
mod onnx;
mod pages;
mod shared;
mod stored;
mod transcripts;
