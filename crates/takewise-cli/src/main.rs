//! The `takewise` command.
fn main() {}
