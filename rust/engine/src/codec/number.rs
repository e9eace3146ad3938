//! Numbers as JSON. Digits alone are an exact integer; a `.` or an exponent makes a float.

use std::io::Write;

/// Largest integer up to which a `Number` is exact.
pub(crate) const MAX_SAFE_INTEGER: f64 = 9_007_199_254_740_991.0;

/// Appends a `Number`: safe integers as digits, others as a float, what JSON can't hold as `null`.
pub(crate) fn append_number(output: &mut Vec<u8>, value: f64) {
    if !value.is_finite() {
        output.extend_from_slice(b"null");
    } else if value.fract() == 0.0 && value.abs() <= MAX_SAFE_INTEGER {
        append_integer(output, value as i64);
    } else {
        // `{:?}` is the shortest form that reads back the same, and always has a `.` or an exponent.
        write!(output, "{value:?}").unwrap_or_default();
    }
}

/// Appends an integer.
pub(crate) fn append_integer(output: &mut Vec<u8>, value: i64) {
    let mut digits = [0_u8; 20];
    let mut at = digits.len();
    let mut rest = value.unsigned_abs();
    loop {
        at -= 1;
        if let Some(digit) = digits.get_mut(at) {
            *digit = b'0' + (rest % 10) as u8;
        }
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    if value < 0 {
        output.push(b'-');
    }
    output.extend_from_slice(digits.get(at..).unwrap_or_default());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(value: f64) -> String {
        let mut output = Vec::new();
        append_number(&mut output, value);
        String::from_utf8(output).unwrap()
    }

    #[test]
    fn numbers_keep_their_value_and_kind() {
        let cases = [
            (0.0, "0"),
            (-0.0, "0"),
            (-42.0, "-42"),
            (MAX_SAFE_INTEGER, "9007199254740991"),
            (-MAX_SAFE_INTEGER, "-9007199254740991"),
            (9_007_199_254_740_992.0, "9007199254740992.0"),
            (123_456_789_012_345_680_000.0, "1.2345678901234568e20"),
            (0.1 + 0.2, "0.30000000000000004"),
            (5e-324, "5e-324"),
            (1e21, "1e21"),
            (f64::NAN, "null"),
            (f64::NEG_INFINITY, "null"),
        ];

        for (value, expected) in cases {
            assert_eq!(json(value), expected);
        }
    }
}
