"""Which process did something."""

from __future__ import annotations

import subprocess
import sys

import pytest

from toolcell.store.owner import is_alive, this_process


def test_this_process_is_alive() -> None:
    assert is_alive(this_process())


def test_another_process_is_alive_until_it_ends() -> None:
    program = "from toolcell.store.owner import this_process; print(this_process(), flush=True); input()"
    with subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        identity = child.stdout.readline().strip()
        before = is_alive(identity)
        child.communicate("\n", timeout=20)

    assert (before, is_alive(identity)) == (True, False)


def test_a_process_that_got_the_same_number_is_another_one() -> None:
    boot, pid, started = this_process().split(":")

    assert not is_alive(f"{boot}:{pid}:{int(started) - 1}")


@pytest.mark.parametrize("identity", ["", "x", "other-boot:1:1", "a:b:c", ":::"])
def test_nonsense_is_not_alive(identity: str) -> None:
    assert not is_alive(identity)
