//! Changes to a text that keep its lines.

use std::{borrow::Cow, ops::Range};

/// Which of several insertions at one place comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Order {
    /// Opens something around all else at this place.
    Opening,
    /// In the order in which they were added.
    Inner,
    /// Closes something around all else at this place.
    Closing,
}

/// Text that is put before the byte at `offset`.
#[derive(Debug, Clone)]
pub(crate) struct Insertion {
    pub(crate) offset: usize,
    order: Order,
    pub(crate) text: Cow<'static, str>,
}

/// Changes to a text: bytes overwritten in place and text inserted, neither with a line end.
#[derive(Debug, Default)]
pub(crate) struct Edits {
    overwrites: Vec<(Range<usize>, Option<u8>)>,
    insertions: Vec<Insertion>,
}

impl Edits {
    /// Overwrites a range with spaces, byte for byte; line ends stay.
    pub(crate) fn blank(&mut self, range: Range<usize>) {
        self.overwrites.push((range, None));
    }

    /// Overwrites one byte. It must be ASCII, or be blanked before.
    pub(crate) fn overwrite(&mut self, offset: usize, byte: u8) {
        self.overwrites.push((offset..offset + 1, Some(byte)));
    }

    /// Inserts `text` before the byte at `offset`.
    pub(crate) fn insert(&mut self, offset: usize, order: Order, text: impl Into<Cow<'static, str>>) {
        self.insertions.push(Insertion {
            offset,
            order,
            text: text.into(),
        });
    }

    /// The changed text from the byte `from` on, and the insertions in the order of their places, counted from there.
    pub(crate) fn apply(mut self, text: &str, from: usize) -> (String, Vec<Insertion>) {
        self.insertions
            .sort_by_key(|insertion| (insertion.offset, insertion.order));
        let blanked = self.overwritten(text);
        let blanked = blanked.as_deref().unwrap_or(text).get(from..).unwrap_or_default();
        for insertion in &mut self.insertions {
            insertion.offset = insertion.offset.saturating_sub(from);
        }
        let inserted: usize = self.insertions.iter().map(|insertion| insertion.text.len()).sum();
        let mut body = String::with_capacity(blanked.len() + inserted);
        let mut copied = 0;
        for insertion in &self.insertions {
            body.push_str(blanked.get(copied..insertion.offset).unwrap_or_default());
            body.push_str(&insertion.text);
            copied = insertion.offset;
        }
        body.push_str(blanked.get(copied..).unwrap_or_default());
        (body, self.insertions)
    }

    /// `None` if nothing is overwritten.
    fn overwritten(&self, text: &str) -> Option<String> {
        if self.overwrites.is_empty() {
            return None;
        }
        let mut bytes = text.as_bytes().to_vec();
        for (range, with) in &self.overwrites {
            for byte in bytes.get_mut(range.clone()).unwrap_or_default() {
                match with {
                    Some(with) => *byte = *with,
                    None if !matches!(byte, b'\n' | b'\r') => *byte = b' ',
                    None => {}
                }
            }
        }
        // Ranges come from syntax nodes, whose ends are character boundaries.
        String::from_utf8(bytes).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanking_keeps_bytes_and_lines() {
        let mut edits = Edits::default();
        edits.blank(1..7);
        edits.overwrite(1, b';');

        let (body, insertions) = edits.apply("aé\r\nxyz!", 0);

        assert_eq!(body, "a; \r\n  z!");
        assert_eq!(insertions.len(), 0);
    }

    #[test]
    fn insertions_at_one_place_keep_their_order() {
        let mut edits = Edits::default();
        edits.insert(1, Order::Inner, "1");
        edits.insert(1, Order::Closing, ")");
        edits.insert(1, Order::Opening, "(");
        edits.insert(1, Order::Inner, "2");

        assert_eq!(edits.apply("ab", 0).0, "a(12)b");
    }
}
