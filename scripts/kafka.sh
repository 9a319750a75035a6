#!/usr/bin/env bash
# Runs one of Kafka's own command-line tools, fetched with Maven on first use.
#
# usage: scripts/kafka.sh TOOL [ARGUMENTS]
#        scripts/kafka.sh TOOL --help      the tool's own help
#        scripts/kafka.sh --fetch          only fetch the tools
#
# Tools: acls broker-api-versions client-compatibility cluster configs console-consumer console-producer
#        consumer-groups consumer-perf-test delete-records dump-log e2e-latency features get-offsets groups
#        leader-election log-dirs metadata-quorum producer-perf-test reassign-partitions replica-verification
#        topics transactions verifiable-consumer verifiable-producer
#
# Example: scripts/kafka.sh topics --bootstrap-server 127.0.0.1:19092 --list
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "$(dirname "$0")/lib.sh"

TOOLS=$ROOT/scripts/kafka-tools
tool=${1:-}
case $tool in
  "") usage >&2; exit 1 ;;
  -h | --help) usage; exit 0 ;;
  acls) main=AclCommand ;;
  broker-api-versions) main=BrokerApiVersionsCommand ;;
  client-compatibility) main=ClientCompatibilityTest ;;
  cluster) main=ClusterTool ;;
  configs) main=kafka.admin.ConfigCommand ;;
  console-consumer) main=consumer.ConsoleConsumer ;;
  console-producer) main=ConsoleProducer ;;
  consumer-groups) main=consumer.group.ConsumerGroupCommand ;;
  consumer-perf-test) main=ConsumerPerformance ;;
  delete-records) main=DeleteRecordsCommand ;;
  dump-log) main=DumpLogSegments ;;
  e2e-latency) main=EndToEndLatency ;;
  features) main=FeatureCommand ;;
  get-offsets) main=GetOffsetShell ;;
  groups) main=GroupsCommand ;;
  leader-election) main=LeaderElectionCommand ;;
  log-dirs) main=LogDirsCommand ;;
  metadata-quorum) main=MetadataQuorumCommand ;;
  producer-perf-test) main=ProducerPerformance ;;
  reassign-partitions) main=reassign.ReassignPartitionsCommand ;;
  replica-verification) main=ReplicaVerificationTool ;;
  topics) main=TopicCommand ;;
  transactions) main=TransactionsCommand ;;
  verifiable-consumer) main=VerifiableConsumer ;;
  verifiable-producer) main=VerifiableProducer ;;
  --fetch) main= ;;
  *)
    echo "kafka.sh: there is no tool '$tool'" >&2
    usage | sed -n '/^Tools:/,/^$/p' >&2
    exit 1
    ;;
esac
shift

# Fetches the jars if they are missing or of other versions than the pom names.
fetch() {
  local stamp=$TOOLS/target/.fetched
  [[ ! -e $stamp || $TOOLS/pom.xml -nt $stamp ]] || return 0
  require_maven
  mkdir -p "$TOOLS/target"
  if command -v flock >/dev/null; then
    exec 9>"$TOOLS/target/.lock"
    flock 9
    [[ ! -e $stamp || $TOOLS/pom.xml -nt $stamp ]] || return 0
  fi
  echo "fetching Kafka's tools" >&2
  rm -rf "$TOOLS/target/lib"
  mvn -B -q -Dstyle.color=never -f "$TOOLS/pom.xml" dependency:copy-dependencies >&2 \
    || die "Kafka's tools could not be fetched"
  touch "$stamp"
}

require_java
fetch
[[ -n $main ]] || exit 0
[[ $main == kafka.* ]] || main=org.apache.kafka.tools.$main
# Heap as in Kafka's own scripts; words of KAFKA_HEAP_OPTS are options of their own.
read -r -a heap <<<"${KAFKA_HEAP_OPTS:--Xmx512m}"
exec 9>&-
exec "$JAVA" "${heap[@]}" -XX:+UseSerialGC "-Dlog4j2.configurationFile=$TOOLS/log4j2.xml" \
  -cp "$TOOLS/target/lib/*" "$main" "$@"
