//! The compiled part of the Python package: `toolcell._native`, described by `_native.pyi`.
//!
//! Thin on purpose: arguments in, GIL released, the host crate works, results out. The only logic of its own is
//! the translation between Python objects and JSON.

mod arguments;
mod errors;
mod events;
mod json;
mod objects;
mod pool;

use pyo3::prelude::*;

/// Typed surface of the compiled host: worker processes, frames, deadlines. No tools, no policy.
#[pymodule]
mod _native {
    #[pymodule_export]
    use super::arguments::{Catalog, Limits};
    #[pymodule_export]
    use super::errors::{NativeError, WorkerGoneError, WorkerStartError};
    #[pymodule_export]
    use super::events::{Call, Completed, Failed, ForeignWords, Gone, Output, Parked, Refused, Waiting};
    #[pymodule_export]
    use super::json::{decode_json, encode_json};
    #[pymodule_export]
    use super::pool::Pool;

    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        module.add("SOURCE_FINGERPRINT", toolcell_protocol::SOURCE_FINGERPRINT)?;
        // Set by the build script of a build that bundles the worker.
        module.add("BUNDLED_WORKER_SHA256", option_env!("TOOLCELL_BUNDLED_WORKER_SHA256"))
    }
}
