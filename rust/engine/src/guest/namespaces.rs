//! `MCP`, `API` and `namespaces`: places that fill when a run has MCP servers or namespaces of its host.

use super::Native;
use crate::ffi::{Arguments, JsResult, Kind, Property, Thrown, Value};

pub(super) fn install(globals: &Value) -> JsResult<()> {
    let mcp = Value::object()?;
    mcp.freeze()?;
    let api = Value::object()?;
    api.define("list", Native::ApiList.function("list", 0)?, Property::Fixed)?;
    api.define("read", Native::ApiRead.function("read", 1)?, Property::Fixed)?;
    api.freeze()?;
    let namespaces = Value::object()?;
    namespaces.define("MCP", mcp.clone(), Property::Fixed)?;
    namespaces.freeze()?;
    globals.define("MCP", mcp, Property::Fixed)?;
    globals.define("API", api, Property::Fixed)?;
    globals.define("namespaces", namespaces, Property::Fixed)
}

/// `API.list(prefix?)` → declaration files; there are none without MCP servers
pub(super) fn api_list(_: &Arguments<'_>) -> JsResult<Value> {
    Value::array(Vec::new())
}

/// `API.read(path)` → text of a declaration file
pub(super) fn api_read(arguments: &Arguments<'_>) -> JsResult<Value> {
    let path = arguments.get(0);
    let shown =
        if path.kind() == Kind::String { path.to_text()? } else { "a path that isn't a string".to_owned() };
    Err(Thrown::type_error(&format!("API.read: there is no file {shown}; API.list() names the files")))
}
