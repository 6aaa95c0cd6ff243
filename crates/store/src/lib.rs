//! Every version.
