//! The part of a source that is code.

use std::borrow::Cow;

use toolcell_protocol::Location;

use crate::{fence, lines::location_at};

/// The code inside of a source, and how to find a place of it in the source.
#[derive(Debug, Clone)]
pub(crate) struct CellText<'a> {
    /// The source as the model gave it.
    pub(crate) source: &'a str,
    /// Byte offset of the code in the source.
    pub(crate) start: usize,
    /// What is parsed: the code after `prefix` bytes of ours.
    pub(crate) text: Cow<'a, str>,
    /// Bytes at the start of `text` that are not the model's.
    pub(crate) prefix: usize,
}

impl<'a> CellText<'a> {
    /// Finds the code in `source`.
    pub(crate) fn new(source: &'a str) -> Self {
        let range = fence::code_range(source);
        let start = range.start;
        Self { source, start, text: source.get(range).unwrap_or_default().into(), prefix: 0 }
    }

    /// The same code as the operand of `export default`, where an anonymous function and an object may stand.
    pub(crate) fn as_default_export(&self) -> Self {
        const PREFIX: &str = "export default ";
        Self { text: format!("{PREFIX}{}", self.text).into(), prefix: PREFIX.len(), ..*self }
    }

    /// The place in the source of a byte offset in `text`.
    pub(crate) fn locate(&self, offset: usize) -> Location {
        location_at(self.source, self.start + offset.saturating_sub(self.prefix).min(self.text.len()))
    }
}
