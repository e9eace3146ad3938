"""One `exec` or `wait` of a client, from its start to what it is answered."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Coroutine, Mapping
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mcp.shared.exceptions import MCPError
from mcp_types import ElicitRequest, ElicitRequestFormParams

from toolcell.gateway import approvals
from toolcell.gateway.progress import Progress
from toolcell.gateway.sessions import Session
from toolcell.results import CellResult

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext

MAX_ANSWER_S = 600.0
"""For all questions of one request: a client may have gone away with its person."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """A result, or questions that the client has to put to a person before there is one."""

    result: CellResult
    questions: Mapping[str, ElicitRequest] = field(default_factory=dict[str, ElicitRequest])


class Request:
    """A request of a session. One that its client cancels ends its cell.

    Args:
        session: Whose request it is.
        context: The request as the protocol knows it.
        elicit: Whether the person behind the client may be asked for approvals.
    """

    def __init__(self, session: Session, context: ServerRequestContext[Any], *, elicit: bool) -> None:
        self._session = session
        self._run = session.run
        self._context = context
        self._may_ask = elicit and _takes_forms(context)
        self._call_id = f"mcp_{secrets.token_hex(8)}"
        self._run_id: str | None = None
        """The cell, as soon as its id is known."""
        self._work: asyncio.Task[CellResult] | None = None

    async def serve(self, tool: str, arguments: dict[str, Any]) -> Outcome:
        """Run a cell, or go on with one."""
        self._run_id = arguments.get("runId") if tool == "wait" else None
        return await self._told(self._from(self._run.call_model_tool(tool, arguments, tool_call_id=self._call_id)))

    async def go_on(self, run_id: str, answers: Mapping[str, object]) -> Outcome:
        """Go on with a cell after a person has answered."""
        self._run_id = run_id
        return await self._told(self._from(self._answered(run_id, self._session.asked.pop(run_id, None), answers)))

    async def _told(self, work: Coroutine[Any, Any, Outcome]) -> Outcome:
        """Tell the client of progress, if it wants to know; see to it that nothing goes on that it has cancelled."""
        wanted = "progress_token" in (self._context.meta or {})
        report = self._context.session.report_progress
        told = Progress(self._run, self._call_id, lambda count, text: report(count, None, text)) if wanted else nullcontext()
        try:
            async with told:
                return await work
        except asyncio.CancelledError:
            self._run.code_mode.background(self._abandon())
            raise

    async def _from(self, first: Coroutine[Any, Any, CellResult]) -> Outcome:
        """Ask for approvals as long as the cell needs some and gets them."""
        result = await self._uncut(first)
        while self._may_ask and (asked := approvals.questions(result)):
            assert result.run_id is not None
            self._run_id = result.run_id
            if not self._context.session.can_send_request:
                self._session.asked[result.run_id] = result
                return Outcome(result, asked)
            answers = await self._ask(asked)
            result = await self._uncut(self._answered(result.run_id, result, answers))
        return Outcome(result)

    async def _ask(self, asked: Mapping[str, ElicitRequest]) -> dict[str, object]:
        """Put questions to the person, one after the other; what is not answered in time stays open."""
        answers: dict[str, object] = {}
        with suppress(TimeoutError):
            async with asyncio.timeout(MAX_ANSWER_S):
                for call_id, question in asked.items():
                    assert isinstance(question.params, ElicitRequestFormParams)
                    with suppress(MCPError):
                        answers[call_id] = await self._context.session.elicit_form(
                            question.params.message, question.params.requested_schema, self._context.request_id
                        )
        return answers

    async def _answered(self, run_id: str, before: CellResult | None, answers: Mapping[str, object]) -> CellResult:
        """Act on answers; without a decision the cell waits on, and nobody is asked again."""
        if not await approvals.decide(self._run, run_id, answers):
            self._may_ask = False
            if before is not None:
                return before
        result = await self._run.wait(run_id, tool_call_id=self._call_id)
        output = [*((before and before.output) or ()), *(result.output or ())]
        return result.model_copy(update={"output": output or None})

    async def _uncut(self, work: Coroutine[Any, Any, CellResult]) -> CellResult:
        """Await something of a cell that, when cancelled, needs time to end."""
        self._work = asyncio.create_task(work)
        return await asyncio.shield(self._work)

    async def _abandon(self) -> None:
        """The client has cancelled the request."""
        if self._work is not None:
            self._work.cancel()
            await asyncio.wait([self._work])
        if self._run_id is not None:
            await self._run.abort(self._run_id)


def _takes_forms(context: ServerRequestContext[Any]) -> bool:
    """Whether the client can put a form to a person."""
    capabilities = context.session.client_capabilities
    elicitation = None if capabilities is None else capabilities.elicitation
    return elicitation is not None and (elicitation.form is not None or elicitation.url is None)
