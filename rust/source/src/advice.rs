//! Mistakes of models that no engine reports where they are made.
//!
//! A forgotten `await` shows up lines later, as an `undefined` or not at all. What it was is written in the syntax tree.
//! [`advise`] lists what looks like such a mistake; whether one explains a failure or a strange value is the caller's to
//! decide, by its [`AdviceKind`] and its lines.

mod bindings;
mod nature;
mod uses;

use std::ops::RangeInclusive;

use crate::reading;

/// One thing that looks like a mistake.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Advice {
    /// The class of mistake.
    pub kind: AdviceKind,
    /// Lines of the source from 1 that the expression covers.
    pub lines: RangeInclusive<u32>,
    /// What to do, one or two sentences, with the line and the model's own words.
    pub text: String,
}

/// Classes of [`Advice`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AdviceKind {
    /// A promise is used as if it were its value. Always a mistake.
    PromiseUsed,
    /// A promise is put into an object or array. A mistake if it is still one when the object is read.
    PromiseKept,
    /// A call that nothing awaits. A mistake if it fails.
    NotAwaited,
    /// A tool is called with something else than one object.
    Positional,
    /// `.result` is read of a call that gives the value itself. A mistake unless the value has such a property.
    ResultOfValue,
    /// An MCP result is used as if it were its payload.
    McpPayload,
    /// `forEach` is given an async callback. A mistake if the cell needs what it does.
    AsyncCallback,
    /// An async function is given to a method that wants a truth value or an order of it. Always a mistake.
    AsyncTest,
}

/// Where a tool comes from, as far as its results differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolOrigin {
    /// It gives its value itself.
    Host,
    /// An MCP server: it gives `{content, structuredContent, isError}`.
    Mcp,
}

/// Lists what looks like a mistake in a cell, in source order. `origin_of` knows the tools by bare name, name under
/// `tools` and id.
///
/// A cell that doesn't parse gives nothing. Costs about as much as [`prepare`](crate::prepare()) and uses as much stack.
///
/// ```
/// use toolcell_source::{AdviceKind, ToolOrigin, advise};
///
/// let advice = advise("const r = tools.list();\nreturn r.items", &|_| Some(ToolOrigin::Host));
///
/// assert_eq!(advice[0].kind, AdviceKind::PromiseUsed);
/// assert_eq!(advice[0].text, "Line 2: `r` is a promise here; write `await tools.list()` in line 1.");
/// ```
pub fn advise(source: &str, origin_of: &dyn Fn(&str) -> Option<ToolOrigin>) -> Vec<Advice> {
    reading::read(source, |reading| uses::find(reading, origin_of)).unwrap_or_default()
}
