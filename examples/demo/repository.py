"""A small git repository for the demo, made from nothing."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

COMMITS = [
    ("Ada", "SHOP-12: round totals once, at the end"),
    ("Ben", "SHOP-7: retry the payment gateway"),
    ("Ada", "Tidy imports"),
    ("Cem", "SHOP-12: test totals with three currencies"),
    ("Ben", "SHOP-31: show stock on the product page"),
    ("Ada", "SHOP-7: log the gateway's answer"),
    ("Dee", "Update the readme"),
    ("Cem", "SHOP-40: faster search"),
]
"""Author and message, oldest first."""


def make(folder: Path) -> Path:
    """Make a repository with `COMMITS` in ``folder``; returns its path."""
    path = folder / "shop"
    path.mkdir()
    _git(path, "init", "--quiet")
    for number, (author, message) in enumerate(COMMITS):
        (path / "shop.txt").write_text(f"version {number}\n")
        _git(path, "add", "shop.txt")
        _git(path, "commit", "--quiet", "--message", message, author=author, day=number + 1)
    return path


def _git(path: Path, *arguments: str, author: str = "Ada", day: int = 1) -> None:
    who = {f"GIT_{role}_NAME": author for role in ("AUTHOR", "COMMITTER")}
    where = {f"GIT_{role}_EMAIL": f"{author.lower()}@shop.example" for role in ("AUTHOR", "COMMITTER")}
    when = {f"GIT_{role}_DATE": f"2026-03-{day:02}T{8 + day:02}:00:00+00:00" for role in ("AUTHOR", "COMMITTER")}
    # Settings of the user and of the machine have no part in the demo.
    plain = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    subprocess.run(["git", *arguments], cwd=path, env={**os.environ, **who, **where, **when, **plain}, check=True)
