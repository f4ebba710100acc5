//! Oracle and generators for takewise.
