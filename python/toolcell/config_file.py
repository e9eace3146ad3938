"""Configuration files, in JSON or JSON5."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from toolcell.errors import ConfigError


def read_config_file(path: str | os.PathLike[str], field: str) -> Any:
    """Read a file of JSON or JSON5; ``field`` says in an error what it configures.

    Raises:
        ConfigError: it can't be read, or is neither.
    """
    file = Path(path)
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise _refused(f"can't read {file}: {reason}", field, file) from None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        import json5  # many times slower, so for what needs it only

    try:
        return json5.loads(text)
    except (ValueError, RecursionError) as error:
        raise _refused(f"{file} is not JSON5: {error}", field, file) from None


def _refused(message: str, field: str, file: Path) -> ConfigError:
    return ConfigError(message, field=field, value=str(file), allowed="a file of JSON or JSON5")
