//! A host for one engine, in this process. The engine lives on a thread of its own; tests take turns.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a helper of tests fails by panicking")]

use std::{
    cell::RefCell,
    sync::{
        OnceLock,
        mpsc::{Sender, channel},
    },
    thread,
};

use toolcell_arena::RoutingAllocator;
use toolcell_engine::{Engine, Hooks, on_engine_stack};
use toolcell_protocol::{
    BigIntegers, Call, Catalog, CatalogTool, Failure, FromWorker, Language, Limits, Method, Output,
    OutputOverflow, Restore, Settle, Settlement, Start, ToWorker, ToolFailure,
};

#[global_allocator]
static ALLOCATOR: RoutingAllocator = RoutingAllocator;

type Job = Box<dyn FnOnce(&mut Engine) + Send>;

thread_local! {
    static SENT: RefCell<Vec<FromWorker>> = RefCell::default();
}

fn record(message: &FromWorker) {
    SENT.with_borrow_mut(|sent| sent.push(message.clone()));
}

fn end(message: &FromWorker) -> ! {
    panic!("the engine ended its process: {message:?}");
}

/// Runs `work` with the engine and returns what it returns.
pub(crate) fn with_engine<R: Send + 'static>(work: impl FnOnce(&mut Engine) -> R + Send + 'static) -> R {
    static ENGINE: OnceLock<Sender<Job>> = OnceLock::new();
    let jobs = ENGINE.get_or_init(|| {
        let (sender, receiver) = channel::<Job>();
        thread::spawn(move || {
            toolcell_arena::map().unwrap();
            on_engine_stack(|| {
                let mut engine = Engine::boot(Hooks { send: record, end }, [7; 32]).unwrap();
                for job in receiver {
                    job(&mut engine);
                }
            });
        });
        sender
    });
    let (done, result) = channel();
    jobs.send(Box::new(move |engine| done.send(work(engine)).unwrap())).unwrap();
    result.recv().unwrap()
}

/// Sends messages to the engine and returns its answers.
pub(crate) fn exchange(engine: &mut Engine, messages: Vec<ToWorker>) -> Vec<FromWorker> {
    for message in messages {
        engine.handle(message);
    }
    SENT.take()
}

pub(crate) fn limits() -> Limits {
    Limits {
        heap_bytes: 64 << 20,
        output_bytes: 64 << 10,
        output_overflow: OutputOverflow::Fail,
        snapshot_bytes: 10 << 20,
        bridge_bytes: 16 << 20,
        outstanding_calls: 1040,
        value_depth: 512,
        big_integers: BigIntegers::BigInt,
    }
}

pub(crate) fn start(code: &str) -> Start {
    Start {
        cell: "cell_1".into(),
        scope: [9; 32],
        code: code.into(),
        language: Language::JavaScript,
        typescript_enabled: true,
        shell_tool: None,
        limits: limits(),
        deadline_ns: u64::MAX,
        seed: 42,
    }
}

pub(crate) fn catalog(names: &[&str]) -> Catalog {
    let tool = |name: &&str| CatalogTool {
        id: format!("host:core:{name}"),
        safe_name: Some((*name).into()),
        bare_name: Some((*name).into()),
        entry: format!(r#"{{"id":"host:core:{name}","name":"{name}"}}"#).into_bytes(),
    };
    Catalog { hash: names.len() as u64 + 1, tools: names.iter().map(tool).collect(), ..Catalog::default() }
}

/// How a cell ended, and what it did.
#[derive(Debug, PartialEq)]
pub(crate) struct Ended {
    pub(crate) result: Result<String, Failure>,
    pub(crate) output: Vec<Output>,
    pub(crate) calls: Vec<Method>,
    pub(crate) legs: u32,
    pub(crate) warnings: Vec<String>,
    pub(crate) foreign_words: bool,
}

impl Ended {
    pub(crate) fn value(&self) -> &str {
        match &self.result {
            Ok(value) => value,
            Err(failure) => panic!("the cell failed: {failure:?}"),
        }
    }

    pub(crate) fn failure(&self) -> &Failure {
        match &self.result {
            Err(failure) => failure,
            Ok(value) => panic!("the cell returned {value}"),
        }
    }
}

/// Whether a waiting cell is suspended to bytes and restored at every step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    Direct,
    Suspended,
}

/// Runs a cell to its end with the tools `echo`, `fail` and whatever else echoes.
pub(crate) fn run(code: &str) -> Ended {
    let direct = run_start(start(code), Mode::Direct);
    let suspended = run_start(start(code), Mode::Suspended);
    assert_eq!(direct.result, suspended.result, "suspending changed the result of\n{code}");
    assert_eq!(direct.output, suspended.output);
    direct
}

pub(crate) fn run_start(start: Start, mode: Mode) -> Ended {
    run_catalog(catalog(&["echo", "fail", "add"]), start, mode, b"null")
}

/// Like [`run_start`] with a catalog, and `found` as the answer to every look-up.
pub(crate) fn run_catalog(catalog: Catalog, start: Start, mode: Mode, found: &'static [u8]) -> Ended {
    with_engine(move |engine| {
        let (id, scope, limits) = (start.cell.clone(), start.scope, start.limits.clone());
        let mut ended = Ended {
            result: Ok(String::new()),
            output: Vec::new(),
            calls: Vec::new(),
            legs: 1,
            warnings: Vec::new(),
            foreign_words: false,
        };
        engine.handle(ToWorker::Catalog(catalog));
        let mut answers = exchange(engine, vec![ToWorker::Start(start)]);
        loop {
            let mut settles = Vec::new();
            let mut end = None;
            for answer in answers {
                match answer {
                    FromWorker::Output(item) => ended.output.push(item),
                    FromWorker::ForeignWords => ended.foreign_words = true,
                    FromWorker::Call(call) => {
                        ended.calls.push(call.method.clone());
                        settles.push(answer_call(&call, found));
                    }
                    FromWorker::Completed { value, warnings } => {
                        ended.warnings = warnings;
                        end = Some(Ok(String::from_utf8(value).unwrap()));
                    }
                    FromWorker::Failed(failure) => end = Some(Err(failure)),
                    FromWorker::Waiting { .. } | FromWorker::Cancel { .. } => {}
                    other => panic!("unexpected {other:?}"),
                }
            }
            if let Some(result) = end {
                ended.result = result;
                return ended;
            }
            let mut messages = Vec::new();
            if mode == Mode::Suspended {
                let parked = exchange(engine, vec![ToWorker::Park]);
                let image = match parked.as_slice() {
                    [FromWorker::Parked { image }] => image.clone(),
                    [FromWorker::Failed(failure)] => {
                        ended.result = Err(failure.clone());
                        return ended;
                    }
                    other => panic!("unexpected {other:?}"),
                };
                messages.push(ToWorker::Restore(Restore {
                    cell: id.clone(),
                    scope,
                    image,
                    limits: limits.clone(),
                }));
            }
            ended.legs += 1;
            messages.extend(settles.into_iter().map(ToWorker::Settle));
            messages.push(ToWorker::Run { deadline_ns: u64::MAX });
            answers = exchange(engine, messages);
        }
    })
}

fn answer_call(call: &Call, found: &[u8]) -> Settle {
    let outcome = match &call.method {
        Method::Tool { target, .. } if target.ends_with("fail") => Settlement::Failure(ToolFailure {
            name: "ToolError".into(),
            message: "disk full".into(),
            code: "tool_failed".into(),
            tool: target.clone(),
            retryable: false,
            data: None,
        }),
        Method::Tool { input, .. } => Settlement::Value(input.clone().unwrap_or_else(|| b"null".to_vec())),
        _ => Settlement::Value(found.to_vec()),
    };
    Settle { call: call.call, outcome }
}
