# Restarts nodes one at a time behind a gate; to be sourced by cluster.sh.
# shellcheck shell=bash disable=SC2154

safe_to_stop() {
  local id=$1
  shift
  ask --safe-to-stop "$id" --nodes "$(health_addresses controller),$(health_addresses broker)" "$@"
}

# Brokers, then controllers, the acting one last: every change of it is a failover.
roll_order() {
  local id acting=$1
  shift
  for id in "$@"; do
    [[ ${role[$id]} != broker ]] || echo "$id"
  done
  for id in "$@"; do
    [[ ${role[$id]} != controller || $id == "$acting" ]] || echo "$id"
  done
  for id in "$@"; do
    [[ $id != "$acting" ]] || echo "$id"
  done
}

acting_controller() {
  if [[ $dry_run == yes ]]; then
    ask --json >&2
  else
    ask --json | sed -n 's/^.*"leader":\(-\{0,1\}[0-9]*\),"controllers".*$/\1/p'
  fi
}

roll() {
  local only='' timeout=60 chosen=() order=() id acting begun problem='' since
  local -A told=()
  while [[ $# -gt 0 ]]; do
    case $1 in
      --only)
        [[ ${2:-} =~ ^(brokers|controllers)$ ]] || die "$1 needs brokers or controllers"
        only=${2%s}
        shift 2
        ;;
      --timeout) [[ ${2:-} =~ ^[0-9]+$ ]] || die "$1 needs seconds"; timeout=$2; shift 2 ;;
      *) require_node "$1"; chosen+=("$1"); shift ;;
    esac
  done
  [[ ${#chosen[@]} -gt 0 ]] || chosen=("${ids[@]}")
  for id in "${chosen[@]}"; do
    [[ -z $only || ${role[$id]} == "$only" ]] || continue
    order+=("$id")
  done
  [[ ${#order[@]} -gt 0 ]] || die "there is nothing to restart"
  begun=$SECONDS
  health --wait "$timeout" || die "nothing was restarted: a cluster that is not healthy is not rolled"
  # A single node needs no order.
  acting=
  [[ ${#order[@]} -eq 1 ]] || acting=$(acting_controller)
  # shellcheck disable=SC2207
  order=($(roll_order "$acting" "${order[@]}"))
  echo "restarting, in this order: ${order[*]}"
  for id in "${order[@]}"; do
    since=$SECONDS
    if ! safe_to_stop "$id"; then
      problem="refused: node $id is not safe to stop"
    elif ! (on_nodes stop -- "$id"); then
      problem="node $id was not stopped in order, and not started again"
    elif ! (on_nodes start -- "$id"); then
      problem="node $id is stopped and did not start"
    elif ! health --wait "$timeout"; then
      problem="the cluster was not healthy $timeout s after the restart of node $id"
      told[$id]="restarted in $((SECONDS - since)) s, not healthy"
    else
      told[$id]="restarted, healthy after $((SECONDS - since)) s"
    fi
    [[ -z $problem ]] || break
  done
  [[ $dry_run == no ]] || return 0
  echo
  for id in "${order[@]}"; do
    printf '%-6s %-11s %s\n' "$id" "${role[$id]}" "${told[$id]:-not restarted}"
  done
  [[ -z $problem ]] || die "$problem"
  echo "rolled ${#order[@]} nodes in $((SECONDS - begun)) s"
}
