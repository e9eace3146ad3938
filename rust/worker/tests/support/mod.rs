//! Builds the static executables and starts them as a host does.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a helper of tests fails by panicking")]

use std::{
    io::Read,
    os::{fd::OwnedFd, unix::net::UnixStream},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::OnceLock,
    time::Duration,
};

use toolcell_protocol::{FrameBuffer, FromWorker, frame};

/// What the tests state as the build: any hash will do.
pub(crate) const BUILD: &str = "5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a";

/// An executable of this package, built at first use.
#[derive(Debug)]
pub(crate) struct Executable {
    name: &'static str,
    features: &'static [&'static str],
    path: OnceLock<PathBuf>,
}

impl Executable {
    /// The binary `name`, which needs `features`.
    pub(crate) const fn new(name: &'static str, features: &'static [&'static str]) -> Self {
        Self { name, features, path: OnceLock::new() }
    }

    /// Where it is: for the worker, the very file that a wheel built in this target folder holds.
    pub(crate) fn path(&self) -> &Path {
        self.path.get_or_init(|| build(self.name, self.features))
    }
}

fn build(name: &str, features: &[&str]) -> PathBuf {
    // Flags and folder are those of rust/python/build.rs: whoever comes second finds the work done.
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("worker");
    let target = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
    let status = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--release", "--package", "toolcell-worker", "--bin", name])
        .args(["--features", &features.join(",")])
        .args(["--manifest-path", concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")])
        .args(["--target", &target, "--target-dir"])
        .arg(&folder)
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .env_remove("CARGO_BUILD_RUSTFLAGS")
        .env("RUSTFLAGS", "-C relocation-model=static -C target-feature=+crt-static")
        .env("CARGO_PROFILE_RELEASE_PANIC", "abort")
        .status()
        .unwrap();
    assert!(status.success(), "the build of {name} failed");
    folder.join(target).join("release").join(name)
}

/// A started worker and the host's end of its socket.
#[derive(Debug)]
pub(crate) struct Worker {
    pub(crate) child: Child,
    pub(crate) socket: UnixStream,
    frames: FrameBuffer,
}

impl Worker {
    /// Starts `executable` for this process, with `arguments` after the usual ones.
    pub(crate) fn start(executable: &Path, arguments: &[&str]) -> Self {
        let id = std::process::id().to_string();
        Self::spawn(Command::new(executable).args([&id, BUILD]).args(arguments).env_clear())
    }

    /// Spawns `command` with a socket as descriptor 0.
    pub(crate) fn spawn(command: &mut Command) -> Self {
        let (socket, end) = UnixStream::pair().unwrap();
        socket.set_read_timeout(Some(Duration::from_mins(1))).unwrap(); // a hang fails instead
        let child =
            command.stdin(OwnedFd::from(end)).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        command.stdin(Stdio::null()); // drops the worker's end here
        Self { child, socket, frames: FrameBuffer::new(frame::MAX_FRAME_BYTES) }
    }

    /// The next message, `None` at the end of the stream.
    pub(crate) fn receive(&mut self) -> Option<FromWorker> {
        let mut chunk = [0; 4096];
        loop {
            if let Some(message) = self.frames.next().unwrap() {
                return Some(message);
            }
            match self.socket.read(&mut chunk).unwrap() {
                0 => return None,
                count => self.frames.extend(&chunk[..count]),
            }
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
