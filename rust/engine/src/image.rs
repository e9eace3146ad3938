//! Copies of the arena. The `unsafe` of replacing the memory under a running program is here.

use toolcell_arena::{BaseImage, DeltaError};

/// Makes the arena the base image again.
pub(crate) fn reset(base: &BaseImage) {
    // SAFETY: called between messages, when no guest value and no reference into the arena is held.
    unsafe { base.reset() };
}

/// The difference of the arena to the base image.
pub(crate) fn delta(base: &BaseImage, max_bytes: usize) -> Result<Vec<u8>, DeltaError> {
    // SAFETY: the guest is quiescent; only free memory is written to.
    unsafe { base.delta(max_bytes) }
}

/// Adopts a difference; the arena equals the base image before.
pub(crate) fn apply(base: &BaseImage, delta: &[u8]) -> Result<(), DeltaError> {
    // SAFETY: called between messages, see `reset`; the header was checked to be of this build and base image.
    unsafe { base.apply(delta) }
}
