//! What Python hands to a pool.

use pyo3::{exceptions::PyValueError, prelude::*};
use toolcell_host::EncodedCatalog;
use toolcell_protocol::{
    self as protocol, ApiFile, BigIntegers, CatalogTool, Namespace, NamespaceFunction, NamespaceKind,
    OutputOverflow,
};

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

/// Group, name, alias and tool's id of one function.
type FunctionRow = (Option<String>, String, Option<String>, String);

/// Whether it is an MCP server, member, name, whether it is listed, and its functions.
type NamespaceRow = (bool, String, String, bool, Vec<FunctionRow>);

/// Path, description and text of one file.
type FileRow = (String, String, String);

/// An encoded catalog, made once per run and sent to each worker that serves it.
#[pyclass(frozen, module = "toolcell._native")]
pub(crate) struct Catalog(pub(crate) EncodedCatalog);

#[pymethods]
impl Catalog {
    #[new]
    #[pyo3(signature = (tools, *, namespaces, files))]
    fn new(tools: Vec<Row>, namespaces: Vec<NamespaceRow>, files: Vec<FileRow>) -> PyResult<Self> {
        let tools = tools.into_iter().map(|(id, safe_name, bare_name, entry)| CatalogTool {
            id,
            safe_name,
            bare_name,
            entry,
        });
        let files = files.into_iter().map(|(path, description, text)| ApiFile { path, description, text });
        let catalog = protocol::Catalog {
            hash: 0,
            tools: tools.collect(),
            namespaces: namespaces.into_iter().map(namespace).collect(),
            files: files.collect(),
        };
        EncodedCatalog::new(catalog).map(Self).map_err(errors::to_py)
    }

    #[getter]
    fn hash(&self) -> u64 {
        self.0.hash()
    }
}

fn namespace((mcp, member, name, listed, functions): NamespaceRow) -> Namespace {
    let functions =
        functions.into_iter().map(|(group, name, alias, id)| NamespaceFunction { group, name, alias, id });
    let kind = if mcp { NamespaceKind::Mcp } else { NamespaceKind::Host };
    Namespace { kind, member, name, listed, functions: functions.collect() }
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
