//! The socket to one leased worker: non-blocking both ways, every message checked as it arrives.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::{
    buffer::spare_capacity,
    io::Errno,
    net::{RecvFlags, SendFlags, recv, send},
};
use toolcell_protocol::{FrameBuffer, FromWorker};

use crate::{
    conversation::{Conversation, Step},
    event::{Event, GoneReason},
};

/// Room for one read; more is used where the buffer has grown.
const READ_BYTES: usize = 64 << 10;

/// What one read brought.
#[derive(Debug)]
pub(crate) enum Flow {
    /// Nothing is left to read for now.
    Dry,
    /// There may be more.
    More,
    /// The worker's end is closed.
    Closed,
    /// Nothing more may come from this worker.
    End(GoneReason, String),
}

/// One worker's socket with what is under way in it.
#[derive(Debug)]
pub(crate) struct Channel {
    socket: OwnedFd,
    frames: FrameBuffer,
    outgoing: Vec<u8>,
    sent: usize,
    pub(crate) conversation: Conversation,
    pub(crate) inbox: Vec<Event>,
    /// Whether the pool's epoll instance watches for room to write.
    pub(crate) watches_room: bool,
    /// Whether the worker's end has been found closed.
    is_at_end: bool,
    /// Whether `Gone` has been put into the inbox.
    pub(crate) is_closed: bool,
}

impl Channel {
    pub(crate) fn new(socket: OwnedFd) -> Self {
        let conversation = Conversation::new();
        Self {
            socket,
            frames: FrameBuffer::new(conversation.max_frame_bytes()),
            outgoing: Vec::new(),
            sent: 0,
            conversation,
            inbox: Vec::new(),
            watches_room: false,
            is_at_end: false,
            is_closed: false,
        }
    }

    /// Adopts the caps of the cell that is about to be sent.
    pub(crate) fn begin_cell(&mut self) {
        self.frames.set_max_frame_bytes(self.conversation.max_frame_bytes());
    }

    /// Queues bytes to go out with the next [`Self::flush`].
    pub(crate) fn queue(&mut self, bytes: &[u8]) {
        self.outgoing.extend_from_slice(bytes);
    }

    /// Whether bytes are waiting for room in the socket.
    pub(crate) fn has_unsent(&self) -> bool {
        self.sent < self.outgoing.len()
    }

    /// Sends what the socket takes. False if the worker's end is closed.
    #[must_use]
    pub(crate) fn flush(&mut self) -> bool {
        while self.has_unsent() {
            let rest = self.outgoing.get(self.sent..).unwrap_or_default();
            match send(&self.socket, rest, SendFlags::DONTWAIT | SendFlags::NOSIGNAL) {
                Ok(length) => self.sent += length,
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return true,
                Err(_) => {
                    self.forget_unsent();
                    return false;
                }
            }
        }
        self.forget_unsent();
        true
    }

    fn forget_unsent(&mut self) {
        const KEEP_BYTES: usize = 64 << 10;
        self.outgoing.clear();
        self.outgoing.shrink_to(KEEP_BYTES);
        self.sent = 0;
    }

    /// Whether the worker owes an answer and can still give it.
    pub(crate) fn expects_more(&self) -> bool {
        self.conversation.is_busy() && !self.is_at_end
    }

    /// Reads once and takes in every whole message. Gives `Closed` once.
    pub(crate) fn read(&mut self) -> Flow {
        if self.is_at_end {
            return Flow::Dry;
        }
        let tail = self.frames.tail();
        tail.reserve(READ_BYTES);
        match recv(&self.socket, spare_capacity(tail), RecvFlags::DONTWAIT) {
            Ok((_, 0)) => return self.at_end(),
            Ok(_) => {}
            Err(Errno::AGAIN) => return Flow::Dry,
            Err(Errno::INTR) => return Flow::More,
            // ECONNRESET: the worker ended with unread input.
            Err(_) => return self.at_end(),
        }
        loop {
            let step = match self.frames.next::<FromWorker>() {
                Ok(None) => break,
                Ok(Some(message)) => self.conversation.accept(message),
                Err(error) => Err(error.into()),
            };
            match step {
                Ok(Step::Quiet) => {}
                Ok(Step::Report(event)) => self.inbox.push(event),
                Ok(Step::Last(event)) => {
                    self.inbox.push(event);
                    return Flow::End(GoneReason::Closed, "it ended with its cell".to_owned());
                }
                Err(violation) => {
                    return Flow::End(GoneReason::Crashed, format!("killed by the host: {violation}"));
                }
            }
        }
        Flow::More
    }

    fn at_end(&mut self) -> Flow {
        self.is_at_end = true;
        Flow::Closed
    }

    /// Takes in all that a worker sent before its end.
    pub(crate) fn read_rest(&mut self) {
        while matches!(self.read(), Flow::More) {}
    }
}

impl AsFd for Channel {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}
