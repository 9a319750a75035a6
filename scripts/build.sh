#!/usr/bin/env bash
# Builds the jars that the other scripts run, if they are missing or older than the sources.
#
# usage: scripts/build.sh [--force]
#
# The log of the build is target/build.log. Tests are not run; "mvn -B verify" does that.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "$(dirname "$0")/lib.sh"

force=no
case ${1:-} in
  "") ;;
  --force) force=yes ;;
  -h | --help) usage; exit 0 ;;
  *) die "unknown argument $1 (--help tells more)" ;;
esac

cd "$ROOT"
# A stamp, since an unchanged jar keeps its old time.
stamp=broker-node/target/.built

is_current() {
  [[ -e $stamp && -z $(find pom.xml ./*/pom.xml ./*/src/main -newer "$stamp" -print -quit) ]]
}

[[ $force == yes ]] || ! is_current || exit 0
require_maven
mkdir -p target
if command -v flock >/dev/null; then
  exec 9>target/.build.lock
  flock -n 9 || { echo "another build is running; waiting for it"; flock 9; }
  [[ $force == yes ]] || ! is_current || exit 0
fi

echo "building (log: target/build.log); the first time downloads the dependencies"
rm -f "$stamp"
started=$(mktemp target/.started.XXXXXX)
trap 'rm -f "$started"' EXIT
if ! mvn -B -Dstyle.color=never -DskipTests package 2>&1 | tee target/build.log | awk '
    /^\[INFO\] Building (Tidemark|jar)/ { sub(/^\[INFO\] /, "  "); print; fflush() }
    /Downloaded from/ && ++downloads % 50 == 0 { print "  " downloads " files downloaded"; fflush() }
    /^\[ERROR\]/ && ++errors <= 20 { print; fflush() }'; then
  die "the build failed; see target/build.log (mvn clean removes what older sources left behind)"
fi
mkdir -p "$(dirname "$stamp")"
# Sources changed while the build ran are newer than the stamp.
touch -r "$started" "$stamp"
echo "built"

# A node spends most of its start on loading classes: a short run of one records them in an archive that later starts
# map into memory. Without it everything works, only slower.
TIDEMARK_BUILT=yes
require_class_path
training=$(mktemp -d "${TMPDIR:-/tmp}/tidemark-archive.XXXXXX")
trap 'rm -rf "$started" "$training"' EXIT
rm -f "$CLASS_ARCHIVES"/*.jsa

# Records the classes of the role $1 from a run of the class $2 with the roles $3, until the pattern $4 is in its output
# or its log.
record_classes() {
  local archive=$CLASS_ARCHIVES/$1.jsa home=$training/$1 port=$((20000 + RANDOM % 9000)) node
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
  "$JAVA" "${JVM_OPTIONS[@]}" "-XX:ArchiveClassesAtExit=$archive" -cp "$CLASS_PATH" \
    "$2" "$home/node.properties" >"$home/logs/out" 2>&1 &
  node=$!
  is_trained() { grep -qrs "$1" "$2" || ! kill -0 "$3" 2>/dev/null; }
  if wait_for 60 is_trained "$4" "$home/logs" "$node" && kill -TERM "$node" 2>/dev/null; then
    wait "$node" || true
  fi
  kill -KILL "$node" 2>/dev/null || true
  [[ -s $archive ]] \
    || echo "no class archive for a $1 was made; it starts without one (see java -XX:ArchiveClassesAtExit)"
}

echo "recording the classes that the nodes load"
record_classes broker io.tidemark.broker.app.StandaloneMain broker,controller "TIDEMARK READY"
record_classes controller io.tidemark.quorum.app.ControllerMain controller "the acting controller is 1"
