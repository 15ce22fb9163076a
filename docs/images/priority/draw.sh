#!/bin/sh
# Draws the pictures of docs/priority-report.md that come from the simulator. They are the same on every machine.
# usage: docs/images/priority/draw.sh [BINARY]
set -eu
optimux=${1:-build/release/bin/optimux}
pictures=$(dirname "$0")

"$optimux" h2 simulate --plot "$pictures/page-20.svg" >/dev/null
"$optimux" h2 simulate --images 100 --rate 5 --blocked 0.1 --plot "$pictures/page-100-blocked.svg" >/dev/null
