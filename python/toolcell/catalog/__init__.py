"""Tools and the catalog they stand in. Knows no executor and no policy."""

from toolcell.catalog.catalog import Catalog
from toolcell.catalog.client_tool import ClientTool
from toolcell.catalog.context import AbortSignal, CallContext
from toolcell.catalog.entry import CatalogEntry
from toolcell.catalog.function_tool import FunctionTool, as_tool, tool
from toolcell.catalog.meaning import MeaningRanker
from toolcell.catalog.search import Document, Ranker, WordRanker
from toolcell.catalog.tool import Tool, ToolKind, ToolResult

__all__ = [
    "AbortSignal",
    "CallContext",
    "Catalog",
    "CatalogEntry",
    "ClientTool",
    "Document",
    "FunctionTool",
    "MeaningRanker",
    "Ranker",
    "Tool",
    "ToolKind",
    "ToolResult",
    "WordRanker",
    "as_tool",
    "tool",
]
