//! Workers that can't be started, each with its reason.

use std::{fs, os::unix::fs::PermissionsExt, path::Path, time::Duration};

use crate::common::{SETTINGS, pool_of, run, worker_named};
use tempfile::TempDir;
use toolcell_host::{Event, Exit, PoolSettings, StartError, WorkerPool, sha256_of_file};
use toolcell_protocol::PROTOCOL_VERSION;

fn refusal(path: &Path) -> StartError {
    WorkerPool::new(path, None, SETTINGS).unwrap_err()
}

#[test]
fn a_missing_worker_is_named() {
    let error = refusal(Path::new("/nowhere/toolcell-worker"));

    assert_eq!(
        error.to_string(),
        "there is no worker at /nowhere/toolcell-worker; reinstall toolcell, or name a worker by TOOLCELL_WORKER"
    );
}

#[test]
fn a_folder_is_no_worker() {
    let folder = TempDir::new().unwrap();

    let error = refusal(folder.path());

    assert!(matches!(error, StartError::NotAFile { .. }), "{error}");
}

#[test]
fn a_file_without_the_run_bit_is_refused() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("worker");
    fs::write(&path, "").unwrap();

    let error = refusal(&path);

    assert!(matches!(error, StartError::NotExecutable { .. }), "{error}");
}

#[test]
fn a_file_the_system_can_not_execute_is_refused() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("worker");
    fs::write(&path, "not a program").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();

    let error = refusal(&path);

    assert!(matches!(error, StartError::Spawn { .. }), "{error}");
}

#[test]
fn a_worker_of_another_build_is_refused_before_it_runs() {
    let folder = TempDir::new().unwrap();
    let path = worker_named(&folder, "ready");
    let other = "0".repeat(64);

    let error = WorkerPool::new(&path, Some(&other), SETTINGS).unwrap_err();

    let StartError::OtherBinary { found, expected, .. } = error else { panic!("{error}") };
    assert_eq!((found, expected), (sha256_of_file(&path).unwrap().to_string(), other));
}

#[test]
fn the_expected_worker_starts() {
    let folder = TempDir::new().unwrap();
    let path = worker_named(&folder, "ready");
    let expected = sha256_of_file(&path).unwrap().to_string();

    let pool = WorkerPool::new(&path, Some(&expected), SETTINGS).unwrap();

    assert_eq!(run(&pool, "complete 2"), [Event::Completed { value: b"2".to_vec(), warnings: vec![] }]);
}

#[test]
fn a_worker_that_refuses_to_run_is_quoted() {
    let error = pool_of("unready", SETTINGS).unwrap_err();

    assert_eq!(
        error.to_string(),
        "the worker refused to run: no room for the arena; docs/security.md says what it needs"
    );
}

#[test]
fn a_worker_that_dies_at_once_is_told_by_its_signal() {
    let error = pool_of("short-lived", SETTINGS).unwrap_err();

    assert!(matches!(error, StartError::EndedEarly { exit: Exit::Signal(6) }), "{error}");
}

#[test]
fn a_program_that_is_no_worker_is_recognised() {
    let error = pool_of("babbler", SETTINGS).unwrap_err();

    assert!(matches!(error, StartError::NotAWorker { .. }), "{error}");
}

#[test]
fn a_worker_that_says_nothing_is_given_up() {
    let ready_timeout = Duration::from_millis(50);

    let error = pool_of("mute", PoolSettings { ready_timeout, ..SETTINGS }).unwrap_err();

    assert!(matches!(error, StartError::ReadyTimeout { waited } if waited == ready_timeout), "{error}");
}

#[test]
fn a_worker_of_another_protocol_or_other_sources_is_refused() {
    let protocol = pool_of("other-protocol", SETTINGS).unwrap_err();
    let sources = pool_of("other-sources", SETTINGS).unwrap_err();

    let StartError::OtherBuild { protocol, .. } = protocol else { panic!("{protocol}") };
    let StartError::OtherBuild { fingerprint, .. } = sources else { panic!("{sources}") };
    assert_eq!((protocol, fingerprint), (PROTOCOL_VERSION + 1, "f".repeat(32)));
}

#[test]
fn workers_with_different_base_images_do_not_share_a_pool() {
    let pool = pool_of("other-image", PoolSettings { warm: 0, ..SETTINGS }).unwrap();
    pool.lease().unwrap();

    let error = pool.lease().unwrap_err();

    assert!(matches!(error, StartError::OtherBaseImage { .. }), "{error}");
}

#[test]
fn a_failed_start_is_tried_again_by_the_next_lease() {
    let folder = TempDir::new().unwrap();
    let path = worker_named(&folder, "ready");
    let pool = WorkerPool::new(&path, None, PoolSettings { warm: 0, ..SETTINGS }).unwrap();
    fs::remove_file(&path).unwrap();
    let failed = pool.lease();
    worker_named(&folder, "ready");

    let repaired = pool.lease();

    assert!(matches!(failed, Err(StartError::Spawn { .. })));
    assert!(repaired.is_ok());
}

#[test]
fn a_closed_pool_leases_nothing() {
    let pool = pool_of("ready", SETTINGS).unwrap();
    pool.close();

    let error = pool.lease().unwrap_err();

    assert!(matches!(error, StartError::Closed), "{error}");
    pool.close();
}
