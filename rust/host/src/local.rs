//! The pool as one operating-system process has it: leased workers, their events and deadlines.

use std::{
    collections::HashMap,
    io,
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use rustix::{
    buffer::spare_capacity,
    event::{Timespec, epoll},
};

use crate::{
    bell::Bell,
    binary::WorkerBinary,
    channel::{Channel, Flow},
    clock,
    deadlines::Deadlines,
    error::{PoolError, StartError},
    event::{Event, GoneReason, WorkerId},
    leased::Leased,
    pool::PoolSettings,
    roster::Roster,
    supervisor,
};

/// Handles of all pools of this program. A forked child counts on, so a handle from before the fork is unknown.
static NEXT_WORKER: AtomicU64 = AtomicU64::new(1);

/// Epoll data of the bell; workers are counted from 1.
const BELL: u64 = 0;

/// Workers served in one call of `drain`. The rest is readable still.
const DRAIN_WORKERS: usize = 256;

/// Reads per worker in one call of `drain`, so that one worker's flood does not starve the others.
const DRAIN_READS: usize = 4;

/// Reads before a kill at the deadline: enough for all that a socket holds.
const EXPIRE_READS: usize = 8;

/// How long an answer is waited for before it is left to `drain`. Longer than a trivial leg takes, far shorter
/// than anybody notices.
const SPIN: Duration = Duration::from_micros(200);

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
        let system = |error: io::Error| StartError::Spawn {
            error: Arc::new(error),
        };
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
        epoll::add(
            &pool.epoll,
            &pool.bell,
            epoll::EventData::new_u64(BELL),
            epoll::EventFlags::IN,
        )?;
        Ok(pool)
    }

    pub(crate) fn epoll(&self) -> BorrowedFd<'_> {
        self.epoll.as_fd()
    }

    pub(crate) fn lease(&self) -> Result<WorkerId, StartError> {
        let worker = self.roster.take(|| self.wake.ring())?;
        let id = WorkerId(NEXT_WORKER.fetch_add(1, Ordering::Relaxed));
        epoll::add(
            &self.epoll,
            &worker.socket,
            epoll::EventData::new_u64(id.0),
            epoll::EventFlags::IN,
        )
        .map_err(|error| StartError::Spawn {
            error: Arc::new(error.into()),
        })?;
        lock(&self.leased).insert(id, Arc::new(Leased::new(id, worker)));
        Ok(id)
    }

    /// The leased worker, if it has not ended.
    pub(crate) fn find(&self, id: WorkerId) -> Result<Arc<Leased>, PoolError> {
        self.get(id)
            .filter(|leased| leased.end().is_none())
            .ok_or(PoolError::Gone { worker: id })
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

    /// Makes a worker busy: `command` checks the state and queues the frames. Gives what came as an answer at
    /// once.
    pub(crate) fn run_leg(
        &self,
        id: WorkerId,
        deadline_ns: u64,
        command: impl FnOnce(&mut Channel) -> Result<(), PoolError>,
    ) -> Result<Vec<Event>, PoolError> {
        let leased = self.find(id)?;
        let mut channel = leased.channel();
        command(&mut channel)?;
        let kill_at_ns = deadline_ns.saturating_add(self.settings.grace.as_nanos() as u64);
        let others = self.busy.fetch_add(1, Ordering::Relaxed);
        leased.arm(kill_at_ns);
        if self.deadlines.add(kill_at_ns, id) {
            self.wake.ring();
        }
        let is_open = channel.flush();
        self.watch(id, &mut channel);
        if others == 0 && self.may_spin {
            self.spin(&leased, &mut channel);
        } else {
            self.advance(&leased, &mut channel, 1);
        }
        let events = self.take_events(&leased, &mut channel);
        if !is_open && events.is_empty() {
            return Err(PoolError::Gone { worker: id });
        }
        Ok(events)
    }

    /// Queues and sends a command that has no answer.
    pub(crate) fn tell(
        &self,
        id: WorkerId,
        command: impl FnOnce(&mut Channel) -> Result<(), PoolError>,
    ) -> Result<(), PoolError> {
        let leased = self.find(id)?;
        let mut channel = leased.channel();
        command(&mut channel)?;
        let is_open = channel.flush();
        self.watch(id, &mut channel);
        if is_open {
            Ok(())
        } else {
            Err(PoolError::Gone { worker: id })
        }
    }

    pub(crate) fn drain(&self) -> Vec<(WorkerId, Vec<Event>)> {
        let mut ready = Vec::with_capacity(DRAIN_WORKERS);
        // An error leaves nothing to serve: EINTR, or none that a valid instance can give.
        epoll::wait(
            &self.epoll,
            spare_capacity(&mut ready),
            Some(&Timespec::default()),
        )
        .ok();
        let mut workers: Vec<WorkerId> = ready
            .iter()
            .map(|event| event.data.u64())
            .filter(|&data| data != BELL)
            .map(WorkerId)
            .collect();
        if workers.len() < ready.len() {
            self.bell.silence();
            for id in std::mem::take(&mut *lock(&self.rung)) {
                if !workers.contains(&id) {
                    workers.push(id);
                }
            }
        }
        workers
            .into_iter()
            .filter_map(|id| self.collect(id).map(|events| (id, events)))
            .collect()
    }

    fn collect(&self, id: WorkerId) -> Option<Vec<Event>> {
        let leased = self.get(id)?;
        let mut channel = leased.channel();
        // A closed end shows when reading.
        let _ = channel.flush();
        self.watch(id, &mut channel);
        self.advance(&leased, &mut channel, DRAIN_READS);
        let events = self.take_events(&leased, &mut channel);
        (!events.is_empty()).then_some(events)
    }

    /// Reads a few times, and draws the consequences.
    fn advance(&self, leased: &Arc<Leased>, channel: &mut Channel, reads: usize) {
        for _ in 0..reads {
            if leased.end().is_some() || !self.read_once(leased, channel) {
                break;
            }
        }
    }

    /// Reads until the worker has answered or has had its time.
    fn spin(&self, leased: &Arc<Leased>, channel: &mut Channel) {
        let give_up_ns = clock::now_ns() + SPIN.as_nanos() as u64;
        while channel.expects_more() && leased.end().is_none() {
            if !self.read_once(leased, channel) && clock::now_ns() >= give_up_ns {
                break;
            }
            if channel.has_unsent() {
                let _ = channel.flush();
                self.watch(leased.id, channel);
            }
        }
    }

    /// False if there was nothing to read.
    fn read_once(&self, leased: &Arc<Leased>, channel: &mut Channel) -> bool {
        let flow = channel.read();
        match flow {
            Flow::Dry => return false,
            Flow::More => {}
            Flow::Closed => {
                // The socket closes early in a process's end. The exit status comes a moment later, and with it
                // the worker's last event.
                self.unwatch(channel);
                leased.process.kill();
                if leased.end().is_none() {
                    self.roster
                        .bury(Arc::clone(&leased.process), Some(Arc::clone(leased)));
                    self.wake.ring();
                }
                self.end_leg(leased);
                return false;
            }
            Flow::End(reason, detail) => {
                if leased.finish(reason, detail) {
                    if reason == GoneReason::Crashed {
                        self.counters.crashed.fetch_add(1, Ordering::Relaxed);
                    }
                    self.roster.bury(Arc::clone(&leased.process), None);
                    self.wake.ring();
                    self.ring(leased.id);
                }
            }
        }
        if !channel.conversation.is_busy() {
            self.end_leg(leased);
        }
        true
    }

    /// The inbox; closed by `Gone` if the worker has ended.
    fn take_events(&self, leased: &Leased, channel: &mut Channel) -> Vec<Event> {
        if let Some(end) = leased.end()
            && !channel.is_closed
        {
            if end.reason != GoneReason::Crashed {
                channel.read_rest();
            }
            channel.inbox.push(Event::Gone {
                reason: end.reason,
                detail: end.detail.clone(),
            });
            self.end_leg(leased);
            self.shut(channel);
            lock(&self.leased).remove(&leased.id);
        }
        std::mem::take(&mut channel.inbox)
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

    /// Watches for room to write while there is something unsent.
    fn watch(&self, id: WorkerId, channel: &mut Channel) {
        let unsent = channel.has_unsent();
        if unsent != channel.watches_room {
            channel.watches_room = unsent;
            let room = if unsent {
                epoll::EventFlags::OUT
            } else {
                epoll::EventFlags::empty()
            };
            let flags = epoll::EventFlags::IN | room;
            // ENOENT: the worker has ended and is watched no more.
            epoll::modify(&self.epoll, &*channel, epoll::EventData::new_u64(id.0), flags).ok();
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
