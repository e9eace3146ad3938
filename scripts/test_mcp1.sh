#!/bin/sh
# Installs a wheel beside version 1 of the mcp package in a fresh environment and runs the tests of MCP servers there.
# Usage: test_mcp1.sh WHEEL
set -eu

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

${PYTHON:-python3} -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --upgrade "pip>=25.1"
"$folder/venv/bin/pip" install --quiet --group mcp1 "$1"
"$folder/venv/bin/python" -c '
import importlib.metadata, pathlib, sys, toolcell
place = pathlib.Path(toolcell.__file__)
found = importlib.metadata.version("mcp")
sys.exit(None if place.is_relative_to(sys.prefix) and found.startswith("1.") else f"{place} with mcp {found}")
'
cd tests/integration
"$folder/venv/bin/python" -m pytest test_mcp_cells.py test_mcp_connection.py test_mcp_faults.py test_mcp_http.py \
    test_mcp_official.py test_mcp_policy.py test_learned_types.py ../unit/test_mcp_*.py
