"""What a model gave to `exec` and `wait`, checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from toolcell.config import CodeModeConfig, Language
from toolcell.runtime.failures import Failure, invalid
from toolcell.values import well_formed

MAX_CODE_BYTES = 1 << 20
MAX_TITLE_CHARS = 120
_EXEC_KEYS = frozenset({"code", "command", "language", "restartSafe", "title"})
_WAIT_KEYS = frozenset({"runId", "run_id"})


@dataclass(frozen=True, slots=True)
class ExecArguments:
    """One `exec`, as far as the host can tell without looking into the code."""

    code: str
    language: Language
    restart_safe: bool
    title: str | None


def read_exec(arguments: object, config: CodeModeConfig) -> ExecArguments | Failure:
    """Check arguments of `exec`; ``null`` means absent."""
    given = _object(arguments, "exec", _EXEC_KEYS)
    if isinstance(given, Failure):
        return given
    code = _code(given)
    if isinstance(code, Failure):
        return code
    language = given.get("language", config.languages[0])
    if language not in config.languages:
        allowed = ", ".join(config.languages)
        return invalid(f"language {_show(language)} is not available; use one of: {allowed}.", "unsupported_language")
    restart_safe = given.get("restartSafe", False)
    if not isinstance(restart_safe, bool):
        return invalid("restartSafe must be true or false.")
    title = given.get("title")
    if title is not None and not isinstance(title, str):
        return invalid("title must be a string.")
    return ExecArguments(code, language, restart_safe, title and well_formed(title[:MAX_TITLE_CHARS]))


def read_wait(arguments: object) -> str | Failure:
    """Check arguments of `wait`; returns the run id."""
    given = _object(arguments, "wait", _WAIT_KEYS)
    if isinstance(given, Failure):
        return given
    run_id = given.get("runId", given.get("run_id"))
    if not isinstance(run_id, str) or not run_id.strip():
        return invalid("wait needs runId, the string that a waiting result gave.")
    return run_id.strip()


def _object(arguments: object, name: str, keys: frozenset[str]) -> dict[str, Any] | Failure:
    if not isinstance(arguments, Mapping):
        return invalid(f"{name} takes an object of arguments.")
    given = cast("Mapping[object, Any]", arguments)
    unknown = [str(key) for key in given if key not in keys]
    if unknown:
        return invalid(f"{name} got unknown arguments: {', '.join(sorted(unknown))[:200]}.")
    return {str(key): value for key, value in given.items() if value is not None}


def _code(given: dict[str, Any]) -> str | Failure:
    for name in ("code", "command"):
        if not isinstance(given.get(name, ""), str):
            return invalid(f"{name} must be a string.")
    code, command = (text if text.strip() else "" for text in (given.get("code", ""), given.get("command", "")))
    if code and command and code != command:
        return invalid("code and command are two names of one argument; give only code.")
    text: str = code or command
    if not text:
        return invalid("code must be a non-blank string: the program to run.")
    if not text.isascii():
        text = well_formed(text)
    if len(text) > MAX_CODE_BYTES or len(text.encode()) > MAX_CODE_BYTES:
        return invalid(f"code may have at most {MAX_CODE_BYTES} bytes.")
    return text


def _show(value: object) -> str:
    return repr(value)[:60]
