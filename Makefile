# `make demo` and `make test` create .venv first; no other set-up is needed.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: setup demo test quick lint docs siege mutants benchmark clean

setup: $(VENV)/.ready

# pip only, so that nothing but Python and a package index is needed. Of verbecc only the tables of
# Italian verbs are read, so its pinned dependencies are not installed.
$(VENV)/.ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	PIP_CONSTRAINT=$(CURDIR)/constraints.txt \
	  $(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[hf,llama,build,report,view,cluster,dev]'
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

# The pictures and figures that the docs show of runs, from the rows in docs/results; with RUN=1 the
# models are asked again first, which takes a quarter of an hour.
docs: setup
	$(BIN)/python scripts/docs.py $(if $(RUN),--run)

# Attacks of eleven kinds, with damaged files, kills and servers, in all for about an hour; the tests
# run them for two minutes.
SECONDS_EACH ?= 320
siege: setup
	NAYSAY_SIEGE=$(SECONDS_EACH) $(BIN)/python -m pytest -q tests/siege

# Whether the tests notice changes of the statistics, keys, runs and judging: `make mutants SAMPLE=50`
# takes minutes; what was noticed is remembered, so a larger sample goes on from there.
SAMPLE ?= 200
SEED ?= 0
mutants: setup
	$(BIN)/python scripts/mutants.py --sample $(SAMPLE) --seed $(SEED)

# Speed on this machine, about an hour; `make docs` then writes the tables of docs/speed.md.
benchmark: setup
	$(BIN)/naysay bench -o docs/results/bench.json

clean:
	rm -rf $(VENV) demo runs build src/*.egg-info .mypy_cache .ruff_cache .pytest_cache
