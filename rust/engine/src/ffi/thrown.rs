//! Exceptions of the guest.

use rquickjs_sys as qjs;

use super::{value::Value, vm};

/// An exception that the guest may catch.
#[derive(Debug)]
pub(crate) struct Thrown(pub(crate) Value);

pub(crate) type JsResult<T> = Result<T, Thrown>;

impl Thrown {
    /// Takes the pending exception.
    pub(super) fn pending() -> Self {
        // SAFETY: the context is alive.
        Self(unsafe { Value::own(qjs::JS_GetException(vm::context())) })
    }

    /// A `TypeError` with the guest's stack.
    pub(crate) fn type_error(message: &str) -> Self {
        Self::standard(message, |context, format, text| {
            // SAFETY: the format takes one C string.
            unsafe { qjs::JS_ThrowTypeError(context, format, text) }
        })
    }

    /// A `RangeError` with the guest's stack.
    pub(crate) fn range_error(message: &str) -> Self {
        Self::standard(message, |context, format, text| {
            // SAFETY: the format takes one C string.
            unsafe { qjs::JS_ThrowRangeError(context, format, text) }
        })
    }

    fn standard(
        message: &str,
        throw: impl FnOnce(*mut qjs::JSContext, *const std::ffi::c_char, *const std::ffi::c_char) -> qjs::JSValue,
    ) -> Self {
        let text = std::ffi::CString::new(message.replace('\0', " ")).unwrap_or_default();
        throw(vm::context(), c"%s".as_ptr(), text.as_ptr());
        Self::pending()
    }

    /// A `DataCloneError`.
    pub(crate) fn data_clone_error(message: &str) -> Self {
        Self::standard(message, |context, format, text| {
            // SAFETY: name and format are C strings, the format takes one.
            unsafe { qjs::JS_ThrowDOMException(context, c"DataCloneError".as_ptr(), format, text) }
        })
    }

    /// An error that no guest code can catch.
    pub(crate) fn uncatchable(message: &str) -> Self {
        let thrown = Self::range_error(message);
        // SAFETY: the value is alive.
        unsafe { qjs::JS_SetUncatchableError(vm::context(), thrown.0.raw()) };
        thrown
    }

    /// Makes this the pending exception and returns what a native function then returns.
    pub(super) fn rethrow(self) -> qjs::JSValue {
        // SAFETY: the engine takes the reference over.
        unsafe { qjs::JS_Throw(vm::context(), self.0.into_raw()) }
    }
}
