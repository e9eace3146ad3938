//! `MCP` and `namespaces`: objects of named functions, made when they are touched.

use toolcell_protocol::{FromWorker, NamespaceKind};

use super::{Native, tools};
use crate::{
    catalog::{self, Found},
    ffi::{Atom, JsResult, Property, Thrown, Value, exotic, exotic::Table},
    leg,
    realm::Realm,
    state::{OpenNamespace, State, state},
};

pub(super) fn install(globals: &Value, realm: &Realm) -> JsResult<()> {
    for (name, table) in [("MCP", Table::Mcp), ("namespaces", Table::Namespaces)] {
        let object = exotic::make(realm.exotic_class, table, &Value::NULL)?;
        realm.made_roots.define(name, object.clone(), Property::Fixed)?;
        globals.define(name, object, Property::Fixed)?;
    }
    Ok(())
}

/// Property `name` of `MCP` or `namespaces`.
pub(super) fn lookup_root(kind: NamespaceKind, name: &str) -> JsResult<Option<Value>> {
    let Some(state) = state() else { return Ok(None) };
    if kind == NamespaceKind::Host && name == "MCP" {
        return state.realm.made_roots.own_data(&Atom::new("MCP")?);
    }
    if let Some(owner) = catalog::namespace_called(kind, name) {
        return open(state, kind, owner).map(Some);
    }
    if kind == NamespaceKind::Mcp && name == "$api" {
        return Native::Api.bound("$api", 0, Value::NULL).map(Some);
    }
    remember_missing(state, root_name(kind), name);
    Ok(None)
}

/// Property `name` of the namespace that the cell opened as number `index`.
pub(super) fn lookup(index: u32, name: &str) -> JsResult<Option<Value>> {
    let Some(state) = state() else { return Ok(None) };
    let Some(namespace) = opened(state, index) else { return Ok(None) };
    let value = tools::made_once(&namespace.made, name, || make(&namespace, name))?;
    if value.is_none() {
        let member = catalog::namespace_member(namespace.kind, &namespace.name).unwrap_or_default();
        remember_missing(state, &format!("{}.{member}", root_name(namespace.kind)), name);
    }
    Ok(value)
}

/// Names of the properties of `MCP` or `namespaces`.
pub(super) fn root_names(kind: NamespaceKind) -> Vec<String> {
    let root = (kind == NamespaceKind::Host).then(|| "MCP".to_owned());
    root.into_iter().chain(catalog::namespace_members(kind)).collect()
}

/// Names of the properties of an opened namespace; those that begin with `$` are not listed.
pub(super) fn names(index: u32) -> Vec<String> {
    let Some(state) = state() else { return Vec::new() };
    let Some(namespace) = opened(state, index) else { return Vec::new() };
    if namespace.kind == NamespaceKind::Mcp {
        tell_foreign_words(state);
    }
    catalog::function_names(namespace.kind, &namespace.name)
}

/// The object of a namespace, the same one each time.
fn open(state: &State, kind: NamespaceKind, name: String) -> JsResult<Value> {
    let mut opened = state.namespaces.borrow_mut();
    if let Some(known) = opened.iter().find(|known| known.kind == kind && known.name == name) {
        return Ok(known.object.clone());
    }
    let index = u32::try_from(opened.len()).map_err(|_| Thrown::range_error("too many namespaces"))?;
    let object = exotic::make(state.realm.exotic_class, Table::Namespace(index), &Value::NULL)?;
    opened.push(OpenNamespace { kind, name, object: object.clone(), made: Value::bare_object()? });
    Ok(object)
}

fn opened(state: &State, index: u32) -> Option<OpenNamespace> {
    state.namespaces.borrow().get(index as usize).cloned()
}

/// What a property of a namespace is.
fn make(namespace: &OpenNamespace, name: &str) -> JsResult<Option<Value>> {
    let OpenNamespace { kind, name: owner, .. } = namespace;
    if let Some(found) = catalog::function_called(*kind, owner, name) {
        return match found {
            Found::Function(id) => function(*kind, name, &id).map(Some),
            Found::Group(functions) => {
                let group = Value::object()?;
                for (name, id) in functions {
                    group.define(&name, function(*kind, &name, &id)?, Property::Fixed)?;
                }
                group.freeze()?;
                Ok(Some(group))
            }
        };
    }
    match (kind, name) {
        (NamespaceKind::Mcp, "$serverName") => Value::string(owner).map(Some),
        (NamespaceKind::Mcp, "$api") => Native::Api.bound("$api", 1, Value::string(owner)?).map(Some),
        (NamespaceKind::Mcp, name) if !tools::is_of_the_language(name) && !catalog::is_listed(owner) => {
            function(*kind, name, &format!("mcp:{owner}:{name}")).map(Some)
        }
        _ => Ok(None),
    }
}

/// A function that calls the tool with this id.
fn function(kind: NamespaceKind, name: &str, id: &str) -> JsResult<Value> {
    match kind {
        NamespaceKind::Mcp => Native::CallMcp.bound(name, 1, Value::string(id)?),
        NamespaceKind::Host => Native::CallBound.bound(name, 1, Value::string(id)?),
    }
}

fn root_name(kind: NamespaceKind) -> &'static str {
    match kind {
        NamespaceKind::Mcp => "MCP",
        NamespaceKind::Host => "namespaces",
    }
}

fn remember_missing(state: &State, owner: &str, name: &str) {
    if !tools::is_of_the_language(name) {
        tools::remember_missing(state, &format!("{owner}.{name}"));
    }
}

/// Tells the host, once, that the guest sees what MCP servers wrote.
pub(super) fn tell_foreign_words(state: &State) {
    if !state.foreign_words.replace(true) {
        leg::send(&FromWorker::ForeignWords);
    }
}
