//! Jobs of the project.
fn main() {}
