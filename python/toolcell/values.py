"""Names for the plain values that toolcell passes around."""

from __future__ import annotations

from typing import Any, TypeAlias

Json: TypeAlias = "None | bool | int | float | str | list[Json] | dict[str, Json]"
"""A JSON value as Python's ``json`` gives it; integers of any size."""

JsonSchema: TypeAlias = dict[str, Any]
"""A JSON Schema document whose root is an object (draft-07 or 2020-12); not checked by the type."""
