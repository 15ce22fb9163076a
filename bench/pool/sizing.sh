#!/usr/bin/env bash
# Takes the figures and plots of the sizing half of docs/pool-report.md again. Nothing else should run on the machine.
# usage: sizing.sh [BINARY] [IMAGE]      (build/release/bin/optimux, media/photo.jpg; about four minutes on two CPUs)
# environment: ROUNDS (9): measurements of each size
# writes: docs/images/pool/*.svg, and the tables and JSON to bench/results/pool/
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

binary=${1:-build/release/bin/optimux}
image=${2:-media/photo.jpg}
rounds=${ROUNDS:-9}
plots=docs/images/pool
results=bench/results/pool
mkdir -p "$plots" "$results"

# usage: sweep NAME JOB SIZES. Exit codes 2 and 3 are verdicts on the curve.
sweep() {
  local name=$1 job=$2 sizes=$3 code=0
  "$binary" pool sweep --job "$job" --sizes "$sizes" --rounds "$rounds" --json >"$results/$name.json" || code=$?
  case $code in 0 | 2 | 3) ;; *) return "$code" ;; esac
  "$binary" pool sweep --from "$results/$name.json" --plot "$plots/$name.svg" >"$results/$name.txt" || true
  cat "$results/$name.txt"
}

# usage: shapes NAME ARGUMENT…
shapes() {
  local name=$1
  shift
  "$binary" pool shapes --plot "$plots/$name.svg" "$@" | tee "$results/$name.txt"
}

sweep sweep-long-jobs burn:2000000 1,2,4,5,10,20,100
sweep sweep-short-jobs burn:20000 1,2,5,10,20,100
sweep sweep-sleeping-jobs sleep:1ms 1,2,5,10,20,50,100
sweep sweep-many-sleeping-jobs sleep:1ms 1,10,50,100,500,2000
shapes shapes-image --image "$image"
shapes shapes-slow-jobs --fetch sleep:70ms --process burn:1800000000 --requests 16
