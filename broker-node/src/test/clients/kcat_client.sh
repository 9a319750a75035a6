#!/usr/bin/env bash
# One step of work with kcat (librdkafka); see README.md.
set -euo pipefail

PATIENCE_S=90
step=$1
bootstrap=$2
shift 2
work=$(mktemp -d)
trap 'rm -rf "$work"; [[ -z $(jobs -p) ]] || kill $(jobs -p) 2>/dev/null || true' EXIT

lacks() {
  echo "$*"
  exit 3
}

fail() {
  echo "$*"
  exit 1
}

run() { kcat -b "$bootstrap" "$@"; }

# Runs "$@" until it succeeds.
await() {
  local deadline=$((SECONDS + PATIENCE_S))
  until "$@"; do
    [[ $SECONDS -lt $deadline ]] || return 1
    sleep 0.1
  done
}

lines() { awk -v first="$1" -v count="$2" 'BEGIN { for (i = first; i < first + count; i++) print "k" i % 50 ":" i }'; }

# Each value once, and in order for each key.
ordered() {
  awk -F: -v count="$2" '
    { if (($1 in last) && $2 <= last[$1]) { print "key " $1 ": " $2 " behind " last[$1]; bad = 1; exit 1 } last[$1] = $2; n++ }
    END { if (!bad && n != count) { print n " values"; exit 1 } }' "$1"
}

# How many partitions member $1 had after its last rebalance.
assigned() {
  local last
  last=$(grep 'rebalanced' "$work/member$1" | tail -n 1 || true)
  [[ $last == *assigned* ]] || { echo 0; return; }
  grep -o '\[[0-9]*\]' <<<"$last" | wc -l
}

hold() { # PARTITIONS MEMBERS...
  local each=$1 member
  shift
  for member in "$@"; do
    [[ $(assigned "$member") -eq $each ]] || return 1
  done
}

has_values() { [[ $(sort -u "$1" | wc -l) -ge $2 ]]; }

case $step in
  create) lacks "kcat has no administration" ;;
  produce) lines "$2" "$3" | run -P -t "$1" -K : -X "acks=$4" ;;
  assign)
    run -C -t "$1" -o beginning -e -q -f '%k:%s\n' >"$work/read"
    ordered "$work/read" "$2"
    ;;
  group)
    run -G "$2" -X auto.offset.reset=earliest -e -q -f '%k:%s\n' "$1" >"$work/read"
    ordered "$work/read" "$3"
    ;;
  resume)
    run -G "$2" -X auto.offset.reset=earliest -e -q -f '%k:%s\n' "$1" >"$work/read"
    [[ ! -s $work/read ]] || fail "$(wc -l <"$work/read") records once more"
    ;;
  rebalance)
    for member in 1 2 3; do
      kcat -b "$bootstrap" -G "$2" "$1" >/dev/null 2>"$work/member$member" &
      pids[member]=$!
    done
    await hold 2 1 2 3 || fail "three members hold $(assigned 1), $(assigned 2), $(assigned 3) partitions"
    kill -TERM "${pids[1]}"
    wait "${pids[1]}" || true
    await hold 3 2 3 || fail "two members hold $(assigned 2), $(assigned 3) partitions"
    ;;
  steady)
    # -E: librdkafka counts its second connection to the coordinator as a broker of its own, and a broker that came back
    # as down until it needs it again. So when the second of three brokers dies it may say that all are down, which kcat
    # ends upon without -E.
    kcat -b "$bootstrap" -E -G "$2" -X auto.offset.reset=earliest -q -u -f '%s\n' "$1" >"$work/read" 2>"$work/reader" &
    for ((i = 0; i < $3; i++)); do
      echo "k$((i % 50)):$i"
      ((i % 100 != 0)) || echo "SENT $i" >&2
      sleep 0.004
    done 2>&3 3>&- | run -P -t "$1" -K : -X acks=all -X linger.ms=5 -X message.timeout.ms=60000 3>&- || fail "not all were acknowledged"
    await has_values "$work/read" "$3" || fail "$(sort -u "$work/read" | wc -l) of $3 read; $(tail -n 1 "$work/reader")"
    ;;
  times)
    stamp=$(run -C -t "$1" -p 0 -o 10 -c 1 -q -f '%T')
    found=$(run -Q -t "$1:0:$stamp" | sed -n 's/.* offset //p')
    [[ $found -ge 0 && $found -le 10 ]] || fail "offset $found for the timestamp of record 10"
    [[ $(run -Q -t "$1:0:-2") == *"offset 0" ]] || fail "beginning: $(run -Q -t "$1:0:-2")"
    [[ $(run -Q -t "$1:0:4102444800000") == *"offset -1" ]] || fail "future: $(run -Q -t "$1:0:4102444800000")"
    ;;
  describe)
    run -L -t "$1" >"$work/told"
    grep -q "topic \"$1\" with 6 partitions" "$work/told" || fail "$(cat "$work/told")"
    [[ $(grep -c -E 'replicas: [0-9]+,[0-9]+,[0-9]+' "$work/told") -eq 6 ]] || fail "$(cat "$work/told")"
    ;;
  groups) lacks "kcat does not show groups" ;;
  delete) lacks "kcat has no administration" ;;
  *) fail "there is no step $step" ;;
esac 3>&1
