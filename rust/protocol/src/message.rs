//! The messages.
//!
//! Values that cross the bridge are JSON text in UTF-8. Integers and floats are told apart by their spelling:
//! digits alone are an exact integer, a `.` or an exponent makes a float.

use serde::{Deserialize, Serialize};

use crate::limits::Limits;

/// What a host says to a worker.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum ToWorker {
    /// Replaces the catalog that later cells see.
    Catalog(Catalog),
    /// Runs a new cell.
    Start(Start),
    /// Adopts a suspended cell; it goes on at the next `Run`. Answered only if refused.
    Restore(Restore),
    /// Settles one outstanding call; takes effect at the next `Run`, in the order sent.
    Settle(Settle),
    /// Runs the cell until it is quiescent again.
    Run {
        /// Absolute `CLOCK_MONOTONIC` time in nanoseconds at which the leg must end.
        deadline_ns: u64,
    },
    /// Serializes the waiting cell and resets the worker.
    Park,
}

/// What a worker says to its host.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum FromWorker {
    /// First message of a worker that is locked down and able to run cells.
    Ready(Ready),
    /// First and last message of a worker that can't run cells.
    Unready {
        /// What failed, for the host programmer.
        reason: String,
    },
    /// One item of output, sent as it is emitted.
    Output(Output),
    /// The guest sees, without a call, words that an MCP server wrote: names of its tools, or a declaration. Sent once.
    ForeignWords,
    /// One call of the leg that has just become quiescent; `Waiting` follows.
    Call(Call),
    /// A timer that the guest cleared; the host may forget it.
    Cancel {
        /// Number of the timer's call.
        call: u32,
    },
    /// The guest is quiescent and waits for the host.
    Waiting {
        /// All calls that are not settled yet, those of earlier legs included.
        outstanding: u32,
    },
    /// The cell returned.
    Completed {
        /// The value as JSON.
        #[serde(with = "serde_bytes")]
        value: Vec<u8>,
        /// Advice found while running, for the result's warnings.
        warnings: Vec<String>,
    },
    /// The cell failed.
    Failed(Failure),
    /// The suspended cell.
    Parked {
        /// Continuation bytes, opaque to the host.
        #[serde(with = "serde_bytes")]
        image: Vec<u8>,
    },
    /// The bytes given to `Restore` were not accepted; nothing of them was used.
    Refused {
        /// Why, for the host's log.
        reason: String,
    },
}

/// What a worker states about itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ready {
    /// [`crate::PROTOCOL_VERSION`] of the worker.
    pub protocol: u32,
    /// [`crate::SOURCE_FINGERPRINT`] of the worker.
    pub fingerprint: String,
    /// Hash of the worker's base image; equal for all workers of one build.
    pub base_image: u128,
    /// Version of the JavaScript engine.
    pub engine: String,
}

/// The hidden catalog of a run, as far as a guest may look at it without a call.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Catalog {
    /// Hash of the catalog, recorded in continuations.
    pub hash: u64,
    /// The tools in catalog order.
    pub tools: Vec<CatalogTool>,
    /// MCP servers and the host's own namespaces.
    pub namespaces: Vec<Namespace>,
    /// What `API.read` shows, ordered by path.
    pub files: Vec<ApiFile>,
}

/// One tool of the catalog.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CatalogTool {
    /// Full id, such as `host:core:message`.
    pub id: String,
    /// Name under `tools`, if it has one.
    pub safe_name: Option<String>,
    /// Name of its bare global function, if it has one.
    pub bare_name: Option<String>,
    /// The compact entry as a JSON object, made into a guest object on first touch.
    #[serde(with = "serde_bytes")]
    pub entry: Vec<u8>,
}

/// An object of named functions: an MCP server, or a namespace of the host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Namespace {
    /// Whose it is.
    pub kind: NamespaceKind,
    /// Property under `MCP` or `namespaces`.
    pub member: String,
    /// The name as its owner spells it; another property of the same object if it differs.
    pub name: String,
    /// Whether `functions` is all there is. What an unlisted server offers is not known yet: each of its names is a
    /// function, and the host says what comes of a call.
    pub listed: bool,
    /// The functions, in the order in which a cell sees them.
    pub functions: Vec<NamespaceFunction>,
}

/// Where a namespace is found, and how its functions answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum NamespaceKind {
    /// Under `MCP`; functions answer as MCP tools do.
    Mcp,
    /// Under `namespaces`; functions answer as `tools.callValue` does.
    Host,
}

/// A function of a namespace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamespaceFunction {
    /// Property of the namespace that holds the function, such as `resources`; the namespace itself without one.
    pub group: Option<String>,
    /// Name of the property.
    pub name: String,
    /// The name as its owner spells it, if that differs.
    pub alias: Option<String>,
    /// Full id of the tool that is called.
    pub id: String,
}

/// A read-only text that cells can look at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApiFile {
    /// Relative path, `/` between its parts.
    pub path: String,
    /// One line for people.
    pub description: String,
    /// The text.
    pub text: String,
}

/// Language of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Language {
    /// ECMAScript.
    JavaScript,
    /// TypeScript, types erased without a check.
    TypeScript,
}

/// A new cell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Start {
    /// Id of the cell, recorded in its continuations.
    pub cell: String,
    /// Hash of the scope the cell belongs to, recorded in its continuations.
    pub scope: [u8; 32],
    /// The program as the model gave it.
    pub code: String,
    /// Language the cell is labelled with.
    pub language: Language,
    /// Whether TypeScript syntax in a JavaScript cell may be erased.
    pub typescript_enabled: bool,
    /// Name of the catalogued shell tool, for advice to a model that sent shell text.
    pub shell_tool: Option<String>,
    /// Limits of the cell.
    pub limits: Limits,
    /// Absolute `CLOCK_MONOTONIC` time in nanoseconds at which the leg must end.
    pub deadline_ns: u64,
    /// Seed of the cell's `Math.random`.
    pub seed: u64,
}

/// A suspended cell that goes on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Restore {
    /// Id that the continuation must carry.
    pub cell: String,
    /// Scope hash that the continuation must carry.
    pub scope: [u8; 32],
    /// Continuation bytes from [`FromWorker::Parked`].
    #[serde(with = "serde_bytes")]
    pub image: Vec<u8>,
    /// Limits from here on.
    pub limits: Limits,
}

/// The end of one call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Settle {
    /// Number of the call.
    pub call: u32,
    /// How it ended.
    pub outcome: Settlement,
}

/// How a call ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Settlement {
    /// The guest's promise is resolved with this JSON value.
    Value(#[serde(with = "serde_bytes")] Vec<u8>),
    /// The guest's promise is rejected.
    Failure(ToolFailure),
}

/// What a guest sees of a failed call: an `Error` with these own properties.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolFailure {
    /// `ToolError` or `ToolDeniedError`.
    pub name: String,
    /// The message.
    pub message: String,
    /// Stable machine-readable code.
    pub code: String,
    /// Name of the tool.
    pub tool: String,
    /// Whether the same call may succeed later.
    pub retryable: bool,
    /// More plain data as a JSON value, if any.
    #[serde(with = "serde_bytes")]
    pub data: Option<Vec<u8>>,
}

/// One item of output.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Output {
    /// Text.
    Text(String),
    /// A structured value as JSON.
    Json(#[serde(with = "serde_bytes")] Vec<u8>),
}

/// A call that the guest made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Call {
    /// Number of the call in its cell, from 1 in the order of call sites reached.
    pub call: u32,
    /// What is called.
    pub method: Method,
}

/// What a guest may ask of its host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Method {
    /// A tool.
    Tool {
        /// Id or name as the guest spelled it; the host resolves it.
        target: String,
        /// Input as JSON, absent if the guest gave none or `undefined`.
        #[serde(with = "serde_bytes")]
        input: Option<Vec<u8>>,
        /// What the guest wants to get.
        form: CallForm,
    },
    /// `tools.search` and `catalog.search`.
    Search {
        /// The query.
        query: String,
        /// Wanted number of entries.
        limit: Option<u32>,
        /// Whether the guest makes callable handles of the entries (`catalog.search`), which then may be of any source.
        handles: bool,
    },
    /// `tools.describe`.
    Describe {
        /// Id or name as the guest spelled it.
        target: String,
        /// Whether a handle asks (`handle.describe()`), which may be of any source.
        handle: bool,
    },
    /// `MCP.$api` and `MCP.<server>.$api`; needs no dispatch.
    Api {
        /// Name of the server, all of them without one.
        server: Option<String>,
        /// The arguments as a JSON array.
        #[serde(with = "serde_bytes")]
        arguments: Vec<u8>,
    },
    /// `yield_control`; settles with `{status: "yielded", reason}` when the host resumes the cell.
    Yield {
        /// The guest's reason.
        reason: Option<String>,
    },
    /// `setTimeout`; settles (with any value) when the time has come.
    Timer {
        /// Delay in milliseconds from the end of the leg.
        delay_ms: u64,
    },
}

/// What a guest wants of a tool's result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum CallForm {
    /// The value (`tools.callValue`, bare functions, namespaces of the host).
    Value,
    /// `{tool, result}` (`tools.call`).
    Envelope,
    /// The MCP result object; one that is an error throws (`MCP.<server>.<tool>`). Such a call's target is an exact id.
    Mcp,
    /// The MCP result object, error or not (`{raw: true}`).
    McpRaw,
}

/// Why a cell failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// The class of failure.
    pub reason: FailureReason,
    /// `Name: message` of the guest's error, or a sentence of ours.
    pub message: String,
    /// Guest frames, innermost first, in the model's own lines.
    pub stack: Vec<StackFrame>,
    /// Where it happened in the model's source.
    pub location: Option<Location>,
    /// At most five lines of the model's source around the location.
    pub code_frame: Option<String>,
    /// Advice whose cause is known, a sentence each.
    pub hints: Vec<String>,
    /// Names that the guest looked up in vain, for suggestions from the catalog.
    pub missing: Vec<String>,
    /// Head of the value or output that was too large.
    pub preview: Option<String>,
}

/// Classes of failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum FailureReason {
    /// The source does not parse.
    SyntaxError,
    /// The source does not parse as TypeScript, or uses what is refused by name.
    TypescriptTransformFailed,
    /// The source reaches for a module.
    ModuleAccessDenied,
    /// The source is a shell command.
    ShellCommand,
    /// More calls outstanding than allowed.
    TooManyPendingToolCalls,
    /// The deadline passed in the guest.
    Timeout,
    /// More output than allowed.
    OutputLimitExceeded,
    /// The continuation is larger than allowed.
    SnapshotLimitExceeded,
    /// The guest heap is full.
    MemoryLimitExceeded,
    /// The guest recursed too deeply.
    StackOverflow,
    /// The guest threw.
    GuestError,
    /// A rejected promise was handled by no one.
    UnhandledRejection,
    /// The cell's promise is pending without host work.
    NeverSettles,
    /// A failed call was not caught.
    NestedToolFailed,
}

/// One guest frame.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StackFrame {
    /// Name of the function, empty for the cell itself and for nameless functions.
    pub function: String,
    /// Where in the model's source.
    pub location: Location,
}

/// A place in the model's source as given, fence lines included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Location {
    /// Line from 1.
    pub line: u32,
    /// Column from 1 in Unicode code points, if known.
    pub column: Option<u32>,
}
