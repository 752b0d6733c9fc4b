#!/usr/bin/env bash
# Open a folder in the window; where no window can be shown, write its picture and say where: scripts/run.sh [FOLDER]
# The default is this checkout, real code with real history; without history (a ZIP), the sample project.
set -euo pipefail
home=$(cd "$(dirname "$0")/.." && pwd)
python=$home/.venv/bin/python

subject=${1:-$home}
if [ $# = 0 ] && command -v git >/dev/null &&
    ! { [ -e "$home/.git" ] && git -c safe.directory='*' -C "$home" rev-parse --verify --quiet HEAD; } >/dev/null 2>&1; then
    subject=$home/out/shop
    "$python" "$home/sample_projects/make_shop.py" "$subject"
fi

if reason=$("$python" -m cbvtool.view.toolkit.display 2>&1); then
    exec "$python" -m cbvtool open "$subject"
fi
folder=$home/out
mkdir -p "$folder" 2>/dev/null && [ -w "$folder" ] || folder=${XDG_CACHE_HOME:-$HOME/.cache}/cbvtool/pictures
mkdir -p "$folder"
name=$(basename "$(realpath "$subject")")
# Two folders of one name have two pictures.
[ $# = 0 ] || name=$name-$(realpath "$subject" | cksum | cut -d' ' -f1)
"$python" -m cbvtool render "$subject" -o "$folder/$name.png"
printf '%s\n' "$reason" "The picture is in $folder/$name.png"
