//! Short ways to prepare a cell.

use toolcell_protocol::{Language, Location};
use toolcell_source::{Fault, FaultKind, Options, Prepared, prepare};

pub(crate) fn javascript(source: &str) -> Result<Prepared, Fault> {
    let options = Options { language: Language::JavaScript, typescript_enabled: true, shell_tool: None };
    prepare(source, &options)
}

pub(crate) fn typescript(source: &str) -> Result<Prepared, Fault> {
    let options = Options { language: Language::TypeScript, typescript_enabled: true, shell_tool: None };
    prepare(source, &options)
}

/// The body of a JavaScript cell that must be accepted.
pub(crate) fn body(source: &str) -> String {
    javascript(source).unwrap_or_else(|fault| panic!("{source}: {fault:?}")).body
}

/// The body of a TypeScript cell that must be accepted.
pub(crate) fn typescript_body(source: &str) -> String {
    typescript(source).unwrap_or_else(|fault| panic!("{source}: {fault:?}")).body
}

/// The fault of a JavaScript cell that must be refused.
pub(crate) fn refused(source: &str) -> Fault {
    match javascript(source) {
        Ok(prepared) => panic!("{source} is accepted: {}", prepared.body),
        Err(fault) => fault,
    }
}

/// Kind, line and column of the fault of a JavaScript cell.
pub(crate) fn refused_at(source: &str) -> (FaultKind, u32, u32) {
    let fault = refused(source);
    match fault.location {
        Some(Location { line, column: Some(column) }) => (fault.kind, line, column),
        other => panic!("{source}: {other:?}"),
    }
}
