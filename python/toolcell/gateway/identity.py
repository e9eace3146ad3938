"""Whose request it is."""

from __future__ import annotations

import re
import secrets
from typing import NamedTuple

_OUTWARD = re.compile(r"(cell_[0-9a-f]{24})\.([0-9a-f]{32})")


class Identity(NamedTuple):
    """A session, by its name in scopes and logs.

    A client that speaks a protocol without sessions is known by nothing but the ``runId`` it was given: there each cell
    is a session of its own, whose secret ``key`` is a part of that id.
    """

    session: str
    key: str | None = None

    @classmethod
    def of_cell(cls, run_id: str | None) -> Identity:
        """The session of one cell; without the id of a cell that has a key, a new one."""
        found = None if run_id is None else _OUTWARD.fullmatch(run_id)
        key = secrets.token_hex(16) if found is None else found[2]
        return cls(f"cell-{key}", key)

    def outward(self, run_id: str) -> str:
        """The id of a cell as the client is told it."""
        return run_id if self.key is None else f"{run_id}.{self.key}"

    def inward(self, run_id: str) -> str:
        """The id of a cell as it is."""
        found = None if self.key is None else _OUTWARD.fullmatch(run_id)
        return run_id if found is None else found[1]
