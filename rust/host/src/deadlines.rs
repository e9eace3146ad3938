//! When which worker must be quiescent.

use std::{
    collections::BTreeSet,
    sync::{Mutex, MutexGuard, PoisonError},
};

use crate::event::WorkerId;

/// Deadlines of all busy workers, and until when the thread that watches them sleeps.
///
/// Adding a deadline wakes that thread only if it would sleep past it; removing one never does. So a stream of
/// short legs with equal timeouts costs no wake-up at all.
#[derive(Debug, Default)]
pub(crate) struct Deadlines(Mutex<Watch>);

#[derive(Debug, Default)]
struct Watch {
    entries: BTreeSet<(u64, WorkerId)>,
    /// When the watching thread wakes by itself; 0 while it is awake.
    sleeps_until_ns: u64,
}

impl Deadlines {
    /// Adds a deadline. True if the watching thread must be woken.
    #[must_use]
    pub(crate) fn add(&self, at_ns: u64, worker: WorkerId) -> bool {
        let mut watch = self.lock();
        watch.entries.insert((at_ns, worker));
        at_ns < watch.sleeps_until_ns
    }

    /// Removes a deadline, if it is still there.
    pub(crate) fn remove(&self, at_ns: u64, worker: WorkerId) {
        self.lock().entries.remove(&(at_ns, worker));
    }

    /// Marks the watching thread awake and takes the workers whose time has come.
    pub(crate) fn take_due(&self, now_ns: u64) -> Vec<WorkerId> {
        let mut watch = self.lock();
        watch.sleeps_until_ns = 0;
        let mut due = Vec::new();
        while let Some(&(at_ns, worker)) = watch.entries.first()
            && at_ns <= now_ns
        {
            watch.entries.pop_first();
            due.push(worker);
        }
        due
    }

    /// Marks the watching thread asleep until the next deadline or `at_most_ns`, and returns that time.
    pub(crate) fn sleep_until(&self, at_most_ns: u64) -> u64 {
        let mut watch = self.lock();
        let next = watch.entries.first().map_or(u64::MAX, |&(at_ns, _)| at_ns);
        watch.sleeps_until_ns = next.min(at_most_ns);
        watch.sleeps_until_ns
    }

    fn lock(&self) -> MutexGuard<'_, Watch> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_deadline_before_the_planned_waking_wakes() {
        let deadlines = Deadlines::default();
        let while_awake = deadlines.add(50, WorkerId(1));
        let planned = deadlines.sleep_until(u64::MAX);

        let later = deadlines.add(60, WorkerId(2));
        let sooner = deadlines.add(40, WorkerId(3));

        assert_eq!((while_awake, planned, later, sooner), (false, 50, false, true));
    }

    #[test]
    fn due_workers_are_taken_once_and_in_order() {
        let deadlines = Deadlines::default();
        for (at_ns, worker) in [(30, 1), (10, 2), (20, 3), (90, 4)] {
            let _ = deadlines.add(at_ns, WorkerId(worker));
        }
        deadlines.remove(20, WorkerId(3));

        let due = deadlines.take_due(30);

        assert_eq!(due, [WorkerId(2), WorkerId(1)]);
        assert_eq!(deadlines.take_due(30), []);
        assert_eq!(deadlines.sleep_until(u64::MAX), 90);
    }
}
