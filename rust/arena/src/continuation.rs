//! The format of a suspended cell, version 1. See docs/continuations.md.
//!
//! ```text
//! magic 8 | version u16 | build 32 | base image hash u128 | arena start u64 | arena length u64 | heap limit u64
//! | scope 32 | created u64 | catalog u64 | cell id length u16 | cell id | payload length u64 | payload | checksum u128
//! ```
//! Numbers are little-endian. The checksum (XXH3-128 of all before it) finds damage, not forgery: stores that outlive
//! the process authenticate the whole with a key. Everything is checked before the payload is looked at, and what does
//! not fit exactly is refused.

use xxhash_rust::xxh3::xxh3_128;

use crate::layout::{ARENA_BYTES, ARENA_START};

const MAGIC: &[u8; 8] = b"toolcell";
const VERSION: u16 = 1;
const MAX_CELL_ID_BYTES: usize = 256;

/// What a continuation says about itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    /// Hash of the worker binary that wrote it.
    pub build: [u8; 32],
    /// Hash of the base image its payload is a difference to.
    pub base_image: u128,
    /// Limit of the guest heap in bytes when it was written.
    pub heap_limit: u64,
    /// Hash of the scope it belongs to.
    pub scope: [u8; 32],
    /// Milliseconds since 1970 when it was written.
    pub created_ms: u64,
    /// Hash of the catalog the cell saw.
    pub catalog: u64,
    /// Id of the cell, at most 256 bytes.
    pub cell: String,
}

/// Why bytes are not accepted as a continuation.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum ContinuationError {
    /// Not a continuation, or damaged.
    #[error("not an intact continuation")]
    Damaged,
    /// Another format version.
    #[error("continuation format {found}, this build reads {VERSION} only")]
    Version {
        /// Version found.
        found: u16,
    },
    /// Written by another build of the worker.
    #[error("continuation of another build")]
    Build,
    /// Made for another base image or another memory layout.
    #[error("continuation of another base image")]
    BaseImage,
    /// Belongs to another cell.
    #[error("continuation of another cell")]
    Cell,
    /// Belongs to another scope.
    #[error("continuation of another scope")]
    Scope,
}

/// Writes a continuation.
pub fn encode(header: &Header, payload: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(192 + header.cell.len() + payload.len());
    bytes.extend_from_slice(MAGIC);
    bytes.extend_from_slice(&VERSION.to_le_bytes());
    bytes.extend_from_slice(&header.build);
    bytes.extend_from_slice(&header.base_image.to_le_bytes());
    bytes.extend_from_slice(&(ARENA_START as u64).to_le_bytes());
    bytes.extend_from_slice(&(ARENA_BYTES as u64).to_le_bytes());
    bytes.extend_from_slice(&header.heap_limit.to_le_bytes());
    bytes.extend_from_slice(&header.scope);
    bytes.extend_from_slice(&header.created_ms.to_le_bytes());
    bytes.extend_from_slice(&header.catalog.to_le_bytes());
    bytes.extend_from_slice(&(header.cell.len() as u16).to_le_bytes());
    bytes.extend_from_slice(header.cell.as_bytes());
    bytes.extend_from_slice(&(payload.len() as u64).to_le_bytes());
    bytes.extend_from_slice(payload);
    let checksum = xxh3_128(&bytes);
    bytes.extend_from_slice(&checksum.to_le_bytes());
    bytes
}

/// Reads a continuation and checks its form; whether it fits is for [`check`].
pub fn decode(bytes: &[u8]) -> Result<(Header, &[u8]), ContinuationError> {
    let (signed, checksum) = bytes.split_last_chunk::<16>().ok_or(ContinuationError::Damaged)?;
    let mut reader = Reader(signed);
    if reader.array::<8>()? != *MAGIC {
        return Err(ContinuationError::Damaged);
    }
    let found = u16::from_le_bytes(reader.array()?);
    if found != VERSION {
        return Err(ContinuationError::Version { found });
    }
    if xxh3_128(signed) != u128::from_le_bytes(*checksum) {
        return Err(ContinuationError::Damaged);
    }
    let build = reader.array()?;
    let base_image = u128::from_le_bytes(reader.array()?);
    let layout = (reader.u64()?, reader.u64()?);
    if layout != (ARENA_START as u64, ARENA_BYTES as u64) {
        return Err(ContinuationError::BaseImage);
    }
    let heap_limit = reader.u64()?;
    let scope = reader.array()?;
    let created_ms = reader.u64()?;
    let catalog = reader.u64()?;
    let cell_bytes = usize::from(u16::from_le_bytes(reader.array()?));
    if cell_bytes > MAX_CELL_ID_BYTES {
        return Err(ContinuationError::Damaged);
    }
    let cell = reader.take(cell_bytes)?;
    let cell = String::from_utf8(cell.to_vec()).map_err(|_| ContinuationError::Damaged)?;
    let payload_bytes = reader.u64()? as usize;
    let payload = reader.take(payload_bytes)?;
    if !reader.0.is_empty() {
        return Err(ContinuationError::Damaged);
    }
    Ok((Header { build, base_image, heap_limit, scope, created_ms, catalog, cell }, payload))
}

/// Checks that a continuation was written by this build, for this cell and scope.
pub fn check(
    header: &Header,
    build: &[u8; 32],
    base_image: u128,
    cell: &str,
    scope: &[u8; 32],
) -> Result<(), ContinuationError> {
    if header.build != *build {
        Err(ContinuationError::Build)
    } else if header.base_image != base_image {
        Err(ContinuationError::BaseImage)
    } else if header.cell != cell {
        Err(ContinuationError::Cell)
    } else if header.scope != *scope {
        Err(ContinuationError::Scope)
    } else {
        Ok(())
    }
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, bytes: usize) -> Result<&'a [u8], ContinuationError> {
        let (taken, rest) = self.0.split_at_checked(bytes).ok_or(ContinuationError::Damaged)?;
        self.0 = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], ContinuationError> {
        let (taken, rest) = self.0.split_first_chunk::<N>().ok_or(ContinuationError::Damaged)?;
        self.0 = rest;
        Ok(*taken)
    }

    fn u64(&mut self) -> Result<u64, ContinuationError> {
        self.array().map(u64::from_le_bytes)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn header() -> Header {
        Header {
            build: [1; 32],
            base_image: 2,
            heap_limit: 3,
            scope: [4; 32],
            created_ms: 5,
            catalog: 6,
            cell: "cell_7".into(),
        }
    }

    #[test]
    fn a_continuation_comes_back() {
        let bytes = encode(&header(), b"payload");

        assert_eq!(decode(&bytes), Ok((header(), &b"payload"[..])));
    }

    #[test]
    fn what_is_not_ours_is_refused_by_name() {
        let check = |build, base, cell, scope| check(&header(), &build, base, cell, &scope);

        assert_eq!(check([1; 32], 2, "cell_7", [4; 32]), Ok(()));
        assert_eq!(check([0; 32], 2, "cell_7", [4; 32]), Err(ContinuationError::Build));
        assert_eq!(check([1; 32], 0, "cell_7", [4; 32]), Err(ContinuationError::BaseImage));
        assert_eq!(check([1; 32], 2, "cell_8", [4; 32]), Err(ContinuationError::Cell));
        assert_eq!(check([1; 32], 2, "cell_7", [0; 32]), Err(ContinuationError::Scope));
    }

    proptest! {
        #[test]
        fn a_flipped_or_cut_continuation_is_refused(at in any::<prop::sample::Index>(), bit in 0_u32..8, cut: bool) {
            let mut bytes = encode(&header(), &[7; 300]);
            let index = at.index(bytes.len());

            if cut { bytes.truncate(index) } else { bytes[index] ^= 1_u8 << bit }
            prop_assert!(decode(&bytes).is_err());
        }

        #[test]
        fn no_bytes_make_a_reader_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
            let _ = decode(&bytes);
        }
    }
}
