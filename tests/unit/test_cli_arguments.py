"""The command line as documents show it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from toolcell.cli.arguments import parse

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "README.md").read_text() + (ROOT / "docs/gateway.md").read_text()


def configurations() -> list[dict[str, Any]]:
    blocks = [json.loads(block) for block in re.findall(r"^```json\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)]
    return [server for block in blocks for servers in block.values() for server in servers.values()]


def test_clients_are_told_command_lines_that_exist() -> None:
    commands = [(server["command"], parse(server["args"]).mcp) for server in configurations()]

    assert commands == [("toolcell", "/home/me/servers.json")] * 2


@pytest.mark.parametrize("line", re.findall(r"^ *(toolcell (?:serve|decide|catalog) [^#\n]+)", TEXT, re.MULTILINE))
def test_command_lines_in_the_text_exist(line: str) -> None:
    name, *arguments = line.split()

    assert (name, parse(arguments).command) == ("toolcell", arguments[0])


def test_every_option_of_serve_is_described(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parse(["serve", "--help"])
    options = set(re.findall(r"--[a-z-]+", capsys.readouterr().out)) - {"--help", "--stdio"}

    assert {option for option in options if f"`{option}" not in TEXT} == set()
