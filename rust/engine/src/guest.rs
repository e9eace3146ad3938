//! The guest API: what a cell can reach. Everything here is native and frozen. See docs/guest-api.md.

mod api;
mod calls;
mod console;
mod handles;
mod mcp;
mod namespaces;
mod output;
mod random;
mod structured_clone;
mod text_codec;
mod timers;
mod tools;

pub(crate) use calls::settle;
pub(crate) use output::output_failure;

use toolcell_protocol::NamespaceKind;

use crate::{
    ffi::{JsResult, NativeFunction, Property, Value, exotic::Table, function},
    realm::Realm,
};

/// The native functions, in the order of [`Native`].
pub(crate) const NATIVES: [NativeFunction; 23] = [
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
    structured_clone::clone,
    text_codec::encode,
    text_codec::decode,
    handles::search,
    handles::all,
    handles::describe,
    api::list,
    api::read,
    mcp::call,
    mcp::api,
    mcp::unwrap,
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
    StructuredClone,
    EncodeUtf8,
    DecodeUtf8,
    CatalogSearch,
    CatalogAll,
    HandleDescribe,
    ApiList,
    ApiRead,
    CallMcp,
    Api,
    Unwrap,
}

impl Native {
    /// Makes a function object of this native.
    pub(crate) fn function(self, name: &str, length: u8) -> JsResult<Value> {
        self.bound(name, length, Value::UNDEFINED)
    }

    /// Makes a function object that carries a value.
    pub(crate) fn bound(self, name: &str, length: u8, value: Value) -> JsResult<Value> {
        let function = self.open(name, length, value)?;
        function.freeze()?;
        Ok(function)
    }

    /// Makes a function object that carries a value and still takes properties.
    pub(crate) fn open(self, name: &str, length: u8, value: Value) -> JsResult<Value> {
        function::make(name, length, self as u16, &[value, Value::UNDEFINED])
    }
}

/// Puts the API onto the global object.
pub(crate) fn install(globals: &Value, realm: &Realm) -> JsResult<()> {
    tools::install(globals, realm)?;
    console::install(globals)?;
    random::install(globals)?;
    text_codec::install(globals)?;
    handles::install(globals)?;
    namespaces::install(globals, realm)?;
    api::install(globals)?;
    let functions = [
        ("text", 1, Native::Text),
        ("json", 1, Native::Json),
        ("yield_control", 0, Native::YieldControl),
        ("setTimeout", 1, Native::SetTimeout),
        ("clearTimeout", 1, Native::ClearTimeout),
        ("structuredClone", 1, Native::StructuredClone),
        ("unwrap", 1, Native::Unwrap),
    ];
    for (name, length, native) in functions {
        globals.define(name, native.function(name, length)?, Property::Fixed)?;
    }
    Ok(())
}

/// Property `name` of an object that shows `table`.
pub(crate) fn lookup(table: Table, name: &str) -> JsResult<Option<Value>> {
    match table {
        Table::Tools => tools::lookup(name),
        Table::Globals => tools::lookup_global(name),
        Table::Mcp => namespaces::lookup_root(NamespaceKind::Mcp, name),
        Table::Namespaces => namespaces::lookup_root(NamespaceKind::Host, name),
        Table::Namespace(index) => namespaces::lookup(index, name),
    }
}

/// Names of the properties of an object that shows `table`.
pub(crate) fn names(table: Table) -> Vec<String> {
    match table {
        Table::Tools => tools::names(),
        Table::Globals => tools::global_names(),
        Table::Mcp => namespaces::root_names(NamespaceKind::Mcp),
        Table::Namespaces => namespaces::root_names(NamespaceKind::Host),
        Table::Namespace(index) => namespaces::names(index),
    }
}
