# The two commands of the README are `make demo` and `make test`.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip --disable-pip-version-check install -q -c constraints.txt
BENCH  := $(patsubst bench/%.py,%,$(filter-out bench/report.py,$(wildcard bench/*.py)))

.DEFAULT_GOAL := help
.PHONY: help install demo plots test check fast format lint types layers audit audit-peers lessons false-alarms theorem-mutants torture-ledger cover-ledger mutate-ledger mutate-query bench pins $(BENCH:%=bench-%) clean

help:  ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | awk -F':.*## ' '{printf "make %-14s %s\n", $$1, $$2}'

# ---- the one place that installs -----------------------------------------------------------------
$(VENV)/core: pyproject.toml constraints.txt
	@echo "making $(VENV) (first time: about 20 s)"
	@$(PYTHON) -m venv $(VENV)
	@$(PIP) "pip>=25.1" hatchling editables
	@$(PIP) --no-build-isolation -e .
	@touch $@

$(VENV)/dev: $(VENV)/core
	@echo "installing what tests and checks need (first time: about 30 s)"
	@$(PIP) --group dev
	@touch $@

install: $(VENV)/dev  ## .venv with everything a user and a tester need

# ---- what people run ------------------------------------------------------------------------------
demo: $(VENV)/core  ## a first look, in under a minute from a fresh clone
	@$(BIN)/sfumato demo

plots: $(VENV)/dev  ## draw the figures of docs/mechanisms.md and docs/local.md anew
	@$(BIN)/python examples/mechanism_plots.py
	@$(BIN)/python examples/local_plots.py

test: $(VENV)/dev  ## the whole suite
	$(BIN)/python -m pytest -n 2 --cov --cov-report=term

check: format lint types layers fast  ## format, lint, types, layers, fast tests

fast: $(VENV)/dev
	$(BIN)/python -m pytest -q -n 2 -m "not slow"

format: $(VENV)/dev
	$(BIN)/ruff format --check .

lint: $(VENV)/dev
	$(BIN)/ruff check .

types: $(VENV)/dev
	$(BIN)/mypy
	$(BIN)/pyright

layers: $(VENV)/dev
	$(BIN)/lint-imports

# ---- measure the promise -------------------------------------------------------------------------------
audit: $(VENV)/dev  ## audit every mechanism of this project; a page with plots, under 10 minutes
	$(BIN)/sfumato audit --all --seconds 8 --report docs/audit/report.html

audit-peers: .venv-bench/ready  ## audit opendp and diffprivlib; writes docs/audit/peers.md
	.venv-bench/bin/python examples/audit_peers.py

lessons: $(VENV)/dev  ## run every attack again and write docs/attacks
	$(BIN)/sfumato attack --pages docs/attacks

false-alarms: $(VENV)/dev  ## 400 audits of sound mechanisms, none of which may be convicted: about four minutes
	$(BIN)/python -m pytest -q -n 2 tests/audit/test_auditor.py -m slow

theorem-mutants: $(VENV)/dev  ## break what every row of docs/theorems.md stands on; its test must notice (about ten minutes)
	$(BIN)/python tests/theorem_mutants.py --write --processes 2

# ---- the ledger, at length ---------------------------------------------------------------------------
torture-ledger: $(VENV)/dev  ## races and kills at full length, on both stores
	@for what in race kill; do for store in sqlite postgres; do \
	  echo "$$what on $$store"; PYTHONPATH=tests $(BIN)/python tests/ledger_torture.py $$what --store $$store || exit 1; \
	done; done

cover-ledger: $(VENV)/dev  ## every branch of the room ledger is taken by its tests
	$(BIN)/python -m pytest -q -n 2 tests/ledger src/sfumato/ledger --cov=sfumato.ledger --cov-branch --cov-fail-under=100

.venv-mutate/ready: pyproject.toml
	@$(PYTHON) -m venv .venv-mutate
	@.venv-mutate/bin/python -m pip --disable-pip-version-check install -q "pip>=25.1" hatchling editables
	@.venv-mutate/bin/python -m pip --disable-pip-version-check install -q --no-build-isolation -e . --group mutation
	@touch $@

mutate-ledger: .venv-mutate/ready  ## changes the ledger's code and counts the changes that no test finds (about an hour)
	SFUMATO_TEST_STORES=sqlite .venv-mutate/bin/mutmut run 'sfumato.ledger.[!p]*'
	@rm -f mutants/mutmut-stats.json  # which tests reach what is asked again, now with PostgreSQL
	PATH="$(CURDIR)/.venv-mutate/bin:$$PATH" .venv-mutate/bin/python tests/with_postgres.py mutmut run 'sfumato.ledger.postgres.*' 'sfumato.ledger.ledger.*PostgresLedger*'
	.venv-mutate/bin/mutmut results

mutate-query: $(VENV)/dev  ## changes what bounds and prices questions, and counts the changes that no test finds (about half an hour)
	PYTHONPATH=src:tests $(BIN)/python tests/query_mutants.py $(MUTATE)

# ---- benchmarks: peers live in a venv of their own --------------------------------------------------
.venv-bench/ready: bench/requirements.txt constraints.txt pyproject.toml
	@echo "making .venv-bench with the peers (first time: about a minute)"
	@$(PYTHON) -m venv .venv-bench
	@.venv-bench/bin/python -m pip --disable-pip-version-check install -q -c constraints.txt "pip>=25.1" hatchling editables
	@.venv-bench/bin/python -m pip --disable-pip-version-check install -q -c constraints.txt -r bench/requirements.txt
	@.venv-bench/bin/python -m pip --disable-pip-version-check install -q -c constraints.txt --no-build-isolation -e .
	@touch $@

# Peers of bench-query whose pins conflict: each in a venv of its own
PEERS := opendp smartnoise pipelinedp
$(PEERS:%=.venv-bench/%/ready): .venv-bench/%/ready: bench/peers/%.txt .venv-bench/ready
	@echo "making .venv-bench/$*"
	@$(PYTHON) -m venv .venv-bench/$*
	@.venv-bench/$*/bin/python -m pip --disable-pip-version-check install -q -r bench/peers/$*.txt
	@touch $@

bench-query: $(PEERS:%=.venv-bench/%/ready)

$(BENCH:%=bench-%): bench-%: .venv-bench/ready
	@.venv-bench/bin/python bench/$*.py

bench: $(BENCH:%=bench-%)  ## every benchmark, ours and the peers' in one run

pins: $(VENV)/dev  ## write the installed versions to constraints.txt
	@{ sed -n '/^#/p' constraints.txt; $(BIN)/python -m pip freeze --all --exclude-editable | grep -v '^setuptools='; } > $(VENV)/pins
	@mv $(VENV)/pins constraints.txt && touch $(VENV)/core $(VENV)/dev

clean:  ## remove what was made
	rm -rf $(VENV) .venv-bench .venv-mutate mutants .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage*

# ---- a release -----------------------------------------------------------------------------------------
.PHONY: release completion

release: $(VENV)/dev  ## build wheel and sdist, try both in empty environments, and say how to tag
	@rm -rf dist
	@$(BIN)/python -m pip --disable-pip-version-check wheel -q --no-deps --no-build-isolation -w dist .
	@$(BIN)/python -c "from hatchling.build import build_sdist; build_sdist('dist')"
	@$(PYTHON) tests/released.py dist $(VENV)/release
	@echo "both are good. To tag them: git tag -a v$$($(BIN)/sfumato --version | cut -d' ' -f2) -m 'Sfumato $$($(BIN)/sfumato --version | cut -d' ' -f2)'"

completion: $(VENV)/core  ## completion for bash, zsh and fish, into dist/completion
	@mkdir -p dist/completion
	@for shell in bash zsh fish; do $(BIN)/sfumato completion $$shell > dist/completion/sfumato.$$shell || exit 1; done
