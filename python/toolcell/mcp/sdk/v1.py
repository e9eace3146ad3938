"""The ``mcp`` package, version 1. Its names are looked up as it runs: types are checked against version 2."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from importlib import import_module
from typing import Any

import anyio
from pydantic import ValidationError

from toolcell import _native
from toolcell.mcp.contract import depth
from toolcell.mcp.http import INTERNAL_ERROR, BoundedBody, client_options
from toolcell.mcp.sdk.protocol import Answer, Handlers, ListKind, OnProgress, RemoteError, SessionLostError, says_lost
from toolcell.mcp.sdk.raw import RawResult
from toolcell.mcp.sdk.streams import UNREADABLE, UNSENDABLE, stdio_streams
from toolcell.mcp.server import McpServer
from toolcell.mcp.stdio import Diagnostics

types: Any = import_module("mcp.types")
messages: Any = import_module("mcp.shared.message")
exceptions: Any = import_module("mcp.shared.exceptions")
sessions: Any = import_module("mcp.client.session")
transports: Any = import_module("mcp.client.streamable_http")
httpx: Any = import_module("httpx")

MAX_DEPTH = 200
"""Of input; what the package writes may be nested a little deeper."""
CANCEL_S = 1.0
"""Time to tell a server that a request is no longer wanted."""

_REQUESTS: dict[str, tuple[Any, Any, Any]] = {
    "tools/list": (types.ListToolsRequest, types.PaginatedRequestParams, types.ListToolsResult),
    "tools/call": (types.CallToolRequest, types.CallToolRequestParams, types.CallToolResult),
    "resources/list": (types.ListResourcesRequest, types.PaginatedRequestParams, types.ListResourcesResult),
    "resources/read": (types.ReadResourceRequest, types.ReadResourceRequestParams, types.ReadResourceResult),
    "prompts/list": (types.ListPromptsRequest, types.PaginatedRequestParams, types.ListPromptsResult),
    "prompts/get": (types.GetPromptRequest, types.GetPromptRequestParams, types.GetPromptResult),
}
_NOTIFICATIONS: dict[Any, ListKind] = {
    types.ToolListChangedNotification: "tools",
    types.ResourceListChangedNotification: "resources",
    types.PromptListChangedNotification: "prompts",
}
_Body: Any = type("_Body", (BoundedBody, httpx.AsyncByteStream), {})


@asynccontextmanager
async def connect(server: McpServer, handlers: Handlers, diagnostics: Diagnostics) -> AsyncGenerator[V1Session]:
    """See `toolcell.mcp.sdk.protocol.Connect`."""

    async def notified(message: Any) -> None:
        kind = _NOTIFICATIONS.get(type(getattr(message, "root", None)))
        if kind is not None:
            handlers.list_changed(kind)

    async with AsyncExitStack() as stack:
        if server.url is None:
            streams: Any = await stack.enter_async_context(stdio_streams(server, _Codec(), diagnostics, handlers.closed))
        else:
            options = client_options(server.headers, server.auth, httpx, _Body, diagnostics)
            client = await stack.enter_async_context(httpx.AsyncClient(**options))
            with_streams = AsyncExitStack()
            stack.push_async_exit(with_streams)
            streams = (await stack.enter_async_context(transports.streamable_http_client(server.url, http_client=client)))[:2]
            for stream in streams:  # the package leaves them open when it is cancelled
                with_streams.callback(stream.close)
        session = await stack.enter_async_context(
            sessions.ClientSession(
                *streams,
                client_info=types.Implementation(name="toolcell", version=_native.__version__),
                message_handler=notified,
                elicitation_callback=None if handlers.elicit is None else _elicit(handlers.elicit),
                sampling_callback=None if handlers.sample is None else _sample(handlers.sample),
            )
        )
        try:
            greeting = await session.initialize()
        except exceptions.McpError as error:
            raise _translated(error) from None
        yield V1Session(session, greeting)


class V1Session:
    """A session of this version."""

    def __init__(self, session: Any, greeting: Any) -> None:
        self._session = session
        self._greeting = _plain(greeting)

    @property
    def protocol_version(self) -> str:
        """What was negotiated."""
        return str(self._greeting["protocolVersion"])

    @property
    def server_info(self) -> Mapping[str, Any]:
        """What the server calls itself."""
        return self._greeting["serverInfo"]

    @property
    def capabilities(self) -> Mapping[str, Any]:
        """What the server offers."""
        return self._greeting["capabilities"]

    async def request(self, method: str, params: Mapping[str, Any], on_progress: OnProgress | None = None) -> Mapping[str, Any]:
        """Send a request; see `toolcell.mcp.sdk.protocol.Session.request`."""
        if depth(params) > MAX_DEPTH:  # or the package would fail half-way and leave its streams open
            raise RemoteError(UNSENDABLE)
        request, params_type, result_type = _REQUESTS[method]
        typed = types.ClientRequest(request(method=method, params=params_type.model_validate(params)))
        callback = None if on_progress is None else _awaited(on_progress)
        number = self._session._request_id  # taken by the next line before it waits for anything
        try:
            result = await self._session.send_request(typed, RawResult, progress_callback=callback)
            result_type.model_validate(result.model_extra)  # as version 2 does it
        except exceptions.McpError as error:
            raise _translated(error) from None
        except ValidationError:
            raise RemoteError(UNREADABLE) from None
        except ValueError:
            raise RemoteError(UNSENDABLE) from None
        except (anyio.ClosedResourceError, anyio.BrokenResourceError):
            raise SessionLostError from None
        except asyncio.CancelledError:
            await self._tell_cancelled(number)  # which this version does not do by itself
            raise
        return result.model_extra or {}

    async def _tell_cancelled(self, number: int) -> None:
        params = types.CancelledNotificationParams(requestId=number, reason="the result is no longer wanted")
        notification = types.ClientNotification(types.CancelledNotification(method="notifications/cancelled", params=params))
        with contextlib.suppress(Exception):
            async with asyncio.timeout(CANCEL_S):
                await self._session.send_notification(notification)


class _Codec:
    def parse(self, line: bytes) -> Any:
        return messages.SessionMessage(types.JSONRPCMessage.model_validate_json(line))

    def dump(self, message: Any) -> bytes:
        return message.message.model_dump_json(by_alias=True, exclude_none=True).encode()

    def number(self, message: Any) -> int:
        return getattr(message.message.root, "id", 0)

    def error(self, number: int, text: str) -> Any:
        error = types.JSONRPCError(jsonrpc="2.0", id=number, error=types.ErrorData(code=INTERNAL_ERROR, message=text))
        return messages.SessionMessage(types.JSONRPCMessage(error))


def _elicit(answer: Answer) -> Any:
    async def elicit(_: Any, params: Any) -> Any:
        given = await answer(_plain(params))
        return types.ElicitResult(action="decline") if given is None else types.ElicitResult.model_validate(given)

    return elicit


def _sample(answer: Answer) -> Any:
    async def sample(_: Any, params: Any) -> Any:
        given = await answer(_plain(params))
        if given is None:
            return types.ErrorData(code=types.INVALID_REQUEST, message="sampling was declined")
        return types.CreateMessageResult.model_validate(given)

    return sample


def _translated(error: Any) -> RemoteError | SessionLostError:
    code, message = error.error.code, str(error.error.message)
    if says_lost(code, message):
        return SessionLostError()
    if abs(code) == abs(types.INVALID_REQUEST) and message == "Session terminated":
        return SessionLostError(sent=False)  # the package's words for a session that the server no longer knows
    return RemoteError(message)


def _awaited(on_progress: OnProgress) -> Any:
    async def report(progress: float, total: float | None, message: str | None) -> None:
        on_progress(progress, total, message)

    return report


def _plain(model: Any) -> dict[str, Any]:
    return model.model_dump(mode="json", by_alias=True, exclude_none=True)
