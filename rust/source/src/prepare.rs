//! The steps from a source to a body.

use oxc_allocator::Allocator;
use oxc_ast::ast::{Program, Statement};
use oxc_span::GetSpan as _;
use toolcell_protocol::Language;

use crate::{
    Fault, Positions,
    cell_text::CellText,
    completion,
    edits::{Edits, Layer},
    module_access, nesting,
    parse::{self, ParseError},
    refusal::Refusal,
    shell,
    survey::{self, Survey},
    trivia, typescript,
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
    /// The engine evaluates `(async function () {`, line ends, this, a line end, `})` in strict mode, and counts lines
    /// so that the body's first line is line 1. The body parses alone: it can't close the function.
    pub body: String,
    /// Maps a place in `body` to its place in the source as given.
    pub positions: Positions,
}

/// Makes a cell ready for the engine, or says why it is refused.
///
/// `source` is the text as the model gave it, at most a few megabytes. At most 2 MiB of stack are used.
///
/// **Limits:** redeclared names and the like are found here, invalid regular expressions by the engine.
pub fn prepare(source: &str, options: &Options<'_>) -> Result<Prepared, Fault> {
    let cell = CellText::new(source);
    let refusal = Refusal { cell: &cell, options };
    if let Some(offset) = nesting::too_deep_at(&cell.text) {
        return Err(refusal.too_deep(offset));
    }
    if cell.text.starts_with("#!") && shell::javascript_shebang(&cell.text).is_none() {
        return Err(refusal.shebang());
    }
    let languages = match options.language {
        Language::TypeScript => &[Language::TypeScript][..],
        Language::JavaScript if options.typescript_enabled => &[Language::JavaScript, Language::TypeScript],
        Language::JavaScript => &[Language::JavaScript],
    };
    let error = match read_first(&cell, languages, options) {
        Ok(outcome) => return outcome,
        Err(error) => error,
    };
    if starts_like_operand(&cell.text)
        && let Ok(outcome) = read_first(&cell.as_default_export(), languages, options)
    {
        return outcome;
    }
    Err(refusal.unreadable(&error))
}

/// Reads a cell in the first of `languages` in which it parses, or gives the error of the reading that got furthest.
fn read_first(
    cell: &CellText<'_>,
    languages: &[Language],
    options: &Options<'_>,
) -> Result<Result<Prepared, Fault>, ParseError> {
    let mut furthest = ParseError::default();
    for language in languages {
        match read(cell, *language, options) {
            Ok(outcome) => return Ok(outcome),
            Err(error) if furthest.message.is_empty() || error.offset > furthest.offset => furthest = error,
            Err(_) => {}
        }
    }
    Err(furthest)
}

/// Reads a cell in one language. The outer error is that it does not parse so; the inner one is final.
fn read(
    cell: &CellText<'_>,
    language: Language,
    options: &Options<'_>,
) -> Result<Result<Prepared, Fault>, ParseError> {
    let allocator = Allocator::new();
    let syntax = parse::parse(&allocator, &cell.text, parse::source_type(language))?;
    if cell.prefix == 0 && is_object_like_block(syntax.program) {
        return Err(ParseError::default());
    }
    if language == Language::JavaScript
        && let Some(member) = survey::first_typed_member(syntax.program, &cell.text)
    {
        let message = "A class member has a modifier or mark of TypeScript".into();
        return Err(ParseError { message, offset: member.start as usize });
    }
    let refusal = Refusal { cell, options };
    Ok(finish(&allocator, syntax, language, refusal))
}

/// Checks and rewrites a cell that parses.
fn finish<'a>(
    allocator: &'a Allocator,
    syntax: parse::Syntax<'a>,
    language: Language,
    refusal: Refusal<'_>,
) -> Result<Prepared, Fault> {
    let cell = refusal.cell;
    let text = &*cell.text;
    let parse::Syntax { program, modules } = syntax;
    if let Some(span) = module_access::first_syntax(&modules) {
        return Err(refusal.module_access(span.start as usize));
    }
    if let Some(exported) = program.body.iter().find(|statement| is_value_export(statement)) {
        return Err(refusal.export(exported.span().start as usize));
    }
    let early_error = |error: ParseError| refusal.early_error(&error);
    let (program, scoping) = parse::resolve(allocator, program).map_err(early_error)?;
    if let Some(offset) = shell::flagged_command(text, &scoping) {
        return Err(refusal.shell(offset));
    }
    let survey = Survey::of(program, text, &scoping);
    if let Some(span) = survey.module_access {
        return Err(refusal.module_access(span.start as usize));
    }
    if let Some((span, name)) = survey.unsupported {
        return Err(refusal.unsupported(name, span.start as usize));
    }
    let mut edits = Edits::default();
    for offset in survey.html_comments {
        edits.insert_before(offset, Layer::Inner, " ");
    }
    if let Some(hashbang) = &program.hashbang {
        edits.blank(0..hashbang.span.end as usize);
    }
    completion::return_completion_value(program, text, &mut edits).map_err(early_error)?;
    match language {
        Language::JavaScript => typescript::erase_empty_exports(program, &mut edits),
        Language::TypeScript => {
            typescript::erase(program, text, &scoping, &mut edits).map_err(early_error)?;
        }
    }
    let (body, insertions) = edits.apply(text, cell.prefix);
    let code = cell.start..cell.start + (text.len() - cell.prefix);
    Ok(Prepared { body, positions: Positions::new(cell.source, code, &insertions) })
}

fn is_value_export(statement: &Statement<'_>) -> bool {
    matches!(statement, Statement::ExportDeclaration(_) | Statement::ExportNamedDeclaration(_))
        && !typescript::is_type_only(statement)
}

/// `{ a: f() }` as a whole cell: a block with a label by its syntax, an object by what is meant.
fn is_object_like_block(program: &Program<'_>) -> bool {
    let [Statement::BlockStatement(block)] = &program.body[..] else {
        return false;
    };
    match &block.body[..] {
        [Statement::LabeledStatement(property)] => {
            matches!(&property.body, Statement::ExpressionStatement(value) if value.span == value.expression.span())
        }
        statements => statements.is_empty(),
    }
}

/// Whether a text that is not a list of statements may be an anonymous function or an object.
fn starts_like_operand(text: &str) -> bool {
    let first = text.get(trivia::next_token(text, 0)..).unwrap_or_default();
    ["function", "async", "{"].iter().any(|start| first.starts_with(start))
}
