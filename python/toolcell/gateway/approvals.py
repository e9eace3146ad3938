"""Questions to the person behind a client, and what their answers mean."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from typing import Literal

from mcp_types import ElicitRequest, ElicitRequestFormParams, ElicitResult

from toolcell.errors import CallNotPendingError, InvalidDecisionError
from toolcell.results import CellResult, PendingToolCall
from toolcell.runtime.run import Run
from toolcell.untrusted import printable_line

log = logging.getLogger("toolcell.gateway")

MAX_QUESTIONS = 16
"""Questions of one request; what is beyond them stays waiting."""
MAX_INPUT_CHARS = 4_000

# Explicit, without a default: a client that accepts a form by itself has decided nothing.
_FORM = {
    "type": "object",
    "properties": {"decision": {"type": "string", "title": "Decision", "enum": ["approve", "deny"]}},
    "required": ["decision"],
}


def questions(result: CellResult) -> dict[str, ElicitRequest]:
    """A question for each call of a waiting cell that needs a decision, by call id."""
    if result.reason != "approval":
        return {}
    asked = [call for call in result.pending_tool_calls or () if call.tool is not None and call.input is not None]
    return {call.id: _question(call) for call in asked[:MAX_QUESTIONS]}


async def decide(run: Run, run_id: str, answers: Mapping[str, object]) -> bool:
    """Act on answers, by call id; whether there is something to go on with."""
    decided = False
    for call_id, given in answers.items():
        decision = _decision(given)
        if decision is None:
            continue
        try:
            await run.decide(run_id, call_id, decision)
        except (CallNotPendingError, InvalidDecisionError) as error:
            log.info("a decision came to nothing: %s", error)
        decided = True
    return decided


def _question(call: PendingToolCall) -> ElicitRequest:
    given = printable_line(json.dumps(call.input, ensure_ascii=False), MAX_INPUT_CHARS)
    message = f"A program wants to call {printable_line(call.tool_id or str(call.tool), 256)} with {given}. Approve the call?"
    return ElicitRequest(params=ElicitRequestFormParams(message=message, requested_schema=_FORM))


def _decision(given: object) -> Literal["approve", "deny"] | None:
    """What a person decided; closing the form is no decision."""
    if not isinstance(given, ElicitResult) or given.action == "cancel":
        return None
    if given.action == "decline":
        return "deny"
    decision = (given.content or {}).get("decision")
    return decision if decision in ("approve", "deny") else None  # pyright: ignore[reportReturnType]
