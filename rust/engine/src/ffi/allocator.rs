//! The engine's memory functions, on the arena and within the guest's limit.

use std::ffi::c_void;

use rquickjs_sys as qjs;
use toolcell_arena::{Heap, arena};

/// What QuickJS is to call for memory.
pub(crate) fn functions() -> qjs::JSMallocFunctions {
    qjs::JSMallocFunctions {
        js_calloc: Some(calloc),
        js_malloc: Some(malloc),
        js_free: Some(free),
        js_realloc: Some(realloc),
        js_malloc_usable_size: Some(usable_size),
    }
}

unsafe extern "C" fn malloc(_opaque: *mut c_void, bytes: qjs::size_t) -> *mut c_void {
    arena().allocate_limited(bytes as usize).cast()
}

unsafe extern "C" fn calloc(_opaque: *mut c_void, count: qjs::size_t, bytes: qjs::size_t) -> *mut c_void {
    let Some(total) = (count as usize).checked_mul(bytes as usize) else { return std::ptr::null_mut() };
    let pointer = arena().allocate_limited(total);
    if !pointer.is_null() {
        // SAFETY: the block has just been allocated with at least `total` bytes.
        unsafe { std::ptr::write_bytes(pointer, 0, total) };
    }
    pointer.cast()
}

unsafe extern "C" fn free(_opaque: *mut c_void, pointer: *mut c_void) {
    if !pointer.is_null() {
        // SAFETY: the engine frees only what it got from here, once.
        unsafe { arena().free(pointer.cast()) };
    }
}

unsafe extern "C" fn realloc(opaque: *mut c_void, pointer: *mut c_void, bytes: qjs::size_t) -> *mut c_void {
    // SAFETY: the engine passes only what it got from here.
    unsafe {
        if pointer.is_null() {
            return malloc(opaque, bytes);
        }
        if bytes == 0 {
            free(opaque, pointer);
            return std::ptr::null_mut();
        }
        arena().reallocate_limited(pointer.cast(), bytes as usize).cast()
    }
}

unsafe extern "C" fn usable_size(pointer: *const c_void) -> qjs::size_t {
    if pointer.is_null() {
        return 0;
    }
    // SAFETY: the engine asks only for blocks it got from here.
    unsafe { Heap::usable_size(pointer.cast()) as qjs::size_t }
}
