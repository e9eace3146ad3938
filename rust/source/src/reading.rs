//! Reading a cell once more, after it has run: [`prepare`](crate::prepare()) keeps no syntax tree.

use oxc_allocator::Allocator;
use oxc_ast::ast::Program;
use oxc_semantic::Scoping;
use oxc_span::Span;
use toolcell_protocol::{Language, Location};

use crate::{cell_text::CellText, lines::offset_at, nesting, parse};

/// A cell that parses, with its names resolved.
pub(crate) struct Reading<'r, 'a> {
    pub(crate) cell: &'r CellText<'r>,
    pub(crate) program: &'r Program<'a>,
    pub(crate) scoping: &'r Scoping,
}

impl Reading<'_, '_> {
    /// The text of a node on one line, at most [`MAX_QUOTED`] code points.
    pub(crate) fn quote(&self, span: Span) -> String {
        let text = self.cell.text.get(span.start as usize..span.end as usize).unwrap_or_default();
        let mut quoted = String::new();
        for word in text.split_whitespace().take(MAX_QUOTED) {
            if !quoted.is_empty() {
                quoted.push(' ');
            }
            quoted.push_str(word);
        }
        if quoted.chars().count() > MAX_QUOTED {
            quoted = quoted.chars().take(MAX_QUOTED - 1).chain(['…']).collect();
        }
        quoted
    }

    /// Where a byte of the parsed text is in the source.
    pub(crate) fn locate(&self, offset: u32) -> Location {
        self.cell.locate(offset as usize)
    }

    /// The byte of the parsed text that a place in the source is, if its column is known.
    pub(crate) fn offset(&self, location: Location) -> Option<u32> {
        let offset = offset_at(self.cell.source, location)?.checked_sub(self.cell.start)?;
        u32::try_from(offset + self.cell.prefix).ok()
    }
}

/// Code points of a node that are shown.
const MAX_QUOTED: usize = 40;

/// Reads `source` as [`prepare`](crate::prepare()) did when it accepted it. `None` if it doesn't parse in any way.
pub(crate) fn read<R>(source: &str, look: impl Fn(&Reading<'_, '_>) -> R) -> Option<R> {
    let cell = CellText::new(source);
    if nesting::too_deep_at(&cell.text).is_some() {
        return None;
    }
    let read_in_any = |cell: &CellText<'_>| {
        let languages = [Language::JavaScript, Language::TypeScript];
        languages.into_iter().find_map(|language| read_as(cell, language, &look))
    };
    read_in_any(&cell).or_else(|| read_in_any(&cell.as_default_export()))
}

fn read_as<R>(cell: &CellText<'_>, language: Language, look: impl Fn(&Reading<'_, '_>) -> R) -> Option<R> {
    let allocator = Allocator::new();
    let syntax = parse::parse(&allocator, &cell.text, parse::source_type(language)).ok()?;
    let (program, scoping) = parse::resolve(&allocator, syntax.program).ok()?;
    Some(look(&Reading { cell, program, scoping: &scoping }))
}
