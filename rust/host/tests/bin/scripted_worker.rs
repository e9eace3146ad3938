//! A worker without an engine: it does what the "code" of its cell says.
//!
//! The name it is started by decides how it greets (`ready`, `unready`, `mute`, …). The code of a cell is a
//! list of legs separated by `|`, each a list of actions separated by `;`. A leg begins when the host has sent
//! `Start`, `Run` or `Park`.

use std::{
    env,
    io::{self, Read, Write},
    os::fd::FromRawFd,
    os::unix::net::UnixStream,
    process,
    time::{Duration, Instant},
};

use toolcell_protocol::{
    Call, CallForm, Failure, FailureReason, FrameBuffer, FromWorker, Method, Output, PROTOCOL_VERSION, Ready,
    SOURCE_FINGERPRINT, ToWorker, frame,
};

fn main() -> io::Result<()> {
    let name = env::args().next().unwrap_or_default();
    let mut port = Port::open();
    match name.rsplit('/').next().unwrap_or_default() {
        "unready" => {
            return port.say(&FromWorker::Unready { reason: "no room for the arena".into() });
        }
        "mute" => return port.until_closed(),
        "short-lived" => process::abort(),
        "babbler" => return port.stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n"),
        "other-protocol" => port.say(&ready(|ready| ready.protocol += 1))?,
        "other-sources" => port.say(&ready(|ready| ready.fingerprint = "f".repeat(32)))?,
        "other-image" => port.say(&ready(|ready| ready.base_image = u128::from(process::id())))?,
        _ => port.say(&ready(|_| {}))?,
    }
    port.serve()
}

fn ready(change: impl FnOnce(&mut Ready)) -> FromWorker {
    let mut ready = Ready {
        protocol: PROTOCOL_VERSION,
        fingerprint: SOURCE_FINGERPRINT.to_owned(),
        base_image: 7,
        engine: "script".to_owned(),
    };
    change(&mut ready);
    FromWorker::Ready(ready)
}

struct Port {
    stream: UnixStream,
    frames: FrameBuffer,
}

impl Port {
    fn open() -> Self {
        // SAFETY: descriptor 0 is the socket this process was started with, and nothing else here uses it.
        let stream = unsafe { UnixStream::from_raw_fd(0) };
        Self { stream, frames: FrameBuffer::new(1 << 28) }
    }

    fn serve(&mut self) -> io::Result<()> {
        let mut legs = Vec::new().into_iter();
        loop {
            match self.hear()? {
                None => return Ok(()),
                Some(ToWorker::Start(start)) => {
                    legs = start.code.split('|').map(str::to_owned).collect::<Vec<_>>().into_iter();
                    self.play(&legs.next().unwrap_or_default())?;
                }
                Some(ToWorker::Restore(restore)) => {
                    let script = String::from_utf8_lossy(&restore.image).into_owned();
                    legs = script.split('|').map(str::to_owned).collect::<Vec<_>>().into_iter();
                }
                Some(ToWorker::Run { .. } | ToWorker::Park) => {
                    self.play(&legs.next().unwrap_or_default())?;
                }
                Some(ToWorker::Settle(_) | ToWorker::Catalog(_)) => {}
            }
        }
    }

    fn play(&mut self, leg: &str) -> io::Result<()> {
        for action in leg.split(';').map(str::trim).filter(|action| !action.is_empty()) {
            let (verb, argument) = action.split_once(' ').unwrap_or((action, ""));
            let number: u32 = argument.parse().unwrap_or(0);
            match verb {
                "text" => self.say(&FromWorker::Output(Output::Text(argument.to_owned())))?,
                "text-of" => self.say(&FromWorker::Output(Output::Text("x".repeat(number as usize))))?,
                "call" => {
                    let method = Method::Tool { target: "tool".into(), input: None, form: CallForm::Value };
                    self.say(&FromWorker::Call(Call { call: number, method }))?;
                }
                "waiting" => self.say(&FromWorker::Waiting { outstanding: number })?,
                "complete" => {
                    let value = argument.as_bytes().to_vec();
                    self.say(&FromWorker::Completed { value, warnings: Vec::new() })?;
                }
                "time-out" => self.say(&FromWorker::Failed(timeout()))?,
                "parked" => self.say(&FromWorker::Parked { image: argument.as_bytes().to_vec() })?,
                "refuse" => self.say(&FromWorker::Refused { reason: argument.to_owned() })?,
                "bytes" => self.stream.write_all(argument.as_bytes())?,
                "length" => self.stream.write_all(&number.to_le_bytes())?,
                "before-reading-on" => self.await_byte()?,
                "think-ms" => think(Duration::from_millis(u64::from(number))),
                "hang" => self.until_closed()?,
                "leave" => process::abort(),
                "flood" => loop {
                    self.say(&FromWorker::Output(Output::Text("x".repeat(1000))))?;
                },
                unknown => return Err(io::Error::other(format!("unknown action {unknown}"))),
            }
        }
        Ok(())
    }

    fn say(&mut self, message: &FromWorker) -> io::Result<()> {
        let mut bytes = Vec::new();
        frame::append(&mut bytes, message).map_err(io::Error::other)?;
        self.stream.write_all(&bytes)
    }

    fn hear(&mut self) -> io::Result<Option<ToWorker>> {
        loop {
            if let Some(message) = self.frames.next().map_err(io::Error::other)? {
                return Ok(Some(message));
            }
            let mut chunk = vec![0; 4096];
            let length = self.stream.read(&mut chunk)?;
            if length == 0 {
                return Ok(None);
            }
            self.frames.extend(chunk.get(..length).unwrap_or_default());
        }
    }

    /// Waits until the host has begun to send, and leaves all but one byte in the socket.
    fn await_byte(&mut self) -> io::Result<()> {
        let mut byte = [0; 1];
        self.stream.read_exact(&mut byte)?;
        self.frames.extend(&byte);
        Ok(())
    }

    /// Reads and says nothing until the host closes.
    fn until_closed(&mut self) -> io::Result<()> {
        while self.stream.read(&mut [0; 4096])? > 0 {}
        Ok(())
    }
}

/// Computes, without a look at its socket.
fn think(time: Duration) {
    let begin = Instant::now();
    while begin.elapsed() < time {
        std::hint::spin_loop();
    }
}

fn timeout() -> Failure {
    Failure {
        reason: FailureReason::Timeout,
        message: "deadline passed".to_owned(),
        stack: Vec::new(),
        location: None,
        code_frame: None,
        hints: Vec::new(),
        missing: Vec::new(),
        preview: None,
    }
}
