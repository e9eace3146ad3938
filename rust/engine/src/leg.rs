//! One stretch of guest execution, from a start or a resume until the guest is quiescent.

use std::{
    cell::Cell,
    sync::atomic::{AtomicU64, Ordering},
};

use toolcell_protocol::{Failure, FailureReason, FromWorker, OutputOverflow, Settle};

use crate::{
    Hooks,
    codec::{self, EncodeError, Purpose},
    failure,
    ffi::{Thrown, Value, clock, vm, vm::PromiseState},
    guest, hints,
    state::{State, state},
};

/// Truncated output is cut by the host; until then the worker sends at most this much of one value.
const MAX_TRUNCATED_BYTES: u64 = 64 << 20;

static DEADLINE_NS: AtomicU64 = AtomicU64::new(u64::MAX);

thread_local! {
    static HOOKS: Cell<Option<Hooks>> = const { Cell::new(None) };
}

/// How a leg ended.
#[derive(Debug)]
pub(crate) enum End {
    /// Calls are outstanding.
    Waiting,
    Completed {
        value: Vec<u8>,
        warnings: Vec<String>,
    },
    Failed(Failure),
}

pub(crate) fn set_hooks(hooks: Hooks) {
    HOOKS.set(Some(hooks));
}

pub(crate) fn set_deadline(deadline_ns: u64) {
    DEADLINE_NS.store(deadline_ns, Ordering::Relaxed);
}

/// Sends a message to the host.
pub(crate) fn send(message: &FromWorker) {
    if let Some(hooks) = HOOKS.get() {
        toolcell_arena::outside(|| (hooks.send)(message));
    }
}

/// Ends the process with a last message. Nothing of the guest runs afterwards.
fn die(failure: Failure) -> ! {
    if let Some(hooks) = HOOKS.get() {
        toolcell_arena::outside(|| (hooks.end)(&FromWorker::Failed(failure)));
    }
    std::process::abort()
}

fn is_late() -> bool {
    clock::monotonic_ns() >= DEADLINE_NS.load(Ordering::Relaxed)
}

/// Called by the engine from time to time while guest code runs.
///
/// An interrupt as the engine offers it is no way out: a dozen constructs swallow it. What must end, ends the process.
pub(crate) fn poll() {
    let Some(state) = state() else { return };
    if is_late() {
        die(timeout());
    }
    if toolcell_arena::arena().refused() {
        die(out_of_memory(state));
    }
    let fatal = state.fatal.borrow().clone();
    if let Some(fatal) = fatal {
        die(fatal);
    }
    keep_threshold_below_limit();
}

/// Lets the engine collect cyclic garbage before the limit is hit, not only at one and a half times its last size.
fn keep_threshold_below_limit() {
    let heap = toolcell_arena::arena();
    vm::lower_collection_threshold(heap.used() + heap.remaining() / 2);
}

/// Marks the cell as ended by us. The returned exception can't be caught; guest code that goes on regardless ends at the
/// next [`poll`].
pub(crate) fn end_cell(state: &State, failure: Failure) -> Thrown {
    let thrown = Thrown::uncatchable(&failure.message);
    let mut fatal = state.fatal.borrow_mut();
    if fatal.is_none() {
        *fatal = Some(failure);
    }
    thrown
}

/// Bytes that a value or an output item may have.
pub(crate) fn value_room(state: &State) -> usize {
    match state.limits.borrow().output_overflow {
        OutputOverflow::Fail => state.output_left.get() as usize,
        OutputOverflow::Truncate => MAX_TRUNCATED_BYTES as usize,
    }
}

/// Records a promise rejected without a handler, or forgets it when it gets one.
pub(crate) fn track_rejection(promise: Value, reason: Value, handled: bool) {
    let Some(state) = state() else { return };
    let mut rejections = state.rejections.borrow_mut();
    if handled {
        let position = rejections.iter().position(|(known, _)| known.address() == promise.address());
        let removed = position.map(|position| rejections.swap_remove(position));
        drop(rejections);
        drop(removed);
    } else {
        rejections.push((promise, reason));
    }
}

/// Starts the cell: evaluates its function and runs it until it is quiescent.
pub(crate) fn start(state: &State, script: &[u8]) -> End {
    let started = vm::evaluate(script).and_then(|function| function.call(&Value::UNDEFINED, &[]));
    match started {
        Ok(promise) => {
            *state.main.borrow_mut() = Some(promise);
            pump(state);
            finish(state)
        }
        // An async function never throws when it is called: the script did not compile.
        Err(thrown) => {
            forced_end(state).unwrap_or_else(|| End::Failed(failure::of_compilation(state, &thrown.0)))
        }
    }
}

/// Settles calls in the given order and runs the cell until it is quiescent again.
pub(crate) fn resume(state: &State, settled: &[Settle]) -> End {
    pump(state);
    for Settle { call, outcome } in settled {
        if forced_end(state).is_some() {
            break;
        }
        if let Err(thrown) = guest::settle(state, *call, outcome) {
            // Only a timer's callback throws here; nobody can catch it, as with a rejection.
            state.rejections.borrow_mut().push((Value::UNDEFINED, thrown.0));
        }
        pump(state);
    }
    finish(state)
}

/// Runs jobs until there are none. The engine does not look at the clock between jobs, so this does.
fn pump(state: &State) {
    loop {
        if is_late() {
            die(timeout());
        }
        if toolcell_arena::arena().refused() || state.fatal.borrow().is_some() {
            return;
        }
        if vm::run_job().is_none() {
            return;
        }
    }
}

/// An end that does not depend on the cell's promise.
fn forced_end(state: &State) -> Option<End> {
    if toolcell_arena::arena().refused() {
        return Some(End::Failed(out_of_memory(state)));
    }
    state.fatal.borrow().clone().map(End::Failed)
}

fn finish(state: &State) -> End {
    if let Some(end) = forced_end(state) {
        return end;
    }
    let Some(main) = state.main.borrow().clone() else {
        return End::Failed(failure::plain("the cell has no promise"));
    };
    let end = match vm::promise_state(&main) {
        PromiseState::Rejected(reason) => End::Failed(failure::of_exception(state, &reason)),
        _ if state.outstanding() > 0 => End::Waiting,
        PromiseState::Pending => End::Failed(Failure {
            reason: FailureReason::NeverSettles,
            hints: vec![hints::NEVER_SETTLES.to_owned()],
            ..failure::plain("the cell's promise is pending without host work: nothing can ever settle it")
        }),
        PromiseState::Fulfilled(value) => complete(state, &value),
    };
    // Reading the value or the error may have run guest code.
    forced_end(state).unwrap_or(end)
}

fn complete(state: &State, value: &Value) -> End {
    let unhandled = state.rejections.borrow().first().map(|(_, reason)| reason.clone());
    if let Some(reason) = unhandled {
        return End::Failed(failure::of_rejection(state, &reason));
    }
    let depth = state.limits.borrow().value_depth;
    match codec::encode(value, Purpose::Result, depth, value_room(state), &state.realm) {
        Ok(json) => End::Completed { warnings: hints::of_value(state, &json), value: json },
        Err(EncodeError::Thrown(thrown)) => End::Failed(failure::of_exception(state, &thrown.0)),
        Err(EncodeError::TooLarge(json)) => {
            End::Failed(guest::output_failure(state, json.len() as u64, &json))
        }
    }
}

fn timeout() -> Failure {
    Failure {
        reason: FailureReason::Timeout,
        ..failure::plain("the time limit was reached while the cell was running")
    }
}

fn out_of_memory(state: &State) -> Failure {
    let allowed = state.limits.borrow().heap_bytes;
    let message = format!("the cell's memory is full: {allowed} bytes are allowed");
    Failure { reason: FailureReason::MemoryLimitExceeded, ..failure::plain(&message) }
}
