//! What models put around a whole cell: a byte order mark and a Markdown fence.

use std::ops::Range;

use crate::lines::line_ranges;

const BYTE_ORDER_MARK: char = '\u{feff}';

/// Byte range of the code in `source`.
///
/// A fence is taken off only if it surrounds everything but white space. A missing closing fence is forgiven,
/// since no program starts with an opening one.
pub(crate) fn code_range(source: &str) -> Range<usize> {
    let start = skip_mark(source, 0);
    fenced_range(source, start).unwrap_or(start..source.len())
}

fn fenced_range(source: &str, start: usize) -> Option<Range<usize>> {
    let rest = source.get(start..)?;
    let opening = start + (rest.len() - rest.trim_start().len());
    let fence = fence_length(source.get(opening..)?)?;
    let marker = source.get(opening..opening + fence)?;
    let mut lines = line_ranges(source).filter(|line| line.end > opening);
    let info = source.get(opening + fence..lines.next()?.end)?;
    let code = skip_mark(source, lines.next()?.start);
    if info.contains('`') {
        return None; // `` ```a``` `` is not a fence but code in one line
    }
    let content = source.get(code..)?.trim_end();
    let content = match content.strip_suffix(marker) {
        Some(inner) => inner.trim_end_matches(marker.chars().next()?),
        None => content,
    };
    Some(code..code + content.len())
}

/// Number of characters of the fence that `text` starts with.
fn fence_length(text: &str) -> Option<usize> {
    let marker = text.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let length = text.len() - text.trim_start_matches(marker).len();
    (length >= 3).then_some(length)
}

fn skip_mark(source: &str, at: usize) -> usize {
    match source.get(at..) {
        Some(rest) if rest.starts_with(BYTE_ORDER_MARK) => at + BYTE_ORDER_MARK.len_utf8(),
        _ => at,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(source: &str) -> &str {
        &source[code_range(source)]
    }

    #[test]
    fn text_without_a_fence_is_code_as_it_stands() {
        assert_eq!(code("  return 1;\n"), "  return 1;\n");
        assert_eq!(code(""), "");
        assert_eq!(code("`a`\n`b`"), "`a`\n`b`");
    }

    #[test]
    fn a_fence_with_any_info_string_is_taken_off() {
        assert_eq!(code("```js\nreturn 1\n```"), "return 1\n");
        assert_eq!(code("```\nreturn 1\n```\n\n"), "return 1\n");
        assert_eq!(code("\n  ```typescript title=\"x\"\r\nreturn 1\r\n```"), "return 1\r\n");
        assert_eq!(code("````\nreturn 1\n````"), "return 1\n");
        assert_eq!(code("~~~js\nreturn 1\n~~~"), "return 1\n");
        assert_eq!(code("```js\nreturn 1```"), "return 1");
    }

    #[test]
    fn a_fence_that_is_never_closed_is_forgiven() {
        assert_eq!(code("```js\nreturn 1"), "return 1");
    }

    #[test]
    fn a_fence_inside_of_the_code_stays() {
        let inner = "text(`\n```js\nx\n```\n`)";

        assert_eq!(code(inner), inner);
        assert_eq!(code(&format!("```\n{inner}\n```")), format!("{inner}\n"));
    }

    #[test]
    fn a_byte_order_mark_is_skipped_outside_and_inside_of_a_fence() {
        assert_eq!(code("\u{feff}return 1"), "return 1");
        assert_eq!(code("\u{feff}```js\n\u{feff}return 1\n```"), "return 1\n");
    }

    #[test]
    fn backticks_on_one_line_are_not_a_fence() {
        assert_eq!(code("```a```"), "```a```");
        assert_eq!(code("```"), "```");
    }
}
