//! The `takewise` command: its arguments, what each command does, completion and the prompt.
//!
//! What it evaluates is the affair of `takewise-notation`, and what it reads and writes that of `takewise-files`.
//! A terminal, a progress bar and a command line are known here alone.

#![deny(unsafe_code, clippy::print_stdout, clippy::print_stderr)]

pub mod args;
pub mod commands;
pub mod complete;
pub mod explain;
mod help;
pub mod info;
mod inputs;
mod json;
pub mod opener;
mod output;
mod progress;
mod repl;
mod say;
mod stored;
mod summary;
mod tables;
