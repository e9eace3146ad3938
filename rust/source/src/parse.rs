//! Parsing a cell alone, as the body of a strict async function.

use oxc_allocator::{Allocator, ArenaVec};
use oxc_ast::{
    ast::{Directive, Program, Statement, StringLiteral},
    builder::AstBuilder,
};
use oxc_parser::{ParseOptions, Parser};
use oxc_semantic::{Scoping, SemanticBuilder};
use oxc_span::{SPAN, SourceType};
use oxc_syntax::module_record::ModuleRecord;
use toolcell_protocol::Language;

/// A cell that parses.
pub(crate) struct Syntax<'a> {
    pub(crate) program: &'a mut Program<'a>,
    /// Where the cell reaches for modules.
    pub(crate) modules: ModuleRecord<'a>,
}

/// The first reason why a text does not parse.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ParseError {
    /// What is wrong, in the parser's words.
    pub(crate) message: String,
    /// Byte offset in the text.
    pub(crate) offset: usize,
}

/// Parses `text` as a module, the goal in which `await` and strict mode stand at the top level as they do in the
/// function that the engine makes of it.
pub(crate) fn parse<'a>(
    allocator: &'a Allocator,
    text: &'a str,
    source_type: SourceType,
) -> Result<Syntax<'a>, ParseError> {
    let options = ParseOptions { allow_return_outside_function: true, ..ParseOptions::default() };
    let parsed = Parser::new(allocator, text, source_type).with_options(options).parse();
    match first_error(&parsed.diagnostics) {
        Some(error) => Err(error),
        None => Ok(Syntax { program: allocator.alloc(parsed.program), modules: parsed.module_record }),
    }
}

/// The parser's mode for a language.
pub(crate) fn source_type(language: Language) -> SourceType {
    match language {
        Language::JavaScript => SourceType::mjs(),
        // `ts()` alone would decide between script and module by what it finds.
        Language::TypeScript => SourceType::ts().with_module(true),
    }
}

/// Resolves names and reports early errors.
///
/// The body of a function is like a `CommonJS` file: functions at its top level may be declared twice, which a
/// module forbids.
pub(crate) fn resolve<'a>(
    allocator: &'a Allocator,
    program: &'a mut Program<'a>,
) -> Result<(&'a Program<'a>, Scoping), ParseError> {
    if !program.body.iter().any(Statement::is_module_declaration) {
        program.source_type = program.source_type.with_commonjs(true);
        let builder = AstBuilder::new(allocator);
        let strict = StringLiteral::new(SPAN, "use strict", None, &builder);
        program.directives.push(Directive::new(SPAN, strict, "use strict", &builder));
    }
    let program = &*program;
    let built = SemanticBuilder::new_compiler().build(program);
    match first_error(&built.diagnostics) {
        Some(error) => Err(error),
        None => Ok((program, built.semantic.into_scoping())),
    }
}

/// The model's own directives, without the one that [`resolve`] adds.
pub(crate) fn own_directives<'a, 'b>(directives: &'b ArenaVec<'a, Directive<'a>>) -> &'b [Directive<'a>] {
    match directives.split_last() {
        Some((last, rest)) if last.span.is_empty() => rest,
        _ => directives,
    }
}

fn first_error(diagnostics: &[oxc_diagnostics::OxcDiagnostic]) -> Option<ParseError> {
    diagnostics
        .iter()
        .map(|found| {
            let offset = found.labels.first().map_or(0, |label| label.offset() as usize);
            ParseError { message: found.message.to_string(), offset }
        })
        .min_by_key(|error| error.offset)
}
