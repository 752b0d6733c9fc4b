#!/usr/bin/env bash
# Open a folder in the window; without a display, write its picture and say where: scripts/run.sh [FOLDER]
# The default is this checkout, real code with real history; without history (a ZIP), the sample project.
set -euo pipefail
home=$(cd "$(dirname "$0")/.." && pwd)
python=$home/.venv/bin/python

subject=${1:-$home}
if [ $# = 0 ] && ! { [ -e "$home/.git" ] && git -c safe.directory='*' -C "$home" rev-parse --verify --quiet HEAD; } >/dev/null 2>&1; then
    subject=$home/out/shop
    "$python" "$home/sample_projects/make_shop.py" "$subject"
fi

if [ "$(uname)" != Linux ] || [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then
    exec "$python" -m cbvtool open "$subject"
fi
mkdir -p "$home/out"
picture=$home/out/$(basename "$(realpath "$subject")").png
"$python" -m cbvtool render "$subject" -o "$picture"
echo "There is no display here, so no window opens: the picture is in $picture"
