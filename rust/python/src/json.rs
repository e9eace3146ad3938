//! Python objects to JSON and back, by the rules for values that cross the bridge.

mod decode;
mod encode;
mod integers;
mod path;

use pyo3::{prelude::*, types::PyBytes};

/// Deepest nesting either way, whatever a caller allows: it bounds the native stack.
const MAX_DEPTH: usize = 1000;

/// Encode a Python value as JSON.
#[pyfunction]
#[pyo3(signature = (value, *, max_depth, max_bytes))]
pub(crate) fn encode_json<'py>(
    value: &Bound<'py, PyAny>,
    max_depth: usize,
    max_bytes: usize,
) -> PyResult<Bound<'py, PyBytes>> {
    let bytes = encode::encode(value, max_depth.min(MAX_DEPTH), max_bytes)?;
    Ok(PyBytes::new(value.py(), &bytes))
}

/// Decode JSON into Python objects.
#[pyfunction]
pub(crate) fn decode_json<'py>(py: Python<'py>, data: &[u8]) -> PyResult<Bound<'py, PyAny>> {
    decode::decode(py, data)
}
