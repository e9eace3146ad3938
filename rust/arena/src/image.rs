//! The bytes of a VM that has just booted, and the difference of a used one to them.
//!
//! A delta names the pages that differ, for each the 64-byte lines that do, and holds those lines in LZ4 blocks small
//! enough for the processor's cache. Each 8-byte word of a line is stored as the XOR of its
//! [distance form](crate::relative) and that of the base image.
//!
//! ```text
//! count of runs u32 | runs: first page u32, pages u32 | for each page: mask of lines u64
//! | blocks of 4096 lines, the last one shorter: packed bytes u32, LZ4 block
//! ```

use std::ops::Range;

use lz4_flex::block;
use xxhash_rust::xxh3::xxh3_128;

use crate::{
    heap::Heap,
    layout::{ARENA_BYTES, ARENA_START, PAGE_BYTES},
    region, relative, route,
};

const WORD_BYTES: usize = 8;
const RUN_BYTES: usize = 8;
const MASK_BYTES: usize = 8;
const PACKED_LENGTH_BYTES: usize = 4;
const LINE_BYTES: usize = PAGE_BYTES / (MASK_BYTES * 8);
/// Lines of one LZ4 block.
const BLOCK_LINES: usize = 4096;
const BLOCK_BYTES: usize = BLOCK_LINES * LINE_BYTES;
/// Free spans of this size are skipped instead of compared.
const LARGE_SPAN_BYTES: usize = 16 * PAGE_BYTES;

/// Why a delta can't be made or applied.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum DeltaError {
    /// The bytes are not a delta.
    #[error("malformed delta")]
    Malformed,
    /// The delta is larger than allowed.
    #[error("delta of {found} bytes, at most {allowed} are allowed")]
    TooLarge {
        /// Size in bytes.
        found: usize,
        /// Allowed size in bytes.
        allowed: usize,
    },
}

/// The arena as it was when the boot had ended.
#[derive(Debug)]
pub struct BaseImage {
    bytes: Vec<u8>,
    hash: u128,
}

impl BaseImage {
    /// Copies the arena as it is now. Call once, outside the VM, after the boot.
    pub fn take() -> Self {
        let length = (route::arena().top() - ARENA_START).next_multiple_of(PAGE_BYTES);
        let heap = route::arena();
        // SAFETY: the arena is mapped that far and nobody writes to it meanwhile; see `scrub` for the second call.
        let bytes = unsafe {
            scrub(heap, &[], &mut Vec::new());
            std::slice::from_raw_parts(ARENA_START as *const u8, length).to_vec()
        };
        let hash = xxh3_128(&bytes);
        Self { bytes, hash }
    }

    /// Hash of the image; equal for every process of a build.
    pub fn hash(&self) -> u128 {
        self.hash
    }

    /// Size in bytes, a multiple of the page size.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Whether the image is empty; it never is after a boot.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Makes the arena what it was after the boot.
    ///
    /// # Safety
    /// No reference into the arena is alive.
    pub unsafe fn reset(&self) {
        let touched = route::arena().touched().clamp(ARENA_START, ARENA_START + ARENA_BYTES);
        // SAFETY: the ranges lie in the arena; the caller holds no references.
        unsafe {
            std::ptr::copy_nonoverlapping(self.bytes.as_ptr(), ARENA_START as *mut u8, self.bytes.len());
            region::zero((ARENA_START + self.bytes.len()).min(touched)..touched);
        }
    }

    /// The difference of the arena to this image, in at most `max_bytes`. Garbage is cleared first.
    ///
    /// # Safety
    /// No reference into free memory of the arena is alive.
    pub unsafe fn delta(&self, max_bytes: usize) -> Result<Vec<u8>, DeltaError> {
        let heap = route::arena();
        let mut spans = Vec::new();
        // SAFETY: passed on.
        unsafe { scrub(heap, &self.bytes, &mut spans) };
        let Changes { runs, masks, packed, .. } = self.changes(heap.top(), &spans);
        let mut delta =
            Vec::with_capacity(4 + runs.len() * RUN_BYTES + masks.len() * MASK_BYTES + packed.len());
        delta.extend_from_slice(&(runs.len() as u32).to_le_bytes());
        for run in &runs {
            delta.extend_from_slice(&(run.start as u32).to_le_bytes());
            delta.extend_from_slice(&(run.len() as u32).to_le_bytes());
        }
        delta.extend(masks.iter().flat_map(|mask| mask.to_le_bytes()));
        delta.extend_from_slice(&packed);
        if delta.len() > max_bytes {
            return Err(DeltaError::TooLarge { found: delta.len(), allowed: max_bytes });
        }
        Ok(delta)
    }

    /// Applies a delta to an arena that equals this image.
    ///
    /// The list of pages is checked before a byte is written. A block that does not unpack is an error that leaves the
    /// arena half written: the caller resets it.
    ///
    /// # Safety
    /// No reference into the arena is alive, and the delta was made by [`BaseImage::delta`] of the same image.
    pub unsafe fn apply(&self, delta: &[u8]) -> Result<(), DeltaError> {
        let (runs, rest) = parse_runs(delta)?;
        let pages: usize = runs.iter().map(Range::len).sum();
        let (masks, body) = rest.split_at_checked(pages * MASK_BYTES).ok_or(DeltaError::Malformed)?;
        let masks = masks.as_chunks::<MASK_BYTES>().0.iter().map(|mask| u64::from_le_bytes(*mask));
        let count = masks.clone().map(|mask| mask.count_ones() as usize).sum();
        let mut lines =
            Lines { body, left: count, block: vec![0; BLOCK_BYTES.min(count * LINE_BYTES)], at: 0, end: 0 };
        for (page, mask) in runs.into_iter().flatten().zip(masks) {
            for (index, base) in self.page(page).as_chunks::<LINE_BYTES>().0.iter().enumerate() {
                if mask & 1 << index != 0 {
                    let address = ARENA_START + page * PAGE_BYTES + index * LINE_BYTES;
                    // SAFETY: `parse_runs` keeps pages within the arena; the caller holds no references.
                    unsafe { write_line(address, lines.next()?, base) };
                }
            }
        }
        if lines.body.is_empty() { Ok(()) } else { Err(DeltaError::Malformed) }
    }

    /// What differs from this image below `top`, free spans left out.
    fn changes(&self, top: usize, free_spans: &[Range<usize>]) -> Changes {
        let count = (top - ARENA_START).div_ceil(PAGE_BYTES);
        let mut changes = Changes::default();
        let mut spans = free_spans.iter().peekable();
        let mut page = 0;
        while page < count {
            let address = ARENA_START + page * PAGE_BYTES;
            while spans.next_if(|span| span.end < address + PAGE_BYTES).is_some() {}
            if let Some(span) = spans.peek()
                && span.start <= address
            {
                page = (span.end - ARENA_START) / PAGE_BYTES;
                continue;
            }
            changes.add_page(page, page_at(page), self.page(page));
            page += 1;
        }
        changes.pack();
        changes
    }

    /// A page of the base image; beyond its end all pages are zero.
    fn page(&self, page: usize) -> &[u8] {
        static ZEROS: [u8; PAGE_BYTES] = [0; PAGE_BYTES];
        self.bytes.get(page * PAGE_BYTES..(page + 1) * PAGE_BYTES).unwrap_or(&ZEROS)
    }
}

/// Pages and lines that differ.
#[derive(Default)]
struct Changes {
    runs: Vec<Range<usize>>,
    masks: Vec<u64>,
    /// Lines of the block being filled.
    lines: Vec<u8>,
    /// Blocks that are full.
    packed: Vec<u8>,
}

impl Changes {
    fn add_page(&mut self, page: usize, content: &[u8], base: &[u8]) {
        if content == base {
            return;
        }
        let mut mask = 0;
        let pairs = content.as_chunks::<LINE_BYTES>().0.iter().zip(base.as_chunks::<LINE_BYTES>().0);
        for (index, (line, base)) in pairs.enumerate() {
            if line != base {
                mask |= 1 << index;
                self.add_line(ARENA_START + page * PAGE_BYTES + index * LINE_BYTES, line, base);
            }
        }
        self.masks.push(mask);
        match self.runs.last_mut() {
            Some(run) if run.end == page => run.end += 1,
            _ => self.runs.push(page..page + 1),
        }
    }

    fn add_line(&mut self, address: usize, line: &[u8; LINE_BYTES], base: &[u8; LINE_BYTES]) {
        let mut changed = [0; LINE_BYTES];
        let slots = changed.as_chunks_mut::<WORD_BYTES>().0.iter_mut();
        for (index, (slot, (word, base))) in slots.zip(words(line).zip(words(base))).enumerate() {
            let at = (address + index * WORD_BYTES) as u64;
            *slot = (relative::to_distance(word, at) ^ relative::to_distance(base, at)).to_le_bytes();
        }
        self.lines.extend_from_slice(&changed);
        if self.lines.len() == BLOCK_BYTES {
            self.pack();
        }
    }

    /// Packs the lines gathered so far as one block.
    fn pack(&mut self) {
        if self.lines.is_empty() {
            return;
        }
        let start = self.packed.len();
        let body = start + PACKED_LENGTH_BYTES;
        self.packed.resize(body + block::get_maximum_output_size(self.lines.len()), 0);
        let space = self.packed.get_mut(body..).unwrap_or_default();
        // The space is as large as the worst case needs, so packing can't fail.
        let length = block::compress_into(&self.lines, space).unwrap_or_default();
        self.packed.truncate(body + length);
        if let Some(prefix) = self.packed.get_mut(start..body) {
            prefix.copy_from_slice(&(length as u32).to_le_bytes());
        }
        self.lines.clear();
    }
}

/// Unpacks the lines of a delta one after the other.
struct Lines<'a> {
    /// Blocks not yet unpacked.
    body: &'a [u8],
    /// Lines in those blocks.
    left: usize,
    block: Vec<u8>,
    at: usize,
    end: usize,
}

impl Lines<'_> {
    fn next(&mut self) -> Result<&[u8; LINE_BYTES], DeltaError> {
        if self.at == self.end {
            self.unpack()?;
        }
        let line = self
            .block
            .get(self.at..)
            .and_then(<[u8]>::first_chunk::<LINE_BYTES>)
            .ok_or(DeltaError::Malformed)?;
        self.at += LINE_BYTES;
        Ok(line)
    }

    fn unpack(&mut self) -> Result<(), DeltaError> {
        let (length, rest) =
            self.body.split_first_chunk::<PACKED_LENGTH_BYTES>().ok_or(DeltaError::Malformed)?;
        let (packed, rest) =
            rest.split_at_checked(u32::from_le_bytes(*length) as usize).ok_or(DeltaError::Malformed)?;
        let lines = self.left.min(BLOCK_LINES);
        let space = self.block.get_mut(..lines * LINE_BYTES).ok_or(DeltaError::Malformed)?;
        if block::decompress_into(packed, space).ok() != Some(space.len()) {
            return Err(DeltaError::Malformed);
        }
        (self.body, self.left, self.at, self.end) = (rest, self.left - lines, 0, lines * LINE_BYTES);
        Ok(())
    }
}

/// Writes a line from its stored form.
///
/// # Safety
/// The line lies in the arena and no reference into it is alive.
unsafe fn write_line(address: usize, line: &[u8; LINE_BYTES], base: &[u8; LINE_BYTES]) {
    for (index, (changed, base)) in words(line).zip(words(base)).enumerate() {
        let at = address + index * WORD_BYTES;
        let word = relative::to_pointer(changed ^ relative::to_distance(base, at as u64), at as u64);
        // SAFETY: passed on; the address is aligned.
        unsafe { *(at as *mut u64) = word };
    }
}

fn words(line: &[u8; LINE_BYTES]) -> impl Iterator<Item = u64> {
    line.as_chunks::<WORD_BYTES>().0.iter().map(|word| u64::from_le_bytes(*word))
}

/// A page of the arena.
fn page_at(page: usize) -> &'static [u8] {
    // SAFETY: callers stay below the heap's top; nobody writes to the arena during a comparison.
    unsafe { std::slice::from_raw_parts((ARENA_START + page * PAGE_BYTES) as *const u8, PAGE_BYTES) }
}

/// Gives free memory the content it has in `base` (zeros beyond it), and lists large free spans in order of address.
///
/// # Safety
/// No reference into free memory of the arena is alive.
unsafe fn scrub(heap: &mut Heap, base: &[u8], spans: &mut Vec<Range<usize>>) {
    let base_end = ARENA_START + base.len();
    let clean = |range: Range<usize>| {
        let inside = range.start.min(base_end)..range.end.min(base_end);
        if let Some(original) = base.get(inside.start - ARENA_START..inside.end - ARENA_START) {
            // SAFETY: free memory of the arena, see above.
            unsafe {
                std::ptr::copy_nonoverlapping(original.as_ptr(), inside.start as *mut u8, original.len());
            }
        }
        // SAFETY: as above.
        unsafe { region::zero(range.start.max(base_end).min(range.end)..range.end) };
    };
    heap.for_each_free(|range| {
        if range.start >= base_end && range.len() >= LARGE_SPAN_BYTES {
            spans.push(range.clone());
        }
        clean(range);
    });
    clean(heap.top()..heap.touched().max(base_end));
    heap.set_touched(heap.top());
    spans.sort_by_key(|span| span.start);
}

/// Reads and checks the list of page runs: in order, apart, within the arena.
fn parse_runs(delta: &[u8]) -> Result<(Vec<Range<usize>>, &[u8]), DeltaError> {
    let (count, rest) = delta.split_first_chunk::<4>().ok_or(DeltaError::Malformed)?;
    let count = u32::from_le_bytes(*count) as usize;
    let list = rest.get(..count.saturating_mul(RUN_BYTES)).ok_or(DeltaError::Malformed)?;
    let body = rest.get(list.len()..).unwrap_or_default();
    let mut runs = Vec::with_capacity(count);
    let mut next = 0;
    for entry in list.as_chunks::<RUN_BYTES>().0 {
        let both = u64::from_le_bytes(*entry);
        let (start, length) = (both as u32 as usize, (both >> 32) as usize);
        if start < next || length == 0 || start + length > ARENA_BYTES / PAGE_BYTES {
            return Err(DeltaError::Malformed);
        }
        next = start + length;
        runs.push(start..next);
    }
    Ok((runs, body))
}
