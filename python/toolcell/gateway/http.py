"""The gateway over streamable HTTP."""

from __future__ import annotations

import hmac
import ipaddress
import socket
from collections.abc import Awaitable, Callable, MutableMapping, Sequence
from dataclasses import dataclass
from typing import Any

import uvicorn
from mcp.server.transport_security import TransportSecuritySettings

from toolcell.errors import ConfigError
from toolcell.gateway.gateway import Gateway, http_session

PATH = "/mcp"
LOOPBACK_NAMES = ("127.0.0.1", "localhost", "[::1]")
SHUTDOWN_S = 3
KEEP_ALIVE_S = 75
"""Longer than clients keep idle connections, so that a request never meets one that is just being closed."""

Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Application = Callable[[MutableMapping[str, Any], Receive, Send], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class HttpAddress:
    """Where to listen. A name instead of an address counts as public, but for ``localhost``."""

    host: str = "127.0.0.1"
    port: int = 0

    @classmethod
    def parse(cls, text: str) -> HttpAddress:
        """Read ``HOST:PORT``, ``[HOST]:PORT`` or ``PORT``, which is one of this machine alone.

        Raises:
            ConfigError: none of these.
        """
        host, _, port = text.rpartition(":")
        if not port.isascii() or not port.isdigit() or int(port) > 65_535:
            allowed = "HOST:PORT or PORT"
            raise ConfigError(f"http {text}: give {allowed}", field="http", value=text, allowed=allowed)
        return cls(host.removeprefix("[").removesuffix("]") or "127.0.0.1", int(port))

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine can reach it."""
        try:
            return self.host == "localhost" or ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    def listen(self) -> socket.socket:
        """Listen; port 0 takes a free one.

        Raises:
            ConfigError: the address can't be used.
        """
        family = socket.AF_INET6 if ":" in self.host else socket.AF_INET
        try:
            return socket.create_server((self.host, self.port), family=family, backlog=1_024)
        except OSError as error:
            message = f"http {self.host}:{self.port}: {error.strerror or error}"
            raise ConfigError(message, field="http", value=str(self), allowed="a free address of this machine") from None


def http_app(gateway: Gateway, *, names: Sequence[str] = LOOPBACK_NAMES, token: str | None = None) -> Application:
    """The gateway as an ASGI application, at ``/mcp``; its server must send ``lifespan`` events.

    Args:
        gateway: An entered gateway.
        names: Host names by which clients reach it. Requests for others, and those of web pages of others, are refused.
        token: Bearer token that every request has to show.
    """
    settings = TransportSecuritySettings(
        allowed_hosts=[entry for name in names for entry in (name, f"{name}:*")],
        allowed_origins=[f"{scheme}://{name}{port}" for name in names for scheme in ("http", "https") for port in ("", ":*")],
    )
    app: Application = gateway.server.streamable_http_app(
        streamable_http_path=PATH,
        session_idle_timeout=gateway.idle_seconds,
        max_sessions=gateway.max_sessions,
        transport_security=settings,
    )
    app = _ending_sessions(app, gateway)
    return app if token is None else _with_token(app, token)


async def serve_http(
    gateway: Gateway,
    address: HttpAddress,
    *,
    token: str | None = None,
    names: Sequence[str] = (),
    insecure: bool = False,
    listening: Callable[[str], None] | None = None,
) -> None:
    """Serve until the process is told to stop (SIGINT, SIGTERM).

    Args:
        gateway: An entered gateway.
        address: Where to listen.
        token: Bearer token that every request has to show.
        names: Host names by which clients reach it, beside those of this machine.
        insecure: Allow an address that others can reach without a token.
        listening: Told the URL once clients can connect.

    Raises:
        ConfigError: the address can't be used, or others can reach it and there is no token or no name.
    """
    if not address.is_loopback:
        _check_public(address, token, names, insecure)
    with address.listen() as listener:
        app = http_app(gateway, names=[*LOOPBACK_NAMES, *names], token=token)
        config = uvicorn.Config(
            app,
            lifespan="on",
            log_level="warning",
            timeout_graceful_shutdown=SHUTDOWN_S,
            timeout_keep_alive=KEEP_ALIVE_S,
            ws="none",
        )
        if listening is not None:
            host = f"[{address.host}]" if ":" in address.host else address.host
            listening(f"http://{host}:{listener.getsockname()[1]}{PATH}")
        await uvicorn.Server(config).serve(sockets=[listener])


def _check_public(address: HttpAddress, token: str | None, names: Sequence[str], insecure: bool) -> None:
    if token is None and not insecure:
        allowed = "a bearer token beside it, or the explicit word that none is wanted"
        raise ConfigError(
            f"http {address.host}: others can reach this address, and nothing keeps them from running programs; give a token",
            field="token", value=None, allowed=allowed,
        )  # fmt: skip
    if not names:
        raise ConfigError(
            f"http {address.host}: give the host names by which clients reach this address; requests for others are refused",
            field="names", value=(), allowed="at least one host name",
        )  # fmt: skip


def _ending_sessions(app: Application, gateway: Gateway) -> Application:
    """End a session's run when the client ends the session."""

    async def wrapped(scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "DELETE":
            return await app(scope, receive, send)
        statuses: list[int] = []

        async def watch(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                statuses.append(message["status"])
            await send(message)

        await app(scope, receive, watch)
        session_id = _header(scope, b"mcp-session-id")
        if statuses == [200] and session_id:
            await gateway.end_session(http_session(session_id.decode("latin-1")))

    return wrapped


def _with_token(app: Application, token: str) -> Application:
    """Refuse requests that do not show the token."""
    wanted = f"Bearer {token}".encode()

    async def wrapped(scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and not hmac.compare_digest(_header(scope, b"authorization"), wanted):
            headers = [(b"www-authenticate", b"Bearer"), (b"content-length", b"0")]
            await send({"type": "http.response.start", "status": 401, "headers": headers})
            return await send({"type": "http.response.body", "body": b""})
        await app(scope, receive, send)

    return wrapped


def _header(scope: MutableMapping[str, Any], name: bytes) -> bytes:
    return next((value for key, value in scope["headers"] if key == name), b"")
