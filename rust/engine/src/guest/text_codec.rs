//! `TextEncoder` and `TextDecoder` for UTF-8.
//!
//! The classes are a few lines of JavaScript over native functions, evaluated once at boot. They hold nothing that a guest
//! could use: the natives convert text and bytes, no more.

use super::Native;
use crate::{
    ffi::{Arguments, JsResult, Property, Thrown, Value, vm},
    state::state,
};

const CLASSES: &[u8] = b"(function (encode, decode) {
    const utf8 = ['utf-8', 'utf8', 'unicode-1-1-utf-8'];
    class TextEncoder {
        get encoding() { return 'utf-8'; }
        encode(text = '') { return encode(`${text}`); }
    }
    class TextDecoder {
        #fatal; #ignoreBOM;
        constructor(label = 'utf-8', options = {}) {
            const name = `${label}`.trim().toLowerCase();
            if (name !== utf8[0] && name !== utf8[1] && name !== utf8[2]) {
                throw new RangeError(`TextDecoder in a cell knows utf-8 only, not ${name}`);
            }
            this.#fatal = !!options?.fatal;
            this.#ignoreBOM = !!options?.ignoreBOM;
        }
        get encoding() { return 'utf-8'; }
        get fatal() { return this.#fatal; }
        get ignoreBOM() { return this.#ignoreBOM; }
        decode(bytes) { return bytes === undefined ? '' : decode(bytes, this.#fatal, this.#ignoreBOM); }
    }
    for (const made of [TextEncoder, TextEncoder.prototype, TextDecoder, TextDecoder.prototype]) Object.freeze(made);
    return [TextEncoder, TextDecoder];
})\0";

pub(super) fn install(globals: &Value) -> JsResult<()> {
    let natives = [Native::EncodeUtf8.function("encode", 1)?, Native::DecodeUtf8.function("decode", 1)?];
    let classes = vm::evaluate_own(CLASSES)?.call(&Value::UNDEFINED, &natives)?;
    globals.define("TextEncoder", classes.get_index(0)?, Property::Fixed)?;
    globals.define("TextDecoder", classes.get_index(1)?, Property::Fixed)
}

/// Text → `Uint8Array`
pub(super) fn encode(arguments: &Arguments<'_>) -> JsResult<Value> {
    let text = arguments.get(0);
    text.with_utf8(|bytes| Value::new_uint8_array(crate::codec::well_formed(bytes).as_bytes()))?
}

/// Bytes, whether malformed ones are an error, whether a byte order mark stays → text
pub(super) fn decode(arguments: &Arguments<'_>) -> JsResult<Value> {
    let Some(state) = state() else { return Ok(Value::UNDEFINED) };
    let source = arguments.get(0);
    let flag = |index| matches!(arguments.get(index).kind(), crate::ffi::Kind::Bool(true));
    let limit = state.limits.borrow().heap_bytes as usize;
    let bytes = match source.array_buffer(limit) {
        Some((_, bytes)) => bytes,
        None => match source.typed_array_view()? {
            Some(view) => view.bytes(limit)?,
            None => {
                return Err(Thrown::type_error("TextDecoder.decode takes an ArrayBuffer or a typed array"));
            }
        },
    };
    let text = match std::str::from_utf8(&bytes) {
        Ok(text) => text.into(),
        Err(_) if flag(1) => return Err(Thrown::type_error("the bytes are not valid UTF-8")),
        Err(_) => String::from_utf8_lossy(&bytes),
    };
    let text = if flag(2) { &text } else { text.strip_prefix('\u{FEFF}').unwrap_or(&text) };
    Value::string(text)
}
