//! What a worker may say, and when.
//!
//! ```text
//! idle ── start ──► running ──► waiting ── resume ──► running
//!   ▲  ── restore ─► restored ─ resume ─► running        │ park
//!   └──── Completed, Failed, Refused ◄──┘   Parked ◄── parking
//! ```

use std::collections::HashMap;

use toolcell_protocol::{
    Call, Failure, FailureReason, FrameError, FromWorker, Limits, Method, Output, OutputOverflow,
};

use crate::{error::PoolError, event::Event};

/// What surrounds the payload of any message: names, texts and code frames, which the worker bounds.
const FRAME_SLACK_BYTES: u64 = 1 << 20;

/// What one call costs the host beyond its texts; bounds floods of tiny calls.
const CALL_OVERHEAD_BYTES: u64 = 256;

/// How a worker broke the rules. It is killed for it.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub(crate) enum Violation {
    #[error("it sent {message} while {state}")]
    OutOfOrder { message: &'static str, state: &'static str },
    #[error("it numbered a call {found} after {last}")]
    CallOrder { found: u32, last: u32 },
    #[error("it gave up call {call}, which is not a timer it set")]
    NotATimer { call: u32 },
    #[error("it announced {announced} outstanding calls, the host counts {counted}")]
    Miscount { announced: u32, counted: u64 },
    #[error("it made {found} calls, {allowed} are allowed")]
    TooManyCalls { found: u64, allowed: u64 },
    #[error("its calls take {found} bytes, {allowed} are allowed")]
    CallBytes { found: u64, allowed: u64 },
    #[error("its output takes {found} bytes, {allowed} are allowed")]
    OutputBytes { found: u64, allowed: u64 },
    #[error(transparent)]
    Frame(#[from] FrameError),
}

/// What follows from a message.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// Nothing to report yet.
    Quiet,
    /// Report this.
    Report(Event),
    /// Report this; the worker leaves by itself after it.
    Last(Event),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Idle,
    Restored,
    Running { may_refuse: bool },
    Waiting,
    Parking,
}

impl State {
    fn name(self) -> &'static str {
        match self {
            Self::Idle => "idle",
            Self::Restored => "restored",
            Self::Running { .. } => "running",
            Self::Waiting => "waiting",
            Self::Parking => "parking",
        }
    }
}

/// The host's model of one worker.
#[derive(Debug)]
pub(crate) struct Conversation {
    state: State,
    cell: Ledger,
}

impl Conversation {
    /// A worker that has just said `Ready`.
    pub(crate) fn new() -> Self {
        Self { state: State::Idle, cell: Ledger::default() }
    }

    /// Whether the worker owes an answer.
    pub(crate) fn is_busy(&self) -> bool {
        matches!(self.state, State::Running { .. } | State::Parking)
    }

    /// Largest frame that the cell in flight has reason to send.
    pub(crate) fn max_frame_bytes(&self) -> usize {
        self.cell.max_frame_bytes as usize
    }

    pub(crate) fn catalog(&self) -> Result<(), PoolError> {
        self.must_be("take a catalog", |state| state == State::Idle)
    }

    pub(crate) fn start(&mut self, limits: &Limits) -> Result<(), PoolError> {
        self.must_be("start a cell", |state| state == State::Idle)?;
        self.state = State::Running { may_refuse: false };
        self.cell = Ledger::new(limits, Some(0));
        Ok(())
    }

    pub(crate) fn restore(&mut self, limits: &Limits) -> Result<(), PoolError> {
        self.must_be("restore a cell", |state| state == State::Idle)?;
        self.state = State::Restored;
        self.cell = Ledger::new(limits, None);
        Ok(())
    }

    pub(crate) fn resume(&mut self, settled: impl Iterator<Item = u32> + Clone) -> Result<(), PoolError> {
        self.must_be("resume a cell", |state| matches!(state, State::Waiting | State::Restored))?;
        self.cell.settle(settled)?;
        self.state = State::Running { may_refuse: self.state == State::Restored };
        Ok(())
    }

    pub(crate) fn park(&mut self) -> Result<(), PoolError> {
        self.must_be("park a cell", |state| state == State::Waiting)?;
        self.state = State::Parking;
        Ok(())
    }

    /// Checks one message and says what follows from it.
    pub(crate) fn accept(&mut self, message: FromWorker) -> Result<Step, Violation> {
        match (self.state, message) {
            (State::Running { .. }, FromWorker::Output(output)) => {
                self.cell.emit(&output)?;
                Ok(Step::Report(Event::Output(output)))
            }
            (State::Running { .. }, FromWorker::ForeignWords) if !self.cell.foreign_words => {
                self.cell.foreign_words = true;
                Ok(Step::Report(Event::ForeignWords))
            }
            (State::Running { .. }, FromWorker::Call(call)) => self.cell.call(call).map(|()| Step::Quiet),
            (State::Running { .. }, FromWorker::Cancel { call }) => {
                self.cell.cancel(call).map(|()| Step::Quiet)
            }
            (State::Running { .. }, FromWorker::Waiting { outstanding }) => {
                self.cell.check_outstanding(outstanding)?;
                self.state = State::Waiting;
                let calls = std::mem::take(&mut self.cell.calls);
                let cancelled = std::mem::take(&mut self.cell.cancelled);
                self.cell.call_bytes = 0;
                Ok(Step::Report(Event::Waiting { calls, cancelled, outstanding }))
            }
            (State::Running { .. }, FromWorker::Completed { value, warnings }) => {
                self.become_idle();
                Ok(Step::Report(Event::Completed { value, warnings }))
            }
            (State::Running { .. } | State::Parking, FromWorker::Failed(failure)) => {
                self.become_idle();
                Ok(Self::failed(failure))
            }
            (State::Running { may_refuse: true }, FromWorker::Refused { reason }) => {
                self.become_idle();
                Ok(Step::Report(Event::Refused { reason }))
            }
            (State::Parking, FromWorker::Parked { image }) => {
                self.become_idle();
                Ok(Step::Report(Event::Parked { image }))
            }
            (state, message) => {
                Err(Violation::OutOfOrder { message: name_of(&message), state: state.name() })
            }
        }
    }

    fn failed(failure: Failure) -> Step {
        let last = matches!(failure.reason, FailureReason::Timeout | FailureReason::MemoryLimitExceeded);
        let event = Event::Failed(failure);
        if last { Step::Last(event) } else { Step::Report(event) }
    }

    fn become_idle(&mut self) {
        self.state = State::Idle;
        self.cell = Ledger::default();
    }

    fn must_be(&self, wanted: &'static str, allowed: impl Fn(State) -> bool) -> Result<(), PoolError> {
        if allowed(self.state) {
            Ok(())
        } else {
            Err(PoolError::WrongState { wanted, state: self.state.name() })
        }
    }
}

/// The host's account of the cell in flight.
#[derive(Debug, Default)]
struct Ledger {
    max_frame_bytes: u64,
    calls: Vec<Call>,
    cancelled: Vec<u32>,
    call_bytes: u64,
    max_call_bytes: u64,
    max_calls: u64,
    last_call: u32,
    /// Unsettled calls that this conversation saw being made, by number; true for timers.
    seen: HashMap<u32, bool>,
    /// Unsettled calls from before the restore; `None` until the worker has stated a sum.
    inherited: Option<u64>,
    output_bytes: u64,
    max_output_bytes: u64,
    /// Whether the worker has told that the guest saw words of MCP servers.
    foreign_words: bool,
}

impl Ledger {
    fn new(limits: &Limits, inherited: Option<u64>) -> Self {
        let overflowing = limits.output_overflow == OutputOverflow::Truncate;
        // Truncated output is streamed whole, and one UTF-16 unit of guest heap is up to three bytes here.
        let max_item_bytes =
            if overflowing { limits.heap_bytes.saturating_mul(3) } else { limits.output_bytes };
        let largest = limits.snapshot_bytes.max(limits.bridge_bytes).max(max_item_bytes);
        Self {
            max_frame_bytes: largest.saturating_add(FRAME_SLACK_BYTES),
            max_call_bytes: limits.heap_bytes.saturating_add(limits.bridge_bytes + FRAME_SLACK_BYTES),
            max_calls: u64::from(limits.outstanding_calls),
            max_output_bytes: if overflowing { u64::MAX } else { limits.output_bytes },
            inherited,
            ..Self::default()
        }
    }

    fn emit(&mut self, output: &Output) -> Result<(), Violation> {
        // One item beyond the budget is the one by which the worker found out.
        if self.output_bytes > self.max_output_bytes {
            return Err(Violation::OutputBytes { found: self.output_bytes, allowed: self.max_output_bytes });
        }
        let length = match output {
            Output::Text(text) => text.len(),
            Output::Json(json) => json.len(),
        };
        self.output_bytes += length as u64;
        Ok(())
    }

    fn call(&mut self, call: Call) -> Result<(), Violation> {
        if call.call <= self.last_call {
            return Err(Violation::CallOrder { found: call.call, last: self.last_call });
        }
        let (length, is_timer) = measure(&call.method);
        self.call_bytes += length as u64 + CALL_OVERHEAD_BYTES;
        if self.call_bytes > self.max_call_bytes {
            return Err(Violation::CallBytes { found: self.call_bytes, allowed: self.max_call_bytes });
        }
        self.last_call = call.call;
        self.seen.insert(call.call, is_timer);
        self.calls.push(call);
        Ok(())
    }

    fn cancel(&mut self, call: u32) -> Result<(), Violation> {
        match (self.seen.get(&call), self.inherited) {
            (Some(true), _) => {
                self.seen.remove(&call);
                if let Ok(place) = self.calls.binary_search_by_key(&call, |call| call.call) {
                    self.calls.remove(place);
                    return Ok(());
                }
            }
            (None, None) => self.last_call = self.last_call.max(call),
            (None, Some(count @ 1..)) => self.inherited = Some(count - 1),
            (Some(false), _) | (None, Some(0)) => return Err(Violation::NotATimer { call }),
        }
        self.cancelled.push(call);
        Ok(())
    }

    fn check_outstanding(&mut self, announced: u32) -> Result<(), Violation> {
        let seen = self.seen.len() as u64;
        let counted = seen + self.inherited.unwrap_or_else(|| u64::from(announced).saturating_sub(seen));
        if counted != u64::from(announced) || counted == 0 {
            return Err(Violation::Miscount { announced, counted });
        }
        let limited = self.calls.iter().filter(|call| counts(&call.method)).count() as u64;
        if limited > self.max_calls {
            return Err(Violation::TooManyCalls { found: limited, allowed: self.max_calls });
        }
        self.inherited = Some(counted - seen);
        Ok(())
    }

    /// Takes settled calls off the account, all or none.
    fn settle(&mut self, settled: impl Iterator<Item = u32> + Clone) -> Result<(), PoolError> {
        let mut foreign = 0;
        for call in settled.clone().filter(|call| !self.seen.contains_key(call)) {
            foreign += 1;
            if self.inherited.is_some_and(|count| foreign > count) {
                return Err(PoolError::NotOutstanding { call });
            }
        }
        self.inherited = self.inherited.map(|count| count - foreign);
        for call in settled {
            // New calls are numbered after all earlier ones, those of other processes included.
            self.last_call = self.last_call.max(call);
            self.seen.remove(&call);
        }
        Ok(())
    }
}

/// Bytes of a call's texts, and whether it is a timer.
fn measure(method: &Method) -> (usize, bool) {
    match method {
        Method::Tool { target, input, .. } => (target.len() + input.as_ref().map_or(0, Vec::len), false),
        Method::Search { query, .. } => (query.len(), false),
        Method::Describe { target, .. } => (target.len(), false),
        Method::Api { server, arguments } => {
            (server.as_ref().map_or(0, String::len) + arguments.len(), false)
        }
        Method::Yield { reason } => (reason.as_ref().map_or(0, String::len), false),
        Method::Timer { .. } => (0, true),
    }
}

/// Whether a call counts against the limit on outstanding calls.
fn counts(method: &Method) -> bool {
    !matches!(method, Method::Yield { .. } | Method::Timer { .. })
}

fn name_of(message: &FromWorker) -> &'static str {
    match message {
        FromWorker::Ready(_) => "Ready",
        FromWorker::Unready { .. } => "Unready",
        FromWorker::Output(_) => "Output",
        FromWorker::ForeignWords => "ForeignWords",
        FromWorker::Call(_) => "Call",
        FromWorker::Cancel { .. } => "Cancel",
        FromWorker::Waiting { .. } => "Waiting",
        FromWorker::Completed { .. } => "Completed",
        FromWorker::Failed(_) => "Failed",
        FromWorker::Parked { .. } => "Parked",
        FromWorker::Refused { .. } => "Refused",
    }
}

#[cfg(test)]
mod tests;
