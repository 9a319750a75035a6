#!/usr/bin/env bash
# Does the same work on Tidemark and on a real Kafka, and shows both, the ratio, and whether the mark was reached.
#
# usage: scripts/bench.sh [--only NAME,...] [--quick] [--rounds N] [--target tidemark|kafka|both]
#                         [--memory N] [--gb N] [--json FILE] [--data DIR] [--keep]
#        scripts/bench.sh --self-check
#
# Both clusters are three controllers (512 MB heap) and three brokers (1 GB) as processes on this machine, one cluster
# up at a time, in turns; the clients are the same jars with the same settings. Everything runs from a directory of
# its own, and nothing is left behind but the JSON file.
#
# Works, in this order:
#   start       format and cold start of six processes until the first acked write
#   throughput  acks=all, RF 3, 6 partitions: 1000 B, then 100 B; CPU seconds of all six servers per GB acked
#   latency     1,000 records a second, linger 0: p50, p99, p99.9
#   consume     one consumer by assignment, warm; CPU of the brokers     (needs throughput)
#   memory      resident, after the works above
#   kill pause term   kill -9, SIGSTOP, SIGTERM of a partition's leader: longest time without an ack; lost, duplicated
#   controller  kill -9 of the acting controller: longest time without a new topic
#   partitions  1,000 partitions, RF 3, until each acked a write
#   idle        CPU in 20 s with them                                     (needs partitions)
#   restart     of a broker after kill -9, 100 partitions, a quarter of --gb and all of it, until all are in sync
#   bare        the limit: the same bytes through plain sockets and files (no cluster)
#
#   --quick        one round, short warm-up: shows that it works; the figures mean little
#   --rounds N     of start, throughput, latency, consume, memory, partitions, idle (default 3); faults of a leader have five
#   --memory N     GB left to the clusters, the rest is held meanwhile (default 12; 0 holds nothing). A machine in use has
#                  its memory full of file pages; one that is fresh pays for each page that it touches first, on many
#                  virtual machines more than for all the rest of the work
#   --gb N         data of a broker for restart (default 2)
#   --json FILE    default target/bench.json
#   --data DIR     where the clusters live while they are measured; throughput writes 50 GB (default: a temporary directory)
#   --keep         leave the directory, with the servers' logs
#   --self-check   loses records of a Kafka cluster on purpose (acks=1, a cut tail); succeeds if the harness sees it
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "$(dirname "$0")/lib.sh"

WORKS=(start throughput latency consume memory kill pause term controller partitions idle restart bare)
# Below the range the system takes ports of connections from.
TIDEMARK_PORT=26092
KAFKA_PORT=26192

only=
quick=no
rounds=3
fault_rounds=5
controller_rounds=3
targets=(tidemark kafka)
gb=2
memory=12
json=$ROOT/target/bench.json
parent=${TMPDIR:-/tmp}
keep=no
self_check=no
while [[ $# -gt 0 ]]; do
  case $1 in
    -h | --help) usage; exit 0 ;;
    --only) [[ $# -ge 2 ]] || die "$1 needs a value"; only=$2; shift 2 ;;
    --quick) quick=yes; shift ;;
    --rounds) [[ $# -ge 2 && $2 =~ ^[1-9][0-9]*$ ]] || die "$1 needs a number"; rounds=$2; shift 2 ;;
    --gb) [[ $# -ge 2 && $2 =~ ^[0-9.]+$ ]] || die "$1 needs a number"; gb=$2; shift 2 ;;
    --memory) [[ $# -ge 2 && $2 =~ ^[0-9]+$ ]] || die "$1 needs a number"; memory=$2; shift 2 ;;
    --json) [[ $# -ge 2 ]] || die "$1 needs a value"; json=$2; shift 2 ;;
    --data) [[ $# -ge 2 ]] || die "$1 needs a value"; parent=$2; shift 2 ;;
    --keep) keep=yes; shift ;;
    --self-check) self_check=yes; shift ;;
    --target)
      case ${2:-} in
        tidemark | kafka) targets=("$2") ;;
        both) ;;
        *) die "$1 needs tidemark, kafka or both" ;;
      esac
      shift 2
      ;;
    *) die "unknown argument $1 (--help tells more)" ;;
  esac
done
[[ -d /proc/self ]] || die "CPU and memory are read from /proc: Linux is needed"

wanted=()
if [[ -z $only ]]; then
  wanted=("${WORKS[@]}")
else
  IFS=, read -r -a asked <<<"$only"
  for name in "${asked[@]}"; do
    [[ " ${WORKS[*]} " == *" $name "* ]] || die "there is no work $name; there are: ${WORKS[*]}"
  done
  # In the order of the list, whatever the order asked for.
  for name in "${WORKS[@]}"; do
    [[ ",$only," != *",$name,"* ]] || wanted+=("$name")
  done
fi
is_wanted() { [[ " ${wanted[*]} " == *" $1 "* ]]; }
! is_wanted consume || is_wanted throughput || die "consume reads what throughput wrote: ask for both"
! is_wanted idle || is_wanted partitions || die "idle needs partitions: ask for both"

# The warm-up, three times on the disks, fills what memory is left, and the compilers of both sides come to rest.
sizes=(--warm-up-gb 10 --measured-gb 1 --seconds 30)
if [[ $quick == yes ]]; then
  rounds=1
  fault_rounds=1
  controller_rounds=1
  [[ $gb != 2 ]] || gb=0.4
  sizes=(--warm-up-gb 0.2 --measured-gb 0.3 --seconds 10)
fi
sizes+=(--restart-gb "$gb" --fault-rounds "$fault_rounds")

require_java
require_class_path
"$ROOT/scripts/kafka.sh" --fetch
unset TIDEMARK_HEAP_OPTS TIDEMARK_JVM_OPTS
export TIDEMARK_CONTROLLER_HEAP_OPTS=-Xmx512m TIDEMARK_BROKER_HEAP_OPTS=-Xmx1g
export KAFKA_CONTROLLER_HEAP_OPTS='-Xmx512m -Xms512m' KAFKA_BROKER_HEAP_OPTS='-Xmx1g -Xms1g'
# The cluster's scripts build nothing in the middle of a measurement.
export TIDEMARK_BUILT=yes
CLIENT_OPTIONS=(-Xmx512m -XX:+UseG1GC -XX:MaxGCPauseMillis=20)

mkdir -p "$parent"
work=$(mktemp -d "$(cd "$parent" && pwd)/tidemark-bench.XXXXXX")
figures=$work/figures.tsv
: >"$figures"

# --- clusters

# Sets SCRIPT to the words that operate the cluster of target $1.
script_of() {
  if [[ $1 == kafka ]]; then
    SCRIPT=("$ROOT/scripts/kafka-cluster.sh" --data "$work/kafka" --port "$KAFKA_PORT" --set min.insync.replicas=2
      --set default.replication.factor=3)
  else
    SCRIPT=("$ROOT/scripts/cluster.sh" --inventory "$work/tidemark.conf" --data "$work/tidemark")
  fi
}

write_inventory() {
  local n
  for n in 1 2 3; do
    echo "$((100 + n)) controller 127.0.0.1 $((TIDEMARK_PORT + 9 + n)) controller-$((100 + n))"
    echo "$n broker 127.0.0.1 $((TIDEMARK_PORT - 1 + n)) broker-$n"
  done
  echo "set all default.replication.factor=3"
  echo "set all min.insync.replicas=2"
}
write_inventory >"$work/tidemark.conf"

# Ends every process of target $1 at once and removes its data; logs stay with --keep. A process id counts only if its
# command line shows this run's directory.
destroy() {
  local file pid
  for file in "$work/$1"/run/*.pid; do
    [[ -r $file ]] || continue
    pid=$(<"$file")
    if tr '\0' '\n' 2>/dev/null <"/proc/$pid/cmdline" | grep -Fq -- "$work/$1/"; then
      kill -KILL "$pid" 2>/dev/null || true
      wait_for 10 is_dead "$pid" || echo "process $pid cannot be killed" >&2
    fi
  done
  if [[ $keep == yes && -d $work/$1/logs ]]; then
    mkdir -p "$work/kept"
    mv "$work/$1/logs" "$work/kept/$1-$(date +%H%M%S)"
  fi
  rm -rf "${work:?}/$1"
}

is_dead() { [[ ! -r /proc/$1/cmdline || -z $(tr -d '\0' 2>/dev/null <"/proc/$1/cmdline") ]]; }

# shellcheck disable=SC2317 # called by the trap
finish() {
  local status=$?
  trap - EXIT
  trap '' INT TERM
  if [[ -n ${client:-} ]]; then
    # With it the cluster's script, if it runs one: nothing may be started any more.
    # shellcheck disable=SC2046
    kill -KILL "$client" $(pgrep -P "$client" || true) 2>/dev/null || true
  fi
  destroy tidemark
  destroy kafka
  [[ -z ${ballast:-} ]] || kill -KILL "$ballast" 2>/dev/null || true
  if [[ $keep == yes ]]; then
    echo "the servers' logs are in $work/kept" >&2
  else
    rm -rf "$work"
  fi
  exit "$status"
}
trap finish EXIT
trap 'exit 130' INT TERM

failed=no
client=
ballast=

# Holds all memory but --memory GB until the end of the run; sets HELD to what was done.
hold_memory() {
  local available held
  available=$(awk '$1 == "MemAvailable:" { printf "%d", $2 / 1000 }' /proc/meminfo)
  held=$((available - memory * 1000))
  HELD="$((available / 1000)) GB"
  [[ $memory -gt 0 && $held -ge 500 ]] || return 0
  mkfifo "$work/held"
  "$JAVA" -XX:+UseSerialGC -XX:+AlwaysPreTouch "-Xms${held}m" "-Xmx${held}m" -cp "$CLASS_PATH" \
    io.tidemark.broker.drill.bench.Ballast <"$work/held" >"$work/ballast" &
  ballast=$!
  exec 8>"$work/held"
  # Pages touched for the first time: seconds for each GB on some machines.
  wait_for 300 grep -q held "$work/ballast" || die "memory could not be held; --memory 0 does without"
  HELD="$memory of $((available / 1000)) GB left to the clusters, so that their file pages come from a full cache"
}

# measure TARGET WORK,... [OPTIONS]: the works in one fresh client process.
measure() {
  local target=$1 works=$2
  shift 2
  script_of "$target"
  "$JAVA" "${CLIENT_OPTIONS[@]}" "-Dlog4j2.configurationFile=$ROOT/config/log4j2.xml" \
    "-Dtidemark.log.dir=$work/client" -cp "$CLASS_PATH" io.tidemark.broker.drill.bench.BenchMain \
    --target "$target" --works "$works" --data "$work/$target" --out "$figures" \
    --bootstrap-server "$("${SCRIPT[@]}" bootstrap)" "${sizes[@]}" "$@" -- "${SCRIPT[@]}" &
  # In the background: a shell that waits takes signals at once.
  client=$!
  wait "$client" || failed=yes
  client=
}

# A cluster of target $1 from nothing; if its start is to be measured it is done by "measure TARGET start".
bring_up() {
  script_of "$1"
  if ! "${SCRIPT[@]}" format >/dev/null || ! "${SCRIPT[@]}" up >/dev/null; then
    echo "$1 did not start" >&2
    return 1
  fi
}

# Those of the works "$@" that are wanted, with commas.
select_works() {
  local name list=
  for name in "$@"; do
    ! is_wanted "$name" || list+=,$name
  done
  echo "${list#,}"
}

# session ROUND TARGET WORK...: a fresh cluster for those works that are wanted.
session() {
  local round=$1 target=$2 works
  shift 2
  works=$(select_works "$@")
  [[ -n $works ]] || return 0
  echo "== $target, round $round: $works ($((SECONDS / 60)) min $((SECONDS % 60)) s since the start)"
  if [[ $works == start* ]]; then
    mkdir -p "$work/$target"
    measure "$target" "$works"
  elif bring_up "$target"; then
    measure "$target" "$works"
  else
    failed=yes
  fi
  destroy "$target"
}

acting_controller() {
  if [[ $1 == kafka ]]; then
    "${SCRIPT[@]}" acting-controller
  else
    "${SCRIPT[@]}" status --json | grep -o '"id":[0-9]*,"address":"[^"]*","reachable":true,"leader":true' \
      | sed 's/"id":\([0-9]*\),.*/\1/'
  fi
}

controller_session() {
  local target=$1 round id
  is_wanted controller || return 0
  echo "== $target: controller ($((SECONDS / 60)) min $((SECONDS % 60)) s since the start)"
  bring_up "$target" || { failed=yes; destroy "$target"; return; }
  for ((round = 1; round <= controller_rounds; round++)); do
    if wait_for 30 knows_controller "$target"; then
      id=$(acting_controller "$target")
      measure "$target" controller --controller "$id"
    else
      echo "$target: no acting controller was found" >&2
      failed=yes
    fi
  done
  destroy "$target"
}

knows_controller() {
  script_of "$1"
  [[ $(acting_controller "$1" 2>/dev/null) =~ ^[0-9]+$ ]]
}

# --- the run

if [[ $self_check == yes ]]; then
  echo "== self-check: records of a Kafka cluster are lost on purpose"
  bring_up kafka || exit 1
  measure kafka self-check
  [[ $failed == no ]] || exit 1
  exit 0
fi

hold_memory
facts=(
  "date=$(date -u +%Y-%m-%dT%H:%M:%SZ)"
  "commit=$(git -C "$ROOT" describe --always --dirty 2>/dev/null || echo unknown)"
  "machine=$(nproc) x $(sed -n 's/^model name[[:space:]]*: //p' /proc/cpuinfo | head -n 1), $(awk '$1 == "MemTotal:" { printf "%.0f GB", $2 / 1e6 }' /proc/meminfo), $(uname -sr)"
  "memory=$HELD"
  "load=$(cut -d' ' -f1-3 /proc/loadavg)"
  "java=$("$JAVA" -version 2>&1 | sed -n 2p)"
  "kafka=$(sed -n 's/.*<kafka.version>\(.*\)<.*/\1/p' "$ROOT/scripts/kafka-tools/pom.xml"), G1 as in its own scripts, broker $KAFKA_BROKER_HEAP_OPTS, controller $KAFKA_CONTROLLER_HEAP_OPTS"
  "tidemark=Serial GC, broker $TIDEMARK_BROKER_HEAP_OPTS, controller $TIDEMARK_CONTROLLER_HEAP_OPTS"
  "clients=kafka-clients of the same version, ${CLIENT_OPTIONS[*]}"
  "throughput=acks=all idempotent batch.size=65536 linger.ms=5, 6 partitions, RF 3, min.insync.replicas 2"
  "latency=1,000 records/s of 1000 B, acks=all idempotent linger.ms=0, from the time a record was due"
  "faults=1,000 records/s of 220 B, acks=all idempotent linger.ms=0 request.timeout.ms=1000 delivery.timeout.ms=60000, retry and reconnect back-off 20..100 ms"
  "consumer=assign, defaults"
  "sizes=${sizes[*]}"
  "rounds=$rounds"
)
printf '%s\n' "${facts[@]}"

for ((round = 1; round <= rounds; round++)); do
  for target in "${targets[@]}"; do
    session "$round" "$target" start
  done
  ! is_wanted bare || { mkdir -p "$work/bare"; measure bare bare; rm -rf "$work/bare"; }
  for target in "${targets[@]}"; do
    session "$round" "$target" throughput latency consume memory
  done
  for target in "${targets[@]}"; do
    session "$round" "$target" partitions idle
  done
done
for target in "${targets[@]}"; do
  session 1 "$target" kill pause term
done
for target in "${targets[@]}"; do
  controller_session "$target"
done
for target in "${targets[@]}"; do
  session 1 "$target" restart
done

echo
printf '%s\n' "${facts[@]}"
echo
mkdir -p "$(dirname "$json")"
"$JAVA" -XX:+UseSerialGC -cp "$CLASS_PATH" io.tidemark.broker.drill.bench.ReportMain "$figures" "$json" "${facts[@]}"
echo
echo "JSON: $json; took $((SECONDS / 60)) min $((SECONDS % 60)) s"
[[ $failed == no ]] || die "not everything could be measured; see FAILED above"
