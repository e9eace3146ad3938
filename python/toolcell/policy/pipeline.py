"""The one way of every nested call.

Resolve under the run's policy now → validate → before-hooks (an edit is validated again) → approval → execute →
after-hooks → output contract → encode. The two halves are separate coroutines, because an approval may come much later
and in another process.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from toolcell import _native
from toolcell.catalog.catalog import Catalog, CatalogEntry
from toolcell.catalog.context import CallContext
from toolcell.catalog.tool import ToolResult
from toolcell.content import ContentStore
from toolcell.errors import InvalidDecisionError, ToolInputError, UnknownToolError
from toolcell.policy.hooks import Ask, Block, Edit, Hooks, Replace, ToolCall
from toolcell.policy.nested_call import MCP_FORMS, CallForm, NestedCall
from toolcell.policy.policy import Policy, VisibleTool
from toolcell.policy.refusal import CallRefusedError, cut, denied, failure_of, outcome_of, text_of
from toolcell.redaction import REDACTED
from toolcell.scope import Scope
from toolcell.settlement import CallFailure
from toolcell.threads import DaemonThreads
from toolcell.values import Json

VALUE_DEPTH = 512
"""Depth of nesting of a value that crosses the bridge."""

Approve = Callable[[ToolCall], "str | Edit | Awaitable[str | Edit]"]
_NO_CONTEXT = CallContext(call_id="", tool_id="")


class Pipeline:
    """Policy, hooks and approvals of one run."""

    def __init__(
        self,
        catalog: Catalog,
        policy: Policy,
        hooks: Hooks,
        threads: DaemonThreads,
        *,
        scope: Scope,
        values: Mapping[str, Any],
        max_bridge_bytes: int,
        approve: Approve | None = None,
        progress: Callable[[str, Any], None],
        contents: ContentStore,
        observe: Callable[[CatalogEntry, Any], None],
    ) -> None:
        self.catalog = catalog
        self._policy = policy
        self._hooks = hooks
        self._threads = threads
        self._scope = scope
        self._values = values
        self._max_bridge_bytes = max_bridge_bytes
        self._approve = approve
        self._progress = progress
        self._contents = contents
        self._observe = observe
        self._gates: dict[str, asyncio.Semaphore] = {}
        # A plain policy never changes: what it hides is not in the catalog, and one without an ask list asks nothing.
        self._visibility_changes = type(policy).visible is not Policy.visible
        self._decides = type(policy).decide is not Policy.decide or policy.asks

    @property
    def has_callback(self) -> bool:
        """Whether approvals are asked of a callback."""
        return self._approve is not None

    def resolve(self, target: str, form: CallForm = "call_value") -> CatalogEntry:
        """Find a tool that the policy lets be seen now.

        Raises:
            UnknownToolError: there is none; a hidden tool looks the same as a missing one.
        """
        entry = self.catalog.resolve_mcp(target) if form in MCP_FORMS else self.catalog.resolve(target)
        if self._visibility_changes and not self._policy.visible(VisibleTool(entry.id, entry.tool.name)):
            raise UnknownToolError(f"unknown tool {target[:100]!r}", target=target)
        return entry

    def shown(self, call: NestedCall) -> Json:
        """The input of a resolved call as telemetry shows it; a policy that raises shows nothing."""
        try:
            return self._policy.redact(self._seen(call))
        except Exception:  # its text stays on the host
            return REDACTED

    async def authorise(self, call: NestedCall) -> bool:
        """Take a call to the point where it may run.

        Returns:
            Whether a person has to approve it first.

        Raises:
            CallRefusedError: it may not run.
        """
        try:
            entry = call.entry = self.resolve(call.target, call.form)
            call.target = entry.id  # what is approved now must not be another tool of that name later
            call.value = None if call.input is None else _native.decode_json(call.input)
            ask = entry.tool.requires_approval
            if self._decides and await self._decision(call) == "ask":
                ask = True
            self._bind(call)
            for hook in self._hooks.before:
                answer = await self._before(hook, call)
                if isinstance(answer, Edit):
                    self.edit(call, answer.input)
                elif isinstance(answer, Ask):
                    ask = True
                elif answer is not None:
                    raise denied(call)
        except CallRefusedError:
            raise
        except Exception as error:  # becomes plain data
            raise CallRefusedError(failure_of(call, error)) from error
        return ask

    async def recheck(self, call: NestedCall) -> None:
        """Resolve an approved call again, as its approval may have come much later.

        Raises:
            CallRefusedError: the policy no longer allows it.
        """
        try:
            call.entry = self.resolve(call.target, call.form)
        except UnknownToolError as error:
            raise CallRefusedError(failure_of(call, error)) from error
        if self._decides:
            await self._decision(call)

    async def ask(self, call: NestedCall) -> bool:
        """Ask the callback; an edit is applied.

        Returns:
            Whether the call was approved. A callback that raises or answers anything else denies.
        """
        assert self._approve is not None
        try:
            answer = await self._call_hook(self._approve, self._seen(call))
            if isinstance(answer, Edit):
                self.edit(call, answer.input)
                return True
        except Exception:  # its text stays on the host
            return False
        return answer == "approve"

    def edit(self, call: NestedCall, value: Json) -> None:
        """Replace the input; validated as any other.

        Raises:
            ToolInputError: the tool refuses it.
        """
        call.value = value
        self._bind(call)

    def decide(self, call: NestedCall, decision: str, value: Json) -> bool:
        """Apply a person's decision; returns whether the call may run.

        Raises:
            InvalidDecisionError: an unknown word, or an edit that the tool refuses. The call is as it was.
        """
        if decision == "approve":
            if call.body is None:
                self._bind(call)
            return True
        if decision == "deny":
            return False
        if decision != "edit":
            raise InvalidDecisionError(f"{decision!r} is no decision; give approve, deny or edit")
        before = (call.value, call.body)
        try:
            self.edit(call, value)
        except ToolInputError as error:
            call.value, call.body = before
            raise InvalidDecisionError(str(error)) from None
        return True

    async def execute(self, call: NestedCall) -> bytes:
        """Run an authorised call and finish its result.

        Raises:
            CallRefusedError: it failed.
        """
        entry = call.entry
        assert entry is not None
        tool = entry.tool
        try:
            if call.body is None:
                self._bind(call)
            if tool.sequential or tool.max_concurrency is not None:
                async with self._gate(entry):
                    raw = await self._run(call, entry, tool.timeout_ms)
            else:
                raw = await self._run(call, entry, tool.timeout_ms)
        except CallRefusedError:
            raise
        except Exception as error:  # becomes plain data
            raise CallRefusedError(failure_of(call, error), outcome_of(error)) from error
        return await self.complete(call, raw)

    async def complete(self, call: NestedCall, raw: Any) -> bytes:
        """Finish what a tool or a client returned: after-hooks, output contract, encoding.

        Raises:
            CallRefusedError: the result is an error, breaks the contract, or can't be encoded.
        """
        entry = call.entry
        assert entry is not None
        tool = entry.tool
        try:
            if self._hooks.after or isinstance(raw, ToolResult):
                result = tool.check(await self._after(call, tool.normalise(raw)))
                details: Any = result.details
            else:
                result, details = None, tool.details_of(raw)
            if result is not None and result.is_error and call.form in ("call_value", "mcp"):
                raise CallRefusedError(
                    CallFailure("ToolError", cut(text_of(result)), "tool_failed", tool.name, data=self._encode(details))
                )
            encoded = self._encode(details)
            if tool.kind == "mcp":
                self._observe(entry, details)
            return self._wrap(entry, result, encoded) if call.form == "call" else encoded
        except CallRefusedError:
            raise
        except Exception as error:  # becomes plain data
            raise CallRefusedError(failure_of(call, error)) from error

    async def review_exec(self, call: ToolCall) -> Json | Block:
        """Let before-hooks see the model's own `exec`; returns its arguments as they now stand, or a `Block`."""
        current = call
        for hook in self._hooks.before:
            try:
                answer = await self._call_hook(hook, current)
            except Exception:  # its text stays on the host
                return Block()
            if isinstance(answer, Ask):
                answer = await self._ask_exec(current)
            if isinstance(answer, Edit):
                current = replace(current, input=answer.input)
            elif answer is not None:
                return Block()
        return current.input

    async def _decision(self, call: NestedCall) -> str:
        """What the policy says; one that raises or says anything else denies."""
        try:
            decision: object = await self._in_order(self._policy.decide(self._seen(call)))
        except Exception as error:  # its text stays on the host
            raise denied(call) from error
        if decision not in ("allow", "ask"):
            raise denied(call)
        return decision

    async def _before(self, hook: Callable[..., Any], call: NestedCall) -> Any:
        """What a before-hook says; one that raises blocks."""
        try:
            return await self._call_hook(hook, self._seen(call))
        except Exception as error:  # its text stays on the host
            raise denied(call) from error

    async def _after(self, call: NestedCall, result: ToolResult) -> ToolResult:
        """Let the after-hooks see a result; one that raises fails the call."""
        tool = call.entry.tool if call.entry is not None else None
        assert tool is not None
        for hook in self._hooks.after:
            try:
                answer = await self._call_hook(hook, self._seen(call), result)
            except Exception as error:  # its text stays on the host
                message = f"the host could not finish the result of {tool.name}"
                raise CallRefusedError(CallFailure("ToolError", message, "host_error", tool.name)) from error
            if isinstance(answer, Replace):
                result = tool.normalise(answer.value)
        return result

    async def _ask_exec(self, call: ToolCall) -> Edit | Block | None:
        if self._approve is None:
            return Block()
        try:
            answer = await self._call_hook(self._approve, call)
        except Exception:  # its text stays on the host
            return Block()
        if isinstance(answer, Edit):
            return answer
        return None if answer == "approve" else Block()

    def _bind(self, call: NestedCall) -> None:
        entry = call.entry
        assert entry is not None
        context = self._context(call, entry) if entry.tool.takes_context else _NO_CONTEXT
        call.body = entry.tool.prepare(call.value, context)

    def _context(self, call: NestedCall, entry: CatalogEntry) -> CallContext:
        call_id = call.call_id
        return CallContext(
            call_id=call_id,
            tool_id=entry.id,
            parent_id=call.parent_id,
            scope=self._scope,
            values=self._values,
            signal=call.signal,
            report_progress=partial(self._progress, call_id),
            contents=self._contents,
        )

    async def _run(self, call: NestedCall, entry: CatalogEntry, timeout_ms: int | None) -> Any:
        body = call.body
        assert body is not None
        if timeout_ms is None:
            return await (body() if entry.tool.is_async else self._threads.run(body))
        limit = asyncio.timeout(timeout_ms / 1000)
        try:
            async with limit:
                return await (body() if entry.tool.is_async else self._threads.run(body))
        except TimeoutError:
            if not limit.expired():
                raise
            call.signal.abort("timeout")
            message = f"{entry.tool.name} did not answer within {timeout_ms} ms"
            raise CallRefusedError(CallFailure("ToolError", message, "timeout", entry.tool.name, True), "unknown") from None

    def _gate(self, entry: CatalogEntry) -> asyncio.Semaphore:
        gate = self._gates.get(entry.id)
        if gate is None:
            limit = 1 if entry.tool.sequential else (entry.tool.max_concurrency or 1)
            gate = self._gates[entry.id] = asyncio.Semaphore(limit)
        return gate

    def _encode(self, value: Any) -> bytes:
        return _native.encode_json(value, max_depth=VALUE_DEPTH, max_bytes=self._max_bridge_bytes)

    def _wrap(self, entry: CatalogEntry, result: ToolResult | None, details: bytes) -> bytes:
        content = b"[]" if result is None else self._encode(list(result.content))
        failed = b"true" if result is not None and result.is_error else b"false"
        tool = self._encode(entry.compact())
        wrapped = b"".join(
            (
                b'{"tool":',
                tool,
                b',"result":{"content":',
                content,
                b',"details":',
                details,
                b',"isError":',
                failed,
                b"}}",
            )
        )
        if len(wrapped) > self._max_bridge_bytes:
            raise ValueError(f"the result has {len(wrapped)} bytes, at most {self._max_bridge_bytes} may cross")
        return wrapped

    def _seen(self, call: NestedCall) -> ToolCall:
        entry = call.entry
        assert entry is not None
        return ToolCall(entry.id, entry.tool.name, call.value, entry.tool.kind, None, call.call_id, call.cell_id)

    async def _call_hook(self, hook: Callable[..., Any], *arguments: Any) -> Any:
        """Call host code that may be sync (in a thread, as it may block) or async."""
        if inspect.iscoroutinefunction(hook) or inspect.iscoroutinefunction(getattr(hook, "__call__", None)):  # noqa: B004
            return await hook(*arguments)
        return await self._in_order(await self._threads.run(lambda: hook(*arguments)))

    @staticmethod
    async def _in_order(answer: Any) -> Any:
        return await answer if inspect.isawaitable(answer) else answer
