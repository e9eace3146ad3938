//! Integers of any size to decimal digits and back.
//!
//! Python limits its own conversions (4,300 digits by default) since they take quadratic time. The guest's
//! integers may be longer, so they are cut into pieces below that limit, by halves.

use pyo3::{exceptions::PyValueError, prelude::*, types::PyInt};

/// Bits of the largest integer that the guest's engine can hold.
const MAX_BITS: usize = 1 << 20;

/// Digits of that integer.
const MAX_DIGITS: usize = 315_653;

/// Digits that Python converts itself, under any limit a program can set.
const PIECE_DIGITS: usize = 600;

/// Appends the decimal digits of `value`. Errors if it has more than [`MAX_BITS`] bits.
pub(crate) fn append_digits(value: &Bound<'_, PyInt>, out: &mut Vec<u8>) -> PyResult<()> {
    let py = value.py();
    let bits: usize = value.call_method0("bit_length")?.extract()?;
    if bits > MAX_BITS {
        return Err(PyValueError::new_err(format!(
            "an integer of {bits} bits, at most {MAX_BITS} are allowed"
        )));
    }
    if value.lt(0)? {
        out.push(b'-');
    }
    // log10(2) < 0.30103; one more for the fraction cut off.
    let digits = bits * 30_103 / 100_000 + 1;
    append_padded(&value.abs()?, digits, out, true, py)
}

fn append_padded(
    value: &Bound<'_, PyAny>,
    digits: usize,
    out: &mut Vec<u8>,
    is_first: bool,
    py: Python<'_>,
) -> PyResult<()> {
    if digits <= PIECE_DIGITS {
        let text = value.str()?;
        let text = text.to_str()?;
        if !is_first {
            out.resize(out.len() + digits.saturating_sub(text.len()), b'0');
        }
        if !is_first || text != "0" || digits == 1 {
            out.extend_from_slice(text.as_bytes());
        }
        return Ok(());
    }
    let low_digits = digits / 2;
    let (high, low): (Bound<'_, PyAny>, Bound<'_, PyAny>) =
        value.divmod(power_of_ten(py, low_digits)?)?.extract()?;
    let has_high = high.is_truthy()?;
    if has_high || !is_first {
        append_padded(&high, digits - low_digits, out, is_first, py)?;
    }
    append_padded(&low, low_digits, out, is_first && !has_high, py)
}

/// The integer spelled by `text`: an optional `-`, then digits.
pub(crate) fn from_digits<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyAny>> {
    let (digits, is_negative) = match text.strip_prefix('-') {
        Some(digits) => (digits, true),
        None => (text, false),
    };
    if digits.len() > MAX_DIGITS {
        let found = digits.len();
        return Err(PyValueError::new_err(format!(
            "an integer of {found} digits, at most {MAX_DIGITS} are allowed"
        )));
    }
    let value = from_pieces(py, digits)?;
    if is_negative { value.neg() } else { Ok(value) }
}

fn from_pieces<'py>(py: Python<'py>, digits: &str) -> PyResult<Bound<'py, PyAny>> {
    if digits.len() <= PIECE_DIGITS {
        return py.get_type::<PyInt>().call1((digits,));
    }
    let (high, low) = digits.split_at(digits.len() - digits.len() / 2);
    from_pieces(py, high)?.mul(power_of_ten(py, low.len())?)?.add(from_pieces(py, low)?)
}

fn power_of_ten(py: Python<'_>, exponent: usize) -> PyResult<Bound<'_, PyAny>> {
    PyInt::new(py, 10).pow(exponent, py.None())
}
