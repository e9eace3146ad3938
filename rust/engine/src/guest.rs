//! The guest API: what a cell can reach. Everything here is native and frozen. See docs/guest-api.md.

mod calls;
mod console;
mod output;
mod random;
mod timers;
mod tools;

pub(crate) use calls::settle;
pub(crate) use output::output_failure;

use crate::{
    ffi::{JsResult, NativeFunction, Value, exotic::Table, function, value::Property},
    realm::Realm,
};

/// The native functions, in the order of [`Native`].
pub(crate) const NATIVES: [NativeFunction; 12] = [
    tools::search,
    tools::describe,
    tools::call,
    tools::call_value,
    tools::call_bound,
    output::text,
    output::json,
    calls::yield_control,
    timers::set_timeout,
    timers::clear_timeout,
    console::log,
    random::next,
];

/// Index of a native function.
#[derive(Debug, Clone, Copy)]
#[repr(u16)]
pub(crate) enum Native {
    Search,
    Describe,
    Call,
    CallValue,
    CallBound,
    Text,
    Json,
    YieldControl,
    SetTimeout,
    ClearTimeout,
    ConsoleLog,
    Random,
}

impl Native {
    /// Makes a function object of this native.
    pub(crate) fn function(self, name: &str, length: u8) -> JsResult<Value> {
        self.bound(name, length, Value::UNDEFINED)
    }

    /// Makes a function object that carries a value.
    pub(crate) fn bound(self, name: &str, length: u8, value: Value) -> JsResult<Value> {
        let function = function::make(name, length, self as u16, &[value, Value::UNDEFINED])?;
        function.freeze()?;
        Ok(function)
    }
}

/// Puts the API onto the global object.
pub(crate) fn install(globals: &Value, realm: &Realm) -> JsResult<()> {
    tools::install(globals, realm)?;
    console::install(globals)?;
    random::install(globals)?;
    let functions = [
        ("text", 1, Native::Text),
        ("json", 1, Native::Json),
        ("yield_control", 0, Native::YieldControl),
        ("setTimeout", 1, Native::SetTimeout),
        ("clearTimeout", 1, Native::ClearTimeout),
    ];
    for (name, length, native) in functions {
        globals.define(name, native.function(name, length)?, Property::Fixed)?;
    }
    Ok(())
}

/// Property `name` of an object that shows `table`.
pub(crate) fn lookup(table: Table, name: &str) -> JsResult<Option<Value>> {
    tools::lookup(table, name)
}

/// Names of the properties of an object that shows `table`.
pub(crate) fn names(table: Table) -> Vec<String> {
    tools::names(table)
}
