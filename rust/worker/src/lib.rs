//! The process around the engine: locked down before it sees a byte of guest code, then a loop over frames.
//!
//! The executable is static and position-dependent, so that a VM's memory means the same in every worker; see
//! docs/security.md for what that costs and what stands against it. `unsafe` is in `sys` only.

mod arguments;
mod filter;
mod lockdown;
mod port;
mod sys;

pub use arguments::{ArgumentError, Arguments};
pub use filter::FilterError;
pub use lockdown::LockdownError;
pub use port::{Inbox, Outbox, PortError, end, send};
pub use sys::exit;

#[global_allocator]
static ALLOCATOR: toolcell_arena::RoutingAllocator = toolcell_arena::RoutingAllocator;

/// Status of a worker whose work is done: the host closed the socket, or a leg ended the process.
pub const EXIT_DONE: i32 = 0;
/// Status of a worker that could not start; its last frame says why.
pub const EXIT_UNREADY: i32 = 1;
/// Status of a worker that was not started by a host.
pub const EXIT_USAGE: i32 = 2;
/// Status of a worker whose conversation broke: a malformed frame, or an answer that does not fit in one.
pub const EXIT_BROKEN: i32 = 3;
/// Status of a worker that panicked.
pub const EXIT_PANIC: i32 = 101;

/// Why a worker can't run cells.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// The process can't be locked down.
    #[error(transparent)]
    Lockdown(#[from] LockdownError),
    /// The fixed regions can't be had.
    #[error(transparent)]
    Map(#[from] toolcell_arena::MapError),
    /// The engine does not start.
    #[error(transparent)]
    Boot(#[from] toolcell_engine::BootError),
    /// The filter can't be installed.
    #[error(transparent)]
    Filter(#[from] FilterError),
}

/// Processors that this process may run on, 1 if the kernel does not say.
pub fn processors() -> u32 {
    rustix::thread::sched_getaffinity(None).map_or(1, |set| set.count())
}

/// First half of the start: cuts the process off from the world and maps the memory it will live on.
///
/// Call it once, first thing in `main`. What comes between it and [`seal`] may make system calls that need neither
/// descriptors nor threads.
pub fn isolate(arguments: &Arguments) -> Result<(), StartError> {
    std::panic::set_hook(Box::new(|_| exit(EXIT_PANIC)));
    lockdown::isolate(arguments.host)?;
    toolcell_arena::map()?;
    toolcell_arena::seal();
    lockdown::limit_resources(&toolcell_arena::regions())?;
    sys::settle_malloc();
    Ok(())
}

/// Second half of the start: from here on any system call beyond those of a running cell ends the process.
pub fn seal() -> Result<(), StartError> {
    Ok(filter::install(&toolcell_arena::regions())?)
}
