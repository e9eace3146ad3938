"""Where an MCP server is, how it is reached, and what of it is used."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

from toolcell.errors import ConfigError

DEFAULT_TIMEOUT_MS = 60_000
DEFAULT_CONNECT_TIMEOUT_MS = 30_000


@dataclass(frozen=True, slots=True, kw_only=True)
class McpServer:
    """An MCP server of a run. Made by `stdio` or `http`.

    Raises:
        ConfigError: the name can't stand in a tool's id, it has neither or both of command and URL, or a number is out
            of range.
    """

    name: str
    """The host's name for it; the owner part of its tools' ids."""
    command: tuple[str, ...] = ()
    """Program and arguments of a server on standard input and output."""
    env: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    """Added to the few variables that a child process inherits: ``HOME``, ``PATH`` and their like."""
    cwd: str | None = None
    url: str | None = None
    """Address of a server that speaks streamable HTTP."""
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    """Sent with every request to ``url``."""
    auth: Any = field(default=None, repr=False)
    """What the ``mcp`` package takes as authentication of its HTTP client, such as its ``OAuthClientProvider``."""
    timeout_ms: int = DEFAULT_TIMEOUT_MS
    """Time for the answer to one call."""
    connect_timeout_ms: int = DEFAULT_CONNECT_TIMEOUT_MS
    """Time for start, handshake and the list of tools."""
    max_concurrency: int | None = None
    """Requests that it is sent at once; all runs that share the connection count. ``None`` leaves it to the runs."""
    allow: tuple[str, ...] | None = None
    """Globs over names of tools: others are left out. ``None`` allows all."""
    deny: tuple[str, ...] = ()
    """Globs over names of tools that are left out, allowed or not."""

    def __post_init__(self) -> None:
        if not self.name or ":" in self.name or not self.name.isprintable():
            raise ConfigError(
                f"mcp server {self.name!r}: a name is printable, not empty and without a colon",
                field="mcp.name", value=self.name, allowed="a printable name without a colon",
            )  # fmt: skip
        if self.url is None and not self.command:
            raise self._refuse("command", "the command is empty", self.command, "a program and its arguments")
        if self.url is not None:
            if self.command:
                raise self._refuse("url", "give a command or a url, not both", self.url, "one of command and url")
            if not self.url.startswith(("http://", "https://")):
                raise self._refuse("url", f"{self.url!r} is not an http or https address", self.url, "http:// or https://")
        for name in ("timeout_ms", "connect_timeout_ms", "max_concurrency"):
            value = getattr(self, name)
            unbounded = name == "max_concurrency" and value is None
            if not unbounded and (type(value) is not int or value < 1):
                raise self._refuse(name, f"{name} is {value!r}", value, "an integer of at least 1")

    @classmethod
    def stdio(
        cls,
        name: str,
        command: Sequence[str],
        *,
        env: Mapping[str, str] | None = None,
        cwd: str | None = None,
        timeout_ms: int = DEFAULT_TIMEOUT_MS,
        connect_timeout_ms: int = DEFAULT_CONNECT_TIMEOUT_MS,
        max_concurrency: int | None = None,
        allow: Sequence[str] | None = None,
        deny: Sequence[str] = (),
    ) -> McpServer:
        """A server that is started as a child process and spoken to over its standard input and output."""
        if isinstance(command, str):
            raise ConfigError(
                f"mcp server {name}: give the command as a list, program first",
                field="mcp.command",
                value=command,
                allowed="a list of strings",
            )
        return cls(
            name=name,
            command=tuple(command),
            env=dict(env or {}),
            cwd=cwd,
            timeout_ms=timeout_ms,
            connect_timeout_ms=connect_timeout_ms,
            max_concurrency=max_concurrency,
            allow=None if allow is None else tuple(allow),
            deny=tuple(deny),
        )

    @classmethod
    def http(
        cls,
        name: str,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        auth: Any = None,
        timeout_ms: int = DEFAULT_TIMEOUT_MS,
        connect_timeout_ms: int = DEFAULT_CONNECT_TIMEOUT_MS,
        max_concurrency: int | None = None,
        allow: Sequence[str] | None = None,
        deny: Sequence[str] = (),
    ) -> McpServer:
        """A server that is reached by streamable HTTP."""
        return cls(
            name=name,
            url=url,
            headers=dict(headers or {}),
            auth=auth,
            timeout_ms=timeout_ms,
            connect_timeout_ms=connect_timeout_ms,
            max_concurrency=max_concurrency,
            allow=None if allow is None else tuple(allow),
            deny=tuple(deny),
        )

    def admits(self, tool: str) -> bool:
        """Whether a tool of this name is used at all."""
        if any(fnmatchcase(tool, glob) for glob in self.deny):
            return False
        return self.allow is None or any(fnmatchcase(tool, glob) for glob in self.allow)

    def _refuse(self, name: str, problem: str, value: object, allowed: str) -> ConfigError:
        return ConfigError(
            f"mcp server {self.name}: {problem}; give {allowed}", field=f"mcp.{name}", value=value, allowed=allowed
        )
