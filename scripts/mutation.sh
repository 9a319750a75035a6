#!/usr/bin/env bash
# Changes the two cores in thousands of small ways and runs their table and property tests on each: what no test notices is
# not tested (PIT). Not part of the build; about ten minutes for each core on two processors.
#
# usage: scripts/mutation.sh [OPTIONS] [quorum|replica]
#
#   quorum        only io.tidemark.quorum.core
#   replica       only io.tidemark.broker.replica
#   --threads N   so many at a time (all processors)
#   --class NAME  only that class and those inside it; more than once for several
#   --survivors   prints each change that no test noticed, not only how many there are by class
#
# Prints how many changes were noticed, and the others by class. The report in words of each is in target/mutation of the module.
# The exit status is 1 if a core has less than 80 % noticed.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "$(dirname "$0")/lib.sh"

ENOUGH=80
threads=$(nproc)
cores=(quorum replica)
classes=()
survivors=
while [[ $# -gt 0 ]]; do
  case $1 in
    -h | --help) usage; exit 0 ;;
    --threads)
      [[ ${2:-} =~ ^[1-9][0-9]*$ ]] || die "$1 needs a number"
      threads=$2
      shift
      ;;
    --class)
      [[ ${2:-} =~ ^[A-Z][A-Za-z0-9]*$ ]] || die "$1 needs the name of a class, without its package"
      classes+=("$2")
      shift
      ;;
    --survivors) survivors=1 ;;
    quorum | replica) cores=("$1") ;;
    *) die "what is $1? (--help tells more)" ;;
  esac
  shift
done
require_maven
cd "$ROOT"

# Mutates the package $2 of the module $1 under the tests of that package, without those named in $3; the rows are in the
# module's target/mutation/mutations.csv.
mutate() {
  local module=$1 package=$2 without=$3 targets=$2.* class
  if [[ ${#classes[@]} -gt 0 ]]; then
    targets=
    for class in "${classes[@]}"; do targets+=${targets:+,}$package.$class,$package.$class\$*; done
  fi
  rm -rf "$module/target/mutation"
  mvn -B -q -Dstyle.color=never -pl "$module" -am -Dspotless.check.skip=true test-compile org.pitest:pitest-maven:mutationCoverage \
    -DtargetClasses="$targets" -DtargetTests="$package.*" -DexcludedTestClasses="$without" -Dthreads="$threads" \
    > "$module/target/mutation.log" 2>&1 || { tail -40 "$module/target/mutation.log" >&2; die "PIT failed for $package"; }
  [[ -s $module/target/mutation/mutations.csv ]] || die "PIT has changed nothing in $package; see $module/target/mutation.log"
}

# Of the rows in $2: the totals of the core $1, and the survivors by class. Fails if there are too many.
report() {
  awk -F, -v core="$1" -v enough="$ENOUGH" -v each="$survivors" '
    function short(name) { sub(/.*\./, "", name); return name }
    $6 == "NON_VIABLE" { next }
    { class = short($2); total++; of[class]++ }
    $6 == "SURVIVED" || $6 == "NO_COVERAGE" {
      left[class]++
      if (each) printf "  %s:%s %s %s %s\n", $1, $5, $4, short($3), $6
      next
    }
    { killed++ }
    END {
      sort = "sort -k1,1nr -k3"
      for (class in left) printf "%4d of %4d  %s\n", left[class], of[class], class | sort
      close(sort)
      printf "%s: %d of %d changes noticed, %.1f %%\n", core, killed, total, total ? 100 * killed / total : 0
      exit total == 0 || 100 * killed < enough * total
    }' "$2"
}

status=0
for core in "${cores[@]}"; do
  start=$SECONDS
  echo "mutating the core $core" >&2
  case $core in
    quorum)
      module=metadata-quorum
      # Against Kafka's own code, of class files, and of time: neither tables nor properties.
      mutate $module io.tidemark.quorum.core \
        'io.tidemark.quorum.core.DifferentialTest,io.tidemark.quorum.core.CoreIsPureTest,io.tidemark.quorum.core.FenceCostTest'
      ;;
    replica)
      module=broker-node
      mutate $module io.tidemark.broker.replica ''
      ;;
  esac
  report "$core" $module/target/mutation/mutations.csv || status=1
  echo "$core took $((SECONDS - start)) s" >&2
done
exit $status
