#!/usr/bin/env bash
# The proof that two commands are enough: clone this checkout's last commit into a bare Debian 12 or Ubuntu 24.04 that
# has only python3, git and make, and run them there. As root, with debootstrap:
#
#   scripts/bare_debian.sh FOLDER [COMMAND...]                  default: make run && make test
#   SUITE=noble scripts/bare_debian.sh FOLDER [COMMAND...]      Ubuntu 24.04
#
# FOLDER becomes the root of that system; one that a former call made is used again, with a fresh clone.
# Where packages come only through a local configuration, name the files to copy in and the variables to pass on:
#   COPY="/etc/pip.conf ..." PASS="PIP_INDEX_URL ..."
set -euo pipefail
[ $# -ge 1 ] || { sed -n '2,11s/^# \{0,1\}//p' "$0" >&2; exit 2; }
mkdir -p "$1"
root=$(realpath "$1")
shift
[ $# -gt 0 ] || set -- 'make run && make test'
cd "$(dirname "$0")/.."

inside() { chroot "$root" /usr/bin/env -i "${passed[@]}" bash -euc "$*"; }
passed=(HOME=/root LANG=C.UTF-8 PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin)
for name in ${PASS:-}; do passed+=("$name=${!name}"); done

if [ ! -x "$root/bin/bash" ]; then
    case ${SUITE:-bookworm} in
    bookworm) debootstrap --variant=minbase bookworm "$root" ;;
    noble) # by the script that all suites of Ubuntu share: an older debootstrap has no link of this name to it
        debootstrap --variant=minbase --components=main,universe noble "$root" \
            http://archive.ubuntu.com/ubuntu /usr/share/debootstrap/scripts/gutsy
        ;;
    *) echo "SUITE is bookworm or noble." >&2 && exit 2 ;;
    esac
fi
for file in /etc/resolv.conf ${COPY:-}; do mkdir -p "$root$(dirname "$file")" && cp -rL "$file" "$root$(dirname "$file")/"; done

leave() { umount -l "$root/proc" "$root/dev" 2>/dev/null || true; }
trap leave EXIT
mount -t proc proc "$root/proc"
mount --rbind --make-rslave /dev "$root/dev"

[ -x "$root/usr/bin/make" ] ||
    inside 'apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends python3 git make'
rm -rf "$root/tmp/cbvtool.git" "$root/root/cbvtool"
git clone --quiet --bare . "$root/tmp/cbvtool.git"
inside 'git clone --quiet /tmp/cbvtool.git /root/cbvtool'
inside 'echo "$(dpkg-query -W | wc -l) system packages are there."; cd /root/cbvtool; git log -1 --format="cbvtool at %h %s"'
time inside "cd /root/cbvtool && $*"
