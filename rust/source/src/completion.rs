//! The completion value of a cell as its return value.
//!
//! Without any `return` of its own, a cell returns what a REPL would show: the value of the last expression
//! statement that was executed. Most cells end with one, or with a block, `if` or `try` whose branches do: these
//! get a `return` in place. After loops, `switch`, labels, or declarations that follow the value, a variable
//! collects it.
//!
//! **Source:** ECMA-262, `UpdateEmpty` in the evaluation of statements. **Limits:** `break` and `continue` out of a
//! `finally` block keep the value of the `try`.

use oxc_ast::ast::{
    BlockStatement, ExportDefaultDeclaration, ExportDefaultDeclarationKind, Expression, Function, Program,
    Statement, TryStatement,
};
use oxc_span::{GetSpan as _, Span};

use crate::{
    completion::collect::Collector,
    edits::{Edits, Layer},
    parse::{ParseError, own_directives},
    trivia::next_token,
    typescript::is_type_only,
};

mod collect;

/// Makes the cell return its completion value, unless it returns by itself.
///
/// A cell that is one function is called. `export default` makes its operand the value.
pub(crate) fn return_completion_value(
    program: &Program<'_>,
    text: &str,
    edits: &mut Edits,
) -> Result<(), ParseError> {
    let body = &program.body;
    if let Some(default) = default_export(body) {
        return return_default_export(default, body, text, edits);
    }
    if memchr::memmem::find(text.as_bytes(), b"return").is_some() && body.iter().any(returns) {
        return Ok(());
    }
    match significant(body) {
        [] => {
            if let Some(last) = own_directives(&program.directives).last() {
                edits.insert_before(start(last.span), Layer::Outer, "return ");
            }
        }
        [only] if let Some(function) = sole_function(only) => return_call(function, edits),
        _ if returns_suffice(body) => insert_returns(body, edits),
        _ => Collector::new(text, edits).collect(body),
    }
    Ok(())
}

/// The statements without empty ones and types at either end.
fn significant<'a, 'b>(body: &'b [Statement<'a>]) -> &'b [Statement<'a>] {
    let counts = |statement: &Statement<'_>| !is_empty(statement);
    let first = body.iter().position(counts).unwrap_or(body.len());
    let end = body.iter().rposition(counts).map_or(first, |last| last + 1);
    body.get(first..end).unwrap_or_default()
}

fn is_empty(statement: &Statement<'_>) -> bool {
    matches!(statement, Statement::EmptyStatement(_)) || is_type_only(statement)
}

/// Neither does anything when it is reached, nor has a value.
fn is_inert(statement: &Statement<'_>) -> bool {
    match statement {
        Statement::FunctionDeclaration(_) => true,
        Statement::BlockStatement(block) => block.body.iter().all(is_inert),
        _ => is_empty(statement),
    }
}

/// Leaves the completion value as it was.
fn is_valueless(statement: &Statement<'_>) -> bool {
    match statement {
        Statement::VariableDeclaration(_)
        | Statement::ClassDeclaration(_)
        | Statement::TSEnumDeclaration(_)
        | Statement::TSNamespaceDeclaration(_)
        | Statement::DebuggerStatement(_) => true,
        Statement::BlockStatement(block) => block.body.iter().all(is_valueless),
        _ => is_inert(statement),
    }
}

/// The function that is the whole cell.
fn sole_function(statement: &Statement<'_>) -> Option<Span> {
    match statement {
        Statement::ExpressionStatement(it) if is_function(&it.expression) => Some(it.expression.span()),
        Statement::FunctionDeclaration(it) if can_be_called(it) && it.params.items.is_empty() => {
            Some(it.span)
        }
        _ => None,
    }
}

fn is_function(expression: &Expression<'_>) -> bool {
    match expression.without_parentheses() {
        Expression::ArrowFunctionExpression(_) => true,
        Expression::FunctionExpression(function) => can_be_called(function),
        _ => false,
    }
}

fn can_be_called(function: &Function<'_>) -> bool {
    !function.generator
}

fn return_call(function: Span, edits: &mut Edits) {
    edits.insert_before(start(function), Layer::Outer, "return (");
    edits.insert_after(end(function), Layer::Outer, ")()");
}

fn default_export<'a, 'b>(body: &'b [Statement<'a>]) -> Option<&'b ExportDefaultDeclaration<'a>> {
    body.iter().find_map(|statement| match statement {
        Statement::ExportDefaultDeclaration(it) if !is_type_only(statement) => Some(&**it),
        _ => None,
    })
}

fn return_default_export(
    default: &ExportDefaultDeclaration<'_>,
    body: &[Statement<'_>],
    text: &str,
    edits: &mut Edits,
) -> Result<(), ParseError> {
    if !body.iter().skip_while(|statement| statement.span() != default.span).skip(1).all(is_inert) {
        return Err(ParseError {
            message: "`export default` must be the last statement of a cell".into(),
            offset: start(default.span),
        });
    }
    let value = default.declaration.span();
    let function = match &default.declaration {
        ExportDefaultDeclarationKind::FunctionDeclaration(function) => can_be_called(function),
        other => other.as_expression().is_some_and(is_function),
    };
    blank_keywords(start(default.span), text, edits);
    if function {
        return_call(value, edits);
    } else {
        edits.insert_before(start(value), Layer::Outer, "return (");
        edits.insert_after(end(value), Layer::Outer, ")");
    }
    Ok(())
}

/// Blanks `export` and `default`, not what is between them.
fn blank_keywords(export: usize, text: &str, edits: &mut Edits) {
    let export_end = export + "export".len();
    let default = next_token(text, export_end);
    edits.blank(export..export_end);
    edits.blank(default..default + "default".len());
}

/// Whether the cell returns here, functions apart.
fn returns(statement: &Statement<'_>) -> bool {
    match statement {
        Statement::ReturnStatement(_) => true,
        Statement::BlockStatement(it) => it.body.iter().any(returns),
        Statement::IfStatement(it) => returns(&it.consequent) || it.alternate.as_ref().is_some_and(returns),
        Statement::TryStatement(it) => try_blocks(it).any(|block| block.body.iter().any(returns)),
        Statement::ForStatement(it) => returns(&it.body),
        Statement::ForInStatement(it) => returns(&it.body),
        Statement::ForOfStatement(it) => returns(&it.body),
        Statement::WhileStatement(it) => returns(&it.body),
        Statement::DoWhileStatement(it) => returns(&it.body),
        Statement::LabeledStatement(it) => returns(&it.body),
        Statement::SwitchStatement(it) => it.cases.iter().any(|case| case.consequent.iter().any(returns)),
        _ => false,
    }
}

fn try_blocks<'a, 'b>(it: &'b TryStatement<'a>) -> impl Iterator<Item = &'b BlockStatement<'a>> {
    let handler = it.handler.as_ref().map(|handler| &*handler.body);
    std::iter::once(&*it.block).chain(handler).chain(it.finalizer.as_deref())
}

/// The statement whose value is that of the list, if nothing that runs comes after it.
fn tail<'a, 'b>(list: &'b [Statement<'a>]) -> Option<&'b Statement<'a>> {
    list.iter().rev().find(|statement| !is_inert(statement))
}

/// Whether `return` before the expressions in last place gives the completion value.
fn returns_suffice(list: &[Statement<'_>]) -> bool {
    match tail(list) {
        None | Some(Statement::ThrowStatement(_)) => true,
        Some(valueless) if is_valueless(valueless) => list.iter().all(is_valueless),
        Some(valued) => returns_suffice_in(valued),
    }
}

fn returns_suffice_in(statement: &Statement<'_>) -> bool {
    match statement {
        Statement::ExpressionStatement(_) | Statement::ThrowStatement(_) => true,
        Statement::BlockStatement(it) => returns_suffice(&it.body),
        Statement::IfStatement(it) => {
            returns_suffice_in(&it.consequent) && it.alternate.as_ref().is_none_or(returns_suffice_in)
        }
        Statement::TryStatement(it) => {
            returns_suffice(&it.block.body)
                && it.handler.as_ref().is_none_or(|handler| returns_suffice(&handler.body.body))
        }
        _ => is_inert(statement),
    }
}

fn insert_returns(list: &[Statement<'_>], edits: &mut Edits) {
    if let Some(last) = tail(list) {
        insert_returns_in(last, edits);
    }
}

fn insert_returns_in(statement: &Statement<'_>, edits: &mut Edits) {
    match statement {
        Statement::ExpressionStatement(it) => edits.insert_before(start(it.span), Layer::Outer, "return "),
        Statement::BlockStatement(it) => insert_returns(&it.body, edits),
        Statement::IfStatement(it) => {
            insert_returns_in(&it.consequent, edits);
            if let Some(alternate) = &it.alternate {
                insert_returns_in(alternate, edits);
            }
        }
        Statement::TryStatement(it) => {
            insert_returns(&it.block.body, edits);
            if let Some(handler) = &it.handler {
                insert_returns(&handler.body.body, edits);
            }
        }
        _ => {}
    }
}

fn start(span: Span) -> usize {
    span.start as usize
}

fn end(span: Span) -> usize {
    span.end as usize
}
