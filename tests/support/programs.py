"""Programs to compare with Node.js: one file an area, each program with the features of the language it is about.

A file is a sequence of programs with a line `// ---` between them. A program begins with a line `// features: one, two`
and is the body of a strict async function; it may await `tick()`, a tool that does nothing. It returns what JSON can say.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

HEAD = "// features: "
CONSTANTS = re.compile(r"""//.*|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|\b\d[\w.]*""")
SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Program:
    """``id`` is its file and place in it; ``code`` has the line of features, so lines are those of the file's part."""

    id: str
    features: tuple[str, ...]
    code: str

    @property
    def shape(self) -> str:
        """The code without comments, space, numbers and quoted strings: equal for programs that differ in constants alone."""
        return SPACE.sub("", CONSTANTS.sub("0", self.code))


def load_programs(folder: Path) -> list[Program]:
    """All programs of a folder of ``.js`` or ``.ts`` files.

    Raises:
        ValueError: one doesn't begin with its features.
    """
    programs = list[Program]()
    for path in sorted(folder.glob("*.[jt]s")):
        for number, part in enumerate(path.read_text(encoding="utf-8").split("// ---\n"), start=1):
            code = part.strip("\n")
            first = code.splitlines()[0] if code else ""
            if not first.startswith(HEAD):
                raise ValueError(f"{path.name}, program {number}: begins with {first!r}, not with {HEAD!r}")
            features = tuple(name.strip() for name in first.removeprefix(HEAD).split(","))
            programs.append(Program(f"{path.stem}-{number}", features, code))
    return programs
