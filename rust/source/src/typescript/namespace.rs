//! Namespaces: an object filled by a function, around the namespace's own text.
//!
//! `namespace A { export const x = 1 }` becomes `var A;(function(A){ const x = 1;A.x=x; })(A||(A={}));`. An exported
//! `let` or `var` becomes the property itself, so that assignments are seen outside.

use std::fmt::Write as _;

use oxc_ast::ast::{
    BindingIdentifier, BindingPattern, Declaration, Statement, TSModuleBlock, TSNamespaceDeclaration,
    TSNamespaceDeclarationBody, VariableDeclaration, VariableDeclarationKind,
};
use oxc_ast_visit::Visit as _;
use oxc_span::GetSpan as _;

use super::{enumeration::closing, eraser::Eraser, is_type_only};

impl Eraser<'_> {
    /// Makes code of a namespace; `outer` is the one that exports it.
    pub(super) fn emit_namespace(&mut self, it: &TSNamespaceDeclaration<'_>, outer: Option<&str>) {
        self.emit_binding(it.span.start, &it.id);
        self.emit_namespace_body(it, outer);
    }

    fn emit_namespace_body(&mut self, it: &TSNamespaceDeclaration<'_>, outer: Option<&str>) {
        let name = it.id.name.as_str();
        self.merging.open(name, it.id.symbol_id.get(), it.scope_id.get());
        match &it.body {
            TSNamespaceDeclarationBody::TSNamespaceDeclaration(inner) => {
                // `A.B` is `A` with an exported `B` in it.
                self.insert_after(it.id.span.end, format!(";(function({name}){{var "));
                self.blank(it.id.span.end, inner.id.span.start);
                self.merging.export(inner.id.name.as_str());
                self.emit_namespace_body(inner, Some(name));
                self.insert_after(it.span.end, "}");
            }
            TSNamespaceDeclarationBody::TSModuleBlock(block) => {
                self.insert_after(it.id.span.end, format!(";(function({name})"));
                self.emit_block(block, name);
            }
        }
        self.merging.close();
        self.insert_after(it.span.end, closing(name, outer));
    }

    fn emit_block(&mut self, block: &TSModuleBlock<'_>, name: &str) {
        let blocks = std::mem::take(&mut self.blocks);
        for statement in &block.body {
            self.own_exported_variables(statement, name);
        }
        for statement in &block.body {
            match statement {
                Statement::ExportDeclaration(export) if !is_type_only(statement) => {
                    let start = export.declaration.span().start;
                    self.blank(export.span.start, start);
                    self.edits.overwrite(export.span.start as usize, b';');
                    self.emit_export(&export.declaration, name);
                }
                _ => self.visit_statement(statement),
            }
        }
        self.blocks = blocks;
    }

    fn emit_export(&mut self, declaration: &Declaration<'_>, namespace: &str) {
        for_each_name(declaration, &mut |name| self.merging.export(name.name.as_str()));
        match declaration {
            Declaration::TSEnumDeclaration(it) => {
                self.merging.export(it.id.name.as_str());
                self.emit_enum(it, Some(namespace));
            }
            Declaration::TSNamespaceDeclaration(it) => {
                self.merging.export(it.id.name.as_str());
                self.emit_namespace(it, Some(namespace));
            }
            Declaration::VariableDeclaration(it) if is_property(it) => {
                self.blank(
                    it.span.start,
                    it.declarations.first().map_or(it.span.end, |first| first.span.start),
                );
                for declarator in &it.declarations {
                    self.insert_before(declarator.span.start, format!("{namespace}."));
                }
                self.visit_variable_declaration(it);
            }
            _ => {
                self.visit_declaration(declaration);
                let mut copies = String::from(";");
                for_each_name(declaration, &mut |name| {
                    let _ = write!(copies, "{namespace}.{0}={0};", name.name);
                });
                self.insert_after(declaration.span().end, copies);
            }
        }
    }

    /// Lets names of exported variables stand for properties, also where they are used before.
    fn own_exported_variables(&mut self, statement: &Statement<'_>, namespace: &str) {
        if let Statement::ExportDeclaration(export) = statement
            && let Declaration::VariableDeclaration(it) = &export.declaration
            && is_property(it)
        {
            for_each_name(&export.declaration, &mut |name| {
                if let Some(symbol) = name.symbol_id.get() {
                    self.owners.insert(symbol, namespace.to_owned());
                }
            });
        }
    }
}

/// Whether the declared variables may change and have plain names.
fn is_property(it: &VariableDeclaration<'_>) -> bool {
    let plain = it.declarations.iter().all(|one| matches!(one.id, BindingPattern::BindingIdentifier(_)));
    plain && matches!(it.kind, VariableDeclarationKind::Let | VariableDeclarationKind::Var)
}

fn for_each_name(declaration: &Declaration<'_>, each: &mut impl FnMut(&BindingIdentifier<'_>)) {
    match declaration {
        Declaration::VariableDeclaration(it) => {
            it.declarations.iter().for_each(|one| names_in(&one.id, each));
        }
        Declaration::FunctionDeclaration(it) => it.id.iter().for_each(each),
        Declaration::ClassDeclaration(it) => it.id.iter().for_each(each),
        _ => {}
    }
}

fn names_in(pattern: &BindingPattern<'_>, each: &mut impl FnMut(&BindingIdentifier<'_>)) {
    for identifier in pattern.get_binding_identifiers() {
        each(identifier);
    }
}
