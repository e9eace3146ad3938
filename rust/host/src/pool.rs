//! The pool as the embedding program holds it; it survives `fork`.

use std::{
    os::fd::{AsRawFd, RawFd},
    path::Path,
    sync::{Arc, OnceLock, atomic::Ordering},
    time::Duration,
};

use toolcell_protocol::{Restore, Settle, Start, ToWorker, frame};

use crate::{
    binary::WorkerBinary,
    clock,
    encoded::EncodedCatalog,
    error::{PoolError, StartError},
    event::{Event, GoneReason, WorkerId},
    local::LocalPool,
};

/// How a pool behaves.
#[derive(Debug, Clone, Copy)]
pub struct PoolSettings {
    /// Idle workers kept ready, 0 for none.
    pub warm: usize,
    /// Time from a leg's deadline, at which the worker ends it by itself, to its SIGKILL.
    pub grace: Duration,
    /// Time a worker may take from its start to being ready; [`crate::READY_TIMEOUT`] suits.
    pub ready_timeout: Duration,
}

/// Counters of one pool in this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stats {
    /// Idle workers.
    pub warm: usize,
    /// Leased workers whose `Gone` was not delivered.
    pub leased: usize,
    /// Workers started so far.
    pub spawned: u64,
    /// Workers killed at a hard deadline so far.
    pub killed_deadline: u64,
    /// Leased workers that died or broke the rules so far.
    pub crashed: u64,
}

/// Worker processes, some warm, some leased. All methods may be called from any thread.
///
/// After `fork`, the child's first call gives it a part of its own: a new supervisor, new workers, a new
/// descriptor. Handles from before the fork are [`PoolError::Gone`] there, and the parent's workers live on.
#[derive(Debug)]
pub struct WorkerPool {
    binary: Arc<WorkerBinary>,
    settings: PoolSettings,
    parts: Part,
}

/// The pool's part of one process, and those of the processes forked from it.
#[derive(Debug)]
struct Part {
    local: Arc<LocalPool>,
    // A lock is no place for it: another thread may have held it when this process was forked.
    child: OnceLock<Box<Part>>,
}

impl WorkerPool {
    /// Checks the worker, starts the supervisor and the first workers, and waits for one of them to be ready.
    pub fn new(
        worker: &Path,
        expected_sha256: Option<&str>,
        settings: PoolSettings,
    ) -> Result<Self, StartError> {
        let binary = Arc::new(WorkerBinary::open(worker, expected_sha256)?);
        let local = LocalPool::start(&binary, settings)?;
        Ok(Self { binary, settings, parts: Part { local, child: OnceLock::new() } })
    }

    /// Descriptor that is readable while a leased worker has something for [`Self::drain`].
    pub fn fileno(&self) -> Result<RawFd, StartError> {
        Ok(self.local()?.epoll().as_raw_fd())
    }

    /// Takes a warm worker, or waits for one that starts.
    pub fn lease(&self) -> Result<WorkerId, StartError> {
        self.local()?.lease()
    }

    /// Ends a worker for good; no more events come from it. Does nothing if it has ended.
    pub fn release(&self, worker: WorkerId) {
        if let Some(local) = self.existing() {
            local.release(worker);
        }
    }

    /// Sends SIGKILL to a worker; `Gone` follows from [`Self::drain`]. Does nothing if it has ended.
    pub fn kill(&self, worker: WorkerId) {
        if let Some(local) = self.existing()
            && let Some(leased) = local.get(worker)
        {
            local.end(&leased, GoneReason::Killed);
        }
    }

    /// Gives an idle worker the catalog of the cells to come.
    pub fn send_catalog(&self, worker: WorkerId, catalog: &EncodedCatalog) -> Result<(), PoolError> {
        self.local()?.tell(worker, |channel| {
            channel.conversation.catalog()?;
            channel.queue(catalog.frame());
            Ok(())
        })
    }

    /// Starts a cell in an idle worker; the deadline in `start` is set from `timeout`.
    ///
    /// Gives the events that came within a fraction of a millisecond. The rest is for [`Self::drain`], here
    /// and below.
    pub fn start(
        &self,
        worker: WorkerId,
        mut start: Start,
        timeout: Duration,
    ) -> Result<Vec<Event>, PoolError> {
        let deadline_ns = deadline(timeout);
        start.deadline_ns = deadline_ns;
        let limits = start.limits.clone();
        let mut bytes = Vec::with_capacity(start.code.len() + 256);
        frame::append(&mut bytes, &ToWorker::Start(start))?;
        self.local()?.run_leg(worker, deadline_ns, |channel| {
            channel.conversation.start(&limits)?;
            channel.begin_cell();
            channel.queue(&bytes);
            Ok(())
        })
    }

    /// Loads a continuation into an idle worker; it is sent with the next [`Self::resume`].
    pub fn restore(&self, worker: WorkerId, restore: Restore) -> Result<(), PoolError> {
        let limits = restore.limits.clone();
        let mut bytes = Vec::with_capacity(restore.image.len() + 256);
        frame::append(&mut bytes, &ToWorker::Restore(restore))?;
        let leased = self.local()?.find(worker)?;
        let mut channel = leased.channel();
        channel.conversation.restore(&limits)?;
        channel.begin_cell();
        channel.queue(&bytes);
        Ok(())
    }

    /// Settles calls in the given order and runs the cell on.
    pub fn resume(
        &self,
        worker: WorkerId,
        settled: Vec<Settle>,
        timeout: Duration,
    ) -> Result<Vec<Event>, PoolError> {
        let deadline_ns = deadline(timeout);
        let calls: Vec<u32> = settled.iter().map(|settle| settle.call).collect();
        let mut bytes = Vec::new();
        for settle in settled {
            frame::append(&mut bytes, &ToWorker::Settle(settle))?;
        }
        frame::append(&mut bytes, &ToWorker::Run { deadline_ns })?;
        self.local()?.run_leg(worker, deadline_ns, |channel| {
            channel.conversation.resume(calls.iter().copied())?;
            channel.queue(&bytes);
            Ok(())
        })
    }

    /// Suspends a waiting cell to bytes.
    pub fn park(&self, worker: WorkerId, timeout: Duration) -> Result<Vec<Event>, PoolError> {
        let mut bytes = Vec::new();
        frame::append(&mut bytes, &ToWorker::Park)?;
        self.local()?.run_leg(worker, deadline(timeout), |channel| {
            channel.conversation.park()?;
            channel.queue(&bytes);
            Ok(())
        })
    }

    /// What leased workers reported since, without waiting.
    pub fn drain(&self) -> Vec<(WorkerId, Vec<Event>)> {
        self.existing().map(LocalPool::drain).unwrap_or_default()
    }

    /// Process id of a leased worker.
    pub fn pid(&self, worker: WorkerId) -> Result<u32, PoolError> {
        Ok(self.local()?.find(worker)?.process.pid())
    }

    /// Counters of this process.
    pub fn stats(&self) -> Stats {
        self.existing().map_or(
            Stats { warm: 0, leased: 0, spawned: 0, killed_deadline: 0, crashed: 0 },
            |local| Stats {
                warm: local.roster.warm_count(),
                leased: local.leased_count(),
                spawned: local.counters.spawned.load(Ordering::Relaxed),
                killed_deadline: local.counters.killed_deadline.load(Ordering::Relaxed),
                crashed: local.counters.crashed.load(Ordering::Relaxed),
            },
        )
    }

    /// Ends all workers and waits for them; each leased one still reports `Gone`. May be called again.
    pub fn close(&self) {
        if let Some(local) = self.existing() {
            local.close();
        }
    }

    /// This process's part, made anew after a fork.
    fn local(&self) -> Result<&LocalPool, StartError> {
        let pid = std::process::id();
        let mut part = &self.parts;
        while part.local.pid != pid {
            if part.child.get().is_none() {
                part.local.abandon();
                let local = LocalPool::start(&self.binary, self.settings)?;
                if let Err(second) = part.child.set(Box::new(Part { local, child: OnceLock::new() })) {
                    second.local.close();
                }
            }
            match part.child.get() {
                Some(child) => part = child,
                None => return Err(StartError::Closed),
            }
        }
        Ok(&part.local)
    }

    /// This process's part, if it has one.
    fn existing(&self) -> Option<&LocalPool> {
        let pid = std::process::id();
        let mut part = &self.parts;
        while part.local.pid != pid {
            part = part.child.get()?;
        }
        Some(&part.local)
    }
}

impl Drop for WorkerPool {
    fn drop(&mut self) {
        self.close();
    }
}

fn deadline(timeout: Duration) -> u64 {
    clock::now_ns().saturating_add(u64::try_from(timeout.as_nanos()).unwrap_or(u64::MAX))
}
