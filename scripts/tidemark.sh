#!/usr/bin/env bash
# Runs a whole Tidemark in one process, for development.
#
# usage: scripts/tidemark.sh standalone [--data DIR] [--port P] [--config FILE]
#
# Broker and controller in one JVM with one data directory (default data/standalone), which is formatted if it is not
# there yet. Clients connect to 127.0.0.1:P (default 9092); the controller takes the port P+1, health and metrics P+1000
# (docs/METRICS.md). Topics have one replica.
# Stays in the foreground; Ctrl-C or SIGTERM stops it. Its log is DIR/logs/node.log.
# FILE is used instead of config/standalone.properties; what it says of directory and ports is replaced as above.
#
# Environment: JAVA_HOME, TIDEMARK_HEAP_OPTS (default -Xmx512m), TIDEMARK_JVM_OPTS, TIDEMARK_CLASSPATH.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "$(dirname "$0")/lib.sh"

case ${1:-} in
  standalone) shift ;;
  -h | --help) usage; exit 0 ;;
  *) usage >&2; exit 1 ;;
esac
data=$ROOT/data/standalone
port=9092
config=$ROOT/config/standalone.properties
while [[ $# -gt 0 ]]; do
  case $1 in
    -h | --help) usage; exit 0 ;;
    --data) [[ $# -ge 2 ]] || die "$1 needs a value"; data=$2; shift 2 ;;
    --port) [[ $# -ge 2 ]] || die "$1 needs a value"; port=$2; shift 2 ;;
    --config) [[ $# -ge 2 ]] || die "$1 needs a value"; config=$2; shift 2 ;;
    *) die "unknown argument $1 (--help tells more)" ;;
  esac
done
[[ $port =~ ^[0-9]+$ && $port -gt 0 && $port -le 64535 ]] || die "the port must be from 1 to 64535"
[[ -r $config ]] || die "there is no $config"

require_java
require_class_path
for taken in "$port" "$((port + 1))"; do
  ! port_accepts 127.0.0.1 "$taken" \
    || die "port $taken is taken by another process: stop that" \
      "(ss -ltnp 'sport = :$taken' shows it), or choose another with --port"
done

mkdir -p "$data"
data=$(cd "$data" && pwd)
properties=$data/node.properties
node=$(sed -n 's/^node\.id=//p' "$config")
{
  grep -v -E '^(log\.dirs?|metadata\.log\.dir|listeners|advertised\.listeners|controller\.quorum\.voters)=' "$config" || true
  echo "log.dirs=$data/node"
  echo "listeners=PLAINTEXT://127.0.0.1:$port"
  echo "controller.quorum.voters=${node:-1}@127.0.0.1:$((port + 1))"
} >"$properties.tmp"
mv "$properties.tmp" "$properties"

format() {
  "$JAVA" -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -cp "$CLASS_PATH" io.tidemark.model.config.FormatMain "$@"
}
if [[ ! -e $data/node/meta.properties ]]; then
  # A directory that was there and is gone is lost data, not a new node.
  [[ ! -e $data/formatted ]] || die "$data/node has lost its meta.properties; to start anew, remove $data"
  format format --config "$properties" --cluster-id "$(format random-cluster-id)"
  touch "$data/formatted"
fi
jvm_options broker "$data/logs"
exec "$JAVA" "${JVM_OPTIONS[@]}" -cp "$CLASS_PATH" io.tidemark.broker.app.StandaloneMain "$properties"
