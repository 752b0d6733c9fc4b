#!/usr/bin/env bash
# Write requirements/run.txt and dev.txt anew from the .in files, for all supported platforms at once,
# and see that every platform and Python finds a wheel for each line. Needs the network.
set -euo pipefail
cd "$(dirname "$0")/../requirements"

tool=../out/lock
[ -x $tool/bin/uv ] || { ../.venv/bin/python -m venv $tool && $tool/bin/pip install -q 'uv>=0.13'; }

# One version of each package for all Pythons (fewest forks): what is tested on one is what runs on the others.
for name in run dev; do
    $tool/bin/uv pip compile --quiet --universal --python-version 3.11 --fork-strategy fewest --generate-hashes \
        --no-emit-index-url --no-emit-find-links --custom-compile-command 'make lock' "$@" $name.in -o $name.txt
done

for python in 3.11 3.12 3.13 3.14; do
    for platform in x86_64-unknown-linux-gnu aarch64-apple-darwin x86_64-pc-windows-msvc; do
        echo "wheels for Python $python on $platform"
        $tool/bin/uv pip install --quiet --dry-run --target $tool/none --only-binary :all: --require-hashes \
            --python-version $python --python-platform $platform -r run.txt -r dev.txt
    done
done
