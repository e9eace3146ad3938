//! Classes: modifiers, members without a body, parameter properties.

use std::fmt::Write as _;

use oxc_ast::ast::{
    BindingPattern, Class, ClassElement, Expression, Function, MethodDefinition, MethodDefinitionKind,
    MethodDefinitionType, PropertyDefinition, PropertyDefinitionType, PropertyKey, Statement,
};
use oxc_ast_visit::walk::{walk_method_definition, walk_property_definition};
use oxc_span::{GetSpan as _, Span};

use super::eraser::Eraser;

const ERASED_MODIFIERS: [&str; 7] =
    ["abstract", "declare", "override", "private", "protected", "public", "readonly"];

impl Eraser<'_> {
    /// Erases what stands before the body of a class, and makes code of parameter properties.
    pub(super) fn erase_class(&mut self, class: &Class<'_>) {
        if class.r#abstract {
            let keyword = class.span.start;
            if self.starts_with(keyword, "abstract") {
                self.blank(keyword, keyword + "abstract".len() as u32);
            }
        }
        if let Some(first) = class.implements.first() {
            let before = class.heritage.as_ref().map_or(class.span.start, |heritage| {
                heritage
                    .type_arguments
                    .as_ref()
                    .map_or(heritage.expression.span().end, |types| types.span.end)
            });
            let keyword = self.slice(before, first.span.start).rfind("implements").unwrap_or_default() as u32;
            self.blank(before + keyword, first.span.start);
        }
        for member in &class.body.body {
            if let ClassElement::MethodDefinition(method) = member
                && method.kind == MethodDefinitionKind::Constructor
            {
                self.emit_parameter_properties(&method.value, class);
            }
        }
    }

    pub(super) fn erase_method(&mut self, method: &MethodDefinition<'_>) {
        if method.r#type == MethodDefinitionType::TSAbstractMethodDefinition || method.value.body.is_none() {
            self.blank_statement(method.span);
            return;
        }
        self.erase_modifiers(method.span, &method.key);
        if method.optional {
            self.blank_mark(self.key_end(&method.key, method.computed), &["?"]);
        }
        walk_method_definition(self, method);
    }

    pub(super) fn erase_property(&mut self, property: &PropertyDefinition<'_>) {
        if property.r#type == PropertyDefinitionType::TSAbstractPropertyDefinition || property.declare {
            self.blank_statement(property.span);
            return;
        }
        self.erase_modifiers(property.span, &property.key);
        if property.optional || property.definite {
            self.blank_mark(self.key_end(&property.key, property.computed), &["?", "!"]);
        }
        walk_property_definition(self, property);
    }

    fn key_end(&self, key: &PropertyKey<'_>, computed: bool) -> u32 {
        let end = key.span().end;
        if computed { self.next_token(end) + 1 } else { end }
    }

    /// Blanks the modifiers of a member. If `[` or `*` is left at its start, a semicolon keeps it off the member before.
    fn erase_modifiers(&mut self, member: Span, key: &PropertyKey<'_>) {
        let mut first = None;
        let mut kept = false;
        let mut at = member.start;
        while at < key.span().start {
            let rest = self.slice(at, key.span().start);
            let length = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
            let word = rest.get(..length).unwrap_or_default();
            if word.is_empty() {
                break;
            }
            if ERASED_MODIFIERS.contains(&word) {
                first = first.or(Some(at));
                self.blank(at, at + length as u32);
            } else {
                kept = true;
            }
            at = self.next_token(at + length as u32);
        }
        if let Some(first) = first
            && !kept
            && (self.starts_with(at, "[") || self.starts_with(at, "*"))
        {
            self.edits.overwrite(first as usize, b';');
        }
    }

    /// Declares the fields and assigns them where the constructor begins, after `super(…)` in a derived class.
    fn emit_parameter_properties(&mut self, constructor: &Function<'_>, class: &Class<'_>) {
        let Some(body) = &constructor.body else { return };
        let mut names = Vec::new();
        for parameter in &constructor.params.items {
            if parameter.accessibility.is_none() && !parameter.readonly && !parameter.r#override {
                continue;
            }
            match &parameter.pattern {
                BindingPattern::BindingIdentifier(name) => names.push(name.name.as_str()),
                pattern => self.refuse(pattern.span(), "A parameter property must be a plain name"),
            }
        }
        if names.is_empty() {
            return;
        }
        let mut fields = String::new();
        let mut assignments = String::new();
        for name in names {
            let _ = write!(fields, "{name};");
            let _ = write!(assignments, "this.{name}={name};");
        }
        self.insert_after(class.body.span.start + 1, fields);
        if class.heritage.is_none() {
            let start = body.directives.last().map_or(body.span.start + 1, |last| last.span.end);
            self.insert_after(start, assignments);
        } else if let Some(call) = body.statements.iter().find(|statement| is_super_call(statement)) {
            self.insert_after(call.span().end, format!(";{assignments}"));
        } else {
            self.refuse(
                constructor.span,
                "With parameter properties, `super(…)` must be a statement of the constructor",
            );
        }
    }
}

fn is_super_call(statement: &Statement<'_>) -> bool {
    let Statement::ExpressionStatement(statement) = statement else {
        return false;
    };
    matches!(&statement.expression, Expression::CallExpression(call) if matches!(call.callee, Expression::Super(_)))
}
