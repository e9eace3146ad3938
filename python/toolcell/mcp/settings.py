"""MCP servers out of the configuration files that people have for other programs."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from typing import Any, TypeVar, cast

from toolcell.config_file import read_config_file
from toolcell.errors import ConfigError
from toolcell.mcp.server import DEFAULT_CONNECT_TIMEOUT_MS, DEFAULT_TIMEOUT_MS, McpServer
from toolcell.values import object_or_empty

T = TypeVar("T")

_HTTP_TYPES = ("http", "streamable-http", "streamable_http", "streamableHttp")
_URL = ("url", "serverUrl", "httpUrl")
_ALLOW = ("allow", "allowedTools", "enabledTools", "includeTools", "allowed_tools", "enabled_tools", "tools")
_DENY = ("deny", "deniedTools", "disabledTools", "excludeTools", "denied_tools", "disabled_tools")
_VARIABLE = re.compile(r"\$\{(?P<env>env:)?(?P<name>[A-Za-z_][A-Za-z0-9_]*)(?::-(?P<default>[^}]*))?\}|\$\{(?P<other>[^}]*)\}")
_SECONDS_BELOW = 1_000


def load_servers(source: Mapping[str, Any] | str | os.PathLike[str], environ: Mapping[str, str] | None = None) -> list[McpServer]:
    """Read servers from ``{"mcpServers": {name: {command, args, env, cwd} | {url, headers}}}``.

    ``{"servers": …}`` and ``{"mcp": {"servers": …}}`` are read as well. Of each server these are looked at: ``type``,
    ``disabled`` or ``enabled``, ``timeout`` (milliseconds; below 1,000 it counts as seconds), ``timeoutMs``,
    ``connectTimeoutMs``, ``maxConcurrency``, and lists of tools: ``allow``, ``allowedTools``, ``enabledTools``,
    ``includeTools`` or ``tools``; ``deny``, ``disabledTools`` or ``excludeTools``. Other keys are other programs' business.
    In command, arguments, environment, folder, address and headers, ``${VAR}``, ``${env:VAR}`` and ``${VAR:-default}`` stand
    for variables of ``environ``.

    Args:
        source: The configuration, or the path of a JSON or JSON5 file with it.
        environ: Where variables are looked up; the process's own environment by default.

    Returns:
        The servers that are not disabled, in the order of the file.

    Raises:
        ConfigError: names the server and the field.
    """
    configuration = source if isinstance(source, Mapping) else object_or_empty(read_config_file(source, "mcpServers"))
    variables = os.environ if environ is None else environ
    servers: list[McpServer] = []
    for name, entry in _entries(configuration).items():
        if not isinstance(entry, Mapping):
            raise _wrong(str(name), "", entry, "an object with command or url")
        fields = _Fields(str(name), cast("Mapping[str, Any]", entry), variables)
        if not fields.disabled():
            servers.append(_server(fields))
    return servers


def _server(fields: _Fields) -> McpServer:
    url = fields.first(_URL, fields.text)
    command = fields.command()
    kind = fields.first(("type", "transport"), fields.text)
    if kind == "sse":
        raise _wrong(fields.server, "type", kind, "the address of its streamable HTTP endpoint with type http; sse is not spoken")
    if kind is not None and kind != "stdio" and kind not in _HTTP_TYPES:
        raise _wrong(fields.server, "type", kind, "stdio or http")
    if "envFile" in fields.entry:
        raise _wrong(fields.server, "envFile", fields.entry["envFile"], "variables in env; files of them are not read")
    if (url is None) == (command is None) or (kind == "stdio" and command is None) or (kind in _HTTP_TYPES and url is None):
        raise _wrong(fields.server, "command", None, "command for a local server, or url for a remote one")
    allow = fields.first(_ALLOW, fields.texts)
    return McpServer(
        name=fields.server,
        command=command or (),
        env=fields.texts_by_name("env"),
        cwd=fields.first(("cwd",), fields.text),
        url=url,
        headers=fields.texts_by_name("headers"),
        timeout_ms=fields.timeout_ms(),
        connect_timeout_ms=fields.first(("connectTimeoutMs", "connect_timeout_ms"), fields.count) or DEFAULT_CONNECT_TIMEOUT_MS,
        max_concurrency=fields.first(("maxConcurrency", "max_concurrency"), fields.count),
        allow=None if allow is None else tuple(allow),
        deny=tuple(fields.first(_DENY, fields.texts) or ()),
    )


class _Fields:
    """The entry of one server."""

    def __init__(self, server: str, entry: Mapping[str, Any], variables: Mapping[str, str]) -> None:
        self.server = server
        self.entry = entry
        self._variables = variables

    def first(self, names: tuple[str, ...], read: Callable[[str], T]) -> T | None:
        """The first of these fields that is there; ``null`` counts as absent."""
        for name in names:
            if self.entry.get(name) is not None:
                return read(name)
        return None

    def text(self, name: str) -> str:
        value = self.entry[name]
        if not isinstance(value, str):
            raise _wrong(self.server, name, value, "a string")
        return self._expanded(name, value)

    def texts(self, name: str) -> list[str]:
        value: object = self.entry[name]
        items = cast("list[object]", value) if isinstance(value, list) else [None]
        if not all(isinstance(item, str) for item in items):
            raise _wrong(self.server, name, None, "a list of strings")
        return [self._expanded(name, str(item)) for item in items]

    def texts_by_name(self, name: str) -> dict[str, str]:
        value = self.entry.get(name)
        if value is None:
            return {}
        if not isinstance(value, Mapping):
            raise _wrong(self.server, name, None, "an object with strings")
        return {str(key): self._scalar(f"{name}.{key}", item) for key, item in cast("Mapping[object, object]", value).items()}

    def count(self, name: str) -> int:
        value = self.entry[name]
        if not isinstance(value, int | float) or isinstance(value, bool) or value != value or int(value) < 1:
            raise _wrong(self.server, name, value, "a number of at least 1")
        return int(value)

    def command(self) -> tuple[str, ...] | None:
        value = self.entry.get("command")
        if value is None:
            return None
        program = self.texts("command") if isinstance(value, list) else [self.text("command")]
        return (*program, *(self.first(("args",), self.texts) or ()))

    def timeout_ms(self) -> int:
        milliseconds = self.first(("timeoutMs", "timeout_ms"), self.count)
        if milliseconds is not None:
            return milliseconds
        timeout = self.first(("timeout",), self.count)
        if timeout is None:
            return DEFAULT_TIMEOUT_MS
        return timeout * 1_000 if timeout < _SECONDS_BELOW else timeout

    def disabled(self) -> bool:
        for name, disables in (("disabled", True), ("enabled", False)):
            value = self.entry.get(name)
            if value is not None and not isinstance(value, bool):
                raise _wrong(self.server, name, value, "true or false")
            if value is disables:
                return True
        return False

    def _scalar(self, name: str, value: object) -> str:
        if isinstance(value, bool):
            return str(value).lower()
        if isinstance(value, int | float):
            return str(value)
        if not isinstance(value, str):
            raise _wrong(self.server, name, None, "a string")
        return self._expanded(name, value)

    def _expanded(self, name: str, text: str) -> str:
        def replaced(found: re.Match[str]) -> str:
            if found["other"] is not None:
                raise _wrong(self.server, name, found[0], "${VAR}, ${env:VAR} or ${VAR:-default}")
            value = self._variables.get(found["name"])
            if found["default"] is not None:
                return value or found["default"]
            if value is None:
                raise _wrong(
                    self.server, name, found[0], f"a value for the environment variable {found['name']}, which is not set"
                )
            return value

        return _VARIABLE.sub(replaced, text)


def _entries(configuration: Mapping[str, Any]) -> Mapping[str, Any]:
    nested = configuration.get("mcp")
    for found in (configuration.get("mcpServers"), configuration.get("servers"), nested):
        if isinstance(found, Mapping):
            servers = cast("Mapping[str, Any]", found)
            return _entries(servers) if found is nested else servers
    raise ConfigError(
        'mcpServers: there are no servers; give {"mcpServers": {name: {command, args, env} or {url, headers}}}',
        field="mcpServers", value=None, allowed="an object with a server by each name",
    )  # fmt: skip


def _wrong(server: str, field: str, value: object, allowed: str) -> ConfigError:
    where = f"mcpServers.{server}" + (f".{field}" if field else "")
    found = "" if value is None else f" is {value!r}"
    return ConfigError(f"{where}{found}; give {allowed}", field=where, value=value, allowed=allowed)
