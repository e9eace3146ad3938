//! What a failed cell says: the guest's error in the model's own lines, and nothing of ours.
//!
//! Looking at a thrown value can run guest code; whatever that throws is ignored.

use std::fmt::Write as _;

use toolcell_protocol::{Failure, FailureReason, Location, StackFrame};
use toolcell_source::code_frame;

use crate::{
    codec::{self, Purpose},
    ffi::{Atom, Kind, Value, vm::CELL_FILE},
    hints,
    state::{State, state},
};

/// Error text is cut to this many bytes.
const MAX_MESSAGE_BYTES: usize = 4096;
/// Frames that are told, and how long the name of a function in one may be: a guest writes both as it likes.
const MAX_FRAMES: usize = 32;
const MAX_FUNCTION_BYTES: usize = 200;
/// Causes that are followed.
const MAX_CAUSES: usize = 4;
/// Errors of an `AggregateError` that are shown.
const MAX_ERRORS: i64 = 4;

/// A failure with a message only.
pub(crate) fn plain(message: &str) -> Failure {
    Failure {
        reason: FailureReason::GuestError,
        message: message.to_owned(),
        stack: Vec::new(),
        location: None,
        code_frame: None,
        hints: Vec::new(),
        missing: Vec::new(),
        preview: None,
    }
}

/// The failure of a cell whose promise was rejected, or that threw where nobody could catch it.
pub(crate) fn of_exception(state: &State, reason: &Value) -> Failure {
    let (failure, origin) = describe(state, reason);
    hints::explain(state, failure, origin)
}

/// The failure of a cell that returned while a promise that nobody handles was rejected.
pub(crate) fn of_rejection(state: &State, reason: &Value) -> Failure {
    let (failure, origin) = describe(state, reason);
    let failure = Failure { reason: FailureReason::UnhandledRejection, ..failure };
    let explained = hints::explain(state, failure, origin);
    Failure { message: format!("unhandled rejection: {}", explained.message), ..explained }
}

/// What threw.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    /// Code of the cell, at the failure's location.
    Cell,
    /// A built-in that the code at the location called, or code of an `eval`.
    Elsewhere,
}

fn describe(state: &State, reason: &Value) -> (Failure, Origin) {
    let mut message = message_of(reason);
    append_errors(&mut message, reason);
    let mut cause = cause_of(state, reason);
    for _ in 0..MAX_CAUSES {
        let Some(value) = cause else { break };
        message.push_str("\ncaused by: ");
        message.push_str(&message_of(&value));
        cause = cause_of(state, &value);
    }
    cut(&mut message, MAX_MESSAGE_BYTES);
    let failed_call = state.realm.is_failure(reason);
    let class = if failed_call {
        FailureReason::NestedToolFailed
    } else if reason.is_error() && message == "RangeError: Maximum call stack size exceeded" {
        FailureReason::StackOverflow
    } else {
        FailureReason::GuestError
    };
    let (stack, origin) = stack_of(state, reason);
    (located(state, Failure { reason: class, stack, ..plain(&message) }), origin)
}

/// The failure of a cell that the engine's compiler refused.
pub(crate) fn of_compilation(state: &State, thrown: &Value) -> Failure {
    let (stack, _) = stack_of(state, thrown);
    located(state, Failure { reason: FailureReason::SyntaxError, stack, ..plain(&message_of(thrown)) })
}

/// Adds location and code frame of the innermost frame.
fn located(state: &State, failure: Failure) -> Failure {
    let location = failure.stack.first().map(|frame| frame.location);
    let code_frame = location.map(|location| code_frame(&state.cell.borrow().source, location));
    Failure { location, code_frame, ..failure }
}

/// `Name: message` of an error, a description of any other thrown value.
pub(crate) fn message_of(value: &Value) -> String {
    let mut message = match value.kind() {
        Kind::Object if value.is_error() || has_message(value) => {
            let name =
                text_of(value, "name").filter(|name| !name.is_empty()).unwrap_or_else(|| "Error".to_owned());
            match text_of(value, "message").filter(|message| !message.is_empty()) {
                Some(message) => format!("{name}: {message}"),
                None => name,
            }
        }
        Kind::String => format!("Uncaught {}", value.to_text().unwrap_or_default()),
        Kind::Undefined => "Uncaught undefined".to_owned(),
        _ => format!("Uncaught {}", json_of(value)),
    };
    cut(&mut message, MAX_MESSAGE_BYTES);
    message
}

/// Whether a thrown object looks like an error, without asking accessors.
fn has_message(value: &Value) -> bool {
    Atom::new("message")
        .is_ok_and(|atom| matches!(value.own_data(&atom), Ok(Some(found)) if found.kind() == Kind::String))
}

fn text_of(value: &Value, property: &str) -> Option<String> {
    let found = value.get(property).ok()?;
    match found.kind() {
        Kind::Undefined | Kind::Object | Kind::Symbol | Kind::Other => None,
        _ => found.to_text().ok(),
    }
}

fn json_of(value: &Value) -> String {
    let Some(state) = state() else { return String::new() };
    let depth = state.limits.borrow().value_depth;
    match codec::encode(value, Purpose::Result, depth, MAX_MESSAGE_BYTES, &state.realm) {
        Ok(json) | Err(codec::EncodeError::TooLarge(json)) => String::from_utf8_lossy(&json).into_owned(),
        Err(codec::EncodeError::Thrown(_)) => "a value that can't be read".to_owned(),
    }
}

/// The errors that an `AggregateError` holds, a line each.
fn append_errors(message: &mut String, value: &Value) {
    if !value.is_error() {
        return;
    }
    let errors = Atom::new("errors").and_then(|atom| value.own_data(&atom));
    let Some(errors) = errors.ok().flatten().filter(Value::is_array) else { return };
    let count = errors.length().unwrap_or_default();
    for index in 0..count.min(MAX_ERRORS) {
        let Ok(error) = errors.get_index(index) else { return };
        let _ = write!(message, "\n  {}. {}", index + 1, message_of(&error));
    }
    if count > MAX_ERRORS {
        let _ = write!(message, "\n  and {} more", count - MAX_ERRORS);
    }
}

fn cause_of(state: &State, value: &Value) -> Option<Value> {
    if !value.is_error() {
        return None;
    }
    let cause = value.own_data(&state.realm.atoms.cause).ok()??;
    (cause.is_error() || cause.kind() == Kind::String).then_some(cause)
}

/// The guest's frames in the model's lines. Frames of native code are ours or the engine's and are left out, as are
/// those of an `eval`, which has no lines of the model's.
fn stack_of(state: &State, value: &Value) -> (Vec<StackFrame>, Origin) {
    let text = stack_text(state, value).unwrap_or_default();
    let cell = state.cell.borrow();
    let Some(positions) = &cell.positions else { return (Vec::new(), Origin::Elsewhere) };
    let located = |line| {
        let (function, line, column) = parse_frame(line)?;
        let mut function = function.to_owned();
        cut(&mut function, MAX_FUNCTION_BYTES);
        Some(StackFrame { function, location: positions.locate(line, column)? })
    };
    let origin = match text.lines().next().and_then(located) {
        Some(_) => Origin::Cell,
        None => Origin::Elsewhere,
    };
    (text.lines().filter_map(located).take(MAX_FRAMES).collect(), origin)
}

fn stack_text(state: &State, value: &Value) -> Option<String> {
    if !value.is_error() {
        return None;
    }
    let text = match value.own_data(&state.realm.atoms.stack).ok().flatten() {
        Some(text) => text,
        None => state.realm.stack_of(value).ok()?,
    };
    (text.kind() == Kind::String).then(|| text.to_text().ok()).flatten()
}

/// Reads `    at name (cell:3:5)` or `    at cell:3:5`.
fn parse_frame(line: &str) -> Option<(&str, u32, u32)> {
    let rest = line.trim_start().strip_prefix("at ")?;
    let (function, place) = match rest.rsplit_once(" (") {
        Some((function, place)) => (function, place.strip_suffix(')')?),
        None => ("", rest),
    };
    let place = place.strip_prefix(CELL_FILE)?.strip_prefix(':')?;
    let (line, column) = place.split_once(':')?;
    let function = if function == "<anonymous>" { "" } else { function };
    Some((function, line.parse().ok()?, column.parse().ok()?))
}

fn cut(text: &mut String, max_bytes: usize) {
    if text.len() <= max_bytes {
        return;
    }
    let mut end = max_bytes;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.truncate(end);
    text.push('…');
}

/// Failures of the source step.
pub(crate) fn of_source(source: &str, fault: toolcell_source::Fault) -> Failure {
    use toolcell_source::FaultKind;

    let reason = match fault.kind {
        FaultKind::SyntaxError => FailureReason::SyntaxError,
        FaultKind::TypescriptTransformFailed => FailureReason::TypescriptTransformFailed,
        FaultKind::ModuleAccessDenied => FailureReason::ModuleAccessDenied,
        FaultKind::ShellCommand => FailureReason::ShellCommand,
    };
    let code_frame = fault.location.map(|location: Location| code_frame(source, location));
    Failure {
        reason,
        location: fault.location,
        code_frame,
        hints: fault.hint.into_iter().collect(),
        ..plain(&fault.message)
    }
}
