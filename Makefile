# Every target that needs the environment sets it up first; that takes seconds once it is there.
# Paths are relative throughout, so that the tree may lie in a directory with a space in its name.

PYTHON := .venv/bin/python

# Packages of the user's own site would hide the ones that set-up chose.
export PYTHONNOUSERSITE := 1

.DEFAULT_GOAL := help
.PHONY: help setup run lint format test test-long docs bench wheel clean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-10s %s\n", $$1, $$2 }' Makefile

setup: ## system packages, .venv, and the project in it
	@tools/setup.sh

run: setup ## compare three learners on 20,000 letters: specs/letter.yaml (minutes)
	@.venv/bin/cvinfer run specs/letter.yaml

lint: setup ## black, flake8 and mypy
	@tools/lint.sh

format: setup ## let black rewrite the code
	@$(PYTHON) -m black .

test: lint ## lint, then the tests (minutes)
	@$(PYTHON) -m pytest

test-long: lint ## the same and the tests marked long
	@$(PYTHON) -m pytest -m "long or not long"

docs: setup ## write the generated pages of docs/
	@$(PYTHON) docs/generate_tests_md.py

bench: setup ## the speed of the inference
	@$(PYTHON) benchmarks/inference.py

wheel: setup ## build the wheel into dist/
	@rm -rf build
	@$(PYTHON) -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir dist .
	@rm -rf build
	@ls dist/*.whl

clean: ## remove .venv and whatever tools and builds leave behind
	@rm -rf .venv .setup.log build dist *.egg-info .mypy_cache .pytest_cache .hypothesis
	@find . -name .git -prune -o -name __pycache__ -type d -prune -exec rm -rf {} +
