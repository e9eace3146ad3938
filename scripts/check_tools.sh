#!/bin/sh
# Says in one sentence what is missing on this machine, before a build fails in a worse way.
set -eu

fail() {
    echo "$1" >&2
    exit 1
}

python=${PYTHON:-python3}
command -v "$python" >/dev/null 2>&1 || fail "Python is missing: install Python 3.11 or later."
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
    fail "Python is too old ($("$python" -V 2>&1)): install Python 3.11 or later, or name one by PYTHON=..."
"$python" -c 'import ensurepip, venv' >/dev/null 2>&1 ||
    fail "Python can't make virtual environments: install the Debian package python3-venv."

wanted=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
command -v cargo >/dev/null 2>&1 || fail "Rust is missing: install Rust $wanted or later from https://rustup.rs."
found=$(rustc --version | cut -d ' ' -f 2)
[ "$(printf '%s\n%s\n' "$wanted" "$found" | sort -V | head -n 1)" = "$wanted" ] ||
    fail "Rust $found is too old: run \`rustup update\` to get $wanted or later."

# The worker is static and holds an engine written in C.
command -v "${CC:-cc}" >/dev/null 2>&1 || fail "A C compiler is missing: install the Debian package build-essential."
[ -f "$("${CC:-cc}" -print-file-name=libc.a)" ] ||
    fail "The static C library is missing: install the Debian package libc6-dev."
command -v git >/dev/null 2>&1 || fail "Git is missing: install the Debian package git."
