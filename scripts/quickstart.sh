#!/usr/bin/env bash
# Shows the main job: a replicated topic, a killed leader, and nothing lost.
#
# usage: scripts/quickstart.sh [--keep] [--json FILE] [--rate N] [--inventory FILE]
#
# Builds what is missing, starts three controllers and three brokers as processes on this machine, creates a topic
# (3 replicas, min.insync.replicas 2) with Kafka's own tool, writes with an unmodified Kafka producer (acks=all,
# idempotent), kills the partition's leader with kill -9 in the middle, reads everything back with an unmodified
# consumer, starts the killed broker again and waits until all replicas are in sync. The exit status is the verdict.
#
#   --keep            leave the cluster running and print how to use it
#   --json FILE       write the figures to FILE as well
#   --rate N          records a second (default 500)
#   --inventory FILE  another cluster than config/local-3x3.conf
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "$(dirname "$0")/lib.sh"

keep=no
rate=500
inventory=$ROOT/config/local-3x3.conf
report=()
while [[ $# -gt 0 ]]; do
  case $1 in
    -h | --help) usage; exit 0 ;;
    --keep) keep=yes; shift ;;
    --json) [[ $# -ge 2 ]] || die "$1 needs a value"; report=(--json "$2"); shift 2 ;;
    --rate) [[ $# -ge 2 && $2 =~ ^[1-9][0-9]*$ ]] || die "$1 needs a number"; rate=$2; shift 2 ;;
    --inventory) [[ $# -ge 2 ]] || die "$1 needs a value"; inventory=$2; shift 2 ;;
    *) die "unknown argument $1 (--help tells more)" ;;
  esac
done

require_java
require_class_path
"$ROOT/scripts/kafka.sh" --fetch

data=$(mktemp -d "${TMPDIR:-/tmp}/tidemark-quickstart.XXXXXX")
cluster=("$ROOT/scripts/cluster.sh" --inventory "$inventory" --data "$data")
topic=quickstart
up=no

# shellcheck disable=SC2317 # called by the trap
# Also after Ctrl-C: no process is left behind, and no data unless it tells why something failed.
finish() {
  local status=$? interrupted=no
  [[ $status -ne 130 ]] || interrupted=yes
  trap - EXIT INT TERM
  if [[ $keep == yes && $status -eq 0 ]]; then
    exit 0
  fi
  if [[ $up == yes ]]; then
    "${cluster[@]}" down || status=1
  fi
  if [[ $status -eq 0 || $interrupted == yes ]]; then
    rm -rf "$data"
  else
    echo "the nodes' logs are in $data/logs" >&2
  fi
  exit "$status"
}
trap finish EXIT
trap 'exit 130' INT TERM

started=$SECONDS
echo "== three controllers and three brokers in $data"
"${cluster[@]}" format
up=yes
"${cluster[@]}" up
bootstrap=$("${cluster[@]}" bootstrap)

echo "== a topic with 3 replicas, min.insync.replicas 2"
"$ROOT/scripts/kafka.sh" topics --bootstrap-server "$bootstrap" --create --topic "$topic" \
  --partitions 1 --replication-factor 3 --config min.insync.replicas=2

echo "== write, kill the leader, read back, restart"
status=0
jvm_options broker "$data/logs/quickstart"
"$JAVA" "${JVM_OPTIONS[@]}" -cp "$CLASS_PATH" io.tidemark.broker.drill.QuickstartMain \
  --bootstrap-server "$bootstrap" --topic "$topic" --rate "$rate" "${report[@]}" -- "${cluster[@]}" || status=$?
echo "== done in $((SECONDS - started)) s"

if [[ $keep == yes && $status -eq 0 ]]; then
  cat <<END

The cluster is still running. To use it:
  scripts/kafka.sh topics --bootstrap-server $bootstrap --describe
  scripts/kafka.sh console-consumer --bootstrap-server $bootstrap --topic $topic --partition 0 --offset earliest \\
      --max-messages 5 --formatter-property print.offset=true
  scripts/kafka.sh producer-perf-test --bootstrap-server $bootstrap --topic $topic --num-records 100000 \\
      --record-size 1000 --throughput -1 --command-property acks=all
  ${cluster[*]} status
  ${cluster[*]} kill 1        and start 1, pause 1, resume 1, logs 1
To end it:
  ${cluster[*]} down && rm -r $data
END
fi
exit "$status"
