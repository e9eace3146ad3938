//! `console`: text output with the habits of a console.

use super::{Native, output};
use crate::{
    ffi::{Arguments, JsResult, Property, Value},
    leg,
    state::state,
};

const LEVELS: [(&str, &str); 5] =
    [("log", ""), ("info", "[info] "), ("warn", "[warn] "), ("error", "[error] "), ("debug", "[debug] ")];

pub(super) fn install(globals: &Value) -> JsResult<()> {
    let console = Value::object()?;
    for (name, prefix) in LEVELS {
        console.define(name, Native::ConsoleLog.bound(name, 0, Value::string(prefix)?)?, Property::Fixed)?;
    }
    console.freeze()?;
    globals.define("console", console, Property::Fixed)
}

/// `console.<level>(...values)`: one text item, the values separated by spaces.
pub(super) fn log(arguments: &Arguments<'_>) -> JsResult<Value> {
    let Some(state) = state() else { return Ok(Value::UNDEFINED) };
    let mut line = arguments.bound(0).to_text()?;
    for index in 0..arguments.count() {
        if index > 0 {
            line.push(' ');
        }
        let value = arguments.get(index);
        line.push_str(&if value.is_undefined() {
            "undefined".to_owned()
        } else {
            output::to_text(state, &value)?
        });
        if line.len() > leg::value_room(state) {
            return Err(output::over_budget(state, line.len() as u64, line.as_bytes()));
        }
    }
    output::emit_text(state, line)?;
    Ok(Value::UNDEFINED)
}
