//! Messages that are encoded once and sent often.

use std::sync::Arc;

use sha2::{Digest, Sha256};
use toolcell_protocol::{Catalog, FrameError, ToWorker, frame};

/// A catalog as the frame that carries it to a worker. Cheap to clone.
#[derive(Debug, Clone)]
pub struct EncodedCatalog {
    hash: u64,
    frame: Arc<[u8]>,
}

impl EncodedCatalog {
    /// Encodes a catalog; its `hash` is filled in.
    ///
    /// The hash depends on the rows alone, so equal catalogs have equal hashes in every process.
    pub fn new(mut catalog: Catalog) -> Result<Self, FrameError> {
        catalog.hash = 0;
        let mut rows = Vec::new();
        frame::append(&mut rows, &catalog)?;
        let digest = Sha256::digest(&rows);
        catalog.hash = digest.first_chunk().map_or(0, |head| u64::from_le_bytes(*head));
        let hash = catalog.hash;
        let mut frame = Vec::with_capacity(rows.len() + 16);
        frame::append(&mut frame, &ToWorker::Catalog(catalog))?;
        Ok(Self { hash, frame: frame.into() })
    }

    /// Hash of the rows, recorded in continuations.
    pub fn hash(&self) -> u64 {
        self.hash
    }

    pub(crate) fn frame(&self) -> &[u8] {
        &self.frame
    }
}
