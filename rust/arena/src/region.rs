//! Mapping the fixed regions.

use std::{io, ops::Range, sync::OnceLock};

use crate::layout::{ARENA_BYTES, ARENA_START, SCRATCH_BYTES, SCRATCH_START, STACK_BYTES, STACK_START};

/// Why the regions can't be had.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MapError {
    /// Something else lies at the address.
    #[error("address {address:#x} is taken by something else in this process")]
    Taken {
        /// The wanted address.
        address: usize,
    },
    /// The kernel refused.
    #[error("can't reserve {bytes} bytes at {address:#x}: {source}")]
    Refused {
        /// The wanted address.
        address: usize,
        /// The wanted size.
        bytes: usize,
        /// The kernel's answer.
        source: io::Error,
    },
}

/// Maps arena, stack and scratch, once per process.
pub fn map() -> Result<(), MapError> {
    static DONE: OnceLock<()> = OnceLock::new();
    if DONE.get().is_some() {
        return Ok(());
    }
    for range in regions() {
        reserve(&range)?;
    }
    crate::route::open();
    let _ = DONE.set(());
    Ok(())
}

/// The mapped address ranges: arena, stack, scratch.
pub fn regions() -> [Range<usize>; 3] {
    [
        ARENA_START..ARENA_START + ARENA_BYTES,
        STACK_START..STACK_START + STACK_BYTES,
        SCRATCH_START..SCRATCH_START + SCRATCH_BYTES,
    ]
}

/// The stack that the engine runs on.
pub fn stack() -> Range<usize> {
    STACK_START..STACK_START + STACK_BYTES
}

fn reserve(range: &Range<usize>) -> Result<(), MapError> {
    let (address, bytes) = (range.start, range.len());
    // SAFETY: MAP_FIXED_NOREPLACE never touches an existing mapping; the result is checked below.
    let got = unsafe {
        libc::mmap(
            address as *mut libc::c_void,
            bytes,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_FIXED_NOREPLACE,
            -1,
            0,
        )
    };
    if got == libc::MAP_FAILED {
        let source = io::Error::last_os_error();
        return Err(match source.raw_os_error() {
            Some(libc::EEXIST) => MapError::Taken { address },
            _ => MapError::Refused { address, bytes, source },
        });
    }
    if got as usize != address {
        // A kernel before 4.17 takes the address as a hint only.
        // SAFETY: this is the mapping just made, which nobody else knows.
        unsafe { libc::munmap(got, bytes) };
        return Err(MapError::Taken { address });
    }
    // Huge pages would make a 4 KiB change cost 2 MiB of zeroing. A kernel without them refuses, which is fine.
    // SAFETY: the range was mapped above; the advice changes no content.
    unsafe { libc::madvise(got, bytes, libc::MADV_NOHUGEPAGE) };
    Ok(())
}

/// Makes `range` read as zeros. Small spans are cleared, large ones given back to the kernel.
///
/// # Safety
/// The range lies in a mapped region and nothing alive lies in it.
pub(crate) unsafe fn zero(range: Range<usize>) {
    const GIVE_BACK_BYTES: usize = 4 << 20; // below this, page faults cost more than clearing, and a worker may keep it
    if range.is_empty() {
        return;
    }
    let pages =
        range.start.next_multiple_of(crate::layout::PAGE_BYTES)..range.end & !(crate::layout::PAGE_BYTES - 1);
    let give_back = pages.start < pages.end && pages.end - pages.start >= GIVE_BACK_BYTES;
    // SAFETY: the caller owns the range; `pages` lies within it.
    unsafe {
        if give_back && libc::madvise(pages.start as *mut _, pages.len(), libc::MADV_DONTNEED) == 0 {
            clear(range.start..pages.start);
            clear(pages.end..range.end);
        } else {
            clear(range);
        }
    }
}

/// # Safety
/// As for [`zero`].
unsafe fn clear(range: Range<usize>) {
    // SAFETY: the caller owns the range.
    unsafe { std::ptr::write_bytes(range.start as *mut u8, 0, range.len()) };
}
