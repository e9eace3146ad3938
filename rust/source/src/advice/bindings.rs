//! What the names of a cell stand for.

use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
};

use oxc_ast::ast::{BindingPattern, Function, MethodDefinition, ObjectProperty, VariableDeclarator};
use oxc_ast_visit::{
    Visit,
    walk::{walk_function, walk_method_definition, walk_object_property, walk_variable_declarator},
};
use oxc_semantic::{ScopeFlags, SymbolId};
use oxc_span::{GetSpan as _, Span};

use super::nature::{Nature, Natures, is_async_function};

/// Names whose value is known for the whole cell: assigned once, where they are declared.
#[derive(Debug, Default)]
pub(super) struct Bindings {
    pub(super) async_functions: HashSet<SymbolId>,
    pub(super) variables: HashMap<SymbolId, Variable>,
    /// Names of methods that the cell defines. A `filter` of its own may well wait for its callback.
    pub(super) methods: HashSet<String>,
}

/// A variable and where its value comes from.
#[derive(Debug, Clone, Copy)]
pub(super) struct Variable {
    pub(super) nature: Nature,
    pub(super) init: Span,
}

/// Collects async functions and methods. They may be called before they are declared, so they come before [`Variables`].
pub(super) struct AsyncFunctions<'n, 'r>(pub(super) &'n mut Natures<'r>);

impl<'a> Visit<'a> for AsyncFunctions<'_, '_> {
    fn visit_function(&mut self, it: &Function<'a>, flags: ScopeFlags) {
        if it.r#async
            && !it.generator
            && let Some(symbol) = it.id.as_ref().and_then(|id| id.symbol_id.get())
        {
            self.0.bindings.async_functions.insert(symbol);
        }
        walk_function(self, it, flags);
    }

    fn visit_method_definition(&mut self, it: &MethodDefinition<'a>) {
        self.0.bindings.methods.extend(it.key.static_name().map(Cow::into_owned));
        walk_method_definition(self, it);
    }

    fn visit_object_property(&mut self, it: &ObjectProperty<'a>) {
        if it.value.is_function() {
            self.0.bindings.methods.extend(it.key.static_name().map(Cow::into_owned));
        }
        walk_object_property(self, it);
    }

    fn visit_variable_declarator(&mut self, it: &VariableDeclarator<'a>) {
        if it.init.as_ref().is_some_and(is_async_function)
            && let Some(symbol) = sole_symbol(it, self.0)
        {
            self.0.bindings.async_functions.insert(symbol);
        }
        walk_variable_declarator(self, it);
    }
}

/// Collects variables of a known nature, in source order.
pub(super) struct Variables<'n, 'r>(pub(super) &'n mut Natures<'r>);

impl<'a> Visit<'a> for Variables<'_, '_> {
    fn visit_variable_declarator(&mut self, it: &VariableDeclarator<'a>) {
        if let Some(init) = &it.init
            && let Some(symbol) = sole_symbol(it, self.0)
            && let Some(nature) = self.0.of(init)
        {
            self.0.bindings.variables.insert(symbol, Variable { nature, init: init.span() });
        }
        walk_variable_declarator(self, it);
    }
}

/// The one variable that a declarator declares, if nothing else assigns to it.
fn sole_symbol(it: &VariableDeclarator<'_>, natures: &Natures<'_>) -> Option<SymbolId> {
    let BindingPattern::BindingIdentifier(name) = &it.id else { return None };
    let symbol = name.symbol_id.get()?;
    (!natures.scoping.symbol_is_mutated(symbol)).then_some(symbol)
}
