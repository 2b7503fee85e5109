# Everything that is installed stays inside this checkout: .venv, web/node_modules, web/dist.

# pytest rewrites each test module when it may keep no bytecode, and a changed module is compiled at each start.
unexport PYTHONDONTWRITEBYTECODE

ARGS ?=
ROUNDS ?= 20
WORK ?= 1000
SEED ?= 0
WORKERS ?= 4
PYTHON := .venv/bin/python
# tests/drivers/distribution.py says which tests share a worker.
IN_PARALLEL = -n $(WORKERS) --dist loadscope --no-loadscope-reorder
LOCK := pip compile --quiet --universal --generate-hashes --no-header --python-version 3.11 pyproject.toml
# Those that the wheels of the locked dependencies are made for, then whatever there is.
PYTHON_NAMES := python3.11 python3.12 python3.13 python3.14 python3

.DEFAULT_GOAL := help
.PHONY: help up install develop web test check e2e chaos chaos-cluster bench screenshots wheel site wheelhouse images gen drift lint lint-python types types-python test-web test-python test-quickly lock browser

help: ## list the targets
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z0-9-]+):.*## (.*)/  make \1|\2/' | \
		while IFS='|' read -r target text; do printf '%-14s %s\n' "$$target" "$$text"; done

up: install web ## start EchoMind; ARGS="--http-port 8081" passes options on
	@exec bin/echomind up $(ARGS)

# The tests of the web UI take what those of Python leave of the processors: these also wait.
test: develop web browser ## run the whole test suite; WORKERS=6 uses more processors
	@$(MAKE) --no-print-directory -j 2 test-web test-python

test-web:
	@mkdir -p build
	@nice -n 10 $(PYTHON) tools/web.py test > build/test-web.log 2>&1 || { cat build/test-web.log; exit 1; }
	@tail -n 5 build/test-web.log

test-python:
	@$(PYTHON) -m pytest $(IN_PARALLEL) $(ARGS)

# mypy has one process: the tests use the other processor meanwhile.
check: develop ## what one runs while working: unit and contract tests, lint, types of Python
	@$(MAKE) --no-print-directory -j 3 lint-python types-python test-quickly

# Each worker reads all test modules, and mypy has a processor.
test-quickly: WORKERS = 2
test-quickly: develop
	@$(PYTHON) -m pytest $(IN_PARALLEL) -q tests/unit tests/contract $(ARGS)

e2e: develop web browser ## run the tests that go through `echomind up`
	@$(PYTHON) -m pytest tests/e2e $(ARGS)

chaos: develop web ## 1,000 runs and documents under constant faults; WORK=100 for fewer, ROUNDS=100 for longer, SEED=7 repeats
	@ECHOMIND_CHAOS_REPORT=bench/results/chaos.md ECHOMIND_CHAOS_WORK=$(WORK) ECHOMIND_CHAOS_RUNS=$(ROUNDS) ECHOMIND_CHAOS_SEED=$(SEED) $(PYTHON) -m pytest tests/e2e/restarts/test_chaos.py -s -p no:randomly $(ARGS)

chaos-cluster: develop ## the same in a cluster of containers, with the images that make images has built
	@ECHOMIND_CHAOS_REPORT=bench/results/chaos-cluster.md ECHOMIND_CHAOS_WORK=$(WORK) ECHOMIND_CHAOS_SEED=$(SEED) $(PYTHON) tools/images.py --chaos

bench: develop web ## measure speed, cost and quality beside the peers; about 40 minutes
	@$(PYTHON) -m bench.turn --peers
	@$(PYTHON) -m bench.ingest --peers
	@$(PYTHON) -m bench.search
	@$(PYTHON) -m bench.removal
	@$(PYTHON) -m bench.sync
	@$(PYTHON) -m bench.stack
	@$(PYTHON) -m bench.recovery
	@$(PYTHON) -m bench.growth
	@$(PYTHON) -m bench.answers
	@$(PYTHON) -m bench.citations
	@$(PYTHON) -m bench.memory

screenshots: develop web browser ## take the pictures of README and guide again
	@$(PYTHON) tools/screenshots.py $(ARGS)

gen: develop ## generate what comes from the contract, the migrations and the settings
	@$(PYTHON) tools/web.py install
	@$(PYTHON) tools/gen.py
	@$(PYTHON) db-schema/dump.py
	@$(PYTHON) tools/settings_table.py

drift: develop ## check that what is generated is current
	@$(PYTHON) tools/web.py install
	@$(PYTHON) tools/gen.py --check
	@$(PYTHON) db-schema/dump.py --check
	@$(PYTHON) tools/settings_table.py --check

lint: lint-python ## check style, the contract and who imports whom
	@$(PYTHON) tools/web.py lint

lint-python: develop
	@$(PYTHON) -m ruff check
	@$(PYTHON) -m ruff format --check
	@$(PYTHON) tools/lint_contract.py
	@$(PYTHON) tools/lint_sql.py
	@.venv/bin/lint-imports

types: types-python ## check types
	@$(PYTHON) tools/web.py typecheck

types-python: develop
	@$(PYTHON) -m mypy

install: .venv/.installed ## install what running needs into .venv

develop: .venv/.installed-dev ## install what tests, lint and generators need as well

lock: install ## resolve both lock files again; ARGS="--upgrade" takes the newest versions
	@.venv/bin/uv $(LOCK) --extra all --output-file requirements.lock $(ARGS)
	@.venv/bin/uv $(LOCK) --extra dev --constraint requirements.lock --output-file requirements-dev.lock $(ARGS)

wheel: develop web ## build the wheel, with the web UI, in dist/
	@$(PYTHON) -m hatchling build -t wheel -d dist

site: develop web ## build the documentation site in build/documentation/site
	@$(PYTHON) -m tools.site

wheelhouse: develop web ## collect all wheels that images and air-gapped machines need, in build/wheelhouse
	@$(PYTHON) tools/images.py --wheelhouse

images: develop web ## build the container images without a network and test them; needs root, buildah, podman, runc
	@$(PYTHON) tools/images.py

web: install ## build the web UI
	@$(PYTHON) tools/web.py build

# Bytecode is compiled here, as starting is mostly importing and PYTHONDONTWRITEBYTECODE may be set where it runs.
.venv/.installed: requirements.lock pyproject.toml $(PYTHON)
	@echo "Installing the locked dependencies into .venv ..."
	@$(PYTHON) -m pip install --quiet --quiet --disable-pip-version-check uv
	@.venv/bin/uv pip install --quiet --compile-bytecode --python $(PYTHON) --requirement requirements.lock
	@.venv/bin/uv pip install --quiet --python $(PYTHON) --no-deps --editable .
	@$(PYTHON) -m compileall -q echomind echomind_lib services
	@touch $@

.venv/.installed-dev: requirements-dev.lock .venv/.installed
	@echo "Installing what developing needs into .venv ..."
	@.venv/bin/uv pip install --quiet --compile-bytecode --python $(PYTHON) --requirement requirements-dev.lock
	@touch $@

$(PYTHON):
	@found=; for name in $(PYTHON_NAMES); do \
		if $$name -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then found=$$name; break; fi; \
	done; \
	if [ -z "$$found" ]; then \
		echo "EchoMind needs Python 3.11 or newer: install it (Debian: apt-get install python3; macOS: brew install python)." >&2; \
		exit 1; \
	fi; \
	if ! $$found -c 'import ensurepip' 2>/dev/null; then \
		if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
			apt-get update -qq && apt-get install -y -qq python3-venv >/dev/null; \
		else \
			echo "Python's venv is missing: install it (Debian: sudo apt-get install python3-venv)." >&2; exit 1; \
		fi; \
	fi; \
	$$found -m venv .venv

# Where it can be installed, a Chromium without windows, which takes a quarter less processor time.
browser:
	@if command -v chromium-headless-shell >/dev/null 2>&1; then exit 0; fi; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		echo "Installing chromium for the browser tests ..."; \
		apt-get update -qq; \
		if apt-get install -y -qq --no-install-recommends chromium-headless-shell >/dev/null 2>&1; then exit 0; fi; \
	fi; \
	for name in chromium chromium-browser google-chrome "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"; do \
		if command -v "$$name" >/dev/null 2>&1; then exit 0; fi; \
	done; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		apt-get install -y -qq --no-install-recommends chromium >/dev/null; \
	else \
		echo "The browser tests need chromium: install it (Debian: sudo apt-get install chromium; macOS: brew install chromium)." >&2; \
		exit 1; \
	fi
