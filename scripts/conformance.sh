#!/usr/bin/env bash
# Runs Kafka's own integration tests (its @ClusterTest classes, from its Maven test jars) against Tidemark.
#
# usage: scripts/conformance.sh [--target tidemark|kafka] [--only CLASS]... [--ci | --store] [--keep DIR]
#
#   --target kafka    against Kafka itself, under the same runner: the yardstick
#   --only CLASS      only this class, by its full or its simple name; may be given more than once
#   --ci              only the classes of conformance/ci.txt; where a test no longer passes, its class gets a second try
#   --store           puts the outcome into conformance/kafka-4.3.1.txt (target kafka), or conformance/tidemark.txt and
#                     docs/CONFORMANCE.md (target tidemark); lines of classes that were not run stay
#   --keep DIR        where results and logs go (default: target/conformance)
#
# The exit status is 1 if a test that conformance/tidemark.txt has as passing did not pass.
#
# Each class runs in a process of its own, each test against a fresh cluster with the test's server properties. The
# classes are listed in conformance/classes.txt; what is not run, and why, in conformance/exclusions.txt.
#
# Environment: JAVA_HOME; CONFORMANCE_TEST_LIMIT_S for one test (75), CONFORMANCE_CLASS_LIMIT_S for one class (900);
# TIDEMARK_CLASSPATH to test that instead of the built jars.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "$(dirname "$0")/lib.sh"

HERE=$ROOT/scripts/conformance
TEST_LIMIT_S=${CONFORMANCE_TEST_LIMIT_S:-75}
CLASS_LIMIT_S=${CONFORMANCE_CLASS_LIMIT_S:-900}
target=tidemark
mode=show
keep=$ROOT/target/conformance
only=()

while [[ $# -gt 0 ]]; do
  case $1 in
    -h | --help) usage; exit 0 ;;
    --target) [[ ${2:-} == tidemark || ${2:-} == kafka ]] || die "--target is tidemark or kafka"; target=$2; shift 2 ;;
    --only) [[ $# -ge 2 ]] || die "$1 needs a value"; only+=("$2"); shift 2 ;;
    --keep) [[ $# -ge 2 ]] || die "$1 needs a value"; keep=$2; shift 2 ;;
    --ci) mode=ci; shift ;;
    --store) mode=store; shift ;;
    *) die "unknown argument $1 (--help tells more)" ;;
  esac
done

# Fetches the jars if they are missing or of other versions than the pom names.
fetch() {
  local stamp=$HERE/target/.fetched
  [[ ! -e $stamp || $HERE/pom.xml -nt $stamp ]] || return 0
  echo "fetching Kafka's tests"
  rm -rf "$HERE/target/lib"
  mvn -B -q -Dstyle.color=never -f "$HERE/pom.xml" dependency:copy-dependencies \
    || die "Kafka's tests could not be fetched"
  touch "$stamp"
}

# The name of each given jar without its version.
libraries() {
  local jar
  for jar in "$@"; do
    basename "$jar" | sed 's/-[0-9][^-]*\(-[^0-9].*\)\{0,1\}\.jar$/\1/'
  done
}

# Prints Kafka's jars, joined for a class path; of a library that is in CLASS_PATH as well, that version is used.
kafka_jars() {
  local entry jar own=
  for entry in ${CLASS_PATH//:/ }; do
    own+=" $(libraries "$entry" | tr '\n' ' ')"
  done
  # Tidemark's binding of slf4j 2 takes the place of Kafka's of slf4j 1.
  [[ -z $own ]] || own+=" log4j-slf4j-impl "
  for jar in "$HERE"/target/lib/*.jar; do
    [[ $own == *" $(libraries "$jar") "* ]] || printf '%s:' "$jar"
  done
}

compile() {
  local sources=("$HERE"/src/io/tidemark/conformance/*.java)
  if [[ $target == tidemark ]]; then
    sources+=("$HERE"/src/tidemark/*.java)
  fi
  mkdir -p "$work/classes" "$work/tmp"
  cp -r "$HERE"/services/* "$work/classes"
  "$(dirname "$(readlink -f "$JAVA")")"/javac -Xlint:all,-classfile -Werror -proc:none -d "$work/classes" -cp "$1" \
    "${sources[@]}" || die "the runner does not compile"
}

selected() {
  local list=$HERE/classes.txt class name
  [[ $mode == ci ]] && list=$HERE/ci.txt
  while read -r class; do
    [[ -n $class && $class != \#* ]] || continue
    [[ ${#only[@]} -gt 0 ]] || { echo "$class"; continue; }
    for name in "${only[@]}"; do
      [[ $class == "$name" || ${class##*.} == "$name" ]] && echo "$class"
    done
  done <"$list"
  return 0
}

run_class() {
  local class=$1 status=0
  local log=$keep/$target/${class##*.}.log
  : >"$results.part"
  timeout -k 10 "$CLASS_LIMIT_S" "$JAVA" -Xmx1g -XX:+UseSerialGC -XX:TieredStopAtLevel=1 \
    "-Dlog4j2.configurationFile=$HERE/log4j2.xml" "-Dconformance.exclusions=$HERE/exclusions.txt" \
    "-Djava.io.tmpdir=$work/tmp" -cp "$work/classes:$CLASS_PATH" \
    io.tidemark.conformance.RunTests "$class" "$results.part" "$TEST_LIMIT_S" >"$log" 2>&1 || status=$?
  if [[ $status -ne 0 ]]; then
    printf 'fail\t%s.* -\t0\tthe run of the class ended with status %s\n' "$class" "$status" >>"$results.part"
  fi
  cat "$results.part" >>"$results"
  awk -F '\t' -v class="${class##*.}" '
    { count[$1]++; seconds += $3 }
    END { printf "%-55s %3d pass %3d fail %3d not run  %4d s\n", class, count["pass"], count["fail"], count["skip"], seconds }' \
    "$results.part"
  rm -f "$results.part"
  rm -rf "${work:?}"/tmp/*
}

require_maven
fetch
mkdir -p "$keep/$target"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
results=$keep/$target.tsv
: >"$results"
CLASS_PATH=
if [[ $target == tidemark ]]; then
  require_class_path
  CLASS_PATH=$CLASS_PATH:
fi
CLASS_PATH+=$(kafka_jars)
compile "$CLASS_PATH"

classes=$(selected)
[[ -n $classes ]] || die "no such class in the list"
for class in $classes; do
  run_class "$class"
done
if [[ $mode == ci ]]; then
  # Kafka's tests wait for fixed times, which a busy machine can exceed.
  for class in $("$HERE"/report.py --target "$target" --mode lost --results "$results"); do
    echo "second try: $class"
    run_class "$class"
  done
fi
"$HERE"/report.py --target "$target" --mode "$mode" --results "$results"
