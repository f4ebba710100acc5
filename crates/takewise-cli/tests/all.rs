//! The integration tests of takewise-cli as one program, which is linked once: `cargo test -p takewise-cli --test all MODULE::`.

mod catalogue;
#[cfg(target_os = "linux")]
mod cold;
mod commands;
mod explain;
mod files;
mod keys;
mod pages;
mod pipes;
mod shared;
#[cfg(unix)]
mod written;
