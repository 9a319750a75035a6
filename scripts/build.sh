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
archive=$CLASS_ARCHIVE
rm -f "$archive"
training=$(mktemp -d "${TMPDIR:-/tmp}/tidemark-archive.XXXXXX")
trap 'rm -rf "$started" "$training"' EXIT
echo "recording the classes that a node loads"
port=$((20000 + RANDOM % 9000))
while port_accepts 127.0.0.1 "$port" || port_accepts 127.0.0.1 "$((port + 1))"; do
  port=$((port + 2))
done
cat >"$training/node.properties" <<EOF
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:$((port + 1))
log.dirs=$training/node
listeners=PLAINTEXT://127.0.0.1:$port
EOF
jvm_options broker "$training/logs"
"$JAVA" "${JVM_OPTIONS[@]}" -cp "$CLASS_PATH" io.tidemark.model.config.FormatMain \
  format --config "$training/node.properties" --cluster-id AAAAAAAAAAAAAAAAAAAAAA >/dev/null
"$JAVA" "${JVM_OPTIONS[@]}" "-XX:ArchiveClassesAtExit=$archive" -cp "$CLASS_PATH" \
  io.tidemark.broker.app.StandaloneMain "$training/node.properties" >"$training/out" 2>&1 &
node=$!
is_ready() { grep -q "TIDEMARK READY" "$training/out" || ! kill -0 "$node" 2>/dev/null; }
if wait_for 60 is_ready && kill -TERM "$node" 2>/dev/null; then
  wait "$node" || true
fi
kill -KILL "$node" 2>/dev/null || true
[[ -s $archive ]] || echo "no class archive was made; nodes start without it (see java -XX:ArchiveClassesAtExit)"
