#!/usr/bin/env bash
# Make .venv ready with the locked packages: scripts/setup.sh run|dev. Ready already: does nothing.
# System packages that are missing come through apt where that needs no password; elsewhere the command is printed.
set -euo pipefail
cd "$(dirname "$0")/.."
what=${1:-run}

# What VTK, Qt and their text need on a bare Debian 12 or Ubuntu 24.04 (VTK: EGL and GL; Qt: its xcb plugin).
packages=(
    libegl1 libgl1 libgl1-mesa-dri
    libglib2.0-0 libxkbcommon-x11-0 libxcb-icccm4 libxcb-image0 libxcb-keysyms1 libxcb-randr0 libxcb-render-util0
    libxcb-shape0 libxcb-xinerama0 libxcb-xkb1 libdbus-1-3 libfontconfig1 fonts-dejavu-core
)
# What the tests need to drive a window without a screen: an X server, real mouse events, a window manager.
[ "$what" = run ] || packages+=(xvfb xauth xdotool openbox)

say() { printf '%s\n' "$*" >&2; }
die() { say "$@"; exit 2; }

find_python() { # prints the first Python that will do
    local candidate reason first_reason=
    for candidate in ${PYTHON:-python3 python3.14 python3.13 python3.12 python3.11}; do
        command -v "$candidate" >/dev/null || continue
        if reason=$("$candidate" scripts/supported_platform.py 2>/dev/null); then
            echo "$candidate"
            return
        fi
        first_reason=${first_reason:-$reason}
    done
    die "${first_reason:-No Python 3 was found: install Python 3.11 to 3.14 and run this again.}"
}

installed() { # Ubuntu 24.04 spells some names with t64
    [[ $(dpkg-query -W -f '${Status}\n' "$1" "$1t64" 2>/dev/null) == *"install ok installed"* ]]
}

install_packages() { # what is missing; fails where that is not possible
    local missing=() name as=()
    for name in "${packages[@]}"; do installed "$name" || missing+=("$name"); done
    [ ${#missing[@]} -gt 0 ] || return 0
    if [ "$(id -u)" != 0 ]; then as=(sudo); fi
    local by_hand="${as[*]:-} apt-get update && ${as[*]:-} apt-get install -y --no-install-recommends ${missing[*]}"
    if [ "$(id -u)" = 0 ] || sudo -n true 2>/dev/null; then
        say "Installing ${#missing[@]} system packages: ${missing[*]}"
        if ${as[@]+"${as[@]}"} apt-get update -qq >/dev/null &&
            ${as[@]+"${as[@]}"} env DEBIAN_FRONTEND=noninteractive \
                apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null; then
            return 0
        fi
    fi
    say "System packages are missing. Type this, then run make again:"
    say "  ${by_hand# }"
    return 1
}

ready() { # whether the locked packages and this checkout are installed as they stand
    [ -x .venv/bin/cbvtool ] && [ -f ".venv/$1.stamp" ] && [ "$(cat ".venv/$1.stamp")" = "$(state)" ]
}
state() { { pwd && cat requirements/run.txt requirements/dev.txt pyproject.toml; } | cksum; }

python=$(find_python)
has_venv() { "$python" -c 'import ensurepip, venv' 2>/dev/null; }
if command -v dpkg-query apt-get >/dev/null; then
    if [ "$python" = python3 ]; then venv=python3-venv; else venv=$(basename "$python")-venv; fi
    has_venv || packages+=("$venv")
    install_packages || has_venv || exit 2 # a missing library may be there by another way; without venv nothing works
fi
has_venv || die "This Python has no venv module (ensurepip): install it, or name another Python with PYTHON=path, and run this again."
.venv/bin/python scripts/supported_platform.py >/dev/null 2>&1 || "$python" -m venv --clear .venv

if ! ready "$what"; then
    locks=(-r requirements/run.txt)
    [ "$what" = run ] || locks+=(-r requirements/dev.txt)
    say "Installing the locked Python packages into .venv (a few hundred MB the first time)"
    .venv/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes --only-binary :all: "${locks[@]}"
    .venv/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
    for stamp in run "$what"; do state >".venv/$stamp.stamp"; done
fi
