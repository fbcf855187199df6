# make            build tally            make test      everything, then `N passed, N failed'
# make demo       see it at work         make bench     speed and scale, as tables
# make install    PREFIX=/usr/local      make check     clang-tidy, cppcheck, format, manual pages
# make test T='core/*'  some of the tests by name       make test FAST=1  without the slow ones
# make V=1 ...          show the commands
# make SANITIZE=1 ...   the same with address and undefined-behaviour sanitizers
# make fuzz       feed damaged maps, profiles and patches to the readers, by libFuzzer, until ^C
# make bless      accept what the tests print as what they should print
# make torture    2000 programs that csmith makes up; N=500 chooses how many, FIRST the seed; then
#                 gcc's own torture test through zprof
# make soak       storms and kills at random for ten minutes, as a table; MINUTES=2, SEED=1
# make realworld  programs from Debian's sources, as a table; P='git lua' chooses

VERSION = 0.1
PREFIX  = /usr/local
CC      = gcc
CFLAGS  = -O2 -g
WARN    = -Wall -Wextra
# ABI=N makes a tally whose programs have another layout: test/asm/versions has two in one process.
ABI       =
ABIFLAG   = $(ABI:%=-DABI=%)
ALLCFLAGS = -std=c11 -D_GNU_SOURCE $(WARN) -Isrc $(ABIFLAG) -DVERSION='"$(VERSION)"' -MMD -MP $(CFLAGS)

BUILD = build
ifdef SANITIZE
BUILD = build/sanitize
SAN   = -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
ALLCFLAGS += $(SAN)
LDFLAGS += $(SAN)
endif

SRC   = $(filter-out src/runtime/% src/zprof/%,$(wildcard src/*.c src/*/*.c src/*/*/*.c))
OBJ   = $(SRC:%.c=$(BUILD)/%.o) $(BUILD)/runtime.o $(MADE:%=$(BUILD)/%.o)
MADE  = grammar scan zprofheader htmlcss htmljs
ROOMS = $(filter-out $(BUILD)/src/tally.o,$(OBJ))
LDLIBS = -lZydis -lZycore -ldw -lelf -liberty
UNIT  = $(patsubst %.c,$(BUILD)/%,$(filter-out test/sample/% test/soak.d/%,$(wildcard test/*/*.c)))
BENCH = $(patsubst %.c,$(BUILD)/%,$(wildcard bench/*.c))
MAN   = $(wildcard doc/man/*.[17])
NAMES = lcomp lcc lprint bb zprof ctrace
PARTS = as cc1 cc1plus f951 gnat1 ld.gold
NPROC := $(shell nproc 2>/dev/null || echo 2)

.PHONY: all test units bless fuzz demo bench check install clean realworld torture soak
.SECONDARY:

all: $(BUILD)/tally $(BUILD)/libzprof.a $(NAMES:%=$(BUILD)/%)

# Each step says what it makes; V=1 shows the whole command.
Q = $(if $(V),,@echo "  $@";)

$(BUILD)/tally: $(BUILD)/src/tally.o $(BUILD)/rooms.a
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)

# The names of old.
$(NAMES:%=$(BUILD)/%):
	@mkdir -p $(@D)
	$(Q)ln -sf tally $@

$(BUILD)/rooms.a: $(ROOMS)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

$(BUILD)/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALLCFLAGS) -c -o $@ $<

# The C road's scanner and parser.
$(BUILD)/grammar.c $(BUILD)/grammar.h &: src/road/c/grammar.y
	@mkdir -p $(@D)
	$(Q)bison -Werror -o $(BUILD)/grammar.c --defines=$(BUILD)/grammar.h $<

$(BUILD)/scan.c: src/road/c/scan.l
	@mkdir -p $(@D)
	$(Q)flex -CFe -o $@ $<

$(BUILD)/scan.o $(BUILD)/grammar.o: $(BUILD)/%.o: $(BUILD)/%.c $(BUILD)/grammar.h
	$(Q)$(CC) $(ALLCFLAGS) -I$(BUILD) -c -o $@ $<

# What zprof writes before a text, and the library that goes with it.
$(BUILD)/zprofheader.c: src/zprof/zprof.h Makefile
	@mkdir -p $(@D)
	$(Q)(echo 'extern const char zprofheader[];'; echo 'const char zprofheader[] ='; \
		sed 's/[\\"]/\\&/g; s/.*/"&\\n"/' $<; echo ';') >$@

# What tally html writes into every site.
$(BUILD)/html%.c: src/report/html.% Makefile
	@mkdir -p $(@D)
	$(Q)(echo 'extern const char html$*[];'; echo 'const char html$*[] ='; \
		sed 's/[\\"]/\\&/g; s/.*/"&\\n"/' $<; echo ';') >$@

$(BUILD)/zprofheader.o $(BUILD)/htmlcss.o $(BUILD)/htmljs.o: %.o: %.c
	$(Q)$(CC) $(ALLCFLAGS) -c -o $@ $<

$(BUILD)/libzprof.a: src/zprof/zprof.c src/zprof/zprof.h Makefile
	@mkdir -p $(@D)
	$(Q)$(CC) -std=c11 $(WARN) $(CFLAGS) -c -o $(BUILD)/libzprof.o $< && rm -f $@ && $(AR) rcs $@ $(BUILD)/libzprof.o

# The runtime goes into the programs that are counted, as text for the assembler.
$(BUILD)/runtime.s: src/runtime/runtime.c Makefile
	@mkdir -p $(@D)
	$(Q)gcc -std=gnu11 $(WARN) -Os -S -Isrc -MMD -MP -MF $@.d $(ABIFLAG) -fPIC -ffreestanding -fno-stack-protector \
		-fcf-protection=none -fasynchronous-unwind-tables -mgeneral-regs-only \
		-fno-tree-loop-distribute-patterns -fno-toplevel-reorder -o $@ $<

$(BUILD)/runtime.c: $(BUILD)/runtime.s src/guest/embed
	$(Q)src/guest/embed $< >$@.new && mv $@.new $@

$(BUILD)/runtime.o: $(BUILD)/runtime.c
	$(Q)$(CC) $(ALLCFLAGS) -c -o $@ $<

$(UNIT) $(BENCH): %: %.o $(BUILD)/rooms.a
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS) -lm -pthread

units: all $(UNIT)

# The tests install what they need, so they look before anything is built.
test:
	@test/needs test
	@$(MAKE) --no-print-directory $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$(NPROC)) units
	@BUILD=$(BUILD) test/run -j$(NPROC) $(if $(FAST),--fast) $(T:%='%')

bless: units
	@BUILD=$(BUILD) test/run -j$(NPROC) --bless $(T:%='%')

# For clang with its sanitizers' runtime: Debian's libclang-rt-dev.
fuzz: all
	mkdir -p $(BUILD)/fuzz/corpus
	perl -e 'for (<test/fuzz/*/*>) { my $$k = m,/map/, ? 0 : m,/profile/, ? 1 : 2; local $$/; open F, "<", $$_; (my $$n = $$_) =~ s,/,-,g; \
		open O, ">", "$(BUILD)/fuzz/corpus/$$n"; print O pack("Q", $$k), <F> }'
	clang -std=c11 -D_GNU_SOURCE -DLIBFUZZER -g -O1 -fsanitize=fuzzer,address,undefined -Isrc \
		-DVERSION='"$(VERSION)"' -o $(BUILD)/fuzz/readers test/fuzz/readers.c \
		$(filter-out src/tally.c src/base/msg.c src/cmd/% src/standin/%,$(SRC)) $(LDLIBS)
	$(BUILD)/fuzz/readers $(FUZZ) $(BUILD)/fuzz/corpus

demo:
	@test/needs build
	@$(MAKE) --no-print-directory -j$(NPROC) all
	@BUILD=$(BUILD) examples/demo

# What is not there is skipped.
bench:
	@test/needs build
	@-test/needs bench
	@$(MAKE) --no-print-directory -j$(NPROC) all $(BENCH)
	@BUILD=$(BUILD) bench/run

# An absolute path, which may have spaces.
BUILT = $(if $(filter /%,$(firstword $(BUILD))),$(BUILD),$(CURDIR)/$(BUILD))
N = 2000
FIRST = 1000
torture: all
	@test/needs test
	@for half in 0 1; do (d=$$(mktemp -d) && cd "$$d" && PATH="$(BUILT):$$PATH" ROOT="$(CURDIR)" \
		COUNT=$$(($(N) / 2)) FIRST=$$(($(FIRST) + half * $(N))) bash -e "$(CURDIR)/test/asm/csmith.sh" || \
		echo "left in $$d") & done; wait
	@d=$$(mktemp -d) && cd "$$d" && PATH="$(BUILT):$$PATH" ROOT="$(CURDIR)" COUNT=$$(($(N) / 10)) FIRST=$(FIRST) \
		bash -e "$(CURDIR)/test/c/csmith.sh"
	@BUILD=$(BUILD) test/torture zcc || [ $$? = 77 ]

MINUTES = 10
soak:
	@test/needs test
	@$(MAKE) --no-print-directory -j$(NPROC) all
	@BUILD=$(BUILD) test/soak $(MINUTES) $(SEED)

# What is not there is skipped.
realworld:
	@test/needs build
	@-test/needs realworld
	@$(MAKE) --no-print-directory -j$(NPROC) all
	@BUILD=$(BUILD) test/real/run $(P) || [ $$? = 77 ]

check:
	@test/needs check
	@test/lint

install: all
	install -D $(BUILD)/tally "$(DESTDIR)$(PREFIX)/bin/tally"
	install -D -m 644 $(BUILD)/libzprof.a "$(DESTDIR)$(PREFIX)/lib/libzprof.a"
	install -D -m 644 src/zprof/zprof.h "$(DESTDIR)$(PREFIX)/share/tally/zprof.h"
	install -m 644 src/zprof/zprof.c "$(DESTDIR)$(PREFIX)/share/tally/zprof.c"
	install -D -m 644 include/tally.h "$(DESTDIR)$(PREFIX)/include/tally.h"
	install -D -m 644 completion/tally.bash "$(DESTDIR)$(PREFIX)/share/bash-completion/completions/tally"
	install -D -m 644 completion/_tally "$(DESTDIR)$(PREFIX)/share/zsh/site-functions/_tally"
	install -D -m 644 completion/tally.fish "$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/tally.fish"
	for n in $(NAMES); do ln -sf tally "$(DESTDIR)$(PREFIX)/bin/$$n" || exit 1; done
	install -d "$(DESTDIR)$(PREFIX)/libexec/tally"
	for n in $(PARTS); do ln -sf ../../bin/tally "$(DESTDIR)$(PREFIX)/libexec/tally/$$n" || exit 1; done
	for m in $(MAN); do d="$(DESTDIR)$(PREFIX)/share/man/man$${m##*.}"; \
		install -d "$$d" && install -m 644 "$$m" "$$d" || exit 1; done

clean:
	rm -rf build

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
