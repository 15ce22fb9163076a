#!/bin/sh
# Installs the pool into a scratch folder and uses it from three tiny projects: find_package, add_subdirectory and
# pkg-config. usage: run.sh POOL_SOURCE POOL_BUILD CXX [FLAGS]
set -eu

pool_source=$1
pool_build=$2
cxx=$3
flags=${4-}
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

configure_and_run() {
  name=$1
  shift
  cmake -S "$here/$name" -B "$work/$name" -DCMAKE_CXX_COMPILER="$cxx" -DCMAKE_CXX_FLAGS="$flags" "$@" >/dev/null
  cmake --build "$work/$name" --parallel 2 >/dev/null
  "$work/$name/consumer"
  echo "$name: ok"
}

cmake --install "$pool_build" --prefix "$work/installed" >/dev/null

configure_and_run find_package -DCMAKE_PREFIX_PATH="$work/installed"
configure_and_run add_subdirectory -DPOOL_SOURCE="$pool_source"

PKG_CONFIG_PATH=$(dirname "$(find "$work/installed" -name optimux-pool.pc)")
export PKG_CONFIG_PATH
# shellcheck disable=SC2046,SC2086  # the words of the flags are wanted apart
"$cxx" -std=c++20 $flags $(pkg-config --cflags optimux-pool) "$here/main.cpp" $(pkg-config --libs optimux-pool) \
  -o "$work/pkg_config"
"$work/pkg_config"
echo "pkg_config: ok"
