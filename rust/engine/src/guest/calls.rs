//! Calls to the host: how they begin in the guest and how they end.
//!
//! The promise and its resolving functions are made by the engine itself and kept in Rust, so nothing that a guest replaces
//! can see or settle them.

use toolcell_protocol::{Call, CallForm, Failure, FailureReason, Method, Settlement, ToolFailure};

use super::handles;
use crate::{
    codec::{self, EncodeError, Purpose},
    failure,
    ffi::{Arguments, JsResult, Property, Thrown, Value, vm},
    leg,
    state::{Answer, Pending, State, state},
};

/// Begins a tool call. Input that can't cross rejects this call only, and nothing is sent.
pub(super) fn tool(target: String, input: &Value, form: CallForm) -> JsResult<Value> {
    let Some(state) = state() else { return Ok(Value::UNDEFINED) };
    let input = if input.is_undefined() {
        None
    } else {
        let (depth, bytes) = {
            let limits = state.limits.borrow();
            (limits.value_depth, limits.bridge_bytes as usize)
        };
        match codec::encode(input, Purpose::Argument, depth, bytes, &state.realm) {
            Ok(json) => match keep(&json) {
                Some(kept) => Some(kept),
                None => return Err(Thrown::uncatchable("out of memory")),
            },
            Err(EncodeError::Thrown(thrown)) => return rejected(thrown),
            Err(EncodeError::TooLarge(_)) => {
                let message = format!("input of {target} is larger than {bytes} bytes");
                return rejected(Thrown::range_error(&message));
            }
        }
    };
    begin(Method::Tool { target, input, form }, Answer::Value)
}

/// Moves encoded input into the arena, where it waits for the end of the leg; `None` if the guest's heap is full.
fn keep(json: &[u8]) -> Option<Vec<u8>> {
    let heap = toolcell_arena::arena();
    if heap.remaining() < json.len() {
        heap.refuse();
        return None;
    }
    Some(toolcell_arena::inside(|| json.to_vec()))
}

/// Text of a query, id or reason may have this many bytes; values have a bound of their own.
pub(super) const MAX_TEXT_BYTES: usize = 16 << 10;

/// Begins a call and returns its promise. One with a text that no host would read rejects, and nothing is sent.
pub(super) fn begin(method: Method, answer: Answer) -> JsResult<Value> {
    let Some(state) = state() else { return Ok(Value::UNDEFINED) };
    let text = match &method {
        Method::Tool { target, .. } | Method::Describe { target, .. } => target.len(),
        Method::Api { arguments, .. } => arguments.len(),
        Method::Search { query, .. } => query.len(),
        Method::Yield { reason } => reason.as_ref().map_or(0, String::len),
        Method::Timer { .. } => 0,
    };
    if text > MAX_TEXT_BYTES {
        let message = format!(
            "a query, id or reason of {text} bytes is too long; at most {MAX_TEXT_BYTES} are allowed"
        );
        return rejected(Thrown::range_error(&message));
    }
    let site = state.realm.stack_here()?;
    let (promise, resolve, reject) = vm::promise()?;
    enqueue(state, method, Pending::Promise { resolve, reject, site, answer })?;
    Ok(promise)
}

/// Gives a call its number and puts it in the queue.
pub(super) fn enqueue(state: &State, method: Method, pending: Pending) -> JsResult<u32> {
    let allowed = state.limits.borrow().outstanding_calls as usize;
    if state.outstanding() >= allowed {
        let message =
            format!("too many pending tool calls: more than {allowed} at once; none of this step was sent");
        return Err(leg::end_cell(
            state,
            Failure { reason: FailureReason::TooManyPendingToolCalls, ..failure::plain(&message) },
        ));
    }
    let number = state.next_call.get();
    state.next_call.set(number + 1);
    state.pending.borrow_mut().insert(number, pending);
    state.queue.borrow_mut().push(Call { call: number, method });
    Ok(number)
}

/// A promise rejected with an exception.
pub(super) fn rejected(thrown: Thrown) -> JsResult<Value> {
    let (promise, _, reject) = vm::promise()?;
    reject.call(&Value::UNDEFINED, &[thrown.0])?;
    Ok(promise)
}

/// `yield_control(reason?)`
pub(super) fn yield_control(arguments: &Arguments<'_>) -> JsResult<Value> {
    let reason = arguments.get(0);
    let reason = if reason.is_undefined() { None } else { Some(reason.to_text()?) };
    begin(Method::Yield { reason }, Answer::Value)
}

/// Ends a call. An unknown number is one that was cleared: nothing happens.
pub(crate) fn settle(state: &State, number: u32, outcome: &Settlement) -> JsResult<()> {
    let Some(pending) = state.pending.borrow_mut().remove(&number) else { return Ok(()) };
    match pending {
        Pending::Timer { callback, arguments } => callback.call(&Value::UNDEFINED, &arguments).map(drop),
        Pending::Promise { resolve, reject, site, answer } => {
            let (function, value) = match outcome {
                Settlement::Value(json) => {
                    let (depth, big_integers) = {
                        let limits = state.limits.borrow();
                        (limits.value_depth, limits.big_integers)
                    };
                    let decoded = codec::decode(json, depth, big_integers, &state.realm);
                    match decoded.and_then(|value| shape(value, answer)) {
                        Ok(value) => (resolve, value),
                        Err(thrown) => (reject, thrown.0),
                    }
                }
                Settlement::Failure(failure) => (reject, tool_error(state, failure, site)?),
            };
            function.call(&Value::UNDEFINED, &[value]).map(drop)
        }
    }
}

/// Turns what the host sent into what the guest asked for.
fn shape(value: Value, answer: Answer) -> JsResult<Value> {
    match answer {
        Answer::Value => Ok(value),
        Answer::Handles => handles::from_entries(&value),
        Answer::WithoutId => {
            value.delete("id")?;
            Ok(value)
        }
    }
}

/// The guest's view of a failed call: an ordinary `Error` with plain data.
fn tool_error(state: &State, failure: &ToolFailure, site: Value) -> JsResult<Value> {
    let error = Value::error(&failure.name, &failure.message)?;
    error.define_atom(&state.realm.atoms.stack, site, Property::Hidden)?;
    error.define("code", Value::string(&failure.code)?, Property::Plain)?;
    error.define("tool", Value::string(&failure.tool)?, Property::Plain)?;
    error.define("retryable", Value::bool(failure.retryable), Property::Plain)?;
    if let Some(json) = &failure.data {
        let limits = state.limits.borrow();
        let data = codec::decode(json, limits.value_depth, limits.big_integers, &state.realm)?;
        error.define("data", data, Property::Plain)?;
    }
    state.realm.mark_failure(&error)?;
    Ok(error)
}
