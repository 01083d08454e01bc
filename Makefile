# The two commands of the README are `make demo` and `make test`.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip --disable-pip-version-check install -q -c constraints.txt
BENCH  := $(patsubst bench/%.py,%,$(filter-out bench/report.py bench/accuracy_tables.py bench/scale_data.py bench/synth_peers.py,$(wildcard bench/*.py)))

.DEFAULT_GOAL := help
.PHONY: help install demo demo-postgres demo-spark plots test static check fast cover torture explore newest-python pins-range twins format lint types layers audit audit-peers lessons false-alarms theorem-mutants torture-ledger cover-ledger mutate-ledger mutate-query bench pins $(BENCH:%=bench-%) bench-synth-peers clean

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

# Spark's tests start a real cluster, which needs Java
$(VENV)/java: $(VENV)/dev
	@command -v java > /dev/null || test -n "$$JAVA_HOME" || { test "$$(id -u)" = 0 && command -v apt-get > /dev/null \
	  && echo "installing Java for Spark's tests" && apt-get -qq update && apt-get -qq install -y openjdk-17-jre-headless > /dev/null; } \
	  || { echo "Spark's tests need Java 17: apt-get install openjdk-17-jre-headless"; exit 1; }
	@touch $@

install: $(VENV)/dev  ## .venv with everything a user and a tester need

# ---- what people run ------------------------------------------------------------------------------
demo: $(VENV)/core  ## a first look, in under a minute from a fresh clone
	@$(BIN)/sfumato demo

demo-postgres: $(VENV)/dev  ## the demo's hospital on a real PostgreSQL, with the same exact integers as DuckDB: half a minute
	@PYTHONPATH=tests $(BIN)/python examples/on_engines.py postgres

demo-spark: $(VENV)/dev $(VENV)/java  ## the same on a Spark cluster of a master and two workers, which needs Java: under a minute
	@PYTHONPATH=tests $(BIN)/python examples/on_engines.py spark

plots: $(VENV)/dev  ## draw the figures of docs/mechanisms.md, docs/local.md, docs/explanation/uncertainty.md and docs/synthetic.md anew
	@$(BIN)/python examples/mechanism_plots.py
	@$(BIN)/python examples/local_plots.py
	@$(BIN)/python examples/uncertainty_principle.py
	@$(BIN)/python examples/synthetic_plots.py

# ---- tests ------------------------------------------------------------------------------------------
# slow: left out by `make fast`; torture: the long forms, left out by `make test`. Workers take tests from each other
# when they have none left, so that one long file does not decide how long it takes.
TEST := $(BIN)/python -m pytest -n 2 --dist worksteal
unexport PYTHONDONTWRITEBYTECODE  # what is compiled is kept: else every worker compiles all tests again, 10 s each

test: $(VENV)/dev $(VENV)/java  ## the whole suite
	$(TEST) -m "not torture" $(COVER)

static: format lint types layers  ## format, lint, types, layers

check: static fast  ## the same, and the fast tests

fast: $(VENV)/dev  ## the suite without what takes long, in some five minutes
	SFUMATO_EXAMPLES=fast $(TEST) -q -m "not slow and not torture"

cover: COVER := --cov --cov-report=term
cover: test  ## the whole suite, and the share of lines and branches that it takes, which must not fall

torture: $(VENV)/dev torture-ledger  ## the long forms: races, kills, power cuts, laws and samples at full length
	$(TEST) -m torture

MINUTES ?= 10
explore: $(VENV)/dev  ## property tests with other examples in every round, for about MINUTES=10
	@end=$$(($$(date +%s) + 60 * $(MINUTES))); round=0; while [ $$(date +%s) -lt $$end ]; do \
	  seed=$$(($$(date +%s) + round)); round=$$((round + 1)); echo "round $$round, --hypothesis-seed=$$seed"; \
	  SFUMATO_EXAMPLES=explore $(TEST) -q -m "hypothesis and not torture" --hypothesis-seed=$$seed || exit 1; \
	done

twins: $(VENV)/dev  ## compare tests/twins.txt, the list of what is caught, with the tests there are
	$(BIN)/python tests/twins.py

# The newest Python of this machine, if it is newer than the one of .venv: the fast tests in a venv of its own.
newest-python: $(VENV)/dev  ## the fast tests on the newest Python there is
	@newest=$$($(BIN)/python tests/newest_python.py) || exit 1; \
	if [ -z "$$newest" ]; then echo "no Python newer than $$($(BIN)/python -V) on this machine: nothing more to try"; \
	else echo "fast tests on $$newest"; $(MAKE) --no-print-directory VENV=.venv-newest PYTHON="$$newest" fast; fi

# sqlglot and duckdb at both ends of what pyproject.toml allows, laid over .venv; the rest stays as it is pinned.
RANGE := tests/query tests/engines/test_totality.py tests/engines/test_statements.py tests/curator/test_sql_cases.py \
  tests/curator/test_sql_refusals.py
pins-range: $(VENV)/dev  ## questions and totality with the lowest and the newest sqlglot and duckdb that are allowed
	@for end in lowest newest; do \
	  wanted=$$($(BIN)/python tests/pins_range.py $$end) || exit 1; echo "$$end: $$wanted"; \
	  $(BIN)/python -m pip --disable-pip-version-check install -q --no-deps --upgrade --target $(VENV)/$$end $$wanted || exit 1; \
	  PYTHONPATH=$(VENV)/$$end SFUMATO_EXAMPLES=fast $(TEST) -q -m "not slow and not torture" $(RANGE) || exit 1; \
	done

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
	$(BIN)/python -m pytest -q -n 2 tests/audit/test_auditor.py -m "slow and torture"

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

# More of them for bench-accuracy and bench-synth-peers; what cannot be installed is left out there, and said to be
MORE_PEERS := pydp qrlew tumult
SYNTH_PEERS := dpmm mbi smartnoise_synth
$(patsubst %,.venv-bench/%/ready,$(MORE_PEERS) $(SYNTH_PEERS)): .venv-bench/%/ready: bench/peers/%.txt .venv-bench/ready
	@echo "making .venv-bench/$*"
	@$(PYTHON) -m venv .venv-bench/$*
	@.venv-bench/$*/bin/python -m pip --disable-pip-version-check install -q -r bench/peers/$*.txt && touch $@ \
	  || echo "$* cannot be installed here"

bench-query: $(PEERS:%=.venv-bench/%/ready)

bench-scale: .venv-bench/pipelinedp/ready .venv-bench/tumult/ready

bench-accuracy: $(PEERS:%=.venv-bench/%/ready) $(MORE_PEERS:%=.venv-bench/%/ready)

$(BENCH:%=bench-%): bench-%: .venv-bench/ready
	@.venv-bench/bin/python bench/$*.py

bench-synth-peers: .venv-bench/ready $(SYNTH_PEERS:%=.venv-bench/%/ready)  ## AIM and MST of others beside ours, DATA=path.csv or generated: an hour, not in `make bench`
	@.venv-bench/bin/python bench/synth_peers.py

bench: $(BENCH:%=bench-%)  ## every benchmark, ours and the peers' in one run

pins: $(VENV)/dev  ## write the installed versions to constraints.txt
	@{ sed -n '/^#/p' constraints.txt; $(BIN)/python -m pip freeze --all --exclude-editable | grep -v '^setuptools='; } > $(VENV)/pins
	@mv $(VENV)/pins constraints.txt && touch $(VENV)/core $(VENV)/dev

clean:  ## remove what was made
	rm -rf $(VENV) .venv-bench .venv-mutate .venv-newest mutants .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage* dist

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
