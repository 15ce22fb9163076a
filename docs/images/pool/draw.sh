#!/bin/sh
# Draws the pictures of docs/pool-report.md that come from the pool simulator. The simulated ones are the same on every
# machine; the replays (a minute and two) are those of this one, and want it to be otherwise idle.
# usage: docs/images/pool/draw.sh [BINARY]
set -eu
optimux=${1:-build/release/bin/optimux}
pictures=$(dirname "$0")

for load in step burst sawtooth diurnal; do
  "$optimux" pool simulate --load "$load" --gate cpu \
    --policy little --policy queue-length --policy spawn-on-submit --plot "$pictures/$load.svg"
done
"$optimux" pool simulate --load step --policy little --gate cpu --gate none --plot "$pictures/gate.svg"
"$optimux" pool simulate --load step --time-scale 0.1 --cpus 1 --service-time 10ms+90ms --max-workers 64 \
  --policy little --replay --plot "$pictures/replay-waiting.svg"
"$optimux" pool simulate --load burst --time-scale 0.2 --cpus 2 --service-time 50ms --gate cpu \
  --policy little --replay --plot "$pictures/replay-computing.svg"
