#!/bin/sh
# Draws the pictures of docs/pool-report.md that come from the pool simulator. The simulated ones are the same on every
# machine; the replay (two minutes) is that of this one, and wants it to be otherwise idle.
# usage: docs/images/pool/draw.sh [BINARY]
set -eu
optimux=${1:-build/release/bin/optimux}
pictures=$(dirname "$0")

for load in step burst sawtooth diurnal; do
  "$optimux" pool simulate --load "$load" --gate cpu \
    --policy little --policy queue-length --policy spawn-on-submit --plot "$pictures/$load.svg"
done
"$optimux" pool simulate --load step --policy little --gate cpu --gate none --plot "$pictures/gate.svg"
"$optimux" pool simulate --load burst --time-scale 0.2 --cpus 2 --service-time 50ms --gate cpu \
  --policy little --replay --plot "$pictures/replay-computing.svg"
