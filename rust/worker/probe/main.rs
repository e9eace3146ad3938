//! A worker without an engine that, once locked down, makes the one system call that its command line names.
//!
//! It says `Waiting` when it is locked down, and ends with status 77 if it lives to tell of its attempt.

#![no_main]

use std::ffi::{c_char, c_int};

use toolcell_protocol::FromWorker;
use toolcell_worker::{Arguments, StartError};

#[expect(dead_code, reason = "what is expected of an attempt is for the test that runs it")]
mod syscalls;

const SURVIVED: c_int = 77;

// SAFETY: the name is the one that the C runtime calls, with this signature; nothing else defines it.
#[unsafe(no_mangle)]
extern "C" fn main(_count: c_int, _line: *const *const c_char) -> c_int {
    let name = std::env::args().nth(3).unwrap_or_default();
    let Some(attempt) = syscalls::ATTEMPTS.iter().find(|attempt| attempt.name == name) else {
        return toolcell_worker::EXIT_USAGE;
    };
    let Ok(arguments) = Arguments::parse(std::env::args_os()) else {
        return toolcell_worker::EXIT_USAGE;
    };
    if let Err(error) = lock_down(&arguments) {
        toolcell_worker::send(&FromWorker::Unready { reason: error.to_string() });
        return toolcell_worker::EXIT_UNREADY;
    }
    toolcell_worker::send(&FromWorker::Waiting { outstanding: 0 });
    (attempt.make)();
    toolcell_worker::exit(SURVIVED)
}

fn lock_down(arguments: &Arguments) -> Result<(), StartError> {
    toolcell_worker::isolate(arguments)?;
    toolcell_worker::seal()
}
