# One command per job; `just` alone lists them. `just setup` comes first.

export VIRTUAL_ENV := justfile_directory() / ".venv"
export PATH := VIRTUAL_ENV / "bin" + ":" + env("PATH")
# Clippy and rustdoc build against the same Python as maturin.
export PYO3_PYTHON := VIRTUAL_ENV / "bin/python"
export PIP_QUIET := "1"
export PIP_DISABLE_PIP_VERSION_CHECK := "1"

# In CI, Cargo.lock must not change.
locked := if env("CI", "") == "" { "" } else { "--locked" }
# Without `--group`, maturin would check all development tools at every build.
develop := "maturin develop --quiet --group build " + locked
# Features of builds for development. Without `tests`, cargo would compile tokio, and all that uses it, once more for the tests.
# Users' builds have neither; `oldest-rust`, the job `test` of ci.yml and the release compile those.
features := "--features stubs,tests"
tests := "--features tests"
stub := "python/botdesk/_native.pyi"

_list:
    @just --list --unsorted

# Make .venv and install all development tools into it.
setup:
    . scripts/prepare.sh && prepare && install dev && need_rust_tools

# Build the package unoptimised, with the types that the stubs are generated from, and install it into .venv.
build:
    {{ develop }} {{ features }}

# Build the package optimised, as published wheels are, and install it into .venv.
build-release:
    {{ develop }} --profile wheel

# Run all tests.
test: test-rust test-python

# Test the core. The binding has its tests in Python; it is selected, so that dependencies have the features that it needs.
test-rust:
    cargo test --workspace {{ locked }}

# Test the package; arguments go to pytest. Without any, three processes keep two cores busy, because tests often wait. Each takes twenty
# files at a time, most of one folder, because those import the same libraries.
test-python *args: build
    {{ if args == "" { "find tests -name 'test_*.py' | sort | xargs -P 3 -n 20 python -m pytest --quiet -p no:cacheprovider" } else { "python -m pytest " + args } }}

# Test whole products of operations and faults, and more random cases, of which `test` tries a share; check the types once more with
# pyright, and the links in the documentation of the core.
thorough: build && docs-rust
    pyright --level error
    PROPTEST_CASES=1000 cargo test --workspace {{ locked }}
    BOTDESK_TESTS=thorough {{ just_executable() }} test-python

# Test the notebook widgets in JupyterLab and a headless Chromium; print SKIPPED if there is none. Arguments go to pytest.
test-browser *args: build
    scripts/test_browser {{ args }}

# Run each lifecycle test (forks, signals, exits) TIMES times; other arguments go to pytest, such as `--python python3.13` for
# another interpreter.
lifecycle times="50" *args: build
    python -m pytest tests/lifecycle --repeat {{ times }} {{ args }}

# Exit and interrupt processes at random moments of calls, with every Python in PATH; `just chaos --exits 100000 --signals 100000`
# is the long run of docs/reliability.md, which takes hours.
chaos *args: build
    python tests/library/chaos.py {{ args }}

# Record the tests' cassettes again from the sandbox.
cassettes: build
    PYTHONPATH=tests/library python tests/recording/scenarios.py

# Check formatting, lints and types.
lint: lint-rust bindings-check lint-modules lint-python lint-workflows types

lint-rust: _format-of-rust
    scripts/like_maturin cargo clippy --workspace --all-targets {{ features }} {{ locked }} -- -D warnings

_format-of-rust:
    cargo fmt --check

# Compile what no other recipe does, and lint it: scripts/check has Clippy compile everything but the libraries without their tests.
_lint-uncompiled:
    scripts/like_maturin cargo build --quiet --workspace --all-targets {{ features }} {{ locked }}

# Check that the oldest supported Rust compiles botdesk, if rustup has it; print SKIPPED if not.
oldest-rust:
    scripts/check_oldest_rust

# Check that no modules import each other in a circle.
lint-modules:
    PYTHONPATH=python python scripts/check_modules.py

lint-python:
    ruff format --check
    ruff check

# Check the workflows: pinned actions, permissions, templates in scripts; and with actionlint, if it is installed.
lint-workflows:
    zizmor --offline --quiet --strict-collection --pedantic .github
    if command -v actionlint >/dev/null; then actionlint; else echo "SKIPPED actionlint: it is not installed" >&2; fi

# Check the types of the code, the stub against the compiled module, and that every public name has a type.
types: _types-of-code _types-of-package

# pyright checks the same files in `just thorough`.
_types-of-code:
    mypy

_types-of-package: build
    python -m mypy.stubtest botdesk._native botdesk._records botdesk._types --allowlist scripts/stubtest_allowlist.txt
    pyright --verifytypes botdesk --ignoreexternal

# Format all code, and apply the fixes of the linters.
format:
    cargo fmt
    ruff check --fix
    ruff format

# Generate src/generated.rs, python/botdesk/_planning.py and python/botdesk/_api/ from the tables of the API and of the operations.
bindings: (_bindings ".")

# Check that the committed bindings are up to date.
bindings-check: (_bindings "target/bindings")
    @(for each in src/generated.rs python/botdesk/_planning.py python/botdesk/_api; do diff -ru --exclude __pycache__ $each target/bindings/$each || exit; done) || { echo "The bindings are out of date; run: just bindings" >&2; exit 1; }

_bindings out: _codegen
    rm -rf {{ out }}/python/botdesk/_api
    target/debug/botdesk-codegen bindings {{ out }}
    rustfmt --edition 2024 {{ out }}/src/generated.rs
    ruff check --quiet --fix --select I,F401 {{ out }}/python/botdesk/_api {{ out }}/python/botdesk/_planning.py
    ruff format --quiet {{ out }}/python/botdesk/_api {{ out }}/python/botdesk/_planning.py

# `cargo run` would choose features for this package alone, and compile the dependencies once more.
_codegen:
    cargo build --quiet --workspace --bin botdesk-codegen {{ tests }} {{ locked }}

# Generate the stub of the compiled module.
stubs: (_stubs "python")

# Check that the committed stub is up to date.
stubs-check: (_stubs "target/stubs")
    @diff -u {{ stub }} target/stubs/botdesk/_native.pyi || { echo "The stub is out of date; run: just stubs" >&2; exit 1; }

_stubs out:
    maturin generate-stubs --quiet {{ features }} {{ locked }} --out {{ out }}
    # Every object has a `__doc__`.
    sed -i.with_doc -e '/^    @property$/{N;/def __doc__/d}' {{ out }}/botdesk/_native.pyi
    rm {{ out }}/botdesk/_native.pyi.with_doc
    python scripts/overload_stub.py {{ out }}/botdesk/_native.pyi
    ruff format --quiet {{ out }}/botdesk/_native.pyi

# Check that each rule and sentence of the API reference that is in none of its tables has a test.
coverage: build _codegen
    target/debug/botdesk-codegen document >target/document.json
    python scripts/check_coverage.py target/document.json

# Run all tests, and print the share of lines that they run; fail if it is too small (needs cargo-llvm-cov). `coverage` counts one
# process, so the tests run in one.
line-coverage:
    cargo llvm-cov clean --workspace
    eval "$(cargo llvm-cov show-env --sh)" && just test-rust build && python -m coverage run -m pytest
    eval "$(cargo llvm-cov show-env --sh)" && cargo llvm-cov report --workspace --ignore-filename-regex 'crates/(codegen|simulation)/' --fail-under-lines 95
    python -m coverage report --skip-covered --fail-under 90

# Run every operation under every fault, and write the outcomes into docs/reliability.md; the tests check the page.
reliability: build
    python tests/library/fault_matrix.py

# Write the actions of py3cw and three-commas, each with the operation of botdesk, into docs/coming-from-*.md; the tests check the pages.
peers: build
    python tests/library/peer_actions.py

# Simulate DAYS of a script that watches and edits bots, under faults and kills, with a virtual clock; the same SEED repeats a run.
simulate days="30" seed="1":
    cargo build --quiet --workspace --bin botdesk-simulation {{ tests }} {{ locked }}
    target/debug/botdesk-simulation {{ days }} {{ seed }}

# Build the documentation of the package (site/), including its notebooks, and of the core (target/doc/).
docs: docs-rust docs-python

docs-python: build
    NO_MKDOCS_2_WARNING=1 mkdocs build --strict --quiet
    python scripts/check_search.py

docs-rust:
    RUSTDOCFLAGS="-D warnings" scripts/like_maturin cargo doc --no-deps --workspace {{ tests }} {{ locked }}

# Serve the documentation, and rebuild it on changes.
docs-serve:
    NO_MKDOCS_2_WARNING=1 BOTDESK_RUN_NOTEBOOKS=false mkdocs serve

# Draw the pictures of the documentation; those of notebooks in a headless Chromium.
pictures: build
    python scripts/pictures.py
    python scripts/sandbox_pictures.py

# Run the benchmarks and write benches/RESULTS.md; the optimised build stays installed. `just bench backtests` measures these alone,
# `just bench --quick` all in some minutes; both only print what they find.
bench *args: build-release
    . scripts/prepare.sh && install bench
    cargo bench --package botdesk-benches --profile wheel {{ locked }} --no-run
    python -m benches {{ args }}

# Measure in the browser how soon a widget shows the effect of a slider, with the optimised build, which stays installed.
widget-latency: build-release
    python scripts/widgets_in_browser.py latency

# Draw the pictures of the widgets of the documentation.
widget-pictures: build
    python scripts/widgets_in_browser.py pictures

# Check licences, bans, sources and advisories of all dependencies; print SKIPPED for checks that can't run here.
audit:
    scripts/audit

# Run models of the parts that threads share, in every order of their threads or in many; a part of a name chooses some (docs/unsafe.md).
models NAME="":
    CARGO_TARGET_DIR=target/models cargo run --quiet --release --locked --manifest-path models/Cargo.toml -- "{{ NAME }}"

# Run the tests of unsafe code without Python under Miri (needs rustup's nightly toolchain with miri and rust-src).
miri:
    scripts/miri

# Run each fuzz target, or the given ones, for SECONDS seconds (needs cargo-fuzz).
fuzz seconds="60" *targets:
    scripts/fuzz {{ seconds }} {{ targets }}

# Run all checks.
ci:
    scripts/check

# The checks that need no build; `scripts/check` runs them beside it.
_without-build: _format-of-rust lint-python lint-workflows lint-modules _types-of-code

# The tests of the package often wait, and most other checks use one core. One group alone runs cargo, whose lock the others would wait
# for.
[parallel]
_with-build: test-python _cargo-checks _other-checks

_cargo-checks: build stubs-check bindings-check coverage _lint-uncompiled test-rust oldest-rust audit

_other-checks: test-browser _types-of-package docs-python
