//! Why a cell probably failed, or gave a strange value.
//!
//! The engine's own words are few. The syntax tree, the catalog and what was seen at run time say more. A hint is given only
//! where one of these makes it likely: a correct program never sees one.

mod absent;

use memchr::memmem;
use toolcell_protocol::{Failure, FailureReason};
use toolcell_source::{Advice, AdviceKind, Complaint, ToolOrigin, advise, words_at};

use crate::{catalog, failure::Origin, state::State};

/// Pieces of [`Advice`] that are shown.
const MAX_ADVICE: usize = 3;
/// What a promise becomes in a value, and in text.
const PROMISE_MARKS: [&str; 2] = ["[Promise: await it]", "[object Promise]"];
/// Bytes of a value's JSON that are searched.
const MAX_LOOKED_AT: usize = 64 << 10;
/// Parts of values that say nothing.
const EMPTY_PARTS: [&str; 4] = ["[]", "{}", ":0", "null"];
/// Values that say nothing, as JSON.
const EMPTY_VALUES: [&[u8]; 7] = [b"null", b"{}", b"[]", b"\"\"", b"\"{}\"", b"\"[]\"", b"0"];

pub(crate) const NEVER_SETTLES: &str = "A promise ends by a tool, a timer, or code of the cell that still runs: look for a \
                                        `new Promise` whose `resolve` is never called.";
const FROZEN: &str = "It is frozen: change a copy, such as `{...object}` or `[...list]`.";
const UNHANDLED: &str = "Nothing awaits what failed: `await` the call, or handle its error with `.catch(…)`.";

/// Adds to a failure what is known of its cause.
pub(crate) fn explain(state: &State, failure: Failure, origin: Origin) -> Failure {
    let cell = state.cell.borrow();
    toolcell_arena::outside(|| {
        let mut failure = failure;
        failure.hints.extend(own_hint(&cell.source, &failure));
        let advice = advise(&cell.source, &origin_of);
        let likely = advice.into_iter().filter(|advice| explains_failure(advice, &failure));
        let likely: Vec<_> = likely.take(MAX_ADVICE).map(|advice| advice.text).collect();
        failure.hints.extend(likely);
        if failure.reason == FailureReason::UnhandledRejection && failure.hints.is_empty() {
            failure.hints.push(UNHANDLED.to_owned());
        }
        failure.missing = missing(state, &failure);
        if origin == Origin::Cell
            && let Some(worded) = worded(&cell.source, &failure)
        {
            failure.message = worded.message;
            if failure.hints.is_empty() && failure.missing.is_empty() {
                failure.hints.extend(worded.hint);
            }
        }
        failure
    })
}

/// What is known of a value that has promises or `undefined` in it, or nothing at all.
pub(crate) fn of_value(state: &State, json: &[u8]) -> Vec<String> {
    let cell = state.cell.borrow();
    let source = cell.source.as_bytes();
    let head = json.get(..MAX_LOOKED_AT).unwrap_or(json);
    let has = |text: &[u8], word: &str| memmem::find(text, word.as_bytes()).is_some();
    let loops = has(source, "forEach");
    let signs = Signs {
        promise: state.holes.promise.get() || has(head, PROMISE_MARKS[1]),
        undefined: state.holes.undefined.get(),
        emptiness: if EMPTY_VALUES.contains(&json) {
            Emptiness::Whole
        } else if loops && EMPTY_PARTS.iter().any(|part| has(head, part)) {
            Emptiness::Part
        } else {
            Emptiness::None
        },
    };
    let strange = signs.promise || signs.undefined || signs.emptiness != Emptiness::None;
    if !strange && !has_async_test(source) {
        return Vec::new();
    }
    toolcell_arena::outside(|| {
        let advice = advise(&cell.source, &origin_of).into_iter();
        let likely = advice.filter(|advice| signs.point_to(advice.kind));
        likely.take(MAX_ADVICE).map(|advice| advice.text).collect()
    })
}

/// What is strange about a value.
struct Signs {
    promise: bool,
    undefined: bool,
    emptiness: Emptiness,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Emptiness {
    None,
    /// Some part of the value is empty; looked for only where it may tell something.
    Part,
    Whole,
}

impl Signs {
    fn point_to(&self, kind: AdviceKind) -> bool {
        let empty = self.emptiness == Emptiness::Whole;
        match kind {
            AdviceKind::AsyncTest => true,
            AdviceKind::PromiseUsed => self.promise || self.undefined || empty,
            AdviceKind::PromiseKept => self.promise,
            AdviceKind::ResultOfValue | AdviceKind::McpPayload => empty,
            AdviceKind::AsyncCallback => self.emptiness != Emptiness::None,
            AdviceKind::NotAwaited | AdviceKind::Positional => false,
        }
    }
}

/// Whether a source may have `filter(async …)` or its like, which is always a mistake.
fn has_async_test(source: &[u8]) -> bool {
    let names: [&[u8]; 6] = [b"filter", b"some", b"every", b"find", b"findIndex", b"sort"];
    memmem::find_iter(source, b"(async").any(|at| {
        let before = source.get(..at).unwrap_or_default();
        names.iter().any(|name| before.ends_with(name))
    })
}

fn explains_failure(advice: &Advice, failure: &Failure) -> bool {
    let here = failure.stack.iter().any(|frame| advice.lines.contains(&frame.location.line));
    let promise_met = PROMISE_MARKS.iter().any(|mark| failure.message.contains(mark));
    let undefined_met = is_about_undefined(&failure.message);
    match advice.kind {
        AdviceKind::PromiseUsed | AdviceKind::AsyncTest => here || undefined_met || promise_met,
        AdviceKind::PromiseKept => promise_met || (here && failure.reason == FailureReason::NestedToolFailed),
        AdviceKind::NotAwaited => here && failure.reason == FailureReason::UnhandledRejection,
        AdviceKind::Positional => here && failure.reason == FailureReason::NestedToolFailed,
        AdviceKind::ResultOfValue | AdviceKind::McpPayload => undefined_met,
        AdviceKind::AsyncCallback => here || undefined_met,
    }
}

fn is_about_undefined(message: &str) -> bool {
    message.starts_with("TypeError: ")
        && ["of undefined", "of null", "not a function", "not iterable", "undefined or null"]
            .iter()
            .any(|words| message.contains(words))
}

/// Where the tool of this bare name, name under `tools` or id comes from.
fn origin_of(name: &str) -> Option<ToolOrigin> {
    let id = catalog::id_by_bare_name(name)
        .or_else(|| catalog::id_by_safe_name(name))
        .or_else(|| name.contains(':').then(|| name.to_owned()))?;
    Some(if id.starts_with("mcp:") { ToolOrigin::Mcp } else { ToolOrigin::Host })
}

/// The name that a `ReferenceError` of the engine is about.
fn undefined_name(failure: &Failure) -> Option<&str> {
    failure.message.strip_prefix("ReferenceError: ")?.strip_suffix(" is not defined")
}

/// Names for which the catalog may have another.
fn missing(state: &State, failure: &Failure) -> Vec<String> {
    match undefined_name(failure) {
        Some(name) if absent::may_be_a_tool(name) => vec![name.to_owned()],
        None if is_about_undefined(&failure.message) => state.missing.borrow().clone(),
        _ => Vec::new(),
    }
}

/// A hint that needs no more than the engine's message and its place.
fn own_hint(source: &str, failure: &Failure) -> Option<String> {
    let message = failure.message.as_str();
    let assigned = || words_at(source, failure.location?, Complaint::Assignment);
    if let Some(name) = undefined_name(failure) {
        return match absent::substitute(name) {
            Some(substitute) => Some(format!("`{name}` is not here: {substitute}")),
            None => assigned().map(|name| format!("Declare it: `let {name} = …`.")),
        };
    }
    if let Some(name) = message
        .strip_prefix("ReferenceError: ")
        .and_then(|message| message.strip_suffix(" is not initialized"))
    {
        return Some(format!("`{name}` is used before the line that declares it."));
    }
    if let Some(name) =
        message.strip_prefix("TypeError: '").and_then(|message| message.strip_suffix("' is read-only"))
    {
        let constant = memmem::find(source.as_bytes(), format!("const {name}").as_bytes()).is_some();
        return Some(if constant || assigned().is_some_and(|assigned| assigned == name) {
            format!("`{name}` can't be assigned to: declare a variable with `let`.")
        } else {
            FROZEN.to_owned()
        });
    }
    let hint = match message {
        "TypeError: object is not extensible" => FROZEN,
        "SyntaxError: unexpected token: 'object'" => {
            "`JSON.parse` takes text. What a tool gives is a value already: use it as it is."
        }
        _ => return None,
    };
    Some(hint.to_owned())
}

/// The engine's message with the model's words in it, and what to do if nothing better is known.
struct Worded {
    message: String,
    hint: Option<String>,
}

fn worded(source: &str, failure: &Failure) -> Option<Worded> {
    let words = |complaint| words_at(source, failure.location?, complaint);
    match failure.message.strip_prefix("TypeError: ")? {
        "not a function" => {
            let message = format!("TypeError: {} is not a function", words(Complaint::NotAFunction)?);
            Some(Worded { message, hint: None })
        }
        "value is not iterable" => {
            let value = words(Complaint::NotIterable)?;
            let hint = format!("If it is an object, write `Object.entries({value})`.");
            Some(Worded { message: format!("TypeError: {value} is not iterable"), hint: Some(hint) })
        }
        read => {
            let (property, nothing) = read.strip_prefix("cannot read property '")?.split_once("' of ")?;
            let object = words(Complaint::PropertyOfNothing(property))?;
            let hint = "To see what there is, `return` the whole value first.".to_owned();
            let message =
                format!("TypeError: cannot read property '{property}' of {nothing}: {object} is {nothing}");
            Some(Worded { message, hint: Some(hint) })
        }
    }
}
