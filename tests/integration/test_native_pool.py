"""The native pool with real workers: deadlines, deaths, forks, and nothing left behind."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import pytest

from toolcell import _native
from toolcell._native import Call, Catalog, Completed, Failed, Gone, Limits, Output, Parked, Pool, Refused, Waiting
from toolcell.executor.worker_path import find_worker

if TYPE_CHECKING:
    from toolcell._native import Event

SCOPE = bytes(32)
ENDLESS = "Array.prototype.indexOf.call({length: 2 ** 53 - 1}, 1)"
"""A single call of the engine that returns after months, and asks nobody meanwhile."""


def new_pool(*, warm: int = 1, grace_ms: int = 100) -> Pool:
    path, expected = find_worker(None, _native.BUNDLED_WORKER_SHA256)
    return Pool(path, expected_sha256=expected, warm=warm, grace_ms=grace_ms)


def limits(**changes: Any) -> Limits:
    values: dict[str, Any] = {
        "heap_bytes": 64 << 20,
        "output_bytes": 1 << 16,
        "truncate_output": False,
        "snapshot_bytes": 10 << 20,
        "bridge_bytes": 16 << 20,
        "outstanding_calls": 16,
        "value_depth": 512,
        "big_integers": "bigint",
    }
    return Limits(**(values | changes))


def start(pool: Pool, worker: int, code: str, *, timeout_ms: float = 30_000) -> list[Event]:
    return pool.start(
        worker,
        cell="cell",
        scope=SCOPE,
        code=code,
        typescript=False,
        typescript_enabled=True,
        shell_tool=None,
        limits=limits(),
        timeout_ms=timeout_ms,
        seed=1,
    )


def finish(pool: Pool, worker: int, events: Sequence[Event], *, last: type[Event] | None = None) -> list[Event]:
    """Wait until the worker has answered, or until an event of the class ``last``."""
    collected = list(events)
    while not collected or (isinstance(collected[-1], Output) if last is None else not isinstance(collected[-1], last)):
        ready, _, _ = select.select([pool.fileno()], [], [], 20)
        assert ready, f"nothing came after {collected}"
        for source, more in pool.drain():
            if source == worker:
                collected += more
    return collected


def run(pool: Pool, worker: int, code: str) -> list[Event]:
    return finish(pool, worker, start(pool, worker, code))


def value_of(events: Sequence[Event]) -> bytes:
    (completed,) = events
    assert isinstance(completed, Completed)
    return completed.value


def wait_for_end(pid: int, *, seconds: float) -> bool:
    """Whether a process, ours or not, has ended in that time."""
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([handle], [], [], seconds)[0])
    finally:
        os.close(handle)


@pytest.fixture
def pool() -> Iterator[Pool]:
    pool = new_pool()
    yield pool
    pool.close()


@pytest.fixture
def worker(pool: Pool) -> int:
    worker = pool.lease()
    row = ("host:core:double", "double", "double", b'{"id":"host:core:double","name":"double"}')
    pool.send_catalog(worker, Catalog([row], namespaces=[], files=[]))
    return worker


def test_one_worker_runs_cell_after_cell(pool: Pool, worker: int) -> None:
    values = [value_of(run(pool, worker, f"globalThis.x = (globalThis.x ?? 0) + 1; return [x, {n}]")) for n in range(3)]

    assert values == [b"[1,0]", b"[1,1]", b"[1,2]"]


def test_a_call_waits_until_it_is_settled(pool: Pool, worker: int) -> None:
    (waiting,) = run(pool, worker, "return await double({n: 2}) + 1")
    assert isinstance(waiting, Waiting)
    (call,) = waiting.calls

    events = finish(pool, worker, pool.resume(worker, settled=[(call.number, b"4")], timeout_ms=30_000))

    assert isinstance(call, Call)
    assert (call.method, call.target, call.input) == ("call_value", "host:core:double", b'{"n":2}')
    assert value_of(events) == b"5"


def test_a_suspended_cell_goes_on_in_another_worker(pool: Pool, worker: int) -> None:
    run(pool, worker, "const before = [1]; before.push(await double()); return before")
    (parked,) = finish(pool, worker, pool.park(worker, timeout_ms=30_000))
    assert isinstance(parked, Parked)
    pool.release(worker)
    other = pool.lease()

    pool.restore(other, cell="cell", scope=SCOPE, image=parked.image, limits=limits())
    events = finish(pool, other, pool.resume(other, settled=[(1, b"2")], timeout_ms=30_000))

    assert value_of(events) == b"[1,2]"


def test_a_damaged_continuation_is_refused_and_the_worker_goes_on(pool: Pool, worker: int) -> None:
    run(pool, worker, "return await double()")
    (parked,) = finish(pool, worker, pool.park(worker, timeout_ms=30_000))
    assert isinstance(parked, Parked)
    damaged = parked.image[:-1] + bytes([parked.image[-1] ^ 1])

    pool.restore(worker, cell="cell", scope=SCOPE, image=damaged, limits=limits())
    (refused,) = finish(pool, worker, pool.resume(worker, settled=[(1, b"2")], timeout_ms=30_000))

    assert isinstance(refused, Refused)
    assert value_of(run(pool, worker, "return 1")) == b"1"


def test_an_endless_loop_ends_by_itself_at_the_deadline(pool: Pool, worker: int) -> None:
    events = finish(pool, worker, start(pool, worker, "text('kept'); for (;;);", timeout_ms=100), last=Gone)

    output, failed, gone = events
    assert isinstance(output, Output)
    assert isinstance(failed, Failed)
    assert isinstance(gone, Gone)
    assert (output.data, failed.reason, gone.reason) == ("kept", "timeout", "closed")


def test_a_worker_that_is_stopped_is_killed_at_the_hard_deadline(pool: Pool, worker: int) -> None:
    events = start(pool, worker, "text('kept'); for (;;);", timeout_ms=300)
    while not events:
        events = [event for _, more in pool.drain() for event in more]
    os.kill(pool.pid(worker), signal.SIGSTOP)

    events = finish(pool, worker, events, last=Gone)

    assert [type(event) for event in events] == [Output, Gone]
    assert isinstance(events[-1], Gone)
    assert (events[-1].reason, pool.stats()["killed_deadline"]) == ("deadline", 1)


def test_no_thread_that_holds_the_gil_delays_a_kill(pool: Pool, worker: int) -> None:
    handle = os.pidfd_open(pool.pid(worker))
    events = start(pool, worker, "text('on'); for (;;);", timeout_ms=50)
    while not events:
        events = [event for _, more in pool.drain() for event in more]
    os.kill(pool.pid(worker), signal.SIGSTOP)

    _ = 3 ** (3 << 20) % 7  # one call of the interpreter, far longer than deadline and grace

    ended = bool(select.select([handle], [], [], 0)[0])
    os.close(handle)
    assert ended


@pytest.mark.parametrize("kill_from", ["pool", "outside"])
def test_a_killed_worker_costs_its_own_cell_only(pool: Pool, worker: int, kill_from: str) -> None:
    other = pool.lease()
    start(pool, worker, ENDLESS)

    if kill_from == "pool":
        pool.kill(worker)
    else:
        os.kill(pool.pid(worker), signal.SIGKILL)
    (gone,) = finish(pool, worker, [], last=Gone)

    assert isinstance(gone, Gone)
    assert (gone.reason, gone.detail) == ("killed" if kill_from == "pool" else "crashed", "signal 9")
    assert value_of(run(pool, other, "return 1")) == b"1"
    with pytest.raises(_native.WorkerGoneError):
        start(pool, worker, "return 1")


def test_workers_outlive_the_thread_that_leased_them(pool: Pool) -> None:
    leased: list[int] = []
    thread = threading.Thread(target=lambda: leased.append(pool.lease()))
    thread.start()
    thread.join()

    assert value_of(run(pool, leased[0], "return 1")) == b"1"


def test_a_forked_child_has_workers_of_its_own() -> None:
    assert _output_of(program_that_forks) == ["the child doesn't know it", "child b'2'", "parent b'3'"]


def test_an_embedding_program_may_ignore_its_children() -> None:
    assert _output_of(program_that_ignores_children) == ["crashed", "b'1'"]


def test_no_worker_outlives_a_host_that_is_killed() -> None:
    with subprocess.Popen(_command(program_that_waits), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as host:
        assert host.stdout is not None
        pids = [int(word) for word in host.stdout.readline().split()]

        host.kill()

        assert len(pids) == 3
        assert [wait_for_end(pid, seconds=1) for pid in pids] == [True, True, True]


def test_a_closed_pool_leaves_no_process_and_reports_every_cell() -> None:
    pool = new_pool(warm=2)
    worker = pool.lease()
    start(pool, worker, ENDLESS)
    children = _children()

    pool.close()

    assert children
    assert not _children() & children
    ((source, (gone,)),) = pool.drain()
    assert isinstance(gone, Gone)
    assert (source, gone.reason) == (worker, "closed")


def program_that_forks() -> None:
    pool = new_pool()
    worker = pool.lease()
    child = os.fork()
    if child == 0:
        try:
            start(pool, worker, "return 1")
        except _native.WorkerGoneError:
            print("the child doesn't know it")
        print("child", value_of(run(pool, pool.lease(), "return 2")), flush=True)
        pool.close()
        os._exit(0)
    os.waitpid(child, 0)
    print("parent", value_of(run(pool, worker, "return 3")))


def program_that_ignores_children() -> None:
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    pool = new_pool()
    worker = pool.lease()
    os.kill(pool.pid(worker), signal.SIGKILL)
    (gone,) = finish(pool, worker, [], last=Gone)
    assert isinstance(gone, Gone)
    print(gone.reason)
    print(value_of(run(pool, pool.lease(), "return 1")))


def program_that_waits() -> None:
    pool = new_pool(warm=2)
    workers = [pool.lease() for _ in range(3)]
    start(pool, workers[0], ENDLESS)
    start(pool, workers[1], "for (;;);")
    print(*[pool.pid(worker) for worker in workers], flush=True)
    sys.stdin.read()


def _command(program: Callable[[], None]) -> list[str]:
    """This file as a program of its own."""
    return [sys.executable, __file__, program.__name__]


def _output_of(program: Callable[[], None]) -> list[str]:
    done = subprocess.run(_command(program), stdout=subprocess.PIPE, text=True, timeout=50, check=True)
    return done.stdout.splitlines()


def _children() -> set[int]:
    """Processes that this process has started and not reaped, whichever thread did."""
    children: set[int] = set()
    for task in os.listdir("/proc/self/task"):
        with open(f"/proc/self/task/{task}/children") as file:
            children.update(int(word) for word in file.read().split())
    return children


if __name__ == "__main__":
    globals()[sys.argv[1]]()
