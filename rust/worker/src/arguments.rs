//! The command line: `<path> <host process id> <build>`.

use std::{ffi::OsString, num::ParseIntError};

use rustix::process::Pid;

/// What the host states when it starts a worker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arguments {
    /// Process id of the host, whose death ends the worker.
    pub host: Pid,
    /// SHA-256 of this executable, recorded in continuations. The host computes it.
    pub build: [u8; 32],
}

/// Why a command line is not one of a host.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum ArgumentError {
    /// An argument is missing or not UTF-8.
    #[error("{name} is missing")]
    Missing {
        /// Name of the argument.
        name: &'static str,
    },
    /// The process id is not a positive integer.
    #[error("the host's process id is not a positive integer")]
    Host,
    /// The build is not 64 hexadecimal digits.
    #[error("the build is not 64 hexadecimal digits")]
    Build,
}

impl Arguments {
    /// Reads the command line, the program's own path first. Arguments beyond the two are ignored.
    pub fn parse(mut line: impl Iterator<Item = OsString>) -> Result<Self, ArgumentError> {
        line.next();
        let mut take = |name| {
            line.next().and_then(|text| text.into_string().ok()).ok_or(ArgumentError::Missing { name })
        };
        let host = take("the host's process id")?;
        let build = take("the build")?;
        Ok(Self {
            host: process_id(&host).ok_or(ArgumentError::Host)?,
            build: hash(&build).ok_or(ArgumentError::Build)?,
        })
    }
}

fn process_id(text: &str) -> Option<Pid> {
    text.parse().ok().filter(|&id: &i32| id > 0).and_then(Pid::from_raw)
}

fn hash(text: &str) -> Option<[u8; 32]> {
    let digits = text.as_bytes();
    let (pairs, rest) = digits.as_chunks::<2>();
    if !rest.is_empty() || !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    let bytes: Result<Vec<u8>, ParseIntError> =
        pairs.iter().map(|pair| u8::from_str_radix(&String::from_utf8_lossy(pair), 16)).collect();
    bytes.ok()?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &[&str]) -> Result<Arguments, ArgumentError> {
        Arguments::parse(line.iter().map(OsString::from))
    }

    #[test]
    fn a_host_states_its_id_and_the_build() {
        let expected = Arguments { host: Pid::from_raw(42).unwrap(), build: [0xa5; 32] };

        assert_eq!(parse(&["worker", "42", &"a5".repeat(32)]), Ok(expected));
    }

    #[test]
    fn a_command_line_by_hand_is_refused() {
        let missing = |name| Err(ArgumentError::Missing { name });

        assert_eq!(parse(&["worker"]), missing("the host's process id"));
        assert_eq!(parse(&["worker", "42"]), missing("the build"));
    }

    #[test]
    fn a_host_id_is_a_positive_integer() {
        for id in ["", "0", "-1", "4x", "99999999999"] {
            assert_eq!(parse(&["worker", id, &"a5".repeat(32)]), Err(ArgumentError::Host));
        }
    }

    #[test]
    fn a_build_is_a_whole_hash() {
        for build in ["", "a5", &"a5".repeat(33), &"+5".repeat(32), &"é".repeat(32), &"a".repeat(65)] {
            assert_eq!(parse(&["worker", "42", build]), Err(ArgumentError::Build));
        }
    }
}
