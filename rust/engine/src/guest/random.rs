//! `Math.random`, seeded per cell: the engine's own would start every cell with the same numbers.

use super::Native;
use crate::{
    ffi::{Arguments, JsResult, Property, Value},
    state::state,
};

pub(super) fn install(globals: &Value) -> JsResult<()> {
    globals.get("Math")?.define("random", Native::Random.function("random", 0)?, Property::Hidden)
}

/// Xorshift64*, as the engine's own; not for secrets.
#[expect(clippy::unnecessary_wraps, reason = "the shape of all native functions")]
#[expect(clippy::cast_precision_loss, reason = "both numbers have at most 53 bits")]
pub(super) fn next(_: &Arguments<'_>) -> JsResult<Value> {
    let Some(state) = state() else { return Ok(Value::UNDEFINED) };
    let mut x = state.random.get();
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    state.random.set(x);
    let bits = x.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11;
    Ok(Value::number(bits as f64 / (1_u64 << 53) as f64))
}
