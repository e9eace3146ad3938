"""Configuration of code mode: every option, its range, and how layers of it merge."""

from __future__ import annotations

import difflib
import json
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeAlias, cast, get_args, get_origin

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, ValidationInfo, model_validator
from pydantic.alias_generators import to_camel

from toolcell.errors import ConfigError

Language: TypeAlias = Literal["javascript", "typescript"]
Enabled: TypeAlias = bool | Literal["auto"]

KIB = 1024
MIB = 1024 * KIB
GIB = 1024 * MIB

_RESERVED_LABELS = frozenset({"mcp", "client"})
_warned: set[tuple[str, int]] = set()


class ConfigWarning(UserWarning):
    """A number was outside its range and was clamped to the nearest allowed one."""


@dataclass(frozen=True, slots=True)
class Allowed:
    """What may stand in an option, in words, where the type alone doesn't say it."""

    text: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Within:
    """Range of an integer option, both ends included; outside it is clamped with a `ConfigWarning`."""

    low: int
    high: int

    def __str__(self) -> str:
        return f"an integer from {self.low} to {self.high}"

    def clamp(self, name: str, value: int) -> int:
        """Return the nearest allowed value; warns once per process for each option and value."""
        clamped = min(max(value, self.low), self.high)
        if clamped != value and (name, value) not in _warned:
            _warned.add((name, value))
            warnings.warn(f"{name}: {value} is outside {self.low} to {self.high}; {clamped} is used", ConfigWarning, 2)
        return clamped


def _clamp(value: int, info: ValidationInfo) -> int:
    name = info.field_name or ""
    within = next(item for item in CodeModeConfig.model_fields[name].metadata if isinstance(item, Within))
    return within.clamp(to_camel(name), value)


def _check_label(label: str) -> str:
    if not (label.isascii() and label.isidentifier()) or label in _RESERVED_LABELS:
        raise ValueError("not a free identifier")
    return label


_Clamped = AfterValidator(_clamp)


class CodeModeConfig(BaseModel):
    """Options of code mode. Attributes are snake_case; camelCase names are accepted everywhere.

    A number outside its range is clamped with a `ConfigWarning`. ``model_fields_set`` holds what was given, which is
    what merging goes by.

    Raises:
        ConfigError: wrong type, a value outside an enumeration, empty ``languages``, an unknown option, or one that
            is not available yet. It names the field, the value and what is allowed.
    """

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, alias_generator=to_camel, populate_by_name=True)

    enabled: Annotated[Enabled, Allowed('true, false or "auto"')] = "auto"
    """``True``, ``False``, or ``"auto"``: engaged for models whose tier is ``preferred``."""
    executor: Literal["quickjs"] = "quickjs"
    """What runs cells."""
    mode: Literal["only"] = "only"
    """How code mode stands beside ordinary tools: it is the only way to them."""
    languages: Annotated[
        tuple[Language, ...],
        Field(strict=False, min_length=1),
        Allowed('a non-empty list of "javascript" and "typescript"'),
    ] = ("javascript", "typescript")
    """Languages a cell may use; the first is the default."""
    timeout_ms: Annotated[int, Within(100, 60_000), _Clamped] = 10_000
    """Wall clock of one ``exec`` or ``wait``, in milliseconds."""
    memory_limit_bytes: Annotated[int, Within(MIB, GIB), _Clamped] = 64 * MIB
    """Guest heap."""
    max_output_bytes: Annotated[int, Within(KIB, 10 * MIB), _Clamped] = 64 * KIB
    """UTF-8 bytes of the JSON of a cell's output items, value and error, over all its legs."""
    output_overflow: Literal["fail", "truncate"] = "fail"
    """What happens beyond ``max_output_bytes``."""
    max_snapshot_bytes: Annotated[int, Within(KIB, 256 * MIB), _Clamped] = 10 * MIB
    """Bytes of a serialized continuation."""
    max_bridge_bytes: Annotated[int, Within(KIB, 64 * MIB), _Clamped] = 16 * MIB
    """Encoded arguments, or encoded result, of one nested call."""
    max_pending_tool_calls: Annotated[int, Within(1, 128), _Clamped] = 16
    """Nested calls that run at once; further ones queue."""
    snapshot_ttl_seconds: Annotated[int, Within(1, 86_400), _Clamped] = 900
    """Idle seconds until a suspended cell expires."""
    max_suspended: Annotated[int, Within(1, 100_000), _Clamped] = 64
    """Parked cells and cells with calls in flight, for the whole process."""
    search_default_limit: Annotated[int, Within(1, 50), _Clamped] = 8
    """Hits of a search without a limit; never above ``max_search_limit``."""
    max_search_limit: Annotated[int, Within(1, 50), _Clamped] = 50
    """Most hits of a search."""
    big_integers: Literal["bigint", "number", "string"] = "bigint"
    """How integers beyond ±(2^53 - 1) enter the guest."""
    host_label: Annotated[str, AfterValidator(_check_label), Allowed("an ASCII identifier other than mcp and client")] = "host"
    """Source part of the ids of core and plugin tools: an ASCII identifier."""
    auto_drain: bool = True
    """False: every nested call parks the cell at once."""
    observed_types: Literal["off", "run", "store"] = "run"
    """How long types learned from results of MCP tools without an output schema are kept: not at all, for the run, or in
    the store for later runs too."""
    worker_reuse: Literal["scope", "never"] = "scope"
    """Whether a worker may run later cells of the same scope."""
    swarm: Literal[False] = False
    """Sub-agents from cells; not available yet."""
    untrusted_envelope: Annotated[Literal["auto", "off"] | Callable[[str], str], Allowed('"auto", "off" or a callable')] = "auto"
    """How text of untrusted tools is marked for the model."""

    def __init__(self, **options: Any) -> None:
        try:
            super().__init__(**_by_attribute(options))
        except ValidationError as error:
            raise _config_error(error) from None

    @model_validator(mode="after")
    def _limit_default_search(self) -> CodeModeConfig:
        if self.search_default_limit > self.max_search_limit:
            limit = self.search_default_limit
            if "search_default_limit" in self.model_fields_set:
                limit = Within(1, self.max_search_limit).clamp("searchDefaultLimit", limit)
            object.__setattr__(self, "search_default_limit", min(limit, self.max_search_limit))
        return self

    @classmethod
    def of(cls, value: object) -> CodeModeConfig:
        """Read a ``codeMode`` value: ``True``, ``False``, ``"auto"``, a mapping of options, ``None``, or a config.

        Raises:
            ConfigError: none of these, or an invalid option.
        """
        return value if isinstance(value, CodeModeConfig) else cls(**options_of(value))

    def merged_with(self, *layers: object) -> CodeModeConfig:
        """Return this configuration with the given options of each layer over it, the last one strongest.

        A layer is anything that `of` reads. What a layer doesn't mention is inherited.
        """
        options = options_of(self)
        for layer in layers:
            options |= options_of(CodeModeConfig.of(layer))
        return CodeModeConfig(**options)


def options_of(value: object) -> dict[str, Any]:
    """Return the options that a ``codeMode`` value gives, by attribute name; not validated unless it is a config.

    Raises:
        ConfigError: no such value, an unknown option, or one given in two spellings.
    """
    if value is None:
        return {}
    if isinstance(value, CodeModeConfig):
        return {name: getattr(value, name) for name in value.model_fields_set}
    if isinstance(value, bool) or value == "auto":
        return {"enabled": value}
    if isinstance(value, Mapping):
        return _by_attribute({str(key): option for key, option in cast("Mapping[Any, Any]", value).items()})
    raise _not_allowed("codeMode", value, 'true, false, "auto" or an object of options')


def _by_attribute(options: Mapping[str, Any]) -> dict[str, Any]:
    """Name options by attribute, resolve the legacy ``runtime``, refuse unknown, doubled and unavailable ones."""
    named: dict[str, Any] = {}
    runtime: Any = None
    for key, value in options.items():
        name = _ATTRIBUTES.get(key)
        if key == "runtime":
            if value != "quickjs-wasi":
                raise _not_allowed("runtime", value, '"quickjs-wasi", the old name of executor "quickjs"')
            runtime = "quickjs"
        elif name is None:
            raise _unknown_option(key, value)
        elif name in named:
            raise _not_allowed(key, value, f"one of the spellings {name} and {to_camel(name)}, not both")
        elif (name, value) == ("executor", "node") or (name == "swarm" and value is True):
            raise _not_allowed(key, value, f"{_allowed(name)}; this value is not available yet")
        else:
            named[name] = value
    if runtime is not None:
        named.setdefault("executor", runtime)
    return named


_ATTRIBUTES = {spelling: name for name in CodeModeConfig.model_fields for spelling in (name, to_camel(name))}


def _config_error(error: ValidationError) -> ConfigError:
    detail = error.errors(include_url=False, include_context=False)[0]
    name = _ATTRIBUTES[str(detail["loc"][0])]
    value = detail["input"]
    return _not_allowed(to_camel(name), value, _allowed(name))


def _unknown_option(key: str, value: object) -> ConfigError:
    known = [to_camel(name) for name in CodeModeConfig.model_fields]
    near = difflib.get_close_matches(to_camel(key), known, n=1)
    advice = f"; did you mean {near[0]}" if near else ""
    allowed = ", ".join(known)
    return ConfigError(f"{key}: unknown option{advice}; allowed: {allowed}", field=key, value=value, allowed=allowed)


def _not_allowed(field: str, value: object, allowed: str) -> ConfigError:
    return ConfigError(f"{field}: {_show(value)} is not allowed; allowed: {allowed}", field=field, value=value, allowed=allowed)


def _show(value: object) -> str:
    try:
        text = json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError):
        text = f"a {type(value).__name__}"
    return text if len(text) <= 80 else text[:77] + "..."


def _allowed(name: str) -> str:
    """Say what may stand in an option, from its own declaration."""
    field = CodeModeConfig.model_fields[name]
    for item in field.metadata:
        if isinstance(item, (Within, Allowed)):
            return str(item)
    if get_origin(field.annotation) is Literal:
        return " or ".join(json.dumps(choice) for choice in get_args(field.annotation))
    return "true or false"
