#!/usr/bin/env bash
# Runs the benchmarks and writes the report. `./dev bench` has built the preset `bench` before.
# usage: run.sh [--quick] [--list] [name…]
# environment: OPTIMUX_BENCH_BUILD (build/bench), OPTIMUX_CORPUS (../shared/corpus)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

samples/make_samples.sh media --large
exec python3 bench/harness "$@"
