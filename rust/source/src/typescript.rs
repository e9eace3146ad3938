//! TypeScript to JavaScript, in place.
//!
//! Types are overwritten with spaces, so lines and byte columns stay. What needs code (enums, namespaces, parameter
//! properties) is turned into it by insertions around the model's own text, which [`crate::Positions`] maps back.
//! There is no type check.

mod class;
mod enumeration;
mod eraser;
mod merging;
mod namespace;

use oxc_ast::ast::{
    Declaration, ExportDefaultDeclarationKind, ImportOrExportKind, Program, Statement,
    TSNamespaceDeclaration, TSNamespaceDeclarationBody,
};
use oxc_ast_visit::Visit as _;
use oxc_semantic::Scoping;
use oxc_span::{GetSpan as _, Span};

use crate::{edits::Edits, parse::ParseError};

/// Erases types from a program, or names what can't be erased.
pub(crate) fn erase(
    program: &Program<'_>,
    text: &str,
    scoping: &Scoping,
    edits: &mut Edits,
) -> Result<(), ParseError> {
    let mut eraser = eraser::Eraser::new(text, scoping, edits);
    eraser.visit_program(program);
    eraser.finish()
}

/// Erases `export {}` from a JavaScript program, which has nothing else to erase.
pub(crate) fn erase_empty_exports(program: &Program<'_>, edits: &mut Edits) {
    for statement in program.body.iter().filter(|statement| is_type_only(statement)) {
        blank_statement(statement.span(), edits);
    }
}

/// Blanks a whole statement or class member. The semicolon keeps what is around it apart.
fn blank_statement(span: Span, edits: &mut Edits) {
    edits.blank(span.start as usize..span.end as usize);
    edits.overwrite(span.start as usize, b';');
}

/// Whether nothing of a statement is left at run time.
pub(crate) fn is_type_only(statement: &Statement<'_>) -> bool {
    let is_type = |kind| kind == ImportOrExportKind::Type;
    match statement {
        Statement::ImportDeclaration(it) => is_type(it.import_kind),
        Statement::ExportAllDeclaration(it) => is_type(it.export_kind),
        Statement::ExportFromDeclaration(it) => is_type(it.export_kind),
        Statement::ExportNamedDeclaration(it) => is_type(it.export_kind) || it.specifiers.is_empty(),
        Statement::ExportDeclaration(it) => is_type_only_declaration(&it.declaration),
        Statement::ExportDefaultDeclaration(it) => match &it.declaration {
            ExportDefaultDeclarationKind::TSInterfaceDeclaration(_) => true,
            ExportDefaultDeclarationKind::FunctionDeclaration(function) => function.body.is_none(),
            _ => false,
        },
        Statement::TSNamespaceExportDeclaration(_) => true,
        _ => statement.as_declaration().is_some_and(is_type_only_declaration),
    }
}

fn is_type_only_declaration(declaration: &Declaration<'_>) -> bool {
    match declaration {
        Declaration::TSTypeAliasDeclaration(_)
        | Declaration::TSInterfaceDeclaration(_)
        | Declaration::TSExternalModuleDeclaration(_)
        | Declaration::TSGlobalDeclaration(_) => true,
        Declaration::VariableDeclaration(it) => it.declare,
        Declaration::FunctionDeclaration(it) => it.declare || it.body.is_none(),
        Declaration::ClassDeclaration(it) => it.declare,
        Declaration::TSEnumDeclaration(it) => it.declare,
        Declaration::TSNamespaceDeclaration(it) => it.declare || !has_values(it),
        Declaration::TSImportEqualsDeclaration(it) => it.import_kind == ImportOrExportKind::Type,
    }
}

fn has_values(namespace: &TSNamespaceDeclaration<'_>) -> bool {
    match &namespace.body {
        TSNamespaceDeclarationBody::TSNamespaceDeclaration(inner) => has_values(inner),
        TSNamespaceDeclarationBody::TSModuleBlock(block) => {
            block.body.iter().any(|statement| !is_type_only(statement))
        }
    }
}
