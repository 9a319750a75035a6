"""One step of work with kafka-python; see README.md."""

import sys
import threading
import time

from kafka import KafkaAdminClient, KafkaConsumer, KafkaProducer, TopicPartition
from kafka.admin import ConfigResource, ConfigResourceType, NewTopic

PARTITIONS = 6
PATIENCE_S = 90


def lacks(what):
    print(what)
    sys.exit(3)


def check(condition, text):
    if not condition:
        raise AssertionError(text)


def key(i):
    return b"k%d" % (i % 50)


def producer(acks):
    return KafkaProducer(bootstrap_servers=bootstrap, acks="all" if acks == "all" else int(acks), retries=100,
                         retry_backoff_ms=100, request_timeout_ms=5000, linger_ms=5)


def consumer(group=None, **more):
    return KafkaConsumer(bootstrap_servers=bootstrap, group_id=group, auto_offset_reset="earliest",
                         enable_auto_commit=False, **more)


def partitions(topic):
    return [TopicPartition(topic, p) for p in range(PARTITIONS)]


def read(source, done):
    """Values as numbers by key, until done(count of distinct values)."""
    by_key, seen = {}, set()
    deadline = time.time() + PATIENCE_S
    while not done(len(seen)):
        check(time.time() < deadline, "read %d values in time" % len(seen))
        for records in source.poll(timeout_ms=500).values():
            for record in records:
                by_key.setdefault(record.key, []).append(int(record.value))
                seen.add(int(record.value))
    return by_key, seen


def create(topic):
    admin = KafkaAdminClient(bootstrap_servers=bootstrap)
    admin.create_topics([NewTopic(topic, PARTITIONS, 3, topic_configs={"min.insync.replicas": "2"})])
    admin.close()


def produce(topic, first, count, acks):
    source = producer(acks)
    first, count = int(first), int(count)
    futures = [source.send(topic, key=key(i), value=b"%d" % i) for i in range(first, first + count)]
    for future in futures:
        future.get(timeout=PATIENCE_S)
    source.close()


def assign(topic, count):
    count = int(count)
    source = consumer()
    source.assign(partitions(topic))
    source.seek_to_beginning()
    by_key, seen = read(source, lambda n: n >= count)
    check(seen == set(range(count)), "other values than written")
    for values in by_key.values():
        check(values == sorted(set(values)), "a key's values are not in order")
    source.close()


def group(topic, name, count):
    source = consumer(name)
    source.subscribe([topic])
    read(source, lambda n: n >= int(count))
    source.commit()
    source.close()


def resume(topic, name, count):
    source = consumer(name)
    total = sum(source.committed(p) or 0 for p in partitions(topic))
    check(total == int(count), "committed %d" % total)
    source.close()


class Member(threading.Thread):
    def __init__(self, topic, name):
        super().__init__(daemon=True)
        self.source = consumer(name)
        self.source.subscribe([topic])
        self.assigned = set()
        self.stop = threading.Event()

    def run(self):
        while not self.stop.is_set():
            self.source.poll(timeout_ms=200)
            self.assigned = set(self.source.assignment())
        self.source.close()
        self.assigned = set()


def shared(members):
    deadline = time.time() + PATIENCE_S
    while True:
        sets = [m.assigned for m in members]
        if all(sets) and sum(map(len, sets)) == PARTITIONS and len(set().union(*sets)) == PARTITIONS:
            return
        check(time.time() < deadline, "assignments stay at %s" % [len(s) for s in sets])
        time.sleep(0.1)


def rebalance(topic, name):
    members = [Member(topic, name) for _ in range(3)]
    for member in members:
        member.start()
    shared(members)
    members[0].stop.set()
    members[0].join()
    shared(members[1:])
    for member in members[1:]:
        member.stop.set()
        member.join()


def steady(topic, name, count):
    count = int(count)
    acked = set()
    failed = []
    reader = consumer(name)
    reader.subscribe([topic])

    def write():
        source = producer("all")
        for i in range(count):
            future = source.send(topic, key=key(i), value=b"%d" % i)
            future.add_callback(lambda _, i=i: acked.add(i))
            future.add_errback(lambda e, i=i: failed.append((i, e)))
            if i % 100 == 0:
                print("SENT %d" % i, flush=True)
            time.sleep(0.005)
        source.flush(timeout=PATIENCE_S)
        source.close()

    writer = threading.Thread(target=write)
    writer.start()
    seen = set()
    deadline = time.time() + 2 * PATIENCE_S
    while writer.is_alive() or not acked <= seen:
        check(time.time() < deadline, "%d of %d read" % (len(seen & acked), len(acked)))
        for records in reader.poll(timeout_ms=200).values():
            seen.update(int(record.value) for record in records)
        try:
            reader.commit_async()
        except Exception as e:  # the coordinator may be away
            print("commit: %s" % e)
    check(not failed, "not acknowledged: %s" % failed[:3])
    check(len(acked) == count, "acknowledged %d" % len(acked))
    reader.close()


def times(topic):
    source = consumer()
    p = TopicPartition(topic, 0)
    source.assign([p])
    source.seek(p, 10)
    records = []
    while not records:
        records = source.poll(timeout_ms=500).get(p, [])
    stamp = records[0].timestamp
    begin, end = source.beginning_offsets([p])[p], source.end_offsets([p])[p]
    check(begin == 0 and end > 10, "beginning %d, end %d" % (begin, end))
    found = source.offsets_for_times({p: stamp})[p]
    check(found.offset <= 10 and found.timestamp >= stamp, "found %s" % (found,))
    check(source.offsets_for_times({p: 4102444800000})[p] is None, "an offset in the future")
    source.close()


def describe(topic):
    admin = KafkaAdminClient(bootstrap_servers=bootstrap)
    told = admin.describe_topics([topic])[0]["partitions"]
    check(len(told) == PARTITIONS and all(len(p["replicas"]) == 3 for p in told), str(told))
    configs = admin.describe_configs([ConfigResource(ConfigResourceType.TOPIC, topic)])
    check("min.insync.replicas" in str(configs), str(configs))
    admin.close()


def groups(name):
    admin = KafkaAdminClient(bootstrap_servers=bootstrap)
    check(name in [g[0] for g in admin.list_consumer_groups()], "not listed")
    check(admin.describe_consumer_groups([name])[0].group == name, "not described")
    admin.close()


def delete(topic, name):
    admin = KafkaAdminClient(bootstrap_servers=bootstrap)
    for result in admin.delete_consumer_groups([name]):
        check(result[1].errno == 0, str(result))
    admin.delete_topics([topic])
    deadline = time.time() + PATIENCE_S
    while topic in admin.list_topics():
        check(time.time() < deadline, "still there")
    admin.close()


if __name__ == "__main__":
    bootstrap = sys.argv[2].split(",")
    globals()[sys.argv[1]](*sys.argv[3:])
