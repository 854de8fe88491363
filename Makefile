# Two commands: `make demo` (set up and run the main job) and `make test` (set up and pass the tests).
# Both need only make and Python 3.11 or newer; PYTHON=python3.12 chooses an interpreter.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

# What `make test` installs; continuous integration adds what the tests of integrations and of METEOR need.
EXTRAS ?= train,dev

.PHONY: demo test lint types tests wheel models bench mutants fuzz clean

demo: $(VENV)/.train
	$(BIN)/python scripts/demo.py

test: lint types tests wheel

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports

types: $(VENV)/.dev
	$(BIN)/mypy

# Two processes; the tests of a file stay in one of them.
tests: $(VENV)/.dev
	$(BIN)/python -m pytest -n 2 --dist loadfile

# Builds the wheel into dist/ and checks it as a user installs it: in a clean environment, without torch.
wheel: $(VENV)/.dev
	$(BIN)/python scripts/check_wheel.py dist

# Builds the shipped models; needs PFSM_DATA.
models: $(VENV)/.train
	$(BIN)/python scripts/build_models.py

# Each benchmark prints Markdown tables; BENCH_OUT=FOLDER saves them, and the numbers as JSON. Needs PFSM_DATA.
bench: $(VENV)/.dev
	$(BIN)/python scripts/benchmarks/startup.py
	$(BIN)/python scripts/benchmarks/kernels.py
	$(BIN)/python scripts/benchmarks/scoring.py
	$(BIN)/python scripts/benchmarks/peers.py
	$(BIN)/python scripts/benchmarks/candidates.py
	$(BIN)/python scripts/benchmarks/training.py
	$(BIN)/python scripts/benchmarks/syntax.py

# Plants faults in a copy and tells which the tests notice: an hour at most. MUTANTS=--planted: the listed ones alone.
mutants: $(VENV)/.dev
	$(BIN)/python scripts/mutants.py $(MUTANTS)

# Damaged files for every reader, 300 times as many as `make test` tries: some hours. FUZZ=50 tries fewer.
FUZZ ?= 300
fuzz: $(VENV)/.dev
	PFSM_FUZZ=$(FUZZ) $(BIN)/python -m pytest tests/fuzz

$(VENV)/bin/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "pfsm needs Python 3.11 or newer; try make PYTHON=python3.12")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.train: $(VENV)/bin/python pyproject.toml constraints.txt
	$(INSTALL) --editable '.[train]'
	touch $@
	@echo "made $(VENV): pfsm-metric with training; use $(BIN)/pfsm"

$(VENV)/.dev: $(VENV)/bin/python pyproject.toml constraints.txt
	$(INSTALL) --editable '.[$(EXTRAS)]'
	touch $@ $(VENV)/.train
	@echo "made $(VENV): pfsm-metric with training and the tools of development; use $(BIN)/pfsm"

clean:
	rm -rf $(VENV) .venv-wheel build dist demo-output .pytest_cache .mypy_cache .ruff_cache *.egg-info
