"""Parameter text out of docstrings: Google, NumPy and reST style."""

from __future__ import annotations

import inspect
import re
from dataclasses import dataclass, field

_PARAMETERS = frozenset({"args", "arguments", "parameters", "params", "keyword args", "keyword arguments", "other parameters"})
_OTHERS = frozenset({"returns", "return", "yields", "raises", "example", "examples", "note", "notes", "see also", "references"})
_ENTRY = re.compile(r"(?P<names>\*{0,2}[A-Za-z_]\w*(?:, *\*{0,2}[A-Za-z_]\w*)*) *(?:\([^)]*\))? *(?::(?P<text>.*))?$")
_REST = re.compile(r":(?P<kind>\w+)(?: [^:]*?)?(?: ?\*{0,2}(?P<name>\w+))?:(?P<text>.*)$")
_REST_PARAMETERS = frozenset({"param", "parameter", "arg", "argument", "key", "keyword"})


@dataclass(slots=True)
class Docstring:
    """The parts of a docstring that a tool shows."""

    description: str = ""
    """Everything before the first section."""
    parameters: dict[str, str] = field(default_factory=dict[str, str])
    """Text of each documented parameter, on one line."""


def parse_docstring(text: str | None) -> Docstring:
    """Read a docstring; what is in no known style stays in the description."""
    description: list[str] = []
    entries: list[tuple[str, list[str]]] = []
    target = description
    section: list[str] = []
    lines = inspect.cleandoc(text or "").splitlines()
    for index, line in enumerate(lines):
        style = _heading(line, lines[index + 1] if index + 1 < len(lines) else "")
        rest = _REST.match(line)
        if style is not None:
            target = section = []
            if style != "other":
                entries.append((style, section))
        elif rest is not None:
            target = [rest["text"]]
            if rest["kind"] in _REST_PARAMETERS and rest["name"]:
                entries.append((rest["name"], target))
        else:
            target.append(line)
    parameters: dict[str, str] = {}
    for style, body in entries:
        parameters |= _section_entries(body, style) if style in ("google:", "numpy-") else {style: _one_line(body)}
    return Docstring("\n".join(description).strip(), {name: words for name, words in parameters.items() if words})


def _heading(line: str, following: str) -> str | None:
    """Say what a line starts: ``google:`` and ``numpy-`` parameters, ``other``, or nothing."""
    title, colon = line.rstrip().rstrip(":").lower(), line.rstrip().endswith(":")
    underlined = len(following) >= 3 and set(following.strip()) == {"-"}
    if not (colon or underlined) or line[:1].isspace():
        return None
    if title in _PARAMETERS:
        return "google:" if colon else "numpy-"
    return "other" if title in _OTHERS else None


def _section_entries(lines: list[str], style: str) -> dict[str, str]:
    """Read ``name: text`` (Google) or ``name : type`` over indented text (NumPy); deeper lines go on."""
    lines = [line for line in lines if line.strip() and set(line.strip()) != {"-"}]
    entry_indent = min((_indent(line) for line in lines), default=0)
    found: dict[str, list[str]] = {}
    current: list[str] = []
    for line in lines:
        entry = _ENTRY.match(line.strip()) if _indent(line) == entry_indent else None
        if entry is None:
            current.append(line)
            continue
        current = [entry["text"] or ""] if style == "google:" else []
        for name in entry["names"].split(","):
            found[name.strip(" *")] = current
    return {name: _one_line(body) for name, body in found.items()}


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _one_line(lines: list[str]) -> str:
    return " ".join(" ".join(lines).split())
