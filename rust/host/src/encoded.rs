//! Messages that are encoded once and sent often.

use std::sync::Arc;

use sha2::{Digest, Sha256};
use toolcell_protocol::{Catalog, CatalogTool, FrameError, ToWorker, frame};

/// A catalog as the frame that carries it to a worker. Cheap to clone.
#[derive(Debug, Clone)]
pub struct EncodedCatalog {
    hash: u64,
    frame: Arc<[u8]>,
}

impl EncodedCatalog {
    /// Encodes `tools`, in catalog order.
    ///
    /// The hash depends on the rows alone, so equal catalogs have equal hashes in every process.
    pub fn new(tools: Vec<CatalogTool>) -> Result<Self, FrameError> {
        let mut catalog = Catalog { hash: 0, tools };
        let mut rows = Vec::new();
        frame::append(&mut rows, &catalog)?;
        let digest = Sha256::digest(&rows);
        catalog.hash = digest.first_chunk().map_or(0, |head| u64::from_le_bytes(*head));
        let mut frame = Vec::with_capacity(rows.len() + 16);
        frame::append(&mut frame, &ToWorker::Catalog(catalog.clone()))?;
        Ok(Self { hash: catalog.hash, frame: frame.into() })
    }

    /// Hash of the rows, recorded in continuations.
    pub fn hash(&self) -> u64 {
        self.hash
    }

    pub(crate) fn frame(&self) -> &[u8] {
        &self.frame
    }
}
