//! Code frames.

use std::fmt::Write as _;

use toolcell_protocol::Location;

use crate::lines::line_ranges;

/// Lines shown before and after the one that is meant.
const CONTEXT_LINES: usize = 2;

/// Code points shown of a line.
const MAX_WIDTH: usize = 100;

/// At most five lines of `source` around `location`, with a caret under its column.
///
/// Long lines are cut to 100 code points around the column. A location outside of the source gives the empty string.
pub fn code_frame(source: &str, location: Location) -> String {
    let target = location.line as usize;
    let first = target.saturating_sub(CONTEXT_LINES).max(1);
    let lines: Vec<_> =
        line_ranges(source).skip(first - 1).take(target + CONTEXT_LINES + 1 - first).collect();
    if target == 0 || first + lines.len() <= target {
        return String::new();
    }
    let column = location.column.unwrap_or(1).max(1) as usize - 1;
    let skipped = (column + MAX_WIDTH / 4).saturating_sub(MAX_WIDTH);
    let digits = (first + lines.len() - 1).to_string().len();
    let mut frame = String::new();
    for (number, line) in (first..).zip(lines) {
        let text: String =
            source.get(line).unwrap_or_default().chars().skip(skipped).take(MAX_WIDTH).collect();
        let marker = if number == target { '>' } else { ' ' };
        let _ = writeln!(frame, "{}", format!("{marker} {number:>digits$} | {text}").trim_end());
        if number == target && location.column.is_some() {
            // A tab before the caret keeps it under its column however wide the reader's tabs are.
            let padding: String =
                text.chars().take(column - skipped).map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
            let _ = writeln!(frame, "  {:digits$} | {padding}^", "");
        }
    }
    frame.truncate(frame.trim_end().len());
    frame
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(line: u32, column: u32) -> Location {
        Location { line, column: Some(column) }
    }

    #[test]
    fn a_frame_has_two_lines_on_each_side_and_a_caret() {
        let source = "1\n2\n3\n\tfour\n5\n6\n7";

        assert_eq!(
            code_frame(source, at(4, 3)),
            "  2 | 2\n  3 | 3\n> 4 | \tfour\n    | \t ^\n  5 | 5\n  6 | 6"
        );
    }

    #[test]
    fn a_frame_at_an_edge_is_shorter() {
        assert_eq!(code_frame("only", at(1, 5)), "> 1 | only\n    |     ^");
    }

    #[test]
    fn a_long_line_is_cut_around_the_column() {
        let source = format!("{}X{}", "a".repeat(5000), "b".repeat(5000));

        let frame = code_frame(&source, at(1, 5001));

        let (line, caret) = frame.split_once('\n').unwrap();
        assert_eq!(line.chars().nth(caret.len() - 1), Some('X'));
        assert!(line.len() < 120);
    }

    #[test]
    fn a_place_without_column_has_no_caret_and_one_outside_no_frame() {
        assert_eq!(code_frame("a\nb", Location { line: 1, column: None }), "> 1 | a\n  2 | b");
        assert_eq!(code_frame("a\nb", at(9, 1)), "");
        assert_eq!(code_frame("a\nb", at(0, 1)), "");
    }
}
