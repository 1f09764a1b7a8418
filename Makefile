# What a developer types; `make help` lists it. Go, make and git are enough:
# other tools are pinned here and run by Go itself.

GO       ?= go
PKG      ?= ./...
FUZZTIME ?= 20s
BENCH_SCALE ?= 0.1
SOAK_SHARE ?= 1
DEMO      = fixtures/finalizer-no-controller/input

ACTIONLINT    = github.com/rhysd/actionlint/cmd/actionlint@v1.7.12
GOLANGCI_LINT = github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0

.DEFAULT_GOAL := help

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: demo
demo: ## analyze a real capture of a stuck pod
	@$(GO) run ./cmd/podautopsy analyze $(DEMO)

.PHONY: build
build: ## build bin/podautopsy
	CGO_ENABLED=0 $(GO) build -trimpath -o bin/podautopsy ./cmd/podautopsy

.PHONY: dist
dist: ## build what is released, into dist: archives, deb, rpm, checksums
	$(GO) run ./packaging $(DIST_FLAGS)

.PHONY: test
test: vet ## vet, then run every test in random order
	$(GO) test -shuffle=on -timeout 30m $(TESTFLAGS) $(PKG)
	@$(MAKE) --no-print-directory libsystemd

.PHONY: libsystemd
libsystemd: ## compare our reader of journals with systemd's own library
	@GO="$(GO)" .ci/libsystemd

.PHONY: race
race: ## the tests under the race detector; needs a C compiler
	@if command -v cc >/dev/null || command -v gcc >/dev/null; then \
		set -x; CGO_ENABLED=1 $(GO) test -race $(TESTFLAGS) $(PKG); \
	else echo "make race: skipped, there is no C compiler (apt-get install gcc)"; fi

.PHONY: vet
vet:
	$(GO) vet $(PKG)

.PHONY: fmt
fmt: ## format the code, as the linters want it
	$(GO) run $(GOLANGCI_LINT) fmt

.PHONY: lint
lint: ## run the linters; the first time builds them, which takes minutes
	$(GO) run $(ACTIONLINT)
	$(GO) run $(GOLANGCI_LINT) run $(PKG)

.PHONY: fuzz
fuzz: ## run every fuzz target for FUZZTIME (20s); PKG=./parsers narrows it
	@GO="$(GO)" .ci/fuzz $(FUZZTIME) $(PKG)

.PHONY: soak
soak: ## every hostile bundle and every fault, for hours, or one in SOAK_SHARE faults; writes docs/reliability.md
	ROBUSTNESS=soak $(GO) test ./fixtures/hostile -count=1 -timeout 4h -args -figures
	ROBUSTNESS=soak $(GO) test ./fixtures/robustness -run "TestEachFile|TestHalfTheEvidence" -count=1 -timeout 12h -args -figures -share $(SOAK_SHARE)

.PHONY: bench
bench: ## measure us against other tools; BENCH_SCALE=1 is full size, see docs/performance.md
	$(GO) test ./fixtures/bench -run 'Targets$$' -count=1 -timeout 4h -v -targets -scale $(BENCH_SCALE) $(BENCH_FLAGS)

.PHONY: bench-allocs
bench-allocs: ## run the Go benchmarks six times, for benchstat; compare allocs/op first
	@$(GO) test -run '^$$' -bench . -benchmem -benchtime 200ms -count 6 $(PKG)

.PHONY: cover
cover: ## measure the tests' coverage
	$(GO) test -coverpkg=./... -coverprofile=coverage.out $(PKG)
	@$(GO) tool cover -func=coverage.out | tail -n 1

.PHONY: screenshots
screenshots: ## take the pictures of the reports again; needs Chromium
	$(GO) test ./analyzer/report -run 'TestScreenshots$$' -count=1 -update

# Fixtures come first: docs/signatures.md says which of them show a signature.
.PHONY: golden
golden: ## rewrite stored outputs and generated documents; review the diff
	$(GO) test ./analyzer -run Packed -update
	$(GO) test ./analyzer/report ./fixtures ./fixtures/layouts -run 'Golden|JSONRoundTrip' -update
	$(GO) test ./cmd/podautopsy -run 'Scripts|Docs' -update
	$(GO) test ./docs -run Docs -update
	$(GO) test ./fixtures/robustness -run Calibration -update
