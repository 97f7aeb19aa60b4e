# Everything here sets up what it needs in .venv; only Python 3.11 or newer and git must be there.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: setup run test test-all check docs lock clean

setup: .venv/run.stamp  ## .venv with all that losona needs; nothing is run

run: .venv/run.stamp  ## a small balanced run on the embedded model: table and report
	$(BIN)/losona run --limit 2 --epochs 1 --max-tokens 80 --out runs/first

test: .venv/dev.stamp  ## the tests that need no network, in under five minutes
	$(BIN)/pytest -n 2

test-all: .venv/dev.stamp  ## all tests, also the slow ones and those that use the package registry
	$(BIN)/pytest -m ""

check: .venv/dev.stamp  ## what is checked before a change lands
	$(BIN)/ruff format --check src tests docs benchmarks
	$(BIN)/ruff check src tests docs benchmarks
	$(BIN)/lint-imports
	$(BIN)/pyright
	$(BIN)/losona lint src/losona/content/frames
	$(BIN)/python docs/cli_reference.py --check

docs: .venv/dev.stamp  ## the manual, in site/
	$(BIN)/python docs/cli_reference.py
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

lock: .venv/dev.stamp  ## write the lock files anew (needs uv)
	$(BIN)/uv pip compile pyproject.toml --universal --python-version 3.11 --extra embedded --extra figures --generate-hashes -q \
		--custom-compile-command "make lock" -o requirements.lock
	$(BIN)/uv pip compile pyproject.toml --universal --python-version 3.11 --extra embedded --extra figures --group dev --generate-hashes -q \
		--custom-compile-command "make lock" -o requirements-dev.lock

.venv/bin/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed; set PYTHON=...")'
	$(PYTHON) -m venv .venv

.venv/run.stamp: .venv/bin/python requirements.lock pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -e .
	touch $@

.venv/dev.stamp: .venv/bin/python requirements-dev.lock pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-dev.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -e .
	touch $@ .venv/run.stamp

clean:
	rm -rf .venv site .pytest_cache .ruff_cache
