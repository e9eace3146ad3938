//! `text` and `json`: output that reaches the host the moment it is emitted.

use toolcell_protocol::{Failure, FailureReason, FromWorker, Output, OutputOverflow};

use crate::{
    codec::{self, EncodeError, Purpose},
    failure,
    ffi::{Arguments, JsResult, Kind, Thrown, Value},
    leg,
    state::{State, state},
};

/// What an item costs beside its content: `{"type":"text","text":}`.
const ITEM_BYTES: usize = 23;
/// Head of oversized output that is shown.
const PREVIEW_BYTES: usize = 400;

/// `text(value)`
pub(super) fn text(arguments: &Arguments<'_>) -> JsResult<Value> {
    if let Some(state) = state() {
        let text = to_text(state, &arguments.get(0))?;
        emit_text(state, text)?;
    }
    Ok(Value::UNDEFINED)
}

/// `json(value)`
pub(super) fn json(arguments: &Arguments<'_>) -> JsResult<Value> {
    if let Some(state) = state() {
        let json = encode(state, &arguments.get(0))?;
        let cost = json.len();
        emit(state, Output::Json(json), cost)?;
    }
    Ok(Value::UNDEFINED)
}

/// A value as text: a string as it is, anything else as its JSON.
pub(super) fn to_text(state: &State, value: &Value) -> JsResult<String> {
    if value.kind() == Kind::String {
        let room = leg::value_room(state);
        return value.with_utf8(|bytes| {
            if bytes.len() > room {
                return Err(over_budget(
                    state,
                    bytes.len() as u64,
                    bytes.get(..PREVIEW_BYTES).unwrap_or(bytes),
                ));
            }
            Ok(toolcell_arena::outside(|| codec::well_formed(bytes)))
        })?;
    }
    let json = encode(state, value)?;
    Ok(toolcell_arena::outside(|| {
        let text = String::from_utf8(json).unwrap_or_default();
        // Functions and symbols encode as a string that describes them.
        if text.starts_with('"') && !value.is_object() || value.is_function() {
            text.trim_matches('"').to_owned()
        } else {
            text
        }
    }))
}

/// Emits text.
pub(super) fn emit_text(state: &State, text: String) -> JsResult<()> {
    let cost = toolcell_arena::outside(|| {
        let mut json = Vec::with_capacity(text.len() + 2);
        codec::append_json_string(&mut json, text.as_bytes());
        json.len()
    });
    emit(state, Output::Text(text), cost)
}

fn emit(state: &State, item: Output, content_bytes: usize) -> JsResult<()> {
    let cost = (content_bytes + ITEM_BYTES) as u64;
    let left = state.output_left.get();
    if cost > left && state.limits.borrow().output_overflow == OutputOverflow::Fail {
        let preview = match &item {
            Output::Text(text) => text.as_bytes(),
            Output::Json(json) => json,
        };
        return Err(over_budget(state, cost, preview));
    }
    state.output_left.set(left.saturating_sub(cost));
    leg::send(&FromWorker::Output(item));
    Ok(())
}

/// Ends the cell because its output is too large.
pub(crate) fn over_budget(state: &State, wanted: u64, preview: &[u8]) -> Thrown {
    let failure = output_failure(state, wanted, preview);
    leg::end_cell(state, failure)
}

/// The failure of a cell whose output is too large.
pub(crate) fn output_failure(state: &State, wanted: u64, preview: &[u8]) -> Failure {
    let allowed = state.limits.borrow().output_bytes;
    let used = allowed - state.output_left.get();
    let message = format!(
        "output is larger than allowed: {used} bytes emitted before, at least {wanted} more wanted, {allowed} allowed"
    );
    let head = preview.get(..PREVIEW_BYTES.min(preview.len())).unwrap_or_default();
    Failure {
        reason: FailureReason::OutputLimitExceeded,
        preview: Some(String::from_utf8_lossy(head).trim_end_matches('\u{FFFD}').to_owned()),
        ..failure::plain(&message)
    }
}

fn encode(state: &State, value: &Value) -> JsResult<Vec<u8>> {
    let depth = state.limits.borrow().value_depth;
    let room = leg::value_room(state);
    match codec::encode(value, Purpose::Result, depth, room, &state.realm) {
        Ok(json) => Ok(json),
        Err(EncodeError::Thrown(thrown)) => Err(thrown),
        Err(EncodeError::TooLarge(json)) => Err(over_budget(state, json.len() as u64, &json)),
    }
}
