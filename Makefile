# Every command of this project. CI calls these and nothing else.
# On a fresh machine Rust and Python are assumed, at the versions that `scripts/check_tools.sh` names.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
MATURIN := VIRTUAL_ENV=$(CURDIR)/$(VENV) $(BIN)/maturin
# What must hold wherever the package was installed from.
INSTALLED_TESTS := tests/packaging tests/integration/test_cli.py tests/integration/test_examples.py \
	tests/integration/test_processes.py

.PHONY: setup build test demo lint bench soak mutate wheel test-wheel clean

# A virtual environment of the project's own, with all tools in it.
setup: $(VENV)/ready

$(VENV)/ready: pyproject.toml scripts/check_tools.sh
	PYTHON=$(PYTHON) scripts/check_tools.sh
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/pip install --quiet --group dev
	touch $@

# Installs the package into the environment, sources linked, with the worker beside it. One profile for
# development and release: the worker must be optimised anyway (Cargo rebuilds it only when its crates change),
# and a second profile of the small binding would cost a second build of its dependencies.
build: setup
	$(MATURIN) develop --release --quiet > /dev/null # pip is not quiet

# Rust first: the tests of the worker run the very executable that `build` has made.
test: build
	cargo test --workspace --locked
	$(BIN)/pytest

demo: build
	$(BIN)/python examples/demo

lint: build
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --all-features --locked -- --deny warnings
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/pyright --project pyproject.toml

# What the numbers mean: benches/README.md.
bench: build
	$(BIN)/pip install --quiet --group bench
	cargo bench --locked --package toolcell-engine --package toolcell-source
	$(BIN)/python benches/catalog.py
	$(BIN)/python -m benches.python.peer
	$(BIN)/python -m benches.python.mcp
	$(BIN)/python -m benches.python.language
	$(BIN)/python -m benches.python.tokens
	$(BIN)/python -m benches.python.search

# Rules of docs/contract.md switched off one by one: the test of each must fail.
mutate: build
	$(BIN)/python scripts/mutate_rules.py

# 100,000 cells in one process: memory, descriptors and processes stay where they are.
soak: build
	$(BIN)/python scripts/soak.py

# What is published, checked file by file. Its tag says which Linux it runs on.
wheel: setup
	rm -rf dist
	$(MATURIN) build --release --quiet --out dist
	$(MATURIN) sdist --out dist
	$(BIN)/python scripts/check_wheel.py dist

# The same tests against the wheel and against what the source distribution builds, each in an environment that
# knows nothing of this folder. Then those of MCP servers beside version 1 of the mcp package.
test-wheel: wheel
	scripts/test_installed.sh dist/*.whl $(INSTALLED_TESTS)
	scripts/test_installed.sh dist/*.tar.gz $(INSTALLED_TESTS)
	scripts/test_mcp1.sh dist/*.whl

clean:
	rm -rf $(VENV) target dist .pytest_cache .ruff_cache .hypothesis python/toolcell/_bin
	rm -f python/toolcell/_native.abi3.so
