//! What an engine's bare complaint is about.
//!
//! `QuickJS` says `not a function` and a place. The syntax tree knows the words at that place.

use oxc_ast::ast::{
    AssignmentExpression, AssignmentTarget, CallExpression, ComputedMemberExpression, Expression,
    ForOfStatement, MemberExpression, NewExpression, StaticMemberExpression,
};
use oxc_ast_visit::{
    Visit,
    walk::{
        walk_assignment_expression, walk_call_expression, walk_computed_member_expression,
        walk_for_of_statement, walk_new_expression, walk_static_member_expression,
    },
};
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
/// **Source:** `QuickJS`-ng 0.16 gives a method call the place of the method's name, a read of a property the place
/// where its chain begins or of its bracket, a `for` loop that of what it goes over.
pub fn words_at(source: &str, location: Location, complaint: Complaint<'_>) -> Option<String> {
    reading::read(source, |reading| {
        let mut finder =
            Finder { reading, offset: reading.offset(location)?, complaint, found: None, several: false };
        finder.visit_program(reading.program);
        finder.found.filter(|_| !finder.several)
    })?
}

struct Finder<'r, 'p, 'a, 'c> {
    reading: &'r Reading<'p, 'a>,
    offset: u32,
    complaint: Complaint<'c>,
    found: Option<String>,
    several: bool,
}

impl Finder<'_, '_, '_, '_> {
    fn add(&mut self, span: Span) {
        let words = self.reading.quote(span);
        self.several |= self.found.as_ref().is_some_and(|found| *found != words);
        self.found = Some(words);
    }

    fn call(&mut self, callee: &Expression<'_>) {
        let span = callee.span();
        let place = match callee.get_inner_expression().as_member_expression() {
            Some(MemberExpression::StaticMemberExpression(member)) => member.property.span.start,
            Some(MemberExpression::ComputedMemberExpression(member)) => member.object.span().end,
            _ => span.start,
        };
        if self.complaint == Complaint::NotAFunction && place == self.offset {
            self.add(span);
        }
    }

    fn read(&mut self, object: &Expression<'_>, name: Option<&str>, member: Span, places: [u32; 2]) {
        if let Complaint::PropertyOfNothing(property) = self.complaint
            && name.is_none_or(|name| name == property)
            && (member.start == self.offset || places.contains(&self.offset))
        {
            self.add(object.span());
        }
    }
}

impl<'a> Visit<'a> for Finder<'_, '_, '_, '_> {
    fn visit_call_expression(&mut self, it: &CallExpression<'a>) {
        self.call(&it.callee);
        walk_call_expression(self, it);
    }

    fn visit_new_expression(&mut self, it: &NewExpression<'a>) {
        self.call(&it.callee);
        walk_new_expression(self, it);
    }

    fn visit_for_of_statement(&mut self, it: &ForOfStatement<'a>) {
        if self.complaint == Complaint::NotIterable && it.right.span().start == self.offset {
            self.add(it.right.span());
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
        self.read(&it.object, it.static_property_name().as_deref(), it.span, [bracket; 2]);
        walk_computed_member_expression(self, it);
    }

    fn visit_assignment_expression(&mut self, it: &AssignmentExpression<'a>) {
        if self.complaint == Complaint::Assignment
            && it.span.start == self.offset
            && let AssignmentTarget::AssignmentTargetIdentifier(name) = &it.left
        {
            self.add(name.span);
        }
        walk_assignment_expression(self, it);
    }
}
