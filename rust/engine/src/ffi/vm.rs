//! The runtime and its one context.

use std::{
    ffi::{CStr, c_char, c_int, c_void},
    sync::atomic::{AtomicPtr, Ordering},
};

use rquickjs_sys as qjs;

use super::{
    allocator,
    thrown::{JsResult, Thrown},
    value::Value,
};

/// Stack that the guest may use; ordinary recursion of depth 10,000 fits. The rest of the engine's stack is for native
/// code that recurses without asking.
const GUEST_STACK_BYTES: usize = 4 << 20;

/// Name of the cell in stack frames.
pub(crate) const CELL_FILE: &str = "cell";

static RUNTIME: AtomicPtr<qjs::JSRuntime> = AtomicPtr::new(std::ptr::null_mut());
static CONTEXT: AtomicPtr<qjs::JSContext> = AtomicPtr::new(std::ptr::null_mut());

pub(super) fn runtime() -> *mut qjs::JSRuntime {
    RUNTIME.load(Ordering::Relaxed)
}

pub(super) fn context() -> *mut qjs::JSContext {
    CONTEXT.load(Ordering::Relaxed)
}

/// Makes runtime and context with the intrinsics of docs/guest-api.md; once per process, inside the arena.
///
/// Chosen one by one: no module loader but the one that refuses, no `performance` (its origin is the boot).
pub(crate) fn boot() -> Option<()> {
    // SAFETY: plain calls in the order the engine wants; results are checked.
    unsafe {
        let functions = allocator::functions();
        let runtime = qjs::JS_NewRuntime2(&raw const functions, std::ptr::null_mut());
        if runtime.is_null() {
            return None;
        }
        RUNTIME.store(runtime, Ordering::Relaxed);
        qjs::JS_SetMaxStackSize(runtime, GUEST_STACK_BYTES as _);
        qjs::JS_SetCanBlock(runtime, false);
        let context = qjs::JS_NewContextRaw(runtime);
        if context.is_null() {
            return None;
        }
        CONTEXT.store(context, Ordering::Relaxed);
        qjs::JS_AddIntrinsicRegExpCompiler(context);
        let intrinsics = [
            qjs::JS_AddIntrinsicBaseObjects,
            qjs::JS_AddIntrinsicDate,
            qjs::JS_AddIntrinsicEval,
            qjs::JS_AddIntrinsicRegExp,
            qjs::JS_AddIntrinsicJSON,
            qjs::JS_AddIntrinsicProxy,
            qjs::JS_AddIntrinsicMapSet,
            qjs::JS_AddIntrinsicTypedArrays,
            qjs::JS_AddIntrinsicPromise,
            qjs::JS_AddIntrinsicBigInt,
            qjs::JS_AddIntrinsicWeakRef,
            qjs::JS_AddIntrinsicDOMException,
            qjs::JS_AddIntrinsicAToB,
        ];
        if intrinsics.into_iter().any(|add| add(context) != 0) {
            return None;
        }
        qjs::JS_SetInterruptHandler(runtime, Some(interrupt), std::ptr::null_mut());
        qjs::JS_SetHostPromiseRejectionTracker(runtime, Some(track_rejection), std::ptr::null_mut());
        qjs::JS_SetModuleLoaderFunc(runtime, None, Some(refuse_module), std::ptr::null_mut());
    }
    Some(())
}

/// Tells the engine where its stack is now: after a restore, and on every entry.
pub(crate) fn enter() {
    // SAFETY: the runtime is alive.
    unsafe { qjs::JS_UpdateStackTop(runtime()) };
}

/// Frees cyclic garbage.
pub(crate) fn collect_garbage() {
    // SAFETY: the runtime is alive and no native frame is on the stack.
    unsafe { qjs::JS_RunGC(runtime()) };
}

/// Sets the heap size at which garbage is collected next.
pub(crate) fn set_collection_threshold(bytes: usize) {
    // SAFETY: the runtime is alive.
    unsafe { qjs::JS_SetGCThreshold(runtime(), bytes as _) };
}

/// Sets it if it is higher now.
pub(crate) fn lower_collection_threshold(bytes: usize) {
    // SAFETY: the runtime is alive.
    if unsafe { qjs::JS_GetGCThreshold(runtime()) } as usize > bytes {
        set_collection_threshold(bytes);
    }
}

/// Runs the next job. `None`: there is none; an error is an exception that the job let through.
pub(crate) fn run_job() -> Option<JsResult<()>> {
    let mut context = std::ptr::null_mut();
    // SAFETY: the runtime is alive, `context` valid for writing.
    match unsafe { qjs::JS_ExecutePendingJob(runtime(), &raw mut context) } {
        0 => None,
        1 => Some(Ok(())),
        _ => Some(Err(Thrown::pending())),
    }
}

pub(crate) fn globals() -> Value {
    // SAFETY: the context is alive.
    unsafe { Value::own(qjs::JS_GetGlobalObject(context())) }
}

/// Evaluates a script of our own, at boot. Its frames are not the cell's.
pub(crate) fn evaluate_own(script: &[u8]) -> JsResult<Value> {
    evaluate_as(script, c"toolcell")
}

/// Number of a script's first line, so that its third is line 1. 0 would do for one line less, but means 1.
const FIRST_LINE: c_int = -1;

/// Evaluates the cell's script in strict mode; its third line is line 1. `script` ends with a NUL, which the engine's lexer wants beyond the text.
pub(crate) fn evaluate(script: &[u8]) -> JsResult<Value> {
    const NAME: &CStr = c"cell";
    const _: () = assert!(CELL_FILE.len() == NAME.count_bytes());
    evaluate_as(script, NAME)
}

fn evaluate_as(script: &[u8], file: &CStr) -> JsResult<Value> {
    let Some((0, text)) = script.split_last() else {
        return Err(Thrown::type_error("script without an end"));
    };
    let mut options = qjs::JSEvalOptions {
        version: qjs::JS_EVAL_OPTIONS_VERSION as c_int,
        eval_flags: (qjs::JS_EVAL_TYPE_GLOBAL | qjs::JS_EVAL_FLAG_STRICT) as c_int,
        filename: file.as_ptr(),
        line_num: FIRST_LINE,
    };
    // SAFETY: text and options outlive the call; the text is terminated.
    unsafe {
        Value::checked(qjs::JS_Eval2(context(), text.as_ptr().cast(), text.len() as _, &raw mut options))
    }
}

/// A promise and the functions that resolve and reject it, made from the engine's own constructor.
pub(crate) fn promise() -> JsResult<(Value, Value, Value)> {
    let mut functions = [qjs::JS_UNDEFINED; 2];
    // SAFETY: the engine fills two references, taken over here.
    unsafe {
        let promise = Value::checked(qjs::JS_NewPromiseCapability(context(), functions.as_mut_ptr()))?;
        let [resolve, reject] = functions;
        Ok((promise, Value::own(resolve), Value::own(reject)))
    }
}

/// State of a promise.
#[derive(Debug)]
pub(crate) enum PromiseState {
    Pending,
    Fulfilled(Value),
    Rejected(Value),
}

pub(crate) fn promise_state(promise: &Value) -> PromiseState {
    // SAFETY: the value is alive; the engine checks that it is a promise.
    unsafe {
        let result = || Value::own(qjs::JS_PromiseResult(context(), promise.raw()));
        match qjs::JS_PromiseState(context(), promise.raw()) {
            qjs::JSPromiseStateEnum_JS_PROMISE_FULFILLED => PromiseState::Fulfilled(result()),
            qjs::JSPromiseStateEnum_JS_PROMISE_REJECTED => PromiseState::Rejected(result()),
            _ => PromiseState::Pending,
        }
    }
}

unsafe extern "C" fn interrupt(_runtime: *mut qjs::JSRuntime, _opaque: *mut c_void) -> c_int {
    crate::leg::poll();
    0
}

unsafe extern "C" fn track_rejection(
    _context: *mut qjs::JSContext,
    promise: qjs::JSValue,
    reason: qjs::JSValue,
    handled: bool,
    _opaque: *mut c_void,
) {
    // SAFETY: the engine keeps both alive during the call.
    let (promise, reason) = unsafe { (Value::borrowed(promise), Value::borrowed(reason)) };
    crate::leg::track_rejection(promise, reason, handled);
}

unsafe extern "C" fn refuse_module(
    context: *mut qjs::JSContext,
    _name: *const c_char,
    _opaque: *mut c_void,
) -> *mut qjs::JSModuleDef {
    // SAFETY: the context is alive, the format takes no arguments.
    unsafe {
        qjs::JS_ThrowTypeError(
            context,
            c"module access is not available in a cell; call a tool instead".as_ptr(),
        );
    }
    std::ptr::null_mut()
}
