"""Tools that the client executes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from toolcell.catalog.context import CallContext
from toolcell.catalog.contract import MismatchError, SchemaContract
from toolcell.catalog.refusal import refusal
from toolcell.catalog.tool import Tool
from toolcell.values import Json, JsonSchema


class ClientTool(Tool):
    """A tool that the client executes: the cell waits, and `Run.deliver` supplies the result.

    Raises:
        ToolDefinitionError: the name or the schema can't be used.
    """

    def __init__(
        self,
        *,
        name: str,
        description: str = "",
        input_schema: JsonSchema | None = None,
        app: str = "app",
        label: str | None = None,
        requires_approval: bool = False,
    ) -> None:
        super().__init__(
            name=name,
            description=description,
            label=label,
            kind="client",
            owner=app,
            input_schema=input_schema or {},
            requires_approval=requires_approval,
            takes_context=False,
        )
        self._contract = SchemaContract(self.input_schema)
        try:
            self._contract.compile()
        except ValueError as error:
            reason = str(error).splitlines()[0]
            raise refusal(name, f"input_schema is not a valid JSON Schema: {reason}") from error

    def prepare(self, input: Json, context: CallContext) -> Callable[[], Any]:
        """Validate ``input``. There is no body here: running what this returns is an error."""
        if input is None and self.input_schema.get("type") == "object":
            input = {}
        try:
            self._contract.accept(input)
        except MismatchError as mismatch:
            raise self._refuse_input(mismatch.problems) from None
        return self._no_body

    def _no_body(self) -> Any:
        raise TypeError(f"{self.name} is executed by the client")
