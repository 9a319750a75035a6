#!/usr/bin/env bash
# Packs what runs Tidemark into one tarball: bin, lib and config. It needs nothing else but a JDK of 17 or later and bash.
#
# usage: scripts/dist.sh [--out FILE]
#
#   --out FILE   where the tarball goes (default target/tidemark-VERSION.tar.gz)
#
# Prints the tarball's path. The same jars give the same bytes, where tar is GNU's.
#
# Environment: JAVA_HOME; TIDEMARK_CLASSPATH to pack that instead of the built jars.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "$(dirname "$0")/lib.sh"

out=
while [[ $# -gt 0 ]]; do
  case $1 in
    -h | --help) usage; exit 0 ;;
    --out) [[ $# -ge 2 ]] || die "$1 needs a value"; out=$2; shift 2 ;;
    *) die "unknown argument $1 (--help tells more)" ;;
  esac
done
# The cluster's own scripts; the others work on the sources or are for tests.
SCRIPTS=(class-archives.sh cluster.sh lib.sh hosts.sh deploy.sh roll.sh metadata-log.sh tidemark.sh)

version=$(sed -n 's#^  <version>\(.*\)</version>$#\1#p' "$ROOT/pom.xml" | head -n 1)
[[ -n $version ]] || die "there is no version in $ROOT/pom.xml"
out=${out:-$ROOT/target/tidemark-$version.tar.gz}
require_java
require_class_path
mkdir -p "$(dirname "$out")"
work=$(mktemp -d "$(dirname "$out")/.dist.XXXXXX")
trap 'rm -rf "$work"' EXIT
top=$work/tidemark-$version
mkdir -p "$top/bin" "$top/lib" "$top/config" "$top/docs"

for script in "${SCRIPTS[@]}"; do
  cp -p "$ROOT/scripts/$script" "$top/bin/"
done
cp "$ROOT"/config/*.conf "$ROOT"/config/*.properties "$ROOT"/config/*.xml "$top/config/"
# What is here under scripts is there under bin.
moved=()
for script in "${SCRIPTS[@]}"; do
  moved+=(-e "s#scripts/${script//./\\.}#bin/$script#g")
done
for page in OPERATIONS QUORUM METRICS METADATA-LOG; do
  sed "${moved[@]}" "$ROOT/docs/$page.md" >"$top/docs/$page.md"
done
cp "$ROOT/LICENSE" "$top/"
cat >"$top/README.md" <<README
# Tidemark $version

A replicated log that speaks the Kafka wire protocol. This is what runs it: bin, lib and config. It needs a JDK of 17 or
later and bash.

    bin/cluster.sh format && bin/cluster.sh up      # three controllers and three brokers on this machine
    bin/cluster.sh status
    bin/cluster.sh bootstrap                        # the address for Kafka's clients and tools, which are not in here
    bin/cluster.sh down

Each script in bin answers --help. config/*.properties explain every key; config/*.conf are inventories.

- docs/OPERATIONS.md: several machines, restarts in turn, replacing what broke
- docs/QUORUM.md: members of the quorum and how they change, and the way out of a lost majority
- docs/METRICS.md: the HTTP port of every node, metrics, readiness, early warnings
- docs/METADATA-LOG.md: the metadata log tool, its JSON, what is kept and for how long

Where a page names a script that is not in bin, that is one of the source tree.

Licensed under the Apache License 2.0 (LICENSE).
README

# Entries of a class path: jars, folders of jars as DIR/*, and folders of classes, which become jars.
pack_entry() {
  local entry=$1 jar
  if [[ $entry == */'*' ]]; then
    for jar in "${entry%'*'}"*.jar; do
      cp "$jar" "$top/lib/"
    done
  elif [[ -d $entry ]]; then
    # Named by the module, since every one is called target/classes.
    jar=$top/lib/classes-$number-$(basename "$(dirname "$(dirname "$(cd "$entry" && pwd)")")").jar
    "$(dirname "$(readlink -f "$JAVA")")/jar" --create --file "$jar" --date=2026-01-01T00:00:00Z -C "$entry" .
  elif [[ $entry == *.jar ]]; then
    cp "$entry" "$top/lib/"
  fi
}
number=0
IFS=: read -r -a entries <<<"$CLASS_PATH"
for entry in "${entries[@]}"; do
  number=$((number + 1))
  pack_entry "$entry"
done
find "$top" -exec touch -d 2026-01-01T00:00:00Z {} + 2>/dev/null || true

options=()
if tar --version 2>/dev/null | grep -q GNU; then
  options=(--sort=name --owner=0 --group=0 --numeric-owner)
fi
# Jars do not get smaller.
tar "${options[@]}" -cf - -C "$work" "tidemark-$version" | gzip -n -1 >"$work/tarball"
mv "$work/tarball" "$out"
echo "$out"
