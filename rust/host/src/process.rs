//! One child process, held by a descriptor so that no signal ever reaches a stranger.

use std::{
    fmt, io,
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    sync::OnceLock,
};

use rustix::process::{
    Pid, PidfdFlags, Signal, WaitId, WaitIdOptions, pidfd_open, pidfd_send_signal, waitid,
};

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// It left with this status.
    Status(i32),
    /// This signal ended it.
    Signal(i32),
    /// Somebody else collected the status (the embedding program ignores SIGCHLD or waits for any child).
    Unknown,
}

impl fmt::Display for Exit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Status(status) => write!(formatter, "status {status}"),
            Self::Signal(signal) => write!(formatter, "signal {signal}"),
            Self::Unknown => formatter.write_str("status unknown"),
        }
    }
}

/// A child process. Dropping it neither kills nor reaps.
#[derive(Debug)]
pub(crate) struct Process {
    pid: u32,
    handle: OwnedFd,
    exit: OnceLock<Exit>,
}

impl Process {
    /// Takes hold of a child that was just spawned.
    pub(crate) fn of_child(pid: u32) -> io::Result<Self> {
        let raw = Pid::from_raw(pid as i32).ok_or(io::ErrorKind::NotFound)?;
        Ok(Self { pid, handle: pidfd_open(raw, PidfdFlags::empty())?, exit: OnceLock::new() })
    }

    pub(crate) fn pid(&self) -> u32 {
        self.pid
    }

    /// SIGKILL; no effect on a process that has ended.
    pub(crate) fn kill(&self) {
        // ESRCH is the only failure left for a descriptor of our own child: it has been reaped already.
        pidfd_send_signal(&self.handle, Signal::KILL).ok();
    }

    /// How the process ended, if it has; the first such answer reaps it.
    pub(crate) fn try_reap(&self) -> Option<Exit> {
        if let Some(exit) = self.exit.get() {
            return Some(*exit);
        }
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG;
        let exit = match waitid(WaitId::PidFd(self.handle.as_fd()), options) {
            Ok(None) | Err(rustix::io::Errno::INTR) => return None,
            Ok(Some(status)) => match (status.exit_status(), status.terminating_signal()) {
                (Some(code), _) => Exit::Status(code),
                (None, Some(signal)) => Exit::Signal(signal),
                (None, None) => Exit::Unknown,
            },
            // ECHILD.
            Err(_) => Exit::Unknown,
        };
        Some(*self.exit.get_or_init(|| exit))
    }

    /// Descriptor that is readable once the process has ended.
    pub(crate) fn ended(&self) -> BorrowedFd<'_> {
        self.handle.as_fd()
    }
}
