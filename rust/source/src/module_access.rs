//! Where a cell reaches for modules. Decided on the syntax tree, never on text.

use oxc_ast::ast::{CallExpression, Expression};
use oxc_semantic::Scoping;
use oxc_span::{GetSpan as _, Span};
use oxc_syntax::module_record::ModuleRecord;

/// The first `import`, `export … from`, `import()` or `import.meta` outside of types.
pub(crate) fn first_syntax(modules: &ModuleRecord<'_>) -> Option<Span> {
    let declarations = modules.requested_modules.values().flatten();
    declarations
        .filter(|requested| !requested.is_type)
        .map(|requested| requested.statement_span)
        .chain(modules.dynamic_imports.iter().map(|import| import.span))
        .chain(modules.import_metas.iter().copied())
        .min_by_key(|span| span.start)
}

/// The callee, if this is a call of the global `require`: in parentheses, optional, out of a comma expression.
pub(crate) fn required(call: &CallExpression<'_>, scoping: &Scoping) -> Option<Span> {
    match value_of(&call.callee) {
        Expression::Identifier(name) if name.name == "require" => {
            let reference = scoping.get_reference(name.reference_id.get()?);
            reference.symbol_id().is_none().then_some(call.callee.span())
        }
        _ => None,
    }
}

/// The expression whose value this one has.
fn value_of<'a, 'b>(expression: &'b Expression<'a>) -> &'b Expression<'a> {
    let mut expression = expression.get_inner_expression();
    while let Expression::SequenceExpression(sequence) = expression
        && let Some(last) = sequence.expressions.last()
    {
        expression = last.get_inner_expression();
    }
    expression
}
