//! `API`: declarations of MCP tools as read-only files.

use super::{Native, namespaces};
use crate::{
    catalog,
    ffi::{Arguments, JsResult, Kind, Property, Thrown, Value},
    state::state,
};

pub(super) fn install(globals: &Value) -> JsResult<()> {
    let api = Value::object()?;
    api.define("list", Native::ApiList.function("list", 0)?, Property::Fixed)?;
    api.define("read", Native::ApiRead.function("read", 1)?, Property::Fixed)?;
    api.freeze()?;
    globals.define("API", api, Property::Fixed)
}

/// `API.list(prefix?)` → `{path, description, bytes}` of each file
pub(super) fn list(arguments: &Arguments<'_>) -> JsResult<Value> {
    let prefix = match arguments.get(0) {
        value if value.is_undefined() => String::new(),
        value if value.kind() == Kind::String => value.to_text()?,
        _ => return Err(Thrown::type_error("API.list(prefix?) takes a string")),
    };
    let mut rows = Vec::new();
    for (path, description, bytes) in catalog::files() {
        if path.starts_with(&prefix) {
            let row = Value::object()?;
            row.define("path", Value::string(&path)?, Property::Plain)?;
            row.define("description", Value::string(&description)?, Property::Plain)?;
            row.define("bytes", Value::size(bytes), Property::Plain)?;
            rows.push(row);
        }
    }
    Value::array(rows)
}

/// `API.read(path)` → text of the file
pub(super) fn read(arguments: &Arguments<'_>) -> JsResult<Value> {
    let path = arguments.get(0);
    if path.kind() != Kind::String {
        return Err(Thrown::type_error("API.read(path) takes a string; API.list() names the files"));
    }
    let path = path.to_text()?;
    if path.split('/').any(|part| part == "." || part == "..") {
        return Err(Thrown::type_error(
            "API.read: a path has no `.` or `..` in it; API.list() names the files",
        ));
    }
    match toolcell_arena::outside(|| catalog::file(&path)) {
        Some(text) => {
            state().into_iter().for_each(namespaces::tell_foreign_words);
            Value::string(&text)
        }
        None => {
            Err(Thrown::type_error(&format!("API.read: there is no file {path}; API.list() names the files")))
        }
    }
}
