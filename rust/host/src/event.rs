//! What leased workers report, after the host has checked it.

use std::fmt;

use toolcell_protocol::{Call, Failure, Output};

/// Handle of a leased worker; never reused within a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WorkerId(pub u64);

impl fmt::Display for WorkerId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

/// One thing that happened to a leased worker, in the order the worker caused it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// The cell emitted an item.
    Output(Output),
    /// The guest sees words that an MCP server wrote; told at most once for a cell in a worker.
    ForeignWords,
    /// The guest is quiescent and waits for calls to be settled.
    Waiting {
        /// New calls of this leg, in call order; those cleared within the leg are left out.
        calls: Vec<Call>,
        /// Calls of earlier legs that the guest gave up (timers it cleared).
        cancelled: Vec<u32>,
        /// All calls not settled yet.
        outstanding: u32,
    },
    /// The cell returned; the worker is idle.
    Completed {
        /// The value as JSON.
        value: Vec<u8>,
        /// Advice for the result.
        warnings: Vec<String>,
    },
    /// The cell failed; the worker is idle unless `Gone` follows at once.
    Failed(Failure),
    /// The cell was suspended; the worker is idle.
    Parked {
        /// The continuation.
        image: Vec<u8>,
    },
    /// A continuation was not accepted; the worker is idle.
    Refused {
        /// Why, for the host's log.
        reason: String,
    },
    /// The worker has ended. Always the last event of its handle, and always delivered.
    Gone {
        /// Who ended it.
        reason: GoneReason,
        /// Exit status or broken rule, for the host's log.
        detail: String,
    },
}

/// Who ended a worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GoneReason {
    /// [`crate::WorkerPool::kill`].
    Killed,
    /// The worker: it died, or broke the rules and was killed.
    Crashed,
    /// The hard deadline.
    Deadline,
    /// The end of the pool, or of a cell after which no worker goes on (timeout, full heap).
    Closed,
}
