//! From the host's errors to Python exceptions: one `match`.

use pyo3::{PyErr, create_exception, exceptions::PyException};
use toolcell_host::{PoolError, StartError};

create_exception!(
    toolcell._native,
    NativeError,
    PyException,
    "Base of the errors of this module. ``toolcell`` turns them into its own; users never see one."
);
create_exception!(
    toolcell._native,
    WorkerStartError,
    NativeError,
    "No worker can be started; the message says why and what to do."
);
create_exception!(toolcell._native, WorkerGoneError, NativeError, "The worker of this handle has ended.");

pub(crate) fn to_py(error: impl Into<PoolError>) -> PyErr {
    let error = error.into();
    let message = error.to_string();
    match error {
        PoolError::Start(_) => WorkerStartError::new_err(message),
        PoolError::Gone { .. } => WorkerGoneError::new_err(message),
        _ => NativeError::new_err(message),
    }
}

pub(crate) fn start_to_py(error: StartError) -> PyErr {
    to_py(error)
}
