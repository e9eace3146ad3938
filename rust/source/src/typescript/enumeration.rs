//! Enums: an object filled by a function, around the members' own text.
//!
//! `enum A { X, Y = f() }` becomes `var A;(function(A){[A[A["X"]=0]="X", A[A["Y"]=f()]="Y" ]})(A||(A={}));`. The
//! array takes the members' commas as they are, the last one included.

use std::fmt::Write as _;

use oxc_ast::ast::{
    BinaryOperator, BindingIdentifier, Expression, TSEnumDeclaration, TSEnumMember, TSEnumMemberName,
    UnaryOperator,
};
use oxc_ast_visit::Visit as _;
use oxc_semantic::SymbolFlags;
use oxc_span::GetSpan as _;

use super::eraser::Eraser;

/// What the member before says about the next one's value.
enum Previous {
    /// It was this number.
    Number(f64),
    /// It was computed: the member's key, quoted.
    Computed(String),
}

impl Eraser<'_> {
    /// Makes code of an enum; `namespace` is the one that exports it.
    pub(super) fn emit_enum(&mut self, it: &TSEnumDeclaration<'_>, namespace: Option<&str>) {
        let name = it.id.name.as_str();
        self.own_members(it, name);
        self.merging.open(name, it.id.symbol_id.get(), it.body.scope_id.get());
        self.emit_binding(it.span.start, &it.id);
        self.insert_after(it.id.span.end, format!(";(function({name})"));
        let body = it.body.span;
        self.insert_after(body.start + 1, "[");
        let mut previous = Previous::Number(-1.0);
        for member in &it.body.members {
            previous = self.emit_member(member, name, &previous);
            self.merging.export(&member_name(&member.id));
        }
        self.merging.close();
        self.insert_after(body.end - 1, "]");
        self.insert_after(body.end, closing(name, namespace));
    }

    /// Lets initializers use the names of members.
    fn own_members(&mut self, it: &TSEnumDeclaration<'_>, name: &str) {
        let Some(scope) = it.body.scope_id.get() else {
            return;
        };
        for symbol in self.scoping.get_bindings(scope).values() {
            self.owners.insert(*symbol, name.to_owned());
        }
    }

    /// Turns the keywords before a name into `var` or `let`, or into nothing if the name is declared already.
    pub(super) fn emit_binding(&mut self, start: u32, id: &BindingIdentifier<'_>) {
        self.blank(start, id.span.start);
        let declared = id.symbol_id.get().is_some_and(|symbol| {
            let all = self.scoping.symbol_redeclarations(symbol);
            let is_value = |flags: SymbolFlags| flags.intersects(SymbolFlags::Value | SymbolFlags::Enum);
            all.iter().filter(|found| is_value(found.flags)).any(|found| found.span.start < id.span.start)
        });
        let keyword = match (declared, self.blocks) {
            (true, _) => ";  ",
            (false, 0) => "var",
            (false, _) => "let",
        };
        for (offset, byte) in (start as usize..).zip(keyword.bytes()) {
            self.edits.overwrite(offset, byte);
        }
    }

    fn emit_member(&mut self, member: &TSEnumMember<'_>, owner: &str, previous: &Previous) -> Previous {
        let key = quoted(&member_name(&member.id));
        let start = member.span.start;
        let Some(value) = &member.initializer else {
            self.blank(start, member.span.end);
            return match previous {
                Previous::Number(number) => {
                    let number = number + 1.0;
                    self.insert_before(start, format!("{owner}[{owner}[{key}]={number}]={key}"));
                    Previous::Number(number)
                }
                Previous::Computed(before) => {
                    self.insert_after(start, format!("{owner}[{owner}[{key}]={owner}[{before}]+1]={key}"));
                    Previous::Computed(key)
                }
            };
        };
        self.blank(start, value.span().start);
        if is_text(value) {
            self.insert_before(start, format!("{owner}[{key}]="));
            self.visit_expression(value);
            return Previous::Computed(key);
        }
        self.insert_before(start, format!("{owner}[{owner}[{key}]="));
        self.visit_expression(value);
        self.insert_after(value.span().end, format!("]={key}"));
        number(value).map_or(Previous::Computed(key), Previous::Number)
    }
}

/// Whether a value is a string by its syntax: those get no entry from value to name.
fn is_text(value: &Expression<'_>) -> bool {
    match value.get_inner_expression() {
        Expression::StringLiteral(_) | Expression::TemplateLiteral(_) => true,
        Expression::BinaryExpression(it) => {
            it.operator == BinaryOperator::Addition && (is_text(&it.left) || is_text(&it.right))
        }
        _ => false,
    }
}

/// The end of the function that fills an enum or a namespace, and its call.
pub(super) fn closing(name: &str, namespace: Option<&str>) -> String {
    match namespace {
        Some(outer) => format!(")({name}={outer}.{name}||({outer}.{name}={{}}));"),
        None => format!(")({name}||({name}={{}}));"),
    }
}

fn member_name(name: &TSEnumMemberName<'_>) -> String {
    name.static_name().to_string()
}

fn number(value: &Expression<'_>) -> Option<f64> {
    match value.get_inner_expression() {
        Expression::NumericLiteral(literal) => Some(literal.value),
        Expression::UnaryExpression(it) if it.operator == UnaryOperator::UnaryNegation => {
            number(&it.argument).map(|value| -value)
        }
        _ => None,
    }
}

/// A string literal that reads as `text` and has neither line ends nor characters beyond ASCII.
fn quoted(text: &str) -> String {
    let mut literal = String::from('"');
    for unit in text.encode_utf16() {
        match u8::try_from(unit).map(char::from) {
            Ok(c) if c.is_ascii_alphanumeric() || matches!(c, ' ' | '_' | '-' | '.') => literal.push(c),
            _ => drop(write!(literal, "\\u{unit:04x}")),
        }
    }
    literal.push('"');
    literal
}
