//! The names of gradient nodes.

mod node_names;

pub use node_names::{full_node_name, node_name};
