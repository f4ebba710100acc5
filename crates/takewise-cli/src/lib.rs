//! The command line of takewise as a library.
