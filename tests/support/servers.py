"""Public MCP servers, installed once and started without network; which ones, and their versions, is in `tests/servers`."""

from __future__ import annotations

import fcntl
import functools
import os
import shutil
import subprocess
import tomllib
import venv
from collections.abc import Callable
from pathlib import Path

from support.node import find_node, install_locked
from toolcell import McpServer

MANIFEST = Path(__file__).parents[1] / "servers"
INSTALLED = Path(__file__).parents[2] / "target/servers"
_NPM_BIN = INSTALLED / "npm/node_modules/.bin"
_PYPI_BIN = INSTALLED / "pypi/bin"


def public_servers(folder: Path) -> dict[str, McpServer]:
    """All servers of the manifest by name, installed if they were not.

    Args:
        folder: A folder that they may use, empty but for a git repository that is made in it.
    """
    install()
    make_repository(folder / "repository")
    rows = tomllib.loads((MANIFEST / "servers.toml").read_text(encoding="utf-8"))
    servers: dict[str, McpServer] = {}
    for name, row in rows.items():
        program = [find_node(), str(_NPM_BIN / row["npm"])] if "npm" in row else [str(_PYPI_BIN / row["pypi"])]
        arguments = [argument.format(folder=folder) for argument in row.get("arguments", ())]
        env = {key: value.format(folder=folder) for key, value in row.get("env", {}).items()}
        servers[name] = McpServer.stdio(name, [*program, *arguments], env=env, cwd=str(folder))
    return servers


@functools.cache
def install() -> None:
    """Install what the manifest pins, unless that is there already; the first time takes a minute."""
    INSTALLED.mkdir(parents=True, exist_ok=True)
    with (INSTALLED / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # another session of tests may do the same
        _make("npm", ["package.json", "package-lock.json"], install_locked)
        _make("pypi", ["requirements.txt"], _install_pypi)


def _make(name: str, pins: list[str], fill: Callable[[Path], None]) -> None:
    """Make the folder of one registry anew if it was not made from these pins."""
    folder = INSTALLED / name
    wanted = {pin: (MANIFEST / pin).read_bytes() for pin in pins}
    done = folder / "done"
    if done.exists() and all((folder / pin).read_bytes() == pinned for pin, pinned in wanted.items()):
        return
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for pin, pinned in wanted.items():
        (folder / pin).write_bytes(pinned)
    fill(folder)
    done.touch()


def _install_pypi(folder: Path) -> None:
    venv.create(folder, with_pip=True)
    pip = [folder / "bin/python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
    subprocess.run([*pip, "--requirement", folder / "requirements.txt"], check=True, stdout=subprocess.PIPE)


def make_repository(path: Path) -> None:
    """Make a git repository with two commits, the same wherever and whenever it is made."""
    path.mkdir()
    who = {f"GIT_{role}_{part}": "ada@shop.example" for role in ("AUTHOR", "COMMITTER") for part in ("NAME", "EMAIL")}
    plain = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}

    def git(*arguments: str, day: int = 1) -> None:
        when = {f"GIT_{role}_DATE": f"2026-03-{day:02}T12:00:00+00:00" for role in ("AUTHOR", "COMMITTER")}
        subprocess.run(["git", *arguments], cwd=path, env={**os.environ, **who, **when, **plain}, check=True)

    git("init", "--quiet", "--initial-branch", "main")
    for day, text in enumerate(["first\n", "first\nsecond\n"], start=1):
        (path / "file.txt").write_text(text)
        git("add", "file.txt")
        git("commit", "--quiet", "--message", f"change {day}", day=day)
