#!/usr/bin/env bash
# Run the tests that need no screen on the newest Python of this machine that cbvtool supports, in .venv-newest, and
# say which it is. Where .venv has that version already, there is nothing to do.
set -euo pipefail
cd "$(dirname "$0")/.."

newest=
for minor in 14 13 12 11; do
    for candidate in "python3.$minor" "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3."$minor".*/bin/python3; do
        command -v "$candidate" >/dev/null && "$candidate" scripts/supported_platform.py >/dev/null 2>&1 || continue
        "$candidate" -c 'import ensurepip, venv' 2>/dev/null || continue
        newest=$candidate
        break 2
    done
done
version() { "$1" -c 'import platform; print(platform.python_version())'; }
[ -n "$newest" ] || { echo "No other Python of this machine can run cbvtool."; exit 0; }
if [ "$(version "$newest")" = "$(version "$(PYTHON=${PYTHON:-} bash -c 'command -v ${PYTHON:-python3}')")" ]; then
    echo "The newest Python of this machine, $(version "$newest"), is the one that all tests run on."
    exit 0
fi
echo "The tests that need no screen, on Python $(version "$newest"), the newest of this machine:"
PYTHON=$newest VENV=.venv-newest scripts/setup.sh dev
# Left out besides: what another Python cannot change. Readings of the source by mypy and ast, tools of the tests
# themselves, patterns, which RE2 matches; rooms that only reckon with NumPy, whose version is the same here; examples of
# properties beyond the first ones.
without=()
for part in gui view attack fuzz golden mutants soak test_architecture.py test_guards.py test_house.py test_matching.py \
    test_scripts.py test_session_types.py test_wheel.py plan/test_rows.py \
    asking bundling evolution findings geometry hierarchies history layout metrics plots proposals report rules tracking \
    versions trace/compare trace/ensemble trace/resources trace/sequence \
    trace/test_synctrace.py trace/test_tracevis.py trace/test_tracevis_parts.py \
    plugin_views/test_{extravis,tracevis,viewfusion}_attacked.py; do
    without+=(--ignore "tests/$part")
done
.venv-newest/bin/python -m pytest -q -n logical --maxprocesses 8 --dist worksteal --hypothesis-profile=brief "${without[@]}"
