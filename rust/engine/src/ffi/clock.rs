//! Clocks.
//!
//! QuickJS reads the time of day through `gettimeofday`, for `Date` and to seed itself. This module defines that symbol,
//! so that time stands still during the boot and every boot makes the same bytes.

use std::sync::atomic::{AtomicBool, Ordering};

static RUNNING: AtomicBool = AtomicBool::new(false);

/// Any fixed time will do; zero would make the engine's seed zero.
const BOOT_SECONDS: libc::time_t = 1_000_000_000;

/// Lets time run from now on.
pub(crate) fn start() {
    RUNNING.store(true, Ordering::Relaxed);
}

/// Nanoseconds of `CLOCK_MONOTONIC`, the clock of deadlines.
pub(crate) fn monotonic_ns() -> u64 {
    let time = read(libc::CLOCK_MONOTONIC);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Milliseconds since 1970.
pub(crate) fn unix_ms() -> u64 {
    let time = read(libc::CLOCK_REALTIME);
    time.tv_sec as u64 * 1000 + time.tv_nsec as u64 / 1_000_000
}

fn read(clock: libc::clockid_t) -> libc::timespec {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: both clocks exist on every supported kernel; `time` is valid for writing.
    unsafe { libc::clock_gettime(clock, &raw mut time) };
    time
}

/// The C library's function, as QuickJS calls it.
///
/// # Safety
/// `time` is null or valid for writing.
// SAFETY: the signature and meaning are those of POSIX; only the time zone argument, obsolete there, is ignored.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn gettimeofday(
    time: *mut libc::timeval,
    _zone: *mut libc::c_void,
) -> libc::c_int {
    let now = if RUNNING.load(Ordering::Relaxed) {
        let now = read(libc::CLOCK_REALTIME);
        libc::timeval { tv_sec: now.tv_sec, tv_usec: now.tv_nsec / 1000 }
    } else {
        libc::timeval { tv_sec: BOOT_SECONDS, tv_usec: 0 }
    };
    if !time.is_null() {
        // SAFETY: passed on.
        unsafe { time.write(now) };
    }
    0
}
