//! The pool as one operating-system process has it: leased workers, their events and deadlines.

mod exchange;

use std::{
    collections::HashMap,
    io,
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    thread::{self, JoinHandle},
};

use rustix::event::epoll;

use crate::{
    bell::Bell,
    binary::WorkerBinary,
    channel::Channel,
    deadlines::Deadlines,
    error::{PoolError, StartError},
    event::{GoneReason, WorkerId},
    leased::Leased,
    pool::PoolSettings,
    roster::Roster,
    supervisor,
};

/// Handles of all pools of this program. A forked child counts on, so a handle from before the fork is unknown.
static NEXT_WORKER: AtomicU64 = AtomicU64::new(1);

/// Epoll data of the bell; workers are counted from 1.
const BELL: u64 = 0;

/// Reads before a kill at the deadline: enough for all that a socket holds.
const EXPIRE_READS: usize = 8;

#[derive(Debug, Default)]
pub(crate) struct Counters {
    pub(crate) spawned: AtomicU64,
    pub(crate) killed_deadline: AtomicU64,
    pub(crate) crashed: AtomicU64,
}

/// One process's part of a pool.
#[derive(Debug)]
pub(crate) struct LocalPool {
    pub(crate) pid: u32,
    pub(crate) binary: Arc<WorkerBinary>,
    pub(crate) settings: PoolSettings,
    epoll: OwnedFd,
    /// In `epoll`: rings when a worker has news that its socket doesn't show.
    bell: Bell,
    rung: Mutex<Vec<WorkerId>>,
    leased: Mutex<HashMap<WorkerId, Arc<Leased>>>,
    pub(crate) roster: Roster,
    pub(crate) deadlines: Deadlines,
    pub(crate) wake: Bell,
    busy: AtomicUsize,
    may_spin: bool,
    pub(crate) counters: Counters,
    supervisor: Mutex<Option<JoinHandle<()>>>,
}

impl LocalPool {
    /// Starts the supervisor and, if any are to be kept warm, waits for the first worker.
    pub(crate) fn start(binary: &Arc<WorkerBinary>, settings: PoolSettings) -> Result<Arc<Self>, StartError> {
        let system = |error: io::Error| StartError::Spawn { error: Arc::new(error) };
        let pool = Arc::new(Self::prepare(binary, settings).map_err(system)?);
        let supervised = Arc::clone(&pool);
        let thread = thread::Builder::new()
            .name("toolcell-workers".to_owned())
            .spawn(move || supervisor::run(&supervised))
            .map_err(system)?;
        *lock(&pool.supervisor) = Some(thread);
        if settings.warm > 0
            && let Err(error) = pool.roster.wait_warm(|| pool.wake.ring())
        {
            pool.close();
            return Err(error);
        }
        Ok(pool)
    }

    fn prepare(binary: &Arc<WorkerBinary>, settings: PoolSettings) -> io::Result<Self> {
        let pool = Self {
            pid: std::process::id(),
            binary: Arc::clone(binary),
            settings,
            epoll: epoll::create(epoll::CreateFlags::CLOEXEC)?,
            bell: Bell::new()?,
            rung: Mutex::default(),
            leased: Mutex::default(),
            roster: Roster::new(settings.warm, settings.ready_timeout),
            deadlines: Deadlines::default(),
            wake: Bell::new()?,
            busy: AtomicUsize::new(0),
            may_spin: thread::available_parallelism().is_ok_and(|count| count.get() > 1),
            counters: Counters::default(),
            supervisor: Mutex::default(),
        };
        epoll::add(&pool.epoll, &pool.bell, epoll::EventData::new_u64(BELL), epoll::EventFlags::IN)?;
        Ok(pool)
    }

    pub(crate) fn epoll(&self) -> BorrowedFd<'_> {
        self.epoll.as_fd()
    }

    pub(crate) fn lease(&self) -> Result<WorkerId, StartError> {
        let worker = self.roster.take(|| self.wake.ring())?;
        let id = WorkerId(NEXT_WORKER.fetch_add(1, Ordering::Relaxed));
        let data = epoll::EventData::new_u64(id.0);
        if let Err(error) = epoll::add(&self.epoll, &worker.socket, data, epoll::EventFlags::IN) {
            worker.process.kill();
            self.roster.bury(worker.process, None);
            self.wake.ring();
            return Err(StartError::Spawn { error: Arc::new(error.into()) });
        }
        lock(&self.leased).insert(id, Arc::new(Leased::new(id, worker)));
        Ok(id)
    }

    /// The leased worker, if it has not ended.
    pub(crate) fn find(&self, id: WorkerId) -> Result<Arc<Leased>, PoolError> {
        self.get(id).filter(|leased| leased.end().is_none()).ok_or(PoolError::Gone { worker: id })
    }

    pub(crate) fn get(&self, id: WorkerId) -> Option<Arc<Leased>> {
        lock(&self.leased).get(&id).cloned()
    }

    pub(crate) fn leased_count(&self) -> usize {
        lock(&self.leased).len()
    }

    pub(crate) fn release(&self, id: WorkerId) {
        let Some(leased) = lock(&self.leased).remove(&id) else {
            return;
        };
        if leased.finish(GoneReason::Closed, "released") {
            self.roster.bury(Arc::clone(&leased.process), None);
        }
        self.end_leg(&leased);
        self.shut(&mut leased.channel());
        self.wake.ring();
    }

    /// Ends a worker from outside; its last events are for `drain`.
    pub(crate) fn end(&self, leased: &Leased, reason: GoneReason) {
        if leased.finish(reason, "signal 9") {
            self.roster.bury(Arc::clone(&leased.process), None);
            self.wake.ring();
            self.ring(leased.id);
        }
    }

    /// What is done at a hard deadline. Never waits for a lock that is held during I/O.
    pub(crate) fn expire(&self, id: WorkerId, now_ns: u64) {
        let Some(leased) = self.get(id).filter(|leased| leased.is_overdue(now_ns)) else {
            return;
        };
        // An answer that came in time but was not fetched, because the program was busy, counts.
        if let Some(mut channel) = leased.try_channel() {
            self.advance(&leased, &mut channel, EXPIRE_READS);
            if !leased.is_overdue(now_ns) {
                self.ring(id);
                return;
            }
        }
        self.counters.killed_deadline.fetch_add(1, Ordering::Relaxed);
        self.end(&leased, GoneReason::Deadline);
    }

    /// Puts a worker on the list of those with news.
    pub(crate) fn ring(&self, id: WorkerId) {
        lock(&self.rung).push(id);
        self.bell.ring();
    }

    fn end_leg(&self, leased: &Leased) {
        if let Some(at_ns) = leased.disarm() {
            self.deadlines.remove(at_ns, leased.id);
            self.busy.fetch_sub(1, Ordering::Relaxed);
        }
    }

    /// Explicit, since a forked child may hold the socket too, which would keep a dead entry readable.
    fn unwatch(&self, channel: &Channel) {
        // ENOENT: not watched any more.
        epoll::delete(&self.epoll, channel).ok();
    }

    fn shut(&self, channel: &mut Channel) {
        self.unwatch(channel);
        channel.is_closed = true;
    }

    /// Ends all leased workers, for the end of the pool.
    pub(crate) fn end_all(&self) {
        let all: Vec<_> = lock(&self.leased).values().cloned().collect();
        for leased in all {
            self.end(&leased, GoneReason::Closed);
        }
    }

    /// Ends all workers and the supervisor, and waits for it.
    pub(crate) fn close(&self) {
        self.roster.close();
        self.wake.ring();
        if let Some(thread) = lock(&self.supervisor).take() {
            // A panic there has been printed, and leaves nothing to do here.
            thread.join().ok();
        }
    }

    /// Closes what a forked child inherited, without a word to the workers, which are the parent's.
    pub(crate) fn abandon(&self) {
        // A lock that another thread held at the fork stays locked: its descriptors stay until this process
        // ends, which harms nobody.
        if let Ok(mut leased) = self.leased.try_lock() {
            leased.clear();
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
