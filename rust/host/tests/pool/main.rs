//! The pool against workers that do what a script says.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;
mod exchange;
mod hostile;
mod starting;
