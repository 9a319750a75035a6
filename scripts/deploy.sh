# Installs Tidemark on the other machines of an inventory and configures their nodes; to be sourced by cluster.sh.
#
# An installation is a folder of its own beside those before it, and a link says which one is meant: a process that runs
# keeps its jars whatever is deployed.
# shellcheck shell=bash disable=SC2154

VERSIONS_KEPT=3

deploy() {
  local tarball='' start=no hosts version name failed=() job
  local -A jobs=()
  while [[ $# -gt 0 ]]; do
    case $1 in
      --tarball) [[ $# -ge 2 ]] || die "$1 needs a value"; tarball=$2; shift 2 ;;
      --start) start=yes; shift ;;
      *) die "deploy: unknown argument $1" ;;
    esac
  done
  hosts=$(hosts_of "${ids[@]}")
  [[ -n $hosts ]] || die "all nodes of $inventory are of this machine: there is nothing to deploy"
  if [[ -n $tarball ]]; then
    [[ -r $tarball ]] || die "there is no tarball $tarball"
  elif [[ $dry_run == yes ]]; then
    quoted "$ROOT/scripts/dist.sh"
    tarball=$ROOT/target/tidemark.tar.gz
  else
    [[ -x $ROOT/scripts/dist.sh ]] || die "deploy needs a --tarball where the sources are not"
    tarball=$("$ROOT/scripts/dist.sh") || exit 1
  fi
  version=$(basename "$tarball" .tar.gz)-$(if [[ -r $tarball ]]; then cksum_of "$tarball"; else echo DIGEST; fi)
  for name in $hosts; do
    told_of "$name" install_on "$name" "$tarball" "$version" &
    jobs[$name]=$!
    [[ $dry_run == no ]] || wait "$!"
  done
  for name in "${!jobs[@]}"; do
    job=0
    wait "${jobs[$name]}" || job=$?
    [[ $job -eq 0 ]] || failed+=("$name")
  done
  [[ ${#failed[@]} -eq 0 ]] || die "deploy failed on: ${failed[*]}"
  if [[ $start == yes ]]; then
    ask_nodes || die "not started: not all machines answer"
    [[ -r $data/cluster.id ]] || format
    up
  fi
}

# Enough of a digest to tell builds of one version apart.
cksum_of() {
  if command -v sha256sum >/dev/null; then sha256sum "$1"; else shasum -a 256 "$1"; fi | cut -c 1-12
}

# $1 host, $2 tarball, $3 name of the installation.
install_on() {
  local id mine=() directory answer place
  directory=$(install_of "$1")
  place=$(quoted "$directory/versions/$3")
  answer=$(over_ssh "$1" "command -v bash >/dev/null || { echo 'there is no bash' >&2; exit 1; }; test -d $place && echo there || echo missing") \
    || return
  if [[ $dry_run == yes ]]; then
    echo "$answer"
  fi
  if [[ $answer != there ]]; then
    over_ssh "$1" "new=$(quoted "$directory/versions")/.new-\$\$; mkdir -p \"\$new\" \
&& tar -xzf - -C \"\$new\" --strip-components=1 && mv \"\$new\" $place || { rm -rf \"\$new\"; exit 1; }" "$2" || return
  fi
  over_ssh "$1" "cd $(quoted "$directory") && ln -sfn $(quoted "versions/$3") current.new && mv -fT current.new current" \
    || return
  over_ssh "$1" "$(prune_command "$directory" "$3")" || return
  for id in "${ids[@]}"; do
    [[ ${host[$id]} != "$1" ]] || mine+=("$id")
  done
  cluster_there "$1" configure "${mine[@]}" || return
  [[ $dry_run == yes ]] || echo "$1: $3 is installed for node ${mine[*]}"
}

# Text of a command that removes all installations in $1 but those that were deployed last, $2 the very last of them, and those
# that a process still runs from: it may read its jars at any time. Without /proc nobody knows those, and all stay.
prune_command() {
  cat <<COMMAND
cd $(quoted "$1/versions") && touch $(quoted "$2") || exit 0
test -d /proc/self || exit 0
running=\$(cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' '\\n')
ls -1t | tail -n +$((VERSIONS_KEPT + 1)) | while read -r old; do
  case "\$running" in
    *"/versions/\$old/"*) ;;
    *) rm -rf "./\$old" ;;
  esac
done
COMMAND
}

here_configure() {
  local id roles=()
  require_java
  for id in "$@"; do
    write_properties "$id"
    unit_text "$id" >"$data/config/$(unit_of "$id")"
    roles+=("${role[$id]}")
  done
  # Nodes start without them as well.
  [[ ! -x $ROOT/bin/class-archives.sh ]] || "$ROOT/bin/class-archives.sh" --missing "${roles[@]}" >/dev/null || true
}

# --- systemd

unit_of() { echo "tidemark-$(basename "$data")-$1.service"; }

# Whether systemd is to start node $1.
is_a_service() { command -v systemctl >/dev/null && systemctl is-enabled --quiet "$(unit_of "$1")" 2>/dev/null; }

# Value of the property $2 of node $1, else $3.
property_of() {
  local setting found=$3
  for setting in "${settings[@]}"; do
    case $setting in
      "all $2="* | "${role[$1]} $2="*) found=${setting#*=} ;;
    esac
  done
  echo "$found"
}

# Where JAVA belongs to: what is on the PATH may be a link, or a program that looks for Java itself.
java_home() {
  local home
  if [[ $JAVA == "${JAVA_HOME:-}/bin/java" ]]; then
    echo "$JAVA_HOME"
    return
  fi
  home=$("$JAVA" -XshowSettings:properties -version 2>&1 | sed -n 's/^ *java\.home = //p')
  [[ -x $home/bin/java ]] || die "$JAVA does not tell where it is installed: set JAVA_HOME"
  echo "$home"
}

# systemd takes % and \ in values for its own.
unit_word() {
  local word=${1//\\/\\\\}
  word=${word//\"/\\\"}
  echo "\"${word//%/%%}\""
}

# A unit file of node $1. An orderly stop ends with 143, as a JVM does on SIGTERM; it may take what the controlled
# shutdown may, and the time to close the logs. What cannot come up five times in five minutes waits for an operator.
unit_text() {
  local variable program=$ROOT shutdown_ms
  # Through the link, so that the next deployment is what the next start runs.
  [[ $ROOT != */versions/* ]] || program=${ROOT%/versions/*}/current
  program=$program/bin/cluster.sh
  [[ -x $program ]] || program=$ROOT/scripts/cluster.sh
  shutdown_ms=$(property_of "$1" controlled.shutdown.max.wait.ms 5000)
  cat <<UNIT
# Made by cluster.sh for node $1 (${role[$1]}); changes belong into a drop-in (systemctl edit).
[Unit]
Description=Tidemark ${role[$1]} $1
Documentation=file:${program%/*/*}/docs/OPERATIONS.md
Wants=network-online.target
After=network-online.target
StartLimitIntervalSec=300
StartLimitBurst=5

[Service]
Type=exec
User=$(id -un)
WorkingDirectory=/
UNIT
  # systemd has a PATH of its own, and may find another Java there, or none.
  require_java
  echo "Environment=$(unit_word "JAVA_HOME=$(java_home)")"
  for variable in "${PASSED_ON[@]}"; do
    [[ -z ${!variable:-} ]] || echo "Environment=$(unit_word "$variable=${!variable}")"
  done
  cat <<UNIT
ExecStart=$(unit_word "$program") --inventory $(unit_word "$inventory") --data $(unit_word "$data") run $1
Restart=on-failure
RestartSec=5
SuccessExitStatus=143
TimeoutStopSec=$((shutdown_ms / 1000 + STOP_TIMEOUT_S))
LimitNOFILE=100000
NoNewPrivileges=yes
ProtectSystem=full

[Install]
WantedBy=multi-user.target
UNIT
}

# Becomes node $1, for a service manager.
run_here() {
  require_formatted
  require_java
  require_class_path
  if [[ $dry_run == yes ]]; then
    launch_command "$1"
    quoted "${LAUNCH[@]}"
    return
  fi
  ! is_running "$1" || die "node $1 is running already: process $(pid_of "$1")"
  prepare_launch "$1"
  [[ ${role[$1]} != controller ]] || : >"$data/cluster.started"
  echo $$ >"$(pid_file_of "$1")"
  exec "${LAUNCH[@]}" </dev/null >>"$(log_directory_of "$1")/stdout.log" 2>>"$(log_directory_of "$1")/stderr.log"
}
