//! The worker's end of the conversation: frames in and out of the socket, descriptor 0.

use std::{
    os::fd::BorrowedFd,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use rustix::{buffer::spare_capacity, io::Errno, net::RecvFlags};
use toolcell_protocol::{FrameBuffer, FrameError, FromWorker, ToWorker, frame};

use crate::sys;

/// One read takes a length and, unless it is large, the body behind it.
const READ_BYTES: usize = 64 << 10;

/// A host that last answered within this time is waited for awake: to be woken costs as much as a leg. One that takes
/// longer, because its tools or the machine are busy, is waited for asleep.
const AWAKE: Duration = Duration::from_micros(60);

/// Calls of a leg are held back up to this size.
const HELD_BYTES: usize = 64 << 10;

/// Why the conversation can't go on.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum PortError {
    /// The host does not speak the protocol.
    #[error(transparent)]
    Frame(#[from] FrameError),
    /// The socket is broken.
    #[error("socket: {0}")]
    Socket(#[from] Errno),
}

/// Messages from the host.
#[derive(Debug)]
pub struct Inbox {
    socket: BorrowedFd<'static>,
    frames: FrameBuffer,
    /// Whether there is a second processor, so that waiting awake does not keep the host from answering.
    may_stay_awake: bool,
    /// Whether the last message came soon.
    host_is_quick: bool,
}

impl Inbox {
    /// Reads from `socket`. With `may_stay_awake` a quick host is waited for without sleeping.
    pub fn new(socket: BorrowedFd<'static>, may_stay_awake: bool) -> Self {
        let frames = FrameBuffer::new(frame::MAX_FRAME_BYTES);
        Self { socket, frames, may_stay_awake, host_is_quick: false }
    }

    /// Waits for the next message; `None` once the host has closed its end.
    pub fn receive(&mut self) -> Result<Option<ToWorker>, PortError> {
        if let Some(message) = self.frames.next()? {
            return Ok(Some(message));
        }
        let asked = Instant::now();
        let mut awake = self.may_stay_awake && self.host_is_quick;
        loop {
            if let Some(message) = self.frames.next()? {
                self.host_is_quick = asked.elapsed() < AWAKE;
                return Ok(Some(message));
            }
            let missing = self.frames.needed()?.unwrap_or_default();
            let tail = self.frames.tail();
            tail.reserve(missing.max(READ_BYTES));
            let read = if awake {
                rustix::net::recv(self.socket, spare_capacity(tail), RecvFlags::DONTWAIT)
                    .map(|(count, _)| count)
            } else {
                rustix::io::read(self.socket, spare_capacity(tail))
            };
            match read {
                Err(Errno::AGAIN) => awake = asked.elapsed() < AWAKE,
                // The host may close with answers unread, which resets the connection.
                Ok(0) | Err(Errno::CONNRESET) => return Ok(None),
                Ok(_) | Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
}

/// Messages to the host.
#[derive(Debug)]
pub struct Outbox {
    socket: BorrowedFd<'static>,
    held: Vec<u8>,
}

impl Outbox {
    /// Writes to `socket`.
    pub const fn new(socket: BorrowedFd<'static>) -> Self {
        Self { socket, held: Vec::new() }
    }

    /// Sends `message`. Calls may be held back until the message that ends their leg, so that a leg costs one write
    /// however many calls it makes; everything else is with the kernel on return.
    pub fn send(&mut self, message: &FromWorker) -> Result<(), PortError> {
        frame::append(&mut self.held, message)?;
        let hold = matches!(message, FromWorker::Call(_) | FromWorker::Cancel { .. });
        if hold && self.held.len() < HELD_BYTES { Ok(()) } else { self.flush() }
    }

    fn flush(&mut self) -> Result<(), PortError> {
        let mut rest = self.held.as_slice();
        while !rest.is_empty() {
            match rustix::io::write(self.socket, rest) {
                Ok(count) => rest = rest.get(count..).unwrap_or_default(),
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
        self.held.clear();
        self.held.shrink_to(HELD_BYTES);
        Ok(())
    }
}

/// Sends `message` on descriptor 0; a worker that can't be heard ends.
pub fn send(message: &FromWorker) {
    static OUTBOX: Mutex<Outbox> = Mutex::new(Outbox::new(rustix::stdio::stdin()));
    let sent = OUTBOX.lock().unwrap_or_else(PoisonError::into_inner).send(message);
    match sent {
        Ok(()) => {}
        Err(PortError::Socket(_)) => sys::exit(crate::EXIT_DONE),
        Err(PortError::Frame(_)) => sys::exit(crate::EXIT_BROKEN),
    }
}

/// Sends `message` and ends the process: nothing of the guest runs after it.
pub fn end(message: &FromWorker) -> ! {
    send(message);
    sys::exit(crate::EXIT_DONE)
}

#[cfg(test)]
mod tests {
    use std::{
        io::{Read, Write},
        os::{fd::AsFd, unix::net::UnixStream},
        thread,
    };

    use toolcell_protocol::{Call, Method, Output, Settle, Settlement};

    use super::*;

    /// A connected pair; the worker's end stays open for the life of the test process.
    fn pair() -> (UnixStream, BorrowedFd<'static>) {
        let (host, worker) = UnixStream::pair().unwrap();
        let worker: &'static UnixStream = Box::leak(Box::new(worker));
        (host, worker.as_fd())
    }

    fn call(number: u32) -> FromWorker {
        FromWorker::Call(Call { call: number, method: Method::Timer { delay_ms: 1 } })
    }

    fn framed(messages: &[FromWorker]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for message in messages {
            frame::append(&mut bytes, message).unwrap();
        }
        bytes
    }

    #[test]
    fn waiting_awake_misses_nothing_and_gives_way_to_sleep() {
        let (mut host, worker) = pair();
        let mut bytes = Vec::new();
        frame::append(&mut bytes, &ToWorker::Park).unwrap();
        let mut inbox = Inbox::new(worker, true);
        inbox.host_is_quick = true;

        let waiting = thread::spawn(move || (inbox.receive(), inbox.receive()));
        host.write_all(&bytes).unwrap();
        drop(host);

        assert_eq!(waiting.join().unwrap(), (Ok(Some(ToWorker::Park)), Ok(None)));
    }

    #[test]
    fn messages_are_received_in_order_then_the_end() {
        let (mut host, worker) = pair();
        let messages = [ToWorker::Run { deadline_ns: 1 }, ToWorker::Park];
        let mut bytes = Vec::new();
        for message in &messages {
            frame::append(&mut bytes, message).unwrap();
        }
        host.write_all(&bytes).unwrap();
        drop(host);
        let mut inbox = Inbox::new(worker, false);

        let received: Vec<_> = std::iter::from_fn(|| inbox.receive().unwrap()).collect();
        assert_eq!(received, messages);
    }

    #[test]
    fn a_frame_longer_than_one_read_is_received_whole() {
        let (mut host, worker) = pair();
        let outcome = Settlement::Value(vec![b'7'; 8 << 20]);
        let message = ToWorker::Settle(Settle { call: 1, outcome });
        let mut bytes = Vec::new();
        frame::append(&mut bytes, &message).unwrap();
        let writer = thread::spawn(move || host.write_all(&bytes));

        assert_eq!(Inbox::new(worker, false).receive(), Ok(Some(message)));
        writer.join().unwrap().unwrap();
    }

    #[test]
    fn a_host_that_closes_with_answers_unread_has_closed() {
        let (host, worker) = pair();
        Outbox::new(worker).send(&FromWorker::Waiting { outstanding: 0 }).unwrap();
        drop(host);

        assert_eq!(Inbox::new(worker, false).receive(), Ok(None));
    }

    #[test]
    fn a_length_above_the_cap_is_an_error() {
        let (mut host, worker) = pair();
        host.write_all(&u32::MAX.to_le_bytes()).unwrap();

        let (found, allowed) = (u32::MAX as usize, frame::MAX_FRAME_BYTES);
        assert_eq!(Inbox::new(worker, false).receive(), Err(FrameError::TooLarge { found, allowed }.into()));
    }

    #[test]
    fn calls_are_held_back_until_the_leg_ends() {
        let (mut host, worker) = pair();
        let mut outbox = Outbox::new(worker);
        host.set_nonblocking(true).unwrap();
        outbox.send(&call(1)).unwrap();
        outbox.send(&FromWorker::Cancel { call: 1 }).unwrap();
        let before = host.read(&mut [0; 1]).unwrap_err().kind();
        outbox.send(&FromWorker::Waiting { outstanding: 0 }).unwrap();
        let mut bytes = vec![0; 1000];
        let count = host.read(&mut bytes).unwrap();
        bytes.truncate(count);

        assert_eq!(before, std::io::ErrorKind::WouldBlock);
        let expected = [call(1), FromWorker::Cancel { call: 1 }, FromWorker::Waiting { outstanding: 0 }];
        assert_eq!(bytes, framed(&expected));
    }

    #[test]
    fn output_is_sent_as_it_is_emitted_behind_what_was_held_back() {
        let (mut host, worker) = pair();
        let mut outbox = Outbox::new(worker);
        let output = FromWorker::Output(Output::Text("now".into()));
        outbox.send(&call(1)).unwrap();
        outbox.send(&output).unwrap();
        let expected = framed(&[call(1), output]);
        let mut bytes = vec![0; expected.len()];
        host.read_exact(&mut bytes).unwrap();

        assert_eq!(bytes, expected);
    }

    #[test]
    fn a_frame_larger_than_the_socket_buffer_arrives_whole() {
        let (mut host, worker) = pair();
        let image = FromWorker::Parked { image: vec![7; 8 << 20] };
        let expected = framed(std::slice::from_ref(&image));
        let reader = thread::spawn({
            let mut bytes = vec![0; expected.len()];
            move || host.read_exact(&mut bytes).map(|()| bytes)
        });
        Outbox::new(worker).send(&image).unwrap();

        assert_eq!(reader.join().unwrap().unwrap(), expected);
    }

    #[test]
    fn writing_to_a_host_that_is_gone_is_an_error() {
        let (host, worker) = pair();
        drop(host);
        let sent = Outbox::new(worker).send(&FromWorker::Waiting { outstanding: 0 });
        assert_eq!(sent, Err(Errno::PIPE.into()));
    }
}
