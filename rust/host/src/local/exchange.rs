//! Words with leased workers: commands out, events in.

use std::{
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use rustix::{
    buffer::spare_capacity,
    event::{Timespec, epoll},
};

use super::{BELL, LocalPool, lock};
use crate::{
    channel::{Channel, Flow},
    clock,
    error::PoolError,
    event::{Event, GoneReason, WorkerId},
    leased::Leased,
};

/// Workers served in one call of `drain`. The rest is readable still.
const DRAIN_WORKERS: usize = 256;

/// Reads per worker in one call of `drain`, so that one worker's flood does not starve the others.
const DRAIN_READS: usize = 4;

/// How long an answer is waited for before it is left to `drain`. A trivial leg takes 20 µs and one that makes
/// sixteen calls 60 µs. On a busy machine, where the worker may be waiting for this very processor, sixteen calls
/// at once took 1.4 times as long with twice this spin.
const SPIN: Duration = Duration::from_micros(100);

impl LocalPool {
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
        if is_open { Ok(()) } else { Err(PoolError::Gone { worker: id }) }
    }

    pub(crate) fn drain(&self) -> Vec<(WorkerId, Vec<Event>)> {
        let mut ready = Vec::with_capacity(DRAIN_WORKERS);
        // An error leaves nothing to serve: EINTR, or none that a valid instance can give.
        epoll::wait(&self.epoll, spare_capacity(&mut ready), Some(&Timespec::default())).ok();
        let mut workers: Vec<WorkerId> =
            ready.iter().map(|event| event.data.u64()).filter(|&data| data != BELL).map(WorkerId).collect();
        if workers.len() < ready.len() {
            self.bell.silence();
            for id in std::mem::take(&mut *lock(&self.rung)) {
                if !workers.contains(&id) {
                    workers.push(id);
                }
            }
        }
        workers.into_iter().filter_map(|id| self.collect(id).map(|events| (id, events))).collect()
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
    pub(super) fn advance(&self, leased: &Arc<Leased>, channel: &mut Channel, reads: usize) {
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
                    self.roster.bury(Arc::clone(&leased.process), Some(Arc::clone(leased)));
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
            channel.inbox.push(Event::Gone { reason: end.reason, detail: end.detail.clone() });
            self.end_leg(leased);
            self.shut(channel);
            lock(&self.leased).remove(&leased.id);
        }
        std::mem::take(&mut channel.inbox)
    }

    /// Watches for room to write while there is something unsent.
    fn watch(&self, id: WorkerId, channel: &mut Channel) {
        let unsent = channel.has_unsent();
        if unsent != channel.watches_room {
            channel.watches_room = unsent;
            let room = if unsent { epoll::EventFlags::OUT } else { epoll::EventFlags::empty() };
            let flags = epoll::EventFlags::IN | room;
            // ENOENT: the worker has ended and is watched no more.
            epoll::modify(&self.epoll, &*channel, epoll::EventData::new_u64(id.0), flags).ok();
        }
    }
}
