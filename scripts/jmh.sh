#!/usr/bin/env bash
# Runs the micro-benchmarks of the hot parts (JMH): log append beside a bare write, validation, the leader's rules.
#
# usage: scripts/jmh.sh [--quick] [JMH OPTIONS AND PATTERNS]
#
#   --quick   one short iteration each: shows that they run; the figures mean little
#
# Examples: scripts/jmh.sh LogAppend
#           scripts/jmh.sh -prof gc Replica
#           scripts/jmh.sh -rf json -rff target/jmh.json
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "$(dirname "$0")/lib.sh"

options=()
case ${1:-} in
  -h | --help) usage; exit 0 ;;
  --quick) shift; options=(-wi 1 -w 500ms -i 1 -r 500ms -f 1) ;;
  --*) die "unknown option $1 (--help tells more)" ;;
esac

require_maven
cd "$ROOT"
echo "building" >&2
mvn -B -q -Dstyle.color=never -DskipTests package dependency:build-classpath -Dmdep.outputFile=target/test.classpath >&2 \
  || die "the build failed"
exec "$JAVA" -cp "broker-node/target/test-classes:broker-node/target/classes:$(<broker-node/target/test.classpath)" \
  org.openjdk.jmh.Main -foe true "${options[@]}" "$@"
