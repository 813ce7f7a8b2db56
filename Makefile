# What needs doing is decided by book/_tools/prepare.py, which stamps each finished step in
# .build/stamps; so every target below may be called at any time, in any order.

PORT ?= 8000
export PORT

python  = python=$$(sh book/_tools/find-python) && "$$python"
prepare = $(python) book/_tools/prepare.py
venv    = .venv/bin/python

.DEFAULT_GOAL := help
.PHONY: book site serve test lint test-frontend test-unit test-notebooks test-records test-site test-lab \
        bench sync execute runs confirm graphs clean help

book:            ## build the site and serve it on http://localhost:8000 (PORT=8001 make book)
	@$(python) book/_tools/serve.py --check && $(prepare) site && $(venv) book/_tools/serve.py

site:            ## build the site only, into _build/html
	@$(prepare) site

serve:           ## serve the site that was built last
	@$(python) book/_tools/serve.py

test:            ## all tests, in the order of the targets below (installs what they need)
	@$(prepare) site everything && $(venv) book/_tools/run_tests.py

lint:            ## style and types: ruff, mypy, tsc
	@$(prepare) node-modules everything && $(venv) book/_tools/run_tests.py lint

test-frontend:   ## tests of the widgets' TypeScript
	@$(prepare) node-modules everything && $(venv) book/_tools/run_tests.py frontend

test-unit:       ## tests of the Python package
	@$(prepare) frontend everything && $(venv) book/_tools/run_tests.py unit

test-notebooks:  ## run every chapter again and compare it with its stored outputs
	@$(prepare) frontend everything && $(venv) book/_tools/run_tests.py single notebooks

test-records:    ## train one row of one recorded run to its end (`make test` does its beginning)
	@$(prepare) everything && $(venv) book/_tools/run_tests.py records

test-site:       ## open every page of the built site in a browser and use every widget
	@$(prepare) site everything && $(venv) book/_tools/run_tests.py pages widgets

test-lab:        ## drive the widgets in a real JupyterLab with a real kernel
	@$(prepare) frontend everything && $(venv) book/_tools/run_tests.py lab

bench:           ## speeds and sizes, printed as ratios against a peer
	@$(prepare) site everything && $(venv) -m pytest -q -s tests/benchmarks

sync:            ## fill the chapters' source cells from the package
	@$(prepare) everything && $(venv) book/_tools/sync.py

execute:         ## run chapters and store their outputs (CHAPTER=book/attention/bahdanau.ipynb for one)
	@$(prepare) frontend everything && $(venv) book/_tools/execute.py $(CHAPTER)

runs:            ## make the recorded runs again (RUN=name for one)
	@$(prepare) everything && $(venv) book/_tools/record.py $(RUN)

confirm:         ## show by one row that a change of code changes no number of a record (RUN=name)
	@$(prepare) everything && $(venv) book/_tools/confirm.py $(RUN)

graphs:          ## write the ONNX graphs of the stored models again (`make runs` does it too)
	@$(prepare) everything && $(venv) book/_tools/graphs.py

clean:           ## remove what was built (the environment and node_modules stay)
	@rm -rf _build .build book/seq2bert/widgets/static

help:            ## this list
	@echo "make book builds and serves the book, make test tests it. All targets:"
	@awk -F ':[^#]*## ' '/^[a-z-]+:.*## / {printf "  %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
