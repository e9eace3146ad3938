//! Cells that try to make the worker break the rules of the conversation, or to fill the host.

mod common;

use common::{catalog, exchange, run, run_start, start, with_engine};
use toolcell_protocol::{FailureReason, FromWorker, OutputOverflow, Settle, Settlement, ToWorker};

#[test]
fn a_timer_cleared_in_the_leg_in_which_it_fires_is_not_given_up_as_well() {
    let code =
        "let second; setTimeout(() => clearTimeout(second), 1); second = setTimeout(() => { throw 1 }, 1);
        await new Promise(resolve => setTimeout(resolve, 1)); return 'done'";

    let answers = with_engine(move |engine| {
        exchange(engine, vec![ToWorker::Catalog(catalog(&[])), ToWorker::Start(start(code))]);
        let fired = |call| ToWorker::Settle(Settle { call, outcome: Settlement::Value(b"null".to_vec()) });
        let mut messages: Vec<_> = [1, 2, 3].map(fired).into();
        messages.push(ToWorker::Run { deadline_ns: u64::MAX });
        exchange(engine, messages)
    });

    assert_eq!(answers, [FromWorker::Completed { value: br#""done""#.to_vec(), warnings: Vec::new() }]);
}

#[test]
fn a_call_with_an_endless_name_rejects_and_is_not_sent() {
    for call in
        ["tools.search(s)", "tools.describe(s)", "tools.call(s)", "yield_control(s)", "catalog.search(s)"]
    {
        let ended = run(&format!(
            "const s = 'x'.repeat(20_000); try {{ await {call} }} catch (e) {{ return e.name }}"
        ));

        assert_eq!((ended.value(), ended.calls.len()), (r#""RangeError""#, 0), "{call}");
    }
}

#[test]
fn what_a_failure_tells_is_bounded_whatever_the_guest_wrote_into_it() {
    let cases = [
        "e.stack = '    at f (cell:2:1)\\n'.repeat(1e6)",
        "e.stack = `    at ${'f'.repeat(1e6)} (cell:2:1)`",
        "e.name = 'n'.repeat(1e6); e.message = 'm'.repeat(1e6)",
        "e.cause = new Error('c'.repeat(1e6))",
        "for (let i = 0; i < 8; i++) tools['x'.repeat(1e6) + i]",
        "const f = {['n'.repeat(1e6)](k) { if (k) f(k - 1); throw e }}; Object.values(f)[0](0)",
    ];

    for case in cases {
        let ended = run(&format!("const e = new Error('x'); {case}; throw e"));
        let size = shown_bytes(ended.failure());
        assert!(size < 40_000, "{case}: {size} bytes");
    }
}

#[test]
fn text_is_measured_before_it_is_copied() {
    let cases = ["text('x'.repeat(2e7))", "console.log(...Array(1000).fill('x'.repeat(60_000)))"];

    for code in cases {
        assert_eq!(run(code).failure().reason, FailureReason::OutputLimitExceeded, "{code}");
        let mut truncating = start(&code.replace("2e7", "7e7").replace("60_000", "6e6"));
        truncating.limits.output_overflow = OutputOverflow::Truncate;
        truncating.limits.heap_bytes = 256 << 20;
        let ended = run_start(truncating, common::Mode::Direct);
        assert_eq!(ended.failure().reason, FailureReason::OutputLimitExceeded, "{code}");
    }
}

/// Size of all texts of a failure, about.
fn shown_bytes(failure: &toolcell_protocol::Failure) -> usize {
    format!("{failure:?}").len()
}
