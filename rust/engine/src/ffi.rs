//! The one room that talks to QuickJS: everything `unsafe` about the engine, behind a small safe surface.
//!
//! There is one runtime and one context per process and one thread uses them, so handles are plain values and the
//! context is found through [`vm`]. Nothing here knows of tools, cells or limits.

pub(crate) mod allocator;
mod binary;
pub(crate) mod clock;
pub(crate) mod exotic;
pub(crate) mod function;
pub(crate) mod property;
pub(crate) mod stack;
mod thrown;
pub(crate) mod value;
pub(crate) mod vm;

pub(crate) use function::{Arguments, NativeFunction};
pub(crate) use property::{Atom, Property};
pub(crate) use thrown::{JsResult, Thrown};
pub(crate) use value::{Kind, Value};
