"""Whose cell it is: a continuation belongs to exactly one scope."""

from __future__ import annotations

import hashlib
import json
import secrets
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True)
class Scope:
    """Identity of an agent run. Two scopes are the same only if all four parts are present and equal.

    A partial scope may be built; nothing can resume its cells, itself included.
    """

    agent_id: str | None = None
    session_id: str | None = None
    session_key: str | None = None
    agent_run_id: str | None = None

    @classmethod
    def unique(cls) -> Scope:
        """A complete scope that no other run has."""
        return cls("agent", "session", secrets.token_hex(16), secrets.token_hex(16))

    @property
    def complete(self) -> bool:
        """Whether every part is there."""
        return all((self.agent_id, self.session_id, self.session_key, self.agent_run_id))

    @cached_property
    def digest(self) -> bytes:
        """SHA-256 of the four parts, 32 bytes; what continuations carry in place of the names."""
        parts = [self.agent_id, self.session_id, self.session_key, self.agent_run_id]
        return hashlib.sha256(json.dumps(parts).encode()).digest()

    def owns(self, digest: bytes) -> bool:
        """Whether a cell with this scope digest may be resumed by this scope."""
        return self.complete and self.digest == digest
