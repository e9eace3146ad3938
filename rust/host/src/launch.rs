//! Starting a worker process and hearing that it is ready.

use std::{
    io,
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    process::{Command, Stdio},
    sync::Arc,
    time::Duration,
};

use rustix::{
    buffer::spare_capacity,
    io::Errno,
    net::{AddressFamily, RecvFlags, SocketFlags, SocketType, recv, socketpair},
};
use toolcell_protocol::{FrameBuffer, FromWorker, PROTOCOL_VERSION, Ready, SOURCE_FINGERPRINT};

use crate::{binary::WorkerBinary, clock, error::StartError, process::Process};

/// A generous time for a worker to become ready; it needs about 2 ms.
pub const READY_TIMEOUT: Duration = Duration::from_secs(5);

/// A first frame is a few version strings, or a sentence.
const MAX_READY_BYTES: usize = 64 << 10;

/// A worker process and the host's end of its socket.
#[derive(Debug)]
pub(crate) struct Worker {
    pub(crate) process: Arc<Process>,
    pub(crate) socket: OwnedFd,
}

impl Worker {
    /// Whether the worker is as silent as an idle one must be, and its end of the socket open.
    pub(crate) fn is_idle(&self) -> bool {
        recv(&self.socket, &mut [0; 1], RecvFlags::DONTWAIT | RecvFlags::PEEK) == Err(Errno::AGAIN)
    }
}

/// A worker that has not said `Ready` yet.
#[derive(Debug)]
pub(crate) struct Starting {
    worker: Worker,
    frames: FrameBuffer,
    ready_timeout: Duration,
    ready_by_ns: u64,
    is_closed: bool,
}

/// How far a start has come.
#[derive(Debug)]
pub(crate) enum Progress {
    Starting(Starting),
    Ready(Worker),
    Failed(Arc<Process>, StartError),
}

/// Starts a process of `binary`. The calling thread must outlive it: the worker dies with that thread.
pub(crate) fn launch(binary: &WorkerBinary, ready_timeout: Duration) -> Result<Starting, StartError> {
    spawn(binary, ready_timeout).map_err(|error| StartError::Spawn { error: Arc::new(error) })
}

fn spawn(binary: &WorkerBinary, ready_timeout: Duration) -> io::Result<Starting> {
    let (socket, workers_end) =
        socketpair(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::CLOEXEC, None)?;
    // No `pre_exec`: with it the standard library forks, which takes 50 ms in a host of 1 GiB; without it,
    // posix_spawn takes half a millisecond. The worker locks itself down.
    let child = Command::new(&binary.path)
        .arg(std::process::id().to_string())
        .arg(binary.sha256.to_string())
        .env_clear()
        .stdin(Stdio::from(workers_end))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    let process = Arc::new(Process::of_child(child.id())?);
    Ok(Starting {
        worker: Worker { process, socket },
        frames: FrameBuffer::new(MAX_READY_BYTES),
        ready_timeout,
        ready_by_ns: clock::now_ns() + ready_timeout.as_nanos() as u64,
        is_closed: false,
    })
}

impl Starting {
    /// When the worker must be ready.
    pub(crate) fn ready_by_ns(&self) -> u64 {
        self.ready_by_ns
    }

    pub(crate) fn process(&self) -> &Arc<Process> {
        &self.worker.process
    }

    /// Descriptor that is readable when [`Self::advance`] has something to do.
    pub(crate) fn news(&self) -> BorrowedFd<'_> {
        if self.is_closed { self.worker.process.ended() } else { self.worker.socket.as_fd() }
    }

    /// Takes in what the worker has said so far. A worker that failed is killed.
    pub(crate) fn advance(mut self, binary: &WorkerBinary, now_ns: u64) -> Progress {
        match self.verdict(binary, now_ns) {
            Ok(None) => Progress::Starting(self),
            Ok(Some(())) => Progress::Ready(self.worker),
            Err(error) => {
                self.worker.process.kill();
                Progress::Failed(self.worker.process, error)
            }
        }
    }

    fn verdict(&mut self, binary: &WorkerBinary, now_ns: u64) -> Result<Option<()>, StartError> {
        if self.is_closed
            && let Some(exit) = self.worker.process.try_reap()
        {
            return Err(StartError::EndedEarly { exit });
        }
        if now_ns >= self.ready_by_ns {
            return Err(StartError::ReadyTimeout { waited: self.ready_timeout });
        }
        if self.is_closed {
            return Ok(None);
        }
        let tail = self.frames.tail();
        tail.reserve(4096);
        match recv(&self.worker.socket, spare_capacity(tail), RecvFlags::DONTWAIT) {
            Err(Errno::AGAIN | Errno::INTR) => return Ok(None),
            Ok((_, 0)) | Err(_) => self.is_closed = true,
            Ok(_) => {}
        }
        match self.frames.next::<FromWorker>() {
            Ok(None) => Ok(None),
            Ok(Some(FromWorker::Ready(ready))) => check_ready(&ready, binary).map(Some),
            Ok(Some(FromWorker::Unready { reason })) => Err(StartError::Unready { reason }),
            Ok(Some(_)) | Err(_) => Err(StartError::NotAWorker { path: binary.path.clone() }),
        }
    }
}

fn check_ready(ready: &Ready, binary: &WorkerBinary) -> Result<(), StartError> {
    if ready.protocol != PROTOCOL_VERSION || ready.fingerprint != SOURCE_FINGERPRINT {
        return Err(StartError::OtherBuild {
            protocol: ready.protocol,
            fingerprint: ready.fingerprint.chars().take(64).collect(),
        });
    }
    binary.check_base_image(ready.base_image)
}
