//! Lines of a source and places in it.
//!
//! A line ends with LF, CRLF or a lone CR, as the engine counts them.

use std::ops::Range;

use toolcell_protocol::Location;

/// Byte ranges of the lines of `text`, line ends excluded. Never empty.
pub(crate) fn line_ranges(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let bytes = text.as_bytes();
    let mut next = Some(0);
    std::iter::from_fn(move || {
        let start = next?;
        let rest = bytes.get(start..).unwrap_or_default();
        let end = memchr::memchr2(b'\n', b'\r', rest).map_or(bytes.len(), |found| start + found);
        next = match bytes.get(end) {
            Some(b'\r') if bytes.get(end + 1) == Some(&b'\n') => Some(end + 2),
            Some(_) => Some(end + 1),
            None => None,
        };
        Some(start..end)
    })
}

/// The place of a byte `offset` in `text`.
pub(crate) fn location_at(text: &str, offset: usize) -> Location {
    let offset = floor_char_boundary(text, offset);
    let mut found = Location { line: 1, column: Some(1) };
    for (index, line) in line_ranges(text).enumerate() {
        if line.start > offset {
            break;
        }
        let before = text.get(line.start..offset.min(line.end)).unwrap_or_default();
        found = Location { line: index as u32 + 1, column: Some(before.chars().count() as u32 + 1) };
    }
    found
}

/// The byte offset of a place whose column is known, `None` outside of `text`.
pub(crate) fn offset_at(text: &str, location: Location) -> Option<usize> {
    let line = line_ranges(text).nth((location.line as usize).checked_sub(1)?)?;
    let before = (location.column? as usize).checked_sub(1)?;
    let content = text.get(line.clone())?;
    let mut ends = content.char_indices().map(|(at, _)| at).chain([content.len()]);
    Some(line.start + ends.nth(before)?)
}

fn floor_char_boundary(text: &str, offset: usize) -> usize {
    (0..=offset.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_with_lf_crlf_or_a_lone_cr() {
        let lines: Vec<_> = line_ranges("a\nb\r\nc\rd\n").collect();

        assert_eq!(lines, [0..1, 2..3, 5..6, 7..8, 9..9]);
    }

    #[test]
    fn columns_count_code_points() {
        assert_eq!(location_at("é😀x", 6), Location { line: 1, column: Some(3) });
        assert_eq!(location_at("é😀x", 7), Location { line: 1, column: Some(4) });
        assert_eq!(location_at("a\r\nbc", 4), Location { line: 2, column: Some(2) });
        assert_eq!(location_at("", 9), Location { line: 1, column: Some(1) });
    }

    #[test]
    fn an_offset_is_found_again_at_its_place() {
        let text = "é😀x\r\n\r\nbc";

        for (offset, _) in text.char_indices().filter(|(_, c)| !c.is_whitespace()) {
            assert_eq!(offset_at(text, location_at(text, offset)), Some(offset));
        }
        assert_eq!(offset_at(text, Location { line: 9, column: Some(1) }), None);
        assert_eq!(offset_at(text, Location { line: 1, column: Some(9) }), None);
        assert_eq!(offset_at(text, Location { line: 1, column: None }), None);
    }
}
