//! Workers that break the rules, hang, flood or die: each costs its own cell and nothing else.

use std::{os::fd::AsFd, time::Duration};

use crate::common::{
    LONG, SETTINGS, await_readable, cell, finish, limits, next_events, pool_of, process_handle, run,
    until_gone,
};
use toolcell_host::{Event, GoneReason, PoolError, WorkerPool};
use toolcell_protocol::{Limits, Output, OutputOverflow, Settle, Settlement, Start};

fn pool() -> WorkerPool {
    pool_of("ready", SETTINGS).unwrap()
}

fn text(text: &str) -> Event {
    Event::Output(Output::Text(text.to_owned()))
}

fn crashed(detail: &str) -> Event {
    Event::Gone { reason: GoneReason::Crashed, detail: detail.to_owned() }
}

/// What a worker did up to its end, and that the pool still serves.
fn misbehave(script: &str) -> Vec<Event> {
    let pool = pool();
    let worker = pool.lease().unwrap();
    let events = pool.start(worker, cell(script), LONG).unwrap();

    let events = until_gone(&pool, worker, events);

    assert!(matches!(pool.start(worker, cell(""), LONG), Err(PoolError::Gone { .. })));
    assert_eq!(run(&pool, "complete 1"), [Event::Completed { value: b"1".to_vec(), warnings: vec![] }]);
    assert_eq!(pool.stats().crashed, 1);
    events
}

#[test]
fn garbage_ends_the_worker_after_what_came_before() {
    let events = misbehave("text kept; bytes \u{3}\0\0\0\u{7f}\u{7f}\u{7f}; hang");

    assert_eq!(events, [text("kept"), crashed("killed by the host: malformed frame")]);
}

#[test]
fn an_announced_length_above_the_cap_ends_the_worker() {
    let events = misbehave("length 4000000000; hang");

    let allowed = limits().output_bytes + (1 << 20);
    let detail = format!("killed by the host: frame of 4000000000 bytes, at most {allowed} are allowed");
    assert_eq!(events, [crashed(&detail)]);
}

#[test]
fn a_message_out_of_order_ends_the_worker() {
    let events = misbehave("text kept; parked image; hang");

    assert_eq!(events, [text("kept"), crashed("killed by the host: it sent Parked while running")]);
}

#[test]
fn a_second_completion_ends_the_worker() {
    let pool = pool();
    let worker = pool.lease().unwrap();
    let events = pool.start(worker, cell("complete 1; complete 2; hang"), LONG).unwrap();

    let events = until_gone(&pool, worker, events);

    let first = Event::Completed { value: b"1".to_vec(), warnings: vec![] };
    assert_eq!(events, [first, crashed("killed by the host: it sent Completed while idle")]);
}

#[test]
fn a_worker_that_dies_leaves_its_output_and_its_status() {
    let events = misbehave("text kept; leave");

    assert_eq!(events, [text("kept"), crashed("signal 6")]);
}

#[test]
fn a_worker_that_floods_output_is_stopped_near_its_budget() {
    let pool = pool();
    let worker = pool.lease().unwrap();
    let small = Start { limits: Limits { output_bytes: 10_000, ..limits() }, ..cell("flood") };
    let events = pool.start(worker, small, LONG).unwrap();

    let mut events = until_gone(&pool, worker, events);

    let last = events.pop();
    assert_eq!(events, vec![text(&"x".repeat(1000)); 11]);
    assert_eq!(last, Some(crashed("killed by the host: its output takes 11000 bytes, 10000 are allowed")));
}

#[test]
fn truncated_output_streams_until_the_deadline() {
    let pool = pool();
    let worker = pool.lease().unwrap();
    let truncating = Limits { output_bytes: 10_000, output_overflow: OutputOverflow::Truncate, ..limits() };
    let flood = Start { limits: truncating, ..cell("flood") };
    let events = pool.start(worker, flood, Duration::from_millis(50)).unwrap();

    let mut events = until_gone(&pool, worker, events);

    let last = events.pop();
    assert!(matches!(last, Some(Event::Gone { reason: GoneReason::Deadline, .. })), "{last:?}");
    assert!(events.len() > 20, "{} items", events.len());
    assert!(events.iter().all(|event| matches!(event, Event::Output(_))));
}

#[test]
fn a_silent_worker_is_killed_at_the_deadline_and_its_output_kept() {
    let pool = pool();
    let worker = pool.lease().unwrap();
    let events = pool.start(worker, cell("text kept; hang"), Duration::from_millis(20)).unwrap();

    let events = until_gone(&pool, worker, events);

    let gone = Event::Gone { reason: GoneReason::Deadline, detail: "signal 9".to_owned() };
    assert_eq!(events, [text("kept"), gone]);
    assert_eq!((pool.stats().killed_deadline, pool.stats().crashed), (1, 0));
}

#[test]
fn each_of_many_silent_workers_meets_its_own_deadline() {
    let pool = pool();
    let workers: Vec<_> = (0..8).map(|_| pool.lease().unwrap()).collect();
    for (&worker, timeout_ms) in workers.iter().zip([80, 10, 60, 20, 50, 30, 40, 70]) {
        pool.start(worker, cell("hang"), Duration::from_millis(timeout_ms)).unwrap();
    }

    let mut ended = Vec::new();
    while ended.len() < workers.len() {
        ended.extend(next_events(&pool));
    }

    let gone = Event::Gone { reason: GoneReason::Deadline, detail: "signal 9".to_owned() };
    ended.sort_by_key(|&(worker, _)| worker);
    assert_eq!(ended, workers.into_iter().map(|worker| (worker, vec![gone.clone()])).collect::<Vec<_>>());
}

#[test]
fn an_answer_in_time_counts_although_it_is_fetched_after_the_deadline() {
    let pool = pool();
    let thinker = pool.lease().unwrap();
    let witness = pool.lease().unwrap();
    let witness_ended = process_handle(pool.pid(witness).unwrap());
    let events = pool.start(thinker, cell("think-ms 5; complete 1"), Duration::from_millis(100)).unwrap();
    pool.start(witness, cell("hang"), Duration::from_millis(150)).unwrap();
    await_readable(witness_ended.as_fd());

    let events = finish(&pool, thinker, events);

    assert_eq!(events, [Event::Completed { value: b"1".to_vec(), warnings: vec![] }]);
    assert!(pool.pid(thinker).is_ok());
}

#[test]
fn a_killed_worker_reports_its_output_and_its_end() {
    let pool = pool();
    let worker = pool.lease().unwrap();
    let mut events = pool.start(worker, cell("text kept; hang"), LONG).unwrap();
    while events.is_empty() {
        events.extend(next_events(&pool).into_iter().flat_map(|(_, events)| events));
    }
    pool.kill(worker);

    let events = until_gone(&pool, worker, events);

    let gone = Event::Gone { reason: GoneReason::Killed, detail: "signal 9".to_owned() };
    assert_eq!(events, [text("kept"), gone]);
}

#[test]
fn a_worker_that_timed_out_is_gone_after_its_report() {
    let events = {
        let pool = pool();
        let worker = pool.lease().unwrap();
        let events = pool.start(worker, cell("text kept; time-out"), LONG).unwrap();
        until_gone(&pool, worker, events)
    };

    let [output, Event::Failed(failure), gone] = events.as_slice() else { panic!("{events:?}") };
    let closed = Event::Gone { reason: GoneReason::Closed, detail: "it ended with its cell".to_owned() };
    assert_eq!((output, failure.message.as_str(), gone), (&text("kept"), "deadline passed", &closed));
}

#[test]
fn both_sides_may_write_much_at_once() {
    let megabytes = 8 << 20;
    let pool = pool();
    let worker = pool.lease().unwrap();
    let script = format!("call 1; waiting 1; before-reading-on; text-of {megabytes} | complete 1");
    let started = pool.start(worker, cell(&script), LONG).unwrap();
    finish(&pool, worker, started);
    let value = Settle { call: 1, outcome: Settlement::Value(vec![b'1'; megabytes]) };
    let events = pool.resume(worker, vec![value], LONG).unwrap();

    let mut events = events;
    while !matches!(events.last(), Some(Event::Completed { .. })) {
        events.extend(next_events(&pool).into_iter().flat_map(|(_, events)| events));
    }

    let completed = Event::Completed { value: b"1".to_vec(), warnings: vec![] };
    assert_eq!(events, [text(&"x".repeat(megabytes)), completed]);
}

#[test]
fn the_end_of_a_pool_is_reported_to_every_cell() {
    let pool = pool();
    let worker = pool.lease().unwrap();
    let events = pool.start(worker, cell("text kept; hang"), LONG).unwrap();
    pool.close();

    let events = until_gone(&pool, worker, events);

    assert!(matches!(events.last(), Some(Event::Gone { reason: GoneReason::Closed, .. })), "{events:?}");
    assert_eq!((pool.stats().warm, pool.stats().leased), (0, 0));
}
