//! Strings as JSON.

use std::borrow::Cow;

const HEX: &[u8; 16] = b"0123456789abcdef";

/// Appends `bytes` (UTF-8 in which lone surrogates may stand in their three-byte form) as a JSON string. Lone surrogates
/// become U+FFFD.
pub(crate) fn append_json_string(output: &mut Vec<u8>, bytes: &[u8]) {
    output.push(b'"');
    let mut start = 0;
    for (index, &byte) in bytes.iter().enumerate() {
        if !needs_care(byte) {
            continue;
        }
        let replacement: Cow<'_, [u8]> = match byte {
            b'"' => b"\\\"".into(),
            b'\\' => b"\\\\".into(),
            b'\n' => b"\\n".into(),
            b'\r' => b"\\r".into(),
            b'\t' => b"\\t".into(),
            0..0x20 => {
                let (high, low) = (usize::from(byte >> 4), usize::from(byte & 15));
                let digit = |nibble: usize| HEX.get(nibble).copied().unwrap_or(b'0');
                vec![b'\\', b'u', b'0', b'0', digit(high), digit(low)].into()
            }
            _ if is_surrogate(bytes, index) => {
                output.extend_from_slice(bytes.get(start..index).unwrap_or_default());
                output.extend_from_slice("\u{FFFD}".as_bytes());
                start = index + 3;
                continue;
            }
            _ => continue,
        };
        output.extend_from_slice(bytes.get(start..index).unwrap_or_default());
        output.extend_from_slice(&replacement);
        start = index + 1;
    }
    output.extend_from_slice(bytes.get(start..).unwrap_or_default());
    output.push(b'"');
}

/// The text with lone surrogates replaced.
pub(crate) fn well_formed(bytes: &[u8]) -> String {
    let mut text = Vec::with_capacity(bytes.len());
    let mut start = 0;
    for index in 0..bytes.len() {
        if bytes.get(index) == Some(&0xED) && is_surrogate(bytes, index) {
            text.extend_from_slice(bytes.get(start..index).unwrap_or_default());
            text.extend_from_slice("\u{FFFD}".as_bytes());
            start = index + 3;
        }
    }
    text.extend_from_slice(bytes.get(start..).unwrap_or_default());
    String::from_utf8(text).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

#[inline]
fn needs_care(byte: u8) -> bool {
    byte < 0x20 || byte == b'"' || byte == b'\\' || byte == 0xED
}

/// Whether a surrogate's three-byte form starts at `index`: ED A0..BF xx.
fn is_surrogate(bytes: &[u8], index: usize) -> bool {
    bytes.get(index + 1).is_some_and(|&second| second >= 0xA0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(bytes: &[u8]) -> String {
        let mut output = Vec::new();
        append_json_string(&mut output, bytes);
        String::from_utf8(output).unwrap()
    }

    #[test]
    fn strings_are_escaped_and_well_formed() {
        assert_eq!(json(b"plain"), "\"plain\"");
        assert_eq!(json(b"a\"b\\c\n\r\t\x00\x1f"), r#""a\"b\\c\n\r\t\u0000\u001f""#);
        assert_eq!(json("é\u{2028}\u{10FFFF}\u{D7FF}".as_bytes()), "\"é\u{2028}\u{10FFFF}\u{D7FF}\"");
        assert_eq!(json(b"x\xED\xA0\x80y\xED\xBF\xBF"), "\"x\u{FFFD}y\u{FFFD}\"");
        assert_eq!(well_formed(b"x\xED\xA0\x80y"), "x\u{FFFD}y");
    }
}
