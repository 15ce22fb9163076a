#!/usr/bin/env bash
# Makes a self-signed certificate for this machine, to try TLS with: FOLDER/localhost.pem and FOLDER/localhost.key. One
# that is there and good for another day is left alone. No browser trusts it; curl takes it with -k or --cacert.
# usage: make_certificate.sh FOLDER
set -euo pipefail

folder=$1
certificate=$folder/localhost.pem key=$folder/localhost.key

[ -f "$key" ] && openssl x509 -in "$certificate" -noout -checkend 86400 >/dev/null 2>&1 && exit
mkdir -p "$folder"
umask 077
# The new pair is moved into place whole: a server that runs takes it over.
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 90 -subj /CN=localhost \
  -addext subjectAltName=DNS:localhost,IP:127.0.0.1,IP:::1 -addext extendedKeyUsage=serverAuth \
  -keyout "$key.new" -out "$certificate.new" 2>/dev/null
mv "$key.new" "$key"
mv "$certificate.new" "$certificate"
