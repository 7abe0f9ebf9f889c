# shellcheck shell=sh
# Sourced by the scripts beside it, from the root of the checkout. `prepare` finds Rust, a C compiler and Python, or prints what is missing
# and how to install it, and puts a .venv with the dependency group `build` of pyproject.toml on PATH. `install GROUP` adds another group.

say() {
    printf '\n==> %s\n' "$1"
}

fail() {
    printf '\nbotdesk: %s\n' "$1" >&2
    shift
    for line in "$@"; do
        printf '    %s\n' "$line" >&2
    done
    exit 1
}

need_rust() {
    # rustup changes PATH for new shells only, so a fresh installation is often not on it yet.
    if ! command -v cargo >/dev/null 2>&1 && [ -x "${CARGO_HOME:-$HOME/.cargo}/bin/cargo" ]; then
        PATH="${CARGO_HOME:-$HOME/.cargo}/bin:$PATH"
    fi
    command -v cargo >/dev/null 2>&1 || fail "cargo was not found; botdesk's core is built with Rust." \
        "Install Rust from https://rustup.rs and run this command again."
    rustc_version=$(rustc --version 2>&1) || fail "Rust is installed, but rustc does not run:" "$rustc_version" \
        "With rustup, this usually puts it right: rustup default stable"

    needed=$(sed -n 's/^rust-version *= *"\([0-9.]*\)".*/\1/p' Cargo.toml)
    printf '%s\n%s\n' "$needed" "$rustc_version" | awk '
        { sub(/^rustc /, ""); split($1, part, "."); value[NR] = part[1] * 1000 + part[2] }
        END { exit !(value[2] >= value[1]) }
    ' || fail "Rust $needed or newer is needed; found: $rustc_version" "With rustup: rustup update stable"
}

need_rust_tools() {
    if ! cargo fmt --version >/dev/null 2>&1 || ! clippy-driver --version >/dev/null 2>&1; then
        fail "The checks need rustfmt and clippy." "With rustup: rustup component add rustfmt clippy" \
            "Otherwise they are packages of the system, often called rustfmt and rust-clippy."
    fi
}

need_c_compiler() {
    # aws-lc-sys compiles C, and rustc links with the same program. The header is there only with the C library's own.
    compiler=${CC:-cc}
    # shellcheck disable=SC2086 # CC may carry arguments.
    printf '#include <stdlib.h>\nint main(void) { return EXIT_SUCCESS; }\n' |
        $compiler -x c -fsyntax-only - >/dev/null 2>&1 ||
        fail "No working C compiler was found (tried: $compiler); one of the parts of botdesk is written in C." \
            "Debian, Ubuntu: sudo apt install build-essential" \
            "Fedora: sudo dnf install gcc" \
            "macOS: xcode-select --install"
}

# Classify a candidate: "ok PATH", "old VERSION", "other WHAT" or "novenv PATH"; empty if it does not run.
judge_python() {
    "$1" -c '
import sys
if sys.version_info < (3, 11):
    print("old %d.%d.%d" % sys.version_info[:3])
    sys.exit()
import sysconfig
if sys.implementation.name != "cpython" or sysconfig.get_config_var("Py_GIL_DISABLED"):
    print("other", sys.version.replace("\n", " "))
    sys.exit()
try:
    import ensurepip, venv
except ImportError:
    print("novenv", sys.executable)
else:
    print("ok", sys.executable)
' 2>/dev/null </dev/null
}

find_python() {
    python=
    found=
    without_venv=
    if [ -n "${PYTHON:-}" ]; then
        set -- "$PYTHON"
    else
        set -- python3 python3.15 python3.14 python3.13 python3.12 python3.11 python
    fi
    for candidate in "$@"; do
        # A name on PATH may be a shim that only fails, so run it.
        verdict=$(judge_python "$candidate") || continue
        case $verdict in
            "ok "*)
                python=${verdict#ok }
                return
                ;;
            "old "*) found="$found $candidate (${verdict#old })" ;;
            "other "*) found="$found $candidate (${verdict#other })" ;;
            "novenv "*) without_venv=${without_venv:-${verdict#novenv }} ;;
        esac
    done
    [ -z "$without_venv" ] || fail "The Python at $without_venv has no module venv, or no ensurepip." \
        "Debian, Ubuntu: sudo apt install python3-venv" \
        "Or name another Python: PYTHON=/path/to/python3 $0"
    fail "CPython 3.11 or newer was not found${found:+; found:$found}." \
        "Install it from https://www.python.org/downloads or with the system's packages." \
        "If it is there under another name: PYTHON=/path/to/python3 $0"
}

prepare() {
    # Settings for another environment would lead Python, pip or maturin away from .venv.
    unset CONDA_PREFIX PIP_PREFIX PIP_TARGET PIP_USER PYTHONHOME PYTHONPATH
    # Images of containers often set it, and then every process would compile what it imports anew.
    unset PYTHONDONTWRITEBYTECODE
    need_rust
    need_c_compiler

    case $(judge_python .venv/bin/python || true) in
        "ok "*) ;;
        *)
            find_python
            say "Making .venv with $python"
            "$python" -m venv --clear .venv || fail "$python could not make a virtual environment in .venv (see above)."
            ;;
    esac
    VIRTUAL_ENV=$PWD/.venv
    PATH=$VIRTUAL_ENV/bin:$PATH
    # Python compiles what it imports; pip would compile all, which takes half of the time of an installation.
    export PATH VIRTUAL_ENV PIP_QUIET=1 PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_COMPILE=1

    # An earlier run may have stopped before pip was installed. pip knows dependency groups since 25.1.
    .venv/bin/python -m pip --version >/dev/null 2>&1 || .venv/bin/python -m ensurepip --upgrade || fail_to_install
    pip_install "pip>=25.1"
    say "Installing the Python packages of the group \"build\" into .venv"
    pip_install --group build
}

# uv takes ten seconds for what takes pip more than a minute. But only pip knows a mirror of PyPI that is set up for it.
install() {
    say "Installing the Python packages of the group \"$1\" into .venv"
    pip_install --group installer
    .venv/bin/uv pip install --quiet --system-certs --group "$1" || pip_install --group "$1"
}

pip_install() {
    .venv/bin/python -m pip install "$@" || fail_to_install
}

fail_to_install() {
    fail "The Python packages could not be installed (see above)." \
        "The first run needs the network: packages come from PyPI and crates.io."
}
