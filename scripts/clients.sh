#!/usr/bin/env bash
# Runs the same script of work with every client (Java, kcat, kafka-python, kafkajs) against a cluster and writes the
# table of clients and features.
#
# usage: scripts/clients.sh [--install] [--out FILE] [--omit CLIENT,...]
#
#   --install         installs the clients of other languages that are missing: kcat, python3-kafka and node from
#                     Debian's packages (as root), kafkajs with npm; then only this
#   --out FILE        where the table goes (default docs/CLIENTS.md)
#   --omit CLIENT,... leaves out kcat, kafka-python or kafkajs
#
# The work is that of the test RealClientsTest, whose exit status is this script's.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "$(dirname "$0")/lib.sh"

out=$ROOT/docs/CLIENTS.md
omit=
install=no
while [[ $# -gt 0 ]]; do
  case $1 in
    -h | --help) usage; exit 0 ;;
    --install) install=yes; shift ;;
    --out) [[ $# -ge 2 ]] || die "$1 needs a value"; out=$2; shift 2 ;;
    --omit) [[ $# -ge 2 ]] || die "$1 needs a value"; omit=$2; shift 2 ;;
    *) die "unknown argument $1 (--help tells more)" ;;
  esac
done

KAFKAJS_VERSION=2.2.4
# Not below target: "mvn clean" must not make the tests fail.
JS=$ROOT/.clients

install_clients() {
  local missing=()
  command -v kcat >/dev/null || missing+=(kcat)
  /usr/bin/python3 -c 'import kafka' 2>/dev/null || missing+=(python3-kafka)
  command -v node >/dev/null || missing+=(nodejs)
  command -v npm >/dev/null || missing+=(npm)
  if [[ ${#missing[@]} -gt 0 ]]; then
    [[ $(id -u) -eq 0 ]] && command -v apt-get >/dev/null \
      || die "missing: ${missing[*]}; on Debian, as root: apt-get install -y ${missing[*]}"
    apt-get update -q
    DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${missing[@]}"
  fi
  if [[ $(sed -n 's/^ *"version": "\(.*\)",*$/\1/p' "$JS/node_modules/kafkajs/package.json" 2>/dev/null) != "$KAFKAJS_VERSION" ]]; then
    mkdir -p "$JS"
    npm install --silent --no-audit --no-fund --no-package-lock --prefix "$JS" "kafkajs@$KAFKAJS_VERSION"
  fi
}

if [[ $install == yes ]]; then
  install_clients
  exit 0
fi
require_maven
mkdir -p "$(dirname "$out")"
out=$(cd "$(dirname "$out")" && pwd)/$(basename "$out")
cd "$ROOT"
mvn -B -q -Dstyle.color=never -pl broker-node -am test -Dtest=RealClientsTest -Dsurefire.failIfNoSpecifiedTests=false \
  "-Dtidemark.clients.table=$out" "-Dtidemark.clients.omit=$omit"
echo "the table is in $out"
