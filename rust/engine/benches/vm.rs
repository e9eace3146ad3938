//! What a VM costs, against a fresh `Runtime` and `Context::full` of rquickjs in the same process.

#![expect(clippy::expect_used, clippy::panic, reason = "a benchmark that can't run fails by panicking")]

use std::{cell::RefCell, hint::black_box};

use criterion::{Criterion, criterion_group};
use toolcell_arena::RoutingAllocator;
use toolcell_engine::{Engine, Hooks, on_engine_stack};
use toolcell_protocol::{
    BigIntegers, FromWorker, Language, Limits, OutputOverflow, Restore, Settle, Settlement, Start, ToWorker,
};

#[global_allocator]
static ALLOCATOR: RoutingAllocator = RoutingAllocator;

thread_local! {
    static LAST: RefCell<Option<FromWorker>> = const { RefCell::new(None) };
}

fn keep(message: &FromWorker) {
    LAST.set(Some(message.clone()));
}

fn end(message: &FromWorker) -> ! {
    panic!("the engine ended its process: {message:?}");
}

fn start(code: &str) -> ToWorker {
    ToWorker::Start(Start {
        cell: "cell_1".into(),
        scope: [9; 32],
        code: code.into(),
        language: Language::JavaScript,
        typescript_enabled: true,
        shell_tool: None,
        limits: limits(),
        deadline_ns: u64::MAX,
        seed: 42,
    })
}

fn limits() -> Limits {
    Limits {
        heap_bytes: 64 << 20,
        output_bytes: 10 << 20,
        output_overflow: OutputOverflow::Fail,
        snapshot_bytes: 10 << 20,
        bridge_bytes: 16 << 20,
        outstanding_calls: 1040,
        value_depth: 512,
        big_integers: BigIntegers::BigInt,
    }
}

fn settle(json: &[u8]) -> ToWorker {
    ToWorker::Settle(Settle { call: 1, outcome: Settlement::Value(json.to_vec()) })
}

fn completed() {
    assert!(matches!(LAST.take(), Some(FromWorker::Completed { .. })));
}

fn parked() -> Vec<u8> {
    match LAST.take() {
        Some(FromWorker::Parked { image }) => image,
        other => panic!("unexpected {other:?}"),
    }
}

const RUN: ToWorker = ToWorker::Run { deadline_ns: u64::MAX };

/// 10,000 objects, 1 MB of JSON.
fn table() -> Vec<u8> {
    let text = "the quick brown fox jumps over the lazy dog";
    let row = |id| format!(r#"{{"id":{id},"name":"item-{id:05}","value":63.0,"ok":true,"t":"{text}"}}"#);
    format!("[{}]", (0..10_000).map(row).collect::<Vec<_>>().join(",")).into_bytes()
}

fn suspension(engine: &mut Engine, criterion: &mut Criterion, name: &str, code: &str, input: &[u8]) {
    let resume = |engine: &mut Engine, image: Vec<u8>| {
        engine.handle(ToWorker::Restore(Restore {
            cell: "cell_1".into(),
            scope: [9; 32],
            image,
            limits: limits(),
        }));
    };
    engine.handle(start(code));
    engine.handle(settle(input));
    engine.handle(RUN);
    engine.handle(ToWorker::Park);
    let image = parked();
    println!("{name}: image of {} bytes", image.len());
    criterion.bench_function(&format!("{name}/restore"), |bencher| {
        bencher.iter(|| {
            resume(engine, image.clone());
            engine.handle(ToWorker::Settle(Settle { call: 2, outcome: Settlement::Value(b"1".to_vec()) }));
            engine.handle(RUN);
            completed();
        });
    });
    criterion.bench_function(&format!("{name}/restore+park"), |bencher| {
        bencher.iter(|| {
            resume(engine, image.clone());
            engine.handle(ToWorker::Park);
            black_box(parked());
        });
    });
}

fn benches(criterion: &mut Criterion) {
    let mut engine = Engine::boot(Hooks { send: keep, end }, [7; 32]).expect("boots");
    let engine = &mut engine;
    criterion.bench_function("fresh rquickjs Runtime + Context::full + eval", |bencher| {
        bencher.iter(|| {
            let runtime = rquickjs::Runtime::new().expect("runtime");
            let context = rquickjs::Context::full(&runtime).expect("context");
            context.with(|context| black_box(context.eval::<i32, _>("1+1").expect("value")));
        });
    });
    criterion.bench_function("reset + trivial cell", |bencher| {
        let cell = start("return 1+1");
        bencher.iter(|| {
            engine.handle(cell.clone());
            completed();
        });
    });
    criterion.bench_function("cell with one call", |bencher| {
        let cell = start("return await tools.call('t', {i: 1})");
        bencher.iter(|| {
            engine.handle(cell.clone());
            engine.handle(settle(b"{\"ok\":1}"));
            engine.handle(RUN);
            completed();
        });
    });
    let json = table();
    criterion.bench_function("decode 10,000 objects", |bencher| {
        let cell = start("return (await tools.call('t')).length");
        bencher.iter(|| {
            engine.handle(cell.clone());
            engine.handle(settle(&json));
            engine.handle(RUN);
            completed();
        });
    });
    criterion.bench_function("decode and encode 10,000 objects", |bencher| {
        let cell = start("return await tools.call('t')");
        bencher.iter(|| {
            engine.handle(cell.clone());
            engine.handle(settle(&json));
            engine.handle(RUN);
            completed();
        });
    });
    criterion.bench_function("JSON.parse and JSON.stringify 10,000 objects", |bencher| {
        let cell = start("const s = await tools.call('t'); return JSON.stringify(JSON.parse(s)).length");
        let text =
            [b"\"", String::from_utf8(json.clone()).expect("text").replace('"', "\\\"").as_bytes(), b"\""]
                .concat();
        bencher.iter(|| {
            engine.handle(cell.clone());
            engine.handle(settle(&text));
            engine.handle(RUN);
            completed();
        });
    });
    criterion.bench_function("fib(27)/toolcell", |bencher| {
        let cell = start("function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2) } return fib(27)");
        bencher.iter(|| {
            engine.handle(cell.clone());
            completed();
        });
    });
    criterion.bench_function("fib(27)/rquickjs", |bencher| {
        let runtime = rquickjs::Runtime::new().expect("runtime");
        let context = rquickjs::Context::full(&runtime).expect("context");
        bencher.iter(|| {
            context.with(|context| {
                let code = "(function () { function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2) } return fib(27) })()";
                black_box(context.eval::<i32, _>(code).expect("value"))
            })
        });
    });
    let waits = "const x = await tools.call('a'); await tools.call('b'); return x.length";
    suspension(engine, criterion, "suspended trivial cell", waits, b"\"short\"");
    suspension(engine, criterion, "suspended 10,000 objects", waits, &json);
}

criterion_group!(group, benches);

fn main() {
    toolcell_arena::map().expect("regions");
    on_engine_stack(|| {
        group();
        Criterion::default().configure_from_args().final_summary();
    });
}
