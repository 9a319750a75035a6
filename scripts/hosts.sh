# Where the nodes of an inventory are, and how other machines are reached; to be sourced by cluster.sh.
#
# A node of another machine is operated by this very script over there: the inventory goes to it over ssh on standard
# input, with the command and the ids of its nodes. What a command does is therefore written once.
# shellcheck shell=bash disable=SC2154,SC2029

SSH_TIMEOUT_S=${TIDEMARK_SSH_TIMEOUT_S:-5}
# Under /tmp, not TMPDIR: the path of a socket must be short.
SSH_CONTROL=${TIDEMARK_SSH_CONTROL_DIR:-/tmp/tidemark-ssh-$(id -u)}
# What is set here holds over there, too.
PASSED_ON=(TIDEMARK_CONTROLLER_HEAP_OPTS TIDEMARK_BROKER_HEAP_OPTS TIDEMARK_HEAP_OPTS TIDEMARK_JVM_OPTS
  TIDEMARK_START_TIMEOUT_S TIDEMARK_STOP_TIMEOUT_S)

# KEY of host HOST under "HOST KEY", as the inventory's lines "host HOST|all KEY=VALUE" set it.
declare -A host_setting
declare -A is_local

# Takes one line "host $1 KEY=VALUE ..." of the inventory; fails if it is not one.
read_host_line() {
  local name=$1 word
  shift
  [[ $# -gt 0 ]] || return 1
  for word in "$@"; do
    [[ $word =~ ^(user|port|identity|known_hosts|java_home|install|data)=(.+)$ ]] || return 1
    host_setting["$name ${BASH_REMATCH[1]}"]=${BASH_REMATCH[2]}
  done
}

# Setting $2 of the host $1, else of all hosts, else $3.
host_setting_of() { echo "${host_setting["$1 $2"]:-${host_setting["all $2"]:-${3:-}}}"; }

install_of() { host_setting_of "$1" install tidemark; }
data_of() { host_setting_of "$1" data "tidemark-data/$cluster_name"; }

own_addresses() {
  if command -v ip >/dev/null; then
    ip -o addr show 2>/dev/null | awk '{ sub(/\/.*/, "", $4); print $4 }'
  else
    ifconfig 2>/dev/null | awk '$1 ~ /^inet6?$/ { sub(/^addr:/, "", $2); sub(/%.*/, "", $2); print $2 }'
  fi
}

# Whether the host $1 is this machine: by its name, or by an address that is one of ours.
looks_local() {
  local address own
  case $1 in
    localhost | 127.* | ::1 | 0.0.0.0) return 0 ;;
  esac
  [[ $1 != "$(hostname 2>/dev/null)" ]] || return 0
  own=$(own_addresses)
  ! grep -Fxq -- "$1" <<<"$own" || return 0
  [[ ! $1 =~ ^[0-9.]+$ && $1 != *:* ]] && command -v getent >/dev/null || return 1
  address=$(getent ahosts "$1" 2>/dev/null | awk 'NR == 1 { print $1 }')
  [[ $address == 127.* || $address == ::1 ]] || grep -Fxq -- "${address:-none}" <<<"$own"
}

# Whether node $1 is of this machine. What a launcher starts is, whatever network it is put into.
is_here() {
  local name=${host[$1]}
  [[ -z ${TIDEMARK_LAUNCHER:-} ]] || return 0
  if [[ -n $on ]]; then
    [[ $name == "$on" ]]
    return
  fi
  if [[ -z ${is_local[$name]:-} ]]; then
    is_local[$name]=no
    ! looks_local "$name" || is_local[$name]=yes
  fi
  [[ ${is_local[$name]} == yes ]]
}

# The other machines that nodes "$@" are on, one a line.
hosts_of() {
  local id
  for id in "$@"; do
    is_here "$id" || echo "${host[$id]}"
  done | sort -u
}

# For the shell over there, whichever it is.
quoted() {
  local word text=
  for word in "$@"; do
    if [[ $word =~ ^[A-Za-z0-9_./:=@,+-]+$ ]]; then
      text+=" $word"
    else
      text+=" '${word//\'/\'\\\'\'}'"
    fi
  done
  echo "${text# }"
}

# Sets SSH_OPTIONS for the host $1.
ssh_options() {
  local value
  # No password can be typed, nor a key be looked at, by many hosts at once.
  SSH_OPTIONS=(-o BatchMode=yes -o "ConnectTimeout=$SSH_TIMEOUT_S"
    -o "ServerAliveInterval=$SSH_TIMEOUT_S" -o ServerAliveCountMax=2
    -o ControlMaster=auto -o "ControlPath=$SSH_CONTROL/%C" -o ControlPersist=60)
  value=$(host_setting_of "$1" user)
  [[ -z $value ]] || SSH_OPTIONS+=(-l "$value")
  value=$(host_setting_of "$1" port)
  [[ -z $value ]] || SSH_OPTIONS+=(-p "$value")
  value=$(host_setting_of "$1" identity)
  [[ -z $value ]] || SSH_OPTIONS+=(-i "${value/#\~\//$HOME/}" -o IdentitiesOnly=yes)
  value=$(host_setting_of "$1" known_hosts)
  [[ -z $value ]] || SSH_OPTIONS+=(-o "UserKnownHostsFile=${value/#\~\//$HOME/}" -o StrictHostKeyChecking=yes)
  read -r -a value <<<"${TIDEMARK_SSH_OPTS:-}"
  SSH_OPTIONS+=("${value[@]}")
}

# Runs the shell command $2 on the host $1, with the file $3 as its input. Of the connection that the next commands use, too,
# no process may keep our output open; hence it is made first, by itself.
over_ssh() {
  local problem
  ssh_options "$1"
  if [[ $dry_run == yes ]]; then
    echo "$(quoted ssh "${SSH_OPTIONS[@]}" "$1" "$(quoted sh -c "$2")")${3:+ <$(quoted "$3")}"
    return
  fi
  (umask 077 && mkdir -p "$SSH_CONTROL")
  [[ -O $SSH_CONTROL ]] || die "$SSH_CONTROL belongs to somebody else: set TIDEMARK_SSH_CONTROL_DIR"
  problem=$(mktemp "${TMPDIR:-/tmp}/tidemark-ssh.XXXXXX")
  if ! ssh "${SSH_OPTIONS[@]}" "$1" true </dev/null >/dev/null 2>"$problem"; then
    echo "cannot be reached over ssh: $(grep -v '^$' "$problem" | tail -n 1)" >&2
    rm -f "$problem"
    return 255
  fi
  rm -f "$problem"
  ssh "${SSH_OPTIONS[@]}" "$1" "$(quoted sh -c "$2")" <"${3:-/dev/null}"
}

# This script on the host $1, for the command "${@:2}".
cluster_there() {
  local name=$1 variable program environment=(env) flags=() status
  shift
  for variable in "${PASSED_ON[@]}"; do
    [[ -z ${!variable:-} ]] || environment+=("$variable=${!variable}")
  done
  [[ -z $(host_setting_of "$name" java_home) ]] || environment+=("JAVA_HOME=$(host_setting_of "$name" java_home)")
  program=$(install_of "$name")/current/bin/cluster.sh
  flags=(--on "$name" --data "$(data_of "$name")")
  over_ssh "$name" "exec $(quoted "${environment[@]}" bash "$program" "${flags[@]}" "$@")" "$inventory" || {
    status=$?
    [[ $status -ne 127 ]] || echo "Tidemark is not installed in $(install_of "$name"): cluster.sh deploy does that" >&2
    return "$status"
  }
}

# Runs "$@" with each line of its errors told to be of the host $1; fails as it does.
told_of() {
  local name=$1
  shift
  { "$@" 2>&1 >&3 3>&- | sed "s/^/$name: /" >&2; } 3>&1
}

# Runs the command "$@" up to "--" for the nodes after it, each where it is, on all machines at once. Fails if it fails on
# any, after all others are done.
on_nodes() {
  local id name words=() here=() failed=() job
  while [[ $1 != -- ]]; do
    words+=("$1")
    shift
  done
  shift
  local -A there=() jobs=()
  for id in "$@"; do
    if is_here "$id"; then
      here+=("$id")
    else
      there[${host[$id]}]+=" $id"
    fi
  done
  if [[ ${#there[@]} -eq 0 && $dry_run == no ]]; then
    on_this_machine "${words[@]}" "${here[@]}"
    return
  fi
  for name in $(printf '%s\n' "${!there[@]}" | sort -V); do
    # shellcheck disable=SC2086
    told_of "$name" cluster_there "$name" "${words[@]}" ${there[$name]} &
    jobs[$name]=$!
    [[ $dry_run == no ]] || wait "$!"
  done
  if [[ ${#here[@]} -gt 0 && $dry_run == yes ]]; then
    told_here "${here[@]}"
  elif [[ ${#here[@]} -gt 0 ]]; then
    on_this_machine "${words[@]}" "${here[@]}" &
    jobs["this machine"]=$!
  fi
  for name in "${!jobs[@]}"; do
    job=0
    wait "${jobs[$name]}" || job=$?
    [[ $job -eq 0 ]] || failed+=("$name")
  done
  [[ ${#failed[@]} -eq 0 ]] || {
    echo "$(basename "$0"): ${words[0]} failed on: ${failed[*]}" >&2
    return 1
  }
}

# Prints what would do the words of on_nodes for the nodes "$@" of this machine: as for any other, but without ssh.
told_here() {
  local id name
  local -A mine=()
  for id in "$@"; do
    mine[${host[$id]}]+=" $id"
  done
  for name in $(printf '%s\n' "${!mine[@]}" | sort -V); do
    # shellcheck disable=SC2086
    echo "$(quoted "$0" --on "$name" --data "$data" "${words[@]}" ${mine[$name]}) <$(quoted "$inventory")"
  done
}

on_this_machine() {
  local command=$1
  if [[ $dry_run == yes ]]; then
    quoted "$0" --inventory "$inventory" --data "$data" "$@"
    return
  fi
  shift
  "here_${command//-/_}" "$@"
}
