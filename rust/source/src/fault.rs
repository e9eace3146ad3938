//! Why a cell was refused.

use toolcell_protocol::Location;

/// Why a cell was refused before any of it ran.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Fault {
    /// The class of fault.
    pub kind: FaultKind,
    /// One sentence for the model, about the first fault only.
    pub message: String,
    /// Where in the source as given.
    pub location: Option<Location>,
    /// What to do, where the cause is known.
    pub hint: Option<String>,
}

/// Classes of [`Fault`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultKind {
    /// A cell labelled JavaScript does not parse.
    SyntaxError,
    /// A cell labelled TypeScript does not parse, or uses what can't be erased.
    TypescriptTransformFailed,
    /// The cell reaches for a module.
    ModuleAccessDenied,
    /// The cell is a shell command.
    ShellCommand,
}
