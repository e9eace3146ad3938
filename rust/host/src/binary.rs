//! The worker's executable file, checked before anything is started.

use std::{
    fmt, fs,
    io::{self, Read},
    os::unix::fs::PermissionsExt,
    path::{self, Path, PathBuf},
    sync::{Arc, OnceLock},
};

use sha2::{Digest, Sha256 as Hasher};

use crate::error::StartError;

/// SHA-256 of a file; displays as lower-case hex.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sha256(pub [u8; 32]);

impl fmt::Display for Sha256 {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(formatter, "{byte:02x}"))
    }
}

/// Hashes a whole file.
pub fn sha256_of_file(path: &Path) -> io::Result<Sha256> {
    let mut file = fs::File::open(path)?;
    let mut hasher = Hasher::new();
    let mut chunk = vec![0; 1 << 16];
    loop {
        let length = file.read(&mut chunk)?;
        if length == 0 {
            return Ok(Sha256(hasher.finalize().into()));
        }
        hasher.update(chunk.get(..length).unwrap_or_default());
    }
}

/// A worker executable that can be started, and what all its processes have in common.
#[derive(Debug)]
pub(crate) struct WorkerBinary {
    pub(crate) path: PathBuf,
    pub(crate) sha256: Sha256,
    base_image: OnceLock<u128>,
}

impl WorkerBinary {
    /// Checks that the file can be started here and is the expected one; hashes it once.
    pub(crate) fn open(path: &Path, expected_sha256: Option<&str>) -> Result<Self, StartError> {
        check_platform(std::env::consts::OS, std::env::consts::ARCH)?;
        let unreadable =
            |error: io::Error| StartError::Unreadable { path: path.to_owned(), error: Arc::new(error) };
        let metadata = fs::metadata(path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => {
                StartError::Missing { path: path.to_owned() }
            }
            _ => unreadable(error),
        })?;
        if !metadata.is_file() {
            return Err(StartError::NotAFile { path: path.to_owned() });
        }
        if metadata.permissions().mode() & 0o111 == 0 {
            return Err(StartError::NotExecutable { path: path.to_owned() });
        }
        let sha256 = sha256_of_file(path).map_err(unreadable)?;
        if let Some(expected) = expected_sha256
            && !sha256.to_string().eq_ignore_ascii_case(expected)
        {
            return Err(StartError::OtherBinary {
                path: path.to_owned(),
                found: sha256.to_string(),
                expected: expected.to_ascii_lowercase(),
            });
        }
        // Absolute: the program may change its directory later, and PATH must never be searched.
        let path = path::absolute(path).map_err(unreadable)?;
        Ok(Self { path, sha256, base_image: OnceLock::new() })
    }

    /// Adopts the first worker's base image; refuses any other after that.
    pub(crate) fn check_base_image(&self, found: u128) -> Result<(), StartError> {
        let expected = *self.base_image.get_or_init(|| found);
        if found == expected { Ok(()) } else { Err(StartError::OtherBaseImage { found, expected }) }
    }
}

fn check_platform(os: &'static str, processor: &'static str) -> Result<(), StartError> {
    match (os, processor) {
        ("linux", "x86_64" | "aarch64") => Ok(()),
        _ => Err(StartError::UnsupportedPlatform { os, processor }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_linux_on_two_processors_is_supported() {
        let verdicts =
            [("linux", "x86_64"), ("linux", "aarch64"), ("linux", "riscv64"), ("macos", "aarch64")]
                .map(|(os, processor)| check_platform(os, processor).is_ok());

        assert_eq!(verdicts, [true, true, false, false]);
    }

    #[test]
    fn a_second_base_image_is_refused() {
        let binary = WorkerBinary::open(Path::new("/proc/self/exe"), None).unwrap();

        let verdicts = [7, 7, 8].map(|image| binary.check_base_image(image).is_ok());

        assert_eq!(verdicts, [true, true, false]);
    }
}
