//! Cells in a locked-down worker: nothing that a cell or its host may do needs a system call beyond the allowed ones.

use std::{io::Write, os::unix::process::ExitStatusExt, process::ExitStatus};

use support::{Executable, Worker};
use toolcell_protocol::{
    BigIntegers, Call, CallForm, FailureReason, FromWorker, Language, Limits, Method, Output, OutputOverflow,
    Restore, Settle, Settlement, Start, ToWorker, frame,
};

mod support;

static WORKER: Executable = Executable::new("toolcell-worker", &[]);

const MIB: u64 = 1 << 20;
const SCOPE: [u8; 32] = [7; 32];

fn ready() -> Worker {
    let mut worker = Worker::start(WORKER.path(), &[]);
    let first = worker.receive();
    assert!(matches!(first, Some(FromWorker::Ready(_))), "{first:?}");
    worker
}

fn limits() -> Limits {
    Limits {
        heap_bytes: 512 * MIB,
        output_bytes: 64 * MIB,
        output_overflow: OutputOverflow::Fail,
        snapshot_bytes: 256 * MIB,
        bridge_bytes: 64 * MIB,
        outstanding_calls: 16,
        value_depth: 512,
        big_integers: BigIntegers::BigInt,
    }
}

fn start(code: &str, deadline_ns: u64) -> ToWorker {
    ToWorker::Start(Start {
        cell: "cell".to_owned(),
        scope: SCOPE,
        code: code.to_owned(),
        language: Language::JavaScript,
        typescript_enabled: true,
        shell_tool: None,
        limits: limits(),
        deadline_ns,
        seed: 1,
    })
}

#[expect(clippy::unwrap_used, reason = "a helper of tests fails by panicking")]
fn send(worker: &mut Worker, message: &ToWorker) {
    let mut bytes = Vec::new();
    frame::append(&mut bytes, message).unwrap();
    worker.socket.write_all(&bytes).unwrap();
}

/// `value` is JSON.
fn completed(value: &str) -> FromWorker {
    FromWorker::Completed { value: value.into(), warnings: Vec::new() }
}

const NEVER: u64 = u64::MAX;

#[test]
fn a_cell_that_uses_the_library_widely_runs_to_its_end() {
    let mut worker = ready();
    let code = r#"
        const date = new Date(2024, 0, 31, 12);
        const parts = [
            date.toISOString(), date.getTimezoneOffset(), date.toLocaleString().length > 0, Date.now() > 0,
            Math.random() < 1, [3, 1, 2].sort().join(), (2n ** 4000n).toString().length,
            "straße".normalize("NFD").toUpperCase(), /(?<y>\d{4})/u.exec("in 2024").groups.y,
            JSON.stringify({ nested: [1.5, null] }), new Map([[1, 2]]).size, (0.1).toString(3).length > 0,
            await Promise.all([1, 2]).then(([a, b]) => a + b), [..."ab"].entries().map(([i, c]) => i + c).toArray(),
        ];
        let blocks = [];
        for (let i = 0; i < 100; i++) blocks.push(new Uint8Array(1 << 20).fill(i));
        blocks = blocks.map((block) => block.length).reduce((a, b) => a + b);
        return [...parts, blocks];
    "#;
    send(&mut worker, &start(code, NEVER));

    let value = r#"["2024-01-31T12:00:00.000Z",0,true,true,true,"1,2,3",1205,"STRASSE","2024","{\"nested\":[1.5,null]}",1,true,3,["0a","1b"],104857600]"#;
    assert_eq!(worker.receive(), Some(completed(value)));
}

#[test]
fn one_worker_runs_cell_after_cell_of_any_size() {
    let mut worker = ready();
    let sizes = [1, 20_000_000, 1];

    for size in sizes {
        send(&mut worker, &start(&format!("return 'x'.repeat({size})"), NEVER));
        assert_eq!(worker.receive(), Some(completed(&format!("\"{}\"", "x".repeat(size)))));
    }
}

#[test]
fn a_suspended_cell_goes_on_in_another_worker() {
    let mut first = ready();
    let code = "const big = 'y'.repeat(5_000_000); text('before'); const got = await tools.callValue('t', {a: 1}); \
                return [got.length, big.length]";
    send(&mut first, &start(code, NEVER));
    let method = Method::Tool { target: "t".into(), input: Some(r#"{"a":1}"#.into()), form: CallForm::Value };
    let spoken = [first.receive(), first.receive(), first.receive()];
    send(&mut first, &ToWorker::Park);
    let Some(FromWorker::Parked { image }) = first.receive() else { panic!("not parked") };
    let mut second = ready();
    send(
        &mut second,
        &ToWorker::Restore(Restore { cell: "cell".into(), scope: SCOPE, image, limits: limits() }),
    );
    let outcome = Settlement::Value(format!("\"{}\"", "z".repeat(9_000_000)).into());
    send(&mut second, &ToWorker::Settle(Settle { call: 1, outcome }));
    send(&mut second, &ToWorker::Run { deadline_ns: NEVER });

    let expected = [
        FromWorker::Output(Output::Text("before".into())),
        FromWorker::Call(Call { call: 1, method }),
        FromWorker::Waiting { outstanding: 1 },
    ];
    assert_eq!(spoken, expected.map(Some));
    assert_eq!(second.receive(), Some(completed("[9000000,5000000]")));
}

#[test]
fn a_worker_ends_itself_at_the_deadline() {
    let mut worker = ready();
    send(&mut worker, &start("text('kept'); for (;;) {}", 1));
    let output = worker.receive();
    let failure = worker.receive();

    assert_eq!(output, Some(FromWorker::Output(Output::Text("kept".into()))));
    let timed_out =
        matches!(&failure, Some(FromWorker::Failed(failure)) if failure.reason == FailureReason::Timeout);
    assert!(timed_out, "{failure:?}");
    assert_eq!(worker.receive(), None);
    assert_eq!(worker.child.wait().unwrap(), ExitStatus::from_raw(0));
}

#[test]
fn a_full_heap_is_a_failure_of_the_cell() {
    let mut worker = ready();
    send(&mut worker, &start("const all = []; for (;;) all.push(new Array(1000).fill(all.length))", NEVER));
    let failure = worker.receive();

    let full = matches!(&failure, Some(FromWorker::Failed(failure)) if failure.reason == FailureReason::MemoryLimitExceeded);
    assert!(full, "{failure:?}");
}

#[test]
fn a_recursion_without_end_is_a_failure_of_the_cell() {
    let mut worker = ready();
    send(&mut worker, &start("const deeper = () => deeper() + 1; return deeper()", NEVER));
    let failure = worker.receive();

    let overflow = matches!(&failure, Some(FromWorker::Failed(failure)) if failure.reason == FailureReason::StackOverflow);
    assert!(overflow, "{failure:?}");
}
