# `make demo` and `make test` create .venv first; no other set-up is needed.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: setup demo test quick lint mutants benchmark clean

setup: $(VENV)/.ready

# pip only, so that nothing but Python and a package index is needed. Of verbecc only the tables of
# Italian verbs are read, so its pinned dependencies are not installed.
$(VENV)/.ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	PIP_CONSTRAINT=$(CURDIR)/constraints.txt \
	  $(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[hf,build,report,dev]'
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps verbecc==2.0.3
	touch $@

demo: setup
	$(BIN)/python examples/demo.py

test: setup lint
	$(BIN)/python -m pytest -n 2

# The fast tests, which need no real weights.
quick: setup
	$(BIN)/python -m pytest -n 2 -m "not slow"

lint: setup
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

# Whether the tests notice changes of the statistics, keys, runs and judging: `make mutants SAMPLE=50`
# takes minutes; what was noticed is remembered, so a larger sample goes on from there.
SAMPLE ?= 200
SEED ?= 0
mutants: setup
	$(BIN)/python scripts/mutants.py --sample $(SAMPLE) --seed $(SEED)

benchmark: setup
	$(BIN)/python benchmarks/speed.py
	$(BIN)/python benchmarks/templates.py
	$(BIN)/python benchmarks/harness.py

clean:
	rm -rf $(VENV) demo runs build src/*.egg-info .mypy_cache .ruff_cache .pytest_cache
