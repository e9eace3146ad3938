//! What Python hands to a pool.

use pyo3::{exceptions::PyValueError, prelude::*};
use toolcell_host::EncodedCatalog;
use toolcell_protocol::{self as protocol, BigIntegers, CatalogTool, OutputOverflow};

use crate::errors;

/// Limits of one cell; see `toolcell.CodeModeConfig` for units and ranges.
#[pyclass(frozen, module = "toolcell._native")]
pub(crate) struct Limits(pub(crate) protocol::Limits);

#[pymethods]
impl Limits {
    #[new]
    #[pyo3(signature = (*, heap_bytes, output_bytes, truncate_output, snapshot_bytes, bridge_bytes,
        outstanding_calls, value_depth, big_integers))]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments, one per limit")]
    fn new(
        heap_bytes: u64,
        output_bytes: u64,
        truncate_output: bool,
        snapshot_bytes: u64,
        bridge_bytes: u64,
        outstanding_calls: u32,
        value_depth: u32,
        big_integers: &str,
    ) -> PyResult<Self> {
        let big_integers = match big_integers {
            "bigint" => BigIntegers::BigInt,
            "number" => BigIntegers::Number,
            "string" => BigIntegers::String,
            other => {
                let allowed = "'bigint', 'number' or 'string'";
                return Err(PyValueError::new_err(format!("big_integers is {other:?}, must be {allowed}")));
            }
        };
        let output_overflow = if truncate_output { OutputOverflow::Truncate } else { OutputOverflow::Fail };
        Ok(Self(protocol::Limits {
            heap_bytes,
            output_bytes,
            output_overflow,
            snapshot_bytes,
            bridge_bytes,
            outstanding_calls,
            value_depth,
            big_integers,
        }))
    }
}

/// Id, safe name, bare name and compact entry of one tool.
type Row = (String, Option<String>, Option<String>, Vec<u8>);

/// An encoded catalog, made once per run and sent to each worker that serves it.
#[pyclass(frozen, module = "toolcell._native")]
pub(crate) struct Catalog(pub(crate) EncodedCatalog);

#[pymethods]
impl Catalog {
    #[new]
    fn new(tools: Vec<Row>) -> PyResult<Self> {
        let tools = tools.into_iter().map(|(id, safe_name, bare_name, entry)| CatalogTool {
            id,
            safe_name,
            bare_name,
            entry,
        });
        EncodedCatalog::new(tools.collect()).map(Self).map_err(errors::to_py)
    }

    #[getter]
    fn hash(&self) -> u64 {
        self.0.hash()
    }
}

/// What the guest sees of a failed call: `toolcell.settlement.CallFailure`, read field by field.
#[derive(FromPyObject)]
pub(crate) struct CallFailure {
    name: String,
    message: String,
    code: String,
    tool: String,
    retryable: bool,
    data: Option<Vec<u8>>,
}

impl From<CallFailure> for protocol::ToolFailure {
    fn from(failure: CallFailure) -> Self {
        let CallFailure { name, message, code, tool, retryable, data } = failure;
        Self { name, message, code, tool, retryable, data }
    }
}
