#!/usr/bin/env bash
# Runs simulated clusters, each from one seed: the real brokers and the real controller rules on virtual time, with faults.
#
# usage: scripts/sim.sh [OPTIONS] [--seed N | --count N | --minutes M]
#        scripts/sim.sh [OPTIONS] mutants [NAME]...
#        scripts/sim.sh [OPTIONS] durability
#        scripts/sim.sh [--no-build] explore [--states N] [--bounds "NAME=N ..."]
#        scripts/sim.sh [--no-build] explore mutants [NAME]...
#
#   --seed N      that one; prints its trace if something does not hold
#   --count N     so many seeds (100)
#   --minutes M   as many as fit
#   --from N      the first of them (1)
#   --each        a line for each seed
#   --events N    how much of a failed seed's trace is shown (60)
#   --no-build    runs what was built before
#
# A breach of a promise is printed with its seed, the commit, what happened last and the command that replays it; the
# last line is a summary and the exit status 1 if there was a breach.
#
# mutants: plants each fault of broker-node/src/test/resources/io/tidemark/broker/sim/mutants (or those named) in a copy,
# builds it and runs seeds until one fails; prints how many it took. A patch that does not apply, does not compile, or is
# not found within --count seeds (500) makes the exit status 1.
#
# durability: crashes processes or cuts the power, of one broker at a time or of all at once, under both values of
# log.durability, --count seeds each (100); prints a table of what was lost. A loss that is not announced there makes
# the exit status 1.
#
# explore: every order of events of a small cluster, breadth first, within bounds (docs/SIMULATION.md). Prints how many
# states there are, how deep they lie and whether there are others; if a promise is broken, the shortest way there as a
# scenario, with exit status 1. With mutants: the same for the planted faults that say "explore:" and within which bounds.
#
#   --states N    so many at most (2000000)
#   --bounds ...  see the class Bounds; what is not named has its default
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "$(dirname "$0")/lib.sh"

PATCHES=broker-node/src/test/resources/io/tidemark/broker/sim/mutants
# Faults for the exploration only: chance hardly finds them.
MORE_PATCHES=broker-node/src/test/resources/io/tidemark/broker/explore/mutants
options=()
explore=
exploring=()
count=
build=1
mutants=
durability=
names=()
while [[ $# -gt 0 ]]; do
  case $1 in
    -h | --help) usage; exit 0 ;;
    --seed | --count | --minutes | --from | --events)
      [[ ${2:-} =~ ^[0-9]+$ ]] || die "$1 needs a number"
      if [[ $1 == --count ]]; then count=$2; else options+=("$1" "$2"); fi
      shift
      ;;
    --states | --bounds)
      [[ -n $explore && -n ${2:-} ]] || die "$1 needs a value, and belongs to explore"
      exploring+=("$1" "$2")
      shift
      ;;
    --each) options+=(--each true) ;;
    --no-build) build= ;;
    explore) explore=1 ;;
    mutants) mutants=1 ;;
    durability) durability=1 ;;
    -*) die "unknown option $1 (--help tells more)" ;;
    *) [[ -n $mutants ]] || die "what is $1? (--help tells more)"; names+=("$1") ;;
  esac
  shift
done

require_maven
cd "$ROOT"
if [[ -n $build ]]; then
  echo "building" >&2
  mvn -B -q -Dstyle.color=never -pl broker-node -am -DskipTests test-compile dependency:build-classpath \
    -Dmdep.outputFile=target/test.classpath >&2 || die "the build failed"
fi
[[ -s broker-node/target/test.classpath ]] || die "nothing was built yet"
classes=broker-node/target/test-classes:broker-node/target/classes:$(<broker-node/target/test.classpath)
commit=$(git describe --always --dirty --abbrev=12 2>/dev/null || echo unknown)

# Runs the simulation with the class directory $1 before all others, or none.
simulate() {
  local first=$1
  shift
  "$JAVA" -Xmx1g -XX:+UseSerialGC -Dsim.commit="$commit" -cp "${first:+$first:}$classes" \
    io.tidemark.broker.sim."${main:-SimMain}" "$@"
}

if [[ -n $durability ]]; then
  main=DurabilityMain simulate "" "${count:-100}"
  exit
fi

# Explores with the class directory $1 before all others, or none.
explore() {
  local first=$1
  shift
  "$JAVA" -Xmx3g -XX:+UseSerialGC -cp "${first:+$first:}$classes" io.tidemark.broker.explore.ExploreMain "$@"
}

if [[ -z $mutants ]]; then
  if [[ -n $explore ]]; then
    explore "" "${exploring[@]}"
  else
    simulate "" ${count:+--count "$count"} "${options[@]}"
  fi
  exit
fi

# Plants the patch $1 in the directory $2 and compiles what it touches; the classes are in $2/classes.
plant() {
  local patch=$1 directory=$2 file files=()
  rm -rf "$directory"
  mkdir -p "$directory/classes"
  while read -r file; do
    files+=("$directory/$file")
    mkdir -p "$directory/$(dirname "$file")"
    cp "$file" "$directory/$file"
  done < <(sed -n 's|^+++ b/||p' "$patch")
  patch --quiet --no-backup-if-mismatch -p1 -d "$directory" < "$patch" || return 1
  "$(dirname "$(readlink -f "$JAVA")")/javac" -nowarn -proc:none -implicit:none -cp "$classes" -d "$directory/classes" \
    "${files[@]}" 2> "$directory/javac.log" || { cat "$directory/javac.log" >&2; return 1; }
}

if [[ ${#names[@]} -eq 0 ]]; then
  if [[ -n $explore ]]; then
    mapfile -t patches < <(grep -l '^explore:' "$PATCHES"/*.patch "$MORE_PATCHES"/*.patch)
  else
    patches=("$PATCHES"/*.patch)
  fi
  for patch in "${patches[@]}"; do names+=("$(basename "$patch" .patch)"); done
fi
mkdir -p broker-node/target/mutants
missed=0
for name in "${names[@]}"; do
  directory=broker-node/target/mutants/$name
  patch=$PATCHES/$name.patch
  [[ -s $patch ]] || patch=$MORE_PATCHES/$name.patch
  [[ -s $patch ]] || die "there is no planted fault $name"
  if ! plant "$patch" "$directory" > "$directory.log" 2>&1; then
    [[ -s $directory.log ]] && cat "$directory.log" >&2
    result="DOES NOT APPLY OR COMPILE"
    missed=$((missed + 1))
  elif [[ -n $explore ]]; then
    bounds=$(sed -n 's/^explore: *//p' "$patch")
    if explore "$directory/classes" --bounds "$bounds" "${exploring[@]}" > "$directory.log" 2>&1; then
      result="NOT FOUND: $(tail -1 "$directory.log")"
      missed=$((missed + 1))
    else
      result=$(sed -n 's/^broken after/found after/p' "$directory.log")
      if [[ -z $result ]]; then
        result="BROKEN: $(tail -1 "$directory.log")"
        missed=$((missed + 1))
      fi
    fi
  elif simulate "$directory/classes" --count "${count:-500}" --failures 1 "${options[@]}" > "$directory.log" 2>&1; then
    result="NOT FOUND: $(tail -1 "$directory.log")"
    missed=$((missed + 1))
  else
    result=$(sed -n 's/^seed \([0-9]*\) commit [^ ]*: .*Violation: \(.*\)/found by seed \1: \2/p' "$directory.log" | head -1)
    if [[ -z $result ]]; then
      result="BROKEN: $(tail -1 "$directory.log")"
      missed=$((missed + 1))
    fi
  fi
  printf '%-40s %s\n' "$name" "${result:0:150}"
done
echo "$((${#names[@]} - missed)) of ${#names[@]} planted faults found"
[[ $missed -eq 0 ]]
