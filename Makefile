PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin
PEERS := .venv-peers
STAMP := $(VENV)/.installed
export PYTHONDONTWRITEBYTECODE :=# what is compiled is kept: tests start many interpreters
SCRATCH := $(shell [ "$$(df --output=avail -k /dev/shm 2>/dev/null | tail -1)" -gt 1000000 ] 2>/dev/null && echo /dev/shm)# leases wait for the disk
SOURCES := audit mechanisms proofs_checked src tests docs

.PHONY: demo test lint unit thorough shares mutants proofs coq bench docs docs-generate docs-picture chromium multitool axe clean

demo: $(STAMP)          ## audit the paper's two-round mechanism; succeeds when it is refuted as expected
	@mkdir -p build
	@$(BIN)/python tests/demo.py $(BIN)/dpcert build

test:                   ## lint, types, import contract, tests, doctests, wheel check
	@$(MAKE) --no-print-directory --jobs=2 --output-sync=line $(STAMP) tools
	@$(MAKE) --no-print-directory --jobs=2 --output-sync=line lint unit   # types are looked at by one core alone

tools:                  # one by one: two of them write the same folder
	@for one in chromium multitool axe; do $(MAKE) --no-print-directory $$one || exit; done

lint: $(STAMP)
	$(BIN)/ruff check $(SOURCES)
	$(BIN)/ruff format --check $(SOURCES)
	$(BIN)/mypy
	$(BIN)/lint-imports

unit: $(STAMP)
	$(BIN)/pytest -q --benchmark-disable tests/benchmarks/test_inner_loops.py   # that they still run, untimed
	PYTEST_DEBUG_TEMPROOT=$(SCRATCH) $(BIN)/pytest -n auto --dist worksteal -p no:benchmark -m "not thorough" src/dpcert tests --ignore=tests/benchmarks

thorough: $(STAMP) chromium multitool axe proofs   ## the long sweeps and the proofs too, and the whole set-up once more from a fresh clone
	DPCERT_SEEDS=all PYTEST_DEBUG_TEMPROOT=$(SCRATCH) $(BIN)/pytest -n auto --dist worksteal src/dpcert tests --ignore=tests/benchmarks
	$(BIN)/python tests/fresh_clone.py
	$(MAKE) mutants

shares: $(STAMP)        ## all tests with all seeds, a file at a time, by the workers of a scheduler: make shares SCHEDULER=tcp://HOST:PORT
	$(BIN)/python tests/shares.py $(if $(SCHEDULER),--scheduler $(SCHEDULER))

mutants: $(STAMP)       ## small faults put into the modules that decide: how many a fast part of the tests finds (95 % are wanted)
	nice $(BIN)/python tests/mutants/run.py --sample 60

proofs: $(STAMP) coq     ## the theorems of proofs_checked/coq, compiled by Coq: theorem, label, what it assumes
	@$(BIN)/python tests/proofs.py

bench: $(STAMP) $(PEERS)/.installed   ## benchmarks, beside the peers in a venv of their own
	$(BIN)/python -m pytest tests/benchmarks -q --ignore=tests/benchmarks/peers
	$(BIN)/python tests/benchmarks/npp_game.py --horizon 24 --horizon 36 --horizon 60 --horizon 120
	$(BIN)/python tests/benchmarks/report.py --peers $(PEERS)/bin/python
	$(BIN)/python tests/benchmarks/certificates.py
	$(BIN)/python tests/benchmarks/enclosed_report.py
	$(BIN)/python tests/benchmarks/worst_round_report.py
	$(BIN)/python tests/benchmarks/randbin_report.py
	$(BIN)/python tests/benchmarks/plan_report.py
	$(BIN)/python tests/benchmarks/start_report.py
	$(BIN)/python tests/benchmarks/additive_report.py
	$(BIN)/python tests/benchmarks/suite_report.py 200
	$(BIN)/python tests/benchmarks/error_report.py
	$(BIN)/python tests/benchmarks/matrices_report.py
	$(BIN)/python tests/benchmarks/accountants_report.py --peers $(PEERS)/bin/python
	$(BIN)/python tests/benchmarks/gaussian_report.py --peers $(PEERS)/bin/python
	$(BIN)/python tests/benchmarks/foreign_report.py --peers $(PEERS)/bin/python
	$(BIN)/python tests/benchmarks/learning_report.py --peers $(PEERS)/bin/python

docs: $(STAMP)          ## the pages as a site in build/docs; a warning is an error, nothing is fetched
	$(BIN)/python docs/generate.py --check
	$(BIN)/python -m sphinx -W --keep-going -q -b html -d build/docs-cache docs build/docs

docs-generate: $(STAMP) ## the pages that are written from the program: the command line, the limits
	$(BIN)/python docs/generate.py

docs-picture: $(STAMP)  ## the picture of a report; needs Chromium
	$(BIN)/python docs/picture.py

chromium:               ## Debian's Chromium for the browser tests; without it they are skipped with the reason
	@command -v chromedriver >/dev/null 2>&1 || \
	  { command -v apt-get >/dev/null 2>&1 && [ "$$(id -u)" = 0 ] && \
	    { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium chromium-driver >/dev/null; } || \
	    echo "chromium: not installed (needs Debian and root); browser tests will be skipped"; }

coq:                    ## Debian's Coq for the proofs; without it they are skipped with the reason
	@command -v coqc >/dev/null 2>&1 || \
	  { command -v apt-get >/dev/null 2>&1 && [ "$$(id -u)" = 0 ] && \
	    { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends coq >/dev/null; } || \
	    echo "coq: not installed (needs Debian and root); proofs will be skipped"; }

MULTITOOL := @microsoft/sarif-multitool-linux
AXE := .tools/node_modules/axe-core/axe.min.js
axe:                    ## what checks that a page can be read by everybody; without it that test is skipped with the reason
	@[ -f $(AXE) ] || \
	  { command -v npm >/dev/null 2>&1 && \
	    npm install --silent --no-audit --no-fund --prefix .tools axe-core@4.14.1 >/dev/null 2>&1; } || \
	  echo "axe: not installed (needs npm); the test of pages by it will be skipped"

multitool:              ## what checks our SARIF as code scanning does; without it that test is skipped with the reason
	@[ -x .tools/node_modules/$(MULTITOOL)/Sarif.Multitool ] || \
	  { command -v npm >/dev/null 2>&1 && \
	    npm install --silent --no-audit --no-fund --prefix .tools $(MULTITOOL)@5.7.0 >/dev/null 2>&1 && \
	    chmod +x .tools/node_modules/$(MULTITOOL)/Sarif.Multitool; } || \
	  echo "multitool: not installed (needs npm); the test of SARIF by it will be skipped"

INSTALL := install --quiet --disable-pip-version-check --no-compile
INSTALLERS := 'pip>=25' 'setuptools>=77'# older pips take twice as long to choose versions; what builds is not fetched again
UNREAD := /(tests?|mypyc?|selenium|fontTools|mpl_toolkits|fsspec|filelock|virtualenv|distlib|lexers|pip)/# by our tests
$(STAMP): pyproject.toml
	$(PYTHON) -m venv --without-pip $(VENV)
	@$(PYTHON) -m pip --python $(BIN)/python $(INSTALL) $(INSTALLERS) 2>/dev/null || \
	  { $(BIN)/python -m ensurepip --default-pip >/dev/null && $(BIN)/pip $(INSTALL) $(INSTALLERS); }
	$(BIN)/pip $(INSTALL) --no-build-isolation -e '.[test]'
	@$(BIN)/python -m compileall -qq -j 0 -x '$(UNREAD)' $(VENV)/lib || true   # on every core, where pip takes one
	@touch $@

$(PEERS)/.installed: tests/benchmarks/peers/requirements.txt
	$(PYTHON) -m venv $(PEERS)
	$(PEERS)/bin/pip install --quiet --disable-pip-version-check -r $<
	@touch $@

clean:
	rm -rf build dist .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis .benchmarks
