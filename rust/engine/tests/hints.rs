//! What a model is told beside the error: hints, names in vain, words of its own.

mod common;

use common::{Ended, Mode, run, run_start, start};
use toolcell_protocol::{FailureReason, Location};

fn hints(code: &str) -> Vec<String> {
    run(code).failure().hints.clone()
}

fn warnings(code: &str) -> Vec<String> {
    let ended = run(code);
    ended.value();
    ended.warnings
}

#[test]
fn an_engines_bare_complaint_is_given_the_models_words() {
    let cases = [
        ("const xs = {};\nreturn xs.map(x => x)", "TypeError: xs.map is not a function"),
        ("const x = {}; x['a-b']()", "TypeError: x['a-b'] is not a function"),
        ("const o = {}; for (const x of o) {}", "TypeError: o is not iterable"),
        (
            "const r = {}; return r.items.length",
            "TypeError: cannot read property 'length' of undefined: r.items is undefined",
        ),
        ("const r = [null]; return r[0].id", "TypeError: cannot read property 'id' of null: r[0] is null"),
        (
            "const r: any = {}; return r.a.b",
            "TypeError: cannot read property 'b' of undefined: r.a is undefined",
        ),
        ("[1].map(5)", "TypeError: not a function"),
        ("throw new TypeError('not a function')", "TypeError: not a function"),
        ("eval('({}).x.y')", "TypeError: cannot read property 'y' of undefined"),
    ];

    for (code, message) in cases {
        assert_eq!(run(code).failure().message, message, "{code}");
    }
}

#[test]
fn places_are_exact_in_the_first_line_and_in_later_ones() {
    for before in ["", "\n", "\n\n\n"] {
        let place = |code: &str| {
            let ended = run(&format!("{before}{code}"));
            let location = ended.failure().location.unwrap_or_else(|| panic!("{ended:?}"));
            (location.line as usize - before.len(), location.column)
        };

        assert_eq!(place("return tools.nothing(1)"), (1, Some(14)));
        assert_eq!(place("return nothing"), (1, Some(8)));
        assert_eq!(place("const n = 5; for (const x of n) {}"), (1, Some(30)));
        assert_eq!(place("const r = {}; return r.a.b"), (1, Some(22)));
        assert_eq!(place("throw new Error('x')"), (1, Some(11)));
    }
}

#[test]
fn a_global_that_is_elsewhere_brings_its_substitute() {
    let cases = [
        ("return fetch('http://x')", "`fetch` is not here: a cell has no network."),
        ("return process.env.HOME", "`process` is not here: a cell has no processes"),
        ("const r = require; r('fs')", "`require` is not here: a cell loads no modules."),
        ("print(1)", "`print` is not here: use `text(…)`"),
        ("return len([1])", "`len` is not here: use `list.length`"),
        ("return None", "`None` is not here: write `null`."),
        ("x = 5; return x", "Declare it: `let x = …`."),
        ("x.push(1); const x = []", "`x` is used before the line that declares it."),
        ("const n = 1; n = 2", "`n` can't be assigned to: declare a variable with `let`."),
        ("const n = 1; for (const x of [1]) n += x", "`n` can't be assigned to"),
        ("const r = {}; return r.a.b", "To see what there is, `return` the whole value first."),
        ("const r = {}; for (const x of r) {}", "If it is an object, write `Object.entries(r)`."),
        ("ALL_TOOLS.push(1)", "It is frozen: change a copy"),
        ("JSON.parse({a: 1})", "`JSON.parse` takes text."),
        ("await new Promise(() => {})", "A promise ends by a tool, a timer, or code"),
    ];

    for (code, hint) in cases {
        let hints = hints(code);

        assert!(matches!(&hints[..], [only] if only.starts_with(hint)), "{code}: {hints:?}");
    }
}

#[test]
fn names_looked_up_in_vain_are_told_for_suggestions() {
    let missing = |code: &str| run(code).failure().missing.clone();

    assert_eq!(missing("return eco(1)"), ["eco"]);
    assert_eq!(missing("return tools.eco(1)"), ["eco"]);
    assert_eq!(missing("return fetch('x')"), ["fetch"]);
    assert_eq!(missing("print('x')"), [""; 0]);
    assert_eq!(missing("tools.maybe?.(); throw new Error('other')"), [""; 0]);
}

#[test]
fn a_mistake_that_explains_the_failure_is_told() {
    let cases = [
        (
            "const r = tools.echo({items: []});\nreturn r.items.length",
            "Line 2: `r` is a promise here; write `await tools.echo(…)` in line 1.",
        ),
        (
            "const xs = tools.echo([]);\nreturn xs.map(x => x)",
            "Line 2: `xs` is a promise here; write `await tools.echo(…)` in line 1.",
        ),
        ("for (const x of echo([])) text(x)", "Line 1: `echo(…)` gives a promise; write `await echo(…)`."),
        (
            "const r = await echo({a: {}});\nreturn r.result.a",
            "Line 2: the call gives the tool's value itself; leave out `.result`, which only `tools.call` has.",
        ),
        (
            "await tools.fail('x')",
            "Line 1: a tool takes one object of named values; write `tools.fail({name: value})`.",
        ),
        (
            "await Promise.all([1].map(tools.fail))",
            "Line 1: `map` calls `tools.fail` with an element, not with an object of named values; write \
             `map((x) => tools.fail({name: x}))`.",
        ),
        ("fail({});\nreturn 1", "Line 1: `fail(…)` gives a promise; write `await fail(…)`."),
        (
            "[1].forEach(async (x) => { await fail({x}) })",
            "Line 1: `forEach` does not wait; write `for (const x of [1]) { … }`, or \
             `await Promise.all([1].map(async (x) => …))`.",
        ),
        (
            "const p = fail({}); return 1",
            "Nothing awaits what failed: `await` the call, or handle its error with `.catch(…)`.",
        ),
    ];

    for (code, hint) in cases {
        assert_eq!(hints(code), [hint], "{code}");
    }
}

#[test]
fn a_mistake_that_does_not_explain_the_failure_is_not_told() {
    let cells = [
        "const r = await echo({result: 1});\nconst n = r.result;\nthrow new Error('other')",
        "const tasks = {a: echo(1)};\nawait tasks.a;\nthrow new TypeError('mine')",
        "[1].forEach(async (x) => echo(x));\n\nthrow new Error('other')",
        "await tools.echo('text');\nawait tools.fail({})",
    ];

    for code in cells {
        assert_eq!(hints(code), [""; 0], "{code}");
    }
}

#[test]
fn a_value_with_a_promise_or_nothing_in_it_brings_a_warning() {
    let cases = [
        ("return {a: echo(1)}", "Line 1: `echo(…)` gives a promise; write `await echo(…)`."),
        (
            "return `${tools.echo(1)}`",
            "Line 1: `tools.echo(…)` gives a promise; write `await tools.echo(…)`.",
        ),
        ("return {n: echo([]).length}", "Line 1: `echo(…)` gives a promise; write `(await echo(…)).length`."),
        (
            "const r = echo({a: 1}); return r.a",
            "Line 1: `r` is a promise here; write `await echo(…)` in line 1.",
        ),
        ("text(echo(1)); return 1", "Line 1: `echo(…)` gives a promise; write `await echo(…)`."),
        (
            "return [1].map(async (x) => x)",
            "Line 1: `[1].map(…)` is a list of promises; write `await Promise.all([1].map(…))`.",
        ),
        (
            "const r = await echo({a: 1}); return r.result",
            "Line 1: the call gives the tool's value itself; leave out `.result`, which only `tools.call` has.",
        ),
        (
            "const out = []; [1].forEach(async (x) => { out.push(await echo(x)) }); return out.length",
            "Line 1: `forEach` does not wait; write `for (const x of [1]) { … }`, or \
             `await Promise.all([1].map(async (x) => …))`.",
        ),
        (
            "return [1, 2].filter(async (x) => x > 1)",
            "Line 1: `filter` takes a promise for true and does not wait; write \
             `await Promise.all([1, 2].map(async (x) => …))` before it.",
        ),
    ];

    for (code, warning) in cases {
        assert_eq!(warnings(code), [warning], "{code}");
    }
}

#[test]
fn a_correct_program_is_told_nothing() {
    let cells = [
        "return undefined",
        "return null",
        "return []",
        "return {a: undefined, b: await echo({})}",
        "const tasks = {a: echo(1), b: echo(2)}; return [await tasks.a, await tasks.b, undefined]",
        "return (await tools.call('echo', {})).result",
        "const r = await echo({result: 5}); return [r.result, undefined]",
        "const all = await Promise.all([1].map(async (x) => echo({x}))); return [all.length, null]",
        "return '[Promise: await it]'",
        "return echo({})",
        "const seen = []; [1].forEach((x) => seen.push(x)); return {seen, none: []}",
    ];

    for code in cells {
        assert_eq!(warnings(code), [""; 0], "{code}");
    }
}

#[test]
fn an_aggregate_error_shows_its_errors_within_bounds() {
    let message = |code: &str| run(code).failure().message.clone();

    assert_eq!(
        message("throw new AggregateError([new Error('a'), 'b'], 'both')"),
        "AggregateError: both\n  1. Error: a\n  2. Uncaught b"
    );
    assert_eq!(
        message("await Promise.any([1, 2, 3, 4, 5, 6].map(n => Promise.reject(new Error(n))))"),
        "AggregateError\n  1. Error: 1\n  2. Error: 2\n  3. Error: 3\n  4. Error: 4\n  and 2 more"
    );
    message("const e = new AggregateError([]); e.errors.push(e); throw e");
    message(
        "const e = new AggregateError([]); Object.defineProperty(e.errors, 0, {get() { throw 1 }}); throw e",
    );
}

#[test]
fn code_made_from_text_shows_the_line_that_made_it_and_no_file() {
    let cases = [
        ("const a = 1;\neval('throw new Error(\"in eval\")')", 2),
        ("const a = 1;\n\nnew Function('return x.y')()", 3),
        ("enum A { B }\ntype T = string;\nfunction f(a: T): never { throw new Error(a) }\nf('x')", 3),
    ];

    for (code, line) in cases {
        let ended = run(code);

        let failure = ended.failure();
        assert_eq!(failure.location.map(|location: Location| location.line), Some(line), "{code}");
        assert!(
            !format!("{failure:?}").contains("cell:") && !failure.message.contains("<input>"),
            "{failure:?}"
        );
    }
}

#[test]
fn the_stack_that_a_cell_reads_has_its_own_lines() {
    let code = "function f() {\n  return new Error('x').stack\n}\nreturn f().match(/:\\d+:/g)";

    assert_eq!(run(code).value(), "[\":2:\",\":4:\"]");
}

#[test]
fn hints_survive_a_suspension() {
    let code = "await echo(1);\nconst r = echo({});\nreturn r.items.length";
    let suspended: Ended = run_start(start(code), Mode::Suspended);

    assert_eq!(suspended.failure().reason, FailureReason::GuestError);
    assert_eq!(
        suspended.failure().hints,
        ["Line 3: `r` is a promise here; write `await echo(…)` in line 2."]
    );
}
