//! ndarray views for takewise.
