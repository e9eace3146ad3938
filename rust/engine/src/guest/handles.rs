//! `catalog`: tools as callable handles that show no id.

use toolcell_protocol::Method;

use super::{Native, calls, tools};
use crate::{
    catalog, codec,
    ffi::{Arguments, JsResult, Kind, Property, Thrown, Value},
    state::{Answer, State, state},
};

/// Properties of a compact entry that a handle shows under the same name.
const SHOWN: [&str; 5] = ["label", "description", "source", "input", "output"];

pub(super) fn install(globals: &Value) -> JsResult<()> {
    let object = Value::object()?;
    object.define("search", Native::CatalogSearch.function("search", 1)?, Property::Fixed)?;
    object.define("all", Native::CatalogAll.function("all", 0)?, Property::Fixed)?;
    object.freeze()?;
    globals.define("catalog", object, Property::Fixed)
}

/// `catalog.search(query, {limit?})` → handles
pub(super) fn search(arguments: &Arguments<'_>) -> JsResult<Value> {
    match tools::query(arguments, "catalog.search(query, {limit?})") {
        Ok((query, limit)) => calls::begin(Method::Search { query, limit, handles: true }, Answer::Handles),
        Err(thrown) => calls::rejected(thrown),
    }
}

/// `catalog.all()` → handles of all tools; those of MCP servers are not among them
pub(super) fn all(_: &Arguments<'_>) -> JsResult<Value> {
    let Some(state) = state() else { return Ok(Value::UNDEFINED) };
    let mut handles = Vec::new();
    for position in 0..catalog::len() {
        let Some(json) = toolcell_arena::outside(|| catalog::entry(position)) else { continue };
        handles.push(handle(&decode(state, &json)?)?);
    }
    let list = Value::array(handles)?;
    list.freeze()?;
    Ok(list)
}

/// `handle.describe()`
pub(super) fn describe(arguments: &Arguments<'_>) -> JsResult<Value> {
    calls::begin(Method::Describe { target: arguments.bound(0).to_text()?, handle: true }, Answer::WithoutId)
}

/// Makes handles of the entries that the host found.
pub(super) fn from_entries(entries: &Value) -> JsResult<Value> {
    let mut handles = Vec::new();
    for index in 0..entries.length()? {
        handles.push(handle(&entries.get_index(index)?)?);
    }
    Value::array(handles)
}

fn decode(state: &State, json: &[u8]) -> JsResult<Value> {
    let limits = state.limits.borrow();
    codec::decode(json, limits.value_depth, limits.big_integers, &state.realm)
}

fn handle(entry: &Value) -> JsResult<Value> {
    let id = entry.get("id")?;
    if id.kind() != Kind::String {
        return Err(Thrown::type_error("an entry without an id"));
    }
    let name = entry.get("name")?;
    let id_text = id.to_text()?;
    let mcp = catalog::mcp_path_of(&id_text);
    let native = if mcp.is_some() { Native::CallMcp } else { Native::CallBound };
    let callable = mcp.or_else(|| catalog::bare_name_of(&id_text));
    let function = native.open(callable.as_deref().unwrap_or_default(), 1, id.clone())?;
    let callable = callable.map_or(Ok(Value::NULL), |name| Value::string(&name))?;
    function.define("callableName", callable, Property::Fixed)?;
    function.define("toolName", name, Property::Fixed)?;
    for property in SHOWN {
        let value = entry.get(property)?;
        if !value.is_undefined() {
            function.define(property, value, Property::Fixed)?;
        }
    }
    function.define("describe", Native::HandleDescribe.bound("describe", 0, id)?, Property::Fixed)?;
    function.freeze()?;
    Ok(function)
}
