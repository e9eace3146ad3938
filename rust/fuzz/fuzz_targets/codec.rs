//! Any bytes as the result of a call: they reach the guest or its call fails; what reached it comes back as JSON that
//! reads the same.
#![no_main]

use std::{cell::RefCell, sync::Once};

use libfuzzer_sys::fuzz_target;
use toolcell_arena::RoutingAllocator;
use toolcell_engine::{Engine, Hooks, on_engine_stack};
use toolcell_protocol::{
    BigIntegers, FromWorker, Language, Limits, OutputOverflow, Settle, Settlement, Start, ToWorker,
};

#[global_allocator]
static ALLOCATOR: RoutingAllocator = RoutingAllocator;

thread_local! {
    static ENGINE: RefCell<Option<Engine>> = const { RefCell::new(None) };
    static LAST: RefCell<Option<FromWorker>> = const { RefCell::new(None) };
}

fn keep(message: &FromWorker) {
    LAST.set(Some(message.clone()));
}

fn end(message: &FromWorker) -> ! {
    panic!("the engine ended its process: {message:?}");
}

/// What the guest gives back of `json`; `None` if it did not accept it.
fn echo(engine: &mut Engine, json: &[u8]) -> Option<Vec<u8>> {
    engine.handle(ToWorker::Start(Start {
        cell: "cell_1".into(),
        scope: [0; 32],
        code: "return await tools.call('t')".into(),
        language: Language::JavaScript,
        typescript_enabled: false,
        shell_tool: None,
        limits: Limits {
            heap_bytes: 256 << 20,
            output_bytes: 64 << 20,
            output_overflow: OutputOverflow::Fail,
            snapshot_bytes: 10 << 20,
            bridge_bytes: 16 << 20,
            outstanding_calls: 16,
            value_depth: 512,
            big_integers: BigIntegers::BigInt,
        },
        deadline_ns: u64::MAX,
        seed: 1,
    }));
    engine.handle(ToWorker::Settle(Settle { call: 1, outcome: Settlement::Value(json.to_vec()) }));
    engine.handle(ToWorker::Run { deadline_ns: u64::MAX });
    match LAST.take() {
        Some(FromWorker::Completed { value, .. }) => Some(value),
        Some(FromWorker::Failed(_)) => None,
        other => panic!("unexpected {other:?}"),
    }
}

fuzz_target!(|json: &[u8]| {
    static MAP: Once = Once::new();
    MAP.call_once(|| toolcell_arena::map().expect("regions"));
    on_engine_stack(|| {
        ENGINE.with_borrow_mut(|engine| {
            let engine = engine.get_or_insert_with(|| Engine::boot(Hooks { send: keep, end }, [0; 32]).expect("boots"));
            if let Some(once) = echo(engine, json) {
                let twice = echo(engine, &once).expect("our own JSON is accepted");
                assert_eq!(String::from_utf8_lossy(&once), String::from_utf8_lossy(&twice));
            }
        });
    });
});
