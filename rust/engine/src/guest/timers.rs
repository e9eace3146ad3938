//! `setTimeout` and `clearTimeout`. A timer is a call that the host settles when its time has come.

use toolcell_protocol::Method;

use super::calls;
use crate::{
    ffi::{Arguments, JsResult, Thrown, Value},
    state::{Pending, state},
};

/// Longest delay, that of browsers: 2^31 − 1 milliseconds.
const MAX_DELAY_MS: f64 = 2_147_483_647.0;

/// `setTimeout(callback, delay?, ...arguments)` → the timer's number
pub(super) fn set_timeout(arguments: &Arguments<'_>) -> JsResult<Value> {
    let Some(state) = state() else { return Ok(Value::UNDEFINED) };
    let callback = arguments.get(0);
    if !callback.is_function() {
        return Err(Thrown::type_error("setTimeout(callback, delay) takes a function"));
    }
    let delay = arguments.get(1).as_number().filter(|delay| delay.is_finite()).unwrap_or(0.0);
    let delay_ms = delay.clamp(0.0, MAX_DELAY_MS) as u64;
    let rest = (2..arguments.count()).map(|index| arguments.get(index)).collect();
    let number =
        calls::enqueue(state, Method::Timer { delay_ms }, Pending::Timer { callback, arguments: rest })?;
    Ok(Value::number(f64::from(number)))
}

/// `clearTimeout(number)`: an unknown number is ignored.
#[expect(clippy::unnecessary_wraps, reason = "the shape of all native functions")]
pub(super) fn clear_timeout(arguments: &Arguments<'_>) -> JsResult<Value> {
    let Some(state) = state() else { return Ok(Value::UNDEFINED) };
    let Some(number) = arguments.get(0).as_number().map(|number| number as u32) else {
        return Ok(Value::UNDEFINED);
    };
    let mut pending = state.pending.borrow_mut();
    if !matches!(pending.get(&number), Some(Pending::Timer { .. })) {
        return Ok(Value::UNDEFINED);
    }
    let removed = pending.remove(&number);
    drop(pending);
    drop(removed);
    let mut queue = state.queue.borrow_mut();
    let before = queue.len();
    queue.retain(|call| call.call != number);
    if queue.len() == before {
        state.cancelled.borrow_mut().push(number);
    }
    Ok(Value::UNDEFINED)
}
