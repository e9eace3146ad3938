//! Length-prefixed frames over a byte stream.
//!
//! A frame is a little-endian `u32` length and that many bytes of one message.

use serde::{Serialize, de::DeserializeOwned};

/// Largest frame either side accepts: a 256 MiB continuation and what surrounds it.
pub const MAX_FRAME_BYTES: usize = (256 << 20) + (1 << 20);

const PREFIX_BYTES: usize = 4;

/// Why a frame can't be read or written.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum FrameError {
    /// The length is above the cap.
    #[error("frame of {found} bytes, at most {allowed} are allowed")]
    TooLarge {
        /// Announced length in bytes.
        found: usize,
        /// The cap in bytes.
        allowed: usize,
    },
    /// The bytes are not a message.
    #[error("malformed frame")]
    Malformed,
    /// The message can't be encoded.
    #[error("message can't be encoded")]
    Unencodable,
}

/// Appends `message` as one frame to `buffer`.
pub fn append<T: Serialize>(buffer: &mut Vec<u8>, message: &T) -> Result<(), FrameError> {
    let start = buffer.len();
    buffer.extend_from_slice(&[0; PREFIX_BYTES]);
    let written =
        postcard::to_extend(message, std::mem::take(buffer)).map_err(|_| FrameError::Unencodable)?;
    *buffer = written;
    let length = buffer.len() - start - PREFIX_BYTES;
    if length > MAX_FRAME_BYTES {
        buffer.truncate(start);
        return Err(FrameError::TooLarge { found: length, allowed: MAX_FRAME_BYTES });
    }
    if let Some(prefix) = buffer.get_mut(start..start + PREFIX_BYTES) {
        prefix.copy_from_slice(&(length as u32).to_le_bytes());
    }
    Ok(())
}

/// Bytes read from a stream, cut into messages.
#[derive(Debug)]
pub struct FrameBuffer {
    bytes: Vec<u8>,
    start: usize,
    max_frame_bytes: usize,
}

impl FrameBuffer {
    /// An empty buffer that refuses frames above `max_frame_bytes`.
    pub fn new(max_frame_bytes: usize) -> Self {
        Self { bytes: Vec::new(), start: 0, max_frame_bytes: max_frame_bytes.min(MAX_FRAME_BYTES) }
    }

    /// Changes the cap, for frames whose length is not known yet.
    pub fn set_max_frame_bytes(&mut self, max_frame_bytes: usize) {
        self.max_frame_bytes = max_frame_bytes.min(MAX_FRAME_BYTES);
    }

    /// Adds bytes as they come from the stream.
    pub fn extend(&mut self, bytes: &[u8]) {
        self.tail().extend_from_slice(bytes);
    }

    /// Where bytes are appended as they come from the stream, for a reader that fills the buffer in place.
    pub fn tail(&mut self) -> &mut Vec<u8> {
        // What was taken is dropped once it is the larger part: constant cost per byte, and a stream that
        // always ends within a frame does not grow the buffer for good.
        if self.start > 0 && self.start >= self.bytes.len() / 2 {
            self.bytes.drain(..self.start);
            self.start = 0;
        }
        &mut self.bytes
    }

    /// Takes the next whole message, `None` if more bytes are needed.
    #[expect(clippy::should_implement_trait, reason = "the kind of message is the caller's to name")]
    pub fn next<T: DeserializeOwned>(&mut self) -> Result<Option<T>, FrameError> {
        let Some(needed) = self.needed()? else {
            return Ok(None);
        };
        if needed > 0 {
            return Ok(None);
        }
        let rest = self.bytes.get(self.start..).unwrap_or_default();
        let Some((prefix, rest)) = rest.split_first_chunk::<PREFIX_BYTES>() else {
            return Ok(None);
        };
        let length = u32::from_le_bytes(*prefix) as usize;
        let body = rest.get(..length).ok_or(FrameError::Malformed)?;
        let (message, left) = postcard::take_from_bytes(body).map_err(|_| FrameError::Malformed)?;
        if !left.is_empty() {
            return Err(FrameError::Malformed);
        }
        self.start += PREFIX_BYTES + length;
        self.compact();
        Ok(Some(message))
    }

    /// Bytes still missing of the frame that has begun: 0 if a whole frame is there, `None` if not even its
    /// length is known.
    pub fn needed(&self) -> Result<Option<usize>, FrameError> {
        let rest = self.bytes.get(self.start..).unwrap_or_default();
        let Some((prefix, rest)) = rest.split_first_chunk::<PREFIX_BYTES>() else {
            return Ok(None);
        };
        let length = u32::from_le_bytes(*prefix) as usize;
        if length > self.max_frame_bytes {
            return Err(FrameError::TooLarge { found: length, allowed: self.max_frame_bytes });
        }
        Ok(Some(length.saturating_sub(rest.len())))
    }

    /// Gives back memory after a large frame, so that one big value does not stay for good.
    fn compact(&mut self) {
        const KEEP_BYTES: usize = 1 << 20;
        if self.start == self.bytes.len() {
            self.bytes.clear();
            self.bytes.shrink_to(KEEP_BYTES);
            self.start = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{FromWorker, Output, ToWorker};

    fn frame(message: &FromWorker) -> Vec<u8> {
        let mut bytes = Vec::new();
        append(&mut bytes, message).unwrap();
        bytes
    }

    #[test]
    fn a_message_arrives_whole_however_it_was_cut() {
        let message = FromWorker::Output(Output::Text("héllo".into()));
        let bytes = frame(&message);

        for cut in 0..bytes.len() {
            let mut buffer = FrameBuffer::new(1 << 20);
            buffer.extend(&bytes[..cut]);
            assert_eq!(buffer.next::<FromWorker>(), Ok(None));
            buffer.extend(&bytes[cut..]);
            assert_eq!(buffer.next(), Ok(Some(message.clone())));
            assert_eq!(buffer.next::<FromWorker>(), Ok(None));
        }
    }

    #[test]
    fn a_length_above_the_cap_is_refused_before_the_body_arrives() {
        let mut buffer = FrameBuffer::new(100);
        buffer.extend(&101_u32.to_le_bytes());

        assert_eq!(buffer.next::<FromWorker>(), Err(FrameError::TooLarge { found: 101, allowed: 100 }));
    }

    #[test]
    fn a_stream_that_always_ends_within_a_frame_keeps_the_buffer_small() {
        let bytes = frame(&FromWorker::Output(Output::Text("x".repeat(1000))));
        let mut buffer = FrameBuffer::new(1 << 20);
        buffer.extend(&bytes[..1]);

        for _ in 0..1000 {
            buffer.extend(&bytes[1..]);
            buffer.extend(&bytes[..1]);
            buffer.next::<FromWorker>().unwrap().unwrap();
        }

        assert!(buffer.bytes.capacity() < 8 * bytes.len(), "{} bytes", buffer.bytes.capacity());
    }

    #[test]
    fn bytes_after_the_message_are_refused() {
        let mut bytes = frame(&FromWorker::Waiting { outstanding: 1 });
        bytes.push(0);
        bytes[0] += 1;
        let mut buffer = FrameBuffer::new(1 << 20);
        buffer.extend(&bytes);

        assert_eq!(buffer.next::<FromWorker>(), Err(FrameError::Malformed));
    }

    proptest! {
        #[test]
        fn no_bytes_make_a_reader_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
            let mut from = FrameBuffer::new(1 << 16);
            from.extend(&bytes);
            while let Ok(Some(_)) = from.next::<FromWorker>() {}
            let mut to = FrameBuffer::new(1 << 16);
            to.extend(&bytes);
            while let Ok(Some(_)) = to.next::<ToWorker>() {}
        }
    }
}
