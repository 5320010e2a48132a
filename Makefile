# What readers and authors run; `make` alone lists it. It needs git, GNU make 3.81 (what macOS has) or newer,
# and Python 3.11 or newer. Every path is relative, so the folder may be anywhere and have spaces in its name.

PYTHON ?= python3
PORT = 8000
# The stored outputs are those of a CPU, on machines with a GPU too.
export JAX_PLATFORMS ?= cpu
# Some images forbid bytecode. The tests start a hundred Pythons, and each would compile JAX for six seconds.
export PYTHONDONTWRITEBYTECODE =

# Each interpreter has an environment of its own, so that the oldest and the newest JAX live side by side.
VERSION := $(or $(shell "$(PYTHON)" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null),none)
VENV = .venv/$(VERSION)
BIN = $(VENV)/bin/python

# The stamp is written last and names the folder it was written in. Without it the environment is half made;
# with another folder's name it was moved or copied, and would import the package from the other place.
STAMP = $(VENV)/.stamp
SOUND := $(shell test -x $(BIN) && test "`cat $(STAMP) 2>/dev/null`" = "`pwd -P`" && echo yes)

# A make that has not heard of Ctrl-C yet when its child ends of it complains of the loss.
LINGER = trap 'sleep 0.2' INT;
stop = { echo "$(1)" >&2; exit 1; }
named = $(if $(ARGS),,$(call stop,Which one? make $@ ARGS=$(1));)
.PHONY: help learn reset test again quick room exercise notebooks guide site serve wheel links bench measure classroom format lock $(if $(SOUND),,$(STAMP))

help: ## list what can be made (this text)
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-10s %s\n", $$1, $$2 }' Makefile
	@echo "PYTHON=python3.13 chooses the interpreter; ARGS='...' adds to what test, bench, measure and lock run."

# uv installs in seconds what takes pip a minute, but is not on a fresh machine: pip takes it from the lock, and does
# the rest itself where uv fails, since pip knows the machine's own package index and certificates. Hash mode refuses
# `-e`, hence the last command; its build backend is in the lock. A sound environment is brought up to date in place.
$(STAMP): requirements.txt pyproject.toml
	@"$(PYTHON)" -c pass 2>/dev/null || \
	  $(call stop,$(PYTHON) was not found. Name Python 3.11 or newer: make $(or $(MAKECMDGOALS),learn) PYTHON=/its/path)
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || $(call stop,This needs Python 3.11 or newer; \
	  $(PYTHON) is $$("$(PYTHON)" -V 2>&1 | sed 's/Python //'). Try: make $(or $(MAKECMDGOALS),learn) PYTHON=python3.12)
	@"$(PYTHON)" -c 'import ensurepip, venv' 2>/dev/null || \
	  $(call stop,$(PYTHON) cannot make environments. On Debian and Ubuntu: sudo apt install python$(VERSION)-venv)
	@echo "$(if $(SOUND),Updating,Making) $(VENV) (about a minute on a first install) ..."
	@mkdir -p .venv && { $(if $(SOUND),,"$(PYTHON)" -m venv --clear $(VENV) &&) \
	  sed -n '/^uv==/,/[^\\]$$/p' requirements.txt >$(VENV)/uv.txt && \
	  $(BIN) -m pip install --require-hashes -r $(VENV)/uv.txt && \
	  { $(VENV)/bin/uv pip sync --python $(BIN) --require-hashes requirements.txt || \
	    $(BIN) -m pip install --require-hashes -r requirements.txt; } && \
	  $(BIN) -m pip install --no-deps --no-build-isolation -e . && pwd -P >$@; } >$(VENV).log 2>&1 || \
	  $(call stop,Making $(VENV) failed: is there a network? $(VENV).log has the details.)

# What a reader does there, git ignores. Python answers a Ctrl-C of its first moments with a traceback, hence it runs
# where it does not hear of it, and is ended by the shell.
WORK = work
learn: $(STAMP) ## open the lessons, in a copy of your own, in JupyterLab; Ctrl-C ends it
	@trap 'kill $$! 2>/dev/null; wait; exit 0' INT; $(BIN) -m traced.command learn $(WORK) & wait $$!

reset: $(STAMP) ## give the lessons anew (ARGS=02_tracing for one); what you had is kept under another name
	@$(BIN) -m traced.command reset $(or $(ARGS),--all) $(WORK)

# All of it runs even if some fails, and pytest comes last: its summary is what the reader looks for.
style = failed=0; for check in "ruff check -q ." "ruff format -q --diff ." "mypy --no-error-summary"; do \
	  $(BIN) -m $$check || failed=1; done
check = $(style); $(BIN) -m pytest $(1) || failed=1; exit $$failed

# A kernel takes up to 1 GB, hence at most 16 of them.
test: $(STAMP) ## check style, types, the package, its examples and every output of every notebook
	@$(call check,--nbval -n logical --maxprocesses 16 tests traced notebooks $(ARGS))

again: $(STAMP) ## check style and types, and run what failed last once more, by itself
	@$(style); $(BIN) .ci/again.py || failed=1; exit $$failed

QUICK = tests/test_rooms.py tests/test_environment.py tests/test_handed_on.py \
	  $(addprefix tests/test_notebooks.py::test_,every_notebook_has_its_pair the_markdown_gives_the_stored_cells)
quick: $(STAMP) ## check the arrows between rooms, the lock, and that each notebook is its text (before a commit)
	@$(BIN) -m pytest -q $(QUICK)

room: $(STAMP) ## check style, types, and the code of one room of the package (ARGS=purity)
	@$(call named,purity) $(call check,-q traced/$(ARGS) $(wildcard tests/$(ARGS)) tests/test_rooms.py tests/test_package.py)

exercise: $(STAMP) ## check one exercise: its cell, its solution, right and wrong answers (ARGS=dropout)
	@$(call named,dropout) $(BIN) -m pytest -q tests/lessons --exercise $(ARGS)

# What authors run is not the progress of a reader.
notebooks guide: export TRACED_JOURNAL = _build/journal.jsonl

notebooks: $(STAMP) ## run one lesson (ARGS=02_tracing), or all with every page, and store the outputs (Python 3.12+)
	@$(BIN) notebooks/execute.py $(ARGS) && $(BIN) docs/write_map.py && $(BIN) docs/execute_choices.py $(ARGS)$(if $(ARGS),, && \
	  $(BIN) docs/execute_guide.py && $(BIN) docs/write_claims.py && $(BIN) docs/execute_pictures.py && $(BIN) docs/execute_landing.py && $(BIN) docs/write_measured.py)

guide: $(STAMP) ## run one page of the field guide, store what it prints, and check it (ARGS=keys-reused)
	@$(call named,keys-reused) $(BIN) docs/execute_guide.py $(ARGS) && $(BIN) -m pytest -q tests/test_guide.py -k $(ARGS)

# A page is read again when it has changed. What a warning concerned is read again as well, or it would be an error
# the first time only, and everything is when the site's own code has changed, or a table that links are made from,
# which Sphinx does not watch.
DOCTREES = _build/doctrees/.made
# One of them hands out the work.
JOBS = $$(($$(getconf _NPROCESSORS_ONLN) + 1))
TABLES = docs/glossary.md $(wildcard docs/guide/*.toml docs/landing/*.json traced/course/*.toml traced/findings/*.toml)
$(DOCTREES): conf.py pyproject.toml requirements.txt $(wildcard docs/_extensions/*.py) $(TABLES)
	@rm -rf $(@D) && mkdir -p $(@D) && touch $@

site: $(STAMP) $(DOCTREES) ## build the site in _build/site
	@$(BIN) -m sphinx -W --keep-going -q -j $(JOBS) -d $(dir $(DOCTREES)) -b html . _build/site || \
	  { rm -rf _build/doctrees; exit 1; }
	@echo "The site is $$PWD/_build/site/index.html; make serve shows it."

serve: site ## build the site and show it on this machine; Ctrl-C ends it
	@port=$(PORT); $(BIN) -c "import socket; socket.create_server(('127.0.0.1', $$port))" 2>/dev/null || \
	  { echo "Port $$port is taken, so another one:"; port=0; }; \
	$(LINGER) $(BIN) -u -m http.server --bind 127.0.0.1 --directory _build/site $$port

wheel: site ## build the wheel, with the lessons, the field guide and the search, in _build/dist
	@$(BIN) -m hatchling build -t wheel -d _build/dist

links: $(STAMP) $(DOCTREES) ## list the links to other sites in _build/links/output.txt, and try each (with a network)
	@$(BIN) -m sphinx -q -j $(JOBS) -d $(dir $(DOCTREES)) -b linkcheck . _build/links

bench: site ## measure how fast the package is, and the pages of the site
	@$(BIN) tests/bench.py $(ARGS)

# On whatever device JAX finds, unless JAX_PLATFORMS says otherwise: the default above is for what is compared.
measure: $(STAMP) ## time a training step over widths, modules and ways (minutes; ARGS=--quick for seconds)
	@$(LINGER) $(if $(filter file,$(origin JAX_PLATFORMS)),env -u JAX_PLATFORMS) $(BIN) docs/measure.py $(ARGS)

# JupyterHub and its proxy are in an environment of their own, in _build; npm has to be there.
classroom: $(STAMP) ## try a JupyterHub with students on this machine (ARGS=20 of them; minutes; needs npm)
	@$(LINGER) $(BIN) docs/classroom.py $(ARGS)

format: $(STAMP) ## format the code
	@$(BIN) -m ruff format -q . && $(BIN) -m ruff check -q --fix .

lock: $(STAMP) ## pin every dependency in requirements.txt (ARGS=--upgrade for newer ones)
	@$(VENV)/bin/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-annotate \
	  --custom-compile-command "make lock" --extra test --extra site --group develop $(ARGS) \
	  pyproject.toml -o requirements.txt
