//! The thread that spawns workers, watches deadlines, kills and reaps.
//!
//! It lives as long as its pool, since a worker dies with the thread that spawned it. It sleeps in one `poll`.

use std::{
    os::fd::{AsFd, BorrowedFd},
    sync::{Arc, atomic::Ordering},
};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::{
    clock,
    event::GoneReason,
    launch::{Progress, Starting, launch},
    local::LocalPool,
    process::Process,
    roster::Dying,
};

/// How long the end of a pool waits for killed workers to disappear; those with much memory need 50 ms.
const FAREWELL_NS: u64 = 2_000_000_000;

/// Runs until the pool is closed.
pub(crate) fn run(pool: &LocalPool) {
    let mut supervisor = Supervisor { pool, starting: Vec::new(), dying: Vec::new() };
    while supervisor.turn() {}
    supervisor.farewell();
}

struct Supervisor<'a> {
    pool: &'a LocalPool,
    starting: Vec<Starting>,
    dying: Vec<Dying>,
}

impl Supervisor<'_> {
    /// Does what is due, then sleeps. False once the pool is closed.
    fn turn(&mut self) -> bool {
        self.pool.wake.silence();
        let now_ns = clock::now_ns();
        for worker in self.pool.deadlines.take_due(now_ns) {
            self.pool.expire(worker, now_ns);
        }
        self.welcome(now_ns);
        self.reap();
        let orders = self.pool.roster.orders(self.starting.len());
        self.dying.extend(orders.dying);
        if orders.is_closing {
            return false;
        }
        // One at a time: a spawn takes half a millisecond, in which a deadline may pass.
        if orders.workers_to_start > 0 {
            self.start_one();
        }
        let has_more = orders.workers_to_start > 1;
        self.remove_dead(&orders.warm);
        self.sleep(&orders.warm, has_more);
        true
    }

    fn start_one(&mut self) {
        match launch(&self.pool.binary, self.pool.settings.ready_timeout) {
            Ok(starting) => {
                self.pool.counters.spawned.fetch_add(1, Ordering::Relaxed);
                self.starting.push(starting);
            }
            Err(error) => self.pool.roster.report_failure(error),
        }
    }

    /// Hears workers that are starting.
    fn welcome(&mut self, now_ns: u64) {
        for starting in std::mem::take(&mut self.starting) {
            match starting.advance(&self.pool.binary, now_ns) {
                Progress::Starting(starting) => self.starting.push(starting),
                Progress::Ready(worker) => self.pool.roster.add_warm(worker),
                Progress::Failed(process, error) => {
                    self.dying.push(Dying { process, report_to: None });
                    self.pool.roster.report_failure(error);
                }
            }
        }
    }

    fn reap(&mut self) {
        self.dying.retain(|dying| {
            let Some(exit) = dying.process.try_reap() else {
                return true;
            };
            if let Some(leased) = &dying.report_to
                && leased.finish(GoneReason::Crashed, exit.to_string())
            {
                self.pool.counters.crashed.fetch_add(1, Ordering::Relaxed);
                self.pool.ring(leased.id);
            }
            false
        });
    }

    /// Takes warm workers that died out of the roster.
    fn remove_dead(&self, warm: &[Arc<Process>]) {
        for process in warm.iter().filter(|process| process.try_reap().is_some()) {
            self.pool.roster.remove_dead(process);
        }
    }

    fn sleep(&self, warm: &[Arc<Process>], has_more: bool) {
        let first_timeout_ns = self.starting.iter().map(Starting::ready_by_ns).min().unwrap_or(u64::MAX);
        let now_ns = clock::now_ns();
        let wake_at_ns = self.pool.deadlines.sleep_until(if has_more { now_ns } else { first_timeout_ns });
        let news = self.starting.iter().map(Starting::news);
        let ends = self.dying.iter().map(|dying| dying.process.ended());
        let deaths = warm.iter().map(|process| process.ended());
        wait(
            std::iter::once(self.pool.wake.as_fd()).chain(news).chain(ends).chain(deaths),
            clock::until(wake_at_ns, now_ns),
        );
    }

    /// Kills everything and waits until it is gone.
    fn farewell(&mut self) {
        for starting in self.starting.drain(..) {
            starting.process().kill();
            self.dying.push(Dying { process: Arc::clone(starting.process()), report_to: None });
        }
        for worker in self.pool.roster.take_all() {
            worker.process.kill();
            self.dying.push(Dying { process: worker.process, report_to: None });
        }
        self.pool.end_all();
        let give_up_ns = clock::now_ns() + FAREWELL_NS;
        loop {
            self.dying.extend(self.pool.roster.orders(0).dying);
            self.reap();
            let now_ns = clock::now_ns();
            if self.dying.is_empty() || now_ns >= give_up_ns {
                break;
            }
            wait(self.dying.iter().map(|dying| dying.process.ended()), clock::until(give_up_ns, now_ns));
        }
    }
}

/// Sleeps until one of `sources` is readable or the time is up.
fn wait<'a>(sources: impl Iterator<Item = BorrowedFd<'a>>, timeout: Timespec) {
    let mut sources: Vec<_> = sources.map(|source| PollFd::from_borrowed_fd(source, PollFlags::IN)).collect();
    // Every turn looks at everything, so which source woke it, or that a signal did, makes no difference.
    poll(&mut sources, Some(&timeout)).ok();
}
