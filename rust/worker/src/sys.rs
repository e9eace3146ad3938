//! Calls into libc that have no safe wrapper.

use std::{
    ffi::{CStr, c_char, c_int},
    io,
};

unsafe extern "C" {
    fn tzset();
    static mut environ: *mut *mut c_char;
}

/// Ends the process at once: no destructors, no handlers, nothing flushed.
pub fn exit(status: c_int) -> ! {
    // SAFETY: `_exit` has no preconditions.
    unsafe { libc::_exit(status) }
}

/// Ignores `signal` from here on.
pub(crate) fn ignore(signal: c_int) -> io::Result<()> {
    // SAFETY: SIG_IGN runs no code of ours.
    let before = unsafe { libc::signal(signal, libc::SIG_IGN) };
    if before == libc::SIG_ERR { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Closes every descriptor but 0.
pub(crate) fn close_all_but_the_first() -> io::Result<()> {
    // SAFETY: takes plain integers; no object of this process owns a descriptor above 0.
    let status = unsafe { libc::syscall(libc::SYS_close_range, 1, libc::c_uint::MAX, 0) };
    if status == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Overwrites and drops the environment, then fixes the time zone to UTC, so that no later call looks for it.
pub(crate) fn forget_environment() -> io::Result<()> {
    // SAFETY: only `start` gets here, first thing in `main`, so there is one thread and nobody holds a pointer into
    // the environment. The strings that the kernel laid out on the stack are writable and end with NUL, their
    // array with a null pointer.
    unsafe {
        let mut next = environ;
        while !next.is_null() && !(*next).is_null() {
            let bytes = CStr::from_ptr(*next).count_bytes();
            std::ptr::write_bytes(*next, 0, bytes);
            next = next.add(1);
        }
        if libc::clearenv() != 0 || libc::setenv(c"TZ".as_ptr(), c"UTC0".as_ptr(), 1) != 0 {
            return Err(io::Error::last_os_error());
        }
        tzset();
    }
    Ok(())
}

/// Makes libc's own `malloc` live on what it takes now, because system calls of its kind end the process later.
///
/// Rust and the engine do not use it; it is for libc's internals. Exhausted, it ends the process.
pub(crate) fn settle_malloc() {
    const RESERVE_BYTES: c_int = 1 << 20;
    // SAFETY: options take plain integers; the block is freed at once and stays in the heap, which no longer trims.
    unsafe {
        libc::mallopt(libc::M_MMAP_MAX, 0);
        libc::mallopt(libc::M_TRIM_THRESHOLD, c_int::MAX);
        libc::mallopt(libc::M_TOP_PAD, RESERVE_BYTES);
        libc::free(libc::malloc(1));
    }
}
