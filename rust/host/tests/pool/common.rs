//! A pool of scripted workers, and waiting for what they do.

use std::{
    os::fd::{BorrowedFd, OwnedFd},
    os::unix::fs::symlink,
    path::PathBuf,
    time::Duration,
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    process::{Pid, PidfdFlags, pidfd_open},
};
use tempfile::TempDir;
use toolcell_host::{Event, PoolSettings, StartError, WorkerId, WorkerPool};
use toolcell_protocol::{BigIntegers, Language, Limits, OutputOverflow, Start};

/// Long enough that no test meets it by accident.
pub(crate) const LONG: Duration = Duration::from_mins(1);

pub(crate) const SETTINGS: PoolSettings =
    PoolSettings { warm: 1, grace: Duration::from_millis(1), ready_timeout: Duration::from_secs(20) };

/// A worker executable that greets in the way of `name`.
pub(crate) fn worker_named(folder: &TempDir, name: &str) -> PathBuf {
    let path = folder.path().join(name);
    symlink(env!("CARGO_BIN_EXE_scripted-worker"), &path).unwrap();
    path
}

pub(crate) fn pool_of(name: &str, settings: PoolSettings) -> Result<WorkerPool, StartError> {
    let folder = TempDir::new().unwrap();
    let pool = WorkerPool::new(&worker_named(&folder, name), None, settings);
    // The file must outlast the pool, which may start more workers.
    std::mem::forget(folder);
    pool
}

pub(crate) fn limits() -> Limits {
    Limits {
        heap_bytes: 16 << 20,
        output_bytes: 64 << 20,
        output_overflow: OutputOverflow::Fail,
        snapshot_bytes: 1 << 20,
        bridge_bytes: 1 << 20,
        outstanding_calls: 16,
        value_depth: 64,
        big_integers: BigIntegers::BigInt,
    }
}

/// A cell whose worker does what `script` says.
pub(crate) fn cell(script: &str) -> Start {
    Start {
        cell: "cell".to_owned(),
        scope: [0; 32],
        code: script.to_owned(),
        language: Language::JavaScript,
        typescript_enabled: true,
        shell_tool: None,
        limits: limits(),
        deadline_ns: 0,
        seed: 1,
    }
}

/// Collects a worker's events until it owes none.
pub(crate) fn finish(pool: &WorkerPool, worker: WorkerId, mut events: Vec<Event>) -> Vec<Event> {
    while !events.last().is_some_and(ends_leg) {
        for (from, more) in next_events(pool) {
            if from == worker {
                events.extend(more);
            }
        }
    }
    events
}

/// Collects a worker's events until its last.
pub(crate) fn until_gone(pool: &WorkerPool, worker: WorkerId, mut events: Vec<Event>) -> Vec<Event> {
    while !matches!(events.last(), Some(Event::Gone { .. })) {
        for (from, more) in next_events(pool) {
            if from == worker {
                events.extend(more);
            }
        }
    }
    events
}

/// Waits until the pool has news.
pub(crate) fn next_events(pool: &WorkerPool) -> Vec<(WorkerId, Vec<Event>)> {
    // SAFETY: the descriptor is the pool's, which outlives this borrow.
    await_readable(unsafe { BorrowedFd::borrow_raw(pool.fileno().unwrap()) });
    pool.drain()
}

/// Descriptor that is readable once the process has ended.
pub(crate) fn process_handle(pid: u32) -> OwnedFd {
    pidfd_open(Pid::from_raw(pid as i32).unwrap(), PidfdFlags::empty()).unwrap()
}

pub(crate) fn await_readable(source: BorrowedFd<'_>) {
    let mut sources = [PollFd::from_borrowed_fd(source, PollFlags::IN)];
    let ready = poll(&mut sources, Some(&Timespec { tv_sec: 30, tv_nsec: 0 })).unwrap();
    assert_eq!(ready, 1, "nothing happened for half a minute");
}

/// Runs one cell in a new worker to the end of its first leg.
pub(crate) fn run(pool: &WorkerPool, script: &str) -> Vec<Event> {
    let worker = pool.lease().unwrap();
    let events = pool.start(worker, cell(script), LONG).unwrap();
    finish(pool, worker, events)
}

fn ends_leg(event: &Event) -> bool {
    !matches!(event, Event::Output(_))
}
