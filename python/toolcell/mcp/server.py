"""Where an MCP server is and how it is started."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from toolcell.errors import ConfigError


@dataclass(frozen=True, slots=True)
class McpServer:
    """An MCP server of a run. Made by `stdio`.

    Raises:
        ConfigError: the name can't stand in a tool's id, or there is no command.
    """

    name: str
    """The host's name for it; the owner part of its tools' ids."""
    command: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    """Added to the few variables that a child process inherits."""
    cwd: str | None = None

    def __post_init__(self) -> None:
        if not self.name or ":" in self.name or not self.name.isprintable():
            raise ConfigError(
                f"mcp server {self.name!r}: a name is printable, not empty and without a colon",
                field="mcp.name", value=self.name, allowed="a printable name without a colon",
            )  # fmt: skip
        if not self.command:
            raise ConfigError(
                f"mcp server {self.name}: the command is empty",
                field="mcp.command",
                value=self.command,
                allowed="a program and its arguments",
            )

    @classmethod
    def stdio(
        cls, name: str, command: Sequence[str], *, env: Mapping[str, str] | None = None, cwd: str | None = None
    ) -> McpServer:
        """A server that is started as a child process and spoken to over its standard input and output."""
        if isinstance(command, str):
            raise ConfigError(
                f"mcp server {name}: give the command as a list, program first",
                field="mcp.command",
                value=command,
                allowed="a list of strings",
            )
        return cls(name, tuple(command), dict(env or {}), cwd)
