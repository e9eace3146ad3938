//! What kind of value an expression has, as far as its form tells.

use oxc_ast::ast::{Argument, CallExpression, ChainElement, Expression, IdentifierReference};
use oxc_semantic::{Scoping, SymbolId};

use super::{ToolOrigin, bindings::Bindings};

/// Calls in a chain such as `a().then(b).then(c)` that are followed: every link asks about those before it.
const MAX_LINKS: usize = 8;

/// The kind of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Nature {
    Promise(Settled),
    /// An array that `map` made with an async callback.
    Promises,
    /// What a promise gave.
    Value(Settled),
}

/// The kind of a promise's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Settled {
    /// Of a call that gives the tool's value itself.
    ToolValue,
    McpResult,
    Other,
}

/// A call of the guest API.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ToolCall {
    /// Arguments before the input.
    pub(super) ids: usize,
    /// Whether options may follow the input.
    pub(super) takes_options: bool,
    pub(super) gives: Settled,
}

/// Tells natures.
pub(super) struct Natures<'r> {
    pub(super) scoping: &'r Scoping,
    pub(super) origin_of: &'r dyn Fn(&str) -> Option<ToolOrigin>,
    pub(super) bindings: Bindings,
}

impl Natures<'_> {
    pub(super) fn of(&self, expression: &Expression<'_>) -> Option<Nature> {
        self.of_within(expression, MAX_LINKS)
    }

    fn of_within(&self, expression: &Expression<'_>, links: usize) -> Option<Nature> {
        let links = links.checked_sub(1)?;
        match expression.get_inner_expression() {
            Expression::AwaitExpression(awaited) => match self.of_within(&awaited.argument, links)? {
                Nature::Promise(gives) => Some(Nature::Value(gives)),
                same => Some(same),
            },
            Expression::CallExpression(call) => self.of_call(call, links),
            Expression::ChainExpression(chain) => match &chain.expression {
                ChainElement::CallExpression(call) => self.of_call(call, links),
                _ => None,
            },
            Expression::Identifier(name) => {
                self.bindings.variables.get(&self.symbol(name)?).map(|variable| variable.nature)
            }
            _ => None,
        }
    }

    fn of_call(&self, call: &CallExpression<'_>, links: usize) -> Option<Nature> {
        if let Some(tool) = self.tool_call(call) {
            return Some(Nature::Promise(tool.gives));
        }
        let callee = call.callee.get_inner_expression();
        if let Expression::Identifier(name) = callee {
            let made_by_cell =
                self.symbol(name).is_some_and(|symbol| self.bindings.async_functions.contains(&symbol));
            let suspends = self.is_global(name) && name.name == "yield_control";
            return (made_by_cell || suspends).then_some(Nature::Promise(Settled::Other));
        }
        if is_async_function(callee) || self.is_promise_factory(call) {
            return Some(Nature::Promise(Settled::Other));
        }
        let member = callee.as_member_expression()?;
        let method = member.static_property_name()?;
        if matches!(method, "then" | "catch" | "finally") {
            let chained = matches!(self.of_within(member.object(), links)?, Nature::Promise(_));
            return chained.then_some(Nature::Promise(Settled::Other));
        }
        let mapped = method == "map" && self.has_async_callback(call);
        mapped.then_some(Nature::Promises)
    }

    /// The call as one of a tool, or of the API around them.
    pub(super) fn tool_call(&self, call: &CallExpression<'_>) -> Option<ToolCall> {
        let settled = |origin: ToolOrigin| match origin {
            ToolOrigin::Host => Settled::ToolValue,
            ToolOrigin::Mcp => Settled::McpResult,
        };
        let named = |name: &str| settled((self.origin_of)(name).unwrap_or(ToolOrigin::Host));
        let callee = call.callee.get_inner_expression();
        if let Expression::Identifier(name) = callee {
            let origin = self.is_global(name).then(|| (self.origin_of)(&name.name)).flatten()?;
            return Some(ToolCall { ids: 0, takes_options: false, gives: settled(origin) });
        }
        let member = callee.as_member_expression()?;
        let property = member.static_property_name();
        match member.object().get_inner_expression() {
            Expression::Identifier(object) if self.is_global(object) && object.name == "tools" => {
                let (ids, gives) = match property? {
                    "search" | "describe" => return None,
                    "call" => (1, Settled::Other),
                    "callValue" => (1, named(first_text(call).unwrap_or_default())),
                    name => (0, named(name)),
                };
                Some(ToolCall { ids, takes_options: false, gives })
            }
            server => {
                let root = server.as_member_expression()?.object().get_inner_expression();
                let is_mcp = matches!(root, Expression::Identifier(root) if self.is_global(root) && root.name == "MCP");
                (is_mcp && !property.is_some_and(|name| name.starts_with('$'))).then_some(ToolCall {
                    ids: 0,
                    takes_options: true,
                    gives: Settled::McpResult,
                })
            }
        }
    }

    /// Whether this is a tool itself, not its call.
    pub(super) fn is_tool(&self, expression: &Expression<'_>) -> bool {
        let expression = expression.get_inner_expression();
        match expression.as_member_expression().map(|member| member.object().get_inner_expression()) {
            Some(Expression::Identifier(object)) => object.name == "tools" && self.is_global(object),
            Some(_) => false,
            None => expression
                .get_identifier_reference()
                .is_some_and(|name| self.is_global(name) && (self.origin_of)(&name.name).is_some()),
        }
    }

    /// `Promise.all(…)` and its like, `tools.search(…)`, `tools.describe(…)`, `catalog.search(…)`.
    pub(super) fn is_promise_factory(&self, call: &CallExpression<'_>) -> bool {
        let Some(member) = call.callee.get_inner_expression().as_member_expression() else { return false };
        let Expression::Identifier(object) = member.object().get_inner_expression() else { return false };
        let method = member.static_property_name().unwrap_or_default();
        let methods: &[&str] = match object.name.as_str() {
            "Promise" => &["all", "allSettled", "any", "race", "resolve", "reject"],
            "tools" => &["search", "describe"],
            "catalog" => &["search"],
            _ => return false,
        };
        methods.contains(&method) && self.is_global(object)
    }

    /// Whether the first argument is an async function, written there or declared in the cell.
    pub(super) fn has_async_callback(&self, call: &CallExpression<'_>) -> bool {
        let Some(callback) = call.arguments.first().and_then(Argument::as_expression) else { return false };
        match callback.get_inner_expression() {
            Expression::Identifier(name) => {
                self.symbol(name).is_some_and(|symbol| self.bindings.async_functions.contains(&symbol))
            }
            callback => is_async_function(callback),
        }
    }

    /// What an identifier is bound to in the cell.
    pub(super) fn symbol(&self, name: &IdentifierReference<'_>) -> Option<SymbolId> {
        self.scoping.get_reference(name.reference_id.get()?).symbol_id()
    }

    pub(super) fn is_global(&self, name: &IdentifierReference<'_>) -> bool {
        self.symbol(name).is_none()
    }
}

pub(super) fn is_async_function(expression: &Expression<'_>) -> bool {
    match expression.get_inner_expression() {
        Expression::ArrowFunctionExpression(function) => function.r#async,
        Expression::FunctionExpression(function) => function.r#async && !function.generator,
        _ => false,
    }
}

fn first_text<'b>(call: &'b CallExpression<'_>) -> Option<&'b str> {
    match call.arguments.first()? {
        Argument::StringLiteral(text) => Some(text.value.as_str()),
        _ => None,
    }
}
