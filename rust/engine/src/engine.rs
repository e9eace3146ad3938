//! A worker's conversation with its host, one message at a time.

use toolcell_arena::{
    BaseImage, DeltaError, MapError, arena,
    continuation::{self, Header},
    inside, outside,
};
use toolcell_protocol::{
    Failure, FailureReason, FromWorker, Limits, PROTOCOL_VERSION, Ready, Restore, SOURCE_FINGERPRINT, Settle,
    Start, ToWorker,
};
use toolcell_source::{Options, prepare};

use crate::{
    catalog, failure,
    ffi::{clock, vm},
    leg::{self, End},
    realm::Realm,
    root,
    state::{CellRecord, State, state},
};

/// How the engine reaches its host.
#[derive(Debug, Clone, Copy)]
pub struct Hooks {
    /// Sends a message. Called in the middle of guest execution for output.
    pub send: fn(&FromWorker),
    /// Sends a last message and ends the process.
    pub end: fn(&FromWorker) -> !,
}

/// Why the engine can't be booted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BootError {
    /// The memory can't be had.
    #[error(transparent)]
    Map(#[from] MapError),
    /// QuickJS did not start.
    #[error("the JavaScript engine did not start")]
    Engine,
    /// The realm could not be made.
    #[error("the realm could not be made: {message}")]
    Realm {
        /// The exception.
        message: String,
    },
}

/// The VM of this process.
#[derive(Debug)]
pub struct Engine {
    base: BaseImage,
    build: [u8; 32],
    phase: Phase,
    settled: Vec<Settle>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// The arena equals the base image.
    Idle,
    /// A cell waits for its calls.
    Waiting,
}

/// Collections below this size of heap would cost more than they free.
const COLLECTION_THRESHOLD_BYTES: usize = 4 << 20;
/// A heap that grew by less than this since the boot is suspended without a collection, unless its image is too large.
/// A collection visits every object, garbage of a few megabytes packs to little.
const COLLECT_BEFORE_PARK_BYTES: usize = 4 << 20;
/// What QuickJS is called in [`Ready`].
const ENGINE_NAME: &str = "QuickJS-ng 0.16.2";
/// Head and tail of the function that a cell becomes. The cell was parsed alone, so nothing in it can end them.
/// The lines of the head are not counted, see [`vm::evaluate`].
const HEAD: &str = "(async function () {\n\n";
const TAIL: &str = "\n})\0";

impl Engine {
    /// Boots the VM, once per process and on the engine's stack.
    ///
    /// `build` is the hash of this worker's binary, recorded in continuations.
    pub fn boot(hooks: Hooks, build: [u8; 32]) -> Result<Self, BootError> {
        toolcell_arena::map()?;
        leg::set_hooks(hooks);
        inside(|| {
            arena().set_limit(usize::MAX);
            vm::boot().ok_or(BootError::Engine)?;
            vm::set_collection_threshold(COLLECTION_THRESHOLD_BYTES);
            let realm = Realm::new().map_err(|thrown| {
                let message = failure::message_of(&thrown.0);
                BootError::Realm { message: outside(|| message.clone()) }
            })?;
            root::set(State::new(realm));
            vm::collect_garbage();
            Ok::<_, BootError>(())
        })?;
        let base = BaseImage::take();
        clock::start();
        Ok(Self { base, build, phase: Phase::Idle, settled: Vec::new() })
    }

    /// What this worker states about itself.
    pub fn ready(&self) -> Ready {
        Ready {
            protocol: PROTOCOL_VERSION,
            fingerprint: SOURCE_FINGERPRINT.to_owned(),
            base_image: self.base.hash(),
            engine: ENGINE_NAME.to_owned(),
        }
    }

    /// Handles one message; answers go through the hooks. A message that does not fit the phase is ignored.
    pub fn handle(&mut self, message: ToWorker) {
        match message {
            ToWorker::Catalog(catalog) => catalog::replace(catalog),
            ToWorker::Start(start) if self.phase == Phase::Idle => self.start(&start),
            ToWorker::Restore(restore) if self.phase == Phase::Idle => self.restore(&restore),
            ToWorker::Settle(settle) if self.phase == Phase::Waiting => self.settled.push(settle),
            ToWorker::Run { deadline_ns } if self.phase == Phase::Waiting => self.run(deadline_ns),
            ToWorker::Park if self.phase == Phase::Waiting => self.park(),
            _ => {}
        }
    }

    fn start(&mut self, start: &Start) {
        leg::set_deadline(start.deadline_ns);
        let options = Options {
            language: start.language,
            typescript_enabled: start.typescript_enabled,
            shell_tool: start.shell_tool.as_deref(),
        };
        let prepared = match prepare(&start.code, &options) {
            Ok(prepared) => prepared,
            Err(fault) => return leg::send(&FromWorker::Failed(failure::of_source(&start.code, fault))),
        };
        let script = [HEAD, &prepared.body, TAIL].concat();
        vm::enter();
        let Some(state) = state() else { return };
        let end = inside(|| {
            set_limits(state, &start.limits);
            *state.cell.borrow_mut() = CellRecord {
                id: start.cell.clone(),
                scope: start.scope,
                catalog: catalog::hash(),
                source: start.code.clone(),
                positions: Some(prepared.positions.clone()),
            };
            state.random.set(start.seed | 1);
            leg::start(state, script.as_bytes())
        });
        self.report(state, end);
    }

    fn run(&mut self, deadline_ns: u64) {
        leg::set_deadline(deadline_ns);
        let Some(state) = state() else { return };
        vm::enter();
        let settled = std::mem::take(&mut self.settled);
        let end = inside(|| leg::resume(state, &settled));
        // A timer that fired and was cleared in the same leg is settled for the host.
        state.cancelled.borrow_mut().retain(|number| settled.iter().all(|settle| settle.call != *number));
        drop(settled);
        self.report(state, end);
    }

    /// Tells the host how a leg ended.
    fn report(&mut self, state: &State, end: End) {
        match end {
            End::Waiting => {
                self.phase = Phase::Waiting;
                let (calls, cancelled) = (state.queue.take(), state.cancelled.take());
                for call in calls {
                    leg::send(&FromWorker::Call(call));
                }
                for call in cancelled {
                    leg::send(&FromWorker::Cancel { call });
                }
                leg::send(&FromWorker::Waiting { outstanding: state.outstanding() as u32 });
            }
            End::Completed { value, warnings } => {
                leg::send(&FromWorker::Completed { value, warnings });
                self.reset();
            }
            End::Failed(failure) => {
                leg::send(&FromWorker::Failed(failure));
                self.reset();
            }
        }
    }

    fn park(&mut self) {
        let Some(state) = state() else { return };
        vm::enter();
        let (header, max_bytes) = {
            let (cell, limits) = (state.cell.borrow(), state.limits.borrow());
            let header = Header {
                build: self.build,
                base_image: self.base.hash(),
                heap_limit: limits.heap_bytes,
                scope: cell.scope,
                created_ms: clock::unix_ms(),
                catalog: cell.catalog,
                cell: cell.id.clone(),
            };
            (header, limits.snapshot_bytes as usize)
        };
        let image = || {
            let delta = crate::image::delta(&self.base, max_bytes)?;
            let image = continuation::encode(&header, &delta);
            if image.len() > max_bytes {
                return Err(DeltaError::TooLarge { found: image.len(), allowed: max_bytes });
            }
            Ok(image)
        };
        let collected = || {
            inside(vm::collect_garbage);
            image()
        };
        let image = if arena().used() > self.base.len() + COLLECT_BEFORE_PARK_BYTES {
            collected()
        } else {
            image().or_else(|_| collected())
        };
        let answer = match image {
            Ok(image) => FromWorker::Parked { image },
            Err(error) => FromWorker::Failed(snapshot_failure(&error)),
        };
        leg::send(&answer);
        self.reset();
    }

    fn restore(&mut self, restore: &Restore) {
        if let Err(reason) = self.try_restore(restore) {
            leg::send(&FromWorker::Refused { reason });
            self.reset();
            return;
        }
        self.phase = Phase::Waiting;
    }

    fn try_restore(&mut self, restore: &Restore) -> Result<(), String> {
        let (header, delta) = continuation::decode(&restore.image).map_err(|error| error.to_string())?;
        continuation::check(&header, &self.build, self.base.hash(), &restore.cell, &restore.scope)
            .map_err(|error| error.to_string())?;
        crate::image::apply(&self.base, delta).map_err(|error| error.to_string())?;
        vm::enter();
        let state = state().ok_or("continuation without a cell")?;
        inside(|| set_limits(state, &restore.limits));
        Ok(())
    }

    /// Makes the VM a fresh one.
    fn reset(&mut self) {
        self.phase = Phase::Idle;
        self.settled.clear();
        crate::image::reset(&self.base);
        toolcell_arena::trim_scratch();
    }
}

fn set_limits(state: &State, limits: &Limits) {
    arena().set_limit(limits.heap_bytes as usize);
    vm::lower_collection_threshold(arena().used() + arena().remaining() / 2);
    state.output_left.set(limits.output_bytes);
    *state.limits.borrow_mut() = limits.clone();
}

fn snapshot_failure(error: &DeltaError) -> Failure {
    let message = match error {
        DeltaError::TooLarge { found, allowed } => {
            format!(
                "the suspended cell is too large: {found} bytes, {allowed} are allowed; keep less data across waits"
            )
        }
        _ => "the cell can't be suspended".to_owned(),
    };
    Failure { reason: FailureReason::SnapshotLimitExceeded, ..failure::plain(&message) }
}
