# Every command of this project. CI calls these and nothing else.
# On a fresh machine Rust and Python are assumed, at the versions that `scripts/check_tools.sh` names.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
MATURIN := VIRTUAL_ENV=$(CURDIR)/$(VENV) $(BIN)/maturin

.PHONY: setup build wheel clean

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
	$(MATURIN) develop --release --quiet

# What is published, checked file by file. Its tag says which Linux it runs on.
wheel: setup
	rm -rf dist
	$(MATURIN) build --release --quiet --out dist
	$(MATURIN) sdist --out dist
	$(BIN)/python scripts/check_wheel.py dist

clean:
	rm -rf $(VENV) target dist .pytest_cache .ruff_cache .hypothesis python/toolcell/_bin
	rm -f python/toolcell/_native.abi3.so
