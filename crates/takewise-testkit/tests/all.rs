//! The integration tests of the engine as one program, which is linked once: `cargo test -p takewise-testkit --test all MODULE::`.
//!
//! Beside it stand those that need a program of their own: `scratch_memory` counts what is allocated, `plan_snapshots` sets the level of the
//! processor for all threads, `ledger_model` runs under a model checker.

mod atomicity;
mod chunk_moves;
mod compare;
mod complex_gradients;
mod determinism;
mod diagnosis;
mod display;
mod double_backward;
mod errors_facts;
mod exhaustive_along;
mod exhaustive_arrange;
mod exhaustive_chunks;
mod exhaustive_masks;
mod exhaustive_subscripts;
mod far;
mod folds;
mod forced_masks;
mod forced_reads;
mod forced_writes;
mod foreign;
mod gradients;
mod layout;
mod meeting;
mod mixed;
mod moves;
mod operand;
mod oracle;
mod overlap_cases;
mod prepared;
mod random_calls;
mod search;
mod smoke;
mod sparse;
mod strategies;
mod subscript_read;
mod subscript_shapes;
mod subscript_write;
mod tape;
mod tensor_access;
mod tensor_create;
mod tensor_views;
mod words;
