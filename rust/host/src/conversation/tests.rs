use toolcell_protocol::{BigIntegers, CallForm};

use super::*;

fn limits() -> Limits {
    Limits {
        heap_bytes: 1 << 20,
        output_bytes: 100,
        output_overflow: OutputOverflow::Fail,
        snapshot_bytes: 1 << 20,
        bridge_bytes: 1 << 20,
        outstanding_calls: 4,
        value_depth: 64,
        big_integers: BigIntegers::BigInt,
    }
}

fn tool(call: u32) -> FromWorker {
    FromWorker::Call(tool_call(call))
}

fn tool_call(call: u32) -> Call {
    let method = Method::Tool { target: "t".into(), input: None, form: CallForm::Value };
    Call { call, method }
}

fn timer(call: u32) -> FromWorker {
    FromWorker::Call(Call { call, method: Method::Timer { delay_ms: 1 } })
}

fn completed() -> FromWorker {
    FromWorker::Completed { value: b"1".to_vec(), warnings: Vec::new() }
}

fn started() -> Conversation {
    let mut conversation = Conversation::new();
    conversation.start(&limits()).unwrap();
    conversation
}

/// A cell that waits for these calls.
fn waiting(calls: &[u32]) -> Conversation {
    let mut conversation = started();
    for &call in calls {
        conversation.accept(tool(call)).unwrap();
    }
    conversation.accept(FromWorker::Waiting { outstanding: calls.len() as u32 }).unwrap();
    conversation
}

fn restored_and_resumed(settled: &[u32]) -> Conversation {
    let mut conversation = Conversation::new();
    conversation.restore(&limits()).unwrap();
    conversation.resume(settled.iter().copied()).unwrap();
    conversation
}

#[test]
fn calls_are_reported_together_when_the_leg_ends() {
    let mut conversation = started();

    let steps = [tool(1), tool(2), FromWorker::Waiting { outstanding: 2 }]
        .map(|message| conversation.accept(message).unwrap());

    let report =
        Event::Waiting { calls: vec![tool_call(1), tool_call(2)], cancelled: vec![], outstanding: 2 };
    assert_eq!(steps, [Step::Quiet, Step::Quiet, Step::Report(report)]);
    assert!(!conversation.is_busy());
}

#[test]
fn a_worker_that_was_not_asked_must_be_silent() {
    let unasked = [
        Conversation::new().accept(completed()),
        waiting(&[1]).accept(FromWorker::Output(Output::Text("x".into()))),
        started().accept(FromWorker::Parked { image: vec![] }),
        started().accept(FromWorker::Refused { reason: String::new() }),
    ];

    let verdicts = unasked.map(|step| step.unwrap_err().to_string());
    assert_eq!(
        verdicts,
        [
            "it sent Completed while idle",
            "it sent Output while waiting",
            "it sent Parked while running",
            "it sent Refused while running",
        ]
    );
}

#[test]
fn words_of_servers_are_told_of_once_and_by_a_running_cell() {
    let mut conversation = started();

    assert_eq!(conversation.accept(FromWorker::ForeignWords), Ok(Step::Report(Event::ForeignWords)));
    assert!(matches!(conversation.accept(FromWorker::ForeignWords), Err(Violation::OutOfOrder { .. })));
    assert!(matches!(waiting(&[1]).accept(FromWorker::ForeignWords), Err(Violation::OutOfOrder { .. })));
}

#[test]
fn a_cell_completes_once() {
    let mut conversation = started();
    conversation.accept(completed()).unwrap();

    let again = conversation.accept(completed());

    assert_eq!(again, Err(Violation::OutOfOrder { message: "Completed", state: "idle" }));
}

#[test]
fn call_numbers_only_grow() {
    let mut conversation = waiting(&[1, 2]);
    conversation.resume([1, 2].into_iter()).unwrap();

    let again = conversation.accept(tool(2));

    assert_eq!(again, Err(Violation::CallOrder { found: 2, last: 2 }));
}

#[test]
fn announced_calls_must_add_up() {
    let mut short = started();
    short.accept(tool(1)).unwrap();
    let mut over_legs = waiting(&[1, 2]);
    over_legs.resume([2].into_iter()).unwrap();
    over_legs.accept(tool(3)).unwrap();

    let miscount = short.accept(FromWorker::Waiting { outstanding: 2 });
    let nothing = started().accept(FromWorker::Waiting { outstanding: 0 });
    let correct = over_legs.accept(FromWorker::Waiting { outstanding: 2 });

    assert_eq!(miscount, Err(Violation::Miscount { announced: 2, counted: 1 }));
    assert_eq!(nothing, Err(Violation::Miscount { announced: 0, counted: 0 }));
    assert!(correct.is_ok());
}

#[test]
fn a_restored_cell_states_its_calls_once_and_is_held_to_it() {
    let mut conversation = restored_and_resumed(&[3]);
    conversation.accept(tool(9)).unwrap();
    conversation.accept(FromWorker::Waiting { outstanding: 3 }).unwrap();
    conversation.resume([9, 2].into_iter()).unwrap();

    let verdict = conversation.accept(FromWorker::Waiting { outstanding: 2 });

    assert_eq!(verdict, Err(Violation::Miscount { announced: 2, counted: 1 }));
}

#[test]
fn only_a_cell_just_restored_may_be_refused() {
    let refused = || FromWorker::Refused { reason: "stale".into() };
    let mut conversation = restored_and_resumed(&[]);

    let step = conversation.accept(refused());

    assert_eq!(step, Ok(Step::Report(Event::Refused { reason: "stale".into() })));
    assert!(conversation.start(&limits()).is_ok());
    assert!(conversation.accept(refused()).is_err());
}

#[test]
fn a_timer_made_and_cleared_in_one_leg_is_not_reported() {
    let mut conversation = started();
    for message in [tool(1), timer(2), FromWorker::Cancel { call: 2 }] {
        conversation.accept(message).unwrap();
    }

    let step = conversation.accept(FromWorker::Waiting { outstanding: 1 });

    let report = Event::Waiting { calls: vec![tool_call(1)], cancelled: vec![], outstanding: 1 };
    assert_eq!(step, Ok(Step::Report(report)));
}

#[test]
fn only_timers_can_be_given_up() {
    let mut conversation = started();
    conversation.accept(tool(1)).unwrap();

    let verdicts = [1, 7].map(|call| conversation.accept(FromWorker::Cancel { call }));

    assert_eq!(verdicts, [1, 7].map(|call| Err(Violation::NotATimer { call })));
}

#[test]
fn more_calls_than_allowed_are_a_violation() {
    let mut conversation = started();
    for call in 1..=5 {
        conversation.accept(tool(call)).unwrap();
    }

    let verdict = conversation.accept(FromWorker::Waiting { outstanding: 5 });

    assert_eq!(verdict, Err(Violation::TooManyCalls { found: 5, allowed: 4 }));
}

#[test]
fn a_flood_of_calls_is_stopped_before_the_leg_ends() {
    let mut conversation = started();

    let stopped_at = (1..100_000).find(|&call| conversation.accept(timer(call)).is_err()).unwrap();

    let allowed = (limits().heap_bytes + limits().bridge_bytes + FRAME_SLACK_BYTES) / CALL_OVERHEAD_BYTES;
    assert_eq!(u64::from(stopped_at), allowed + 1);
}

#[test]
fn output_may_pass_its_budget_by_one_item_only() {
    let mut conversation = started();
    let item = || FromWorker::Output(Output::Text("x".repeat(60)));

    let verdicts = [(); 4].map(|()| conversation.accept(item()).is_ok());

    assert_eq!(verdicts, [true, true, false, false]);
}

#[test]
fn a_worker_leaves_after_a_timeout_and_after_a_full_heap() {
    let last = [FailureReason::Timeout, FailureReason::MemoryLimitExceeded, FailureReason::GuestError].map(
        |reason| {
            let failure = Failure {
                reason,
                message: String::new(),
                stack: vec![],
                location: None,
                code_frame: None,
                hints: vec![],
                missing: vec![],
                preview: None,
            };
            matches!(started().accept(FromWorker::Failed(failure)), Ok(Step::Last(_)))
        },
    );

    assert_eq!(last, [true, true, false]);
}

#[test]
fn commands_that_do_not_fit_are_refused_and_change_nothing() {
    let mut conversation = waiting(&[1]);

    let errors = [
        conversation.start(&limits()),
        conversation.restore(&limits()),
        conversation.catalog(),
        conversation.resume([2].into_iter()),
    ]
    .map(|result| result.unwrap_err().to_string());

    assert_eq!(
        errors,
        [
            "a worker that is waiting can't start a cell",
            "a worker that is waiting can't restore a cell",
            "a worker that is waiting can't take a catalog",
            "call 2 is not outstanding",
        ]
    );
    assert!(conversation.resume([1].into_iter()).is_ok());
}
