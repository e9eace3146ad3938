"""The command ``toolcell``."""

from __future__ import annotations

import logging
import sys
from collections.abc import Sequence

from toolcell.cli.arguments import parse
from toolcell.cli.commands import COMMANDS
from toolcell.cli.inputs import UsageError
from toolcell.errors import ToolcellError

EXIT_USAGE = 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status: 0 completed, 1 failed, 2 wrong usage or configuration, 3 waiting."""
    options = parse(arguments)
    logging.getLogger("toolcell.mcp").addHandler(logging.NullHandler())  # commands say themselves which servers failed
    try:
        return COMMANDS[options.command](options)
    except (UsageError, ToolcellError) as error:
        print(f"toolcell: {error}", file=sys.stderr)
        return EXIT_USAGE
    except KeyboardInterrupt:
        return 130
