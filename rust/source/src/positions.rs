//! From the engine's places to the model's.

use std::ops::Range;

use toolcell_protocol::Location;

use crate::{
    edits::Insertion,
    lines::{line_ranges, location_at},
};

/// Maps a place in the body to its place in the source as given.
///
/// Empty, and so free of cost, when the body is the source and ASCII.
///
/// **Limits:** U+2028 and U+2029 outside of strings, templates and comments, and a lone CR inside of a block
/// comment, are counted as line ends by the engine or by this type, but not by both.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Positions {
    lines_before: u32,
    lines: u32,
    segments: Box<[Segment]>,
}

/// From `column` of the body's `line` on, a column of the source is `width` bytes wide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Segment {
    line: u32,
    /// In bytes from 1.
    column: u32,
    /// In code points from 1.
    source_column: u32,
    /// 0 inside of inserted text, all of which lies at one place of the source.
    width: u32,
}

impl Positions {
    /// Maps the body made of `source[code]` with `insertions`, sorted by offset and counted from `code.start`.
    pub(crate) fn new(source: &str, code: Range<usize>, insertions: &[Insertion]) -> Self {
        let text = source.get(code.clone()).unwrap_or_default();
        let start = location_at(source, code.start);
        let mut source_column = start.column.unwrap_or(1);
        let mut segments = Vec::new();
        let mut lines = 0;
        let mut rest = insertions;
        let plain = source_column == 1 && insertions.is_empty() && text.is_ascii();
        for range in line_ranges(text) {
            lines += 1;
            if plain {
                continue;
            }
            let here = rest.partition_point(|insertion| insertion.offset <= range.end);
            let (inserted, later) = rest.split_at(here);
            rest = later;
            let line = text.get(range.clone()).unwrap_or_default();
            if source_column != 1 || !inserted.is_empty() || !line.is_ascii() {
                map_line(&mut segments, lines, line, range.start, inserted, source_column);
            }
            source_column = 1;
        }
        Self { lines_before: start.line - 1, lines, segments: segments.into() }
    }

    /// The place in the source of a place in the body.
    ///
    /// `line` counts from 1 at the body's first line, `column` from 1 in UTF-8 bytes; column 0 means unknown. A
    /// line outside of the body gives `None`.
    ///
    /// **Source:** `QuickJS`-ng 0.16 counts columns in bytes from 1 (`JSToken.col_num` in quickjs.c).
    pub fn locate(&self, line: u32, column: u32) -> Option<Location> {
        if !(1..=self.lines).contains(&line) {
            return None;
        }
        let after = self.segments.partition_point(|segment| (segment.line, segment.column) <= (line, column));
        let segment = after.checked_sub(1).and_then(|at| self.segments.get(at)).filter(|at| at.line == line);
        let column = match segment {
            _ if column == 0 => None,
            None => Some(column),
            Some(at) => {
                Some(at.source_column + (column - at.column).checked_div(at.width).unwrap_or_default())
            }
        };
        Some(Location { line: line + self.lines_before, column })
    }
}

fn map_line(
    segments: &mut Vec<Segment>,
    number: u32,
    line: &str,
    start: usize,
    mut insertions: &[Insertion],
    mut source_column: u32,
) {
    let mut column = 1;
    let mut width = u32::from(source_column == 1);
    let ends = line.char_indices().map(|(at, c)| (at, c.len_utf8() as u32));
    for (at, bytes) in ends.chain([(line.len(), 1)]) {
        while let Some((insertion, rest)) = insertions.split_first()
            && insertion.offset <= start + at
        {
            insertions = rest;
            if width != 0 || segments.last().is_none_or(|last| last.line != number) {
                segments.push(Segment { line: number, column, source_column, width: 0 });
            }
            width = 0;
            column += insertion.text.len() as u32;
        }
        if bytes != width {
            width = bytes;
            segments.push(Segment { line: number, column, source_column, width });
        }
        column += bytes;
        source_column += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edits::{Edits, Layer};

    fn positions(source: &str, code: Range<usize>, inserted: &[(usize, &'static str)]) -> Positions {
        let mut edits = Edits::default();
        for (offset, text) in inserted {
            edits.insert_before(*offset, Layer::Inner, *text);
        }
        let (_, insertions) = edits.apply(&source[code.clone()], 0);
        Positions::new(source, code, &insertions)
    }

    fn columns(positions: &Positions, line: u32, columns: Range<u32>) -> Vec<u32> {
        columns.map(|column| positions.locate(line, column).unwrap().column.unwrap()).collect()
    }

    #[test]
    fn an_unchanged_ascii_body_needs_no_segments() {
        let map = positions("ab\ncd", 0..5, &[]);

        assert_eq!(map, Positions { lines_before: 0, lines: 2, segments: Box::default() });
        assert_eq!(map.locate(2, 2), Some(Location { line: 2, column: Some(2) }));
    }

    #[test]
    fn inserted_text_lies_at_one_place() {
        let map = positions("ab\ncd", 0..5, &[(1, "xyz"), (1, "w"), (5, "!!")]);

        assert_eq!(columns(&map, 1, 1..8), [1, 2, 2, 2, 2, 2, 3]);
        assert_eq!(columns(&map, 2, 1..6), [1, 2, 3, 3, 3]);
    }

    #[test]
    fn insertions_at_both_ends_of_a_line_map() {
        let map = positions("ab", 0..2, &[(0, "return "), (2, ")")]);

        assert_eq!(columns(&map, 1, 1..12), [1, 1, 1, 1, 1, 1, 1, 1, 2, 3, 3]);
    }

    #[test]
    fn bytes_become_code_points() {
        let map = positions("é😀x", 0..7, &[]);

        assert_eq!(columns(&map, 1, 1..9), [1, 1, 2, 2, 2, 2, 3, 4]);
    }

    #[test]
    fn code_that_starts_inside_of_a_line_is_shifted() {
        let map = positions("\u{feff}ab\nc", 3..7, &[]);

        assert_eq!(columns(&map, 1, 1..3), [2, 3]);
        assert_eq!(columns(&map, 2, 1..2), [1]);
    }

    #[test]
    fn lines_before_the_code_count() {
        let map = positions("```js\nab\n```", 6..9, &[]);

        assert_eq!(map.locate(1, 2), Some(Location { line: 2, column: Some(2) }));
        assert_eq!(map.locate(0, 1), None);
        assert_eq!(map.locate(3, 1), None);
    }

    #[test]
    fn an_unknown_column_stays_unknown() {
        assert_eq!(positions("ab", 0..2, &[]).locate(1, 0), Some(Location { line: 1, column: None }));
    }
}
