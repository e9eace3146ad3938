//! What a host and its workers say to each other.
//!
//! A conversation is a sequence of [`frame`]s; each frame holds one [`ToWorker`] or [`FromWorker`] message.
//! Both ends treat the other's bytes as hostile: lengths are capped before anything is allocated, and a
//! malformed message is an error, never a panic.
//!
//! ```text
//! host                                   worker
//!   (spawn: argv = parent pid, build id)
//!                                  <--   Ready | Unready
//!   Catalog?                       -->
//!   Start                          -->
//!                                  <--   Output*, (Call | Cancel)*, Waiting
//!   Settle*, Run                   -->
//!                                  <--   Output*, Completed | Failed         worker is reset and idle
//!   Park (while waiting)           -->
//!                                  <--   Parked | Failed                     worker is reset and idle
//!   Restore, Settle*, Run          -->   (any worker of the same build)
//!                                  <--   Refused | as after Start
//! ```

pub mod frame;
mod limits;
mod message;

pub use frame::{FrameBuffer, FrameError};
pub use limits::{BigIntegers, Limits, OutputOverflow};
pub use message::{
    ApiFile, Call, CallForm, Catalog, CatalogTool, Failure, FailureReason, FromWorker, Language, Location,
    Method, Namespace, NamespaceFunction, NamespaceKind, Output, Ready, Restore, Settle, Settlement,
    StackFrame, Start, ToWorker, ToolFailure,
};

/// Version of this protocol. Host and worker must agree exactly.
pub const PROTOCOL_VERSION: u32 = 1;

/// Fingerprint of the Rust sources and the lock file that this crate was built from, as lower-case hex.
///
/// A worker states it in [`Ready`]; a host refuses any other.
pub const SOURCE_FINGERPRINT: &str = env!("TOOLCELL_SOURCE_FINGERPRINT");
