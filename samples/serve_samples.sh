#!/usr/bin/env bash
# Starts the server on the sample media and prints URLs to try once it listens.
# usage: serve_samples.sh BINARY FOLDER [serve option…]
set -euo pipefail

binary=$1 folder=$2
shift 2

print_urls() {
  local address=$1
  cat <<TEXT

Try in a browser, or with curl -o:
  $address/optimux/assets/photo.jpg?sizes=300x0&format=webp&quality=60    a 12-megapixel photo as a small WebP
  $address/optimux/assets/photo.jpg?sizes=400x400&fit=cover&gravity=smart  a square around what draws the eye
  $address/optimux/assets/disc.png?sizes=200x0&format=jpeg&background=ffcc00   alpha on a colour of your choice
  $address/optimux/assets/clock.gif?sizes=160x0&format=webp               an animation, smaller
  $address/optimux/info/photo.jpg                                         what the server knows of a picture
  $address/optimux/docs                                                   all parameters, tried in the browser
Stop with Ctrl-C.
TEXT
}

print_tls_urls() {
  local address=$1
  cat <<TEXT

The same over TLS, with a certificate that only this machine knows:
  curl -k -o photo.webp '$address/optimux/assets/photo.jpg?sizes=300x0&format=webp'
  curl -k '$address/optimux/info/photo.jpg'
TEXT
}

# The process becomes the server, so that signals reach it; a reader beside it waits for the line that says it is ready.
exec > >(while IFS= read -r line; do
  printf '%s\n' "$line"
  case "$line" in
    'listening http://'*) print_urls "${line#listening }" ;;
    'listening https://'*) print_tls_urls "${line#listening }" ;;
  esac
done)
# By the environment, so that a --root of your own goes before it.
export OPTIMUX_ROOT=${OPTIMUX_ROOT:-$folder}
export OPTIMUX_CACHE_DIR=${OPTIMUX_CACHE_DIR-build/cache}
exec "$binary" serve "$@"
