#!/usr/bin/env bash
# Measures the controllers' core with very large clusters: memory of the image, the fence of a broker, folding, snapshots,
# replay, and every kind of command. One process, no cluster is started.
#
# usage: scripts/scale.sh [--brokers N] [--partitions N] [--commands-partitions N]
#
#   --brokers N              1000
#   --partitions N           in the image that is measured; in thousands of a topic each (1000000)
#   --commands-partitions N  in the image that the single commands are decided on (200000)
#
# Environment: JAVA_HOME; TIDEMARK_SCALE_HEAP_OPTS (-Xmx8g).
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "$(dirname "$0")/lib.sh"

brokers=1000
partitions=1000000
commands=200000
while [[ $# -gt 0 ]]; do
  case $1 in
    -h | --help) usage; exit 0 ;;
    --brokers | --partitions | --commands-partitions)
      [[ $# -ge 2 && $2 =~ ^[1-9][0-9]*$ ]] || die "$1 needs a number"
      case $1 in
        --brokers) brokers=$2 ;;
        --partitions) partitions=$2 ;;
        *) commands=$2 ;;
      esac
      shift 2
      ;;
    *) die "unknown argument $1 (--help tells more)" ;;
  esac
done
[[ $brokers -ge 30 ]] || die "--brokers needs at least 30"
[[ $partitions -ge 200000 && $commands -ge 1000 ]] || die "the image needs 200000 partitions or more, the commands 1000"

require_maven
cd "$ROOT"
echo "building" >&2
mvn -B -q -Dstyle.color=never -DskipTests -pl metadata-quorum -am test-compile dependency:build-classpath \
  -Dmdep.outputFile=target/test.classpath >&2 || die "the build failed"
read -r -a heap <<<"${TIDEMARK_SCALE_HEAP_OPTS:--Xmx8g}"
exec "$JAVA" "${heap[@]}" -XX:+UseSerialGC \
  -cp "metadata-quorum/target/test-classes:metadata-quorum/target/classes:$(<metadata-quorum/target/test.classpath)" \
  io.tidemark.quorum.core.ScaleMain "$brokers" "$partitions" "$commands"
