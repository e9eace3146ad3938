//! Where everything lies. Constants per target, equal in every process of a build.

/// Start of the arena.
///
/// On x86-64 clear of the program, of mmap's usual area and of `AddressSanitizer`'s shadow; on aarch64 below 2^38,
/// because some kernels give user space 39 bits.
#[cfg(target_arch = "x86_64")]
pub(crate) const ARENA_START: usize = 0x2000_0000_0000;
#[cfg(not(target_arch = "x86_64"))]
pub(crate) const ARENA_START: usize = 0x20_0000_0000;

/// Bits of address that vary within the arena's window: the window is aligned to its size, so a word is an arena
/// pointer exactly if its upper bits are those of `ARENA_START`.
pub(crate) const WINDOW_BITS: u32 = 32;

/// Size of the arena: the largest guest heap (1 GiB) and what Rust allocates beside it.
///
/// Reserved, not committed: an untouched page costs nothing.
pub(crate) const ARENA_BYTES: usize = (1 << 30) + (512 << 20);

/// Stack that the engine runs on. At a fixed address too, because the engine stores addresses of it.
pub(crate) const STACK_BYTES: usize = 16 << 20;
pub(crate) const STACK_START: usize = ARENA_START + (1 << 33);

/// Memory for everything that is not the VM: frames, the catalog, compression. Never part of an image.
pub(crate) const SCRATCH_START: usize = ARENA_START + (1 << 34);
pub(crate) const SCRATCH_BYTES: usize = 3 << 30;

/// Unit in which images are compared and stored.
pub(crate) const PAGE_BYTES: usize = 4096;

const _: () = assert!(ARENA_START.trailing_zeros() >= WINDOW_BITS && ARENA_BYTES < 1 << WINDOW_BITS);
