//! Ways of writing and of combining in place.

pub(crate) mod blocks;
pub(crate) mod fused;
pub(crate) mod last_position;
pub(crate) mod partition;
pub(crate) mod shadow;
