//! The `takewise` command.

use std::process::ExitCode;

use takewise_cli::opener::Files;

fn main() -> ExitCode {
    takewise_cli::commands::run(takewise_cli::args::parse(&Files))
}
