#!/usr/bin/env bash
# Runs a cluster on this machine from one inventory file, each node a process of its own.
#
# usage: scripts/cluster.sh [--inventory FILE] [--data DIR] COMMAND
#
#   format [--cluster-id ID] [--ignore-formatted] [--from-image FILE]
#                     gives every node's data directory its identity, once, before the first start. Of a controller that lost
#                     its directory, too: it joins anew when it starts. That is refused while another one is missing, since
#                     what is committed may be in none that is left. --from-image is for a lost majority: all controllers
#                     begin anew with what metadata-log.sh export has saved (docs/QUORUM.md)
#   up                starts all nodes that are not running and waits until they are ready
#   down              stops all nodes (SIGTERM, a controlled shutdown) and waits until they are gone
#   status [--json]   the processes, controllers, brokers, and partitions that lack replicas
#   health [--json]   exit status 0 only if all nodes are there and no partition lacks a replica; tells what is wrong, and
#                     warns of what may become so. Works without an acting controller, and without any
#   wait-healthy [--timeout S]  looks until the cluster is healthy, 60 s by default; else as health
#   why TOPIC PARTITION [--json]  asks the brokers why a partition stands as it does: what holds its high watermark and
#                     since when, why a replica is not in the ISR, what is pending, what was refused. Needs no controller
#   start N | stop N  one node, as up and down
#   kill N            kills a node (SIGKILL)
#   pause N | resume N   stops a node's process where it stands (SIGSTOP), lets it go on (SIGCONT)
#   quorum members [--json]      the controllers that are members of the quorum, and how far each is
#   quorum add N      formats and starts a new controller of the inventory; the quorum brings it up to date and takes it in
#   quorum remove N [--force]    lets controller N go and stops it; if it acts, another one takes over first
#   quorum replace N [NEW]       add NEW, then remove N; without NEW, N itself with the empty directory it has now
#   quorum transfer [N]          makes N, or the one that is furthest, the acting controller
#   logs N [-f]       the last lines of a node's log; -f follows it
#   bootstrap         prints the brokers' addresses, for --bootstrap-server
#   controllers       prints the controllers, as in controller.quorum.voters
#   rpc               prints the transport of the quorum, grpc or netty
#   cluster-id        prints the cluster's id
#   directory N       prints where a node keeps its data
#   health-address N  prints where a node tells of itself over HTTP: /livez, /readyz, /metrics (docs/METRICS.md)
#
# The inventory is config/local-3x3.conf by default, which explains its format; DIR is data/NAME for an inventory
# NAME.conf. DIR holds the nodes' generated properties, process ids, logs and data.
#
# Environment: JAVA_HOME; TIDEMARK_CONTROLLER_HEAP_OPTS (-Xmx256m) and TIDEMARK_BROKER_HEAP_OPTS (-Xmx512m);
# TIDEMARK_HEAP_OPTS (instead of both) and TIDEMARK_JVM_OPTS for every node; TIDEMARK_CLASSPATH to run that instead of
# the built jars; TIDEMARK_START_TIMEOUT_S and TIDEMARK_STOP_TIMEOUT_S (60, 30). TIDEMARK_LAUNCHER: a program that gets a
# node's id and the command that runs it, and becomes that command where the node shall run (scripts/drill.sh does this to
# give nodes networks of their own).
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "$(dirname "$0")/lib.sh"

START_TIMEOUT_S=${TIDEMARK_START_TIMEOUT_S:-60}
STOP_TIMEOUT_S=${TIDEMARK_STOP_TIMEOUT_S:-30}
inventory=$ROOT/config/local-3x3.conf
data=

while [[ $# -gt 0 ]]; do
  case $1 in
    -h | --help) usage; exit 0 ;;
    --inventory) [[ $# -ge 2 ]] || die "$1 needs a value"; inventory=$2; shift 2 ;;
    --data) [[ $# -ge 2 ]] || die "$1 needs a value"; data=$2; shift 2 ;;
    -*) die "unknown option $1 (--help tells more)" ;;
    *) break ;;
  esac
done
[[ $# -gt 0 ]] || { usage >&2; exit 1; }
command=$1
shift

# --- inventory

ids=()
declare -A role host port directory
settings=()

read_inventory() {
  [[ -r $inventory ]] || die "there is no inventory $inventory"
  local line=0 id a b c d rest
  while read -r id a b c d rest || [[ -n ${id:-} ]]; do
    line=$((line + 1))
    if [[ -z $id || $id == \#* ]]; then
      continue
    fi
    if [[ $id == set && $a =~ ^(controller|broker|all)$ && $b == *=* ]]; then
      settings+=("$a $b${c:+ $c}${d:+ $d}${rest:+ $rest}")
      continue
    fi
    [[ $id =~ ^[0-9]+$ && $a =~ ^(controller|broker)$ && $c =~ ^[0-9]+$ && -n $d && -z $rest ]] \
      || die "$inventory, line $line: expected ID controller|broker HOST PORT DIRECTORY, or set ROLE KEY=VALUE"
    [[ -z ${role[$id]:-} ]] || die "$inventory, line $line: node $id is there twice"
    ids+=("$id")
    role[$id]=$a
    host[$id]=$b
    port[$id]=$c
    [[ $d == /* ]] || d=$data/$d
    directory[$id]=$d
  done <"$inventory"
  [[ ${#ids[@]} -gt 0 ]] || die "$inventory names no node"
}

of_role() {
  local id
  for id in "${ids[@]}"; do
    [[ ${role[$id]} != "$1" ]] || echo "$id"
  done
}

controllers() {
  local id list=
  for id in $(of_role controller); do
    list+=,$id@${host[$id]}:${port[$id]}
  done
  echo "${list#,}"
}

bootstrap() {
  local id list=
  for id in $(of_role broker); do
    list+=,${host[$id]}:${port[$id]}
  done
  echo "${list#,}"
}

# The port of node $1 for health and metrics: what the inventory sets for its role, else 1000 above the node's own.
health_port() {
  local setting found=$((port[$1] + 1000))
  for setting in "${settings[@]}"; do
    [[ ! $setting =~ ^(all|${role[$1]})\ health\.port=(-?[0-9]+)$ ]] || found=${BASH_REMATCH[2]}
  done
  echo "$found"
}

# Of the nodes of role $1, as ID@HOST:PORT,...
health_addresses() {
  local id list=
  for id in $(of_role "$1"); do
    [[ $(health_port "$id") -gt 0 ]] \
      || die "node $id has no fixed port for health and metrics: set $1 health.port=PORT in $inventory"
    list+=,$id@${host[$id]}:$(health_port "$id")
  done
  echo "${list#,}"
}

require_node() {
  [[ $# -eq 1 ]] || die "$command needs one node id: ${ids[*]}"
  [[ -n ${role[$1]:-} ]] || die "there is no node $1 in $inventory: ${ids[*]}"
}

# --- files of a node

properties_of() { echo "$data/config/node-$1.properties"; }
log_directory_of() { echo "$data/logs/node-$1"; }
pid_file_of() { echo "$data/run/node-$1.pid"; }

write_properties() {
  local id=$1 file setting
  file=$(properties_of "$id")
  mkdir -p "$data/config"
  {
    echo "# Written by cluster.sh at every start from $inventory; changes belong there."
    echo "process.roles=${role[$id]}"
    echo "node.id=$id"
    echo "controller.quorum.voters=$(controllers)"
    if [[ ${role[$id]} == controller ]]; then
      echo "metadata.log.dir=${directory[$id]}"
    else
      echo "log.dirs=${directory[$id]}"
      echo "listeners=PLAINTEXT://${host[$id]}:${port[$id]}"
    fi
    for setting in "${settings[@]}"; do
      case $setting in
        "all "* | "${role[$id]} "*) echo "${setting#* }" ;;
      esac
    done
  } >"$file.tmp"
  mv "$file.tmp" "$file"
}

# --- processes

# Prints the process id of a running node. A stale file must not lead to a signal for somebody else's process, so the
# process has to have the node's own properties on its command line.
pid_of() {
  local pid file
  file=$(pid_file_of "$1")
  [[ -r $file ]] || return 1
  pid=$(<"$file")
  [[ $pid =~ ^[0-9]+$ ]] || return 1
  if [[ -d /proc/self ]]; then
    tr '\0' '\n' 2>/dev/null <"/proc/$pid/cmdline" | grep -Fxq -- "$(properties_of "$1")" || return 1
  else
    ps -ww -o command= -p "$pid" 2>/dev/null | grep -Fq -- "$(properties_of "$1")" || return 1
  fi
  echo "$pid"
}

is_running() { pid_of "$1" >/dev/null; }
is_gone() { ! is_running "$1" && ! is_ending "$1"; }

# A killed process has no command line any more while it still holds its ports. What is left in the end is at most a
# zombie of one thread, until its parent asks for it. Threads of the kernel have no command line either.
is_ending() {
  local pid tasks
  pid=$(cat "$(pid_file_of "$1")" 2>/dev/null) || return 1
  [[ $pid =~ ^[0-9]+$ && -r /proc/$pid/status && -z $(tr -d '\0' 2>/dev/null <"/proc/$pid/cmdline") ]] || return 1
  ! grep -q '^PPid:[[:space:]]*2$' "/proc/$pid/status" 2>/dev/null || return 1
  tasks=("/proc/$pid/task"/*)
  [[ ${#tasks[@]} -gt 1 ]] || ! grep -q '^State:[[:space:]]*[ZX]' "/proc/$pid/status" 2>/dev/null
}

# running, paused or stopped
state_of() {
  local pid
  if ! pid=$(pid_of "$1"); then
    echo stopped
  elif grep -q '^State:[[:space:]]*[Tt]' "/proc/$pid/status" 2>/dev/null; then
    echo paused
  else
    echo running
  fi
}

require_free_port() {
  if port_accepts "${host[$1]}" "${port[$1]}"; then
    die "port ${port[$1]} of node $1 (${role[$1]}) is taken by another process: stop that" \
      "(ss -ltnp 'sport = :${port[$1]}' shows it), or give node $1 another port in $inventory"
  fi
  if [[ $(health_port "$1") -gt 0 ]] && port_accepts "${host[$1]}" "$(health_port "$1")"; then
    die "port $(health_port "$1") of node $1 (${role[$1]}, health and metrics) is taken by another process: stop that," \
      "or set ${role[$1]} health.port=PORT in $inventory"
  fi
}

require_formatted() {
  [[ -r $data/cluster.id ]] || die "the cluster in $data is not formatted: run cluster.sh format first"
}

launch() {
  local id=$1 logs main detach=()
  logs=$(log_directory_of "$id")
  main=io.tidemark.broker.app.BrokerMain
  [[ ${role[$id]} == broker ]] || main=io.tidemark.quorum.app.ControllerMain
  write_properties "$id"
  mkdir -p "$logs" "$data/run"
  jvm_options "${role[$id]}" "$logs"
  # A session of its own, so that an interrupted script or terminal does not take the nodes with it.
  ! command -v setsid >/dev/null || detach=(setsid)
  # Before the process is there: what its predecessor said must not be taken for its word.
  : >"$logs/stdout.log"
  : >"$logs/stderr.log"
  nohup "${detach[@]}" ${TIDEMARK_LAUNCHER:+"$TIDEMARK_LAUNCHER" "$id"} "$JAVA" "${JVM_OPTIONS[@]}" -cp "$CLASS_PATH" "$main" "$(properties_of "$id")" \
    </dev/null >>"$logs/stdout.log" 2>>"$logs/stderr.log" &
  echo $! >"$(pid_file_of "$id")"
}

# The last setting of the inventory that says it, as in a node's properties.
rpc() {
  local setting found=grpc
  for setting in "${settings[@]}"; do
    [[ ! $setting =~ ^(all|controller)\ quorum\.rpc=(.*)$ ]] || found=${BASH_REMATCH[2],,}
  done
  echo "$found"
}

is_ready() { grep -q "^TIDEMARK READY node=$1\b" "$(log_directory_of "$1")/stdout.log" 2>/dev/null; }

# Until the new process shows its command line it is not recognised as the node, hence the shell's own check.
ready_or_dead() {
  is_ready "$1" || ! kill -0 "$(<"$(pid_file_of "$1")")" 2>/dev/null
}

await_ready() {
  local id=$1 logs reason
  logs=$(log_directory_of "$id")
  wait_for "$START_TIMEOUT_S" ready_or_dead "$id" \
    || die "node $id is not ready after $START_TIMEOUT_S s; see $logs"
  if ! is_ready "$id"; then
    reason=$(grep -v '^$' "$logs/stderr.log" | tail -n 1 || true)
    die "node $id did not start: ${reason:-no reason given}; see $logs"
  fi
  echo "node $id (${role[$id]}) is ready on ${host[$id]}:${port[$id]}"
}

start_nodes() {
  local id started=()
  require_formatted
  require_java
  require_class_path
  for id in "$@"; do
    if is_running "$id"; then
      echo "node $id (${role[$id]}) is $(state_of "$id") already"
    else
      require_free_port "$id"
      started+=("$id")
    fi
  done
  for id in "${started[@]}"; do
    launch "$id"
    # From here on a controller without a log is one that has lost it.
    [[ ${role[$id]} != controller ]] || : >"$data/cluster.started"
  done
  for id in "${started[@]}"; do
    await_ready "$id"
  done
}

all_gone() {
  local id
  for id in "$@"; do
    is_gone "$id" || return 1
  done
}

stop_nodes() {
  local id pid forced=() running=() before=$SECONDS
  for id in "$@"; do
    if pid=$(pid_of "$id"); then
      running+=("$id")
      kill -TERM "$pid" 2>/dev/null || true
      # A paused process would take the signal only when it goes on.
      kill -CONT "$pid" 2>/dev/null || true
    fi
  done
  if ! wait_for "$STOP_TIMEOUT_S" all_gone "$@"; then
    for id in "$@"; do
      if pid=$(pid_of "$id"); then
        kill -KILL "$pid" 2>/dev/null || true
        forced+=("$id")
      fi
    done
    wait_for 10 all_gone "$@" || die "some of the nodes $* cannot be killed"
  fi
  for id in "$@"; do
    rm -f "$(pid_file_of "$id")"
  done
  if [[ ${#running[@]} -eq 0 ]]; then
    echo "nothing was running"
    return
  fi
  echo "stopped: ${running[*]} ($((SECONDS - before)) s)"
  [[ ${#forced[@]} -eq 0 ]] || die "killed, since they did not stop in $STOP_TIMEOUT_S s: ${forced[*]}"
}

signal_node() {
  local pid
  pid=$(pid_of "$2") || die "node $2 is not running"
  kill "-$1" "$pid" || die "node $2 (process $pid) cannot be signalled"
}

# --- commands

format() {
  local id arguments=() joining=() cluster_id='' image=''
  while [[ $# -gt 0 ]]; do
    case $1 in
      --cluster-id) [[ $# -ge 2 ]] || die "$1 needs a value"; cluster_id=$2; shift 2 ;;
      --ignore-formatted) arguments+=("$1"); shift ;;
      --from-image) [[ $# -ge 2 ]] || die "$1 needs a value"; image=$2; shift 2 ;;
      *) die "format: unknown argument $1" ;;
    esac
  done
  require_java
  require_class_path
  mkdir -p "$data"
  if [[ -r $data/cluster.id ]]; then
    [[ -z $cluster_id || $cluster_id == "$(<"$data/cluster.id")" ]] \
      || die "$data already belongs to the cluster $(<"$data/cluster.id")"
    cluster_id=$(<"$data/cluster.id")
  fi
  if [[ -n $image ]]; then
    format_from_image "$image" "$cluster_id"
    return
  fi
  [[ -n $cluster_id ]] || cluster_id=$(model_main random-cluster-id)
  for id in "${ids[@]}"; do
    write_properties "$id"
    if lost_its_log "$id"; then
      require_may_join "$id"
      joining+=(--config "$(properties_of "$id")")
    else
      arguments+=(--config "$(properties_of "$id")")
    fi
  done
  if [[ ${#joining[@]} -gt 0 ]]; then
    model_main format --cluster-id "$cluster_id" --joining "${joining[@]}" || exit 1
    arguments+=(--ignore-formatted)
  fi
  if [[ " ${arguments[*]-} " == *" --config "* ]]; then
    model_main format --cluster-id "$cluster_id" "${arguments[@]}" || exit 1
  fi
  echo "$cluster_id" >"$data/cluster.id"
}

# All controllers begin anew; brokers stay as they are. Can be repeated until the first controller has been started.
format_from_image() {
  local image=$1 cluster_id=$2 id arguments=() directories=()
  [[ -r $image ]] || die "there is no image $image"
  [[ -n $cluster_id ]] || die "format --from-image needs the --cluster-id of the cluster, which its brokers have, too"
  for id in $(of_role controller); do
    ! is_running "$id" || die "controller $id is running: stop all of them first"
    [[ ! -e ${directory[$id]}/quorum.started ]] \
      || die "${directory[$id]} holds the log of controller $id: move it away first, the image takes its place"
    directories+=(--directory "$id=${directory[$id]}")
  done
  for id in "${ids[@]}"; do
    write_properties "$id"
    arguments+=(--config "$(properties_of "$id")")
  done
  model_main format --cluster-id "$cluster_id" --ignore-formatted "${arguments[@]}" || exit 1
  echo "$cluster_id" >"$data/cluster.id"
  jvm_options controller "$data/logs/quorum"
  "$JAVA" "${JVM_OPTIONS[@]}" -XX:TieredStopAtLevel=1 -cp "$CLASS_PATH" io.tidemark.quorum.app.QuorumMain new-quorum \
    --image "$image" --controllers "$(controllers)" --cluster-id "$cluster_id" "${directories[@]}" || exit 1
}

# A controller without an identity in a cluster that has been started.
lost_its_log() {
  [[ ${role[$1]} == controller && -e $data/cluster.started && ! -e ${directory[$1]}/meta.properties ]]
}

# Only where the quorum works and no other member is missing.
require_may_join() {
  local answer
  answer=$(quorum_main may-join "$1") || die "controller $1 is not formatted: it has no log, and this cluster has been" \
    "started before. See above; if a majority of the controllers is lost: format --from-image (docs/QUORUM.md)"
  [[ $answer == member ]] || die "controller $1 is no member of the quorum: quorum add $1 takes it in"
}

model_main() {
  "$JAVA" -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -cp "$CLASS_PATH" io.tidemark.model.config.FormatMain "$@"
}

# Asks the quorum or changes it: quorum_main COMMAND ARGUMENTS...
quorum_main() {
  require_formatted
  require_java
  require_class_path
  jvm_options controller "$data/logs/quorum"
  "$JAVA" "${JVM_OPTIONS[@]}" -XX:TieredStopAtLevel=1 -cp "$CLASS_PATH" io.tidemark.quorum.app.QuorumMain "$1" \
    --controllers "$(controllers)" --cluster-id "$(<"$data/cluster.id")" --rpc "$(rpc)" "${@:2}"
}

require_controller() {
  [[ ${role[${1:-}]:-} == controller ]] \
    || die "there is no controller ${1:-} in $inventory, only: $(of_role controller | xargs)"
}

quorum_add() {
  local id=$1 path=${directory[$1]}
  if [[ -e $path/quorum.removed ]]; then
    die "$path holds the log of controller $id from before it was removed: move that directory away first"
  elif [[ -e $path/meta.properties && ! -e $path/quorum.joining ]]; then
    die "$path is the directory of a controller that has been a member: cluster.sh start $id"
  fi
  quorum_main may-join "$id" >/dev/null || exit 1
  if [[ ! -e $path/meta.properties ]]; then
    write_properties "$id"
    model_main format --cluster-id "$(<"$data/cluster.id")" --joining --config "$(properties_of "$id")" || exit 1
  fi
  start_nodes "$id"
  echo "controller $id is a member of the quorum; brokers that run have been told"
}

quorum_remove() {
  local id=$1
  quorum_main remove "$@" || exit 1
  [[ ${role[$id]:-} == controller ]] || return 0
  [[ ! -d ${directory[$id]} ]] || : >"${directory[$id]}/quorum.removed"
  ! is_running "$id" || stop_nodes "$id"
  echo "now delete the line of $id from $inventory: it says whom brokers and controllers ask when they start"
}

quorum() {
  local command=${1:-}
  [[ -n $command ]] || die "quorum needs one of: members, add, remove, replace, transfer"
  shift
  require_formatted
  require_java
  require_class_path
  case $command in
    members) quorum_main members "$@" ;;
    transfer)
      [[ $# -eq 0 ]] || { [[ $# -eq 1 ]] && require_controller "$1"; } || die "quorum transfer takes at most one node id"
      quorum_main transfer "$@"
      ;;
    add)
      [[ $# -eq 1 ]] || die "quorum add needs one node id; its line has to be in $inventory"
      require_controller "$1"
      quorum_add "$1"
      ;;
    remove)
      [[ ${1:-} =~ ^[0-9]+$ && ($# -eq 1 || ($# -eq 2 && $2 == --force)) ]] || die "quorum remove needs one node id"
      quorum_remove "$@"
      ;;
    replace)
      [[ $# -eq 1 || $# -eq 2 ]] || die "quorum replace needs the node id to go, and the one to come if it is another"
      require_controller "${2:-$1}"
      if [[ $# -eq 2 ]]; then
        quorum_add "$2"
        quorum_remove "$1"
      else
        [[ ! -e ${directory[$1]}/meta.properties || -e ${directory[$1]}/quorum.joining ]] \
          || die "${directory[$1]} is not empty: stop $1 and move that directory away first, or replace it by another node"
        quorum_add "$1"
      fi
      ;;
    *) die "unknown command quorum $command (--help tells more)" ;;
  esac
}

# Asks the controllers; "$@" goes to the tool.
ask() {
  require_formatted
  require_java
  require_class_path
  jvm_options controller "$data/logs/status"
  "$JAVA" "${JVM_OPTIONS[@]}" -XX:TieredStopAtLevel=1 -cp "$CLASS_PATH" io.tidemark.quorum.inspect.StatusMain \
    --controllers "$(controllers)" --cluster-id "$(<"$data/cluster.id")" --rpc "$(rpc)" "$@"
}

health() {
  local nodes
  nodes=$(health_addresses controller),$(health_addresses broker)
  ask --health --nodes "$nodes" "$@"
}

why() {
  require_java
  require_class_path
  jvm_options controller "$data/logs/status"
  "$JAVA" "${JVM_OPTIONS[@]}" -XX:TieredStopAtLevel=1 -cp "$CLASS_PATH" io.tidemark.broker.health.WhyMain \
    --brokers "$(health_addresses broker)" "$@"
}

status() {
  local id
  if [[ ${1:-} != --json ]]; then
    printf '%-6s %-11s %-22s %-8s %s\n' node role address process pid
    for id in "${ids[@]}"; do
      printf '%-6s %-11s %-22s %-8s %s\n' "$id" "${role[$id]}" "${host[$id]}:${port[$id]}" \
        "$(state_of "$id")" "$(pid_of "$id" || true)"
    done
    echo
  fi
  ask "$@"
}

case $command in
  *help) usage; exit 0 ;;
esac
data=${data:-$ROOT/data/$(basename "$inventory" .conf)}
mkdir -p "$(dirname "$data")"
data=$(cd "$(dirname "$data")" && pwd)/$(basename "$data")
read_inventory

case $command in
  format) format "$@" ;;
  up) [[ $# -eq 0 ]] || die "up takes no argument"; start_nodes "${ids[@]}" ;;
  down) [[ $# -eq 0 ]] || die "down takes no argument"; stop_nodes "${ids[@]}" ;;
  status) status "$@" ;;
  health) health "$@" ;;
  wait-healthy)
    timeout=60
    if [[ ${1:-} == --timeout && ${2:-} =~ ^[0-9]+$ ]]; then
      timeout=$2
      shift 2
    fi
    health --wait "$timeout" "$@"
    ;;
  why) why "$@" ;;
  start) require_node "$@"; start_nodes "$1" ;;
  stop) require_node "$@"; is_running "$1" || die "node $1 is not running"; stop_nodes "$1" ;;
  kill)
    require_node "$@"
    signal_node KILL "$1"
    wait_for 10 is_gone "$1" || die "node $1 is still there"
    rm -f "$(pid_file_of "$1")"
    echo "killed node $1"
    ;;
  pause) require_node "$@"; signal_node STOP "$1"; echo "paused node $1" ;;
  resume) require_node "$@"; signal_node CONT "$1"; echo "node $1 goes on" ;;
  logs)
    [[ $# -ge 1 ]] || require_node
    require_node "$1"
    log=$(log_directory_of "$1")/node.log
    [[ -r $log ]] || die "node $1 has no log yet ($log)"
    shift
    exec tail -n 100 "$@" "$log"
    ;;
  bootstrap) bootstrap ;;
  controllers) controllers ;;
  rpc) rpc ;;
  quorum) quorum "$@" ;;
  cluster-id) require_formatted; cat "$data/cluster.id" ;;
  directory) require_node "$@"; echo "${directory[$1]}" ;;
  health-address) require_node "$@"; echo "${host[$1]}:$(health_port "$1")" ;;
  *) die "unknown command $command (--help tells more)" ;;
esac
