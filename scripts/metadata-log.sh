#!/usr/bin/env bash
# Reads the metadata log: what the controllers decided, when, and why.
#
# usage: scripts/metadata-log.sh [--inventory FILE] [--data DIR] [--node N] [--dir DIR]... COMMAND [ARGUMENTS]
#
#   dump               every entry: index, term, time, cause, records, void or not. Filters: --topic --partition --broker
#                      --kind --from --to
#   show               the state of the cluster, a topic, a partition or a broker, now or --at INDEX|TIME
#   diff A B           what is different between two points, or between two controllers' directories
#   why TOPIC PARTITION   the story of one partition, a sentence for each change, with its cause
#   watch              entries as they commit, from a running cluster
#   export FILE        the state as a snapshot file
#   verify             checksums, order, chain, invariants, snapshots, and whether the controllers agree
#
# COMMAND --help tells its options; --json is for programs. docs/METADATA-LOG.md explains all of it.
#
# Where it reads:
#   by default         the cluster of the inventory (as for cluster.sh) if one of its controllers listens: any controller,
#                      or controller N with --node N; else the directory of N, or of the first; verify reads all, or N
#   --dir DIR          a controller's directory, or a copy of it, whether its process runs or not; nothing is written there
#                      and no lock is taken
#   --controllers ID@HOST:PORT,... --cluster-id ID   (after COMMAND) a running cluster without an inventory
#
# Examples:
#   scripts/metadata-log.sh why orders 0
#   scripts/metadata-log.sh show --at 12:03:04.120 --topic orders
#   scripts/metadata-log.sh dump --kind FenceBrokers --from 12:00
#   scripts/metadata-log.sh --dir /var/lib/tidemark/controller-101 verify
#
# Exit status: 0 done and no damage met, 1 damage met or it could not be done, 2 usage.
#
# Environment: JAVA_HOME; TIDEMARK_TOOL_HEAP_OPTS (-Xmx1g); TIDEMARK_CLASSPATH to run that instead of the built jars.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "$(dirname "$0")/lib.sh"

# A status of its own: 1 is damage.
misused() {
  echo "$(basename "$0"): $*" >&2
  exit 2
}

cluster=()
directories=()
node=
while [[ $# -gt 0 ]]; do
  case $1 in
    -h | --help | help) usage; exit 0 ;;
    --inventory | --data) [[ $# -ge 2 ]] || misused "$1 needs a value"; cluster+=("$1" "$2"); shift 2 ;;
    --node) [[ $# -ge 2 ]] || misused "$1 needs a value"; node=$2; shift 2 ;;
    --dir) [[ $# -ge 2 ]] || misused "$1 needs a value"; directories+=(--dir "$2"); shift 2 ;;
    -*) misused "unknown option $1 (--help tells more)" ;;
    *) break ;;
  esac
done
[[ $# -gt 0 ]] || { usage >&2; exit 2; }
command=$1
shift
case $command in
  dump | show | diff | why | watch | export | verify) ;;
  *) misused "unknown command $command (--help tells more)" ;;
esac

of_cluster() { "$(dirname "$0")/cluster.sh" "${cluster[@]}" "$@"; }

any_listens() {
  local entry address
  for entry in ${1//,/ }; do
    address=${entry#*@}
    ! port_accepts "${address%:*}" "${address##*:}" || return 0
  done
  return 1
}

# Sets SOURCE to what names it to the tool.
find_source() {
  local argument controllers entry cluster_id
  SOURCE=()
  for argument in "$@"; do
    case $argument in
      --dir | --dir=* | --controllers | --controllers=* | -h | --help) return ;;
    esac
  done
  if [[ ${#directories[@]} -gt 0 ]]; then
    SOURCE=("${directories[@]}")
    return
  fi
  # Two directories are their own source.
  [[ $command != diff || ! -d ${1:-} ]] || return 0
  controllers=$(of_cluster controllers)
  cluster_id=$(of_cluster cluster-id)
  if any_listens "$controllers"; then
    SOURCE=(--controllers "$controllers" --cluster-id "$cluster_id" --rpc "$(of_cluster rpc)" ${node:+--controller "$node"})
    return
  fi
  [[ $command != watch ]] || die "no controller listens: nothing to watch"
  for entry in ${controllers//,/ }; do
    if [[ -z $node || $node == "${entry%%@*}" ]]; then
      argument=$(of_cluster directory "${entry%%@*}")
      echo "no controller listens: reading $argument" >&2
      SOURCE+=(--dir "$argument")
      [[ $command == verify ]] || break
    fi
  done
  [[ ${#SOURCE[@]} -gt 0 ]] || die "there is no controller $node among $controllers"
}

find_source "$@"
require_java
require_class_path
read -r -a options <<<"${TIDEMARK_TOOL_HEAP_OPTS:--Xmx1g}"
options+=(-XX:+UseSerialGC -XX:+ExitOnOutOfMemoryError "-Dlog4j2.configurationFile=$ROOT/config/log4j2-tools.xml")
[[ $JAVA_MAJOR -lt 22 ]] || options+=(--enable-native-access=ALL-UNNAMED)
archive_options controller
options+=("${ARCHIVE_OPTIONS[@]}")
[[ ! -t 1 ]] || options+=(-Dtidemark.terminal.out=true)
[[ ! -t 2 ]] || options+=(-Dtidemark.terminal.err=true)
exec "$JAVA" "${options[@]}" -cp "$CLASS_PATH" io.tidemark.quorum.inspect.MetadataLogMain \
  "$command" "${SOURCE[@]}" "$@"
