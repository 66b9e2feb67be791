# A newcomer's two commands: `make figures` and `make test`.

PYTHON ?= python3
CORES ?= $(shell $(PYTHON) -c "import os; print(os.cpu_count())")
ENVIRONMENT = .venv/complete
# Snakemake re-evaluates its schedule once a timespan for each job that ever finished: by default each
# second, which in the end takes a core. It also waits for one timespan before it exits.
SNAKEMAKE = snakemake --cores $(CORES) --rerun-incomplete --show-failed-logs --max-jobs-per-timespan 100/10s

# Rules run `python -m hysteresis`: they must find the environment's python first.
export PATH := $(CURDIR)/.venv/bin:$(PATH)
export PIP_DISABLE_PIP_VERSION_CHECK = 1

.PHONY: help environment figures paper rebuilt-evidence evidence accept-evidence test test-fast benchmark format clean

help:
	@echo "make figures    rebuild the quick evidence chain: tables and figures in results/quick"
	@echo "make test       run all tests"
	@echo "make test-fast  run the tests that take seconds"
	@echo "make paper      rebuild the whole paper and its controls in results (many hours)"
	@echo "make evidence   rebuild tables and figures from the seeds kept in evidence/, and compare"
	@echo "make benchmark  time training and planning"
	@echo "make format     format the code"
	@echo "make clean      remove the environment and the quick results"

environment: $(ENVIRONMENT)

$(ENVIRONMENT): pyproject.toml constraints.txt
	@$(PYTHON) -c "import sys; sys.exit(sys.version_info < (3, 11) and \
	    'Python 3.11 or newer is needed; name one: make PYTHON=python3.12 ...')"
	$(PYTHON) -m venv .venv
	python -m pip install --quiet --constraint constraints.txt --editable '.[test]'
	@touch $@

figures: $(ENVIRONMENT)
	$(SNAKEMAKE) paper controls --configfile config/quick.yaml
	@echo
	@echo "Figures: results/quick/figures   Tables: results/quick/tables"
	@echo "Quick Table 2 (far too short a training to say anything about the paper):"
	@echo
	@cat results/quick/tables/table2.md

paper: $(ENVIRONMENT)
	$(SNAKEMAKE) paper controls

# Without training: the tables and figures of the kept seeds, made again and compared with those kept.
MADE_FROM_SEEDS = summarise_experiment contrast_experiments summarise_probe summarise_controls \
	partition_controls study_power summarise_measures write_table draw_figure compare_published \
	draw_published evidence
EVIDENCE = python -m hysteresis evidence --results results/evidence

rebuilt-evidence: $(ENVIRONMENT)
	$(EVIDENCE) lay-out
	$(SNAKEMAKE) evidence --allowed-rules $(MADE_FROM_SEEDS) --configfile evidence/config.yaml

evidence: rebuilt-evidence
	$(EVIDENCE) compare

accept-evidence: rebuilt-evidence
	$(EVIDENCE) accept

test: $(ENVIRONMENT)
	python -m pytest --numprocesses $(CORES) --dist loadfile

test-fast: $(ENVIRONMENT)
	python -m pytest --numprocesses $(CORES) --dist loadfile -m "not slow"

benchmark: $(ENVIRONMENT)
	python -m benchmarks.training_speed
	python -m benchmarks.workflow_scale

format: $(ENVIRONMENT)
	ruff check --fix .
	ruff format .
	snakefmt Snakefile rules

clean:
	rm -rf .venv results/quick
