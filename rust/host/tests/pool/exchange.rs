//! Well-behaved workers: legs, suspension, release.

use std::{collections::HashMap, thread};

use crate::common::{LONG, SETTINGS, cell, finish, limits, next_events, pool_of, run};
use toolcell_host::{EncodedCatalog, Event, PoolError, PoolSettings};
use toolcell_protocol::{Call, CallForm, Catalog, CatalogTool, Method, Restore, Settle, Settlement};

fn completed(value: &str) -> Event {
    Event::Completed { value: value.as_bytes().to_vec(), warnings: vec![] }
}

fn waiting(call: u32) -> Event {
    let method = Method::Tool { target: "tool".into(), input: None, form: CallForm::Value };
    Event::Waiting { calls: vec![Call { call, method }], cancelled: vec![], outstanding: 1 }
}

fn settled(call: u32) -> Vec<Settle> {
    vec![Settle { call, outcome: Settlement::Value(b"null".to_vec()) }]
}

fn continuation(script: &str) -> Restore {
    Restore { cell: "cell".into(), scope: [0; 32], image: script.as_bytes().to_vec(), limits: limits() }
}

#[test]
fn a_cell_runs_leg_by_leg_in_one_worker() {
    let pool = pool_of("ready", SETTINGS).unwrap();
    let worker = pool.lease().unwrap();

    let first = pool.start(worker, cell("call 1; waiting 1 | call 2; waiting 1 | complete 3"), LONG).unwrap();
    let first = finish(&pool, worker, first);
    let second = pool.resume(worker, settled(1), LONG).unwrap();
    let second = finish(&pool, worker, second);
    let third = pool.resume(worker, settled(2), LONG).unwrap();
    let third = finish(&pool, worker, third);

    assert_eq!((first, second, third), (vec![waiting(1)], vec![waiting(2)], vec![completed("3")]));
}

#[test]
fn a_worker_serves_the_next_cell_after_the_last() {
    let pool = pool_of("ready", SETTINGS).unwrap();
    let worker = pool.lease().unwrap();

    let values = ["1", "2", "3"].map(|value| {
        let events = pool.start(worker, cell(&format!("complete {value}")), LONG).unwrap();
        finish(&pool, worker, events)
    });

    assert_eq!(values, ["1", "2", "3"].map(|value| vec![completed(value)]));
    assert_eq!(pool.stats().leased, 1);
}

#[test]
fn a_parked_cell_goes_on_in_another_worker() {
    let pool = pool_of("ready", SETTINGS).unwrap();
    let first = pool.lease().unwrap();
    let second = pool.lease().unwrap();
    let started = pool.start(first, cell("call 1; waiting 1 | parked complete 5"), LONG).unwrap();
    finish(&pool, first, started);
    let parked = pool.park(first, LONG).unwrap();
    let parked = finish(&pool, first, parked);
    let [Event::Parked { image }] = parked.as_slice() else { panic!("{parked:?}") };
    pool.release(first);

    pool.restore(second, continuation(&String::from_utf8_lossy(image))).unwrap();
    let resumed = pool.resume(second, settled(1), LONG).unwrap();

    assert_eq!(finish(&pool, second, resumed), [completed("5")]);
}

#[test]
fn a_refused_continuation_leaves_the_worker_idle() {
    let pool = pool_of("ready", SETTINGS).unwrap();
    let worker = pool.lease().unwrap();
    pool.restore(worker, continuation("refuse another build")).unwrap();
    let resumed = pool.resume(worker, vec![], LONG).unwrap();

    let refused = finish(&pool, worker, resumed);
    let next = pool.start(worker, cell("complete 1"), LONG).unwrap();

    assert_eq!(refused, [Event::Refused { reason: "another build".into() }]);
    assert_eq!(finish(&pool, worker, next), [completed("1")]);
}

#[test]
fn a_released_worker_is_unknown_and_its_process_ends() {
    let pool = pool_of("ready", SETTINGS).unwrap();
    let worker = pool.lease().unwrap();
    pool.release(worker);

    let verdicts = [pool.start(worker, cell(""), LONG).map(drop), pool.pid(worker).map(drop)];

    assert!(verdicts.iter().all(|verdict| matches!(verdict, Err(PoolError::Gone { .. }))), "{verdicts:?}");
    assert_eq!(pool.stats().leased, 0);
    pool.release(worker);
    assert_eq!(run(&pool, "complete 1"), [completed("1")]);
}

#[test]
fn equal_catalogs_have_equal_hashes() {
    let tool =
        |id: &str| CatalogTool { id: id.into(), safe_name: None, bare_name: None, entry: b"{}".to_vec() };
    let hash = |ids: &[&str]| {
        let tools = ids.iter().map(|id| tool(id)).collect();
        EncodedCatalog::new(Catalog { tools, ..Catalog::default() }).unwrap().hash()
    };

    assert_eq!(hash(&["a", "b"]), hash(&["a", "b"]));
    assert_ne!(hash(&["a", "b"]), hash(&["b", "a"]));
}

#[test]
fn a_catalog_is_sent_between_cells() {
    let pool = pool_of("ready", SETTINGS).unwrap();
    let worker = pool.lease().unwrap();
    let catalog = EncodedCatalog::new(Catalog::default()).unwrap();

    pool.send_catalog(worker, &catalog).unwrap();
    let events = pool.start(worker, cell("call 1; waiting 1"), LONG).unwrap();
    finish(&pool, worker, events);
    let within = pool.send_catalog(worker, &catalog);

    assert!(matches!(within, Err(PoolError::WrongState { .. })));
}

#[test]
fn more_workers_than_are_warm_can_be_leased_at_once() {
    let pool = pool_of("ready", PoolSettings { warm: 2, ..SETTINGS }).unwrap();

    let mut workers = thread::scope(|scope| {
        let leases: Vec<_> = (0..8).map(|_| scope.spawn(|| pool.lease().unwrap())).collect();
        leases.into_iter().map(|lease| lease.join().unwrap()).collect::<Vec<_>>()
    });

    workers.sort();
    workers.dedup();
    assert_eq!((workers.len(), pool.stats().leased), (8, 8));
}

#[test]
fn threads_start_cells_side_by_side() {
    let pool = pool_of("ready", SETTINGS).unwrap();

    let started = thread::scope(|scope| {
        let start = || {
            let worker = pool.lease().unwrap();
            (worker, pool.start(worker, cell("complete 1"), LONG).unwrap())
        };
        let cells: Vec<_> = (0..4).map(|_| scope.spawn(start)).collect();
        cells.into_iter().map(|cell| cell.join().unwrap()).collect::<Vec<_>>()
    });
    let mut results: HashMap<_, _> = started.into_iter().collect();
    while results.values().any(Vec::is_empty) {
        results.extend(next_events(&pool));
    }

    assert_eq!(results.into_values().collect::<Vec<_>>(), vec![vec![completed("1")]; 4]);
}
