//! The command `takewise`, for which a name may stand for a Zarr array: `takewise eval 'x[i, j]' x=data.zarr`.

#![forbid(unsafe_code)]

use std::process::ExitCode;

use clap::Parser;

mod zarr;

fn main() -> ExitCode {
    let args = takewise_cli::args::Args::parse();
    takewise_cli::commands::run_with(args, &zarr::Zarr)
}
