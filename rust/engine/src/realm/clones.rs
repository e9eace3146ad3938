//! Constructors that `structuredClone` makes copies with.

use crate::ffi::{JsResult, Value};

/// Errors whose kind survives a copy; any other becomes an `Error`.
const ERRORS: [&str; 7] =
    ["Error", "EvalError", "RangeError", "ReferenceError", "SyntaxError", "TypeError", "URIError"];

pub(crate) struct Clones {
    pub(crate) object: Value,
    pub(crate) date: Value,
    pub(crate) date_value: Value,
    pub(crate) reg_exp: Value,
    pub(crate) map: Value,
    pub(crate) map_set: Value,
    pub(crate) set: Value,
    pub(crate) set_add: Value,
    errors: Vec<Value>,
}

impl Clones {
    pub(super) fn new(globals: &Value) -> JsResult<Self> {
        let method = |constructor: &str, name: &str| globals.get(constructor)?.get("prototype")?.get(name);
        Ok(Self {
            object: globals.get("Object")?,
            date: globals.get("Date")?,
            date_value: method("Date", "getTime")?,
            reg_exp: globals.get("RegExp")?,
            map: globals.get("Map")?,
            map_set: method("Map", "set")?,
            set: globals.get("Set")?,
            set_add: method("Set", "add")?,
            errors: ERRORS.iter().map(|name| globals.get(name)).collect::<JsResult<_>>()?,
        })
    }

    /// The constructor of errors with this name.
    pub(crate) fn error_constructor(&self, name: &str) -> &Value {
        let position = ERRORS.iter().position(|known| *known == name).unwrap_or(0);
        self.errors.get(position).unwrap_or(&self.object)
    }
}
