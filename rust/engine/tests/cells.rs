//! Cells from start to end, each run twice: directly, and suspended at every wait.

mod common;

use common::{run, run_start, start};
use toolcell_protocol::{FailureReason, Location, Output};

#[test]
fn a_cell_returns_a_value() {
    assert_eq!(run("return 1 + 1").value(), "2");
    assert_eq!(
        run("return [1.5, 'é', null, true, {a: undefined, b: [undefined]}]").value(),
        r#"[1.5,"é",null,true,{"b":[null]}]"#
    );
    assert_eq!(run("return undefined").value(), "null");
}

#[test]
fn a_cell_keeps_its_state_over_waits() {
    let code = "
        const acc = [];
        class C { #x = 1; inc() { return ++this.#x } }
        const c = new C(), m = new Map([[1, 'a']]);
        function* g() { let i = 0; while (true) yield i++; }
        const it = g();
        for (let i = 0; i < 3; i++) {
            const r = await tools.call('echo', {i});
            acc.push([r.i, c.inc(), m.get(1), it.next().value, /a(b+)/.exec('xabbb')[1]]);
        }
        return acc;";

    assert_eq!(run(code).value(), r#"[[0,2,"a",0,"bbb"],[1,3,"a",1,"bbb"],[2,4,"a",2,"bbb"]]"#);
}

#[test]
fn tools_are_found_by_every_form() {
    let code = "return [await tools.echo(1), await echo(2), await tools.callValue('echo', 3), tools.echo === tools.echo,
        typeof tools.nothing, typeof nothing, Object.isFrozen(tools), ALL_TOOLS.map(t => t.name), ALL_TOOLS === ALL_TOOLS]";

    assert_eq!(run(code).value(), r#"[1,2,3,true,"undefined","undefined",true,["echo","fail","add"],true]"#);
}

#[test]
fn output_is_emitted_in_order() {
    let ended =
        run("text('a'); json({b: 1}); console.log('c', {d: 2}); console.warn('e'); text({f: 1}); return 1");

    let text = |text: &str| Output::Text(text.into());
    assert_eq!(
        ended.output,
        [
            text("a"),
            Output::Json(br#"{"b":1}"#.to_vec()),
            text(r#"c {"d":2}"#),
            text("[warn] e"),
            text(r#"{"f":1}"#)
        ]
    );
}

#[test]
fn a_failed_call_can_be_caught_and_names_itself_if_not() {
    let caught =
        run("try { await fail() } catch (e) { return [e.name, e.message, e.code, e instanceof Error] }");
    let uncaught = run("const x = 1;\nawait tools.fail({});");

    assert_eq!(caught.value(), r#"["ToolError","disk full","tool_failed",true]"#);
    let failure = uncaught.failure();
    assert_eq!(failure.reason, FailureReason::NestedToolFailed);
    assert_eq!(failure.message, "ToolError: disk full");
    assert_eq!(failure.location, Some(Location { line: 2, column: Some(13) }));
}

#[test]
fn a_guest_error_carries_the_models_lines_only() {
    let ended = run("function f() {\n  throw new TypeError('boom');\n}\nf();\nreturn 1");

    let failure = ended.failure();
    let lines: Vec<_> =
        failure.stack.iter().map(|frame| (frame.function.as_str(), frame.location.line)).collect();
    assert_eq!((failure.reason, failure.message.as_str()), (FailureReason::GuestError, "TypeError: boom"));
    assert_eq!(lines, [("f", 2), ("", 4)]);
}

#[test]
fn a_promise_that_nothing_can_settle_fails_at_once() {
    assert_eq!(run("await new Promise(() => {})").failure().reason, FailureReason::NeverSettles);
    let after_call = run("await echo(1); await new Promise(() => {})");
    assert_eq!(after_call.failure().reason, FailureReason::NeverSettles);
}

#[test]
fn an_unhandled_rejection_fails_the_cell_and_a_handled_one_does_not() {
    let floating = run("Promise.reject(new Error('floating')); return 1");
    let handled = run("const p = Promise.reject(new Error('x')); await echo(1); p.catch(() => {}); return 1");

    assert_eq!(floating.failure().reason, FailureReason::UnhandledRejection);
    assert_eq!(handled.value(), "1");
}

#[test]
fn a_flood_of_calls_ends_the_cell_and_sends_none() {
    let ended = run("for (let i = 0; i < 5000; i++) try { echo(i).catch(() => {}) } catch {}; return 1");

    assert_eq!(ended.failure().reason, FailureReason::TooManyPendingToolCalls);
    assert_eq!(ended.calls, []);
}

#[test]
fn timers_run_in_the_order_the_host_settles_them() {
    let code = "const seen = [];
        const t = setTimeout(() => seen.push('never'), 10);
        clearTimeout(t);
        setTimeout(x => seen.push(x), 5, 'late');
        await new Promise(r => setTimeout(r, 1));
        return seen";

    assert_eq!(run(code).value(), r#"["late"]"#);
}

#[test]
fn output_over_the_budget_ends_the_cell_with_a_preview() {
    let flood = run("for (let i = 0; i < 100000; i++) text('line ' + i); return 1");
    let value = run("return 'x'.repeat(200000)");

    assert_eq!(flood.failure().reason, FailureReason::OutputLimitExceeded);
    let emitted: usize =
        flood.output.iter().map(|item| if let Output::Text(text) = item { text.len() } else { 0 }).sum();
    assert!(emitted <= 64 << 10 && emitted > 10_000);
    assert_eq!(value.failure().reason, FailureReason::OutputLimitExceeded);
    assert!(value.failure().preview.as_deref().is_some_and(|preview| preview.starts_with("\"xxx")));
}

#[test]
fn a_full_heap_ends_the_cell_even_if_the_guest_catches_it() {
    for code in [
        "const a = []; for (;;) a.push({i: a.length})",
        "const a = []; for (;;) a.push('x'.repeat(100000) + a.length)",
        "try { const a = []; for (;;) a.push(new Uint8Array(1e6)) } catch { return 1 }",
    ] {
        let mut small = start(code);
        small.limits.heap_bytes = 16 << 20;
        let ended = run_start(small, common::Mode::Direct);
        assert_eq!(ended.failure().reason, FailureReason::MemoryLimitExceeded, "{code}");
    }
    assert_eq!(run("return 'next'").value(), r#""next""#);
    assert_eq!(run("throw new Error('out of memory')").failure().reason, FailureReason::GuestError);
}

#[test]
fn deep_recursion_is_an_ordinary_error() {
    assert_eq!(run("const sum = n => n === 0 ? 0 : n + sum(n - 1); return sum(2000)").value(), "2001000");
    assert_eq!(
        run("function f() { return 1 + f() } return f()").failure().reason,
        FailureReason::StackOverflow
    );
    assert_eq!(
        run("function f() { try { return 1 + f() } catch { return 0 } } return f() > 100").value(),
        "true"
    );
}

#[test]
fn what_is_thrown_is_described_whatever_it_is() {
    let cases = [
        ("throw undefined", "Uncaught undefined"),
        ("throw null", "Uncaught null"),
        ("throw 'text'", "Uncaught text"),
        ("throw Symbol('sym')", "Uncaught \"Symbol(sym)\""),
        ("throw {code: 5}", "Uncaught {\"code\":5}"),
        ("throw Object.assign(new Error('x'), {name: 'Own'})", "Own: x"),
        (
            "throw new Error('outer', {cause: new TypeError('inner')})",
            "Error: outer\ncaused by: TypeError: inner",
        ),
    ];

    for (code, message) in cases {
        assert_eq!(run(code).failure().message, message, "{code}");
    }
    run("throw new Proxy({}, {get() { throw 1 }, getPrototypeOf() { throw 1 }, ownKeys() { throw 1 }})")
        .failure();
    run("const e = new Error('x'); e.cause = e; throw e").failure();
}

#[test]
fn random_numbers_differ_by_seed_only() {
    let draw = |seed| {
        let mut cell = start("return [Math.random(), Math.random()]");
        cell.seed = seed;
        run_start(cell, common::Mode::Direct).value().to_owned()
    };

    assert_eq!(draw(1), draw(1));
    assert_ne!(draw(1), draw(3));
}
