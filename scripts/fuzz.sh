#!/usr/bin/env bash
# Searches for bytes that break a parser: runs the fuzz tests (classes *FuzzTest, Jazzer) one after the other.
#
# usage: scripts/fuzz.sh [--list] [--minutes N] [CLASS[.METHOD]...]
#
#   --list        prints the targets
#   --minutes N   how long each runs (3)
#   CLASS.METHOD  only these: the class without its package
#
# What a target has found interesting is kept in .cifuzz-corpus of its module and starts the next run. An input that
# breaks something is put beside the test (src/test/resources/.../CLASSInputs/METHOD); the ordinary tests replay what is
# there. The exit status is 1 if anything was found.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD

minutes=3
list=
wanted=()
while [[ $# -gt 0 ]]; do
  case $1 in
    -h | --help) awk 'NR > 1 && !/^#/ { exit } NR > 1 { sub(/^# ?/, ""); print }' "$0"; exit 0 ;;
    --list) list=1 ;;
    --minutes) minutes=${2:?--minutes needs a number}; shift ;;
    -*) echo "fuzz.sh: unknown option $1" >&2; exit 2 ;;
    *) wanted+=("$1") ;;
  esac
  shift
done

# "module class method" of every fuzz test; the method follows its annotation.
targets() {
  local file module class
  while read -r file; do
    module=${file%%/*}
    class=${file#*/src/test/java/}
    class=${class%.java}
    awk -v module="$module" -v class="${class//\//.}" '
      /@FuzzTest/ { next_is_target = 1; next }
      next_is_target && match($0, /[A-Za-z0-9_]+\(/) {
        print module, class, substr($0, RSTART, RLENGTH - 1); next_is_target = 0
      }' "$file"
  done < <(find shared-model metadata-quorum broker-node -path '*/src/test/java/*FuzzTest.java' | sort)
}

chosen() {
  local class=${1##*.} method=$2 pattern
  [[ ${#wanted[@]} -eq 0 ]] && return 0
  for pattern in "${wanted[@]}"; do
    [[ $pattern == "$class" || $pattern == "$class.$method" ]] && return 0
  done
  return 1
}

if [[ -n $list ]]; then
  targets | awk '{ n = split($2, part, "."); print part[n] "." $3 }'
  exit 0
fi

mvn -B -q -DskipTests test-compile dependency:build-classpath -Dmdep.outputFile=target/test-classpath.txt -Dmdep.includeScope=test

found=0
ran=0
while read -r module class method; do
  chosen "$class" "$method" || continue
  ran=$((ran + 1))
  inputs=$root/$module/src/test/resources/${class//.//}Inputs/$method
  mkdir -p "$inputs"
  echo "== $class.$method, $minutes min"
  log=$root/$module/target/fuzz-$method.log
  before=$(find "$inputs" -type f | wc -l)
  status=0
  (
    cd "$module"
    java -Xmx1g -XX:+UseSerialGC --add-opens=java.base/java.nio=ALL-UNNAMED \
      -cp "target/test-classes:target/classes:$(cat target/test-classpath.txt)" \
      com.code_intelligence.jazzer.Jazzer --target_class="$class" --target_method="$method" \
      '--instrumentation_includes=io.tidemark.**:org.apache.kafka.**' \
      -max_total_time=$((minutes * 60)) -timeout=20 -rss_limit_mb=4096
  ) > "$log" 2>&1 < /dev/null || status=$?
  grep -E '^(Done|stat::|#[0-9]+\s+DONE)' "$log" || tail -3 "$log"
  if [[ $status -ne 0 ]]; then
    found=1
    grep -m 1 -A 12 -E '^== Java (Assertion|Exception)|ERROR: libFuzzer' "$log" || tail -20 "$log"
    echo "   $(($(find "$inputs" -type f | wc -l) - before)) new input(s) in ${inputs#"$root"/}, the whole output is in ${log#"$root"/}"
  fi
  rmdir --ignore-fail-on-non-empty -p "$inputs" 2>/dev/null || true
done < <(targets)

if [[ $ran -eq 0 ]]; then
  echo "fuzz.sh: no such target; see --list" >&2
  exit 2
fi
exit $found
