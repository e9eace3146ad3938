//! What an engine's bare complaint is about.
//!
//! `QuickJS` says `not a function` and a place. The syntax tree knows the words at that place.

use oxc_ast::ast::{
    ArrowFunctionExpression, AssignmentExpression, AssignmentTarget, CallExpression,
    ComputedMemberExpression, Expression, ForOfStatement, Function, MemberExpression, NewExpression,
    StaticMemberExpression,
};
use oxc_ast_visit::{
    Visit,
    walk::{
        walk_arrow_function_expression, walk_assignment_expression, walk_call_expression,
        walk_computed_member_expression, walk_for_of_statement, walk_function, walk_new_expression,
        walk_static_member_expression,
    },
};
use oxc_semantic::ScopeFlags;
use oxc_span::{GetSpan as _, Span};
use toolcell_protocol::Location;

use crate::reading::{self, Reading};

/// What an engine complains about at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Complaint<'a> {
    /// Something is called that is no function.
    NotAFunction,
    /// Something is iterated over that can't be.
    NotIterable,
    /// This property is read of `undefined` or `null`.
    PropertyOfNothing(&'a str),
    /// A name is assigned to.
    Assignment,
}

/// The words of the source that a complaint at `location` is about: the callee, what is iterated over, the object that
/// isn't one, the name. `None` if they can't be told for certain.
///
/// **Source:** `QuickJS`-ng 0.16 gives an operation the last place that its compiler noted before: of a method call
/// the method's name, of a read where its chain begins or its bracket, of a `for` loop what it goes over; but
/// where arguments have places of their own, the last of these.
pub fn words_at(source: &str, location: Location, complaint: Complaint<'_>) -> Option<String> {
    reading::read(source, |reading| {
        let offset = reading.offset(location)?;
        let mut finder =
            Finder { reading, offset, complaint, exact: Vec::new(), around: Vec::new(), unsure: false };
        finder.visit_program(reading.program);
        finder.words()
    })?
}

struct Finder<'r, 'p, 'a, 'c> {
    reading: &'r Reading<'p, 'a>,
    offset: u32,
    complaint: Complaint<'c>,
    /// What has exactly this place.
    exact: Vec<Span>,
    /// What has this place inside of it, so that it may be the last one noted before; outermost first.
    around: Vec<Span>,
    /// What has exactly this place is an argument of what may be meant as well.
    unsure: bool,
}

impl Finder<'_, '_, '_, '_> {
    fn words(&self) -> Option<String> {
        let found = match (&self.exact[..], &self.around[..], self.complaint) {
            ([exact], ..) if !self.unsure => exact,
            ([], [.., innermost], Complaint::NotAFunction) => innermost,
            ([], [only], _) => only,
            _ => return None,
        };
        Some(self.reading.quote(*found))
    }

    fn call(&mut self, callee: &Expression<'_>, call: Span) {
        if self.complaint != Complaint::NotAFunction {
            return;
        }
        let span = callee.span();
        let places = match callee.get_inner_expression().as_member_expression() {
            Some(MemberExpression::StaticMemberExpression(member)) => [member.property.span.start; 2],
            Some(MemberExpression::ComputedMemberExpression(member)) => {
                [span.start, member.object.span().end]
            }
            _ => [span.start; 2],
        };
        if places.contains(&self.offset) {
            self.exact.push(span);
            self.unsure = !self.around.is_empty();
        } else if (span.end..call.end).contains(&self.offset) && !self.is_built_in(callee) {
            self.around.push(span);
        }
    }

    /// `text`, `JSON.parse`: globals that are there, or it would be a `ReferenceError`.
    fn is_built_in(&self, callee: &Expression<'_>) -> bool {
        let callee = callee.get_inner_expression();
        let name = match callee.as_member_expression().map(|member| member.object().get_inner_expression()) {
            None => callee.get_identifier_reference(),
            Some(Expression::Identifier(object)) if object.name.starts_with(char::is_uppercase) => {
                Some(&**object)
            }
            Some(_) => None,
        };
        let reference = name.and_then(|name| name.reference_id.get());
        reference.is_some_and(|reference| !self.reading.scoping.has_binding(reference))
    }

    fn read(&mut self, object: &Expression<'_>, name: Option<&str>, member: Span, places: [u32; 2]) {
        let Complaint::PropertyOfNothing(property) = self.complaint else { return };
        if name.is_some_and(|name| name != property) {
            return;
        }
        if member.start == self.offset || places.contains(&self.offset) {
            self.exact.push(object.span());
        } else if (member.start..object.span().end).contains(&self.offset) {
            self.around.push(object.span());
        }
    }

    /// Nothing outside of a function has a place inside of it.
    fn enter_function(&mut self, function: Span) {
        if function.start < self.offset && self.offset < function.end {
            self.exact.clear();
            self.around.clear();
        }
    }
}

impl<'a> Visit<'a> for Finder<'_, '_, '_, '_> {
    fn visit_function(&mut self, it: &Function<'a>, flags: ScopeFlags) {
        self.enter_function(it.span);
        walk_function(self, it, flags);
    }

    fn visit_arrow_function_expression(&mut self, it: &ArrowFunctionExpression<'a>) {
        self.enter_function(it.span);
        walk_arrow_function_expression(self, it);
    }

    fn visit_call_expression(&mut self, it: &CallExpression<'a>) {
        self.call(&it.callee, it.span);
        walk_call_expression(self, it);
    }

    fn visit_new_expression(&mut self, it: &NewExpression<'a>) {
        // An error of the cell's own has the place of its constructor, whatever its message says.
        if !it.callee.get_identifier_reference().is_some_and(|name| name.name.ends_with("Error")) {
            self.call(&it.callee, it.span);
        }
        walk_new_expression(self, it);
    }

    fn visit_for_of_statement(&mut self, it: &ForOfStatement<'a>) {
        if self.complaint == Complaint::NotIterable && it.right.span().start == self.offset {
            self.exact.push(it.right.span());
        }
        walk_for_of_statement(self, it);
    }

    fn visit_static_member_expression(&mut self, it: &StaticMemberExpression<'a>) {
        let places = [it.object.span().end, it.property.span.start];
        self.read(&it.object, Some(it.property.name.as_str()), it.span, places);
        walk_static_member_expression(self, it);
    }

    fn visit_computed_member_expression(&mut self, it: &ComputedMemberExpression<'a>) {
        let bracket = it.object.span().end;
        let index = match &it.expression {
            Expression::NumericLiteral(index) => Some(index.value.to_string()),
            _ => it.static_property_name().map(|name| name.to_string()),
        };
        self.read(&it.object, index.as_deref(), it.span, [bracket; 2]);
        walk_computed_member_expression(self, it);
    }

    fn visit_assignment_expression(&mut self, it: &AssignmentExpression<'a>) {
        if self.complaint == Complaint::Assignment
            && it.span.start == self.offset
            && let AssignmentTarget::AssignmentTargetIdentifier(name) = &it.left
        {
            self.exact.push(name.span);
        }
        walk_assignment_expression(self, it);
    }
}
