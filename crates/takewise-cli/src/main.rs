//! The `takewise` command.

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    let args = takewise_cli::args::Args::parse();
    takewise_cli::commands::run(args)
}
