//! One memory region at one fixed address that holds everything a VM is made of.
//!
//! Nothing in the region depends on the process it lives in, so a VM is its bytes: copying the
//! [`BaseImage`] back makes a fresh one, and the difference to it is a suspended one
//! ([`continuation`]). See docs/continuations.md.
//!
//! All `unsafe` about memory is in this crate: [`region`] maps, [`heap`] allocates, [`route`] sends Rust's own
//! allocations to the right heap, [`image`] copies.

pub mod continuation;
mod heap;
mod image;
mod layout;
mod region;
mod relative;
mod route;

pub use heap::Heap;
pub use image::{BaseImage, DeltaError};
pub use region::{MapError, map, regions, stack};
pub use route::{RoutingAllocator, arena, inside, outside, root, seal, set_root, trim_scratch};
