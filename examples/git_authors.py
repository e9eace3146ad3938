"""A cell over a real MCP server, ``mcp-server-git``: who committed how often, without the log reaching the model.

Run: ``python examples/git_authors.py [REPOSITORY]``.
"""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

import toolcell

CODE = """
const log = unwrap(await MCP.git.gitLog({repo_path: REPOSITORY, max_count: 1000}));
const authors = [...log.matchAll(/^Author: (.*)$/gm)].map(match => match[1]);
const counts = Map.groupBy(authors, author => author);
return [...counts].map(([author, commits]) => [author, commits.length]).sort((a, b) => b[1] - a[1]);
"""


async def main(path: str) -> None:
    """Print the authors of a repository, the busiest first."""
    git = toolcell.McpServer.stdio("git", [sys.executable, "-m", "mcp_server_git", "--repository", path])
    async with toolcell.CodeMode(True) as code_mode, code_mode.run(mcp=[git]) as run:
        result = await run.exec({"code": CODE.replace("REPOSITORY", json.dumps(path))})
        if not result.ok:
            raise SystemExit(str(result))
        for author, commits in result.value:
            print(f"{commits:>5} {author}")


if __name__ == "__main__":
    asyncio.run(main(str(Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve())))
