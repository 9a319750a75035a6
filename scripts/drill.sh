#!/usr/bin/env bash
# Failover drills: a cluster, a load, faults, and a verdict whether what was promised held.
#
# usage: scripts/drill.sh list
#        scripts/drill.sh run NAME|FILE [OPTIONS]
#        scripts/drill.sh all [OPTIONS]
#
#   list   the drills of config/drills, with what must hold in each
#   run    one of them, or a file of yours; the exit status is the verdict
#   all    each of them in turn, and a table
#
#   --report DIR     where the reports go: NAME.txt, NAME.json, NAME.html (target/drills)
#   --target kafka   the same on a real Kafka 4.3.1 (fetched with Maven)
#   --data DIR       where the cluster's directory is made, and removed afterwards (a temporary directory)
#   --keep           leave the cluster's directory, with the nodes' logs
#   --cluster-id ID --inventory FILE [--cluster-data DIR]
#                    act on a running cluster instead of one of its own, all of it on this machine. The id says that you
#                    mean it; what the drill did is undone, its topics and groups are deleted, and disks are not touched
#
# A drill starts its own cluster in a directory of its own. It refuses a step after which what it promised to keep would not
# be left (a majority of controllers, a replica of ISR or ELR of each partition, its data). Whatever happens, Ctrl-C
# too, its processes, networks, mounts and files are gone when it ends. docs/DRILLS.md describes files and reports. Drills that cut
# or impair networks, slow disks or turn clocks need root and some packages: what is missing is told, with its name.
#
# Exit status: 0 all held, 1 something did not, 2 a bad file or usage, 3 not run.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "$(dirname "$0")/lib.sh"

DRILLS=$ROOT/config/drills
report=$ROOT/target/drills
parent=${TMPDIR:-/tmp}
target=tidemark
keep=no
taken=()
usage_error() { echo "drill.sh: $* (--help tells more)" >&2; exit 2; }
case ${1:-} in
  "") usage >&2; exit 2 ;;
  -h | --help) usage; exit 0 ;;
  list | run | all) command=$1; shift ;;
  *) usage_error "unknown command $1" ;;
esac
name=
if [[ $command == run ]]; then
  [[ $# -gt 0 && $1 != -* ]] || usage_error "run needs the name of a drill or a file"
  name=$1
  shift
fi
while [[ $# -gt 0 ]]; do
  case $1 in
    -h | --help) usage; exit 0 ;;
    --report) [[ $# -ge 2 ]] || usage_error "$1 needs a value"; report=$2; shift 2 ;;
    --target) [[ ${2:-} == kafka || ${2:-} == tidemark ]] || usage_error "$1 needs kafka or tidemark"; target=$2; shift 2 ;;
    --data) [[ $# -ge 2 ]] || usage_error "$1 needs a value"; parent=$2; shift 2 ;;
    --keep) keep=yes; shift ;;
    --cluster-id | --inventory) [[ $# -ge 2 ]] || usage_error "$1 needs a value"; taken+=("$1" "$2"); shift 2 ;;
    --cluster-data) [[ $# -ge 2 ]] || usage_error "$1 needs a value"; taken+=(--data "$2"); shift 2 ;;
    *) usage_error "unknown argument $1" ;;
  esac
done
if [[ ${#taken[@]} -gt 0 ]]; then
  [[ " ${taken[*]} " == *" --cluster-id "* && " ${taken[*]} " == *" --inventory "* ]] \
    || usage_error "a running cluster is named by --cluster-id and --inventory"
  [[ $target == tidemark ]] || usage_error "a real Kafka is always the drill's own"
fi

files=()
case $command in
  list | all) files=("$DRILLS"/*.yaml) ;;
  run)
    if [[ -f $name ]]; then
      files=("$name")
    elif [[ -f $DRILLS/$name.yaml ]]; then
      files=("$DRILLS/$name.yaml")
    else
      usage_error "there is no drill $name: scripts/drill.sh list"
    fi
    ;;
esac

# 1 says that something did not hold. Only a runner can find that out, and tells so; whatever else ends with it has not.
verdict=no
status_of() { if [[ $1 -eq 1 && $verdict == no ]]; then echo 3; else echo "$1"; fi; }
trap 'exit "$(status_of $?)"' EXIT

require_java
require_class_path
drill_main() {
  "$JAVA" -Xmx512m -XX:+UseSerialGC "-Dlog4j2.configurationFile=$ROOT/config/log4j2-tools.xml" \
    -cp "$CLASS_PATH" io.tidemark.broker.drill.run.DrillMain "$@"
}
if [[ $command == list ]]; then
  drill_main --list "${files[@]}"
  exit
fi
[[ $target == tidemark ]] || "$ROOT/scripts/kafka.sh" --fetch
export KAFKA_BROKER_HEAP_OPTS=${KAFKA_BROKER_HEAP_OPTS:--Xmx512m}
export KAFKA_CONTROLLER_HEAP_OPTS=${KAFKA_CONTROLLER_HEAP_OPTS:--Xmx256m}
# The cluster's script builds nothing in the middle of a drill.
export TIDEMARK_BUILT=yes

mkdir -p "$parent" "$report"
report=$(cd "$report" && pwd)
work=$(mktemp -d "$(cd "$parent" && pwd)/tidemark-drill.XXXX")
# Names of networks and namespaces begin so; Network in the drills' runner has the same rule.
networks=td${work##*.}

# shellcheck disable=SC2317 # called by wait_for
is_dead() { [[ ! -r /proc/$1/cmdline || -z $(tr -d '\0' 2>/dev/null <"/proc/$1/cmdline") ]]; }

# Process ids of this run: those whose command line shows its directory, nodes and scripts that start them.
# The pattern comes from a file, or grep would find itself.
processes() { grep -lFaf <(echo "$work/") /proc/[0-9]*/cmdline 2>/dev/null | cut -d / -f 3 || true; }

# Ends every process of the drill's own cluster at once, and removes its networks, mounts and files.
destroy() {
  local pid mount link
  # A script that is just about to start a node may be among them: until a look finds none.
  for _ in 1 2 3 4 5; do
    local left=no
    for pid in $(processes); do
      left=yes
      kill -KILL "$pid" 2>/dev/null || true
      wait_for 10 is_dead "$pid" || echo "process $pid cannot be killed" >&2
    done
    [[ $left == yes ]] || break
  done
  while read -r _ mount _; do
    # Blanks are written as octal numbers there.
    printf -v mount %b "$mount"
    # A disk whose program is gone may count as busy still.
    [[ $mount != "$work"/* ]] || umount "$mount" 2>/dev/null || umount -l "$mount" || true
  done </proc/mounts
  if command -v ip >/dev/null; then
    for link in $(ip netns list 2>/dev/null | awk '{ print $1 }'); do
      [[ $link != "$networks"[0-9]* ]] || ip netns del "$link" || true
    done
    # Deleting one end of a cable deletes the other; those of the namespaces went with them, be it a moment later.
    for link in $(ip -o link 2>/dev/null | awk -F '[ :@]+' '{ print $2 }'); do
      [[ $link != "$networks"* ]] || ip link del "$link" 2>/dev/null || true
    done
  fi
  [[ $keep == yes ]] || rm -rf "${work:?}"/*
}

client=
# shellcheck disable=SC2317 # called by the trap
finish() {
  local status=$?
  status=$(status_of "$status")
  trap - EXIT
  trap '' INT TERM
  if [[ -n $client ]] && kill -TERM "$client" 2>/dev/null; then
    # A cluster that was taken is healed now: nodes start, and nobody but the runner knows what is to be undone.
    [[ ${#taken[@]} -eq 0 ]] || echo "undoing what was done to the cluster; this may take some minutes" >&2
    wait_for 900 is_dead "$client" || kill -KILL "$client" 2>/dev/null || true
  fi
  destroy
  if [[ $keep == yes ]]; then
    echo "the cluster's directory is $work" >&2
  else
    rm -rf "$work"
  fi
  exit "$status"
}
trap finish EXIT
trap 'exit 130' INT TERM

# run_drill FILE: one drill in a directory of its own, from which everything is gone afterwards.
run_drill() {
  local status=0 name
  name=$(basename "$1" .yaml)
  mkdir -p "$work/$name"
  # The verdict of a run before must not be taken for that of one that came to none.
  rm -f "$report/$name$suffix".{txt,json,html}
  # What the clients log, above all of nodes that are gone, goes to a file beside the nodes' own.
  "$JAVA" -Xmx512m -XX:+UseSerialGC "-Dlog4j2.configurationFile=$ROOT/config/log4j2.xml" \
    "-Dtidemark.log.dir=$work/$name/cluster/logs/runner" -cp "$CLASS_PATH" io.tidemark.broker.drill.run.DrillMain \
    --scripts "$ROOT/scripts" --work "$work/$name" --report "$report" ${kafka[@]+"${kafka[@]}"} ${taken[@]+"${taken[@]}"} "$1" &
  # In the background: a shell that waits takes signals at once.
  client=$!
  wait "$client" || status=$?
  client=
  # 0 and 1 are verdicts, and those were written down. Whatever else ends a runner, a signal too, it has not found out.
  if [[ $status -le 1 && -e $work/$name/verdict ]]; then
    verdict=yes
  elif [[ $status -le 1 || $status -gt 3 ]]; then
    echo "drill: not run: its runner ended with status $status"
    status=3
  fi
  # What went wrong may be in them; nothing else of the cluster is left.
  if [[ $status -ne 0 && $status -ne 2 && -d $work/$name/cluster/logs ]]; then
    rm -rf "$report/$name-logs"
    cp -r "$work/$name/cluster/logs" "$report/$name-logs"
    echo "the logs of nodes and clients: $report/$name-logs"
  fi
  destroy
  return "$status"
}

kafka=()
suffix=
[[ $target == tidemark ]] || kafka=(--kafka) suffix=-kafka
if [[ $command == run ]]; then
  run_drill "${files[0]}" || exit $?
  exit 0
fi
worst=0
summary=()
for file in "${files[@]}"; do
  status=0
  run_drill "$file" || status=$?
  name=$(basename "$file" .yaml)
  if [[ $status -le 1 && -s $report/$name$suffix.txt ]]; then
    summary+=("$(tail -n 1 "$report/$name$suffix.txt")")
  else
    [[ $status -gt 1 ]] || status=3
    summary+=("---- $name: not run (see above)")
  fi
  [[ $status -le $worst ]] || worst=$status
done
echo
printf '%s\n' "${summary[@]}" | tee "$report/summary-$target.txt"
exit "$worst"
