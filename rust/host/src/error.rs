//! What can go wrong between an embedding program and its workers.

use std::{io, path::PathBuf, sync::Arc, time::Duration};

use crate::{event::WorkerId, process::Exit};

/// Why no worker can be started. Each says what was found and what to do.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// There is no file at the worker's path.
    #[error("there is no worker at {}; reinstall toolcell, or name a worker by TOOLCELL_WORKER", path.display())]
    Missing {
        /// Where it was looked for.
        path: PathBuf,
    },
    /// The worker's path names something else than a file.
    #[error("{} is not a regular file; name a worker executable", path.display())]
    NotAFile {
        /// What was named.
        path: PathBuf,
    },
    /// The worker lacks the run bit.
    #[error("{} is not executable; run `chmod +x` on it, or reinstall toolcell", path.display())]
    NotExecutable {
        /// The worker.
        path: PathBuf,
    },
    /// The worker can't be read, so its build can't be checked.
    #[error("{} can't be read ({error}); check its permissions", path.display())]
    Unreadable {
        /// The worker.
        path: PathBuf,
        /// What the system said.
        error: Arc<io::Error>,
    },
    /// The worker is not the one that was built together with this host.
    #[error(
        "{} is a worker of another build (SHA-256 {found}, expected {expected}); reinstall toolcell",
        path.display()
    )]
    OtherBinary {
        /// The worker.
        path: PathBuf,
        /// SHA-256 of the file, lower-case hex.
        found: String,
        /// SHA-256 that was expected, lower-case hex.
        expected: String,
    },
    /// Workers don't run on this operating system or processor.
    #[error("workers don't run on {os} {processor}; use Linux on x86-64 or aarch64")]
    UnsupportedPlatform {
        /// Operating system.
        os: &'static str,
        /// Processor architecture.
        processor: &'static str,
    },
    /// The system refused to start the process, or something it needs.
    #[error("the system refused to start a worker ({error}); check limits on processes and open files")]
    Spawn {
        /// What the system said.
        error: Arc<io::Error>,
    },
    /// The worker found that it can't run cells here.
    #[error("the worker refused to run: {reason}; docs/security.md says what it needs")]
    Unready {
        /// The worker's own words.
        reason: String,
    },
    /// The worker said nothing in time.
    #[error("the worker was not ready after {waited:?}; the machine may be overloaded, try again")]
    ReadyTimeout {
        /// How long it was waited for.
        waited: Duration,
    },
    /// The worker ended before it was ready.
    #[error(
        "the worker ended before it was ready ({exit}); reinstall toolcell, or name a worker by TOOLCELL_WORKER"
    )]
    EndedEarly {
        /// How it ended.
        exit: Exit,
    },
    /// The worker's first bytes are not those of a toolcell worker.
    #[error("{} does not speak as a toolcell worker; name a worker executable", path.display())]
    NotAWorker {
        /// What was started.
        path: PathBuf,
    },
    /// The worker speaks another protocol or was built from other sources.
    #[error(
        "the worker is of another build (protocol {protocol}, sources {fingerprint}); reinstall toolcell, \
         or rebuild worker and host together"
    )]
    OtherBuild {
        /// Protocol version of the worker.
        protocol: u32,
        /// Source fingerprint of the worker.
        fingerprint: String,
    },
    /// Two workers of this pool booted to different base images: no continuation could move between them.
    #[error(
        "two workers booted to different base images ({found:032x}, before {expected:032x}); \
         was the worker replaced while the program runs? restart the program"
    )]
    OtherBaseImage {
        /// Hash of the new worker's image.
        found: u128,
        /// Hash of the first worker's image.
        expected: u128,
    },
    /// The pool was closed.
    #[error("the worker pool is closed")]
    Closed,
}

/// Why an operation on a leased worker was not carried out.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PoolError {
    /// No worker can be started.
    #[error(transparent)]
    Start(#[from] StartError),
    /// The worker has ended, was released, or belongs to the process this one was forked from.
    #[error("worker {worker} has ended")]
    Gone {
        /// The handle that was used.
        worker: WorkerId,
    },
    /// The operation doesn't fit the worker's state; the embedding code is at fault.
    #[error("a worker that is {state} can't {wanted}")]
    WrongState {
        /// What was asked for.
        wanted: &'static str,
        /// What the worker is doing.
        state: &'static str,
    },
    /// A call was settled that isn't outstanding; the embedding code is at fault.
    #[error("call {call} is not outstanding")]
    NotOutstanding {
        /// Number of the call.
        call: u32,
    },
    /// The message is larger than a frame may be.
    #[error(transparent)]
    Frame(#[from] toolcell_protocol::FrameError),
}
