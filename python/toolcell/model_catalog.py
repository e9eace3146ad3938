"""Which models are good at code mode: a table of tiers that the host may replace."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from os import PathLike
from pathlib import Path
from typing import Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel

from toolcell.errors import ConfigError
from toolcell.telemetry.cost import Prices

Tier: TypeAlias = Literal["preferred", "capable"]


class ModelRow(BaseModel):
    """One model as one provider offers it."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        strict=True,
        alias_generator=to_camel,
        populate_by_name=True,
        protected_namespaces=(),
    )

    provider: str = Field(min_length=1)
    model: str = Field(min_length=1)
    code_mode: Tier | None = None
    supports_tools: bool | None = None
    upstream_model: str | None = None
    """The model behind it, where the name doesn't tell."""
    prices: Prices | None = None
    """US dollars for a million tokens."""

    @property
    def key(self) -> tuple[str, str]:
        """What a row is found by."""
        return self.provider.casefold(), self.model.casefold()

    @property
    def group(self) -> str:
        """Rows with the same group resell the same upstream model."""
        return (self.upstream_model or self.model).rpartition("/")[2].casefold()


@dataclass(frozen=True, slots=True)
class ModelRef:
    """A model of a provider. ``provider/model`` is split at the first slash; without one there is no provider."""

    provider: str
    model: str

    @classmethod
    def parse(cls, name: str) -> ModelRef:
        """Split ``provider/model``; the model part may hold further slashes."""
        provider, slash, model = name.partition("/")
        return cls(provider, model) if slash else cls("", name)


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid")

    version: Literal[1] = 1
    models: list[ModelRow]
    resellers: list[str] = Field(default_factory=list)


class ModelCatalog:
    """Tiers of models, looked up by the exact (provider, model) row without case.

    Providers named as resellers need no rows: whatever they resell is ``capable``, unless a row of their own says
    otherwise.

    Raises:
        ConfigError: two rows for one model; or a group of rows with the same upstream model in which some state a
            tier and some don't. It names the rows.
    """

    def __init__(self, models: Iterable[ModelRow], resellers: Iterable[str] = ()) -> None:
        rows = list(models)
        self.resellers = frozenset(name.casefold() for name in resellers)
        self._rows: dict[tuple[str, str], ModelRow] = {}
        for row in rows:
            if row.key in self._rows:
                raise _invalid("two rows for one model", [row])
            self._rows[row.key] = row
        _require_whole_groups(rows)

    @classmethod
    def load(cls, source: Mapping[str, Any] | str | PathLike[str]) -> ModelCatalog:
        """Read a table of the shape ``{version: 1, models: [row], resellers: [provider]}``, or a JSON file of it.

        Raises:
            ConfigError: not of this shape, or inconsistent.
            OSError: the file can't be read.
        """
        try:
            data = source if isinstance(source, Mapping) else json.loads(Path(source).read_text("utf-8"))
            table = _Table.model_validate(data)
        except ValidationError as error:
            detail = error.errors(include_url=False, include_context=False)[0]
            field = ".".join(map(str, ("modelCatalog", *detail["loc"])))
            allowed = detail["msg"]
            raise ConfigError(f"{field}: {allowed}", field=field, value=detail["input"], allowed=allowed) from None
        except ValueError as error:
            raise ConfigError(
                f"modelCatalog: not JSON ({error})", field="modelCatalog", value=str(source), allowed="a JSON object"
            ) from None
        return cls(table.models, table.resellers)

    @classmethod
    @cache
    def default(cls) -> ModelCatalog:
        """The table shipped with toolcell."""
        return cls.load(json.loads(files("toolcell.data").joinpath("model_tiers.json").read_text("utf-8")))

    def row(self, model: str) -> ModelRow | None:
        """Return the row of ``provider/model``, or ``None``."""
        ref = ModelRef.parse(model)
        return self._rows.get((ref.provider.casefold(), ref.model.casefold()))

    def tier(self, model: str) -> Tier:
        """Return the tier of ``provider/model``; ``capable`` if no row states one."""
        row = self.row(model)
        return (row and row.code_mode) or "capable"

    def prices(self, model: str) -> Prices | None:
        """Return what ``provider/model`` costs, ``None`` if no row says it."""
        row = self.row(model)
        return row and row.prices

    def supports_tools(self, model: str) -> bool:
        """Whether the model can call tools; true unless its row denies it."""
        row = self.row(model)
        return row is None or row.supports_tools is not False


def _require_whole_groups(rows: list[ModelRow]) -> None:
    groups: dict[str, list[ModelRow]] = {}
    for row in rows:
        groups.setdefault(row.group, []).append(row)
    for group, members in groups.items():
        silent = [row for row in members if row.code_mode is None]
        if silent and len(silent) < len(members):
            raise _invalid(f'other rows of "{group}" state a tier, these must too', silent)


def _invalid(problem: str, rows: list[ModelRow]) -> ConfigError:
    names = ", ".join(f"{row.provider}/{row.model}" for row in rows)
    return ConfigError(
        f"modelCatalog.models: {problem}: {names}", field="modelCatalog.models", value=names, allowed="consistent rows"
    )
