//! The steps from a source to a body.

use oxc_allocator::Allocator;
use oxc_ast::ast::{Program, Statement};
use oxc_span::GetSpan as _;
use toolcell_protocol::Language;

use crate::{
    Fault, FaultKind, Positions,
    cell_text::CellText,
    completion,
    edits::{Edits, Order},
    module_access, nesting,
    parse::{self, ParseError},
    python_text, shell,
    survey::Survey,
    syntax_hint, typescript,
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
/// `source` is the text as the model gave it, at most a few megabytes. At most 2 MiB of stack are used.
///
/// **Limits:** redeclared names and the like are found here, invalid regular expressions by the engine.
pub fn prepare(source: &str, options: &Options<'_>) -> Result<Prepared, Fault> {
    Preparation { cell: CellText::new(source), options }.run()
}

/// Why one reading of a cell failed.
enum Refusal {
    /// It does not parse so; another reading may.
    Unreadable(ParseError),
    /// It parses, and is refused.
    Final(Fault),
}

struct Preparation<'a> {
    cell: CellText<'a>,
    options: &'a Options<'a>,
}

impl Preparation<'_> {
    fn run(&self) -> Result<Prepared, Fault> {
        let text = &self.cell.text;
        if let Some(offset) = nesting::too_deep_at(text) {
            let message = format!("Nested too deeply: more than {} levels", nesting::MAX_LEVELS);
            return Err(self.fault(message, offset, Some("Build deep values in a loop.")));
        }
        if text.starts_with("#!") && shell::javascript_shebang(text).is_none() {
            return Err(shell::refuse(&self.cell, 0, self.options.shell_tool));
        }
        let mut first_error = None;
        for (cell, language) in self.readings() {
            match self.read(&cell, language) {
                Ok(prepared) => return Ok(prepared),
                Err(Refusal::Final(fault)) => return Err(fault),
                Err(Refusal::Unreadable(error)) if cell.prefix == 0 => {
                    first_error = Some(further(first_error, error));
                }
                Err(Refusal::Unreadable(_)) => {}
            }
        }
        Err(self.unreadable(&first_error.unwrap_or_default()))
    }

    /// How the cell may be read, likeliest first. A reading begins only when those before it have failed.
    fn readings(&self) -> impl Iterator<Item = (CellText<'_>, Language)> {
        let languages = match self.options.language {
            Language::TypeScript => &[Language::TypeScript][..],
            Language::JavaScript if self.options.typescript_enabled => &[Language::JavaScript, Language::TypeScript],
            Language::JavaScript => &[Language::JavaScript],
        };
        let as_statements = languages.iter().map(|language| (self.cell.clone(), *language));
        let may_be_operand = starts_like_operand(&self.cell.text);
        let as_operand = languages
            .iter()
            .filter(move |_| may_be_operand)
            .map(|language| (self.cell.as_default_export(), *language));
        as_statements.chain(as_operand)
    }

    fn read(&self, cell: &CellText<'_>, language: Language) -> Result<Prepared, Refusal> {
        let allocator = Allocator::new();
        let text = &*cell.text;
        let syntax =
            parse::parse(&allocator, text, parse::source_type(language)).map_err(Refusal::Unreadable)?;
        if let Some(span) = module_access::first_syntax(&syntax.modules) {
            return Err(Refusal::Final(self.module_access(cell, span.start as usize)));
        }
        self.refuse_exports(cell, syntax.program)?;
        let (program, scoping) = parse::resolve(&allocator, syntax.program).map_err(|error| self.explained(cell, &error))?;
        if let Some(offset) = shell::flagged_command(text, &scoping) {
            return Err(Refusal::Final(shell::refuse(cell, offset, self.options.shell_tool)));
        }
        let survey = Survey::of(program, text, &scoping);
        if let Some(span) = survey.require {
            return Err(Refusal::Final(self.module_access(cell, span.start as usize)));
        }
        if let Some((span, name)) = survey.unsupported {
            let message = format!("A cell can't have {name}");
            return Err(Refusal::Final(self.fault_at(cell, message, span.start as usize, None)));
        }
        let mut edits = Edits::default();
        for offset in survey.html_comments {
            edits.insert(offset, Order::Inner, " ");
        }
        if let Some(hashbang) = &program.hashbang {
            edits.blank(0..hashbang.span.end as usize);
        }
        completion::return_completion_value(program, text, &mut edits).map_err(|error| self.explained(cell, &error))?;
        if language == Language::TypeScript {
            typescript::erase(program, text, &scoping, &mut edits).map_err(|error| self.explained(cell, &error))?;
        }
        Ok(finish(cell, edits))
    }

    fn refuse_exports(&self, cell: &CellText<'_>, program: &Program<'_>) -> Result<(), Refusal> {
        let exported = program.body.iter().find(|statement| {
            matches!(statement, Statement::ExportDeclaration(_) | Statement::ExportNamedDeclaration(_))
                && !typescript::is_type_only(statement)
        });
        exported.map_or(Ok(()), |statement| {
            let offset = statement.span().start as usize;
            let hint = "Declare it without `export`, and `return` what the cell is to give.";
            Err(Refusal::Final(self.fault_at(cell, "A cell is not a module and has no exports".into(), offset, Some(hint))))
        })
    }

    fn module_access(&self, cell: &CellText<'_>, offset: usize) -> Fault {
        Fault {
            kind: FaultKind::ModuleAccessDenied,
            message: "A cell can't load modules".into(),
            location: Some(cell.locate(offset)),
            hint: Some("JavaScript's own globals and the tools are there: see `ALL_TOOLS` and `tools.search(\"…\")`.".into()),
        }
    }

    /// The cell parses, but for a fault that no other reading mends.
    fn explained(&self, cell: &CellText<'_>, error: &ParseError) -> Refusal {
        let explanation = syntax_hint::explain(error, &cell.text);
        Refusal::Final(self.fault_at(cell, explanation.message, error.offset, explanation.hint))
    }

    /// No reading parses: shell, Python, or a mistake.
    fn unreadable(&self, error: &ParseError) -> Fault {
        let text = &self.cell.text;
        if let Some(offset) = shell::command(text) {
            return shell::refuse(&self.cell, offset, self.options.shell_tool);
        }
        if let Some(python) = python_text::find(text) {
            return self.fault("This is Python, not JavaScript".into(), python.offset, Some(python.hint));
        }
        let explanation = syntax_hint::explain(error, text);
        self.fault(explanation.message, error.offset, explanation.hint)
    }

    fn fault(&self, message: String, offset: usize, hint: Option<&'static str>) -> Fault {
        self.fault_at(&self.cell, message, offset, hint)
    }

    fn fault_at(&self, cell: &CellText<'_>, message: String, offset: usize, hint: Option<&'static str>) -> Fault {
        Fault {
            kind: match self.options.language {
                Language::JavaScript => FaultKind::SyntaxError,
                Language::TypeScript => FaultKind::TypescriptTransformFailed,
            },
            message,
            location: Some(cell.locate(offset)),
            hint: hint.map(str::to_owned),
        }
    }
}

/// The error of the reading that got further; the earlier reading's on a tie.
fn further(first: Option<ParseError>, second: ParseError) -> ParseError {
    match first {
        Some(first) if first.offset >= second.offset => first,
        _ => second,
    }
}

/// Whether a text that is not a list of statements may be an anonymous function or an object.
fn starts_like_operand(text: &str) -> bool {
    let mut rest = text.trim_start();
    loop {
        let comment_end = if rest.starts_with("//") {
            rest.find(['\n', '\r'])
        } else if rest.starts_with("/*") {
            rest.find("*/").map(|end| end + 2)
        } else {
            break;
        };
        let Some(after) = comment_end.and_then(|end| rest.get(end..)) else { return false };
        rest = after.trim_start();
    }
    ["function", "async", "{"].iter().any(|start| rest.starts_with(start))
}

fn finish(cell: &CellText<'_>, edits: Edits) -> Prepared {
    let (body, insertions) = edits.apply(&cell.text, cell.prefix);
    let code = cell.start..cell.start + (cell.text.len() - cell.prefix);
    Prepared { body, positions: Positions::new(cell.source, code, &insertions) }
}
