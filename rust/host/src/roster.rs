//! Workers that nobody uses: those kept warm, those on their way, those being buried.

use std::{
    collections::VecDeque,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use crate::{error::StartError, launch::Worker, leased::Leased, process::Process};

/// A process that has been killed or has closed its socket, until it is reaped.
#[derive(Debug)]
pub(crate) struct Dying {
    pub(crate) process: Arc<Process>,
    /// Whose end is told by the exit status.
    pub(crate) report_to: Option<Arc<Leased>>,
}

/// What the supervisor has to do.
#[derive(Debug, Default)]
pub(crate) struct Orders {
    pub(crate) workers_to_start: usize,
    pub(crate) dying: Vec<Dying>,
    pub(crate) warm: Vec<Arc<Process>>,
    pub(crate) is_closing: bool,
}

#[derive(Debug)]
pub(crate) struct Roster {
    state: Mutex<State>,
    changed: Condvar,
    keep_warm: usize,
    ready_timeout: Duration,
}

#[derive(Debug, Default)]
struct State {
    warm: VecDeque<Worker>,
    waiting: usize,
    dying: Vec<Dying>,
    /// Starts that failed so far; a waiter that sees it grow takes the error.
    failures: u64,
    last_failure: Option<StartError>,
    /// After a failure nothing is kept warm until somebody asks for a worker again.
    is_paused: bool,
    is_closing: bool,
}

impl Roster {
    pub(crate) fn new(keep_warm: usize, ready_timeout: Duration) -> Self {
        Self { state: Mutex::default(), changed: Condvar::new(), keep_warm, ready_timeout }
    }

    /// Waits until a worker is warm, or a start has failed.
    pub(crate) fn wait_warm(&self, wake_supervisor: impl Fn()) -> Result<(), StartError> {
        self.wait(wake_supervisor, |state| (!state.warm.is_empty()).then_some(()))
    }

    /// Takes a warm worker, or waits for one.
    pub(crate) fn take(&self, wake_supervisor: impl Fn()) -> Result<Worker, StartError> {
        let worker = self.wait(&wake_supervisor, |state| {
            while let Some(worker) = state.warm.pop_front() {
                if worker.is_idle() {
                    return Some(worker);
                }
                worker.process.kill();
                state.dying.push(Dying { process: worker.process, report_to: None });
            }
            None
        })?;
        wake_supervisor();
        Ok(worker)
    }

    fn wait<T>(
        &self,
        wake_supervisor: impl Fn(),
        mut take: impl FnMut(&mut State) -> Option<T>,
    ) -> Result<T, StartError> {
        // The supervisor's own timeout comes first; this one only guards against a supervisor that is gone.
        let give_up = Instant::now() + self.ready_timeout + Duration::from_secs(1);
        let mut state = self.lock();
        let failures = state.failures;
        let mut is_counted = false;
        let result = loop {
            if state.is_closing {
                break Err(StartError::Closed);
            }
            if let Some(taken) = take(&mut state) {
                break Ok(taken);
            }
            if state.failures > failures
                && let Some(error) = &state.last_failure
            {
                break Err(error.clone());
            }
            if !is_counted {
                is_counted = true;
                state.waiting += 1;
                state.is_paused = false;
                wake_supervisor();
            }
            let left = give_up.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break Err(StartError::ReadyTimeout { waited: self.ready_timeout });
            }
            state = self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        };
        state.waiting -= usize::from(is_counted);
        result
    }

    /// Hands a process to the supervisor for reaping.
    pub(crate) fn bury(&self, process: Arc<Process>, report_to: Option<Arc<Leased>>) {
        self.lock().dying.push(Dying { process, report_to });
    }

    pub(crate) fn close(&self) {
        self.lock().is_closing = true;
        self.changed.notify_all();
    }

    pub(crate) fn warm_count(&self) -> usize {
        self.lock().warm.len()
    }

    // For the supervisor.

    pub(crate) fn orders(&self, starting: usize) -> Orders {
        let mut state = self.lock();
        let keep = if state.is_paused { 0 } else { self.keep_warm };
        Orders {
            workers_to_start: (keep + state.waiting).saturating_sub(state.warm.len() + starting),
            dying: std::mem::take(&mut state.dying),
            warm: state.warm.iter().map(|worker| Arc::clone(&worker.process)).collect(),
            is_closing: state.is_closing,
        }
    }

    pub(crate) fn add_warm(&self, worker: Worker) {
        self.lock().warm.push_back(worker);
        self.changed.notify_all();
    }

    pub(crate) fn report_failure(&self, error: StartError) {
        let mut state = self.lock();
        state.failures += 1;
        state.last_failure = Some(error);
        state.is_paused = true;
        drop(state);
        self.changed.notify_all();
    }

    /// Drops a worker that died while warm.
    pub(crate) fn remove_dead(&self, process: &Arc<Process>) {
        let mut state = self.lock();
        let before = state.warm.len();
        state.warm.retain(|worker| !Arc::ptr_eq(&worker.process, process));
        // It died without being asked anything: replacing it at once might go on for ever.
        state.is_paused |= state.warm.len() < before;
    }

    /// Takes all warm workers, for the end.
    pub(crate) fn take_all(&self) -> Vec<Worker> {
        self.lock().warm.drain(..).collect()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
