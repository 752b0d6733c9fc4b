#!/usr/bin/env bash
# The proof that two commands are enough: clone this checkout's last commit into a bare Debian or Ubuntu that has only
# python3, git and make, and run them there. As root, with debootstrap:
#
#   scripts/bare_debian.sh FOLDER [COMMAND...]                  default: make run && make test
#   SUITE=bookworm|trixie|noble|testing                         Debian 12 (the default), Debian 13, Ubuntu 24.04, Debian testing
#   AS=user                                                     as a user without sudo: what `make setup-dev` says is to be
#                                                               typed as root is typed as root, then the commands run
#
# FOLDER becomes the root of that system; one that a former call made is used again, with a fresh clone.
# Where packages come only through a local configuration, name the files to copy in and the variables to pass on:
#   COPY="/etc/pip.conf ..." PASS="PIP_INDEX_URL ..."
set -euo pipefail
[ $# -ge 1 ] || { sed -n '2,13s/^# \{0,1\}//p' "$0" >&2; exit 2; }
mkdir -p "$1"
root=$(realpath "$1")
shift
[ $# -gt 0 ] || set -- 'make run && make test'
cd "$(dirname "$0")/.."

inside() { chroot "$root" /usr/bin/env -i "${passed[@]}" bash -euc "$*"; }
passed=(LANG=C.UTF-8 PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin)
for name in ${PASS:-}; do passed+=("$name=${!name}"); done

if [ ! -x "$root/bin/bash" ]; then
    suite=${SUITE:-bookworm}
    case $suite in
    bookworm | trixie | testing) # the script that all suites of Debian share: an older debootstrap does not know the newest
        debootstrap --variant=minbase "$suite" "$root" "" /usr/share/debootstrap/scripts/sid
        ;;
    noble)
        debootstrap --variant=minbase --components=main,universe noble "$root" \
            http://archive.ubuntu.com/ubuntu /usr/share/debootstrap/scripts/gutsy
        ;;
    *) echo "SUITE is bookworm, trixie, noble or testing." >&2 && exit 2 ;;
    esac
fi
for file in /etc/resolv.conf ${COPY:-}; do mkdir -p "$root$(dirname "$file")" && cp -rL "$file" "$root$(dirname "$file")/"; done

leave() { umount -l "$root/proc" "$root/dev" 2>/dev/null || true; }
trap leave EXIT
mount -t proc proc "$root/proc"
mount --rbind --make-rslave /dev "$root/dev"

[ -x "$root/usr/bin/make" ] ||
    inside 'apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends python3 git make'
user=root
[ -z "${AS:-}" ] || user=$AS
if [ "$user" = root ]; then home=/root; else
    home=/home/$user
    inside "id $user >/dev/null 2>&1 || useradd --create-home $user"
fi
rm -rf "$root/tmp/cbvtool.git" "$root$home/cbvtool"
git clone --quiet --bare . "$root/tmp/cbvtool.git"
# runuser needs no password and is part of every minimal system.
at_home() { inside "export HOME=$home; cd $home; runuser -u $user -- bash -euc '$*'"; }
at_home 'git -c safe.directory=/tmp/cbvtool.git clone --quiet /tmp/cbvtool.git cbvtool'
inside 'echo "$(dpkg-query -W | wc -l) system packages are there; $(python3 --version)."'
at_home 'cd cbvtool; echo "$(id -un), $(git log -1 --format="cbvtool at %h %s")"'
if [ "$user" != root ]; then
    said=$(at_home 'cd cbvtool; make setup-dev' 2>&1) && status=0 || status=$?
    printf '%s\n' "$said"
    if typed=$(grep -m1 '^  apt-get update' <<<"$said"); then
        [ "$status" != 0 ] || { echo "make setup-dev went on without what it asked for." >&2; exit 1; }
        inside "DEBIAN_FRONTEND=noninteractive ${typed/apt-get install/apt-get install -qq}" >/dev/null
    fi
fi
time at_home "cd cbvtool && $*"
