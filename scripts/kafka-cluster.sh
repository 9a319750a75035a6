#!/usr/bin/env bash
# Runs a real Kafka cluster on this machine, three controllers and three brokers as processes, to compare with.
#
# usage: scripts/kafka-cluster.sh [--data DIR] [--port PORT] [--address N=HOST]... [--set KEY=VALUE]... COMMAND
#
#   format [N]        gives every node's data directory its identity, once, before the first start; N: only that node's,
#                     which has lost it
#   up                starts all nodes that are not running and waits until they listen
#   down              stops all nodes (SIGTERM, a controlled shutdown) and waits until they are gone
#   start N           starts one node and waits until it listens
#   acting-controller prints the id of the controller that leads
#   bootstrap         prints the brokers' addresses, for --bootstrap-server
#
# The brokers 1, 2, 3 listen on PORT (26192), PORT+1, PORT+2; the controllers 101, 102, 103 on PORT+10 and on. DIR
# (default data/kafka) holds the nodes' properties, process ids, logs and data. --set goes to every node's properties
# at format. --address is where node N listens (127.0.0.1), and has to be given with every command.
#
# Environment: KAFKA_BROKER_HEAP_OPTS (-Xmx1g -Xms1g), KAFKA_CONTROLLER_HEAP_OPTS (-Xmx512m -Xms512m); KAFKA_LAUNCHER, a program that
# gets a node's id and the command that runs it, and ends by running that.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "$(dirname "$0")/lib.sh"

IDS=(101 102 103 1 2 3)
data=$ROOT/data/kafka
port=26192
settings=()
declare -A address=()
while [[ $# -gt 0 ]]; do
  case $1 in
    -h | --help) usage; exit 0 ;;
    --data) [[ $# -ge 2 ]] || die "$1 needs a value"; data=$2; shift 2 ;;
    --port) [[ $# -ge 2 && $2 =~ ^[1-9][0-9]*$ ]] || die "$1 needs a number"; port=$2; shift 2 ;;
    --address)
      [[ $# -ge 2 && $2 =~ ^([0-9]+)=(.+)$ ]] || die "$1 needs N=HOST"
      address[${BASH_REMATCH[1]}]=${BASH_REMATCH[2]}
      shift 2
      ;;
    --set) [[ $# -ge 2 && $2 == *=* ]] || die "$1 needs KEY=VALUE"; settings+=("$2"); shift 2 ;;
    -*) die "unknown option $1 (--help tells more)" ;;
    *) break ;;
  esac
done
[[ $# -gt 0 ]] || { usage >&2; exit 1; }
command=$1
shift

is_controller() { [[ $1 -gt 100 ]]; }

port_of() {
  if is_controller "$1"; then
    echo $((port + 10 + $1 - 101))
  else
    echo $((port + $1 - 1))
  fi
}

endpoint_of() { echo "${address[$1]:-127.0.0.1}:$(port_of "$1")"; }

properties_of() { echo "$data/config/node-$1.properties"; }
log_directory_of() { echo "$data/logs/node-$1"; }
pid_file_of() { echo "$data/run/node-$1.pid"; }

bootstrap() { echo "$(endpoint_of 1),$(endpoint_of 2),$(endpoint_of 3)"; }

write_properties() {
  local id=$1 setting
  mkdir -p "$data/config"
  {
    echo "node.id=$id"
    echo "controller.quorum.voters=101@$(endpoint_of 101),102@$(endpoint_of 102),103@$(endpoint_of 103)"
    echo "controller.listener.names=CONTROLLER"
    echo "listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT"
    echo "log.dirs=$data/node-$id"
    if is_controller "$id"; then
      echo "process.roles=controller"
      echo "listeners=CONTROLLER://$(endpoint_of "$id")"
    else
      echo "process.roles=broker"
      echo "listeners=PLAINTEXT://$(endpoint_of "$id")"
    fi
    for setting in "${settings[@]}"; do
      echo "$setting"
    done
  } >"$(properties_of "$id")"
}

# The process has to have the node's own properties on its command line, or the file is stale.
pid_of() {
  local pid
  [[ -r $(pid_file_of "$1") ]] || return 1
  pid=$(<"$(pid_file_of "$1")")
  tr '\0' '\n' 2>/dev/null <"/proc/$pid/cmdline" | grep -Fxq -- "$(properties_of "$1")" || return 1
  echo "$pid"
}

run_class() {
  "$JAVA" -XX:+UseSerialGC -XX:TieredStopAtLevel=1 "-Dlog4j2.configurationFile=$ROOT/scripts/kafka-tools/log4j2.xml" \
    -cp "$CLASS_PATH" "$@"
}

format() {
  local id pids=() pid cluster_id ids=("${IDS[@]}")
  if [[ $# -gt 0 ]]; then
    [[ -r $data/cluster.id ]] || die "the cluster in $data is not formatted"
    cluster_id=$(<"$data/cluster.id")
    ids=("$1")
  else
    cluster_id=$(run_class kafka.tools.StorageTool random-uuid)
  fi
  for id in "${ids[@]}"; do
    # One node's are as they were: --set is only given with the first format.
    [[ $# -gt 0 ]] || write_properties "$id"
    # Side by side: each node of a real cluster is formatted by itself.
    run_class kafka.tools.StorageTool format -t "$cluster_id" -c "$(properties_of "$id")" >"$data/config/format-$id.log" 2>&1 &
    pids+=($!)
  done
  for pid in "${pids[@]}"; do
    wait "$pid" || die "formatting failed; see $data/config"
  done
  echo "$cluster_id" >"$data/cluster.id"
}

# The options of Kafka's own start scripts.
launch() {
  local id=$1 heap=${KAFKA_BROKER_HEAP_OPTS:--Xmx1g -Xms1g} options=()
  ! is_controller "$id" || heap=${KAFKA_CONTROLLER_HEAP_OPTS:--Xmx512m -Xms512m}
  read -r -a options <<<"$heap"
  mkdir -p "$data/run" "$(log_directory_of "$id")"
  nohup setsid ${KAFKA_LAUNCHER:+"$KAFKA_LAUNCHER" "$id"} "$JAVA" "${options[@]}" -server -XX:+UseG1GC -XX:MaxGCPauseMillis=20 \
    -XX:InitiatingHeapOccupancyPercent=35 -XX:+ExplicitGCInvokesConcurrent -XX:MaxInlineLevel=15 \
    -Djava.awt.headless=true "-Dlog4j2.configurationFile=$ROOT/scripts/kafka-tools/server-log4j2.xml" \
    "-Dkafka.logs.dir=$(log_directory_of "$id")" -cp "$CLASS_PATH" kafka.Kafka "$(properties_of "$id")" \
    </dev/null >"$(log_directory_of "$id")/stdout.log" 2>&1 9>&- &
  echo $! >"$(pid_file_of "$id")"
}

accepts() { port_accepts "${address[$1]:-127.0.0.1}" "$(port_of "$1")"; }

start_nodes() {
  local id started=()
  [[ -r $data/cluster.id ]] || die "the cluster in $data is not formatted"
  for id in "$@"; do
    if ! pid_of "$id" >/dev/null; then
      ! accepts "$id" || die "port $(port_of "$id") is taken by another process"
      launch "$id"
      started+=("$id")
    fi
  done
  for id in "${started[@]}"; do
    wait_for 60 listens_or_dead "$id" || die "node $id does not listen after 60 s; see $(log_directory_of "$id")"
    accepts "$id" || die "node $id did not start; see $(log_directory_of "$id")"
  done
}

listens_or_dead() {
  accepts "$1" || ! kill -0 "$(<"$(pid_file_of "$1")")" 2>/dev/null
}

all_gone() {
  local id
  for id in "${IDS[@]}"; do
    ! pid_of "$id" >/dev/null || return 1
  done
}

# Brokers first: a controlled shutdown needs controllers.
stop_nodes() {
  local id pid
  for id in 1 2 3 101 102 103; do
    if pid=$(pid_of "$id"); then
      kill -TERM "$pid" 2>/dev/null || true
      kill -CONT "$pid" 2>/dev/null || true
      ! [[ $id == 3 ]] || wait_for 20 brokers_gone || true
    fi
  done
  wait_for 20 all_gone && return
  for id in "${IDS[@]}"; do
    ! pid=$(pid_of "$id") || kill -KILL "$pid" 2>/dev/null || true
  done
  wait_for 10 all_gone || die "some nodes cannot be killed"
}

brokers_gone() {
  ! pid_of 1 >/dev/null && ! pid_of 2 >/dev/null && ! pid_of 3 >/dev/null
}

mkdir -p "$data"
data=$(cd "$data" && pwd)
require_java
"$ROOT/scripts/kafka.sh" --fetch
CLASS_PATH=$ROOT/scripts/kafka-tools/target/lib/'*'

case $command in
  format) format "$@" ;;
  up) start_nodes "${IDS[@]}" ;;
  down) stop_nodes ;;
  start) [[ $# -eq 1 ]] || die "start needs one node id: ${IDS[*]}"; start_nodes "$1" ;;
  acting-controller)
    "$ROOT/scripts/kafka.sh" metadata-quorum --bootstrap-server "$(bootstrap)" describe --status \
      | awk '$1 == "LeaderId:" { print $2 }'
    ;;
  bootstrap) bootstrap ;;
  *) die "unknown command $command (--help tells more)" ;;
esac
