//! A descriptor that one thread makes readable for another.

use std::{
    io,
    os::fd::{AsFd, BorrowedFd, OwnedFd},
};

use rustix::event::{EventfdFlags, eventfd};

/// An event counter that is only ever zero or not.
#[derive(Debug)]
pub(crate) struct Bell(OwnedFd);

impl Bell {
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self(eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?))
    }

    /// Makes it readable.
    pub(crate) fn ring(&self) {
        // It can only fail with EAGAIN, when the counter is full: then it is readable already.
        rustix::io::write(&self.0, &1_u64.to_ne_bytes()).ok();
    }

    /// Makes it unreadable.
    pub(crate) fn silence(&self) {
        // EAGAIN: it was not ringing.
        rustix::io::read(&self.0, &mut [0; 8]).ok();
    }
}

impl AsFd for Bell {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}
