#!/usr/bin/env bash
# Runs a cluster from one inventory file, each node a process of its own, on this machine or, over ssh, on others.
#
# usage: scripts/cluster.sh [--inventory FILE] [--data DIR] [--dry-run] COMMAND
#
#   deploy [--tarball FILE] [--start]   installs on the other machines of the inventory: builds one tarball, or takes FILE
#                     (which is needed where there are no sources), copies it there and configures the nodes; what runs goes
#                     on with what it has until it is restarted.
#                     --start formats a cluster that has not been yet, and starts all nodes
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
#   wait-healthy [--timeout S] [--json]  looks until the cluster is healthy, 60 s by default; else as health
#   why TOPIC PARTITION [--json]  asks the brokers why a partition stands as it does: what holds its high watermark and
#                     since when, why a replica is not in the ISR, what is pending, what was refused. Needs no controller
#   start N | stop N  one node, as up and down
#   safe-to-stop N [--json]   exit status 0 only if every partition stays led and open to acks=all without the node, and the
#                     controllers can still decide; tells what each partition lacks
#   roll [--only brokers|controllers] [--timeout S] [N...]   restarts all nodes or those, one at a time: only a node that
#                     is safe to stop, the acting controller last, and the next one only when the cluster is healthy again,
#                     within S seconds (60). Ends with a summary; exit status 1 if any was not restarted
#   kill N            kills a node (SIGKILL)
#   pause N | resume N   stops a node's process where it stands (SIGSTOP), lets it go on (SIGCONT)
#   quorum members [--json]      the controllers that are members of the quorum, and how far each is
#   quorum add N      formats and starts a new controller of the inventory; the quorum brings it up to date and takes it in
#   quorum remove N [--force]    lets controller N go and stops it; if it acts, another one takes over first
#   quorum replace N [NEW]       add NEW, then remove the member N; without NEW, N itself with the empty directory it has
#                     now. What was broken off can be repeated
#   quorum transfer [N]          makes N, or the one that is furthest, the acting controller
#   logs N [-f]       the last lines of a node's log; -f follows it
#   run N             one node of this machine in the foreground, for a service manager
#   unit N            prints a systemd unit for a node of this machine (docs/OPERATIONS.md)
#   bootstrap         prints the brokers' addresses, for --bootstrap-server
#   controllers       prints the controllers, as in controller.quorum.voters
#   rpc               prints the transport of the quorum, grpc or netty
#   cluster-id        prints the cluster's id
#   directory N       prints where a node keeps its data
#   health-address N  prints where a node tells of itself over HTTP: /livez, /readyz, /metrics (docs/METRICS.md)
#
# The inventory is config/local-3x3.conf by default, which explains its format; DIR is data/NAME for an inventory
# NAME.conf. DIR holds the nodes' generated properties, process ids, logs and data. A node whose host is another machine
# has these over there; docs/OPERATIONS.md tells what such a machine needs. --dry-run prints the commands that would be
# run, and runs none.
#
# Environment: JAVA_HOME; TIDEMARK_CONTROLLER_HEAP_OPTS (-Xmx256m) and TIDEMARK_BROKER_HEAP_OPTS (-Xmx512m);
# TIDEMARK_HEAP_OPTS (instead of both) and TIDEMARK_JVM_OPTS for every node; TIDEMARK_CLASSPATH to run that instead of
# the built jars; TIDEMARK_START_TIMEOUT_S and TIDEMARK_STOP_TIMEOUT_S (60, 30); TIDEMARK_SSH_OPTS, more options for ssh;
# TIDEMARK_SSH_TIMEOUT_S (5), for a machine that does not answer; TIDEMARK_SSH_CONTROL_DIR, where connections are kept for
# a minute (/tmp/tidemark-ssh-UID). TIDEMARK_LAUNCHER: a program that gets a node's id and the command that runs it, and
# becomes that command where the node shall run (scripts/drill.sh does this to give nodes networks of their own); all
# nodes are of this machine then.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "$(dirname "$0")/lib.sh"

START_TIMEOUT_S=${TIDEMARK_START_TIMEOUT_S:-60}
STOP_TIMEOUT_S=${TIDEMARK_STOP_TIMEOUT_S:-30}
inventory=$ROOT/config/local-3x3.conf
data=
dry_run=no
# Set where this script was started over ssh: the machine's name in the inventory, which comes on standard input.
on=

while [[ $# -gt 0 ]]; do
  case $1 in
    -h | --help) usage; exit 0 ;;
    --inventory) [[ $# -ge 2 ]] || die "$1 needs a value"; inventory=$2; shift 2 ;;
    --data) [[ $# -ge 2 ]] || die "$1 needs a value"; data=$2; shift 2 ;;
    --dry-run) dry_run=yes; shift ;;
    --on) [[ $# -ge 2 ]] || die "$1 needs a value"; on=$2; shift 2 ;;
    -*) die "unknown option $1 (--help tells more)" ;;
    *) break ;;
  esac
done
[[ $# -gt 0 ]] || { usage >&2; exit 1; }
command=$1
shift
cluster_name=$(basename "$inventory" .conf)
# shellcheck source-path=SCRIPTDIR source=hosts.sh
source "$(dirname "$0")/hosts.sh"
# shellcheck source-path=SCRIPTDIR source=deploy.sh
source "$(dirname "$0")/deploy.sh"
# shellcheck source-path=SCRIPTDIR source=roll.sh
source "$(dirname "$0")/roll.sh"

# --- inventory

ids=()
declare -A role host port directory
settings=()

read_inventory() {
  [[ -r $inventory ]] || die "there is no inventory $inventory"
  local line=0 id a b c d rest
  local -A node_at=()
  while read -r id a b c d rest || [[ -n ${id:-} ]]; do
    line=$((line + 1))
    if [[ -z $id || $id == \#* ]]; then
      continue
    fi
    if [[ $id == set && $a =~ ^(controller|broker|all)$ && $b == *=* ]]; then
      settings+=("$a $b${c:+ $c}${d:+ $d}${rest:+ $rest}")
      continue
    fi
    if [[ $id == host ]]; then
      # shellcheck disable=SC2086
      read_host_line "$a" ${b:-} ${c:-} ${d:-} ${rest:-} \
        || die "$inventory, line $line: expected host HOST|all KEY=VALUE, KEY one of user, port, identity, known_hosts," \
          "java_home, install, data"
      continue
    fi
    [[ $id =~ ^[0-9]+$ && $a =~ ^(controller|broker)$ && $c =~ ^[0-9]+$ && -n $d && -z $rest ]] \
      || die "$inventory, line $line: expected ID controller|broker HOST PORT DIRECTORY, set ROLE KEY=VALUE or host HOST KEY=VALUE"
    [[ -z ${role[$id]:-} ]] || die "$inventory, line $line: node $id is there twice"
    [[ -z ${node_at["$b:$c"]:-} ]] \
      || die "$inventory, line $line: node $id has the address of node ${node_at["$b:$c"]}, $b:$c"
    node_at["$b:$c"]=$id
    ids+=("$id")
    role[$id]=$a
    host[$id]=$b
    port[$id]=$c
    directory[$id]=$d
  done <"$inventory"
  [[ ${#ids[@]} -gt 0 ]] || die "$inventory names no node"
  # Where another machine keeps it is said over there.
  for id in "${ids[@]}"; do
    ! is_here "$id" || [[ ${directory[$id]} == /* ]] || directory[$id]=$data/${directory[$id]}
  done
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

# Where other machines have it, and this one has not, theirs is taken.
require_formatted() {
  [[ ! -r $data/cluster.id && $dry_run == no ]] || return 0
  [[ -n $on || -z $(hosts_of "${ids[@]}") ]] || ask_nodes || true
  [[ -r $data/cluster.id ]] || die "the cluster in $data is not formatted: run cluster.sh format first"
}

cluster_id() { if [[ $dry_run == yes && ! -r $data/cluster.id ]]; then echo CLUSTER_ID; else cat "$data/cluster.id"; fi; }

# Sets LAUNCH to the command line of node $1.
launch_command() {
  local main=io.tidemark.broker.app.BrokerMain
  [[ ${role[$1]} == broker ]] || main=io.tidemark.quorum.app.ControllerMain
  jvm_options "${role[$1]}" "$(log_directory_of "$1")"
  LAUNCH=("$JAVA" "${JVM_OPTIONS[@]}" -cp "$CLASS_PATH" "$main" "$(properties_of "$1")")
}

# Readies all that the process of node $1 needs, and sets LAUNCH.
prepare_launch() {
  local id=$1 logs
  logs=$(log_directory_of "$id")
  launch_command "$id"
  write_properties "$id"
  mkdir -p "$logs" "$data/run"
  # Before the process is there: what its predecessor said must not be taken for its word.
  : >"$logs/stdout.log"
  : >"$logs/stderr.log"
}

launch() {
  local id=$1 logs detach=()
  logs=$(log_directory_of "$id")
  prepare_launch "$id"
  if is_a_service "$id"; then
    rm -f "$(pid_file_of "$id")"
    systemctl start "$(unit_of "$id")" || die "systemd did not start node $id: systemctl status $(unit_of "$id")"
    wait_for 10 test -e "$(pid_file_of "$id")" || die "systemd did not start node $id: journalctl -u $(unit_of "$id")"
    return
  fi
  # A session of its own, so that an interrupted script or terminal does not take the nodes with it.
  ! command -v setsid >/dev/null || detach=(setsid)
  nohup "${detach[@]}" ${TIDEMARK_LAUNCHER:+"$TIDEMARK_LAUNCHER" "$id"} "${LAUNCH[@]}" </dev/null >>"$logs/stdout.log" 2>>"$logs/stderr.log" &
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

# Whatever ran already has to be ready, too: it may have been started a moment ago, or have hung since.
start_nodes() {
  local id started=() paused=()
  require_formatted
  require_java
  require_class_path
  for id in "$@"; do
    if is_running "$id"; then
      echo "node $id (${role[$id]}) is $(state_of "$id") already"
      [[ $(state_of "$id") != paused ]] || paused+=("$id")
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
  for id in "$@"; do
    [[ " ${paused[*]} " != *" $id "* ]] || continue
    if [[ " ${started[*]} " == *" $id "* ]] || ! is_ready "$id"; then
      await_ready "$id"
    fi
  done
  [[ ${#paused[@]} -eq 0 ]] || die "paused, and so not ready: ${paused[*]} (cluster.sh resume N lets a node go on)"
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

here_start() { start_nodes "$@"; }
here_halt() { stop_nodes "$@"; }

here_stop() {
  local id
  for id in "$@"; do
    is_running "$id" || die "node $id is not running"
  done
  stop_nodes "$@"
}

here_kill() {
  signal_node KILL "$1"
  wait_for 10 is_gone "$1" || die "node $1 is still there"
  rm -f "$(pid_file_of "$1")"
  echo "killed node $1"
}

here_pause() { signal_node STOP "$1" && echo "paused node $1"; }
here_resume() { signal_node CONT "$1" && echo "node $1 goes on"; }
here_directory() { echo "${directory[$1]}"; }

here_logs() {
  local log
  log=$(log_directory_of "$1")/node.log
  if [[ $dry_run == yes ]]; then
    quoted tail -n 100 "${@:2}" "$log"
    return
  fi
  [[ -r $log ]] || die "node $1 has no log yet ($log)"
  shift
  exec tail -n 100 "$@" "$log"
}

signal_node() {
  local pid
  pid=$(pid_of "$2") || die "node $2 is not running"
  kill "-$1" "$pid" || die "node $2 (process $pid) cannot be signalled"
}

# --- what is known of nodes

# By id: running, paused, stopped or unreachable; process id; marks of the directory, and its path.
declare -A state process marks path

here_facts() {
  local id mark found
  for id in "$@"; do
    found=
    for mark in meta.properties quorum.joining quorum.awaiting-image quorum.removed quorum.started; do
      [[ ! -e ${directory[$id]}/$mark ]] || found+=$mark,
    done
    echo "node $id $(state_of "$id") $(pid_of "$id" || echo -) ,$found ${directory[$id]}"
  done
  echo "cluster $(cat "$data/cluster.id" 2>/dev/null || echo -)" "$([[ ! -e $data/cluster.started ]] || echo started)"
}

# Asks all machines, or those of the nodes "$@"; fails if any does not answer. What they know of the cluster is known
# here, too, afterwards.
ask_nodes() {
  local answers complete=0 kind a b c d rest id of=("$@")
  [[ ${#of[@]} -gt 0 ]] || of=("${ids[@]}")
  for id in "${of[@]}"; do
    state[$id]=unreachable process[$id]=- marks[$id]=, path[$id]=${directory[$id]}
  done
  answers=$(on_nodes facts -- "${of[@]}") || complete=1
  if [[ $dry_run == yes ]]; then
    echo "$answers"
    return
  fi
  while read -r kind a b c d rest; do
    case $kind in
      node) state[$a]=$b process[$a]=$c marks[$a]=$d path[$a]=$rest ;;
      cluster)
        mkdir -p "$data"
        if [[ $a != - && ! -r $data/cluster.id ]]; then
          echo "$a" >"$data/cluster.id"
        fi
        [[ $a == - || $a == "$(<"$data/cluster.id")" ]] \
          || die "a machine of $inventory has nodes of the cluster $a, and $data belongs to $(<"$data/cluster.id")"
        [[ $b != started ]] || : >"$data/cluster.started"
        ;;
    esac
  done <<<"$answers"
  return "$complete"
}

# Whether the directory of node $1 has the mark $2, a file in it.
has_mark() { [[ ${marks[$1]} == *,"$2",* ]]; }

# --- commands

up() { start_where_they_are "${ids[@]}"; }

start_where_they_are() {
  local id
  require_formatted
  for id in "$@"; do
    # From here on a controller without a log is one that has lost it.
    [[ $dry_run == yes || ${role[$id]} != controller ]] || is_here "$id" || : >"$data/cluster.started"
  done
  on_nodes start -- "$@"
}

format() {
  local id mode=fresh fresh=() joining=() cluster_id='' image=''
  while [[ $# -gt 0 ]]; do
    case $1 in
      --cluster-id) [[ $# -ge 2 ]] || die "$1 needs a value"; cluster_id=$2; shift 2 ;;
      --ignore-formatted) mode=again; shift ;;
      --from-image) [[ $# -ge 2 ]] || die "$1 needs a value"; image=$2; shift 2 ;;
      *) die "format: unknown argument $1" ;;
    esac
  done
  require_java
  require_class_path
  [[ $dry_run == yes ]] || mkdir -p "$data"
  ask_nodes || die "not formatted: not all machines answer"
  if [[ -r $data/cluster.id ]]; then
    [[ -z $cluster_id || $cluster_id == "$(<"$data/cluster.id")" ]] \
      || die "$data already belongs to the cluster $(<"$data/cluster.id")"
    cluster_id=$(<"$data/cluster.id")
  fi
  if [[ -n $image ]]; then
    format_from_image "$image" "$cluster_id"
    return
  fi
  if [[ -z $cluster_id && $dry_run == yes ]]; then
    cluster_id=CLUSTER_ID
  fi
  [[ -n $cluster_id ]] || cluster_id=$(model_main random-cluster-id)
  for id in "${ids[@]}"; do
    if lost_its_log "$id"; then
      require_may_join "$id"
      joining+=("$id")
    else
      fresh+=("$id")
    fi
  done
  if [[ ${#joining[@]} -gt 0 ]]; then
    on_nodes format-nodes joining "$cluster_id" -- "${joining[@]}" || exit 1
    mode=again
  fi
  if [[ ${#fresh[@]} -gt 0 ]]; then
    on_nodes format-nodes "$mode" "$cluster_id" -- "${fresh[@]}" || exit 1
  fi
  [[ $dry_run == yes ]] || echo "$cluster_id" >"$data/cluster.id"
}

# $1: fresh, again (what is formatted stays as it is), joining (controllers that a working quorum takes in) or
# awaiting-image (controllers that do not start before new-quorum has given them one), $2 the cluster's id, then nodes.
here_format_nodes() {
  local id arguments=(--cluster-id "$2")
  case $1 in
    again) arguments+=(--ignore-formatted) ;;
    joining) arguments+=(--joining) ;;
    awaiting-image) arguments+=(--ignore-formatted --awaiting-image) ;;
  esac
  shift 2
  require_java
  require_class_path
  mkdir -p "$data"
  for id in "$@"; do
    write_properties "$id"
    arguments+=(--config "$(properties_of "$id")")
  done
  model_main format "${arguments[@]}" || exit 1
  echo "${arguments[1]}" >"$data/cluster.id"
}

# All controllers begin anew; brokers stay as they are. Can be repeated until the first controller has been started. What
# controllers of other machines begin with is made here, all of it from one reading of the image, and sent to them.
#
# The image is looked at before anything is touched. Then no controller starts before it has it, wherever this ends:
# brokers would delete what the founders of an empty quorum do not know.
format_from_image() {
  local image=$1 cluster_id=$2 id arguments=() controllers=() brokers=() kept=() sent=() staged=$data/new-quorum
  [[ -r $image ]] || die "there is no image $image"
  [[ -n $cluster_id ]] || die "format --from-image needs the --cluster-id of the cluster, which its brokers have, too"
  for id in "${ids[@]}"; do
    if [[ ${role[$id]} == broker ]]; then
      brokers+=("$id")
      continue
    fi
    controllers+=("$id")
    if is_here "$id"; then kept+=("$id"); else sent+=("$id"); fi
    [[ $dry_run == no ]] || continue
    [[ ${state[$id]} == stopped ]] || die "controller $id is ${state[$id]}: stop all of them first"
    ! has_mark "$id" quorum.started \
      || die "${path[$id]} holds the log of controller $id: move it away first, the image takes its place"
  done
  jvm_options controller "$data/logs/quorum"
  java_tool "${JVM_OPTIONS[@]}" -XX:TieredStopAtLevel=1 -cp "$CLASS_PATH" io.tidemark.quorum.app.QuorumMain check-image \
    "$image" || die "nothing was formatted: the controllers cannot begin with $image"
  on_nodes await-image -- "${controllers[@]}" || exit 1
  [[ ${#kept[@]} -eq 0 ]] || on_nodes format-nodes awaiting-image "$cluster_id" -- "${kept[@]}" || exit 1
  [[ ${#brokers[@]} -eq 0 ]] || on_nodes format-nodes again "$cluster_id" -- "${brokers[@]}" || exit 1
  [[ $dry_run == yes ]] || rm -rf "$staged"
  for id in "${sent[@]}"; do
    directory[$id]=$staged/$id
  done
  [[ ${#sent[@]} -eq 0 ]] || on_this_machine format-nodes awaiting-image "$cluster_id" "${sent[@]}" || exit 1
  [[ $dry_run == yes ]] || echo "$cluster_id" >"$data/cluster.id"
  for id in "${controllers[@]}"; do
    arguments+=(--directory "$id=${directory[$id]}")
  done
  java_tool "${JVM_OPTIONS[@]}" -XX:TieredStopAtLevel=1 -cp "$CLASS_PATH" io.tidemark.quorum.app.QuorumMain new-quorum \
    --image "$image" --controllers "$(controllers)" --cluster-id "$cluster_id" "${arguments[@]}" || exit 1
  for id in "${sent[@]}"; do
    send_directory "$id" "$staged/$id" || exit 1
  done
  # Only what the cluster is called is new to these machines.
  [[ ${#sent[@]} -eq 0 ]] || on_nodes format-nodes again "$cluster_id" -- "${sent[@]}" || exit 1
  [[ $dry_run == yes ]] || rm -rf "$staged"
}

# Those that are formatted already must not start as they are, either.
here_await_image() {
  local id
  for id in "$@"; do
    [[ ! -e ${directory[$id]}/meta.properties || -e ${directory[$id]}/quorum.started ]] \
      || : >"${directory[$id]}/quorum.awaiting-image"
  done
}

# Makes the folder $2 the directory of node $1 of another machine. What is there is moved aside, not lost.
send_directory() {
  local place
  place=$(quoted "${path[$1]}")
  if [[ $dry_run == yes ]]; then
    quoted tar -czf "$2.tar.gz" -C "$2" .
  else
    tar -czf "$2.tar.gz" -C "$2" . || return
  fi
  told_of "${host[$1]}" over_ssh "${host[$1]}" "rm -rf $place.new && mkdir -p $place.new \
&& tar -xzf - -C $place.new && { test ! -e $place || mv $place $place.before-\$(date +%Y%m%d%H%M%S)-\$\$; } \
&& mv $place.new $place" "$2.tar.gz"
}

# A controller without an identity in a cluster that has been started.
lost_its_log() {
  [[ $dry_run == no && ${role[$1]} == controller && -e $data/cluster.started ]] && ! has_mark "$1" meta.properties
}

# Only where the quorum works and no other member is missing.
require_may_join() {
  local answer
  answer=$(quorum_main may-join "$1") || die "controller $1 is not formatted: it has no log, and this cluster has been" \
    "started before. See above; if a majority of the controllers is lost: format --from-image (docs/QUORUM.md)"
  [[ $answer == member ]] || die "controller $1 is no member of the quorum: quorum add $1 takes it in"
}

# A tool that asks or changes the cluster; only printed in a dry run.
java_tool() { if [[ $dry_run == yes ]]; then quoted "$JAVA" "$@"; else "$JAVA" "$@"; fi; }

model_main() {
  "$JAVA" -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -cp "$CLASS_PATH" io.tidemark.model.config.FormatMain "$@"
}

# Asks the quorum or changes it: quorum_main COMMAND ARGUMENTS...
quorum_main() {
  require_formatted
  require_java
  require_class_path
  jvm_options controller "$data/logs/quorum"
  java_tool "${JVM_OPTIONS[@]}" -XX:TieredStopAtLevel=1 -cp "$CLASS_PATH" io.tidemark.quorum.app.QuorumMain "$1" \
    --controllers "$(controllers)" --cluster-id "$(cluster_id)" --rpc "$(rpc)" "${@:2}"
}

require_controller() {
  [[ ${role[${1:-}]:-} == controller ]] \
    || die "there is no controller ${1:-} in $inventory, only: $(of_role controller | xargs)"
}

# The ids of the members, one a line; fails with the reason if the quorum does not tell.
member_ids() {
  local answer
  answer=$(quorum_main members --json) || return
  grep -o '"node":[0-9]*' <<<"$answer" | cut -d : -f 2
}

is_member() { member_ids 2>/dev/null | grep -Fxq -- "$1"; }

quorum_add() {
  local id=$1
  ask_nodes "$id" || exit 1
  if [[ $dry_run == yes ]]; then
    quorum_main may-join "$id"
    on_nodes format-nodes joining "$(cluster_id)" -- "$id"
    start_where_they_are "$id"
    quorum_main members --json
    return
  fi
  if [[ ${state[$id]} == running ]] && ! has_mark "$id" quorum.joining && is_member "$id"; then
    echo "controller $id is a member already"
    return
  fi
  # One that is about to join already is only waited for.
  [[ ${state[$id]} == stopped ]] || has_mark "$id" quorum.joining \
    || die "node $id is ${state[$id]}, process ${process[$id]}: stop it first"
  if has_mark "$id" quorum.removed; then
    die "${path[$id]} holds the log of controller $id from before it was removed: move that directory away first"
  elif has_mark "$id" meta.properties && ! has_mark "$id" quorum.joining; then
    die "${path[$id]} is the directory of a controller that has been a member: cluster.sh start $id"
  fi
  quorum_main may-join "$id" >/dev/null || exit 1
  if ! has_mark "$id" meta.properties; then
    on_nodes format-nodes joining "$(cluster_id)" -- "$id" || exit 1
  fi
  start_where_they_are "$id" || exit 1
  wait_for "$START_TIMEOUT_S" is_member "$id" \
    || die "controller $id runs, and is no member of the quorum after $START_TIMEOUT_S s: see $data/logs and quorum members"
  echo "controller $id is a member of the quorum; brokers that run have been told"
}

# $2 comes in, then $1 goes. Broken off between the two, it is repeated: what is done already stays done.
quorum_replace() {
  local old=$1 new=$2 members
  [[ $old =~ ^[0-9]+$ ]] || die "quorum replace needs the node id to go, and $old is none"
  [[ $old != "$new" ]] || die "to replace $old by itself, with an empty directory: quorum replace $old"
  if [[ $dry_run == yes ]]; then
    quorum_main members --json
    quorum_add "$new"
    quorum_remove "$old"
    return
  fi
  members=$(member_ids) || exit 1
  grep -Fxq -- "$old" <<<"$members" \
    || die "controller $old is no member of the quorum, so there is nothing to replace; members are: $(xargs <<<"$members")"
  if grep -Fxq -- "$new" <<<"$members"; then
    echo "controller $new is a member already"
    start_where_they_are "$new" || exit 1
  else
    quorum_add "$new"
  fi
  quorum_remove "$old"
}

quorum_remove() {
  local id=$1
  quorum_main remove "$@" || exit 1
  [[ ${role[$id]:-} == controller ]] || return 0
  on_nodes removed -- "$id" || exit 1
  [[ $dry_run == yes ]] || echo "now delete the line of $id from $inventory: it says whom brokers and controllers ask when they start"
}

here_removed() {
  [[ ! -d ${directory[$1]} ]] || : >"${directory[$1]}/quorum.removed"
  ! is_running "$1" || stop_nodes "$1"
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
        quorum_replace "$1" "$2"
      else
        ask_nodes "$1" || exit 1
        [[ $dry_run == yes ]] || ! has_mark "$1" meta.properties || has_mark "$1" quorum.joining \
          || die "${path[$1]} is not empty: stop $1 and move that directory away first, or replace it by another node"
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
  java_tool "${JVM_OPTIONS[@]}" -XX:TieredStopAtLevel=1 -cp "$CLASS_PATH" io.tidemark.quorum.inspect.StatusMain \
    --controllers "$(controllers)" --cluster-id "$(cluster_id)" --rpc "$(rpc)" "$@"
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
  java_tool "${JVM_OPTIONS[@]}" -XX:TieredStopAtLevel=1 -cp "$CLASS_PATH" io.tidemark.broker.health.WhyMain \
    --brokers "$(health_addresses broker)" "$@"
}

status() {
  local id
  if [[ ${1:-} != --json ]]; then
    ask_nodes || true
  fi
  if [[ ${1:-} != --json && $dry_run == no ]]; then
    printf '%-6s %-11s %-22s %-8s %s\n' node role address process pid
    for id in "${ids[@]}"; do
      printf '%-6s %-11s %-22s %-8s %s\n' "$id" "${role[$id]}" "${host[$id]}:${port[$id]}" \
        "${state[$id]:--}" "${process[$id]#-}"
    done
    echo
  fi
  ask "$@"
}

require_no_argument() { [[ $# -eq 0 ]] || die "$command takes no argument"; }

case $command in
  *help) usage; exit 0 ;;
esac
# Units and properties name it, and are read elsewhere.
[[ $inventory == /* ]] || inventory=$PWD/$inventory
data=${data:-$ROOT/data/$cluster_name}
if [[ $dry_run == no || -d $(dirname "$data") ]]; then
  mkdir -p "$(dirname "$data")"
  data=$(cd "$(dirname "$data")" && pwd)/$(basename "$data")
elif [[ $data != /* ]]; then
  data=$PWD/$data
fi
if [[ -n $on ]]; then
  mkdir -p "$data"
  inventory=$data/inventory.conf
  cat >"$inventory.$$"
  mv "$inventory.$$" "$inventory"
fi
read_inventory
[[ $dry_run == no ]] || TIDEMARK_BUILT=yes
if [[ -n $on ]]; then
  case $command in
    start | stop | halt | kill | pause | resume | logs | facts | directory | format-nodes | await-image | removed | configure) ;;
    *) die "$command is not for one machine" ;;
  esac
  "here_${command//-/_}" "$@"
  exit
fi

case $command in
  deploy) deploy "$@" ;;
  format) format "$@" ;;
  up) require_no_argument "$@"; up ;;
  down) require_no_argument "$@"; on_nodes halt -- "${ids[@]}" ;;
  status) status "$@" ;;
  health) health "$@" ;;
  wait-healthy)
    timeout=60
    looks=()
    while [[ $# -gt 0 ]]; do
      case $1 in
        --timeout) [[ ${2:-} =~ ^[0-9]+$ ]] || die "$1 needs seconds"; timeout=$2; shift 2 ;;
        --json) looks=(--json); shift ;;
        *) die "wait-healthy takes --timeout S and --json, and not $1" ;;
      esac
    done
    health --wait "$timeout" "${looks[@]}"
    ;;
  why) why "$@" ;;
  safe-to-stop) require_node "${@:1:1}"; safe_to_stop "$@" ;;
  roll) roll "$@" ;;
  start) require_node "$@"; start_where_they_are "$1" ;;
  stop | kill | pause | resume | directory) require_node "$@"; on_nodes "$command" -- "$1" ;;
  logs)
    [[ $# -ge 1 ]] || require_node
    require_node "$1"
    if is_here "$1"; then here_logs "$@"; else cluster_there "${host[$1]}" logs "$@"; fi
    ;;
  run) require_node "$@"; is_here "$1" || die "node $1 is on ${host[$1]}"; run_here "$1" ;;
  unit) require_node "$@"; is_here "$1" || die "node $1 is on ${host[$1]}"; unit_text "$1" ;;
  bootstrap) bootstrap ;;
  controllers) controllers ;;
  rpc) rpc ;;
  quorum) quorum "$@" ;;
  cluster-id) require_formatted; cluster_id ;;
  health-address) require_node "$@"; echo "${host[$1]}:$(health_port "$1")" ;;
  *) die "unknown command $command (--help tells more)" ;;
esac
