#!/usr/bin/env bash
# Records the classes that nodes load in archives, which later starts map into memory.
#
# usage: scripts/class-archives.sh [--missing] [broker] [controller]
#
#   --missing   only those that are not there yet
#
# A node spends most of its start on loading classes. An archive comes from a short run of a node on this machine, and
# fits only this Java and these jars, where they are now. Without one everything works, only slower and in more memory.
# scripts/build.sh and "cluster.sh deploy" run this; it is for you where the tarball was unpacked by hand. The
# archives are there once this ends; a role for which none could be made is told, and is no error.
#
# Environment: JAVA_HOME, TMPDIR.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "$(dirname "$0")/lib.sh"

missing=no
roles=()
while [[ $# -gt 0 ]]; do
  case $1 in
    -h | --help) usage; exit 0 ;;
    --missing) missing=yes; shift ;;
    broker | controller) roles+=("$1"); shift ;;
    *) die "unknown argument $1 (--help tells more)" ;;
  esac
done
[[ ${#roles[@]} -gt 0 ]] || roles=(broker controller)
require_java
require_class_path
[[ -n ${CLASS_ARCHIVES:-} ]] || die "TIDEMARK_CLASSPATH is set: nodes would not use the archives"
mkdir -p "$CLASS_ARCHIVES"
training=$(mktemp -d "${TMPDIR:-/tmp}/tidemark-archive.XXXXXX")
trap 'rm -rf "$training"' EXIT

# Records the classes of the role $1 from a run of the class $2 with the roles $3, until the pattern $4 is in its output
# or its log.
record_classes() {
  local archive=$CLASS_ARCHIVES/$1.jsa home=$training/$1 port=$((20000 + RANDOM % 9000)) node
  [[ $missing == no || ! -s $archive ]] || return 0
  echo "recording the classes that a $1 loads"
  rm -f "$archive"
  while port_accepts 127.0.0.1 "$port" || port_accepts 127.0.0.1 "$((port + 1))"; do
    port=$((port + 2))
  done
  mkdir -p "$home/logs"
  {
    echo "process.roles=$3"
    echo node.id=1
    echo "controller.quorum.voters=1@127.0.0.1:$((port + 1))"
    echo "log.dirs=$home/node"
    [[ $3 != *broker* ]] || echo "listeners=PLAINTEXT://127.0.0.1:$port"
    echo "health.port=0"
  } >"$home/node.properties"
  jvm_options "$1" "$home/logs"
  "$JAVA" "${JVM_OPTIONS[@]}" -cp "$CLASS_PATH" io.tidemark.model.config.FormatMain \
    format --config "$home/node.properties" --cluster-id AAAAAAAAAAAAAAAAAAAAAA >/dev/null
  # Under a name of its own until it is whole: a node may start meanwhile.
  "$JAVA" "${JVM_OPTIONS[@]}" "-XX:ArchiveClassesAtExit=$archive.$$" -cp "$CLASS_PATH" \
    "$2" "$home/node.properties" >"$home/logs/out" 2>&1 &
  node=$!
  is_trained() { grep -qrs "$1" "$2" || ! kill -0 "$3" 2>/dev/null; }
  if wait_for 60 is_trained "$4" "$home/logs" "$node" && kill -TERM "$node" 2>/dev/null; then
    wait "$node" || true
  fi
  kill -KILL "$node" 2>/dev/null || true
  if [[ -s $archive.$$ ]]; then
    mv "$archive.$$" "$archive"
  else
    rm -f "$archive.$$"
    echo "no class archive for a $1 was made; it starts without one (see java -XX:ArchiveClassesAtExit)"
  fi
}

for role in "${roles[@]}"; do
  case $role in
    broker) record_classes broker io.tidemark.broker.app.StandaloneMain broker,controller "TIDEMARK READY" ;;
    controller) record_classes controller io.tidemark.quorum.app.ControllerMain controller "the acting controller is 1" ;;
  esac
done
