//! A worker in use.

use std::sync::{
    Arc, Mutex, MutexGuard, OnceLock, PoisonError,
    atomic::{AtomicU64, Ordering},
};

use crate::{
    channel::Channel,
    event::{GoneReason, WorkerId},
    launch::Worker,
    process::Process,
};

/// Who ended a worker, and how.
#[derive(Debug, Clone)]
pub(crate) struct End {
    pub(crate) reason: GoneReason,
    pub(crate) detail: String,
}

/// A leased worker. The process and its end can be reached without the channel's lock, so that no I/O delays
/// a kill.
#[derive(Debug)]
pub(crate) struct Leased {
    pub(crate) id: WorkerId,
    pub(crate) process: Arc<Process>,
    channel: Mutex<Channel>,
    end: OnceLock<End>,
    /// When the worker is killed unless it is quiescent; `u64::MAX` if it is.
    kill_at_ns: AtomicU64,
}

impl Leased {
    pub(crate) fn new(id: WorkerId, worker: Worker) -> Self {
        Self {
            id,
            process: worker.process,
            channel: Mutex::new(Channel::new(worker.socket)),
            end: OnceLock::new(),
            kill_at_ns: AtomicU64::new(u64::MAX),
        }
    }

    pub(crate) fn channel(&self) -> MutexGuard<'_, Channel> {
        self.channel.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn try_channel(&self) -> Option<MutexGuard<'_, Channel>> {
        self.channel.try_lock().ok()
    }

    /// Kills the process; the first reason given stands. True if this one does.
    pub(crate) fn finish(&self, reason: GoneReason, detail: impl Into<String>) -> bool {
        let first = self.end.set(End { reason, detail: detail.into() }).is_ok();
        self.process.kill();
        first
    }

    pub(crate) fn end(&self) -> Option<&End> {
        self.end.get()
    }

    pub(crate) fn arm(&self, kill_at_ns: u64) {
        self.kill_at_ns.store(kill_at_ns, Ordering::SeqCst);
    }

    /// Disarms; gives the deadline if it was armed.
    pub(crate) fn disarm(&self) -> Option<u64> {
        let at_ns = self.kill_at_ns.swap(u64::MAX, Ordering::SeqCst);
        (at_ns != u64::MAX).then_some(at_ns)
    }

    pub(crate) fn is_overdue(&self, now_ns: u64) -> bool {
        self.kill_at_ns.load(Ordering::SeqCst) <= now_ns
    }
}
