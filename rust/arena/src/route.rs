//! Sends each allocation to its heap.
//!
//! Inside [`inside`], Rust allocates from the arena, so whatever the engine boxes becomes part of the VM. Outside, it
//! allocates from the system, or after [`seal`] from scratch memory of our own: a locked-down process may not ask the
//! kernel for memory. Memory is freed by address, wherever the call comes from.

use std::{
    alloc::{GlobalAlloc, Layout, System},
    cell::Cell,
    sync::atomic::{AtomicBool, Ordering},
};

use crate::{
    heap::Heap,
    layout::{ARENA_BYTES, ARENA_START, SCRATCH_BYTES, SCRATCH_START},
    region,
};

/// What lies at the start of the arena.
#[repr(C)]
struct ArenaHead {
    heap: Heap,
    root: *mut (),
}

/// Free scratch memory that a process keeps, so that megabytes sent again and again are not faulted in each time.
const SCRATCH_KEEP_BYTES: usize = 8 << 20;

static SEALED: AtomicBool = AtomicBool::new(false);

thread_local! {
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

/// The allocator to install with `#[global_allocator]`.
#[derive(Debug, Clone, Copy)]
pub struct RoutingAllocator;

// SAFETY: each branch forwards to an allocator that fulfils the contract. The heaps are not synchronised: the arena is
// entered by the one thread that runs the VM, and a process that seals itself has one thread (see `seal`).
unsafe impl GlobalAlloc for RoutingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if INSIDE.get() {
            arena().allocate_aligned(layout.size(), layout.align())
        } else if SEALED.load(Ordering::Relaxed) {
            scratch().allocate_aligned(layout.size(), layout.align())
        } else {
            // SAFETY: the caller's promises are passed on.
            unsafe { System.alloc(layout) }
        }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the address tells which allocator made the block.
        unsafe {
            match owner(pointer) {
                Owner::Arena => arena().free(pointer),
                Owner::Scratch => scratch().free(pointer),
                Owner::System => System.dealloc(pointer, layout),
            }
        }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        // SAFETY: as for `dealloc`; blocks with a large alignment are moved by the fallback.
        unsafe {
            match owner(pointer) {
                Owner::Arena if layout.align() <= 16 => arena().reallocate(pointer, bytes),
                Owner::Scratch if layout.align() <= 16 => scratch().reallocate(pointer, bytes),
                // Once sealed, nothing may grow where the kernel has to be asked.
                Owner::System if !SEALED.load(Ordering::Relaxed) => System.realloc(pointer, layout, bytes),
                _ => self.move_block(pointer, layout, bytes),
            }
        }
    }
}

impl RoutingAllocator {
    /// # Safety
    /// As for [`GlobalAlloc::realloc`].
    unsafe fn move_block(self, pointer: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        // SAFETY: size and alignment were valid before; the caller promises that the new size is.
        unsafe {
            let moved = self.alloc(Layout::from_size_align_unchecked(bytes, layout.align()));
            if !moved.is_null() {
                std::ptr::copy_nonoverlapping(pointer, moved, layout.size().min(bytes));
                self.dealloc(pointer, layout);
            }
            moved
        }
    }
}

enum Owner {
    Arena,
    Scratch,
    System,
}

fn owner(pointer: *const u8) -> Owner {
    match pointer as usize {
        address if address.wrapping_sub(ARENA_START) < ARENA_BYTES => Owner::Arena,
        address if address.wrapping_sub(SCRATCH_START) < SCRATCH_BYTES => Owner::Scratch,
        _ => Owner::System,
    }
}

/// Whether `pointer` lies in the arena.
pub(crate) fn in_arena(pointer: *const ()) -> bool {
    matches!(owner(pointer.cast()), Owner::Arena)
}

/// Runs `work` with allocations going to the arena.
pub fn inside<R>(work: impl FnOnce() -> R) -> R {
    switched(true, work)
}

/// Runs `work` with allocations going elsewhere; for what leaves the VM.
pub fn outside<R>(work: impl FnOnce() -> R) -> R {
    switched(false, work)
}

fn switched<R>(to: bool, work: impl FnOnce() -> R) -> R {
    /// Restores the former state, also when `work` unwinds.
    struct Restore(bool);
    impl Drop for Restore {
        fn drop(&mut self) {
            INSIDE.set(self.0);
        }
    }
    let _restore = Restore(INSIDE.replace(to));
    work()
}

/// Lets allocations outside the VM come from the scratch region from now on.
///
/// For a process with a single thread that is about to lose the right to ask the kernel for memory.
pub fn seal() {
    SEALED.store(true, Ordering::Relaxed);
}

/// The arena's heap.
///
/// # Panics
/// In effect (a fault) if the regions are not mapped.
pub fn arena() -> &'static mut Heap {
    // SAFETY: `map` made the head; one thread runs the VM and no caller keeps the reference over another call.
    unsafe { &mut (*head()).heap }
}

/// The address that was stored for the next process, null in an empty arena.
pub fn root() -> *mut () {
    // SAFETY: `map` made the head.
    unsafe { (*head()).root }
}

/// Stores the address from which everything in the arena is found again.
pub fn set_root(root: *mut ()) {
    debug_assert!(root.is_null() || in_arena(root));
    // SAFETY: `map` made the head.
    unsafe { (*head()).root = root };
}

/// Gives memory beyond the scratch heap's top back to the kernel, if it is much.
pub fn trim_scratch() {
    let heap = scratch();
    if heap.touched() - heap.top() > SCRATCH_KEEP_BYTES {
        // SAFETY: nothing alive lies at or above the top.
        unsafe { region::zero(heap.top()..heap.touched()) };
        heap.set_touched(heap.top());
    }
}

fn head() -> *mut ArenaHead {
    ARENA_START as *mut ArenaHead
}

fn scratch() -> &'static mut Heap {
    // SAFETY: `map` made the heap; see `seal` for threads.
    unsafe { &mut *(SCRATCH_START as *mut Heap) }
}

/// Makes both heaps in regions that have just been mapped.
pub(crate) fn open() {
    let heap_start = ARENA_START + size_of::<ArenaHead>();
    let scratch_start = SCRATCH_START + size_of::<Heap>();
    // SAFETY: the regions are mapped, zeroed and nobody uses them yet.
    unsafe {
        head().write(ArenaHead {
            heap: Heap::new(heap_start..ARENA_START + ARENA_BYTES),
            root: std::ptr::null_mut(),
        });
        (SCRATCH_START as *mut Heap).write(Heap::new(scratch_start..SCRATCH_START + SCRATCH_BYTES));
    }
}
