"""Code mode for Python agents: the model writes one small program that calls many tools."""

from toolcell import store
from toolcell._native import __version__
from toolcell.catalog.client_tool import ClientTool
from toolcell.catalog.context import AbortSignal, CallContext
from toolcell.catalog.function_tool import tool
from toolcell.catalog.tool import Tool, ToolResult
from toolcell.config import CodeModeConfig, ConfigWarning
from toolcell.errors import (
    CallNotPendingError,
    ConfigError,
    EnvelopeError,
    InvalidDecisionError,
    RunClosedError,
    RuntimeUnavailableError,
    StoreError,
    SurfaceError,
    ToolcellError,
    ToolDefinitionError,
    ToolInputError,
    ToolOutputError,
    TooManySessionsError,
    UnknownToolError,
    UnlistedServerError,
)
from toolcell.host_config import HostConfig
from toolcell.mcp import McpServer
from toolcell.model_catalog import ModelCatalog
from toolcell.policy.hooks import Ask, Block, Edit, Replace, ToolCall
from toolcell.policy.policy import Decision, Policy, VisibleTool
from toolcell.results import CellResult, JsonOutput, TextOutput
from toolcell.run_cell import run_cell
from toolcell.runtime.code_mode import CodeMode
from toolcell.runtime.run import Run
from toolcell.scope import Scope
from toolcell.surface import ModelTool

__all__ = [
    "AbortSignal",
    "Ask",
    "Block",
    "CallContext",
    "CallNotPendingError",
    "CellResult",
    "ClientTool",
    "CodeMode",
    "CodeModeConfig",
    "ConfigError",
    "ConfigWarning",
    "Decision",
    "Edit",
    "EnvelopeError",
    "HostConfig",
    "InvalidDecisionError",
    "JsonOutput",
    "McpServer",
    "ModelCatalog",
    "ModelTool",
    "Policy",
    "Replace",
    "Run",
    "RunClosedError",
    "RuntimeUnavailableError",
    "Scope",
    "StoreError",
    "SurfaceError",
    "TextOutput",
    "TooManySessionsError",
    "Tool",
    "ToolCall",
    "ToolDefinitionError",
    "ToolInputError",
    "ToolOutputError",
    "ToolResult",
    "ToolcellError",
    "UnknownToolError",
    "UnlistedServerError",
    "VisibleTool",
    "__version__",
    "run_cell",
    "store",
    "tool",
]
