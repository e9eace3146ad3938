//! `Pool`: arguments in, GIL released, events out.

use std::{collections::HashMap, path::PathBuf, time::Duration};

use pyo3::{
    exceptions::PyValueError,
    prelude::*,
    types::{PyBytes, PyList},
};
use toolcell_host::{Event, PoolError, PoolSettings, READY_TIMEOUT, WorkerId, WorkerPool};
use toolcell_protocol::{Language, Restore, Settle, Settlement, Start};

use crate::{
    arguments::{CallFailure, Catalog, Limits},
    errors::{start_to_py, to_py},
    events,
};

/// Warm worker processes. Thread-safe; all I/O is non-blocking; a forked child gets workers of its own.
#[pyclass(frozen, module = "toolcell._native")]
pub(crate) struct Pool(WorkerPool);

#[pymethods]
impl Pool {
    #[new]
    #[pyo3(signature = (worker, *, expected_sha256, warm, grace_ms))]
    fn new(
        py: Python<'_>,
        worker: PathBuf,
        expected_sha256: Option<&str>,
        warm: usize,
        grace_ms: u64,
    ) -> PyResult<Self> {
        let grace = Duration::from_millis(grace_ms);
        let settings = PoolSettings { warm, grace, ready_timeout: READY_TIMEOUT };
        py.detach(move || WorkerPool::new(&worker, expected_sha256, settings)).map(Self).map_err(start_to_py)
    }

    fn fileno(&self) -> PyResult<i32> {
        self.0.fileno().map_err(start_to_py)
    }

    fn lease(&self, py: Python<'_>) -> PyResult<u64> {
        py.detach(|| self.0.lease()).map(|worker| worker.0).map_err(start_to_py)
    }

    fn release(&self, py: Python<'_>, worker: u64) {
        py.detach(|| self.0.release(WorkerId(worker)));
    }

    fn kill(&self, py: Python<'_>, worker: u64) {
        py.detach(|| self.0.kill(WorkerId(worker)));
    }

    fn send_catalog(&self, py: Python<'_>, worker: u64, catalog: &Catalog) -> PyResult<()> {
        py.detach(|| self.0.send_catalog(WorkerId(worker), &catalog.0)).map_err(to_py)
    }

    #[pyo3(signature = (worker, *, cell, scope, code, typescript, typescript_enabled, shell_tool, limits,
        timeout_ms, seed))]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments, one per field of the message")]
    fn start<'py>(
        &self,
        py: Python<'py>,
        worker: u64,
        cell: String,
        scope: [u8; 32],
        code: String,
        typescript: bool,
        typescript_enabled: bool,
        shell_tool: Option<String>,
        limits: &Limits,
        timeout_ms: f64,
        seed: u64,
    ) -> PyResult<Bound<'py, PyList>> {
        let language = if typescript { Language::TypeScript } else { Language::JavaScript };
        let limits = limits.0.clone();
        let start = Start {
            cell,
            scope,
            code,
            language,
            typescript_enabled,
            shell_tool,
            limits,
            deadline_ns: 0,
            seed,
        };
        let timeout = duration(timeout_ms)?;
        answer(py, || self.0.start(WorkerId(worker), start, timeout))
    }

    #[pyo3(signature = (worker, *, settled, timeout_ms))]
    fn resume<'py>(
        &self,
        py: Python<'py>,
        worker: u64,
        settled: Vec<(u32, Bound<'py, PyAny>)>,
        timeout_ms: f64,
    ) -> PyResult<Bound<'py, PyList>> {
        let settled = settled.into_iter().map(settle).collect::<PyResult<_>>()?;
        let timeout = duration(timeout_ms)?;
        answer(py, || self.0.resume(WorkerId(worker), settled, timeout))
    }

    #[pyo3(signature = (worker, *, cell, scope, image, limits))]
    fn restore(
        &self,
        py: Python<'_>,
        worker: u64,
        cell: String,
        scope: [u8; 32],
        image: &[u8],
        limits: &Limits,
    ) -> PyResult<()> {
        let restore = Restore { cell, scope, image: image.to_vec(), limits: limits.0.clone() };
        py.detach(|| self.0.restore(WorkerId(worker), restore)).map_err(to_py)
    }

    #[pyo3(signature = (worker, *, timeout_ms))]
    fn park<'py>(&self, py: Python<'py>, worker: u64, timeout_ms: f64) -> PyResult<Bound<'py, PyList>> {
        let timeout = duration(timeout_ms)?;
        answer(py, || self.0.park(WorkerId(worker), timeout))
    }

    fn drain<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let drained = py.detach(|| self.0.drain());
        let drained: Vec<_> = drained
            .into_iter()
            .map(|(worker, events)| Ok((worker.0, events::to_list(py, events)?)))
            .collect::<PyResult<_>>()?;
        PyList::new(py, drained)
    }

    fn stats(&self) -> HashMap<&'static str, u64> {
        let stats = self.0.stats();
        HashMap::from([
            ("warm", stats.warm as u64),
            ("leased", stats.leased as u64),
            ("spawned", stats.spawned),
            ("killed_deadline", stats.killed_deadline),
            ("crashed", stats.crashed),
        ])
    }

    fn pid(&self, worker: u64) -> PyResult<u32> {
        self.0.pid(WorkerId(worker)).map_err(to_py)
    }

    fn close(&self, py: Python<'_>) {
        py.detach(|| self.0.close());
    }
}

fn answer(
    py: Python<'_>,
    exchange: impl Send + FnOnce() -> Result<Vec<Event>, PoolError>,
) -> PyResult<Bound<'_, PyList>> {
    let events = py.detach(exchange).map_err(to_py)?;
    events::to_list(py, events)
}

fn settle((call, outcome): (u32, Bound<'_, PyAny>)) -> PyResult<Settle> {
    let outcome = if let Ok(value) = outcome.cast::<PyBytes>() {
        Settlement::Value(value.as_bytes().to_vec())
    } else {
        Settlement::Failure(outcome.extract::<CallFailure>()?.into())
    };
    Ok(Settle { call, outcome })
}

fn duration(timeout_ms: f64) -> PyResult<Duration> {
    Duration::try_from_secs_f64(timeout_ms / 1000.0)
        .map_err(|_| PyValueError::new_err(format!("timeout_ms is {timeout_ms}, must be a time from 0 on")))
}
