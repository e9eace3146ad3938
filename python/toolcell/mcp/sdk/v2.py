"""The ``mcp`` package, version 2."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import anyio
import httpx2
import mcp_types as types
from mcp.client.session import ClientRequestContext, ClientSession
from mcp.client.streamable_http import streamable_http_client
from mcp.client.subscriptions import PromptsListChanged, ResourcesListChanged, ToolsListChanged, listen
from mcp.shared.exceptions import MCPError
from mcp.shared.message import SessionMessage
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from toolcell import _native
from toolcell.mcp.http import INTERNAL_ERROR, BoundedBody, client_options
from toolcell.mcp.sdk.protocol import Answer, Handlers, ListKind, OnProgress, RemoteError, SessionLostError, says_lost
from toolcell.mcp.sdk.raw import RawResult
from toolcell.mcp.sdk.streams import UNREADABLE, UNSENDABLE, stdio_streams
from toolcell.mcp.server import McpServer
from toolcell.mcp.stdio import Diagnostics

MAX_INPUT_ROUNDS = 10
"""Times that a server may answer one request by asking for more."""

_CLIENT_INFO = types.Implementation(name="toolcell", version=_native.__version__)
_REQUESTS: dict[str, tuple[type[types.Request[Any, Any]], type[types.RequestParams]]] = {
    "tools/call": (types.CallToolRequest, types.CallToolRequestParams),
    "resources/list": (types.ListResourcesRequest, types.PaginatedRequestParams),
    "resources/read": (types.ReadResourceRequest, types.ReadResourceRequestParams),
    "prompts/list": (types.ListPromptsRequest, types.PaginatedRequestParams),
    "prompts/get": (types.GetPromptRequest, types.GetPromptRequestParams),
}
_NOTIFICATIONS: dict[type[Any], ListKind] = {
    types.ToolListChangedNotification: "tools",
    types.ResourceListChangedNotification: "resources",
    types.PromptListChangedNotification: "prompts",
}
_EVENTS: dict[type[Any], ListKind] = {
    ToolsListChanged: "tools",
    ResourcesListChanged: "resources",
    PromptsListChanged: "prompts",
}


@asynccontextmanager
async def connect(server: McpServer, handlers: Handlers, diagnostics: Diagnostics) -> AsyncGenerator[V2Session]:
    """See `toolcell.mcp.sdk.protocol.Connect`."""

    async def notified(message: object) -> None:
        kind = _NOTIFICATIONS.get(type(message))
        if kind is not None:
            handlers.list_changed(kind)

    async with AsyncExitStack() as stack:
        if server.url is None:
            streams = await stack.enter_async_context(stdio_streams(server, _Codec(), diagnostics, handlers.closed))
        else:
            options = client_options(server.headers, server.auth, httpx2, _Body, diagnostics)
            client = await stack.enter_async_context(httpx2.AsyncClient(**options))
            streams = await stack.enter_async_context(
                streamable_http_client(server.url, http_client=client, max_sse_event_size=None)
            )
        session = await stack.enter_async_context(
            ClientSession(
                *streams,
                client_info=_CLIENT_INFO,
                message_handler=notified,
                elicitation_callback=None if handlers.elicit is None else _Elicit(handlers.elicit),
                sampling_callback=None if handlers.sample is None else _Sample(handlers.sample),
            )
        )
        await _negotiate(session)
        if session.protocol_version in MODERN_PROTOCOL_VERSIONS:
            listener = asyncio.create_task(_listen(session, handlers))
            stack.callback(listener.cancel)
        yield V2Session(session)


class V2Session:
    """A session of this version."""

    def __init__(self, session: ClientSession) -> None:
        self._session = session

    @property
    def protocol_version(self) -> str:
        """What was negotiated."""
        return self._session.protocol_version or ""

    @property
    def server_info(self) -> Mapping[str, Any]:
        """What the server calls itself."""
        return _plain(self._session.server_info)

    @property
    def capabilities(self) -> Mapping[str, Any]:
        """What the server offers."""
        return _plain(self._session.server_capabilities)

    async def request(self, method: str, params: Mapping[str, Any], on_progress: OnProgress | None = None) -> Mapping[str, Any]:
        """Send a request; see `toolcell.mcp.sdk.protocol.Session.request`."""
        try:
            if method == "tools/list":  # the session itself needs the list, for headers that depend on schemas
                page = await self._session.list_tools(params=types.PaginatedRequestParams.model_validate(params))
                return page.model_dump(mode="json", by_alias=True, exclude_unset=True)
            return await self._until_complete(method, dict(params), on_progress)
        except MCPError as error:
            raise _translated(error) from None
        except ValidationError:
            raise RemoteError(UNREADABLE) from None
        except ValueError:
            raise RemoteError(UNSENDABLE) from None
        except (anyio.ClosedResourceError, anyio.BrokenResourceError):
            raise SessionLostError from None

    async def _until_complete(self, method: str, params: dict[str, Any], on_progress: OnProgress | None) -> Mapping[str, Any]:
        for _ in range(MAX_INPUT_ROUNDS):
            result = await self._send(method, params, on_progress)
            if result.get("resultType") != "input_required":
                return {key: value for key, value in result.items() if key != "resultType"}
            wanted = types.InputRequiredResult.model_validate(result)
            answers: dict[str, Any] = {}
            for key, asked in (wanted.input_requests or {}).items():
                context = ClientRequestContext(session=self._session, request_id=key)
                answer = await self._session.dispatch_input_request(context, asked)
                if isinstance(answer, types.ErrorData):
                    raise RemoteError(answer.message)
                answers[key] = _plain(answer)
            params = {**params, "inputResponses": answers or None, "requestState": wanted.request_state}
        raise RemoteError(f"the server asked for more than {MAX_INPUT_ROUNDS} times")

    async def _send(self, method: str, params: dict[str, Any], on_progress: OnProgress | None) -> dict[str, Any]:
        request, params_type = _REQUESTS[method]
        typed = request(method=method, params=params_type.model_validate(params))
        callback = None if on_progress is None else _awaited(on_progress)
        result = await self._session.send_request(typed, RawResult, progress_callback=callback)
        return result.model_extra or {}


class _Codec:
    def parse(self, line: bytes) -> SessionMessage:
        return SessionMessage(types.jsonrpc_message_adapter.validate_json(line, by_name=False))

    def dump(self, message: SessionMessage) -> bytes:
        return message.message.model_dump_json(by_alias=True, exclude_unset=True).encode()

    def number(self, message: SessionMessage) -> int:
        number = getattr(message.message, "id", 0)
        return number if isinstance(number, int) else 0

    def error(self, number: int, text: str) -> SessionMessage:
        return SessionMessage(
            types.JSONRPCError(jsonrpc="2.0", id=number, error=types.ErrorData(code=INTERNAL_ERROR, message=text))
        )


class _Body(BoundedBody, httpx2.AsyncByteStream):
    pass


class _Elicit:
    def __init__(self, answer: Answer) -> None:
        self._answer = answer

    async def __call__(self, context: ClientRequestContext, params: types.ElicitRequestParams) -> types.ElicitResult:
        answer = await self._answer(_plain(params))
        return types.ElicitResult(action="decline") if answer is None else types.ElicitResult.model_validate(answer)


class _Sample:
    def __init__(self, answer: Answer) -> None:
        self._answer = answer

    async def __call__(
        self, context: ClientRequestContext, params: types.CreateMessageRequestParams
    ) -> types.CreateMessageResult | types.ErrorData:
        answer = await self._answer(_plain(params))
        if answer is None:
            return types.ErrorData(code=types.INVALID_REQUEST, message="sampling was declined")
        return types.CreateMessageResult.model_validate(answer)


async def _negotiate(session: ClientSession) -> None:
    """Shake hands as all servers do; one that only knows the newer way is asked in that way.

    In this order, because servers in other languages end when the first message is no ``initialize``.
    """
    try:
        await session.initialize()
    except MCPError as refusal:
        if says_lost(refusal.code, refusal.message):
            raise SessionLostError from None
        try:
            await session.discover()
        except (MCPError, RuntimeError, ValidationError):
            raise _translated(refusal) from None


async def _listen(session: ClientSession, handlers: Handlers) -> None:
    """Hear of changed lists where a protocol version has them on a stream of their own."""
    try:
        async with listen(session, tools_list_changed=True, resources_list_changed=True, prompts_list_changed=True) as events:
            async for event in events:
                if (kind := _EVENTS.get(type(event))) is not None:
                    handlers.list_changed(kind)
    except (MCPError, RuntimeError, TimeoutError):
        pass  # a server that tells of no changes


def _translated(error: MCPError) -> RemoteError | SessionLostError:
    if says_lost(error.code, error.message):
        return SessionLostError()
    if error.code == types.INVALID_REQUEST and error.message == "Session terminated":
        return SessionLostError(sent=False)  # the package's words for a session that the server no longer knows
    return RemoteError(error.message)


def _awaited(on_progress: OnProgress) -> Any:
    async def report(progress: float, total: float | None, message: str | None) -> None:
        on_progress(progress, total, message)

    return report


def _plain(model: Any) -> dict[str, Any]:
    return {} if model is None else model.model_dump(mode="json", by_alias=True, exclude_none=True)
