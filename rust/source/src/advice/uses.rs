//! Where a cell uses values as something that they are not.

use oxc_ast::ast::{
    Argument, ArrayExpression, BinaryExpression, BinaryOperator, BindingPattern, CallExpression,
    ComputedMemberExpression, Expression, ExpressionStatement, ForOfStatement, ObjectPattern, ObjectProperty,
    ReturnStatement, SpreadElement, StaticMemberExpression, TemplateLiteral, VariableDeclarator,
};
use oxc_ast_visit::{
    Visit,
    walk::{
        walk_array_expression, walk_binary_expression, walk_call_expression, walk_computed_member_expression,
        walk_expression_statement, walk_for_of_statement, walk_object_property, walk_return_statement,
        walk_spread_element, walk_static_member_expression, walk_template_literal, walk_variable_declarator,
    },
};
use oxc_span::{GetSpan as _, Span};

use super::{
    Advice, AdviceKind, ToolOrigin,
    bindings::{AsyncFunctions, Bindings, Variables},
    nature::{Nature, Natures, Settled, ToolCall},
};
use crate::reading::Reading;

/// Pieces of advice that are made: each costs a look for its line.
const MAX_FOUND: usize = 100;
/// Methods of arrays that use what their callback gives at once.
const TESTS: [&str; 6] = ["filter", "some", "every", "find", "findIndex", "sort"];
/// What a list of promises is asked for as if it were one of values.
const LIST_METHODS: [&str; 8] = ["filter", "find", "some", "every", "sort", "join", "flat", "toSorted"];
/// Properties of an MCP result.
const MCP_RESULT: [&str; 4] = ["content", "structuredContent", "isError", "_meta"];
/// Functions that look into their argument, by object and name.
const READERS: [(&str, &[&str]); 4] = [
    ("", &["text", "json", "String", "Number", "isNaN"]),
    ("JSON", &["stringify", "parse"]),
    ("Object", &["keys", "values", "entries", "assign"]),
    ("console", &["log", "info", "warn", "error", "debug"]),
];

pub(super) fn find(reading: &Reading<'_, '_>, origin_of: &dyn Fn(&str) -> Option<ToolOrigin>) -> Vec<Advice> {
    let mut natures = Natures { scoping: reading.scoping, origin_of, bindings: Bindings::default() };
    AsyncFunctions(&mut natures).visit_program(reading.program);
    Variables(&mut natures).visit_program(reading.program);
    let mut finder = Finder { reading, natures: &natures, found: Vec::new() };
    finder.visit_program(reading.program);
    finder.found
}

struct Finder<'r, 'p, 'a> {
    reading: &'r Reading<'p, 'a>,
    natures: &'r Natures<'r>,
    found: Vec<Advice>,
}

impl Finder<'_, '_, '_> {
    fn add(&mut self, kind: AdviceKind, span: Span, what: &str) {
        if self.found.len() >= MAX_FOUND {
            return;
        }
        let (first, last) = (self.reading.locate(span.start).line, self.reading.locate(span.end).line);
        self.found.push(Advice { kind, lines: first..=last, text: format!("Line {first}: {what}") });
    }

    /// Flags `expression` if it is a promise, or a list of them where `lists` is set.
    fn promise(&mut self, kind: AdviceKind, expression: &Expression<'_>, lists: bool) {
        let what = match self.natures.of(expression) {
            Some(Nature::Promise(_)) => self.promise_text(expression, None),
            Some(Nature::Promises) if lists => self.promises_text(expression),
            _ => return,
        };
        self.add(kind, expression.span(), &what);
    }

    fn promise_text(&self, expression: &Expression<'_>, read: Option<&str>) -> String {
        if let Some((name, init)) = self.variable(expression) {
            let (init, line) = (self.quote_call(init), self.reading.locate(init.start).line);
            return format!("`{name}` is a promise here; write `await {init}` in line {line}.");
        }
        let call = self.quote_call(expression.span());
        let awaited = match read {
            Some(property) => format!("(await {call}).{property}"),
            None => format!("await {call}"),
        };
        format!("`{call}` gives a promise; write `{awaited}`.")
    }

    fn promises_text(&self, expression: &Expression<'_>) -> String {
        let list = match self.variable(expression) {
            Some((name, _)) => name.to_owned(),
            None => self.quote_call(expression.span()),
        };
        format!("`{list}` is a list of promises; write `await Promise.all({list})`.")
    }

    /// The name and the origin of a variable of known nature.
    fn variable<'b>(&self, expression: &'b Expression<'_>) -> Option<(&'b str, Span)> {
        let Expression::Identifier(name) = expression.get_inner_expression() else { return None };
        let variable = self.natures.bindings.variables.get(&self.natures.symbol(name)?)?;
        Some((name.name.as_str(), variable.init))
    }

    /// The text of a call without its arguments.
    fn quote_call(&self, span: Span) -> String {
        let quoted = self.reading.quote(span);
        match quoted.split_once('(') {
            Some((callee, rest)) if !callee.is_empty() && !rest.starts_with(')') => format!("{callee}(…)"),
            _ => quoted,
        }
    }

    /// Looks at reading `property` of `object`; `None`: a computed one.
    fn read(&mut self, object: &Expression<'_>, property: Option<&str>, span: Span) {
        match self.natures.of(object) {
            Some(Nature::Promise(_)) if !matches!(property, Some("then" | "catch" | "finally")) => {
                let what = self.promise_text(object, property);
                self.add(AdviceKind::PromiseUsed, span, &what);
            }
            Some(Nature::Promises) if property.is_some_and(|name| LIST_METHODS.contains(&name)) => {
                let what = self.promises_text(object);
                self.add(AdviceKind::PromiseUsed, span, &what);
            }
            Some(Nature::Value(Settled::ToolValue)) if property == Some("result") => {
                self.result_of_value(span);
            }
            Some(Nature::Value(Settled::McpResult))
                if !property.is_some_and(|name| MCP_RESULT.contains(&name)) =>
            {
                self.mcp_payload(span);
            }
            _ => {}
        }
    }

    fn result_of_value(&mut self, span: Span) {
        let what =
            "the call gives the tool's value itself; leave out `.result`, which only `tools.call` has.";
        self.add(AdviceKind::ResultOfValue, span, what);
    }

    fn mcp_payload(&mut self, span: Span) {
        let what =
            "an MCP tool gives `{content, structuredContent, isError}`; `unwrap(result)` gives its data.";
        self.add(AdviceKind::McpPayload, span, what);
    }

    fn destructured(&mut self, pattern: &ObjectPattern<'_>, init: &Expression<'_>, span: Span) {
        let mut keys = pattern.properties.iter().filter_map(|property| property.key.static_name());
        match self.natures.of(init) {
            Some(Nature::Value(Settled::ToolValue)) if keys.any(|key| key == "result") => {
                self.result_of_value(span);
            }
            Some(Nature::Value(Settled::McpResult)) if !keys.all(|key| MCP_RESULT.contains(&&*key)) => {
                self.mcp_payload(span);
            }
            _ => self.promise(AdviceKind::PromiseUsed, init, true),
        }
    }

    /// Looks at the arguments of a tool's call.
    fn input(&mut self, call: &CallExpression<'_>, tool: ToolCall) {
        let ToolCall { ids, takes_options, .. } = tool;
        let inputs = call.arguments.get(ids..).unwrap_or_default();
        let Some(first) = inputs.first() else { return };
        if inputs.len() <= 1 + usize::from(takes_options) && first.as_expression().is_none_or(may_be_object) {
            return;
        }
        let callee = self.reading.quote(call.callee.span());
        let id = match call.arguments.first() {
            Some(id) if ids > 0 => format!("{}, ", self.reading.quote(id.span())),
            _ => String::new(),
        };
        let what = format!("a tool takes one object of named values; write `{callee}({id}{{name: value}})`.");
        self.add(AdviceKind::Positional, call.span, &what);
    }

    fn is_reader(&self, callee: &Expression<'_>) -> bool {
        let callee = callee.get_inner_expression();
        let (object, name) = match (callee, callee.as_member_expression()) {
            (Expression::Identifier(name), _) if self.natures.is_global(name) => ("", name.name.as_str()),
            (_, Some(member)) => match member.object().get_inner_expression() {
                Expression::Identifier(object) if self.natures.is_global(object) => {
                    (object.name.as_str(), member.static_property_name().unwrap_or_default())
                }
                _ => return false,
            },
            _ => return false,
        };
        READERS.iter().any(|(known, names)| *known == object && names.contains(&name))
    }

    fn callback(&mut self, call: &CallExpression<'_>) {
        let Some(member) = call.callee.get_inner_expression().as_member_expression() else { return };
        let Some(method) = member.static_property_name() else { return };
        if matches!(method, "map" | "forEach" | "flatMap")
            && let Some(callback) = call.arguments.first().and_then(Argument::as_expression)
            && self.natures.is_tool(callback)
        {
            let tool = self.reading.quote(callback.span());
            let what = format!(
                "`{method}` calls `{tool}` with an element, not with an object of named values; write \
                 `{method}((x) => {tool}({{name: x}}))`."
            );
            self.add(AdviceKind::Positional, call.span, &what);
        }
        let is_test = TESTS.contains(&method);
        let own = self.natures.bindings.methods.contains(method);
        if own || !(is_test || method == "forEach") || !self.natures.has_async_callback(call) {
            return;
        }
        let list = self.reading.quote(member.object().span());
        let mapped = format!("`await Promise.all({list}.map(async (x) => …))`");
        if is_test {
            let what =
                format!("`{method}` takes a promise for true and does not wait; write {mapped} before it.");
            self.add(AdviceKind::AsyncTest, call.span, &what);
        } else {
            let what =
                format!("`forEach` does not wait; write `for (const x of {list}) {{ … }}`, or {mapped}.");
            self.add(AdviceKind::AsyncCallback, call.span, &what);
        }
    }
}

impl<'a> Visit<'a> for Finder<'_, '_, '_> {
    fn visit_static_member_expression(&mut self, it: &StaticMemberExpression<'a>) {
        self.read(&it.object, Some(it.property.name.as_str()), it.span);
        walk_static_member_expression(self, it);
    }

    fn visit_computed_member_expression(&mut self, it: &ComputedMemberExpression<'a>) {
        self.read(&it.object, it.static_property_name().as_deref(), it.span);
        walk_computed_member_expression(self, it);
    }

    fn visit_call_expression(&mut self, it: &CallExpression<'a>) {
        let tool = self.natures.tool_call(it);
        if let Some(tool) = tool {
            self.input(it, tool);
        }
        if tool.is_some() || self.is_reader(&it.callee) {
            for argument in it.arguments.iter().filter_map(Argument::as_expression) {
                self.promise(AdviceKind::PromiseUsed, argument, true);
            }
        }
        self.callback(it);
        if self.natures.is_promise_factory(it) {
            // `Promise.all([…])` is what an array of promises is for.
            self.visit_expression(&it.callee);
            for argument in &it.arguments {
                match argument {
                    Argument::ArrayExpression(list) => walk_array_expression(self, list),
                    _ => self.visit_argument(argument),
                }
            }
        } else {
            walk_call_expression(self, it);
        }
    }

    fn visit_template_literal(&mut self, it: &TemplateLiteral<'a>) {
        for part in &it.expressions {
            self.promise(AdviceKind::PromiseUsed, part, true);
        }
        walk_template_literal(self, it);
    }

    fn visit_binary_expression(&mut self, it: &BinaryExpression<'a>) {
        use BinaryOperator::{Equality, In, Inequality, Instanceof, StrictEquality, StrictInequality};
        if !matches!(it.operator, Equality | Inequality | StrictEquality | StrictInequality | In | Instanceof)
        {
            self.promise(AdviceKind::PromiseUsed, &it.left, true);
            self.promise(AdviceKind::PromiseUsed, &it.right, true);
        }
        walk_binary_expression(self, it);
    }

    fn visit_for_of_statement(&mut self, it: &ForOfStatement<'a>) {
        self.promise(AdviceKind::PromiseUsed, &it.right, false);
        walk_for_of_statement(self, it);
    }

    fn visit_spread_element(&mut self, it: &SpreadElement<'a>) {
        self.promise(AdviceKind::PromiseUsed, &it.argument, false);
        walk_spread_element(self, it);
    }

    fn visit_variable_declarator(&mut self, it: &VariableDeclarator<'a>) {
        if let Some(init) = &it.init {
            match &it.id {
                BindingPattern::ObjectPattern(pattern) => self.destructured(pattern, init, it.span),
                BindingPattern::ArrayPattern(_) => self.promise(AdviceKind::PromiseUsed, init, false),
                _ => {}
            }
        }
        walk_variable_declarator(self, it);
    }

    fn visit_object_property(&mut self, it: &ObjectProperty<'a>) {
        self.promise(AdviceKind::PromiseKept, &it.value, true);
        walk_object_property(self, it);
    }

    fn visit_array_expression(&mut self, it: &ArrayExpression<'a>) {
        for item in it.elements.iter().filter_map(|element| element.as_expression()) {
            self.promise(AdviceKind::PromiseKept, item, true);
        }
        walk_array_expression(self, it);
    }

    fn visit_return_statement(&mut self, it: &ReturnStatement<'a>) {
        if let Some(value) = &it.argument
            && self.natures.of(value) == Some(Nature::Promises)
        {
            self.promise(AdviceKind::PromiseKept, value, true);
        }
        walk_return_statement(self, it);
    }

    fn visit_expression_statement(&mut self, it: &ExpressionStatement<'a>) {
        match self.natures.of(&it.expression) {
            Some(Nature::Promise(_)) => {
                let what = self.promise_text(&it.expression, None);
                self.add(AdviceKind::NotAwaited, it.span, &what);
            }
            Some(Nature::Promises) => self.promise(AdviceKind::PromiseKept, &it.expression, true),
            _ => {}
        }
        walk_expression_statement(self, it);
    }
}

/// Whether an argument may be the one object that a tool takes.
fn may_be_object(expression: &Expression<'_>) -> bool {
    let expression = expression.get_inner_expression();
    !(expression.is_literal()
        || matches!(expression, Expression::TemplateLiteral(_) | Expression::ArrayExpression(_)))
        || expression.is_null()
}
