#!/usr/bin/env bash
# Runs Kafka's own command-line tools against a cluster and compares what each does with what is expected of it.
#
# usage: scripts/tools-check.sh [--bootstrap HOST:PORT,...] [--out FILE] [--only WORD]
#
# Without --bootstrap it starts a cluster of its own (config/local-3x3.conf, other ports with --inventory FILE) in a
# temporary directory and removes it. The tools write to topics and groups whose names begin with "tools-".
#
#   --out FILE        writes the table of results to FILE (docs/TOOLS.md is made so)
#   --only WORD       only the rows whose tool or purpose contains WORD
#   --inventory FILE  for the own cluster
#
# A row fails if a tool that is expected to work does not, and also if one that is expected not to work does: then the
# expectation in this script is out of date. The exit status is 0 only if no row fails.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "$(dirname "$0")/lib.sh"

bootstrap=
out=
only=
inventory=$ROOT/config/local-3x3.conf
while [[ $# -gt 0 ]]; do
  case $1 in
    -h | --help) usage; exit 0 ;;
    --bootstrap) [[ $# -ge 2 ]] || die "$1 needs a value"; bootstrap=$2; shift 2 ;;
    --out) [[ $# -ge 2 ]] || die "$1 needs a value"; out=$2; shift 2 ;;
    --only) [[ $# -ge 2 ]] || die "$1 needs a value"; only=$2; shift 2 ;;
    --inventory) [[ $# -ge 2 ]] || die "$1 needs a value"; inventory=$2; shift 2 ;;
    *) die "unknown argument $1 (--help tells more)" ;;
  esac
done

work=$(mktemp -d "${TMPDIR:-/tmp}/tidemark-tools.XXXXXX")
cluster=("$ROOT/scripts/cluster.sh" --inventory "$inventory" --data "$work/cluster")
own=no

# shellcheck disable=SC2317 # called by the trap
finish() {
  local status=$?
  trap - EXIT INT TERM
  if [[ $own == yes ]]; then
    "${cluster[@]}" down >&2 || status=1
  fi
  rm -rf "$work"
  exit "$status"
}
trap finish EXIT
trap 'exit 130' INT TERM

require_java
"$ROOT/scripts/kafka.sh" --fetch
if [[ -z $bootstrap ]]; then
  require_class_path
  own=yes
  "${cluster[@]}" format >&2
  "${cluster[@]}" up >&2
  bootstrap=$("${cluster[@]}" bootstrap)
fi

# Topics and groups of their own for each run, so that the script can be repeated against one cluster.
id=$(date +%s)
topic=tools-$id
group=tools-group-$id
rows=()
failed=0
LIMIT_S=60

# The first line that tells a user what went wrong, without the Java around it.
reason() {
  grep -v -E '^\s*(at |\.\.\.)|^$|DEPRECAT|^Option |^-|has been deprecated' "$1" \
    | grep -v -E '^Error while executing .* with args' \
    | grep -i -m 1 -E 'exception|error|unsupported|not support|could not|fail(ed)? ' \
    | sed -E 's/^\[[^]]*\] *//; s/^(Exception in thread "main"|Error while executing [a-z ]*command :?|ERROR) *//; s/java\.util\.concurrent\.ExecutionException: *//; s/org\.apache\.kafka\.common\.errors\.//; s/'"$topic"'/TOPIC/g' \
    | cut -c 1-150 || true
}

# row EXPECTED PATTERN PURPOSE TOOL ARGUMENTS...
# EXPECTED is "works" (exit status 0 and PATTERN in the output, or no error there if PATTERN is empty) or "not yet" (PATTERN in the output, which is the error
# that a user sees), or "endless": works, and goes on until it is stopped. Input for the tool is in the variable "input".
input=
row() {
  local expected=$1 pattern=$2 purpose=$3 tool=$4 status=0 found=no result detail limit
  shift 4
  local text=$input
  input=
  [[ -z $only || "$tool $purpose" == *"$only"* ]] || return 0
  limit=$LIMIT_S
  [[ $expected != endless ]] || limit=30
  timeout "$limit" "$ROOT/scripts/kafka.sh" "$tool" "$@" <<<"$text" >"$work/output" 2>&1 || status=$?
  if [[ -n $pattern ]]; then
    ! grep -q -E -- "$pattern" "$work/output" || found=yes
  else
    grep -q -i -E 'exception|error' "$work/output" || found=yes
  fi
  detail=
  if [[ $status -eq 0 && $found == yes && $expected == works ]]; then
    result=works
  elif [[ $status -eq 124 && $found == yes && $expected == endless ]]; then
    result=works
  elif [[ $status -ne 124 && $found == yes && $expected == "not yet" ]]; then
    result="not yet"
    detail=$(reason "$work/output")
  else
    result=FAILED
    failed=$((failed + 1))
    detail="expected: $expected; exit status $status; $(reason "$work/output")"
    {
      echo "--- $tool $*: expected '$expected' with /$pattern/, exit status $status"
      tail -n 30 "$work/output"
    } >&2
  fi
  detail=${detail//|/\\|}
  rows+=("| $tool | $purpose | $result | $detail |")
  echo "$result: $tool: $purpose${detail:+ ($detail)}" >&2
}

server=(--bootstrap-server "$bootstrap")

row works 'Produce\(0\): 0 to' "list the APIs of every broker" broker-api-versions "${server[@]}"
row works 'Cluster ID: ' "cluster id" cluster cluster-id "${server[@]}"
row works 'isfenced|ID' "list the brokers" cluster list-endpoints "${server[@]}"
row works "Created topic $topic" "create a topic" topics "${server[@]}" --create --topic "$topic" --partitions 3 --replication-factor 3 --config min.insync.replicas=2
row works "^$topic\$" "list topics" topics "${server[@]}" --list
row works 'ReplicationFactor: 3.*min.insync.replicas=2' "describe a topic" topics "${server[@]}" --describe --topic "$topic"
row works '' "add partitions" topics "${server[@]}" --alter --topic "$topic" --partitions 4
input=$'a:1\nb:2\nc:3'
row works '' "write lines with keys" console-producer "${server[@]}" --topic "$topic" --reader-property parse.key=true --reader-property key.separator=:
row works '1000 records sent' "write 1,000 records" producer-perf-test "${server[@]}" --topic "$topic" --num-records 1000 --record-size 100 --throughput -1 --command-property acks=all
row works '"name":"tool_data"|"sent":100' "write 100 records and verify the acks" verifiable-producer "${server[@]}" --topic "$topic" --max-messages 100
row works "$topic:3:" "end offsets" get-offsets "${server[@]}" --topic "$topic"
row works "$topic:0:0" "start offsets" get-offsets "${server[@]}" --topic "$topic" --time earliest
row works "$topic:" "offsets by time" get-offsets "${server[@]}" --topic "$topic" --time 0
row works "$topic:" "offset of the largest timestamp" get-offsets "${server[@]}" --topic "$topic" --time max-timestamp
row works 'Processed a total of 10 messages' "read one partition" console-consumer "${server[@]}" --topic "$topic" --partition 0 --offset earliest --max-messages 10 --timeout-ms 30000
row endless 'max lag is 0' "compare the replicas bytewise" replica-verification --broker-list "$bootstrap" --topics-include "$topic" --report-interval-ms 1000 --time -1
row works 'Dynamic configs for topic' "show a topic's settings" configs "${server[@]}" --describe --topic "$topic"
row works 'Static|log.dirs|node.id|DEFAULT_CONFIG' "show a broker's settings" configs "${server[@]}" --describe --broker 1 --all
row works '' "list the settings a broker was given at run time" configs "${server[@]}" --describe --broker 1
row works 'Completed updating config for topic' "change a topic's setting" configs "${server[@]}" --alter --topic "$topic" --add-config retention.ms=3600000
row works 'Completed updating config for group' "change a group's setting" configs "${server[@]}" --alter --group "$group" --add-config consumer.session.timeout.ms=50000
row works 'Completed updating config for broker' "change a broker's setting" configs "${server[@]}" --alter --broker 1 --add-config log.retention.ms=3600000
row works 'Completed updating default config for brokers' "change all brokers' setting" configs "${server[@]}" --alter --broker-defaults --add-config log.retention.ms=3600000
row works 'log.retention.ms=3600000.*DYNAMIC_BROKER_CONFIG:log.retention.ms=3600000, DYNAMIC_DEFAULT_BROKER_CONFIG' "show what a broker was given at run time" configs "${server[@]}" --describe --broker 1
row "not yet" 'Cannot update these configs dynamically' "change a broker's number of threads" configs "${server[@]}" --alter --broker 1 --add-config log.cleaner.threads=2
row "not yet" 'DESCRIBE_CLIENT_QUOTAS|DESCRIBE_USER_SCRAM' "quotas of users" configs "${server[@]}" --describe --entity-type users
row works 'Processed a total of' "read with a group" console-consumer "${server[@]}" --topic "$topic" --group "$group" --from-beginning --max-messages 100 --timeout-ms 30000
row works 'Processed a total of' "read with a group of the new protocol" console-consumer "${server[@]}" --topic "$topic" --group "$group-new" --from-beginning --max-messages 100 --timeout-ms 30000 --command-property group.protocol=consumer
row works 'MB.sec|nMsg.sec' "measure a consumer" consumer-perf-test "${server[@]}" --topic "$topic" --num-records 500 --timeout 30000
row works '"name":"records_consumed"|records_consumed' "read and verify with a group" verifiable-consumer "${server[@]}" --topic "$topic" --group-id "$group-verify" --max-messages 100
row works 'Avg latency' "end-to-end latency" e2e-latency "${server[@]}" --topic "$topic" --num-records 20 --producer-acks all --record-size 50
row works "$group" "list groups of all kinds" groups "${server[@]}" --list
row works "$group" "list consumer groups" consumer-groups "${server[@]}" --list
row works "$topic" "describe a group's offsets" consumer-groups "${server[@]}" --describe --group "$group"
row works "Empty|Stable" "describe a group's state" consumer-groups "${server[@]}" --describe --group "$group" --state
row works "$topic" "reset a group's offsets" consumer-groups "${server[@]}" --reset-offsets --group "$group" --topic "$topic" --to-earliest --execute
row works 'Deletion of requested consumer groups|successful' "delete a group" consumer-groups "${server[@]}" --delete --group "$group"
printf '{"version":1,"partitions":[{"topic":"%s","partition":0,"offset":1}]}' "$topic" >"$work/records.json"
row works 'low_watermark: 1' "delete records" delete-records "${server[@]}" --offset-json-file "$work/records.json"
row works "$topic-0" "sizes of the replicas" log-dirs "${server[@]}" --describe --topic-list "$topic"
printf '{"version":1,"topics":[{"topic":"%s"}]}' "$topic" >"$work/topics.json"
row works 'Proposed partition reassignment' "propose a reassignment" reassign-partitions "${server[@]}" --generate --topics-to-move-json-file "$work/topics.json" --broker-list 1,2,3
printf '{"version":1,"partitions":[{"topic":"%s","partition":0,"replicas":[3,2,1]}]}' "$topic" >"$work/move.json"
row works 'Successfully started partition reassignment' "move a partition" reassign-partitions "${server[@]}" --execute --reassignment-json-file "$work/move.json"
row works 'Reassignment of partition|no active reassignment' "verify a move" reassign-partitions "${server[@]}" --verify --reassignment-json-file "$work/move.json"
row works 'The inter-broker throttle limit was set to 1000000 B/s' "move with a throttle" reassign-partitions "${server[@]}" --execute --throttle 1000000 --reassignment-json-file "$work/move.json"
row works 'Clearing topic-level throttles' "lift a throttle" reassign-partitions "${server[@]}" --verify --reassignment-json-file "$work/move.json"
row works 'No partition reassignments found' "list moves" reassign-partitions "${server[@]}" --list
row works 'None of the specified partition moves are active' "call a move back" reassign-partitions "${server[@]}" --cancel --reassignment-json-file "$work/move.json"
row works 'Successfully completed leader election|Valid replica already elected' "elect preferred leaders" leader-election "${server[@]}" --election-type preferred --topic "$topic" --partition 0
row works "LeaderId:.*[0-9]" "state of the quorum" metadata-quorum "${server[@]}" describe --status
row works "Observer" "progress of controllers and brokers" metadata-quorum "${server[@]}" describe --replication --human-readable
row works '' "finalized features" features "${server[@]}" describe
row "not yet" 'LIST_TRANSACTIONS' "list transactions" transactions "${server[@]}" list
row works 'LatestCoordinatorEpoch' "producers of a partition" transactions "${server[@]}" describe-producers --topic "$topic" --partition 0
row works '' "find hanging transactions" transactions "${server[@]}" find-hanging --broker-id 1
row "not yet" 'DESCRIBE_ACLS' "list ACLs" acls "${server[@]}" --list
# This tool wants to create a topic of that name.
[[ -n $only && compatibility != *"$only"* ]] \
  || "$ROOT/scripts/kafka.sh" topics "${server[@]}" --delete --if-exists --topic newtopic >/dev/null 2>&1 || true
row works 'SUCCESS' "one client against all features" client-compatibility "${server[@]}" --topic "$topic-compatibility" --cluster-id-supported true --expect-record-too-large-exception false --num-cluster-nodes 3 --offsets-for-times-supported true --create-topics-supported true --describe-configs-supported true --describe-acls-supported false --idempotent-producer-supported true
row works '' "delete a topic" topics "${server[@]}" --delete --topic "$topic"

table() {
  cat <<END
# Kafka's command-line tools against Tidemark

Made by \`scripts/tools-check.sh --out docs/TOOLS.md\`, which fails if a row is not what the script expects. The tools are
Kafka's own, version $(sed -n 's/.*<kafka.version>\(.*\)<\/kafka.version>.*/\1/p' "$ROOT/scripts/kafka-tools/pom.xml"), run by \`scripts/kafka.sh TOOL\`. "Not yet" shows the error that a user sees.

| tool | what for | result | remark |
| --- | --- | --- | --- |
END
  printf '%s\n' "${rows[@]}"
}

[[ ${#rows[@]} -gt 0 ]] || die "no row contains '$only'"
if [[ -n $out ]]; then
  table >"$out.tmp"
  mv "$out.tmp" "$out"
fi
echo "${#rows[@]} rows, $failed failed"
[[ $failed -eq 0 ]]
