//! Operations: what each is called, what it demands of its operands, and one call of the engine.

pub mod compare;
