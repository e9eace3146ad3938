//! White space and comments between tokens.

/// Offset of the first token at or after `offset`, which lies between two tokens.
pub(crate) fn next_token(text: &str, offset: usize) -> usize {
    let mut rest = text.get(offset..).unwrap_or_default();
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
        rest = if rest.starts_with("//") {
            rest.find(LINE_ENDS).and_then(|end| rest.get(end..)).unwrap_or_default()
        } else if rest.starts_with("/*") {
            rest.find("*/").and_then(|end| rest.get(end + 2..)).unwrap_or_default()
        } else {
            return text.len() - rest.len();
        };
    }
}

/// Whether a line ends in `text`, as the grammar counts it.
pub(crate) fn has_line_end(text: &str) -> bool {
    text.contains(LINE_ENDS)
}

const LINE_ENDS: [char; 4] = ['\n', '\r', '\u{2028}', '\u{2029}'];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_white_space_are_skipped() {
        let text = " // a\r\n/* b\n*/\u{feff}\tc /";

        assert_eq!(text.get(next_token(text, 0)..), Some("c /"));
        assert_eq!(next_token(text, text.len()), text.len());
        assert_eq!(next_token("/* open", 0), 7);
    }
}
