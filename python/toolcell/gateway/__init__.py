"""One MCP server that offers ``exec`` and ``wait`` over all tools of a host; the command is ``toolcell serve``.

Needs the ``mcp`` package, version 2 or later.
"""

from toolcell.gateway.gateway import Gateway
from toolcell.gateway.http import HttpAddress, http_app, serve_http
from toolcell.gateway.stdio import serve_stdio

__all__ = ["Gateway", "HttpAddress", "http_app", "serve_http", "serve_stdio"]
