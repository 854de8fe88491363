# Two commands: `make demo` (set up and run the main job) and `make test` (set up and pass the tests).
# Both need only make and Python 3.11 or newer; PYTHON=python3.12 chooses an interpreter.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

# What `make test` installs: every package with the digests of its files, PyTorch without CUDA. Continuous integration
# takes requirements/all.txt, for the tests of integrations and of METEOR. `make LOCK= test` installs by constraints.txt
# instead, with whatever PyTorch the index has.
LOCK ?= requirements/dev.txt
EXTRAS ?= train,dev,docs

# Tools of `make lock`, `make audit`, `make versions` and `make release-check`, apart from what they check.
TOOLS := .venv-tools

.PHONY: demo test lint types tests wheel docs release-check lock audit versions nightly models bench mutants fuzz clean

demo: $(VENV)/.train
	$(BIN)/python scripts/demo.py

# Types and the wheel take one process each: side by side; then the tests, which take two.
test: $(VENV)/.dev
	$(MAKE) --jobs 2 lint types wheel
	$(MAKE) tests

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	$(BIN)/python scripts/ceilings.py

types: $(VENV)/.dev
	$(BIN)/mypy

# Two processes; the tests of a file stay in one of them. Tests start pfsm hundreds of times: its modules are compiled
# once, also where Python may write no bytecode, and by the digests of their sources, so that no edit is missed.
tests: $(VENV)/.dev
	$(BIN)/python -m compileall -q --invalidation-mode checked-hash pfsm kernels training linguistics studio
	$(BIN)/python -m pytest -n 2 --dist loadfile

# Builds the wheel into dist/ and checks it as a user installs it: in a clean environment,
# without torch.
wheel: $(VENV)/.dev
	$(BIN)/python scripts/check_wheel.py dist

# The documentation as a site, in build/site: warnings, links to pages or headings that do not exist among them, are errors.
docs: $(VENV)/.dev
	$(BIN)/python -m sphinx --quiet --fail-on-warning --keep-going --fresh-env --conf-dir docs/_site --builder html docs build/site
	$(BIN)/python scripts/check_site.py build/site

# Everything that has to hold before a release.
release-check: $(VENV)/.dev $(TOOLS)/.made
	PATH="$(CURDIR)/$(TOOLS)/bin:$$PATH" $(BIN)/python scripts/check_release.py dist

# Writes requirements/*.txt. LOCKING=--newest: the newest versions, but for those of constraints.txt.
lock: $(TOOLS)/.made $(VENV)/.dev
	PATH="$(CURDIR)/$(TOOLS)/bin:$$PATH" $(BIN)/python scripts/lock.py $(LOCKING)

# Licences and known vulnerabilities of every locked package. Where no index of vulnerabilities answers, a warning says so.
LICENCES := MIT;BSD;Apache;ISC;MPL;Mozilla;Python Software Foundation;PSF;0BSD;CC0;Zlib;Unlicense
audit: $(VENV)/.dev $(TOOLS)/.made
	$(TOOLS)/bin/pip-licenses --python=$(BIN)/python --partial-match --allow-only='$(LICENCES)' --ignore-packages pycocoevalcap >/dev/null
	-$(TOOLS)/bin/pip-audit --progress-spinner off --disable-pip --require-hashes --requirement requirements/all.txt

# A part of the tests with the oldest versions of dependencies, and with other versions of Python where they can be had.
versions: $(TOOLS)/.made
	PATH="$(CURDIR)/$(TOOLS)/bin:$$PATH" $(TOOLS)/bin/nox

# What is too long for every change: mutants, damaged files, other versions. Some hours.
nightly: audit mutants fuzz versions

# Builds the shipped models; needs PFSM_DATA.
models: $(VENV)/.train
	$(BIN)/python scripts/build_models.py

# Each benchmark prints Markdown tables; BENCH_OUT=FOLDER saves them, and the numbers as JSON. Needs PFSM_DATA.
# The first compares this tree with AGAINST, another commit, and flags what got slower; it does not end the others.
AGAINST ?= HEAD^
bench: $(VENV)/.dev
	-$(BIN)/python scripts/benchmarks/against.py $(AGAINST)
	$(BIN)/python scripts/benchmarks/parts.py kernels
	$(BIN)/python scripts/benchmarks/parts.py lengths
	$(BIN)/python scripts/benchmarks/peers.py
	$(BIN)/python scripts/benchmarks/training.py

# Plants faults in a copy, one at a time, and tells which the tests notice.
mutants: $(VENV)/.dev
	$(BIN)/python scripts/planted_faults.py

# Damaged files for every reader, 300 times as many as `make test` tries: some hours. FUZZ=50 tries fewer. Also what
# takes long, such as clusters whose workers die while they train, notebooks, and weights of any size.
FUZZ ?= 300
fuzz: $(VENV)/.dev
	PFSM_FUZZ=$(FUZZ) $(BIN)/python -m pytest tests/fuzz tests/core/distributed \
	    tests/kernels/test_extreme_weights.py \
	    tests/core/text/test_tokenisers.py tests/core/evaluation/test_wmt_rankings.py tests/examples/test_notebooks.py

$(VENV)/bin/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "pfsm needs Python 3.11 or newer; try make PYTHON=python3.12")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.train: $(VENV)/bin/python pyproject.toml constraints.txt
	$(INSTALL) --editable '.[train]'
	touch $@
	@echo "made $(VENV): pfsm-metric with training; use $(BIN)/pfsm"

# Dependencies are compiled by all processors, where pip would take one; not what is not imported here.
NOT_COMPILED := /(tests|testing|_inductor|lexers|physics)/|/transformers/models/|/onnxruntime/transformers/

$(VENV)/.dev: $(VENV)/bin/python pyproject.toml constraints.txt $(LOCK)
ifeq ($(LOCK),)
	$(INSTALL) --editable '.[$(EXTRAS)]'
else
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --require-hashes --requirement $(LOCK)
	@$(BIN)/python -m compileall -qq -j 0 -x '$(NOT_COMPILED)' $(VENV)/lib || true
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
endif
	touch $@ $(VENV)/.train
	@echo "made $(VENV): pfsm-metric with training and the tools of development; use $(BIN)/pfsm"

$(TOOLS)/.made:
	$(PYTHON) -m venv $(TOOLS)
	$(TOOLS)/bin/python -m pip install --quiet --disable-pip-version-check uv==0.13.9 pip-audit==2.10.1 twine==7.0.0 check-wheel-contents==0.6.3 \
		pip-licenses==5.5.5 nox==2026.10.20
	touch $@

clean:
	rm -rf $(VENV) .venv-tools .nox .venv-wheel build dist demo-output .pytest_cache .mypy_cache .ruff_cache *.egg-info
