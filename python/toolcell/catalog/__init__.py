"""Tools and the catalog they stand in. Knows no executor and no policy."""

from .catalog import Catalog
from .client_tool import ClientTool
from .context import AbortSignal, CallContext
from .entry import CatalogEntry
from .function_tool import FunctionTool, tool
from .search import Document, Ranker, WordRanker
from .tool import Tool, ToolKind, ToolResult

__all__ = [
    "AbortSignal",
    "CallContext",
    "Catalog",
    "CatalogEntry",
    "ClientTool",
    "Document",
    "FunctionTool",
    "Ranker",
    "Tool",
    "ToolKind",
    "ToolResult",
    "WordRanker",
    "tool",
]
