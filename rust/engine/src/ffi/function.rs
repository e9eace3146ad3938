//! Functions of ours that the guest can call.
//!
//! A native function is known to the engine by its index in [`crate::guest::NATIVES`], so no address of code or data
//! outside the arena gets into a continuation but that of the one trampoline.

use std::ffi::c_int;

use rquickjs_sys as qjs;

use super::{thrown::JsResult, value::Value, vm};

/// A function the guest can call.
pub(crate) type NativeFunction = fn(&Arguments<'_>) -> JsResult<Value>;

/// What a native function is called with.
pub(crate) struct Arguments<'a> {
    given: &'a [qjs::JSValue],
    data: *const qjs::JSValue,
    data_count: usize,
}

impl Arguments<'_> {
    /// Argument `index`, `undefined` if not given.
    pub(crate) fn get(&self, index: usize) -> Value {
        // SAFETY: the engine keeps arguments alive during the call.
        self.given.get(index).map_or(Value::UNDEFINED, |raw| unsafe { Value::borrowed(*raw) })
    }

    /// Number of arguments given.
    pub(crate) fn count(&self) -> usize {
        self.given.len()
    }

    /// Value `index` of those bound to the function when it was made.
    pub(crate) fn bound(&self, index: usize) -> Value {
        if index >= self.data_count {
            return Value::UNDEFINED;
        }
        // SAFETY: the engine keeps the bound values alive; `data_count` is checked above.
        unsafe { Value::borrowed(*self.data.add(index)) }
    }
}

/// Bound values of any function of ours; the engine does not tell how many there are.
const MAX_BOUND: usize = 2;

/// Makes a function object. `index` is that of the native in [`crate::guest::NATIVES`].
pub(crate) fn make(name: &str, length: u8, index: u16, bound: &[Value; MAX_BOUND]) -> JsResult<Value> {
    let name = std::ffi::CString::new(name).unwrap_or_default();
    // SAFETY: name and values are alive; the engine copies both.
    unsafe {
        Value::checked(qjs::JS_NewCFunctionData2(
            vm::context(),
            Some(trampoline),
            name.as_ptr(),
            c_int::from(length),
            c_int::from(index),
            MAX_BOUND as c_int,
            bound.as_ptr().cast_mut().cast(),
        ))
    }
}

unsafe extern "C" fn trampoline(
    _context: *mut qjs::JSContext,
    _this: qjs::JSValue,
    count: c_int,
    arguments: *mut qjs::JSValue,
    index: c_int,
    data: *mut qjs::JSValue,
) -> qjs::JSValue {
    let given = if count > 0 {
        // SAFETY: the engine passes that many arguments.
        unsafe { std::slice::from_raw_parts(arguments, count as usize) }
    } else {
        &[]
    };
    let arguments = Arguments { given, data, data_count: MAX_BOUND };
    let Some(native) = crate::guest::NATIVES.get(index as usize) else { return qjs::JS_UNDEFINED };
    match native(&arguments) {
        Ok(value) => value.into_raw(),
        Err(thrown) => thrown.rethrow(),
    }
}
