//! `tools`, `ALL_TOOLS` and the bare tool functions.

use toolcell_protocol::{CallForm, Method};

use super::{Native, calls};
use crate::{
    catalog, codec,
    ffi::{Arguments, Atom, JsResult, Kind, Property, Thrown, Value, exotic, exotic::Table},
    realm::Realm,
    state::{Answer, State, state},
};

const ALL_TOOLS: &str = "ALL_TOOLS";
const FIXED: [(&str, u8, Native); 4] = [
    ("search", 1, Native::Search),
    ("describe", 1, Native::Describe),
    ("call", 1, Native::Call),
    ("callValue", 1, Native::CallValue),
];
/// Names looked up in vain that are kept for suggestions, and how long one may be.
const MAX_MISSING: usize = 8;
const MAX_MISSING_BYTES: usize = 256;

pub(super) fn install(globals: &Value, realm: &Realm) -> JsResult<()> {
    for (name, length, native) in FIXED {
        realm.made_tools.define(name, native.function(name, length)?, Property::Fixed)?;
    }
    let object_prototype = globals.prototype()?;
    globals.define(
        "tools",
        exotic::make(realm.exotic_class, Table::Tools, &Value::NULL)?,
        Property::Fixed,
    )?;
    // Bare functions are found through the global object's prototype, so that none is made before it is touched.
    globals.set_prototype(&exotic::make(realm.exotic_class, Table::Globals, &object_prototype)?)
}

/// Property `name` of `tools`.
pub(super) fn lookup(name: &str) -> JsResult<Option<Value>> {
    let Some(state) = state() else { return Ok(None) };
    let found = made_once(&state.realm.made_tools, name, || {
        catalog::id_by_safe_name(name).map(|id| tool_function(name, &id)).transpose()
    })?;
    if found.is_none() {
        remember_missing(state, name);
    }
    Ok(found)
}

/// What lies behind the global object under `name`.
pub(super) fn lookup_global(name: &str) -> JsResult<Option<Value>> {
    let Some(state) = state() else { return Ok(None) };
    made_once(&state.realm.made_globals, name, || match name {
        ALL_TOOLS => all_tools(state).map(Some),
        _ => catalog::id_by_bare_name(name).map(|id| tool_function(name, &id)).transpose(),
    })
}

/// Property `name` of a holder, made if it isn't there.
pub(super) fn made_once(
    holder: &Value,
    name: &str,
    make: impl FnOnce() -> JsResult<Option<Value>>,
) -> JsResult<Option<Value>> {
    let atom = Atom::new(name)?;
    if let Some(value) = holder.own_data(&atom)? {
        return Ok(Some(value));
    }
    let value = make()?;
    if let Some(value) = &value {
        holder.define_atom(&atom, value.clone(), Property::Fixed)?;
    }
    Ok(value)
}

/// Names of the properties of `tools`.
pub(super) fn names() -> Vec<String> {
    let fixed = FIXED.iter().map(|(name, ..)| (*name).to_owned());
    fixed.chain(catalog::safe_names()).collect()
}

/// Names of what lies behind the global object.
pub(super) fn global_names() -> Vec<String> {
    std::iter::once(ALL_TOOLS.to_owned()).chain(catalog::bare_names()).collect()
}

/// A function that calls the tool with this id. It carries the id, not a position, so that it stays right in a process
/// with another catalog.
fn tool_function(name: &str, id: &str) -> JsResult<Value> {
    Native::CallBound.bound(name, 1, Value::string(id)?)
}

/// The list of compact entries.
fn all_tools(state: &State) -> JsResult<Value> {
    let limits = state.limits.borrow();
    let mut entries = Vec::with_capacity(catalog::len());
    for position in 0..catalog::len() {
        let json = toolcell_arena::outside(|| catalog::entry(position)).unwrap_or_default();
        let entry = codec::decode(&json, limits.value_depth, limits.big_integers, &state.realm)?;
        entry.freeze()?;
        entries.push(entry);
    }
    let list = Value::array(entries)?;
    list.freeze()?;
    Ok(list)
}

/// Whether a property is looked up by the language itself, not by the model.
pub(super) fn is_of_the_language(name: &str) -> bool {
    ["then", "toJSON", "constructor", "toString", "valueOf", "__proto__"].contains(&name)
}

pub(super) fn remember_missing(state: &State, name: &str) {
    if name.len() > MAX_MISSING_BYTES || is_of_the_language(name) {
        return;
    }
    let mut missing = state.missing.borrow_mut();
    if missing.len() < MAX_MISSING && !missing.iter().any(|known| known == name) {
        missing.push(name.to_owned());
    }
}

/// `tools.search(query, {limit?})`
pub(super) fn search(arguments: &Arguments<'_>) -> JsResult<Value> {
    match query(arguments, "tools.search(query, {limit?})") {
        Ok((query, limit)) => calls::begin(Method::Search { query, limit, handles: false }, Answer::Value),
        Err(thrown) => calls::rejected(thrown),
    }
}

/// What is searched for, and how many entries are wanted.
pub(super) fn query(arguments: &Arguments<'_>, usage: &str) -> JsResult<(String, Option<u32>)> {
    let query = match arguments.get(0) {
        value if value.is_undefined() => String::new(),
        value if value.kind() == Kind::String => value.to_text()?,
        _ => return Err(Thrown::type_error(&format!("{usage} takes a string"))),
    };
    let options = arguments.get(1);
    let limit = if options.is_object() { options.get("limit")?.as_number() } else { options.as_number() };
    Ok((query, limit.filter(|limit| limit.is_finite()).map(|limit| limit.clamp(0.0, 1e6) as u32)))
}

/// `tools.describe(id)`
pub(super) fn describe(arguments: &Arguments<'_>) -> JsResult<Value> {
    match target(&arguments.get(0), "tools.describe(id)") {
        Ok(target) => calls::begin(Method::Describe { target, handle: false }, Answer::Value),
        Err(thrown) => calls::rejected(thrown),
    }
}

/// `tools.call(id, input?)`
pub(super) fn call(arguments: &Arguments<'_>) -> JsResult<Value> {
    match target(&arguments.get(0), "tools.call(id, input?)") {
        Ok(target) => calls::tool(target, &arguments.get(1), CallForm::Envelope),
        Err(thrown) => calls::rejected(thrown),
    }
}

/// `tools.callValue(id, input?)`
pub(super) fn call_value(arguments: &Arguments<'_>) -> JsResult<Value> {
    match target(&arguments.get(0), "tools.callValue(id, input?)") {
        Ok(target) => calls::tool(target, &arguments.get(1), CallForm::Value),
        Err(thrown) => calls::rejected(thrown),
    }
}

/// `tools.<name>(input?)` and the bare functions.
pub(super) fn call_bound(arguments: &Arguments<'_>) -> JsResult<Value> {
    calls::tool(arguments.bound(0).to_text()?, &arguments.get(0), CallForm::Value)
}

/// An id, which must be a string: nothing is converted, so nothing of the guest runs here.
fn target(value: &Value, usage: &str) -> JsResult<String> {
    if value.kind() != Kind::String {
        return Err(Thrown::type_error(&format!("{usage}: the id must be a string")));
    }
    value.to_text()
}
