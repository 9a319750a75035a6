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

TIDEMARK_BUILT=yes "$ROOT/scripts/class-archives.sh"
