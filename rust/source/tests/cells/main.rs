//! Whole cells through `prepare`.

#![expect(
    clippy::panic,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "helpers of tests fail by panicking"
)]

mod advice;
mod common;
mod completion_value;
mod module_access;
mod nesting;
mod properties;
mod refusals;
mod typescript;
mod wrappings;
