//! What workers report, as Python objects.

use pyo3::{
    prelude::*,
    types::{PyBytes, PyList, PyString},
};
use toolcell_host::{Event, GoneReason};
use toolcell_protocol::{self as protocol, CallForm, FailureReason, Location, Method};

/// One output item.
#[pyclass(frozen, get_all, module = "toolcell._native")]
pub(crate) struct Output {
    kind: &'static str,
    data: Py<PyAny>,
}

/// The guest sees words that an MCP server wrote.
#[pyclass(frozen, module = "toolcell._native")]
pub(crate) struct ForeignWords;

/// A call of a leg that became quiescent.
#[pyclass(frozen, get_all, module = "toolcell._native")]
#[derive(Default)]
pub(crate) struct Call {
    number: u32,
    method: &'static str,
    target: Option<Py<PyString>>,
    input: Option<Py<PyBytes>>,
    limit: Option<u32>,
    delay_ms: Option<u64>,
}

/// The guest is quiescent.
#[pyclass(frozen, get_all, module = "toolcell._native")]
pub(crate) struct Waiting {
    calls: Py<PyList>,
    cancelled: Py<PyList>,
    outstanding: u32,
}

/// The cell returned; the worker is idle.
#[pyclass(frozen, get_all, module = "toolcell._native")]
pub(crate) struct Completed {
    value: Py<PyBytes>,
    warnings: Py<PyList>,
}

type Place = (u32, Option<u32>);

/// The cell failed; the worker is idle, or `Gone` follows at once.
#[pyclass(frozen, get_all, module = "toolcell._native")]
pub(crate) struct Failed {
    reason: &'static str,
    message: String,
    stack: Vec<(String, u32, Option<u32>)>,
    location: Option<Place>,
    code_frame: Option<String>,
    hints: Vec<String>,
    missing: Vec<String>,
    preview: Option<String>,
}

/// The suspended cell; the worker is idle.
#[pyclass(frozen, get_all, module = "toolcell._native")]
pub(crate) struct Parked {
    image: Py<PyBytes>,
}

/// A continuation was not accepted; the worker is idle.
#[pyclass(frozen, get_all, module = "toolcell._native")]
pub(crate) struct Refused {
    reason: String,
}

/// The worker has ended. Last event of its handle.
#[pyclass(frozen, get_all, module = "toolcell._native")]
pub(crate) struct Gone {
    reason: &'static str,
    detail: String,
}

/// All events of one answer as a list of the classes above.
pub(crate) fn to_list(py: Python<'_>, events: Vec<Event>) -> PyResult<Bound<'_, PyList>> {
    let events: Vec<_> = events.into_iter().map(|event| to_object(py, event)).collect::<PyResult<_>>()?;
    PyList::new(py, events)
}

fn to_object(py: Python<'_>, event: Event) -> PyResult<Bound<'_, PyAny>> {
    Ok(match event {
        Event::Output(output) => Bound::new(py, Output::new(py, &output))?.into_any(),
        Event::ForeignWords => Bound::new(py, ForeignWords)?.into_any(),
        Event::Waiting { calls, cancelled, outstanding } => {
            let calls: Vec<_> = calls
                .into_iter()
                .map(|call| Bound::new(py, Call::new(py, &call)))
                .collect::<PyResult<_>>()?;
            let calls = PyList::new(py, calls)?.unbind();
            let cancelled = PyList::new(py, cancelled)?.unbind();
            Bound::new(py, Waiting { calls, cancelled, outstanding })?.into_any()
        }
        Event::Completed { value, warnings } => {
            let value = PyBytes::new(py, &value).unbind();
            let warnings = PyList::new(py, warnings)?.unbind();
            Bound::new(py, Completed { value, warnings })?.into_any()
        }
        Event::Failed(failure) => Bound::new(py, Failed::new(failure))?.into_any(),
        Event::Parked { image } => {
            Bound::new(py, Parked { image: PyBytes::new(py, &image).unbind() })?.into_any()
        }
        Event::Refused { reason } => Bound::new(py, Refused { reason })?.into_any(),
        Event::Gone { reason, detail } => {
            Bound::new(py, Gone { reason: gone_reason(reason), detail })?.into_any()
        }
    })
}

impl Output {
    fn new(py: Python<'_>, output: &protocol::Output) -> Self {
        match output {
            protocol::Output::Text(text) => {
                Self { kind: "text", data: PyString::new(py, text).into_any().unbind() }
            }
            protocol::Output::Json(json) => {
                Self { kind: "json", data: PyBytes::new(py, json).into_any().unbind() }
            }
        }
    }
}

impl Call {
    fn new(py: Python<'_>, call: &protocol::Call) -> Self {
        let number = call.call;
        let string = |text: &str| Some(PyString::new(py, text).unbind());
        match &call.method {
            Method::Tool { target, input, form } => Self {
                number,
                method: match form {
                    CallForm::Value => "call_value",
                    CallForm::Envelope => "call",
                    CallForm::Mcp => "mcp",
                    CallForm::McpRaw => "mcp_raw",
                },
                target: string(target),
                input: input.as_ref().map(|input| PyBytes::new(py, input).unbind()),
                ..Self::default()
            },
            Method::Search { query, limit, handles } => Self {
                number,
                method: if *handles { "search_handles" } else { "search" },
                target: string(query),
                limit: *limit,
                ..Self::default()
            },
            Method::Describe { target, handle } => Self {
                number,
                method: if *handle { "describe_handle" } else { "describe" },
                target: string(target),
                ..Self::default()
            },
            Method::Api { server, arguments } => Self {
                number,
                method: "api",
                target: server.as_deref().and_then(string),
                input: Some(PyBytes::new(py, arguments).unbind()),
                ..Self::default()
            },
            Method::Yield { reason } => Self {
                number,
                method: "yield",
                target: reason.as_deref().and_then(string),
                ..Self::default()
            },
            Method::Timer { delay_ms } => {
                Self { number, method: "timer", delay_ms: Some(*delay_ms), ..Self::default() }
            }
        }
    }
}

impl Failed {
    fn new(failure: protocol::Failure) -> Self {
        let place = |location: Location| (location.line, location.column);
        Self {
            reason: failure_reason(failure.reason),
            message: failure.message,
            stack: failure
                .stack
                .into_iter()
                .map(|frame| (frame.function, frame.location.line, frame.location.column))
                .collect(),
            location: failure.location.map(place),
            code_frame: failure.code_frame,
            hints: failure.hints,
            missing: failure.missing,
            preview: failure.preview,
        }
    }
}

fn gone_reason(reason: GoneReason) -> &'static str {
    match reason {
        GoneReason::Killed => "killed",
        GoneReason::Crashed => "crashed",
        GoneReason::Deadline => "deadline",
        GoneReason::Closed => "closed",
    }
}

fn failure_reason(reason: FailureReason) -> &'static str {
    match reason {
        FailureReason::SyntaxError => "syntax_error",
        FailureReason::TypescriptTransformFailed => "typescript_transform_failed",
        FailureReason::ModuleAccessDenied => "module_access_denied",
        FailureReason::ShellCommand => "shell_command",
        FailureReason::TooManyPendingToolCalls => "too_many_pending_tool_calls",
        FailureReason::Timeout => "timeout",
        FailureReason::OutputLimitExceeded => "output_limit_exceeded",
        FailureReason::SnapshotLimitExceeded => "snapshot_limit_exceeded",
        FailureReason::MemoryLimitExceeded => "memory_limit_exceeded",
        FailureReason::StackOverflow => "stack_overflow",
        FailureReason::GuestError => "guest_error",
        FailureReason::UnhandledRejection => "unhandled_rejection",
        FailureReason::NeverSettles => "never_settles",
        FailureReason::NestedToolFailed => "nested_tool_failed",
    }
}
