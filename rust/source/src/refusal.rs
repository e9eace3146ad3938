//! What a model is told about a cell that is refused.

use oxc_allocator::Allocator;
use oxc_span::SourceType;
use toolcell_protocol::Language;

use crate::{
    Fault, FaultKind, Options,
    cell_text::CellText,
    nesting,
    parse::{self, ParseError},
    python_text, shell, survey, syntax_hint, trivia,
};

/// Makes faults of one cell. Offsets are those of `cell.text`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Refusal<'a> {
    pub(crate) cell: &'a CellText<'a>,
    pub(crate) options: &'a Options<'a>,
}

impl Refusal<'_> {
    pub(crate) fn too_deep(&self, offset: usize) -> Fault {
        let message = format!("Nested too deeply: more than {} levels", nesting::MAX_LEVELS);
        self.fault(message, offset, Some("Build deep values in a loop."))
    }

    pub(crate) fn shebang(&self) -> Fault {
        if self.cell.text.split(['\n', '\r']).next().is_some_and(|line| line.contains("python")) {
            return self.python(0, "Write the program in JavaScript.");
        }
        self.shell(0)
    }

    pub(crate) fn shell(&self, offset: usize) -> Fault {
        shell::refuse(self.cell, offset, self.options.shell_tool)
    }

    pub(crate) fn module_access(&self, offset: usize) -> Fault {
        let hint =
            "JavaScript's own globals and the tools are there: see `ALL_TOOLS` and `tools.search(\"…\")`.";
        Fault {
            kind: FaultKind::ModuleAccessDenied,
            ..self.fault("A cell can't load modules".into(), offset, Some(hint))
        }
    }

    pub(crate) fn export(&self, offset: usize) -> Fault {
        let hint = "Declare it without `export`, and `return` what the cell is to give.";
        self.fault("A cell is not a module and has no exports".into(), offset, Some(hint))
    }

    pub(crate) fn unsupported(&self, name: &str, offset: usize) -> Fault {
        self.fault(format!("A cell can't have {name}"), offset, None)
    }

    /// A text that parses, but for `error`.
    pub(crate) fn early_error(&self, error: &ParseError) -> Fault {
        if error.message.starts_with("Cannot use import statement") {
            return self.module_access(error.offset);
        }
        let text = &self.cell.text;
        let explanation = syntax_hint::explain(error, text);
        // The parser points between two tokens where it misses a semicolon; the model looks at the second.
        let rest = text.get(error.offset..).unwrap_or_default();
        let between = rest.starts_with([' ', '\t', '\r', '\n']) && !rest.trim_start().is_empty();
        let offset = if between { trivia::next_token(text, error.offset) } else { error.offset };
        self.fault(explanation.message, offset, explanation.hint)
    }

    /// A text that doesn't parse in any way: shell, Python, JSX, or a mistake.
    pub(crate) fn unreadable(&self, error: &ParseError) -> Fault {
        let text = &*self.cell.text;
        if let Some(offset) = shell::command(text) {
            return self.shell(offset);
        }
        if let Some(python) = python_text::find(text) {
            return self.python(python.offset, python.hint);
        }
        if let Some(offset) = first_jsx(text) {
            return self.fault(
                "JSX is not supported".into(),
                offset,
                Some("Build strings or plain objects instead."),
            );
        }
        if self.options.language == Language::JavaScript
            && !self.options.typescript_enabled
            && is_typescript(text)
        {
            let hint = "Types are TypeScript, which is not enabled here: leave them out.";
            return Fault { hint: Some(hint.into()), ..self.early_error(error) };
        }
        self.early_error(error)
    }

    fn python(&self, offset: usize, hint: &'static str) -> Fault {
        self.fault("This is Python, not JavaScript".into(), offset, Some(hint))
    }

    fn fault(&self, message: String, offset: usize, hint: Option<&'static str>) -> Fault {
        Fault {
            kind: match self.options.language {
                Language::JavaScript => FaultKind::SyntaxError,
                Language::TypeScript => FaultKind::TypescriptTransformFailed,
            },
            message,
            location: Some(self.cell.locate(offset)),
            hint: hint.map(str::to_owned),
        }
    }
}

fn first_jsx(text: &str) -> Option<usize> {
    if !text.contains("</") && !text.contains("/>") {
        return None;
    }
    let allocator = Allocator::new();
    let syntax = parse::parse(&allocator, text, SourceType::tsx().with_module(true)).ok()?;
    survey::first_jsx(syntax.program).map(|span| span.start as usize)
}

fn is_typescript(text: &str) -> bool {
    parse::parse(&Allocator::new(), text, parse::source_type(Language::TypeScript)).is_ok()
}
