# `make` alone prints what there is.

.PHONY: help setup demo demo-stop examples test traits canary simulate stress mutations lint snippets docs api format generate sanitize fuzz bench figures package clean

PYTHON := $(CURDIR)/.venv/bin/python
SWIFT_FORMAT := swift format
SWIFT_SOURCES := --recursive --parallel --configuration .swift-format \
	Package.swift Sources Tests Benchmarks Examples

help: ## Print this list
	@sed -n 's/^\([a-z-]*\):.*## /  make \1\t/p' $(MAKEFILE_LIST) | expand -t 20

demo: setup ## Save and deliver 101 records with each recorder; KEEP=DIR leaves it running
	@"$(PYTHON)" Scripts/demo.py $(if $(KEEP),--keep "$(KEEP)")

demo-stop: ## Stop what `make demo KEEP=DIR` left running
	@test -n "$(KEEP)" || { echo "say where it runs: make demo-stop KEEP=DIR"; exit 2; }
	@"$(PYTHON)" Scripts/demo.py --stop "$(KEEP)"

examples: setup ## Run each example against a local service and check what it prints; ARGS="NAME" one of them
	@"$(PYTHON)" Scripts/examples.py $(ARGS)

package: setup ## Build the command line for release, as Packages/*.tar.gz and *.deb
	Scripts/package

test: setup ## Build and run all tests; ARGS="--filter NAME" goes to swift test
	RECORDER_TEST_PYTHON="$(PYTHON)" Scripts/test $(ARGS)

traits: ## Build and test the package's traits, with stand-ins for the packages behind them; ARGS="SwiftLog" some of them
	Scripts/traits $(ARGS)

canary: setup ## Run all tests, and look for their keys and signatures in all that they print and write
	RECORDER_TEST_PYTHON="$(PYTHON)" Scripts/canary $(ARGS)

sanitize: setup ## Run all tests under the thread sanitizer, then under the address sanitizer; ARGS="thread --short" some tests
	RECORDER_TEST_PYTHON="$(PYTHON)" Scripts/sanitize $(ARGS)

fuzz: ## Feed made-up answers to the answer decoder and the settle; TIME=600 for ten minutes
	Scripts/fuzz $(or $(TIME),60)

simulate: ## Run simulated worlds; SEEDS=1000 of them, or SEED=N with its trace; PROFILE=hostile
	swift build -c release --product Simulation
	.build/release/Simulation --profile $(or $(PROFILE),usual) $(if $(SEED),--seed $(SEED),--shrink --seeds $(or $(SEEDS),1000)) $(ARGS)

stress: setup ## Kill, starve and cut the power for ten minutes; FULL=1 for hours; ARGS="--filter NAME" some rows
	RECORDER_TEST_PYTHON="$(PYTHON)" Scripts/stress $(if $(FULL),--full) $(ARGS)

mutations: setup ## Break one rule at a time and see that a test notices; ARGS="NAME --write" some rules, into the table
	RECORDER_TEST_PYTHON="$(PYTHON)" Scripts/mutations $(ARGS)

lint: setup ## Check the format of every Swift file, the generated files, the structure and the words; needs no build
	$(SWIFT_FORMAT) lint --strict $(SWIFT_SOURCES)
	"$(PYTHON)" Scripts/ServiceModel/generate.py --check
	Scripts/structure
	python3 Scripts/mutations --check

snippets: ## Compile the Swift in the documents; needs a build
	@python3 Scripts/snippets.py

docs: setup ## Build the documentation of every module, and the articles, as a site
	@"$(PYTHON)" Scripts/docs.py

api: ## Compare the public API with the last release's; ARGS=--record writes the listing of a release
	@python3 Scripts/api.py $(ARGS)

format: ## Put every Swift file into that format
	$(SWIFT_FORMAT) --in-place $(SWIFT_SOURCES)

generate: setup ## Write the service clients' Swift anew from the description of the services in botocore
	"$(PYTHON)" Scripts/ServiceModel/generate.py

bench: setup $(if $(filter --draw --list,$(ARGS)),,package) ## Build the packages, and run the benchmarks in release; ARGS go to them
	swift run -c release Benchmarks $(ARGS)

figures: ## Run the benchmarks into Performance.md's picture and table; ARGS=--draw only draws
	$(MAKE) bench ARGS="$(ARGS) --json Documentation/bench.json \
		--chart Documentation/Recorder.docc/Resources/bench.svg --table Documentation/Recorder.docc/Performance.md"

setup: ## Install what is missing: system packages, .venv
	@Scripts/setup

clean: ## Remove everything built or installed here
	rm -rf .build Packages Examples/.build .venv
