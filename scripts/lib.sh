# Functions shared by the scripts; to be sourced, not run.
# shellcheck shell=bash disable=SC2034

# Without symbolic links: an installation is replaced by another under the same link, and what runs must not mix them.
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)

JDK_HINT="on Debian: apt-get install -y openjdk-17-jdk-headless maven"

# Prints one line to stderr and ends the script with status 1.
die() {
  echo "$(basename "$0"): $*" >&2
  exit 1
}

# Prints the comment block at the head of the script that was started: its help. In an unpacked tarball it is in bin.
usage() {
  awk -v name="$(basename "$0")" -v folder="$(basename "$(cd "$(dirname "$0")" && pwd)")" '
    NR > 1 && !/^#/ { exit }
    NR > 1 { sub(/^# ?/, ""); gsub("scripts/" name, folder "/" name); print }' "$0"
}

# Sets JAVA and JAVA_MAJOR; JAVA_HOME wins over the PATH.
require_java() {
  if [[ -n ${JAVA_HOME:-} && -x $JAVA_HOME/bin/java ]]; then
    JAVA=$JAVA_HOME/bin/java
  else
    JAVA=$(command -v java) || die "Java 17 or later is needed and there is no java; $JDK_HINT"
  fi
  local text
  text=$("$JAVA" -version 2>&1) || die "$JAVA does not run; $JDK_HINT"
  JAVA_MAJOR=$(sed -n 's/.*version "\([0-9]*\)[."].*/\1/p;s/.*version "\([0-9]*\)".*/\1/p' <<<"$text" | head -n 1)
  [[ -n $JAVA_MAJOR && $JAVA_MAJOR -ge 17 ]] \
    || die "Java 17 or later is needed and $JAVA is $(head -n 1 <<<"$text"); $JDK_HINT"
}

# Needed to build, not to run.
require_maven() {
  require_java
  [[ -x $(dirname "$(readlink -f "$JAVA")")/javac ]] \
    || die "a JDK is needed to build and $JAVA belongs to a JRE; $JDK_HINT"
  command -v mvn >/dev/null || die "Maven is needed to build and there is no mvn; $JDK_HINT"
}

# Sets CLASS_PATH to what runs a node. TIDEMARK_CLASSPATH is taken as it is; otherwise stale jars are built first.
require_class_path() {
  if [[ -n ${TIDEMARK_CLASSPATH:-} ]]; then
    CLASS_PATH=$TIDEMARK_CLASSPATH
    return
  fi
  # As scripts/dist.sh packs it.
  if [[ ! -e $ROOT/pom.xml && -d $ROOT/lib ]]; then
    CLASS_PATH=$ROOT/lib/'*'
    CLASS_ARCHIVES=$ROOT/archives
    return
  fi
  # To stderr: what the caller prints may be JSON.
  [[ -n ${TIDEMARK_BUILT:-} ]] || "$ROOT/scripts/build.sh" >&2 || exit 1
  CLASS_ARCHIVES=$ROOT/broker-node/target
  local jar
  for jar in "$ROOT"/broker-node/target/broker-node-*.jar; do
    [[ $jar == *-tests.jar || $jar == *-sources.jar ]] || CLASS_PATH=$jar:$ROOT/broker-node/target/lib/'*'
  done
}

# Sets ARCHIVE_OPTIONS to what maps the classes of the role $1 into memory. There is one archive for each role, since all of
# it becomes resident. One that does not fit this Java or these jars is passed over without a word.
archive_options() {
  local archive=${CLASS_ARCHIVES:-}/$1.jsa
  ARCHIVE_OPTIONS=()
  if [[ -n ${CLASS_ARCHIVES:-} && -s $archive ]]; then
    ARCHIVE_OPTIONS=("-XX:SharedArchiveFile=$archive" -Xshare:auto -Xlog:cds=off -Xlog:cds+dynamic=off)
  fi
}

# Sets JVM_OPTIONS for a node of the role $1 that logs to the directory $2.
jvm_options() {
  local heap=${TIDEMARK_BROKER_HEAP_OPTS:--Xmx512m}
  [[ $1 != controller ]] || heap=${TIDEMARK_CONTROLLER_HEAP_OPTS:--Xmx256m}
  # A small young generation is touched again and again: collections of it take a millisecond or two, where they were a
  # hundred with the default of a third of the heap. A controller is never busy enough to earn what the slow compiler
  # costs; a broker pays it once (PERFORMANCE.md has the figures, and when to turn it off).
  JVM_OPTIONS=(-Xmn32m)
  # A controller's messages are small; gRPC would set memory aside for them in pieces of 4 MB, these are of 256 KB.
  [[ $1 != controller ]] || JVM_OPTIONS=(-Xmn8m -XX:TieredStopAtLevel=1 \
    -Dorg.apache.ratis.thirdparty.io.netty.allocator.maxOrder=5)
  local word
  for word in ${TIDEMARK_HEAP_OPTS:-$heap} ${TIDEMARK_JVM_OPTS:-}; do
    JVM_OPTIONS+=("$word")
  done
  # Netty's leak detector walks the stack for one buffer in a hundred; tests have it on.
  JVM_OPTIONS+=(-Dio.netty.leakDetection.level=disabled -Dorg.apache.ratis.thirdparty.io.netty.leakDetection.level=disabled)
  # An error that leaves threads dead must not leave a node half alive.
  JVM_OPTIONS+=(-XX:+UseSerialGC -XX:+ExitOnOutOfMemoryError)
  if [[ $JAVA_MAJOR -ge 22 ]]; then
    JVM_OPTIONS+=(--enable-native-access=ALL-UNNAMED)
  fi
  archive_options "$1"
  JVM_OPTIONS+=("${ARCHIVE_OPTIONS[@]}")
  JVM_OPTIONS+=("-Dlog4j2.configurationFile=$ROOT/config/log4j2.xml" "-Dtidemark.log.dir=$2")
}

# Whether something accepts connections on host $1, port $2.
port_accepts() {
  local host=$1
  [[ -z $host || $host == 0.0.0.0 ]] && host=127.0.0.1
  (exec 3<>"/dev/tcp/$host/$2") 2>/dev/null
}

# Runs "$@" every tenth of a second until it succeeds; fails after $1 seconds.
wait_for() {
  local deadline=$((SECONDS + $1))
  shift
  until "$@"; do
    [[ $SECONDS -lt $deadline ]] || return 1
    sleep 0.1
  done
}
