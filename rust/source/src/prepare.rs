//! The steps from a source to a body.

use oxc_allocator::Allocator;
use toolcell_protocol::Language;

use crate::{
    Fault, FaultKind, Positions,
    cell_text::CellText,
    completion,
    edits::Edits,
    parse::{self, ParseError},
};

/// How a cell is to be read.
#[derive(Debug, Clone, Copy)]
pub struct Options<'a> {
    /// Language the cell is labelled with.
    pub language: Language,
    /// Whether TypeScript syntax in a cell labelled JavaScript may be erased.
    pub typescript_enabled: bool,
    /// Name of the catalogued shell tool, for advice to a model that sent shell text.
    pub shell_tool: Option<&'a str>,
}

/// A cell ready for the engine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prepared {
    /// Body of a strict async function without parameters.
    ///
    /// The engine evaluates `(async function () {"use strict";`, a line end, this, a line end, `})`, and counts
    /// lines so that the body's first line is line 1. The body parses alone: it can't close the function.
    pub body: String,
    /// Maps a place in `body` to its place in the source as given.
    pub positions: Positions,
}

/// Makes a cell ready for the engine, or says why it is refused.
///
/// `source` is the text as the model gave it, at most a few megabytes.
pub fn prepare(source: &str, options: &Options<'_>) -> Result<Prepared, Fault> {
    let cell = CellText::new(source);
    let allocator = Allocator::new();
    prepare_as(&allocator, &cell, options.language).map_err(|error| Fault {
        kind: match options.language {
            Language::JavaScript => FaultKind::SyntaxError,
            Language::TypeScript => FaultKind::TypescriptTransformFailed,
        },
        location: Some(cell.locate(error.offset)),
        message: error.message,
        hint: None,
    })
}

fn prepare_as(allocator: &Allocator, cell: &CellText<'_>, language: Language) -> Result<Prepared, ParseError> {
    let text = allocator.alloc_str(&cell.text);
    let syntax = parse::parse(allocator, text, parse::source_type(language))?;
    let (program, _scoping) = parse::resolve(allocator, syntax.program)?;
    let mut edits = Edits::default();
    completion::return_completion_value(program, text, &mut edits);
    Ok(finish(cell, edits))
}

fn finish(cell: &CellText<'_>, edits: Edits) -> Prepared {
    let (body, insertions) = edits.apply(cell.code());
    let code = cell.start..cell.start + cell.code().len();
    Prepared { body, positions: Positions::new(cell.source, code, &insertions) }
}
