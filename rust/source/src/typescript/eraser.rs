//! The walk that erases types.

use std::{borrow::Cow, collections::BTreeMap};

use oxc_ast::ast::{
    ArrowFunctionExpression, AssignmentTargetPropertyIdentifier, BlockStatement, Class, ExportDeclaration,
    Expression, FormalParameter, FunctionBody, IdentifierReference, ObjectProperty, Statement,
    SwitchStatement, TSAsExpression, TSEnumDeclaration, TSExportAssignment, TSImportEqualsDeclaration,
    TSNamespaceDeclaration, TSNonNullExpression, TSSatisfiesExpression, TSThisParameter, TSType,
    TSTypeAnnotation, TSTypeAssertion, TSTypeParameterDeclaration, TSTypeParameterInstantiation,
    VariableDeclarator,
};
use oxc_ast_visit::{
    Visit,
    walk::{
        walk_arrow_function_expression, walk_assignment_target_property_identifier, walk_block_statement,
        walk_class, walk_formal_parameter, walk_function_body, walk_object_property, walk_statement,
        walk_switch_statement, walk_variable_declarator,
    },
};
use oxc_semantic::{Scoping, SymbolId};
use oxc_span::{GetSpan as _, Span};

use super::{is_type_only, merging::Merging};
use crate::{
    edits::{Edits, Layer},
    parse::ParseError,
    trivia,
};

pub(super) struct Eraser<'t> {
    pub(super) text: &'t str,
    pub(super) scoping: &'t Scoping,
    pub(super) edits: &'t mut Edits,
    /// Names that stand for a property: enum members and exported variables of namespaces, with their owner.
    pub(super) owners: BTreeMap<SymbolId, String>,
    pub(super) merging: Merging,
    /// Blocks open in the current function, 0 at its top level.
    pub(super) blocks: u32,
    refusal: Option<ParseError>,
}

impl<'t> Eraser<'t> {
    pub(super) fn new(text: &'t str, scoping: &'t Scoping, edits: &'t mut Edits) -> Self {
        Self {
            text,
            scoping,
            edits,
            owners: BTreeMap::new(),
            merging: Merging::default(),
            blocks: 0,
            refusal: None,
        }
    }

    pub(super) fn finish(self) -> Result<(), ParseError> {
        self.refusal.map_or(Ok(()), Err)
    }

    /// Records what can't be erased; the first in the text counts.
    pub(super) fn refuse(&mut self, span: Span, message: impl Into<String>) {
        let refusal = ParseError { message: message.into(), offset: span.start as usize };
        if self.refusal.as_ref().is_none_or(|first| refusal.offset < first.offset) {
            self.refusal = Some(refusal);
        }
    }

    pub(super) fn blank(&mut self, start: u32, end: u32) {
        self.edits.blank(start as usize..end as usize);
    }

    pub(super) fn blank_statement(&mut self, span: Span) {
        super::blank_statement(span, self.edits);
    }

    pub(super) fn insert_before(&mut self, offset: u32, text: impl Into<Cow<'static, str>>) {
        self.edits.insert_before(offset as usize, Layer::Inner, text);
    }

    pub(super) fn insert_after(&mut self, offset: u32, text: impl Into<Cow<'static, str>>) {
        self.edits.insert_after(offset as usize, Layer::Inner, text);
    }

    pub(super) fn slice(&self, start: u32, end: u32) -> &'t str {
        self.text.get(start as usize..end as usize).unwrap_or_default()
    }

    /// Offset of the next token at or after `offset`, which is the end of one.
    pub(super) fn next_token(&self, offset: u32) -> u32 {
        trivia::next_token(self.text, offset as usize) as u32
    }

    pub(super) fn starts_with(&self, offset: u32, token: &str) -> bool {
        self.text.get(offset as usize..).is_some_and(|rest| rest.starts_with(token))
    }

    fn has_line_end(&self, start: u32, end: u32) -> bool {
        trivia::has_line_end(self.slice(start, end))
    }

    /// Blanks one of `marks` that follows `offset`: `?` of an optional, `!` of a definite name.
    pub(super) fn blank_mark(&mut self, offset: u32, marks: &[&str]) {
        let mark = self.next_token(offset);
        if marks.iter().any(|text| self.starts_with(mark, text)) {
            self.blank(mark, mark + 1);
        }
    }

    /// Blanks the type after an expression. Where only the type ended the statement, a semicolon does.
    fn blank_cast(&mut self, start: u32, end: u32) {
        self.blank(start, end);
        let next = self.next_token(end);
        if ["(", "[", "`"].iter().any(|token| self.starts_with(next, token)) && self.has_line_end(end, next) {
            self.edits.overwrite(start as usize, b';');
        }
    }

    /// The property that a name stands for.
    fn owner(&self, name: &IdentifierReference<'_>) -> Option<&String> {
        let symbol = self.scoping.get_reference(name.reference_id.get()?).symbol_id();
        let declared = symbol.map(|symbol| self.scoping.symbol_scope_id(symbol));
        let own = symbol.and_then(|symbol| self.owners.get(&symbol));
        own.or_else(|| self.merging.owner(name.name.as_str(), declared, self.scoping))
    }
}

/// Whether an expression at the start of a statement or an arrow's body would be read as something else.
fn starts_ambiguously(text: &str) -> bool {
    ["{", "function", "class", "async", "let"].iter().any(|start| text.starts_with(start))
}

impl<'a> Visit<'a> for Eraser<'_> {
    fn visit_statement(&mut self, it: &Statement<'a>) {
        if is_type_only(it) {
            self.blank_statement(it.span());
        } else {
            walk_statement(self, it);
        }
    }

    fn visit_block_statement(&mut self, it: &BlockStatement<'a>) {
        self.blocks += 1;
        walk_block_statement(self, it);
        self.blocks -= 1;
    }

    fn visit_switch_statement(&mut self, it: &SwitchStatement<'a>) {
        self.blocks += 1;
        walk_switch_statement(self, it);
        self.blocks -= 1;
    }

    fn visit_function_body(&mut self, it: &FunctionBody<'a>) {
        let outer = std::mem::take(&mut self.blocks);
        walk_function_body(self, it);
        self.blocks = outer;
    }

    fn visit_ts_type_annotation(&mut self, it: &TSTypeAnnotation<'a>) {
        self.blank(it.span.start, it.span.end);
    }

    fn visit_ts_type_parameter_declaration(&mut self, it: &TSTypeParameterDeclaration<'a>) {
        self.blank(it.span.start, it.span.end);
    }

    fn visit_ts_type_parameter_instantiation(&mut self, it: &TSTypeParameterInstantiation<'a>) {
        self.blank(it.span.start, it.span.end);
    }

    fn visit_ts_type(&mut self, it: &TSType<'a>) {
        self.blank(it.span().start, it.span().end);
    }

    fn visit_ts_this_parameter(&mut self, it: &TSThisParameter<'a>) {
        let next = self.next_token(it.span.end);
        self.blank(it.span.start, if self.starts_with(next, ",") { next + 1 } else { it.span.end });
    }

    fn visit_formal_parameter(&mut self, it: &FormalParameter<'a>) {
        let start = it.pattern.span().start;
        if it.accessibility.is_some() || it.readonly || it.r#override {
            self.blank(it.span.start, start);
        }
        if it.optional {
            self.blank_mark(it.pattern.span().end, &["?"]);
        }
        walk_formal_parameter(self, it);
    }

    fn visit_variable_declarator(&mut self, it: &VariableDeclarator<'a>) {
        if it.definite {
            self.blank_mark(it.id.span().end, &["!"]);
        }
        walk_variable_declarator(self, it);
    }

    fn visit_arrow_function_expression(&mut self, it: &ArrowFunctionExpression<'a>) {
        walk_arrow_function_expression(self, it);
        let params = it.params.span;
        // No line may end between `async`, or `return`, and `(`, nor between `)` and `=>`.
        if let Some(types) = &it.type_parameters
            && self.has_line_end(types.span.start, params.start)
        {
            self.blank(params.start, params.start + 1);
            self.edits.overwrite(types.span.start as usize, b'(');
        }
        if let Some(returned) = &it.return_type
            && self.has_line_end(params.end, returned.span.end)
        {
            self.blank(params.end - 1, params.end);
            self.edits.overwrite(returned.span.end as usize - 1, b')');
        }
    }

    fn visit_ts_as_expression(&mut self, it: &TSAsExpression<'a>) {
        self.visit_expression(&it.expression);
        self.blank_cast(it.expression.span().end, it.span.end);
    }

    fn visit_ts_satisfies_expression(&mut self, it: &TSSatisfiesExpression<'a>) {
        self.visit_expression(&it.expression);
        self.blank_cast(it.expression.span().end, it.span.end);
    }

    fn visit_ts_non_null_expression(&mut self, it: &TSNonNullExpression<'a>) {
        self.visit_expression(&it.expression);
        self.blank_mark(it.expression.span().end, &["!"]);
    }

    fn visit_ts_type_assertion(&mut self, it: &TSTypeAssertion<'a>) {
        let value = it.expression.span();
        self.blank(it.span.start, value.start);
        if self.has_line_end(it.span.start, value.start)
            || starts_ambiguously(self.slice(value.start, value.end))
        {
            self.edits.overwrite(it.span.start as usize, b'(');
            self.visit_expression(&it.expression);
            self.insert_after(value.end, ")");
        } else {
            self.visit_expression(&it.expression);
        }
    }

    fn visit_class(&mut self, it: &Class<'a>) {
        self.erase_class(it);
        walk_class(self, it);
    }

    fn visit_method_definition(&mut self, it: &oxc_ast::ast::MethodDefinition<'a>) {
        self.erase_method(it);
    }

    fn visit_property_definition(&mut self, it: &oxc_ast::ast::PropertyDefinition<'a>) {
        self.erase_property(it);
    }

    fn visit_ts_index_signature(&mut self, it: &oxc_ast::ast::TSIndexSignature<'a>) {
        self.blank_statement(it.span);
    }

    fn visit_ts_class_implements_list(
        &mut self,
        it: &oxc_allocator::ArenaVec<'a, oxc_ast::ast::TSClassImplements<'a>>,
    ) {
        if let (Some(first), Some(last)) = (it.first(), it.last()) {
            self.blank(first.span.start, last.span.end);
        }
    }

    fn visit_ts_enum_declaration(&mut self, it: &TSEnumDeclaration<'a>) {
        self.emit_enum(it, None);
    }

    fn visit_ts_namespace_declaration(&mut self, it: &TSNamespaceDeclaration<'a>) {
        self.emit_namespace(it, None);
    }

    fn visit_export_declaration(&mut self, it: &ExportDeclaration<'a>) {
        self.refuse(it.span, "A cell can't have exports inside of something");
    }

    fn visit_ts_import_equals_declaration(&mut self, it: &TSImportEqualsDeclaration<'a>) {
        self.refuse(it.span, "`import … =` is not supported in a cell");
    }

    fn visit_ts_export_assignment(&mut self, it: &TSExportAssignment<'a>) {
        self.refuse(it.span, "`export =` is not supported in a cell");
    }

    fn visit_identifier_reference(&mut self, it: &IdentifierReference<'a>) {
        if let Some(owner) = self.owner(it) {
            let property = format!("{owner}.");
            self.insert_before(it.span.start, property);
        }
    }

    fn visit_object_property(&mut self, it: &ObjectProperty<'a>) {
        if it.shorthand
            && let Expression::Identifier(name) = &it.value
        {
            if self.owner(name).is_some() {
                self.insert_before(name.span.start, format!("{}:", name.name));
                self.visit_identifier_reference(name);
            }
        } else {
            walk_object_property(self, it);
        }
    }

    fn visit_assignment_target_property_identifier(&mut self, it: &AssignmentTargetPropertyIdentifier<'a>) {
        if self.owner(&it.binding).is_some() {
            self.insert_before(it.span.start, format!("{}:", it.binding.name));
        }
        walk_assignment_target_property_identifier(self, it);
    }
}
