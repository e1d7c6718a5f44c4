# Two commands do everything: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# One BLAS thread per process: the matrices are small, and the tests already use both cores.
export OPENBLAS_NUM_THREADS := 1
export OMP_NUM_THREADS := 1
# Tests start hundreds of processes: each would compile our modules anew where bytecode is switched off.
export PYTHONDONTWRITEBYTECODE :=

# An environment of its own for the adapters: they bring torch and some two hundred other packages.
INTEGRATIONS := .venv-integrations
# And one for the packages that the bench compares with.
PEERS := .venv-peers
# One with the lowest versions that pyproject.toml promises, and one for what builds a release.
LOWEST := .venv-lowest
RELEASE := .venv-release
# Which build of torch to install there; the pin finds a CPU wheel where one is provided.
TORCH ?= torch==2.13.0

.PHONY: demo docs test check unit test-integrations test-peers test-lowest release bench-speed clean help

help:  ## what can be made
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 20

demo: $(VENV)/.core  ## install and map a simulated experiment
	$(BIN)/equiwarp demo

test: check unit  ## install the test extra, then lint, types and all tests

check: $(VENV)/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# -rs: what is skipped, and why. Three workers for two cores: tests wait for browsers, servers and processes.
unit: $(VENV)/.test
	$(BIN)/pytest -n 3 --no-loadscope-reorder -rs
	@echo "Not run here: tests/integrations (make test-integrations) and the peers' arms (make test-peers)," \
		"which have environments of their own."

docs: $(VENV)/.test  ## build the site into site/, strictly: a broken link or name fails
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict
	@echo "To look at it, with its search: $(BIN)/python -m http.server --directory site"

test-integrations: $(INTEGRATIONS)/.done  ## install every extra into an environment of its own, test the adapters
	$(INTEGRATIONS)/bin/pytest -c tests/integrations/pytest.ini -n 2 tests/integrations

test-peers: $(PEERS)/.done  ## install the packages the bench compares with, and test them as arms
	EQUIWARP_PEERS=1 $(PEERS)/bin/pytest -c tests/integrations/pytest.ini tests/bench/test_peers.py

# All tests but those of a browser, whose scripts no version of a Python package changes. Packages of some years
# ago use what today's others call deprecated: that warning is theirs, and no fault of ours.
test-lowest: $(LOWEST)/.done  ## install the lowest versions that pyproject.toml promises, and test there
	$(LOWEST)/bin/pytest -n 3 --dist loadgroup --no-loadscope-reorder -rs -m 'not browser' \
		-W ignore::DeprecationWarning

release: $(RELEASE)/.done  ## build sdist and wheel, look at them, run the wheel in a clean environment
	$(RELEASE)/bin/python tools/release.py $(if $(PUBLISH),--publish $(PUBLISH))

bench-speed: $(VENV)/.test  ## seconds for one more suggestion, beside the peers
	$(BIN)/equiwarp bench speed run

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip

$(VENV)/.core: $(BIN)/python pyproject.toml
	$(BIN)/python -m pip install --quiet -e .
	@touch $@

$(VENV)/.test: $(BIN)/python pyproject.toml
	$(BIN)/python -m pip install --quiet -e '.[test]'
	@touch $@ $(VENV)/.core

# torch first and alone: resolved together with the rest, it would come with gigabytes of CUDA.
# bluesky-adaptive has two generations with one import name: the second one goes into a folder.
$(INTEGRATIONS)/.done: pyproject.toml
	$(PYTHON) -m venv $(INTEGRATIONS)
	$(INTEGRATIONS)/bin/python -m pip install --quiet --upgrade pip
	$(INTEGRATIONS)/bin/python -m pip install --quiet $(TORCH)
	$(INTEGRATIONS)/bin/python -m pip install --quiet -e '.[test-integrations]' $(TORCH) 'bluesky-adaptive<1'
	$(INTEGRATIONS)/bin/python -m pip install --quiet --no-deps --upgrade \
		--target $(INTEGRATIONS)/bluesky-adaptive-1 'bluesky-adaptive>=1'
	@touch $@

$(PEERS)/.done: pyproject.toml
	$(PYTHON) -m venv $(PEERS)
	$(PEERS)/bin/python -m pip install --quiet --upgrade pip
	$(PEERS)/bin/python -m pip install --quiet $(TORCH)
	$(PEERS)/bin/python -m pip install --quiet -e '.[peers,bench]' $(TORCH) 'pytest>=8'
	@touch $@

$(LOWEST)/.done: pyproject.toml tools/lowest.py
	rm -rf $(LOWEST)
	$(PYTHON) -m venv $(LOWEST)
	$(LOWEST)/bin/python -m pip install --quiet --upgrade pip
	$(PYTHON) tools/lowest.py > $(LOWEST)/constraints.txt
	$(LOWEST)/bin/python -m pip install --quiet -c $(LOWEST)/constraints.txt -e '.[test]'
	@touch $@

$(RELEASE)/.done:
	$(PYTHON) -m venv $(RELEASE)
	$(RELEASE)/bin/python -m pip install --quiet --upgrade pip
	$(RELEASE)/bin/python -m pip install --quiet 'build>=1.2' 'twine>=6' 'readme-renderer[md]>=44'
	@touch $@

clean:  ## remove the environments, what was built, and caches
	rm -rf $(VENV) $(INTEGRATIONS) $(PEERS) $(LOWEST) $(RELEASE) dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
