//! The completion value of a cell as its return value.

use oxc_ast::ast::{Program, Statement};
use oxc_span::GetSpan as _;

use crate::edits::{Edits, Order};

/// Makes the cell return its completion value, unless it returns by itself.
pub(crate) fn return_completion_value(program: &Program<'_>, _text: &str, edits: &mut Edits) {
    if let Some(Statement::ExpressionStatement(last)) = program.body.last() {
        edits.insert(last.span().start as usize, Order::Opening, "return ");
    }
}
