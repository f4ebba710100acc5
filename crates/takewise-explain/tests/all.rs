//! The integration tests of takewise-explain as one program, which is linked once: `cargo test -p takewise-explain --test all MODULE::`.

mod drawings;
mod flows;
mod kit;
mod operations;
mod picture;
mod replay;
mod schema;
