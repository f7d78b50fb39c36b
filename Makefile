# Every target that needs the environment sets it up first; that takes seconds once it is there.
# Paths are relative throughout, so that the tree may lie in a directory with a space in its name.

PYTHON := .venv/bin/python

# Packages of the user's own site would hide the ones that set-up chose.
export PYTHONNOUSERSITE := 1

# Tests run side by side where pytest-xdist is there, those of one file in one process.
SIDE_BY_SIDE = $$($(PYTHON) -c 'import xdist' 2>/dev/null && printf %s '-n logical --maxprocesses 4 --dist loadfile')

.DEFAULT_GOAL := help
.PHONY: help setup run lint format test test-long test-debian docs rates torture bench bench-weka bench-cluster bench-simulate bench-many wheel clean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-14s %s\n", $$1, $$2 }' Makefile

setup: ## system packages, .venv, and the project in it
	@tools/setup.sh

run: setup ## Weka's learners against scikit-learn's on 20,000 letters: specs/letter.yaml (minutes)
	@.venv/bin/cvinfer run specs/letter.yaml || { code=$$?; \
		command -v R >/dev/null || echo "Without R: .venv/bin/cvinfer run specs/quickstart.yaml" >&2; \
		exit $$code; }

lint: setup ## black, flake8 and mypy
	@tools/lint.sh

format: setup ## let black rewrite the code
	@$(PYTHON) -m black .

test: lint ## lint, then the tests, R CMD check of r_bridge among them (minutes)
	@$(PYTHON) -m pytest $(SIDE_BY_SIDE)

test-long: lint ## the same and the tests marked long
	@$(PYTHON) -m pytest $(SIDE_BY_SIDE) -m "long or not long"

test-debian: ## make test and make run on a bare Debian in a chroot: RELEASE=trixie (root, hours)
	@tools/test-debian.sh $(RELEASE)

docs: setup ## write what is generated (docs/tests.md, docs/reproduction.md, schemas/spec.schema.json), then build the site
	@$(PYTHON) docs/generate_tests_md.py
	@$(PYTHON) docs/generate_schema.py
	@$(PYTHON) docs/generate_reproduction_md.py
	@$(PYTHON) docs/generate_site.py

rates: setup ## measure the error rates of all tests and the coverage of intervals again (an hour), then write docs
	@$(PYTHON) benchmarks/error_rates.py --again
	@$(PYTHON) benchmarks/study_rates.py
	@$(PYTHON) docs/generate_tests_md.py

torture: setup ## kills, clusters, damage, hostile files, full disks; ARGS="--share 0.1" for less (half an hour)
	@cd benchmarks && ../$(PYTHON) -m torture $(ARGS)

bench: setup ## the speed of the inference
	@$(PYTHON) benchmarks/inference.py

bench-many: setup ## memory and start of a run on forty data sets, beside one on the largest of them
	@$(PYTHON) benchmarks/many.py $(ARGS)

bench-weka: setup ## Weka's learners by a plain R script, by cvinfer and in pure Java
	@$(PYTHON) benchmarks/weka.py

bench-cluster: setup ## what a Dask cluster costs; ARGS="--only no-op" for a part (minutes)
	@$(PYTHON) benchmarks/cluster.py $(ARGS)

bench-simulate: setup ## the speed of studies; ARGS="--simple 32 --epsilon 20000" for less (many minutes)
	@$(PYTHON) benchmarks/simulate.py $(ARGS)

wheel: setup ## build the wheel into dist/
	@rm -rf build
	@$(PYTHON) -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir dist .
	@rm -rf build
	@ls dist/*.whl

clean: ## remove .venv, .r-library and whatever tools and builds leave behind
	@rm -rf .venv .r-library r_bridge/inst/java .setup.log build dist *.egg-info .mypy_cache .pytest_cache .hypothesis
	@find . -name .git -prune -o -name __pycache__ -type d -prune -exec rm -rf {} +
