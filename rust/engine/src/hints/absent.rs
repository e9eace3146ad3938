//! Globals that models know from elsewhere and a cell does not have.

/// Names with what to write instead.
struct Row {
    names: &'static [&'static str],
    substitute: &'static str,
    /// A tool may do what the global does elsewhere.
    tool: bool,
}

const ROWS: [Row; 25] = [
    Row {
        names: &[
            "fetch",
            "XMLHttpRequest",
            "axios",
            "WebSocket",
            "EventSource",
            "Request",
            "Response",
            "Headers",
            "requests",
            "http",
            "https",
        ],
        substitute: "a cell has no network. Call a tool; `await tools.search(\"http\")` finds one.",
        tool: true,
    },
    Row {
        names: &["fs", "path", "open", "Blob", "File", "FileReader", "readFile", "writeFile"],
        substitute: "a cell has no files. Call a tool; `await tools.search(\"file\")` finds one.",
        tool: true,
    },
    Row {
        names: &["process", "os", "child_process", "subprocess", "sys", "Deno", "Bun"],
        substitute: "a cell has no processes and no environment. Call a tool; `ALL_TOOLS` lists them.",
        tool: true,
    },
    Row {
        names: &["require", "module", "exports", "__dirname", "__filename"],
        substitute: "a cell loads no modules. The globals of JavaScript and the tools are all there is.",
        tool: false,
    },
    Row {
        names: &["window", "document", "navigator", "location", "self", "global", "HTMLElement", "DOMParser"],
        substitute: "a cell is no page. Globals are on `globalThis`.",
        tool: false,
    },
    Row {
        names: &["localStorage", "sessionStorage", "indexedDB"],
        substitute: "variables of a cell last until it ends; what must last longer is returned, or given to a tool.",
        tool: false,
    },
    Row {
        names: &["Buffer"],
        substitute: "use `Uint8Array`, `TextEncoder` and `TextDecoder`; for base64 `btoa` and `atob`.",
        tool: false,
    },
    Row {
        names: &["setInterval", "clearInterval"],
        substitute: "use a loop with `await new Promise((resolve) => setTimeout(resolve, ms))`.",
        tool: false,
    },
    Row {
        names: &["setImmediate", "nextTick", "requestAnimationFrame"],
        substitute: "use `queueMicrotask(…)` or `setTimeout(…, 0)`.",
        tool: false,
    },
    Row {
        names: &["sleep", "delay", "wait", "asyncio", "time"],
        substitute: "write `await new Promise((resolve) => setTimeout(resolve, ms))`; the time is `Date.now()`.",
        tool: true,
    },
    Row { names: &["performance"], substitute: "use `Date.now()`.", tool: false },
    Row {
        names: &["crypto"],
        substitute: "`Math.random()` is there, not for secrets; no hashes are.",
        tool: false,
    },
    Row {
        names: &["Intl"],
        substitute: "format numbers with `toFixed`, dates with `toISOString`.",
        tool: false,
    },
    Row {
        names: &["URL", "URLSearchParams"],
        substitute: "build addresses with `encodeURIComponent`, take them apart with a regular expression.",
        tool: false,
    },
    Row {
        names: &["alert", "print", "println", "printf", "echo"],
        substitute: "use `text(…)` or `console.log(…)`; what counts is `return`ed.",
        tool: false,
    },
    Row {
        names: &["prompt", "confirm", "input"],
        substitute: "a cell can't ask a person. Return the question as its value.",
        tool: true,
    },
    Row {
        names: &["len"],
        substitute: "use `list.length`, `Object.keys(object).length` or `map.size`.",
        tool: false,
    },
    Row { names: &["None", "nil", "NULL"], substitute: "write `null`.", tool: false },
    Row { names: &["True", "False"], substitute: "write `true` or `false`.", tool: false },
    Row {
        names: &["str", "int", "float", "bool", "repr"],
        substitute: "use `String(x)`, `Number(x)`, `Math.trunc(x)` or `Boolean(x)`.",
        tool: false,
    },
    Row {
        names: &[
            "list",
            "dict",
            "set",
            "tuple",
            "range",
            "enumerate",
            "zip",
            "sum",
            "sorted",
            "reversed",
            "min",
            "max",
            "abs",
            "round",
            "any",
            "all",
            "isinstance",
        ],
        substitute: "that is Python; arrays have `map`, `filter`, `reduce`, `sort`, `entries`, and `Math` the rest.",
        tool: true,
    },
    Row {
        names: &["_", "$", "lodash", "moment", "dayjs", "cheerio", "np", "pd"],
        substitute: "a cell loads no libraries; write it with arrays, `Map`, `Date` and regular expressions.",
        tool: false,
    },
    Row { names: &["datetime"], substitute: "use `new Date()`; the time zone is UTC.", tool: false },
    Row {
        names: &["re"],
        substitute: "write `/pattern/`, with `text.match` or `text.matchAll`.",
        tool: false,
    },
    Row {
        names: &["WebAssembly", "SharedArrayBuffer", "Atomics", "Worker"],
        substitute: "a cell is one thread of plain JavaScript. Calls of tools run in parallel under `Promise.all`.",
        tool: false,
    },
];

/// What to write instead of a global that is not there.
pub(super) fn substitute(name: &str) -> Option<&'static str> {
    row(name).map(|row| row.substitute)
}

/// Whether the catalog may have what is meant.
pub(super) fn may_be_a_tool(name: &str) -> bool {
    row(name).is_none_or(|row| row.tool)
}

fn row(name: &str) -> Option<&'static Row> {
    const { &ROWS }.iter().find(|row| row.names.contains(&name))
}
