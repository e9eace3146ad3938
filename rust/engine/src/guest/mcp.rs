//! Functions of MCP servers, and what helps with their results.

use toolcell_protocol::{CallForm, Method};

use super::calls;
use crate::{
    codec::{self, EncodeError, Purpose},
    ffi::{Arguments, JsResult, Kind, Thrown, Value},
    leg,
    state::{Answer, State, state},
};

/// Blocks after which the deadline is looked at: a guest may give an array of any length.
const BLOCKS_A_POLL: i64 = 1 << 12;
const UNWRAP: &str = "unwrap(result) takes the result of an MCP tool: await it first";

/// `MCP.<server>.<tool>(input?, {raw}?)`
pub(super) fn call(arguments: &Arguments<'_>) -> JsResult<Value> {
    let options = arguments.get(1);
    let raw = options.is_object() && options.get("raw")?.kind() == Kind::Bool(true);
    let form = if raw { CallForm::McpRaw } else { CallForm::Mcp };
    calls::tool(arguments.bound(0).to_text()?, &arguments.get(0), form)
}

/// `MCP.<server>.$api(name?, {schema?})`, `MCP.$api()`
pub(super) fn api(arguments: &Arguments<'_>) -> JsResult<Value> {
    let Some(state) = state() else { return Ok(Value::UNDEFINED) };
    let server = arguments.bound(0);
    let server = if server.kind() == Kind::String { Some(server.to_text()?) } else { None };
    let given = Value::array(vec![arguments.get(0), arguments.get(1)])?;
    let (depth, bytes) = {
        let limits = state.limits.borrow();
        (limits.value_depth, limits.bridge_bytes.min(calls::MAX_TEXT_BYTES as u64) as usize)
    };
    match codec::encode(&given, Purpose::Argument, depth, bytes, &state.realm) {
        Ok(json) => {
            let arguments = toolcell_arena::inside(|| json.clone());
            calls::begin(Method::Api { server, arguments }, Answer::Value)
        }
        Err(EncodeError::Thrown(thrown)) => calls::rejected(thrown),
        Err(EncodeError::TooLarge(_)) => {
            calls::rejected(Thrown::range_error("$api takes the name of a tool and {schema: true}"))
        }
    }
}

/// `unwrap(result)` → structured content, else one text that is JSON of an object or array, else the text
pub(super) fn unwrap(arguments: &Arguments<'_>) -> JsResult<Value> {
    let Some(state) = state() else { return Ok(Value::UNDEFINED) };
    let result = arguments.get(0);
    if !result.is_object() || result.is_promise() {
        return Err(Thrown::type_error(UNWRAP));
    }
    let structured = result.get("structuredContent")?;
    if structured.kind() != Kind::Null && !structured.is_undefined() {
        return Ok(structured);
    }
    let content = result.get("content")?;
    if !content.is_array() {
        return Err(Thrown::type_error(UNWRAP));
    }
    let texts = texts_of(&content)?;
    match texts.as_slice() {
        [text] => parsed(state, text),
        texts => {
            let lines: Vec<_> = texts.iter().map(Value::to_text).collect::<JsResult<_>>()?;
            Value::string(&lines.join("\n"))
        }
    }
}

/// The texts of content blocks; all of them together must fit into the guest's heap.
fn texts_of(content: &Value) -> JsResult<Vec<Value>> {
    let heap = toolcell_arena::arena();
    let mut texts = Vec::new();
    let mut bytes = 0;
    for index in 0..content.length()? {
        if index % BLOCKS_A_POLL == 0 {
            leg::poll();
        }
        let block = content.get_index(index)?;
        let text = if block.is_object() { block.get("text")? } else { Value::UNDEFINED };
        if text.kind() == Kind::String {
            bytes += text.with_utf8(<[u8]>::len)? + 1;
            if bytes > heap.remaining() {
                heap.refuse();
                return Err(Thrown::uncatchable("out of memory"));
            }
            texts.push(text);
        }
    }
    Ok(texts)
}

/// The object or array that a text is the JSON of, else the text.
fn parsed(state: &State, text: &Value) -> JsResult<Value> {
    let json = text.to_text()?;
    if !json.trim_start().starts_with(['{', '[']) {
        return Ok(text.clone());
    }
    let limits = state.limits.borrow();
    let decoded =
        codec::decode(json.trim().as_bytes(), limits.value_depth, limits.big_integers, &state.realm);
    Ok(decoded.unwrap_or_else(|_| text.clone()))
}
