//! Completion values that a variable has to collect.

use oxc_ast::ast::{Expression, Statement};
use oxc_span::GetSpan as _;

use super::{end, is_valueless, start};
use crate::edits::{Edits, Layer};

/// Assigns the value of each expression statement to a variable that the cell then returns.
pub(super) struct Collector<'e> {
    variable: String,
    edits: &'e mut Edits,
}

impl<'e> Collector<'e> {
    pub(super) fn new(text: &str, edits: &'e mut Edits) -> Self {
        let mut variable = "$value".to_owned();
        while text.contains(&variable) {
            variable.push('$');
        }
        Self { variable, edits }
    }

    pub(super) fn collect(mut self, body: &[Statement<'_>]) {
        let (Some(first), Some(last)) = (body.first(), body.last()) else {
            return;
        };
        let Some(valued) = body.iter().rev().find(|statement| !is_valueless(statement)) else {
            return;
        };
        self.before(start(first.span()), format!("let {};", self.variable));
        self.statement(valued);
        self.after(end(last.span()), format!(";return {};", self.variable));
    }

    fn before(&mut self, offset: usize, text: String) {
        self.edits.insert_before(offset, Layer::Outer, text);
    }

    fn after(&mut self, offset: usize, text: String) {
        self.edits.insert_after(offset, Layer::Outer, text);
    }

    fn list(&mut self, list: &[Statement<'_>]) {
        for statement in list {
            self.nested(statement);
        }
    }

    /// A statement after others: if it leaves no value, theirs doesn't count any more.
    fn nested(&mut self, statement: &Statement<'_>) {
        let resets = matches!(
            statement,
            Statement::IfStatement(_)
                | Statement::TryStatement(_)
                | Statement::SwitchStatement(_)
                | Statement::LabeledStatement(_)
        ) || statement.is_iteration_statement();
        if !resets {
            return self.statement(statement);
        }
        let span = statement.span();
        self.before(start(span), format!("{{{}=void 0;", self.variable));
        self.statement(statement);
        self.after(end(span), "}".into());
    }

    fn statement(&mut self, statement: &Statement<'_>) {
        match statement {
            Statement::ExpressionStatement(it) => self.expression(&it.expression),
            Statement::BlockStatement(it) => self.list(&it.body),
            Statement::IfStatement(it) => {
                self.nested(&it.consequent);
                if let Some(alternate) = &it.alternate {
                    self.nested(alternate);
                }
            }
            Statement::TryStatement(it) => {
                self.list(&it.block.body);
                if let Some(handler) = &it.handler {
                    self.after(start(handler.body.span) + 1, format!("{}=void 0;", self.variable));
                    self.list(&handler.body.body);
                }
            }
            Statement::SwitchStatement(it) => it.cases.iter().for_each(|case| self.list(&case.consequent)),
            Statement::LabeledStatement(it) => self.statement(&it.body),
            Statement::ForStatement(it) => self.nested(&it.body),
            Statement::ForInStatement(it) => self.nested(&it.body),
            Statement::ForOfStatement(it) => self.nested(&it.body),
            Statement::WhileStatement(it) => self.nested(&it.body),
            Statement::DoWhileStatement(it) => self.nested(&it.body),
            _ => {}
        }
    }

    fn expression(&mut self, expression: &Expression<'_>) {
        let span = expression.span();
        if matches!(expression, Expression::SequenceExpression(_)) {
            self.before(start(span), format!("{}=(", self.variable));
            self.after(end(span), ")".into());
        } else {
            self.before(start(span), format!("{}=", self.variable));
        }
    }
}
