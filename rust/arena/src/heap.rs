//! A boundary-tag allocator whose whole state lies in the memory it manages.
//!
//! Blocks tile the heap from its first block to `top`; each starts with a header word (size and two flags), a free
//! one also ends with its size, so neighbours merge at once. Free blocks hang in bins by size: exact ones below 1 KiB,
//! four per power of two above. What lies beyond `top` was never used or is free again.
//!
//! Free space can be told from used at any time ([`Heap::for_each_free`]), which is what keeps garbage out of images.

use std::ops::Range;

const HEADER_BYTES: usize = 8;
const ALIGN: usize = 16;
const MIN_BLOCK: usize = 32;
const SMALL_LIMIT: usize = 1024;
const SMALL_BINS: usize = SMALL_LIMIT / ALIGN;
const LARGE_BINS: usize = 4 * 22; // up to 4 GiB
const BINS: usize = SMALL_BINS + LARGE_BINS;
const BIN_WORDS: usize = BINS.div_ceil(64);

const IN_USE: usize = 1;
const PREVIOUS_IN_USE: usize = 2;
const FLAGS: usize = ALIGN - 1;

/// The allocator's state; lies at the start of the region it manages.
#[repr(C)]
#[derive(Debug)]
pub struct Heap {
    first: usize,
    top: usize,
    end: usize,
    /// Highest `top` since the region was last all zeros beyond it.
    touched: usize,
    used: usize,
    limit: usize,
    refused: bool,
    filled: [u64; BIN_WORDS],
    bins: [usize; BINS],
}

/// Links of a free block, behind its header.
#[repr(C)]
struct Links {
    next: usize,
    previous: usize,
}

impl Heap {
    /// Makes an empty heap over `range`; its own state is to be stored in front of `range`.
    pub(crate) fn new(range: Range<usize>) -> Self {
        // A header in front of a 16-byte aligned payload lies 8 below a multiple of 16.
        let first = range.start.next_multiple_of(ALIGN) + HEADER_BYTES;
        Self {
            first,
            top: first,
            end: range.end & !FLAGS,
            touched: first,
            used: 0,
            limit: usize::MAX,
            refused: false,
            filled: [0; BIN_WORDS],
            bins: [0; BINS],
        }
    }

    /// End of the used part: nothing alive lies at or above.
    pub fn top(&self) -> usize {
        self.top
    }

    /// Bytes in blocks that are in use, headers included.
    pub fn used(&self) -> usize {
        self.used
    }

    /// Whether an allocation was refused since the limit was set.
    pub fn refused(&self) -> bool {
        self.refused
    }

    /// Sets the number of bytes up to which [`Heap::allocate_limited`] succeeds and forgets earlier refusals.
    pub fn set_limit(&mut self, bytes: usize) {
        self.limit = bytes;
        self.refused = false;
    }

    /// Records that something too large for the limit was wanted.
    pub fn refuse(&mut self) {
        self.refused = true;
    }

    /// Bytes that may still be allocated within the limit.
    pub fn remaining(&self) -> usize {
        self.limit.saturating_sub(self.used)
    }

    pub(crate) fn touched(&self) -> usize {
        self.touched
    }

    pub(crate) fn set_touched(&mut self, touched: usize) {
        self.touched = touched;
    }

    /// Allocates within the limit; a null pointer, and the `refused` mark, beyond it.
    pub fn allocate_limited(&mut self, bytes: usize) -> *mut u8 {
        if bytes > self.remaining() {
            self.refused = true;
            return std::ptr::null_mut();
        }
        let pointer = self.allocate(bytes);
        self.refused |= pointer.is_null();
        pointer
    }

    /// Allocates `bytes` (at least 1) aligned to 16; null if the region is full.
    pub fn allocate(&mut self, bytes: usize) -> *mut u8 {
        let Some(size) = block_size(bytes) else { return std::ptr::null_mut() };
        let block = match self.take_fitting(size) {
            Some(block) => block,
            None => match self.extend_top(size) {
                Some(block) => block,
                None => return std::ptr::null_mut(),
            },
        };
        // SAFETY: `block` is a block of this heap that was just marked as in use.
        self.used += unsafe { size_of_block(block) };
        (block + HEADER_BYTES) as *mut u8
    }

    /// Allocates with an alignment above 16 by cutting the aligned part out of a larger block.
    pub fn allocate_aligned(&mut self, bytes: usize, align: usize) -> *mut u8 {
        if align <= ALIGN {
            return self.allocate(bytes);
        }
        let Some(padded) = bytes.checked_add(align + MIN_BLOCK) else { return std::ptr::null_mut() };
        let pointer = self.allocate(padded) as usize;
        if pointer == 0 || pointer.is_multiple_of(align) {
            return pointer as *mut u8;
        }
        let aligned = (pointer + MIN_BLOCK).next_multiple_of(align);
        let (front, back) = (pointer - HEADER_BYTES, aligned - HEADER_BYTES);
        // SAFETY: both lie in the block just allocated, which is cut in two used blocks; the front one is freed.
        unsafe {
            let size = size_of_block(front);
            let flags = read(front) & FLAGS;
            write(back, (size - (back - front)) | IN_USE | PREVIOUS_IN_USE);
            write(front, (back - front) | flags);
            self.free(pointer as *mut u8);
        }
        aligned as *mut u8
    }

    /// Frees a block.
    ///
    /// # Safety
    /// `pointer` came from this heap and is not used afterwards.
    pub unsafe fn free(&mut self, pointer: *mut u8) {
        let mut block = pointer as usize - HEADER_BYTES;
        // SAFETY: the caller gives a live block; headers of it and of its neighbours are intact.
        unsafe {
            let header = read(block);
            let mut size = header & !FLAGS;
            self.used -= size;
            let next = block + size;
            if header & PREVIOUS_IN_USE == 0 {
                let before = read(block - HEADER_BYTES);
                block -= before;
                size += before;
                self.unlink(block, before);
            }
            if next == self.top {
                self.top = block;
                return;
            }
            let next_header = read(next);
            if next_header & IN_USE == 0 {
                let after = next_header & !FLAGS;
                self.unlink(next, after);
                size += after;
            } else {
                write(next, next_header & !PREVIOUS_IN_USE);
            }
            self.link(block, size);
        }
    }

    /// Bytes usable behind `pointer`.
    ///
    /// # Safety
    /// `pointer` is a live block of a heap.
    pub unsafe fn usable_size(pointer: *const u8) -> usize {
        // SAFETY: the caller gives a live block.
        unsafe { size_of_block(pointer as usize - HEADER_BYTES) - HEADER_BYTES }
    }

    /// Changes the size of a block within the limit, in place where its neighbourhood allows; null if refused, and
    /// then the old block stays.
    ///
    /// # Safety
    /// As for [`Heap::free`], unless the result is null.
    pub unsafe fn reallocate_limited(&mut self, pointer: *mut u8, bytes: usize) -> *mut u8 {
        // SAFETY: the caller gives a live block.
        let old = unsafe { Self::usable_size(pointer) };
        if bytes.saturating_sub(old) > self.remaining() {
            self.refused = true;
            return std::ptr::null_mut();
        }
        // SAFETY: as above.
        let moved = unsafe { self.reallocate(pointer, bytes) };
        self.refused |= moved.is_null();
        moved
    }

    /// [`Heap::reallocate_limited`] without the limit.
    ///
    /// # Safety
    /// As for [`Heap::free`], unless the result is null.
    pub unsafe fn reallocate(&mut self, pointer: *mut u8, bytes: usize) -> *mut u8 {
        let Some(wanted) = block_size(bytes) else { return std::ptr::null_mut() };
        let block = pointer as usize - HEADER_BYTES;
        // SAFETY: the caller gives a live block; its neighbours' headers are intact.
        unsafe {
            let size = size_of_block(block);
            if wanted <= size {
                self.shrink(block, size, wanted);
                return pointer;
            }
            if self.grow(block, size, wanted) {
                return pointer;
            }
            let moved = self.allocate(bytes);
            if !moved.is_null() {
                std::ptr::copy_nonoverlapping(pointer, moved, size - HEADER_BYTES);
                self.free(pointer);
            }
            moved
        }
    }

    /// Calls `visit` with the content of every free block, links and tags left out, in no order.
    pub(crate) fn for_each_free(&self, mut visit: impl FnMut(Range<usize>)) {
        for bin in self.bins {
            let mut block = bin;
            while block != 0 {
                // SAFETY: bins hold free blocks of this heap only.
                unsafe {
                    let size = size_of_block(block);
                    let inner = block + HEADER_BYTES + size_of::<Links>()..block + size - HEADER_BYTES;
                    let next = (*links(block)).next;
                    visit(inner);
                    block = next;
                }
            }
        }
    }

    /// Takes a free block of at least `size`, cut to it.
    fn take_fitting(&mut self, size: usize) -> Option<usize> {
        let mut bin = bin_of(size);
        if bin >= SMALL_BINS {
            // Blocks of one large bin differ in size: look at a few before going on to a bin where all fit.
            const TRIES: usize = 16;
            let mut block = *self.bins.get(bin)?;
            for _ in 0..TRIES {
                if block == 0 {
                    break;
                }
                // SAFETY: bins hold free blocks of this heap only.
                let (found, next) = unsafe { (size_of_block(block), (*links(block)).next) };
                if found >= size {
                    return Some(self.take(block, found, size));
                }
                block = next;
            }
            bin += 1;
        }
        let bin = self.next_filled(bin)?;
        let block = *self.bins.get(bin)?;
        // SAFETY: as above.
        let found = unsafe { size_of_block(block) };
        Some(self.take(block, found, size))
    }

    /// First bin at or above `bin` that holds a block.
    fn next_filled(&self, bin: usize) -> Option<usize> {
        let mut word = bin / 64;
        let mut bits = self.filled.get(word)? & (u64::MAX << (bin % 64));
        while bits == 0 {
            word += 1;
            bits = *self.filled.get(word)?;
        }
        Some(word * 64 + bits.trailing_zeros() as usize)
    }

    /// Marks a free block as used and frees what is left of it beyond `size`.
    fn take(&mut self, block: usize, found: usize, size: usize) -> usize {
        // SAFETY: `block` is a free block of `found` bytes; a free block is never next to `top`, so a block follows.
        unsafe {
            self.unlink(block, found);
            if found - size >= MIN_BLOCK {
                write(block, size | IN_USE | PREVIOUS_IN_USE);
                self.link(block + size, found - size);
            } else {
                write(block, found | IN_USE | PREVIOUS_IN_USE);
                let next = block + found;
                write(next, read(next) | PREVIOUS_IN_USE);
            }
        }
        block
    }

    fn extend_top(&mut self, size: usize) -> Option<usize> {
        let block = self.top;
        let top = block.checked_add(size)?;
        if top > self.end {
            return None;
        }
        self.top = top;
        self.touched = self.touched.max(top);
        // SAFETY: the bytes up to the new top belong to nobody; the block below is in use, else it were part of top.
        unsafe { write(block, size | IN_USE | PREVIOUS_IN_USE) };
        Some(block)
    }

    /// # Safety
    /// `block` is in use and has `size` bytes, at least `wanted`.
    unsafe fn shrink(&mut self, block: usize, size: usize, wanted: usize) {
        if size - wanted < MIN_BLOCK {
            return;
        }
        // SAFETY: cuts one used block in two used ones, then frees the second.
        unsafe {
            let flags = read(block) & FLAGS;
            write(block, wanted | flags);
            write(block + wanted, (size - wanted) | IN_USE | PREVIOUS_IN_USE);
            self.free((block + wanted + HEADER_BYTES) as *mut u8);
        }
    }

    /// # Safety
    /// `block` is in use and has `size` bytes, less than `wanted`.
    unsafe fn grow(&mut self, block: usize, size: usize, wanted: usize) -> bool {
        let next = block + size;
        // SAFETY: `next` is `top` or a block; both are known to this heap.
        unsafe {
            let flags = read(block) & FLAGS;
            if next == self.top {
                if block + wanted > self.end {
                    return false;
                }
                self.top = block + wanted;
                self.touched = self.touched.max(self.top);
                write(block, wanted | flags);
                self.used += wanted - size;
                return true;
            }
            let next_header = read(next);
            let after = next_header & !FLAGS;
            if next_header & IN_USE != 0 || size + after < wanted {
                return false;
            }
            self.unlink(next, after);
            let whole = size + after;
            write(block, whole | flags);
            let follower = block + whole;
            write(follower, read(follower) | PREVIOUS_IN_USE);
            self.used += after;
            self.shrink(block, whole, wanted);
            true
        }
    }

    /// Puts a free block into its bin.
    ///
    /// # Safety
    /// Nothing alive lies in the block; its neighbours are in use.
    unsafe fn link(&mut self, block: usize, size: usize) {
        let bin = bin_of(size);
        // SAFETY: the caller owns the block; the bin's head is a free block of this heap.
        unsafe {
            write(block, size | PREVIOUS_IN_USE);
            write(block + size - HEADER_BYTES, size);
            if let (Some(head), Some(word)) = (self.bins.get_mut(bin), self.filled.get_mut(bin / 64)) {
                links(block).write(Links { next: *head, previous: 0 });
                if *head != 0 {
                    (*links(*head)).previous = block;
                }
                *head = block;
                *word |= 1 << (bin % 64);
            }
        }
    }

    /// Takes a free block out of its bin.
    ///
    /// # Safety
    /// `block` is a free block of `size` bytes of this heap.
    unsafe fn unlink(&mut self, block: usize, size: usize) {
        let bin = bin_of(size);
        // SAFETY: links of free blocks name free blocks of the same bin.
        unsafe {
            let Links { next, previous } = links(block).read();
            if next != 0 {
                (*links(next)).previous = previous;
            }
            if previous != 0 {
                (*links(previous)).next = next;
            } else if let (Some(head), Some(word)) = (self.bins.get_mut(bin), self.filled.get_mut(bin / 64)) {
                *head = next;
                if next == 0 {
                    *word &= !(1 << (bin % 64));
                }
            }
        }
    }
}

/// Size of the block for a request, `None` if absurd.
fn block_size(bytes: usize) -> Option<usize> {
    let size = bytes.checked_add(HEADER_BYTES + ALIGN - 1)? & !FLAGS;
    (size < 1 << 32).then(|| size.max(MIN_BLOCK))
}

fn bin_of(size: usize) -> usize {
    if size < SMALL_LIMIT {
        size / ALIGN
    } else {
        let log = size.ilog2() as usize;
        SMALL_BINS + (log - SMALL_LIMIT.ilog2() as usize) * 4 + ((size >> (log - 2)) & 3)
    }
}

unsafe fn read(address: usize) -> usize {
    // SAFETY: the caller names a header or tag of a heap.
    unsafe { *(address as *const usize) }
}

unsafe fn write(address: usize, word: usize) {
    // SAFETY: the caller names a header or tag of a heap.
    unsafe { *(address as *mut usize) = word }
}

unsafe fn size_of_block(block: usize) -> usize {
    // SAFETY: the caller names a block.
    unsafe { read(block) & !FLAGS }
}

fn links(block: usize) -> *mut Links {
    (block + HEADER_BYTES) as *mut Links
}

#[cfg(test)]
#[expect(
    clippy::undocumented_unsafe_blocks,
    reason = "the blocks are those that the test itself has allocated"
)]
mod tests;
