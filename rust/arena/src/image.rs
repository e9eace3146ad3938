//! The bytes of a VM that has just booted, and the difference of a used one to them.
//!
//! A delta is a list of page runs and the LZ4 block of those pages. Each 8-byte word of a page is stored as the XOR of
//! its [distance form](crate::relative) and that of the base image, so what a cell did not touch is zero.

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
        let runs = self.dirty_runs(heap.top(), &spans);
        let pages: usize = runs.iter().map(Range::len).sum();
        let mut words = Vec::with_capacity(pages * PAGE_BYTES);
        for page in runs.iter().cloned().flatten() {
            self.append_page(page, &mut words);
        }
        let head_bytes = 4 + runs.len() * RUN_BYTES;
        let mut delta = Vec::with_capacity(head_bytes + block::get_maximum_output_size(words.len()));
        delta.extend_from_slice(&(runs.len() as u32).to_le_bytes());
        for run in &runs {
            delta.extend_from_slice(&(run.start as u32).to_le_bytes());
            delta.extend_from_slice(&(run.len() as u32).to_le_bytes());
        }
        delta.resize(delta.capacity(), 0);
        let body = delta.get_mut(head_bytes..).unwrap_or_default();
        let packed = block::compress_into(&words, body).map_err(|_| DeltaError::Malformed)?;
        delta.truncate(head_bytes + packed);
        if delta.len() > max_bytes {
            return Err(DeltaError::TooLarge { found: delta.len(), allowed: max_bytes });
        }
        Ok(delta)
    }

    /// Applies a delta to an arena that equals this image. Everything is checked before a byte is written.
    ///
    /// # Safety
    /// No reference into the arena is alive, and the delta was made by [`BaseImage::delta`] of the same image.
    pub unsafe fn apply(&self, delta: &[u8]) -> Result<(), DeltaError> {
        let (runs, body) = parse_runs(delta)?;
        let pages: usize = runs.iter().map(Range::len).sum();
        let mut words = vec![0; pages * PAGE_BYTES];
        let unpacked = block::decompress_into(body, &mut words).map_err(|_| DeltaError::Malformed)?;
        if unpacked != words.len() {
            return Err(DeltaError::Malformed);
        }
        for (page, content) in runs.into_iter().flatten().zip(words.chunks_exact(PAGE_BYTES)) {
            // SAFETY: `parse_runs` keeps pages within the arena; the caller holds no references.
            unsafe { self.write_page(page, content) };
        }
        Ok(())
    }

    fn dirty_runs(&self, top: usize, free_spans: &[Range<usize>]) -> Vec<Range<usize>> {
        let count = (top - ARENA_START).div_ceil(PAGE_BYTES);
        let mut runs: Vec<Range<usize>> = Vec::new();
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
            if page_at(page) != self.page(page) {
                match runs.last_mut() {
                    Some(run) if run.end == page => run.end += 1,
                    _ => runs.push(page..page + 1),
                }
            }
            page += 1;
        }
        runs
    }

    fn append_page(&self, page: usize, words: &mut Vec<u8>) {
        let start = (ARENA_START + page * PAGE_BYTES) as u64;
        for (index, (word, base)) in words_of(page_at(page)).zip(words_of(self.page(page))).enumerate() {
            let address = start + (index * WORD_BYTES) as u64;
            let changed = relative::to_distance(word, address) ^ relative::to_distance(base, address);
            words.extend_from_slice(&changed.to_le_bytes());
        }
    }

    /// # Safety
    /// The page lies in the arena and no reference into it is alive.
    unsafe fn write_page(&self, page: usize, content: &[u8]) {
        let start = ARENA_START + page * PAGE_BYTES;
        for (index, (changed, base)) in words_of(content).zip(words_of(self.page(page))).enumerate() {
            let address = start + index * WORD_BYTES;
            let word = relative::to_pointer(changed ^ relative::to_distance(base, address as u64), address as u64);
            // SAFETY: passed on; the address is aligned and within the page.
            unsafe { *(address as *mut u64) = word };
        }
    }

    /// A page of the base image; beyond its end all pages are zero.
    fn page(&self, page: usize) -> &[u8] {
        static ZEROS: [u8; PAGE_BYTES] = [0; PAGE_BYTES];
        self.bytes.get(page * PAGE_BYTES..(page + 1) * PAGE_BYTES).unwrap_or(&ZEROS)
    }
}

/// A page of the arena.
fn page_at(page: usize) -> &'static [u8] {
    // SAFETY: callers stay below the heap's top; nobody writes to the arena during a comparison.
    unsafe { std::slice::from_raw_parts((ARENA_START + page * PAGE_BYTES) as *const u8, PAGE_BYTES) }
}

fn words_of(page: &[u8]) -> impl Iterator<Item = u64> {
    page.as_chunks::<WORD_BYTES>().0.iter().map(|word| u64::from_le_bytes(*word))
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
            unsafe { std::ptr::copy_nonoverlapping(original.as_ptr(), inside.start as *mut u8, original.len()) };
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
        let [a, b, c, d, e, f, g, h] = *entry;
        let start = u32::from_le_bytes([a, b, c, d]) as usize;
        let length = u32::from_le_bytes([e, f, g, h]) as usize;
        if start < next || length == 0 || start + length > ARENA_BYTES / PAGE_BYTES {
            return Err(DeltaError::Malformed);
        }
        next = start + length;
        runs.push(start..next);
    }
    Ok((runs, body))
}
