//! Array buffers and the views on them. Bytes are copied before anything else runs: a guest may detach or resize a buffer
//! whenever its code runs.

use std::ffi::c_int;

use rquickjs_sys as qjs;

use super::{
    thrown::{JsResult, Thrown},
    value::Value,
    vm,
};

impl Value {
    /// A copy of the content of an `ArrayBuffer`, `None` if the value isn't one; at most `max_bytes` are copied.
    pub(crate) fn array_buffer(&self, max_bytes: usize) -> Option<(usize, Vec<u8>)> {
        // SAFETY: the value is alive; the engine gives its own buffer, which is copied before anything else runs.
        unsafe {
            if !qjs::JS_IsArrayBuffer(self.raw()) {
                return None;
            }
            let mut length = 0;
            let start = qjs::JS_GetArrayBuffer(vm::context(), &raw mut length, self.raw());
            if start.is_null() {
                drop(Thrown::pending());
                return Some((0, Vec::new()));
            }
            let length = length as usize;
            Some((length, std::slice::from_raw_parts(start, length.min(max_bytes)).to_vec()))
        }
    }

    /// An `ArrayBuffer` with a copy of `bytes`.
    pub(crate) fn new_array_buffer(bytes: &[u8]) -> JsResult<Self> {
        // SAFETY: pointer and length are those of a slice, which the engine copies.
        unsafe { Self::checked(qjs::JS_NewArrayBufferCopy(vm::context(), bytes.as_ptr(), bytes.len() as _)) }
    }

    /// A `Uint8Array` with a copy of `bytes`.
    pub(crate) fn new_uint8_array(bytes: &[u8]) -> JsResult<Self> {
        // SAFETY: as above.
        unsafe { Self::checked(qjs::JS_NewUint8ArrayCopy(vm::context(), bytes.as_ptr(), bytes.len() as _)) }
    }

    /// What a typed array shows of its buffer, `None` if the value isn't one.
    pub(crate) fn typed_array_view(&self) -> JsResult<Option<View>> {
        // SAFETY: the value is alive; the engine fills the numbers.
        unsafe {
            let kind = qjs::JS_GetTypedArrayType(self.raw());
            if kind < 0 {
                return Ok(None);
            }
            let (mut offset, mut length, mut element) = (0, 0, 0);
            let buffer = Self::checked(qjs::JS_GetTypedArrayBuffer(
                vm::context(),
                self.raw(),
                &raw mut offset,
                &raw mut length,
                &raw mut element,
            ))?;
            Ok(Some(View {
                buffer,
                kind,
                offset: offset as usize,
                bytes: length as usize,
                element: element as usize,
            }))
        }
    }
}

/// A window on an `ArrayBuffer`.
pub(crate) struct View {
    pub(crate) buffer: Value,
    kind: c_int,
    offset: usize,
    bytes: usize,
    element: usize,
}

impl View {
    /// A copy of the bytes shown, at most `max_bytes`.
    pub(crate) fn bytes(&self, max_bytes: usize) -> JsResult<Vec<u8>> {
        let (_, buffer) = self.buffer.array_buffer(max_bytes).unwrap_or_default();
        let shown = buffer.get(self.offset..self.offset + self.bytes).map(<[u8]>::to_vec);
        shown.ok_or_else(|| Thrown::range_error("the typed array reaches beyond its buffer"))
    }

    /// The same view on another buffer.
    pub(crate) fn over(&self, buffer: &Value) -> JsResult<Value> {
        let count = self.bytes / self.element.max(1);
        let arguments = [buffer.clone(), Value::size(self.offset), Value::size(count)];
        // SAFETY: all values are alive; the kind is one that the engine gave.
        unsafe {
            Value::checked(qjs::JS_NewTypedArray(
                vm::context(),
                arguments.len() as c_int,
                arguments.as_ptr().cast_mut().cast(),
                self.kind as _,
            ))
        }
    }
}
