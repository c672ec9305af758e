# userd: build, try, test.
#
#   make demo      build userd and show it at work, online and offline
#   make test      run all tests; make test-long repeats more of what they repeat
#   make recordings  make the recordings that tests replay
#   make soak      simulate days of userd for SECONDS (600), or replay the day of SEED
#   make faults    cause faults at each place once: crashes, power cuts, full disks, damage, hostile parties; prints a table
#                  of the results; make faults-long repeats more of them
#   make directories  run userd with Samba as an Active Directory domain controller, 389 Directory Server, OpenLDAP, and web
#                  servers and OpenID providers from PyPI, and print tables of the results; BIN=folder runs the programs in that
#                  folder instead of building them; ONLY=web leaves the LDAP servers out, ONLY=ldap the web servers
#   make clients   let Thunderbird, Evolution's server, KDE's libraries and vdirsyncer read an address book, and neomutt, aerc and Emacs
#                  search by userctl; BIN=folder runs the programs in that folder instead of building them; COUNT=20000 QUICK=1
#                  measures two syncs of a large book
#   make fuzz      fuzz the parsers of what clients and upstreams send with RUNS (200000) inputs each, from SEED (1)
#   make sanitize  run all tests under ThreadSanitizer, then AddressSanitizer; SANITIZER=thread or address for one of them
#   make coverage  run all tests and print the coverage of our code
#   make bench     compare speed and memory with other programs; ROWS="1 2 3" measures only those
#   make fleet     measure a hundred userd behind nginx's cache, for FLEET_SECONDS (600); with MODE=changes, a hundred that read only
#                  what changed of a stand-in for Microsoft Graph, and then the whole list
#   make picture   draw the README's picture of a terminal
#   make docs      render the articles as a site in .build/docs, for the path BASE (/) of a server; fails if a link is broken
#   make lint      check the format of the code
#   make install   install userd, userctl, manual pages and completions into PREFIX (default: ~/.local)
#   make uninstall remove them; `userctl service remove` before it removes what userd keeps in your home folder
#   make deb       make a Debian package in .build/deb; make test-deb tests it, also on fresh systems of Debian 12 and 13

SHELL := /bin/bash
.ONESHELL:
.SHELLFLAGS := -euo pipefail -c

PREFIX ?= $(HOME)/.local
DESTDIR ?=
# Without a search path for libraries, which would make each start look for libc in five wrong folders.
RELEASE := -c release --static-swift-stdlib --disable-local-rpath
PROGRAMS := userd userctl

# Debian packages for building, for making the Debian package, and for the tests.
BUILD_PACKAGES := libsqlite3-dev libldap-dev libssl-dev libturbojpeg0-dev libpng-dev libutf8proc-dev libyaml-dev libexpat1-dev \
    zlib1g-dev libsystemd-dev
DEB_PACKAGES := binutils chrpath debhelper dpkg-dev
TEST_PACKAGES := openssl iproute2 procps util-linux systemd netcat-openbsd python3 python3-venv jq varlink-go \
    zsh fish mandoc tmux fzf git golang-go sqlite3 dbus

# Options of `swift build` for the tests. CI builds them without debug information.
BUILD_OPTIONS ?=

# Unpacked, not installed: an LDAP server and its tools, and an OAuth provider.
SLAPD := slapd ldap-utils libodbc2 libltdl7 libwrap0
GLEWLWYD := glewlwyd glewlwyd-common libcbor0.8 libconfig9 libhoel1.4 libiddawc1.1 libjansson4 liboath0 liborcania2.3 \
    librhonabwy1.1 libulfius2.7 libyder2.0 libmicrohttpd12 libpq5 libmariadb3 libldap-2.5-0 libsasl2-2

# MIT's KDC and libsasl's plugin for Kerberos.
KRB5 := krb5-kdc krb5-admin-server krb5-user libkadm5clnt-mit12 libkadm5srv-mit12 libkdb5-10 libgssrpc4 libverto1 \
    libverto-libev1 libev4 libsasl2-modules-gssapi-mit

BENCH_PACKAGES := binutils curl gcc hyperfine jq libc6-dev nginx-light python3 redis-server sqlite3 systemd \
    systemd-userdbd time util-linux

.PHONY: all build build-tests release demo-upstream demo test test-long recordings soak faults faults-long directories clients fuzz sanitize bench fleet coverage picture docs lint format install uninstall deb test-deb packages test-packages clean

all: build

packages:
	@.ci/packages $(BUILD_PACKAGES)

test-packages: packages
	@.ci/packages $(BUILD_PACKAGES) $(DEB_PACKAGES) $(TEST_PACKAGES)
	@.ci/clients
	@.ci/unpack slapd $(SLAPD)
	@.ci/unpack glewlwyd $(GLEWLWYD)
	@.ci/unpack krb5 $(KRB5)

build: packages
	swift build

build-tests: packages
	swift build --build-tests $(BUILD_OPTIONS)

release: packages
	@.ci/packages binutils
	for program in $(PROGRAMS) userd-manual; do swift build $(RELEASE) --product $$program; done
	.ci/check-release "$$(swift build $(RELEASE) --show-bin-path)"

# Built like the release, for targets that need an upstream. It is not installed.
demo-upstream: release
	swift build $(RELEASE) --product userd-demo-upstream

# Uses the tests' debug build: a release build takes twice as long.
demo: packages
	for program in $(PROGRAMS) userd-demo-upstream; do swift build --product $$program; done
	.ci/demo "$$(swift build --show-bin-path)"

test: test-packages build-tests
	.ci/test

test-long: export USERD_TEST_LONG = 1
test-long: test

# A test makes the recordings with the demo upstream, and checks them. They are never edited.
recordings: test-packages
	swift build --build-tests
	USERD_TEST_RECORD=1 swift test --skip-build --no-parallel --filter SystemTests.ReplayTests/kept

SECONDS ?= 600
soak: test-packages
	swift build --build-tests
	if [[ -n "$(SEED)" ]]; then export SIMULATOR_SEED=$(SEED); else export SIMULATOR_SECONDS=$(SECONDS); fi
	swift test --skip-build --filter SimulationTests.days

# ONLY=suite, SEED=seed and AT=call repeat a single fault.
faults: test-packages
	swift build --build-tests
	FAULT_SEED=$(or $(SEED),1) FAULT_AT=$(AT) .ci/faults $(ONLY)

faults-long: export USERD_TEST_FAULTS = long
faults-long: faults

directories: $(if $(BIN),,release)
	@.ci/packages dpkg iproute2 python3 python3-venv util-linux
	bin="$(or $(BIN),$$(swift build $(RELEASE) --show-bin-path))"
	code=0
	[[ "$(ONLY)" == web ]] || .ci/directories "$$bin" || code=1
	[[ "$(ONLY)" == ldap ]] || .ci/web-directories "$$bin" || code=1
	exit $$code

# Real mail clients, without a display.
CLIENT_PACKAGES := dbus evolution-data-server g++ gir1.2-ebook-1.2 gir1.2-ebookcontacts-1.2 gir1.2-edataserver-1.2 \
    libkf5contacts-dev libkf5coreaddons-dev libkf5dav-dev pkg-config python3 python3-gi python3-venv thunderbird neomutt \
    aerc emacs-nox tmux
clients: $(if $(BIN),,release)
	@.ci/packages $(CLIENT_PACKAGES)
	@.ci/clients
	.ci/mail-clients "$(or $(BIN),$$(swift build $(RELEASE) --show-bin-path))" $(COUNT)

RUNS ?= 200000
fuzz: packages
	RUNS=$(RUNS) SEED=$(or $(SEED),1) KEEP=$(KEEP) .ci/fuzz

SANITIZER ?= thread address
sanitize: test-packages
	code=0
	for kind in $(SANITIZER); do .ci/sanitize $$kind || code=1; done
	exit $$code

# BIN=folder measures the programs in that folder instead of building them. WORK=folder keeps the prepared data for the next
# run; it has to be on a disk.
bench: $(if $(BIN),,demo-upstream)
	@.ci/packages $(BENCH_PACKAGES)
	@.ci/unpack slapd $(SLAPD)
	Benchmarks/bench "$(or $(BIN),$$(swift build $(RELEASE) --show-bin-path))" --output "$(or $(OUT),.build/bench)" \
	    --runs $(or $(RUNS),7) --rows "$(ROWS)" $(if $(WORK),--work "$(WORK)")

FLEET_SECONDS ?= 600
fleet: $(if $(BIN),,demo-upstream)
	@.ci/packages $(BENCH_PACKAGES)
	Benchmarks/fleet "$(or $(BIN),$$(swift build $(RELEASE) --show-bin-path))" $(MODE) --seconds $(FLEET_SECONDS) \
	    --output "$(or $(OUT),.build/bench)"

# The README's picture of a terminal.
picture: packages
	@.ci/packages python3 tmux
	for program in $(PROGRAMS) userd-demo-upstream; do swift build --product $$program; done
	.ci/screenshot "$$(swift build --show-bin-path)" Sources/Daemon/userd/userd.docc/Terminal.svg

coverage: test-packages
	.ci/coverage

BASE ?= /
docs:
	.ci/docs "$(or $(OUT),.build/docs)" "$(BASE)"

lint:
	swift format lint --strict --recursive Package.swift Sources Tests Migrations

format:
	swift format --in-place --recursive Package.swift Sources Tests Migrations

# BIN=folder installs the programs in that folder instead of building them.
install: $(if $(BIN),,release)
	@.ci/install "$(or $(BIN),$$(swift build $(RELEASE) --show-bin-path))" "$(DESTDIR)" "$(PREFIX)"

# Stops the service first if its unit is in PREFIX. Tells what userd keeps in the home folder, which stays.
uninstall:
	@userctl="$(PREFIX)/bin/userctl"
	if [[ -z "$(DESTDIR)" && -x "$$userctl" ]]; then
	    unit=$$(systemctl --user show --property=FragmentPath --value userd.service 2>/dev/null || true)
	    if [[ "$$unit" == "$(PREFIX)/"* ]]; then "$$userctl" service disable || true; fi
	    # Off a terminal, it only tells.
	    left=$$("$$userctl" service remove --configuration </dev/null 2>&1 | sed -n 's/^userctl: to be removed: /  /p' || true)
	    [[ -z "$$left" ]] ||
	        printf '%s\n' "These stay. \`userctl service remove\` removes them: run it before \`make uninstall\`, or remove them." "$$left"
	fi
	.ci/install --remove "$(DESTDIR)" "$(PREFIX)"

deb: $(if $(BIN),,release)
	@.ci/packages $(DEB_PACKAGES)
	.ci/deb "$(or $(BIN),$$(swift build $(RELEASE) --show-bin-path))" "$(or $(OUT),.build/deb)"

# Tests the package of the release build; `make test` tests one of the debug build.
# BIN=folder tests the programs in that folder instead of building them.
test-deb: $(if $(BIN),,demo-upstream) test-packages
	swift build --build-tests
	export USERD_PACKAGED="$(or $(BIN),$$(swift build $(RELEASE) --show-bin-path))"
	swift test --skip-build --no-parallel --filter PackageTests
	.ci/packages debootstrap lintian
	.ci/test-deb "$$USERD_PACKAGED"

clean:
	swift package clean
