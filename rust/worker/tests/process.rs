//! The worker as a process: what it keeps of what it was born with, and what ends it.

use std::{
    fs,
    io::{self, Write},
    os::unix::process::ExitStatusExt,
    path::PathBuf,
    process::Command,
    thread,
};

use rustix::process::{Pid, Signal};
use support::{BUILD, Executable, Worker};
use toolcell_protocol::FromWorker;

mod support;

static WORKER: Executable = Executable::new("toolcell-worker", &[]);

fn ready() -> Worker {
    let mut worker = Worker::start(WORKER.path(), &[]);
    let first = worker.receive();
    assert!(matches!(first, Some(FromWorker::Ready(_))), "{first:?}");
    worker
}

fn proc_path(worker: &Worker, name: &str) -> PathBuf {
    PathBuf::from(format!("/proc/{}/{name}", worker.child.id()))
}

/// The value of a line of `/proc/<id>/status`.
fn status(worker: &Worker, key: &str) -> Option<String> {
    let text = fs::read_to_string(proc_path(worker, "status")).ok()?;
    let value = text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':'))?;
    Some(value.trim().to_owned())
}

/// What only root may see of a process that is not dumpable; others are refused, which shows that it isn't.
#[track_caller]
fn assert_seen_by_root_alone<T: std::fmt::Debug + PartialEq>(seen: io::Result<T>, expected: T) {
    let seen = seen.map_err(|error| error.kind());
    if rustix::process::geteuid().is_root() {
        assert_eq!(seen, Ok(expected));
    } else {
        assert_eq!(seen, Err(io::ErrorKind::PermissionDenied));
    }
}

#[test]
fn a_ready_worker_is_filtered_and_can_gain_no_privileges() {
    let worker = ready();

    assert_eq!(status(&worker, "Seccomp").as_deref(), Some("2"));
    assert_eq!(status(&worker, "NoNewPrivs").as_deref(), Some("1"));
    assert_eq!(status(&worker, "Threads").as_deref(), Some("1"));
}

#[test]
fn a_ready_worker_holds_one_descriptor() {
    let worker = ready();
    let names = fs::read_dir(proc_path(&worker, "fd"))
        .and_then(|entries| entries.map(|entry| Ok(entry?.file_name())).collect::<io::Result<Vec<_>>>());

    assert_seen_by_root_alone(names, vec!["0".into()]);
}

#[test]
fn a_ready_worker_works_in_the_root_folder() {
    let worker = ready();

    assert_seen_by_root_alone(fs::read_link(proc_path(&worker, "cwd")), "/".into());
}

#[test]
fn a_ready_worker_has_forgotten_its_environment() {
    let id = std::process::id().to_string();
    let mut command = Command::new(WORKER.path());
    let mut worker = Worker::spawn(command.args([&id, BUILD]).env_clear().env("SECRET", "hunter2"));
    let first = worker.receive();
    let environment = fs::read(proc_path(&worker, "environ"));

    assert!(matches!(first, Some(FromWorker::Ready(_))), "{first:?}");
    assert_seen_by_root_alone(environment, vec![0; "SECRET=hunter2\0".len()]);
}

#[test]
fn a_worker_started_without_an_environment_has_none() {
    let worker = ready();

    assert_seen_by_root_alone(fs::read(proc_path(&worker, "environ")), vec![]);
}

#[test]
fn a_ready_worker_leads_a_session_of_its_own() {
    let worker = ready();
    let id = Pid::from_child(&worker.child);

    assert_eq!(rustix::process::getsid(Some(id)), Ok(id));
}

#[test]
fn a_worker_ends_when_its_host_closes_the_socket() {
    let mut worker = ready();
    worker.socket.shutdown(std::net::Shutdown::Both).unwrap();

    assert_eq!(worker.child.wait().unwrap().code(), Some(0));
}

#[test]
fn a_worker_ends_at_a_malformed_frame() {
    let mut worker = ready();
    worker.socket.write_all(&u32::MAX.to_le_bytes()).unwrap();

    assert_eq!(worker.child.wait().unwrap().code(), Some(3));
    assert_eq!(worker.receive(), None);
}

#[test]
fn signals_that_end_other_programs_do_not_end_a_worker() {
    let mut worker = ready();
    for signal in [Signal::TERM, Signal::INT, Signal::HUP, Signal::PIPE] {
        rustix::process::kill_process(Pid::from_child(&worker.child), signal).unwrap();
    }
    worker.socket.shutdown(std::net::Shutdown::Both).unwrap();

    assert_eq!(worker.child.wait().unwrap().code(), Some(0));
}

#[test]
fn a_worker_dies_with_the_thread_that_started_it() {
    let mut worker = thread::spawn(ready).join().unwrap();

    assert_eq!(worker.child.wait().unwrap().signal(), Some(libc::SIGKILL));
}

#[test]
fn a_worker_dies_with_its_host_process() {
    // The shell stands for the host; the worker is its child and shares its descriptor 0.
    let mut host = Command::new("sh");
    host.args(["-c", "\"$0\" $$ \"$1\"; exit 1"]).arg(WORKER.path()).arg(BUILD).env_clear();
    let mut host = Worker::spawn(&mut host);
    let first = host.receive();
    host.child.kill().unwrap();

    assert!(matches!(first, Some(FromWorker::Ready(_))), "{first:?}");
    assert_eq!(host.receive(), None);
}

#[test]
fn a_worker_whose_host_is_not_its_parent_says_so() {
    let mut worker = Worker::spawn(Command::new(WORKER.path()).args(["1", BUILD]).env_clear());
    let reason = format!("the parent is process {}, not the host 1", std::process::id());

    assert_eq!(worker.receive(), Some(FromWorker::Unready { reason }));
    assert_eq!(worker.child.wait().unwrap().code(), Some(1));
}

#[test]
fn a_worker_that_cannot_have_its_memory_says_so() {
    let id = std::process::id().to_string();
    let mut command = Command::new("sh");
    command.args(["-c", "ulimit -v 1000000; exec \"$0\" \"$@\""]).arg(WORKER.path());
    let mut worker = Worker::spawn(command.args([&id, BUILD]));
    let [arena, ..] = toolcell_arena::regions();
    let refused = io::Error::from_raw_os_error(libc::ENOMEM);
    let reason = format!("can't reserve {} bytes at {:#x}: {refused}", arena.len(), arena.start);

    assert_eq!(worker.receive(), Some(FromWorker::Unready { reason }));
    assert_eq!(worker.child.wait().unwrap().code(), Some(1));
}

#[test]
fn a_worker_started_by_hand_explains_itself() {
    let output = Command::new(WORKER.path()).output().unwrap();

    assert_eq!(output.status.code(), Some(2));
    let expected = "toolcell-worker is started by toolcell, not by hand: the host's process id is missing\n";
    assert_eq!(String::from_utf8(output.stderr), Ok(expected.to_owned()));
}
