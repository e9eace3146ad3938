//! What the process gives up before it sees a byte of guest code, the system-call filter apart.
//!
//! **Limits.** Linux 5.9 or later (`close_range`).

use std::{io, ops::Range};

use rustix::{
    fs::Mode,
    process::{DumpableBehavior, Pid, Resource, Rlimit, Signal},
};

use crate::sys;

/// Address space beyond the fixed regions: the program, its stack, libc's heap.
const PROGRAM_BYTES: u64 = 256 << 20;

/// Why the process can't be locked down.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LockdownError {
    /// The host died before the worker could tie itself to it, or the worker was not started by it.
    #[error("the parent is process {found}, not the host {expected}")]
    Orphaned {
        /// Parent of the worker; 0 if it is out of sight.
        found: i32,
        /// Process id that the host stated.
        expected: i32,
    },
    /// The kernel refused a step.
    #[error("can't {step}: {source}")]
    Step {
        /// The step, as a verb.
        step: &'static str,
        /// The kernel's answer.
        source: io::Error,
    },
}

/// Ties the life of the process to `host` and cuts it off from all else it was born with.
pub(crate) fn isolate(host: Pid) -> Result<(), LockdownError> {
    step("die with the parent", rustix::process::set_parent_process_death_signal(Some(Signal::KILL)))?;
    let found = Pid::as_raw(rustix::process::getppid());
    if found != host.as_raw_pid() {
        return Err(LockdownError::Orphaned { found, expected: host.as_raw_pid() });
    }
    for signal in [libc::SIGPIPE, libc::SIGTERM, libc::SIGINT, libc::SIGHUP] {
        step("ignore signals", sys::ignore(signal))?;
    }
    step("open a session", rustix::process::setsid())?;
    step("leave the working directory", rustix::process::chdir("/"))?;
    rustix::process::umask(Mode::RWXG | Mode::RWXO);
    step("close descriptors", sys::close_all_but_the_first())?;
    step("forget the environment", sys::forget_environment())?;
    step("refuse to be dumped", rustix::process::set_dumpable_behavior(DumpableBehavior::NotDumpable))?;
    step("refuse new privileges", rustix::thread::set_no_new_privs(true))
}

/// Caps what the kernel hands out, in case the filter should have a hole.
///
/// `regions` are the fixed regions, mapped already: they count as address space.
pub(crate) fn limit_resources(regions: &[Range<usize>]) -> Result<(), LockdownError> {
    let reserved: usize = regions.iter().map(ExactSizeIterator::len).sum();
    let limits = [
        (Resource::Core, 0),
        (Resource::Fsize, 0),
        (Resource::Memlock, 0),
        (Resource::Msgqueue, 0),
        (Resource::Nofile, 1),
        (Resource::Nproc, 0),
        (Resource::As, reserved as u64 + PROGRAM_BYTES),
    ];
    for (resource, wanted) in limits {
        // A tighter limit that the process was born with can't be raised and stays.
        let value = rustix::process::getrlimit(resource).maximum.map_or(wanted, |born| born.min(wanted));
        let limit = Rlimit { current: Some(value), maximum: Some(value) };
        step("limit resources", rustix::process::setrlimit(resource, limit))?;
    }
    Ok(())
}

fn step<T, E: Into<io::Error>>(step: &'static str, result: Result<T, E>) -> Result<(), LockdownError> {
    result.map(drop).map_err(|error| LockdownError::Step { step, source: error.into() })
}
