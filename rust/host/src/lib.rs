//! Worker processes as an embedding program sees them: a pool that spawns, leases, feeds, watches and kills.
//!
//! Knows frames and deadlines; knows no Python, no tools and no policy. Three rules hold everywhere:
//!
//! - **Nothing blocks on a worker.** All sockets are non-blocking; [`WorkerPool::lease`] alone waits, for a
//!   worker that starts.
//! - **Nothing a worker says is believed.** Frames are capped before they are stored, and each message must be
//!   one that the worker's state allows (`conversation`); else the worker is killed.
//! - **Nothing delays a kill.** One thread per pool and process (`supervisor`) spawns workers, watches
//!   deadlines and reaps; it takes no lock that is held during I/O.

mod bell;
mod binary;
mod channel;
mod clock;
mod conversation;
mod deadlines;
mod encoded;
mod error;
mod event;
mod launch;
mod leased;
mod local;
mod pool;
mod process;
mod roster;
mod supervisor;

pub use binary::{Sha256, sha256_of_file};
pub use encoded::EncodedCatalog;
pub use error::{PoolError, StartError};
pub use event::{Event, GoneReason, WorkerId};
pub use launch::READY_TIMEOUT;
pub use pool::{PoolSettings, Stats, WorkerPool};
pub use process::Exit;
