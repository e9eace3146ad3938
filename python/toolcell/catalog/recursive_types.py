"""Types in TypeScript, and those among them that contain themselves."""

from __future__ import annotations

from typing import NamedTuple


class Type(NamedTuple):
    """A type in TypeScript."""

    text: str
    operator: str = ""
    """The operator outside of all brackets: ``|``, ``&`` or none."""
    alternatives: int = 1
    """Members of the union that it is."""
    heads: frozenset[str] = frozenset()
    """Declared types that it names outside of all objects and arrays."""


class RecursiveTypes:
    """Types that contain themselves and so need a declaration of their own: their texts by name.

    They stand in the namespace called ``namespace``.
    """

    def __init__(self, namespace: str) -> None:
        self.namespace = namespace
        self.texts: dict[str, str] = {}
        self._heads: dict[str, frozenset[str]] = {}
        self._taken: set[str] = set()

    def reserve(self, wanted: str) -> str:
        """Return a name like ``wanted`` that is not taken; it begins with a capital, so no keyword is one."""
        base = wanted[0].upper() + wanted[1:] if wanted[0].isalpha() else f"T{wanted}"
        name, number = base, 2
        while name in self._taken:
            name, number = f"{base}_{number}", number + 1
        self._taken.add(name)
        return name

    def declare(self, name: str, type: Type, indent: int) -> None:
        """Add a type, whose text was indented by ``indent``, under a reserved name."""
        self.texts[name] = type.text.replace("\n" + " " * indent, "\n")
        self._heads[name] = type.heads

    def cut_circles(self) -> None:
        """Make ``unknown`` what is itself or another one that is it: such a type says nothing, and no compiler takes it."""
        for name in self.texts:
            reached = set(self._heads[name])
            waiting = list(reached)
            while waiting:
                further = self._heads[waiting.pop()] - reached
                reached |= further
                waiting += further
            if name in reached:
                self.texts[name], self._heads[name] = "unknown", frozenset()

    def copy(self) -> RecursiveTypes:
        """Return one that can be added to apart from this one."""
        copied = RecursiveTypes(self.namespace)
        copied.texts, copied._heads, copied._taken = dict(self.texts), dict(self._heads), set(self._taken)
        return copied
