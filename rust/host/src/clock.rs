//! The clock of deadlines.

use rustix::time::{ClockId, Timespec, clock_gettime};

/// `CLOCK_MONOTONIC` in nanoseconds: the one clock that host and workers share.
pub(crate) fn now_ns() -> u64 {
    let now = clock_gettime(ClockId::Monotonic);
    (now.tv_sec as u64).saturating_mul(1_000_000_000).saturating_add(now.tv_nsec as u64)
}

/// Time from `now_ns` until `at_ns`, zero if it has passed.
pub(crate) fn until(at_ns: u64, now_ns: u64) -> Timespec {
    let left = at_ns.saturating_sub(now_ns);
    // A day is as good as for ever to a loop that plans anew, and can't overflow the kernel's types.
    let left = left.min(86_400 * 1_000_000_000);
    Timespec { tv_sec: (left / 1_000_000_000) as i64, tv_nsec: (left % 1_000_000_000) as i64 }
}
