//! The VM that executes cells: QuickJS in an arena, a native bridge, limits, suspension. See docs/architecture.md.
//!
//! An [`Engine`] answers the messages of `toolcell-protocol`. Its whole state lies in the arena, so it can be reset by
//! copying, suspended to bytes, and resumed in another process. There is one engine per process.

mod catalog;
mod codec;
mod engine;
mod failure;
mod ffi;
mod guest;
mod hints;
mod image;
mod leg;
mod realm;
mod root;
mod state;

pub use engine::{BootError, Engine, Hooks};
pub use ffi::stack::on_engine_stack;
