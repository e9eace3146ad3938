//! The sandbox, from outside: each system call beyond those of a running cell ends the process.

use std::{os::unix::process::ExitStatusExt, process::ExitStatus};

use support::{Executable, Worker};
use syscalls::{ATTEMPTS, Expected};
use toolcell_protocol::FromWorker;

mod support;
#[path = "../probe/syscalls.rs"]
#[expect(dead_code, reason = "the attempts themselves are for the probe that makes them")]
mod syscalls;

static PROBE: Executable = Executable::new("toolcell-worker-probe", &["probe"]);

const SURVIVED: i32 = 77;

/// Locks a probe down, lets it make the attempt and says how it ended.
#[expect(clippy::unwrap_used, reason = "a helper of tests fails by panicking")]
fn outcome(name: &str) -> ExitStatus {
    let mut probe = Worker::start(PROBE.path(), &[name]);
    assert_eq!(probe.receive(), Some(FromWorker::Waiting { outstanding: 0 }), "{name}: not locked down");
    probe.child.wait().unwrap()
}

/// Every attempt of that kind and how it ended.
fn outcomes(expected: Expected) -> impl Iterator<Item = (&'static str, ExitStatus)> {
    let attempts = ATTEMPTS.iter().filter(move |attempt| attempt.expected == expected);
    attempts.map(|attempt| (attempt.name, outcome(attempt.name)))
}

/// The attempts of that kind that did not end with one of `signals`.
fn others(expected: Expected, signals: &[libc::c_int]) -> Vec<(&'static str, ExitStatus)> {
    outcomes(expected)
        .filter(|(_, status)| !status.signal().is_some_and(|signal| signals.contains(&signal)))
        .collect()
}

#[test]
fn a_call_beyond_those_of_a_running_cell_ends_the_process() {
    let survivors = others(Expected::Killed, &[libc::SIGSYS]);

    assert_eq!(survivors, []);
}

#[cfg(target_arch = "x86_64")]
#[test]
fn a_kernel_entry_of_another_architecture_ends_the_process() {
    // Without the i386 entry in the kernel the instruction faults before a filter is asked.
    let survivors = others(Expected::KilledOrFaulted, &[libc::SIGSYS, libc::SIGSEGV]);

    assert_eq!(survivors, []);
}

#[test]
fn an_abort_shows_as_one() {
    let others = others(Expected::Aborted, &[libc::SIGABRT]);

    assert_eq!(others, []);
}

#[test]
fn the_calls_of_a_running_cell_are_let_through() {
    let killed: Vec<_> =
        outcomes(Expected::Survived).filter(|(_, status)| status.code() != Some(SURVIVED)).collect();

    assert_eq!(killed, []);
}
