#!/usr/bin/env bash
# Make .venv ready with the locked packages: scripts/setup.sh run|dev. Ready already: does nothing.
# System packages that are missing come through apt where that needs no password; elsewhere the command is printed.
# PYTHON names another Python, VENV another folder than .venv.
set -euo pipefail
cd "$(dirname "$0")/.."
what=${1:-run}
venv=${VENV:-.venv}

# What VTK, Qt and their text need on a bare Debian 12 or Ubuntu 24.04 (VTK: EGL and GL; Qt: its xcb plugin).
libraries=(
    libegl1 libgl1 libgl1-mesa-dri
    libglib2.0-0 libxkbcommon-x11-0 libxcb-icccm4 libxcb-image0 libxcb-keysyms1 libxcb-randr0 libxcb-render-util0
    libxcb-shape0 libxcb-xinerama0 libxcb-xkb1 libdbus-1-3 libfontconfig1 fonts-dejavu-core
)
# What the tests need to drive a window without a screen: an X server, real mouse events, a window manager.
screen=(xvfb xauth xdotool openbox)
# What some tests use where it is there: they record C programs, and are skipped without it.
optional=(uftrace)

say() { printf '%s\n' "$*" >&2; }
die() { say "$@"; exit 2; }
has() { command -v "$1" >/dev/null; }

find_python() { # prints the first Python that will do
    local candidate reason first_reason=
    for candidate in ${PYTHON:-python3 python3.14 python3.13 python3.12 python3.11}; do
        has "$candidate" || continue
        if reason=$("$candidate" scripts/supported_platform.py 2>/dev/null); then
            echo "$candidate"
            return
        fi
        first_reason=${first_reason:-$reason}
    done
    say "${first_reason:-No Python 3 was found.}"
    die "Install Python 3.11 to 3.14 and run make again, or name one that is not on the PATH: PYTHON=/path/to/python3 make ${MAKE_GOAL:-run}"
}

missing() { # prints the packages among its arguments that are not installed; Ubuntu 24.04 spells some with t64
    local name
    for name in "$@"; do
        [[ $(dpkg-query -W -f '${Status}\n' "$name" "${name}t64" 2>/dev/null) == *"install ok installed"* ]] || echo "$name"
    done
}

install_packages() { # installs its arguments; fails where that needs a password or another user
    local as=()
    [ "$(id -u)" = 0 ] || as=(sudo -n)
    [ "$(id -u)" = 0 ] || { has sudo && sudo -n true 2>/dev/null; } || return 1
    say "Installing $# system packages: $*"
    ${as[@]+"${as[@]}"} apt-get update -qq >/dev/null &&
        ${as[@]+"${as[@]}"} env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

advise() { # prints the command that installs all that `make run` and `make test` need and that is not there
    local names
    names=$(missing "${libraries[@]}" "${screen[@]}" "$@" | tr '\n' ' ')
    local install="apt-get install -y --no-install-recommends ${names% }"
    if [ "$(id -u)" = 0 ]; then
        say "Type this, then run make again:"
        say "  apt-get update && $install"
    elif has sudo; then
        say "Type this, then run make again:"
        say "  sudo apt-get update && sudo $install"
    else
        say "Type this as root, then run make again:"
        say "  apt-get update && $install"
    fi
}

state() { { pwd && cat requirements/run.txt requirements/dev.txt pyproject.toml; } | cksum; }
ready() { # whether the locked packages and this checkout are installed as they stand
    [ -x "$venv/bin/cbvtool" ] && [ -f "$venv/$1.stamp" ] && [ "$(cat "$venv/$1.stamp")" = "$(state)" ]
}

# --no-compile halves the time: Python compiles a module when it is first imported, and most never are.
install_locked() { # pip with the locks; one sentence where no package index can be reached
    local locks=(-r requirements/run.txt) log
    [ "$what" = run ] || locks+=(-r requirements/dev.txt)
    log=$(mktemp)
    say "Installing the locked Python packages into $venv (about 1.3 GB on disk the first time)"
    if "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-compile --retries 2 --require-hashes \
        --only-binary :all: "${locks[@]}" 2>"$log"; then
        rm -f "$log"
        return
    fi
    local unreachable='NewConnectionError|NameResolutionError|ConnectTimeout|Temporary failure in name|Network is unreachable'
    if grep -qE "$unreachable" "$log"; then
        rm -f "$log"
        die "No Python package index answers: connect to the network, or name an index in PIP_INDEX_URL, and run make again."
    fi
    cat "$log" >&2
    rm -f "$log"
    exit 2
}

python=$(find_python)
has_venv() { "$python" -c 'import ensurepip, venv' 2>/dev/null; }
can_drive_windows() { has Xvfb && has xauth && has xdotool && has openbox; }
if has dpkg-query && has apt-get; then
    needed=("${libraries[@]}")
    [ "$what" = run ] || needed+=("${screen[@]}")
    if [ "$python" = python3 ]; then with_venv=python3-venv; else with_venv=$(basename "$python")-venv; fi
    extra=()
    has_venv || extra=("$with_venv")
    mapfile -t absent < <(missing "${needed[@]}" ${extra[@]+"${extra[@]}"})
    if [ ${#absent[@]} -gt 0 ] && ! install_packages "${absent[@]}"; then
        say "System packages are missing: ${absent[*]}"
        advise ${extra[@]+"${extra[@]}"}
        # A library may be there by another way, so `make run` tries; what the tests and Python need has to be there.
        has_venv || exit 2
        [ "$what" = run ] || can_drive_windows || exit 2
        say "Trying without them."
    fi
    if [ "$what" != run ] && ! ready "$what"; then # once, not with every `make test`
        mapfile -t absent < <(missing "${optional[@]}")
        [ ${#absent[@]} -eq 0 ] || install_packages "${absent[@]}" 2>/dev/null ||
            say "Tests that need these packages will be skipped: ${absent[*]}"
    fi
fi
has_venv || die "This Python has no venv module (ensurepip): install it, or name another Python, PYTHON=/path/to/python3 make ${MAKE_GOAL:-run}"
[ "$what" = run ] || can_drive_windows || [ "$(uname)" != Linux ] ||
    die "The tests need the programs Xvfb, xauth, xdotool and openbox: install them and run make again."

if ! ready "$what"; then
    [ -w . ] && { [ ! -e "$venv" ] || [ -w "$venv" ]; } ||
        die "The packages go into $PWD/$venv, which you may not write: copy the checkout into a folder of yours and run make there."
    "$venv/bin/python" scripts/supported_platform.py >/dev/null 2>&1 || "$python" -m venv --clear "$venv"
    install_locked
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
    # Kernels are compiled now, so that no trace waits for them; where that fails, the first trace compiles them.
    "$venv/bin/python" -c "from cbvtool.trace.readers.chrome.first_use import compile_kernels as c; c()" 2>/dev/null || true
    for stamp in run "$what"; do state >"$venv/$stamp.stamp"; done
fi
