# A thin front to CMake; `make help` tells what there is. All the work is done by CMake, ctest and the scripts named here.

BUILD ?= build
DYNAMIC ?= build-dynamic
SANITIZED ?= build-sanitized
THREADED ?= build-threads
FUZZ ?= build-fuzz
WARNINGS ?= build-warnings
ARM64 ?= build-arm64
DEBIANS ?= build-debians
DEB ?= build-deb
DIST ?= build-dist
IMAGE ?= build-image
# For each target.
FUZZ_SECONDS ?= 60
JOBS ?= $(shell nproc)
# How many tests run at once. Most of them wait most of the time: for runtimes that hang, for deadlines, for containers.
TESTS ?= $(shell echo $$((5 * $(JOBS))))
# With sanitizers a test has five times as much to do, and waits less.
SANITIZED_TESTS ?= $(shell echo $$((3 * $(JOBS))))
PREFIX ?= /usr/local
# aarch64-linux-gnu-strip for what `make arm64` has built
STRIP ?= strip
DESTDIR ?=

# Of the group `tools`: looked for when they are run, since a target may install them first.
CLANG ?= $$(command -v clang-14 || echo clang-19)
CLANGXX ?= $$(command -v clang++-14 || echo clang++-19)
CLANG_FORMAT ?= clang-format-14
CLANG_TIDY ?= $$(command -v run-clang-tidy-14 || echo run-clang-tidy-19)

# The libraries in the program want their notices to go along: those of the packages that a static one is linked from. xxHash is compiled
# in from its header anyway.
INSIDE = $(shell { cut -d' ' -f1 $(BUILD)/generated/packages; echo libxxhash-dev; } 2>/dev/null | sort -u)

# The default of hooks.folder. The service may not make it.
PLUGINS = $(DESTDIR)/etc/runtime/hookserver.d

# Our own code; generated code is not held to these rules.
SOURCES = git ls-files '*.c' '*.cc' '*.h' ':!vendor'
TIDY_FOLDERS = base translate core docker node cli codegen

# Where the kernel scatters memory more widely than the thread sanitizer knows of (vm.mmap_rnd_bits), its programs do not even start.
# It needs room that stays where it is; where that may not be asked for, it is tried as it is.
STEADY = $(shell setarch -R true 2>/dev/null && echo setarch -R)

.NOTPARALLEL:
.PHONY: build all deps demo check hooks test test-sanitized test-night test-all test-docker test-dynamic test-chroots test-debians test-packages test-dist test-faults test-metrics test-killed test-koordlet test-kubelet test-machine test-kubernetes test-peers test-cluster deb dist image sanitized threaded warnings arm64 bench bench-check bench-docker-proxy fuzz docs tidy format-check install clean help

# What the checks are about is built with warnings as errors; whoever just builds has a compiler of their own, which may know more.
WERROR = -DCRIGATE_WERROR=ON

# The programs and what is installed with them.
build: $(BUILD)/build.ninja
	cmake --build $(BUILD) --parallel $(JOBS) --target programs

# Also what the tests run.
all: $(BUILD)/build.ninja
	cmake --build $(BUILD) --parallel $(JOBS)

$(BUILD)/build.ninja:
	cmake -S . -B $(BUILD) -G Ninja

deps:
	cmake/install-packages build tools test

demo:
	cmake/install-packages build
	$(MAKE) build
	deploy/demo/run $(BUILD)

# The fast round while working, under a minute after a build: no sanitizers, nothing that bears the label slow, and of the integration
# tests those that bear the label quick.
check: all format-check
	tests/run $(BUILD) --parallel $(TESTS) --label-exclude 'integration|e2e|slow'
	tests/run $(BUILD) --parallel $(TESTS) --label-regex quick

hooks:
	ln -sf "$(CURDIR)/tools/pre-commit" "$$(git rev-parse --git-path hooks)/pre-commit"

# The plain programs. What bears the label night is left to `make test-all`.
test: deps
	cmake -S . -B $(BUILD) -G Ninja $(WERROR)
	$(MAKE) all
	tests/run $(BUILD) --parallel $(TESTS) --label-exclude night
	@echo "make test: all tests passed ($(BUILD)). Memory, threads and hostile input: make test-sanitized"

# Left out of the run with the thread sanitizer are those that bear the label one_thread: their programs (codegen, and some that call
# nothing but translate/) have no second one, and take minutes there. Other programs of that kind end at once, and are not left out.
test-sanitized: deps
	$(MAKE) sanitized threaded
	tests/run $(SANITIZED) --parallel $(SANITIZED_TESTS) --label-exclude night
	$(STEADY) tests/run $(THREADED) --parallel $(SANITIZED_TESTS) --label-exclude 'one_thread|night'
	$(MAKE) fuzz FUZZ_SECONDS=10 FUZZ_OPTIONS=--steady
	@echo "make test-sanitized: all tests passed, with address and undefined-behaviour sanitizers ($(SANITIZED)) and with the thread"
	@echo "                     sanitizer ($(THREADED)); no fuzz target found anything"

# What takes too long for each change, and is for a night. A target of that kind is named here.
NIGHT = test-night warnings test-dynamic test-chroots test-debians test-packages test-dist test-faults test-metrics test-killed test-docker test-koordlet test-kubelet test-machine test-kubernetes test-peers fuzz arm64

test-all: test test-sanitized
	$(MAKE) $(NIGHT)
	@echo "make test-all: nothing failed, in $(NIGHT) neither"

# Tests that `make test` and `make test-sanitized` leave out, in each of their builds.
test-night: all sanitized threaded
	tests/run $(BUILD) --parallel $(TESTS) --label-regex night
	tests/run $(SANITIZED) --parallel $(SANITIZED_TESTS) --label-regex night
	$(STEADY) tests/run $(THREADED) --parallel $(SANITIZED_TESTS) --label-regex night

# FAULTS passes options on, such as --seed N.
test-faults: all
	$(BUILD)/faults --faults 1000 --gateway-faults 100 $(FAULTS)

# A real Prometheus scrapes nodes under faults, and every count is compared; meanwhile each alert fires, and clears.
test-metrics: all
	cmake/install-packages build test
	tests/monitoring/run $(BUILD) 600

# What is installed is static. A dynamic program is what comes of CRIGATE_STATIC=OFF, and where an archive is missing.
test-dynamic: deps
	cmake -S . -B $(DYNAMIC) -G Ninja -DCRIGATE_STATIC=OFF $(WERROR)
	cmake --build $(DYNAMIC) --parallel $(JOBS)
	tests/run $(DYNAMIC) --parallel $(TESTS) --label-exclude e2e

# Whether the program runs where it was not built.
test-chroots: build
	cmake/install-packages chroots
	tests/chroots $(BUILD)

# Whether it builds, and passes tests, on the Debians that follow.
test-debians:
	cmake/install-packages chroots
	JOBS=$(JOBS) TESTS=$(TESTS) tests/debians $(DEBIANS)

# install, uninstall and bypass, killed at each step; `make test` takes one in a few.
test-killed: all
	cmake/install-packages build test
	for file in killed_install killed_uninstall killed_docker bypass_killed allocations; do KILL_STRIDE=1 tests/node/run $(BUILD) $$file.bats || exit 1; done

# Docker Engine with cri-dockerd, and other real runtimes, built from their Go modules; Docker Engine is Debian's, unpacked and not installed.
test-docker: all
	cmake/install-packages build test docker
	tests/peers/build/build $(BUILD) docker cri-dockerd crio-1.36 containerd-2.4 stream-client
	tests/peers/docker/run $(BUILD)

# A real koordlet's hooks, built from its Go module.
test-koordlet: all
	cmake/install-packages build test peers
	tests/peers/build/build $(BUILD) koordlet
	CRIGATE_BUILD=$(abspath $(BUILD)) bats tests/peers/koordlet/koordlet.bats

# Real kubelets, runtimes and a cluster, built from their Go modules: each pair directly and through crigate. A peer that is known not to build
# stands in the page with its error. The page is made whatever failed, and says so.
test-peers: all
	cmake/install-packages build test packages chroots peers docker
	tests/peers/build/build $(BUILD)
	failed=0; \
	tests/peers/matrix/run $(BUILD) || failed=1; \
	tests/peers/cluster/run $(BUILD) $(CLUSTER) || failed=1; \
	tests/peers/cluster/daemonset $(BUILD) || failed=1; \
	CRIGATE_BUILD=$(abspath $(BUILD)) bats tests/peers/images/images.bats || failed=1; \
	tests/node/run $(BUILD) snapshotter.bats || failed=1; \
	tests/peers/page $(BUILD) || failed=1; \
	exit $$failed

# The Debian packages; then the same, an rpm, a tarball, what is inside, and checksums.
deb:
	cmake/install-packages build packages
	JOBS=$(JOBS) packaging/make-deb $(DEB)

dist:
	cmake/install-packages build packages
	JOBS=$(JOBS) packaging/make-dist $(DIST)

# The container image, of the program alone; it is also part of dist.
image: build
	cmake/install-packages build packages
	rm -rf $(IMAGE) && mkdir -p $(IMAGE)
	$(MAKE) install BUILD=$(BUILD) PREFIX=/usr DESTDIR=$(abspath $(IMAGE))/root
	packaging/make-image $(IMAGE)/root $(IMAGE)/crigate-$$($(BUILD)/crigate --version | cut -d ' ' -f 2)-linux-$$(dpkg --print-architecture).oci.tar
	@ls $(IMAGE)/*.oci.tar

# Whether they install, upgrade and go as they should.
test-packages: all
	cmake/install-packages build packages chroots
	cmake --build $(BUILD) --parallel $(JOBS) --target crigate_other_takeover
	JOBS=$(JOBS) tests/packages/run $(BUILD) $(DEB)

# Whether they are the same when they are made elsewhere.
test-dist:
	cmake/install-packages build packages
	JOBS=$(JOBS) tests/packages/dist $(DIST)

# A real kubelet of the newest release, built from its Go module: crigate comes onto its node and goes.
test-kubelet: all
	cmake/install-packages build test
	tests/peers/build/build $(BUILD) kubelet-1.37
	tests/peers/kubelet/run $(BUILD)

# Whether the manifests are what Kubernetes takes, and the Helm chart says the same: by the libraries of kustomize and Helm, built from their
# Go modules, and the types of the API.
test-kubernetes: all
	cmake/install-packages build test
	tests/kubernetes/manifests/build $(BUILD)
	$(BUILD)/kubernetes-manifests deploy/kubernetes
	tests/run $(BUILD) --tests-regex '^(kubernetes_|node_on_host)'

# The package on a whole Debian 12 with a real containerd, with a stand-in for the kubelet, with a real one, and with a real koordlet.
test-machine: all
	cmake/install-packages build test packages chroots peers
	JOBS=$(JOBS) packaging/make-deb $(DEB)
	tests/peers/build/build $(BUILD) kubelet-1.37 koordlet
	tests/machine/run $(BUILD) $(DEB)

# A cluster of one node: a control plane, a kubelet and two runtimes, all real, and crigate between them; then the DaemonSet of deploy/kubernetes.
# CLUSTER passes options on, such as --minutes 2.
test-cluster: all
	cmake/install-packages build test packages chroots peers docker
	tests/peers/build/build $(BUILD) kubelet-1.37 etcd control-plane-1.37 crio-1.36
	tests/peers/cluster/run $(BUILD) $(CLUSTER)
	tests/peers/cluster/daemonset $(BUILD)

sanitized:
	cmake -S . -B $(SANITIZED) -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCRIGATE_SANITIZE=address,undefined $(WERROR)
	cmake --build $(SANITIZED) --parallel $(JOBS)

threaded:
	cmake -S . -B $(THREADED) -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCRIGATE_SANITIZE=thread $(WERROR)
	$(STEADY) cmake --build $(THREADED) --parallel $(JOBS)

# Kinds of builds that no test runs.
warnings:
	JOBS=$(JOBS) tests/warnings $(WARNINGS)

# Cross-built, and tested with QEMU. The tables are made by the codegen of this machine.
arm64:
	cmake/install-packages build arm64
	cmake/arm64/make-sysroot $(ARM64)-sysroot
	cmake -S . -B $(BUILD) -G Ninja
	cmake --build $(BUILD) --parallel $(JOBS) --target codegen
	cmake -S . -B $(ARM64) -G Ninja --toolchain cmake/arm64.cmake -DCMAKE_SYSROOT=$(abspath $(ARM64)-sysroot) \
		-DCRIGATE_STATIC=ON -DCRIGATE_HOST_CODEGEN=$(abspath $(BUILD))/codegen/codegen $(WERROR)
	cmake --build $(ARM64) --parallel $(JOBS) --target crigate crisim hooksim codegen tests/unit/all
	tests/arm64/run $(ARM64)

# BENCH passes options on, such as --quick or --only same,merged.
bench: all
	tests/bench/run $(BUILD) $(BENCH)

# Beside nginx, where that is installed; NGINX=PROGRAM names one that is not.
bench-docker-proxy: all
	tests/bench/docker_proxy/run $(BUILD)

bench-check: all
	tests/bench/run $(BUILD) --only same,merged,cross
	tests/bench/check $(BUILD)

fuzz:
	cmake/install-packages build tools
	cmake -S . -B $(FUZZ) -G Ninja -DCMAKE_C_COMPILER=$(CLANG) -DCMAKE_CXX_COMPILER=$(CLANGXX) \
		-DCRIGATE_SANITIZE=fuzzer-no-link,address,undefined $(WERROR)
	cmake --build $(FUZZ) --parallel $(JOBS) --target fuzz_targets
	JOBS=$(JOBS) tests/fuzz/run $(FUZZ_OPTIONS) $(FUZZ) $(FUZZ_SECONDS)

docs: build
	cmake/install-packages tools
	cp $(BUILD)/generated/translation.md docs/translation.md
	tests/architecture/picture.py .
	tools/pictures/draw.py
	tools/pairs

# Also part of every build where there is a pandoc; this says so if there is none.
.PHONY: man
man: $(BUILD)/build.ninja
	cmake --build $(BUILD) --target man

tidy: all
	$(CLANG_TIDY) -quiet -p $(BUILD) -j $(JOBS) $(TIDY_FOLDERS:%='^$(CURDIR)/%/')

format-check:
	$(SOURCES) | xargs $(CLANG_FORMAT) --dry-run --Werror

# The manual pages of what is installed, if they were made.
MANUAL = $(wildcard $(BUILD)/man/crigate*)

# Builds nothing: it is run as root, whom the build folder would belong to then.
# The debug information stays in the build folder.
install:
	@[ -x $(BUILD)/crigate ] || { echo "make install: there is no $(BUILD)/crigate; build it first, as yourself: make" >&2; exit 1; }
	install -D -s --strip-program=$(STRIP) -m 0755 $(BUILD)/crigate $(DESTDIR)$(PREFIX)/bin/crigate
	install -D -m 0644 deploy/crigate.yaml $(DESTDIR)$(PREFIX)/share/doc/crigate/crigate.yaml
	install -m 0644 README.md SECURITY.md CHANGELOG.md LICENSE $(DESTDIR)$(PREFIX)/share/doc/crigate
	for package in $(INSIDE); do \
		[ ! -f /usr/share/doc/$$package/copyright ] || \
		install -m 0644 /usr/share/doc/$$package/copyright $(DESTDIR)$(PREFIX)/share/doc/crigate/copyright.$$package || exit 1; \
	done
	install -m 0644 vendor/llhttp/LICENSE $(DESTDIR)$(PREFIX)/share/doc/crigate/copyright.llhttp
	install -d $(DESTDIR)$(PREFIX)/share/doc/crigate/docs/pictures $(DESTDIR)$(PREFIX)/lib/systemd/system $(DESTDIR)$(PREFIX)/lib/tmpfiles.d
	install -m 0644 docs/*.md docs/architecture.svg docs/performance.svg docs/performance.txt docs/performance.json $(DESTDIR)$(PREFIX)/share/doc/crigate/docs
	install -m 0644 docs/pictures/*.* $(DESTDIR)$(PREFIX)/share/doc/crigate/docs/pictures
	for unit in crigate.service crigate.socket crigate-docker.service crigate-dockershim.service crigate-docker-proxy.service; do \
		sed -E 's,/usr/(bin|share)/,$(PREFIX)/\1/,' deploy/$$unit >$(DESTDIR)$(PREFIX)/lib/systemd/system/$$unit || exit 1; \
	done
	install -m 0644 deploy/crigate.tmpfiles.conf $(DESTDIR)$(PREFIX)/lib/tmpfiles.d/crigate.conf
	install -D -m 0755 deploy/node-problem-detector/crigate-problem $(DESTDIR)$(PREFIX)/libexec/crigate/crigate-problem
	for file in prometheus/rules.yaml grafana/crigate.json node-problem-detector/crigate-monitor.json drop-ins/metrics.conf drop-ins/audit.conf logrotate/crigate; do \
		install -D -m 0644 deploy/$$file $(DESTDIR)$(PREFIX)/share/crigate/$$file || exit 1; \
	done
	sed -i 's,/usr/libexec/,$(PREFIX)/libexec/,' $(DESTDIR)$(PREFIX)/share/crigate/node-problem-detector/crigate-monitor.json
	for page in $(MANUAL); do \
		folder=$(DESTDIR)$(PREFIX)/share/man/man$${page##*.}; \
		install -d $$folder && gzip -9nc $$page >$$folder/$${page##*/}.gz && chmod 0644 $$folder/$${page##*/}.gz || exit 1; \
	done
	[ ! -f $(BUILD)/completion/crigate.bash ] || \
		install -D -m 0644 $(BUILD)/completion/crigate.bash $(DESTDIR)$(PREFIX)/share/bash-completion/completions/crigate
	[ ! -f $(BUILD)/completion/crigate.zsh ] || \
		install -D -m 0644 $(BUILD)/completion/crigate.zsh $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_crigate
	[ -d $(PLUGINS) ] || install -d -m 0755 $(dir $(PLUGINS)) $(PLUGINS) || \
		echo "make install: cannot make $(PLUGINS), where plugins are named; only hooks need it" >&2

clean:
	rm -rf $(BUILD) $(DYNAMIC) $(SANITIZED) $(THREADED) $(FUZZ) $(WARNINGS) $(ARM64) $(ARM64)-sysroot $(DEBIANS) $(DEB) $(DIST) $(IMAGE)

help:
	@echo "make               build into $(BUILD)/, as static programs: crigate; crisim, a simulated runtime; hooksim, a simulated plugin"
	@echo "make all           also build what the tests run; each target that tests does so itself"
	@echo "make demo          install what the build needs, build, and show the main job at work"
	@echo "make check         format, architecture, unit tests and the quick integration tests (a minute)"
	@echo "make hooks         have git check format and includes before each commit"
	@echo "make test          install what is missing, build, and test the programs (a quarter of an hour on two cores)"
	@echo "make test-sanitized  the same code with address, undefined-behaviour and thread sanitizers, and fuzzed (half an hour on two cores)"
	@echo "make test-all      make test, make test-sanitized, then what is for a night: $(NIGHT)"
	@echo "make test-night    the tests that both leave out: more with a real containerd and a real Prometheus, fixture nodes with sanitizers (40 minutes)"
	@echo "make test-dynamic  unit and integration tests of programs that are linked dynamically (10 minutes)"
	@echo "make test-chroots  the static program in an older and a newer Debian, made by debootstrap (root and the network; 3 minutes)"
	@echo "make test-debians  builds on Debian 13 and sid, with gcc and clang 19, and the tests there (root and the network; an hour)"
	@echo "make test-packages the Debian packages, in a Debian that is booted (root and the network; 5 minutes)"
	@echo "make test-dist     whether make dist gives the same bytes in another folder (10 minutes)"
	@echo "make test-faults   a node whose runtimes and gateway are killed, stopped and replaced (6 minutes)"
	@echo "make test-metrics  a real Prometheus: each count of nodes under faults, each alert live (12 minutes)"
	@echo "make test-killed   install, uninstall and bypass on a fixture node, killed at each step (root; 15 minutes)"
	@echo "make test-docker   real runtimes: Docker Engine with cri-dockerd, and others, built from their Go modules (root and the network; 20 minutes)"
	@echo "make test-koordlet the hooks of a real koordlet, built from its Go module (the network; 4 minutes)"
	@echo "make test-kubelet  crigate comes onto the node of a real kubelet, built from its Go module, and goes (root and the network; 10 minutes)"
	@echo "make test-kubernetes  the manifests and the Helm chart, by Kubernetes' own types (the network; 5 minutes)"
	@echo "make test-peers    real kubelets and runtimes of many releases and a cluster, built from their Go modules (root and the network; hours, most of them to build)"
	@echo "make test-machine  the Debian package on a whole Debian 12: containerd, a real kubelet, a pod that runs on (root and the network; 15 minutes)"
	@echo "make test-cluster  a real cluster of one node with two runtimes, whose crigate is taken over every ten seconds (root and the network; 90 minutes, most of them to build)"
	@echo "make warnings      whether release builds of gcc and clang have any (a minute)"
	@echo "make arm64         build for arm64 into $(ARM64)/, and run the unit tests and a pod's life there with QEMU"
	@echo "make bench         measure what the gateway costs, beside a direct connection"
	@echo "make bench-check   the same, and whether its ratios are those of tests/bench/ratios.json (8 minutes, on a quiet machine)"
	@echo "make bench-docker-proxy  measure what crigate docker-proxy costs, beside nginx"
	@echo "make fuzz          feed the parsers with hostile input"
	@echo "make docs          renew what is made from tables, CMake files and drawings: docs/translation.md, docs/pairs.md, the pictures that are no terminals"
	@echo "make man           make the manual pages, in $(BUILD)/man/; \`make\` does so, too, if there is a pandoc"
	@echo "make tidy          clang-tidy over our own code"
	@echo "make format-check  whether clang-format would change anything"
	@echo "make install       install what was built to DESTDIR=$(DESTDIR) PREFIX=$(PREFIX)"
	@echo "make deb           make the Debian packages, in $(DEB)/"
	@echo "make dist          make all that a release consists of, in $(DIST)/: Debian packages, rpm, tarball, image, SPDX, SHA256SUMS"
	@echo "make image         make the container image, in $(IMAGE)/"
	@echo "make deps          install the Debian packages that are missing for the build and the tests (cmake/packages.txt)"
	@echo "make clean         remove the build folders"
	@echo "Settings: BUILD, DYNAMIC, SANITIZED, THREADED, FUZZ, WARNINGS, ARM64, DEBIANS, DEB, DIST, IMAGE (folders), FUZZ_SECONDS, JOBS, TESTS (at once), PREFIX, DESTDIR, FAULTS (options of test-faults), CLUSTER (options of test-cluster), BENCH (options of the bench)"
