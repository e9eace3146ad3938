//! Changes to a text that keep its lines.

use std::{borrow::Cow, ops::Range};

/// Whether an insertion belongs to the whole cell's shape or to a detail inside of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Layer {
    /// Surrounds what the inner layer inserts at the same place.
    Outer,
    /// Lies within what the outer layer inserts.
    Inner,
}

/// The order of insertions at one place: first those after what ends there, then those before what begins there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Order {
    AfterInner,
    AfterOuter,
    BeforeOuter,
    BeforeInner,
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

    /// Inserts `text` before what begins at `offset`. Later calls insert nearer to it.
    pub(crate) fn insert_before(&mut self, offset: usize, layer: Layer, text: impl Into<Cow<'static, str>>) {
        let order = match layer {
            Layer::Outer => Order::BeforeOuter,
            Layer::Inner => Order::BeforeInner,
        };
        self.insertions.push(Insertion { offset, order, text: text.into() });
    }

    /// Inserts `text` after what ends at `offset`. Later calls insert further from it.
    pub(crate) fn insert_after(&mut self, offset: usize, layer: Layer, text: impl Into<Cow<'static, str>>) {
        let order = match layer {
            Layer::Outer => Order::AfterOuter,
            Layer::Inner => Order::AfterInner,
        };
        self.insertions.push(Insertion { offset, order, text: text.into() });
    }

    /// The changed text from the byte `from` on, and the insertions in the order of their places, counted from there.
    pub(crate) fn apply(mut self, text: &str, from: usize) -> (String, Vec<Insertion>) {
        self.insertions.sort_by_key(|insertion| (insertion.offset, insertion.order));
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
    fn at_one_place_what_ends_there_comes_first_and_layers_nest() {
        let mut edits = Edits::default();
        edits.insert_before(1, Layer::Outer, "<");
        edits.insert_before(1, Layer::Inner, "(");
        edits.insert_before(1, Layer::Inner, "[");
        edits.insert_after(1, Layer::Outer, ">");
        edits.insert_after(1, Layer::Inner, "]");
        edits.insert_after(1, Layer::Inner, ")");

        assert_eq!(edits.apply("ab", 0).0, "a])><([b");
    }
}
