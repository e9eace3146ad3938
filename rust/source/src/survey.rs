//! One walk over a cell for what only a few cells have.

use oxc_ast::ast::{
    AccessorProperty, BinaryExpression, BinaryOperator, CallExpression, Decorator, ImportDeclaration,
    ImportOrExportKind, JSXElement, JSXFragment, MethodDefinition, Program, PropertyDefinition, Statement,
};
use oxc_ast_visit::{
    Visit,
    walk::{
        walk_binary_expression, walk_call_expression, walk_export_default_declaration,
        walk_method_definition, walk_property_definition, walk_statement,
    },
};
use oxc_semantic::Scoping;
use oxc_span::{GetSpan as _, Span};

use crate::{module_access, typescript::is_type_only};

/// What a walk found.
#[derive(Debug, Default)]
pub(crate) struct Survey {
    /// The first call of the global `require`, or `import` declaration inside of something.
    pub(crate) module_access: Option<Span>,
    /// The first syntax that the engine does not have, and its name.
    pub(crate) unsupported: Option<(Span, &'static str)>,
    /// Offsets of `!` in `a<!--b`, which the engine reads as a comment.
    pub(crate) html_comments: Vec<usize>,
}

impl Survey {
    /// Walks the program, if its text has a word for what is looked for.
    pub(crate) fn of(program: &Program<'_>, text: &str, scoping: &Scoping) -> Self {
        let bytes = text.as_bytes();
        let needed = ["require", "import", "export", "\\u", "<!--", "@", "accessor"];
        if !needed.iter().any(|word| memchr::memmem::find(bytes, word.as_bytes()).is_some()) {
            return Self::default();
        }
        let mut surveyor = Surveyor { text, scoping, found: Self::default() };
        for statement in &program.body {
            match statement {
                Statement::ExportDefaultDeclaration(it) => walk_export_default_declaration(&mut surveyor, it),
                _ => surveyor.visit_statement(statement),
            }
        }
        surveyor.found
    }
}

struct Surveyor<'t> {
    text: &'t str,
    scoping: &'t Scoping,
    found: Survey,
}

impl Surveyor<'_> {
    fn refuse(&mut self, span: Span, name: &'static str) {
        self.found.unsupported.get_or_insert((span, name));
    }
}

impl<'a> Visit<'a> for Surveyor<'_> {
    fn visit_statement(&mut self, it: &Statement<'a>) {
        match it {
            _ if is_type_only(it) => {}
            Statement::ExportDefaultDeclaration(_) | Statement::ExportNamedDeclaration(_) => {
                self.refuse(it.span(), "exports inside of something");
            }
            _ => walk_statement(self, it),
        }
    }

    fn visit_call_expression(&mut self, it: &CallExpression<'a>) {
        if self.found.module_access.is_none() {
            self.found.module_access = module_access::required(it, self.scoping);
        }
        walk_call_expression(self, it);
    }

    fn visit_import_declaration(&mut self, it: &ImportDeclaration<'a>) {
        if it.import_kind == ImportOrExportKind::Value {
            self.found.module_access.get_or_insert(it.span);
        }
    }

    fn visit_binary_expression(&mut self, it: &BinaryExpression<'a>) {
        let right = it.right.span().start as usize;
        if it.operator == BinaryOperator::LessThan
            && self.text.get(..right).is_some_and(|before| before.ends_with('<'))
            && self.text.get(right..).is_some_and(|after| after.starts_with("!--"))
        {
            self.found.html_comments.push(right);
        }
        walk_binary_expression(self, it);
    }

    fn visit_decorator(&mut self, it: &Decorator<'a>) {
        self.refuse(it.span, "decorators");
    }

    fn visit_accessor_property(&mut self, it: &AccessorProperty<'a>) {
        self.refuse(it.span, "`accessor` fields");
    }
}

/// The first class member with syntax of TypeScript. The parser takes some of it in JavaScript too.
pub(crate) fn first_typed_member(program: &Program<'_>, text: &str) -> Option<Span> {
    memchr::memmem::find(text.as_bytes(), b"class")?;
    let mut finder = TypedMemberFinder(None);
    finder.visit_program(program);
    finder.0
}

struct TypedMemberFinder(Option<Span>);

impl<'a> Visit<'a> for TypedMemberFinder {
    fn visit_property_definition(&mut self, it: &PropertyDefinition<'a>) {
        if it.accessibility.is_some()
            || it.readonly
            || it.r#override
            || it.declare
            || it.optional
            || it.definite
        {
            self.0.get_or_insert(it.span);
        }
        walk_property_definition(self, it);
    }

    fn visit_method_definition(&mut self, it: &MethodDefinition<'a>) {
        if it.accessibility.is_some() || it.r#override || it.optional {
            self.0.get_or_insert(it.span);
        }
        walk_method_definition(self, it);
    }
}

/// The first JSX element of a program.
pub(crate) fn first_jsx(program: &Program<'_>) -> Option<Span> {
    let mut finder = JsxFinder(None);
    finder.visit_program(program);
    finder.0
}

struct JsxFinder(Option<Span>);

impl<'a> Visit<'a> for JsxFinder {
    fn visit_jsx_element(&mut self, it: &JSXElement<'a>) {
        self.0.get_or_insert(it.span);
    }

    fn visit_jsx_fragment(&mut self, it: &JSXFragment<'a>) {
        self.0.get_or_insert(it.span);
    }
}
