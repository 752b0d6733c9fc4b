# Every command of the project. `make` alone lists them.
SHELL := /bin/bash
PYTHON_ := .venv/bin/python
# Tests on all processors, and one more process than there are, since those of the window wait for it now and then;
# `.venv/bin/python -m pytest FILE` runs a few one after the other.
PYTEST_ := $(PYTHON_) -m pytest -n $(shell expr 1 + $$(nproc 2>/dev/null || getconf _NPROCESSORS_ONLN)) --maxprocesses 8 --dist worksteal
MAKE_GOAL := $(firstword $(MAKECMDGOALS))
export MAKE_GOAL BASE CP CONFIG TYPESCRIPT REPO MINUTES SEED SUBJECT GRAPH COUNT READER ONLY CODE PYTHON KEEP HUGE FOLDER ROOT DEPTH
.DEFAULT_GOAL := help
.PHONY: help setup setup-dev run test test-long lint types histories properties check fuzz soak soak-traces attack random-plans random-frames mutants bench bench-analysis bench-view bench-newcomer bench-planning bench-history bench-traces bench-sync bench-first-use bench-compare bench-aggregate bench-callflow golden judge-python judge-python-calls judge-dependencies judge-javascript judge-c judge-go judge-java judge-measures judge-cobol judge-html judge-plan judge-apply judge-anything judge-moves judge-renames judge-profiles judge-traces judge-mapping judge-diff judge-contracts judge-rules judge-speedscope judge-coupling judge-belongs judge-proposals judge-alignment judge-folded judge-runs judge-recorded-runs judge-matches judge-sankey judge-history judge-hotspots judge-waits judge-partitions judge-deviations judge-ensembles judge-similarity judge-lulesh judge-paje judge-report judge-mcp judge-merge judge-aim judge-follow sample specification pictures wheel lock clean

help: ## this list
	@sed -n 's/^\([a-z-]*\):[^#]*## /\1\t/p' $(MAKEFILE_LIST) | while IFS=$$'\t' read -r name what; do printf '  make %-14s %s\n' "$$name" "$$what"; done

setup: ## .venv with the locked packages; missing system packages through apt
	@scripts/setup.sh run

setup-dev: ## the same with what the tests and checks need
	@scripts/setup.sh dev

run: setup ## open this checkout, or REPO=path; without a display, write the picture
	@scripts/run.sh $${REPO:+"$$REPO"}

test: setup-dev ## the tests, on all processors (they start X servers of their own)
	@$(PYTEST_)

test-long: setup-dev ## the tests that take long: stories walked from beginning to end, attacks, tools of the tests
	@$(PYTEST_) -m long

lint: setup-dev ## ruff and the import contracts
	@$(PYTHON_) -m ruff check
	@$(PYTHON_) -m ruff format --check
	@.venv/bin/lint-imports

types: setup-dev ## mypy: --strict, and the bodies of all tests
	@$(PYTHON_) -m mypy

histories: setup-dev ## 10,000 random plans on random graphs: replayed, compressed, task by task, step by step
	@$(PYTEST_) --hypothesis-profile=histories --timeout=7200 tests/plan/test_task_properties.py tests/plan/test_plan_properties.py tests/assessment/test_judgement.py -m hypothesis

properties: setup-dev ## the property tests with many more examples, or those of FOLDER=tests/plan
	@$(PYTEST_) -m hypothesis --hypothesis-profile=long $${FOLDER:-tests}

check: lint types ## lint, types and all tests, those of properties with many more examples
	@$(PYTEST_) --hypothesis-profile=long -m 'not soak'

fuzz: setup-dev ## fuzzed inputs for every reader, or READER=dot: COUNT=2000 SEED=1; those that fail are kept in out/fuzz
	@$(PYTHON_) tests/fuzz/fuzz.py $${READER:+--reader "$$READER"} --count $${COUNT:-2000} --seed $${SEED:-1}

soak: setup-dev ## random events on the real window: MINUTES=20 SEED=number SUBJECT=path (the sample project)
	@$(PYTHON_) -m pytest -q -m soak tests/soak
	@$(PYTHON_) tests/soak/soak.py --minutes $${MINUTES:-20} $${SEED:+--seed $$SEED} $${SUBJECT:+"$$SUBJECT"}

soak-traces: setup-dev ## the same with views of a recording open (of the sample program weather): MINUTES=20 SEED=number
	@$(PYTHON_) tests/soak/soak.py --trace weather --minutes $${MINUTES:-20} $${SEED:+--seed $$SEED}

attack: setup-dev ## hostile repositories, special files, kills: SEED=number MINUTES=1 (all of them) ONLY=words of names
	@$(PYTHON_) -m tests.attack.attack $${MINUTES:+--minutes $$MINUTES} $${SEED:+--seed $$SEED} $${ONLY:+--only $$ONLY}

random-plans: setup-dev ## random planning, saving, killing and reopening, with the watch that no step is lost: COUNT=100 SEED=number
	@$(PYTHON_) -m pytest -q -m soak tests/view/test_plan_sequences.py
	@$(PYTHON_) tests/view/plan_sequences.py --count $${COUNT:-100} $${SEED:+--seed $$SEED}

random-frames: setup-dev ## random steps in the window on six layouts, frames drawn between every two: COUNT=300 SEED=number SUBJECT=folder
	@$(PYTHON_) tests/view/frame_sequences.py --count $${COUNT:-300} $${SEED:+--seed $$SEED} $${SUBJECT:+--subject "$$SUBJECT"}

mutants: setup-dev ## small faults planted in the source: do the tests notice? COUNT=40 SEED=word (the last commit that changed src) ONLY=numbers
	@$(PYTHON_) tests/mutants/mutants.py --count $${COUNT:-40} $${SEED:+--seed "$$SEED"} $${ONLY:+--only $$ONLY}

bench: setup-dev ## measure; prints figures for docs
	@for file in tests/benchmarks/bench_*.py; do echo "== $$file"; $(PYTHON_) "$$file" || exit 1; done

bench-analysis: setup-dev ## analysis of REPO=path beside parsing alone and other programs
	@$(PYTHON_) tests/benchmarks/bench_analysis.py $${REPO:+"$$REPO"}

bench-view: setup-dev ## frames, highlights and changes of the picture in the real window (docs/benchmarks.md); pauses for GRAPH=file or 100000x200000
	@$(PYTHON_) tests/benchmarks/bench_view.py $${GRAPH:+"$$GRAPH"}

bench-newcomer: setup-dev ## a newcomer's questions from opening to the answer: REPO="git=checkout spring=checkout django=checkout"
	@$(PYTHON_) tests/benchmarks/bench_newcomer.py $$REPO

bench-planning: setup-dev ## judging a plan while something is dragged, and the drag itself; also on REPO (several may be given); BASE=checkout: beside an older one
	@$(PYTHON_) tests/benchmarks/bench_planning.py $${REPO:+$$REPO}
	@[ -z "$$BASE" ] || $(PYTHON_) tests/benchmarks/bench_drag_step.py "$$BASE" $$REPO

bench-history: setup-dev ## what reading histories costs beside git and other programs: REPO=clones; GROWTH=file.svg or VERSIONS=50 instead
	@$(PYTHON_) tests/benchmarks/bench_history.py $${GROWTH:+--growth $$GROWTH} $${VERSIONS:+--versions $$VERSIONS} $${REPO:+$$REPO}

bench-traces: setup-dev ## traces: building calls, import beside msgspec, peak memory; HUGE=1 adds a file of 4 GB
	@$(PYTHON_) tests/benchmarks/bench_traces.py $${HUGE:+--huge}

bench-sync: setup-dev ## who waits for whom: correspondences, shares and tables of 14 million calls; ViewFusion with a million
	@$(PYTHON_) tests/benchmarks/bench_sync.py
	@$(PYTHON_) tests/benchmarks/bench_fusion.py
	@$(PYTHON_) tests/benchmarks/bench_loop.py

bench-first-use: setup-dev ## views after an installation, TRACE="...": how long the window waits while loops are compiled
	@$(PYTHON_) tests/benchmarks/bench_first_use.py $(TRACE)

bench-compare: setup-dev ## two runs compared: frames of TraceDiff with 2,000 tubes; ExtraVis with 1.4 million calls
	@$(PYTHON_) tests/benchmarks/bench_tracediff.py
	@$(PYTHON_) tests/benchmarks/bench_extravis.py

bench-aggregate: setup-dev ## resources along time: the model beside building the calls, partitions beside a plain loop, Paje beside pj_dump
	@$(PYTHON_) tests/benchmarks/bench_aggregate.py

bench-callflow: setup-dev ## many runs: a frame, and a change of the target or the mode
	@$(PYTHON_) tests/benchmarks/bench_callflow.py

golden: setup-dev ## agreement with figures computed by other programs
	@$(PYTHON_) -m pytest tests/golden

judge-python: setup-dev ## our import graphs against those of grimp
	@$(PYTHON_) tests/judges/python_imports.py

judge-python-calls: setup-dev ## our Python calls against PyCG's micro-benchmark (fetched, or REPO=its snippets folder)
	@$(PYTHON_) tests/judges/python_calls.py $${REPO:+"$$REPO"}

judge-dependencies: setup-dev ## whether chains of imports lead along all dependencies, in this project or in REPO (several may be given)
	@$(PYTHON_) -m tests.judges.dependencies $${REPO:+$$REPO}

judge-javascript: setup-dev ## our imports of JavaScript and TypeScript against those of dependency-cruiser (needs npm), or of REPO
	@$(PYTHON_) tests/judges/javascript_imports.py $${REPO:+"$$REPO"}

judge-c: setup-dev ## our includes against libclang's, on installed headers or on REPO (with a compilation database or cmake)
	@$(PYTHON_) tests/judges/c_includes.py $${REPO:+"$$REPO"}

judge-go: setup-dev ## our package imports against those of `go list`, or of REPO
	@$(PYTHON_) tests/judges/go_packages.py $${REPO:+"$$REPO"}

judge-java: setup-dev ## our Java relations against those of jdeps and javac; a JDK is needed, REPO=sources or module
	@$(PYTHON_) -m tests.judges.java_classes --calls $${REPO:+"$$REPO"}

judge-measures: setup-dev ## our measures against those of lizard: CODE=java REPO=path
	@$(PYTHON_) tests/judges/measures.py $${CODE:-java} "$${REPO:-tests/corpus/java}"

judge-cobol: setup-dev ## our COPY relations against those of `cobc -E` (needs gnucobol), or of REPO
	@$(PYTHON_) tests/judges/cobol_copy.py $${REPO:+"$$REPO"}

judge-html: setup-dev ## the exported page in Firefox, Chromium and WebKit, as far as they are installed, or that of REPO
	@$(PYTHON_) -m tests.judges.html_page $${REPO:+"$$REPO"}

judge-plan: setup-dev ## our task lists against real commits that moved or renamed: CODE=python|java|javascript|c REPO=clones COUNT=20
	@$(PYTHON_) -m tests.judges.plan_commits $${CODE:+--code "$$CODE"} --count $${COUNT:-20} $${REPO:+$$REPO}

judge-apply: setup-dev ## random plans carried out, judged by Python itself: REPO=checkouts PYTHON=one with what they need COUNT=50 LOG=folder to go on from HAND=1 (plans by hand) ROPE=one with rope
	@$(PYTHON_) -m tests.judges.apply --count $${COUNT:-50} $${PYTHON:+--python "$$PYTHON"} $${LOG:+--log "$$LOG"} $${HAND:+--by-hand} $${ROPE:+--rope "$$ROPE"} $$REPO

judge-anything: setup-dev ## random plans of all operations: carried out and right, or refused whole: REPO=clones COUNT=40 SEED=1 LOG=folder to go on from AGAINST=such a folder
	@$(PYTHON_) -m tests.judges.apply_anything --count $${COUNT:-40} --seed $${SEED:-1} $${LOG:+--log "$$LOG"} $${AGAINST:+--against "$$AGAINST"} $$REPO

judge-moves: setup-dev ## random moves carried out, judged by javac or Node and TypeScript: CODE=java|javascript REPO=checkouts COUNT=30 CP=jars TYPESCRIPT=its folder CONFIG=a tsconfig.json
	@$(PYTHON_) -m tests.judges.moves --code "$$CODE" --count $${COUNT:-30} $${CP:+--classpath "$$CP"} $${TYPESCRIPT:+--typescript "$$TYPESCRIPT"} $${CONFIG:+--config "$$CONFIG"} $$REPO

judge-renames: setup-dev ## renames of functions and classes, judged by jedi: REPO=clones PYTHON=one with jedi COUNT=50
	@$(PYTHON_) -m tests.judges.renames --count $${COUNT:-50} --python "$$PYTHON" $$REPO

judge-profiles: setup-dev ## our readers of profiles against pstats, and Hatchet's: REPO=its tests/data PYTHON=one with llnl-hatchet
	@$(PYTHON_) -m tests.judges.profiles $${REPO:+--samples "$$REPO"} $${PYTHON:+--hatchet "$$PYTHON"}

judge-traces: setup-dev ## our readers of traces and profiles against uftrace, callgrind_annotate and perf, as far as they are installed
	@$(PYTHON_) -m tests.judges.traces $${KEEP:+--keep "$$KEEP"}

judge-mapping: setup-dev ## functions of recordings on the right nodes, by code objects; coverage by function against coverage.py (REPO=clones)
	@$(PYTHON_) -m tests.judges.mapping $${REPO:+$$REPO} && $(PYTHON_) -m tests.judges.coverage_functions $${REPO:+$$REPO}

judge-diff: setup-dev ## two versions compared, against git and two separate analyses: REPO=clone A=v1 B=v2, or without them five public repositories (in CLONES)
	@$(PYTHON_) -m tests.judges.diff $${REPO:+--repo "$$REPO" "$$A" "$$B"} $${CLONES:+--clones "$$CLONES"}

judge-contracts: setup-dev ## contracts of import-linter, SUBJECT="sources=package ...", beside import-linter itself
	@$(PYTHON_) tests/judges/contracts.py $(SUBJECT)

judge-rules: setup-dev ## rules on JavaScript beside dependency-cruiser (needs npm): REPO="axios rollup" (checkouts)
	@$(PYTHON_) -m tests.judges.javascript_rules $$REPO

judge-speedscope: setup-dev ## our Chrome traces against speedscope's importer under Node: REPO=its checkout
	@$(PYTHON_) tests/judges/traces_speedscope.py "$$REPO"

judge-coupling: setup-dev ## our change coupling against a count of its own and code-maat's formula: REPO=clones MAAT=code-maat
	@$(PYTHON_) tests/judges/coupling.py $${MAAT:+--maat "$$MAAT"} $$REPO

judge-belongs: setup-dev ## whether "where does this belong?" names the origin of files moved at random: REPO=clones COUNT=200
	@$(PYTHON_) -m tests.judges.belongs --count $${COUNT:-200} $$REPO

judge-proposals: setup-dev ## whether proposals end the largest cycle of packages, worked out anew: REPO=clones
	@$(PYTHON_) -m tests.judges.proposals $$REPO

judge-alignment: setup-dev ## the alignment of call trees with planted edits: SEEDS=20 TRACE=recording
	@$(PYTHON_) -m tests.judges.alignment $${SEEDS:-20} $${TRACE:+"$$TRACE"}

judge-folded: setup-dev ## per-stack differences of two recordings against difffolded.pl (needs perl): SCRIPT=its path A=recording B=recording
	@$(PYTHON_) -m tests.judges.folded "$$SCRIPT" "$$A" "$$B"

judge-runs: setup-dev ## runs of one version, and of one with a slower function, compared: TRIALS=20 (made up)
	@$(PYTHON_) -m tests.judges.runs $${TRIALS:-20}

judge-recorded-runs: setup-dev ## the same with recorded runs of the sample program weather: TRIALS=20 RUNS=10 (20 minutes)
	@$(PYTHON_) -m tests.judges.recorded_runs $${TRIALS:-20} $${RUNS:-10}

judge-matches: setup-dev ## matches and groups of random call trees against their definitions: PAIRS=10000
	@$(PYTHON_) -m tests.judges.matches $${PAIRS:-10000}

judge-sankey: setup-dev ## crossings in our Sankey diagrams beside those of d3-sankey (needs npm)
	@$(PYTHON_) -m tests.judges.sankey

judge-history: setup-dev ## commits, lines and authors of each file in five ranges against plain git: REPO=clones
	@$(PYTHON_) -m tests.judges.history_ranges $${REPO:+$$REPO}

judge-hotspots: setup-dev ## hot spots beside `git log` times lizard's complexity: REPO=checkouts
	@$(PYTHON_) -m tests.judges.hot_spots $$REPO

judge-waits: setup-dev ## share of waiting time that releases explain in recordings of public programs: SUBJECT=web|leveldb, CLONES=folder with flask, leveldb (needs uftrace, cmake)
	@$(PYTHON_) -m tests.judges.waits $${CLONES:+--clones "$$CLONES"} $${SUBJECT:-}

judge-partitions: setup-dev ## optimal partitions against all partitions that there are: COUNT=3000
	@$(PYTHON_) -m tests.judges.partitions --count $${COUNT:-3000}

judge-deviations: setup-dev ## findings on 400 made-up runs, of which it is known what is wrong
	@$(PYTHON_) -m tests.judges.deviations

judge-ensembles: setup-dev ## what is said of made-up ensembles of runs, of which it is known what explains them
	@$(PYTHON_) -m tests.judges.ensembles

judge-similarity: setup-dev ## maps and groups of runs beside scikit-learn's: PYTHON=an interpreter that has it
	@$(PYTHON_) -m tests.judges.similarity "$$PYTHON"

judge-lulesh: setup-dev ## the story of five public runs of LULESH: REPO=clones with thicket, callflow (LLNL/thicket, LLNL/CallFlow)
	@$(PYTHON_) -m tests.judges.lulesh "$$REPO/thicket/thicket/tests/data/mpi_scaling_cali" "$$REPO/callflow/docs/examples/callflow.config.json"

judge-paje: setup-dev ## our reader of Paje against pj_dump (Debian package pajeng): REPO=clone of schnorr/pajeng
	@$(PYTHON_) -m tests.judges.paje "$$REPO"

judge-report: setup-dev ## every number of reports and fact sheets by other means, and the page in Chromium with axe-core (needs npm): REPO=clones SINCE=1y
	@$(PYTHON_) -m tests.judges.handing_over && $(PYTHON_) -m tests.judges.report $${SINCE:+--since "$$SINCE"} $$REPO
judge-mcp: setup-dev ## answers for assistants: a plan on flask, imports beside grimp's, times; then beside CodeGraph (npm, JDK): REPO="flask sympy" (checkouts) JAVA=sources STUB=package of annotations
	@$(PYTHON_) -m tests.judges.assistants $${REPO} && $(PYTHON_) -m tests.judges.code_graph_servers $${STUB:+--stub "$$STUB"} $${REPO} $${JAVA}

judge-merge: setup-dev ## random pairs of histories of a plan merged, replayed in both orders: COUNT=500 that share nothing
	@$(PYTHON_) -m tests.judges.plan_merges $${COUNT}

judge-aim: setup-dev ## drags with a trembling hand in the real window, does each end where it aimed: COUNT=50 SEED=1 ROOT=id of a node DEPTH=levels shown REPO=folders
	@xvfb-run -a -s "-screen 0 1600x1000x24" $(PYTHON_) -m tests.judges.aim --count $${COUNT:-50} $${SEED:+--seed $$SEED} $${ROOT:+--root "$$ROOT"} $${DEPTH:+--depth $$DEPTH} $${REPO}

judge-follow: setup-dev ## graphs after random edits and checkouts beside those from nothing, and times; REPO="clones" COUNT=200
	@$(PYTHON_) -m tests.judges.following $${COUNT:+--steps $$COUNT} $${REPO}

sample: setup ## the sample project with its history, in out/shop
	@$(PYTHON_) sample_projects/make_shop.py out/shop

specification: setup-dev ## the table of tests in docs/specification.md, made anew
	@$(PYTHON_) scripts/specification.py

pictures: setup-dev ## the pictures of the documentation, made by the tool itself; with SUBJECTS=paths those for a review
	@$(PYTHON_) scripts/make_pictures.py $(if $(SUBJECTS),--subjects $(SUBJECTS))

wheel: setup ## a wheel with the bundled plugins, in dist/
	@$(PYTHON_) -m hatchling build -t wheel

lock: setup ## write requirements/*.txt anew from *.in (needs the network)
	@scripts/lock.sh

clean: ## remove everything that can be made again
	rm -rf .venv .venv-newest dist out .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find src tests plugins scripts sample_projects -name __pycache__ -type d -prune -exec rm -rf {} +
