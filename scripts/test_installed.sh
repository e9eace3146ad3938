#!/bin/sh
# Installs a wheel or a source distribution into a fresh environment and runs tests against it.
# Usage: test_installed.sh DISTRIBUTION TESTS...
set -eu

distribution=$1
shift
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

${PYTHON:-python3} -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --upgrade "pip>=25.1"
"$folder/venv/bin/pip" install --quiet --group test
# A source distribution is built here: what this folder has compiled of other crates need not be compiled again.
CARGO_TARGET_DIR=$(pwd)/target "$folder/venv/bin/pip" install --quiet "$distribution"
"$folder/venv/bin/python" -c '
import pathlib, sys, toolcell
place = pathlib.Path(toolcell.__file__)
sys.exit(None if place.is_relative_to(sys.prefix) else f"{place} is not what was installed")
'
"$folder/venv/bin/toolcell" doctor
"$folder/venv/bin/python" -m pytest "$@"
