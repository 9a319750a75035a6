// One step of work with kafkajs; see README.md. KAFKAJS_PATH is the folder of the installed package.
'use strict'
const { Kafka, logLevel, CompressionTypes } = require(process.env.KAFKAJS_PATH)
const PARTITIONS = 6
const PATIENCE_MS = 90000

const [step, bootstrap, ...args] = process.argv.slice(2)
// Its own back-off grows to half a minute, longer than any fault here.
const retry = { retries: 200, initialRetryTime: 100, maxRetryTime: 1000 }
const kafka = new Kafka({
  clientId: 'kafkajs', brokers: bootstrap.split(','), retry,
  logLevel: process.env.KAFKAJS_LOG ? logLevel.INFO : logLevel.NOTHING
})
const key = i => `k${i % 50}`
const delay = ms => new Promise(resolve => setTimeout(resolve, ms))

class Lacks extends Error {}
const check = (condition, text) => { if (!condition) throw new Error(text) }

async function until (condition, text) {
  const deadline = Date.now() + PATIENCE_MS
  while (!await condition()) {
    check(Date.now() < deadline, text())
    await delay(100)
  }
}

async function withAdmin (work) {
  const admin = kafka.admin()
  await admin.connect()
  try { return await work(admin) } finally { await admin.disconnect() }
}

const steps = {
  create: topic => withAdmin(admin => admin.createTopics({
    waitForLeaders: true,
    topics: [{ topic, numPartitions: PARTITIONS, replicationFactor: 3, configEntries: [{ name: 'min.insync.replicas', value: '2' }] }]
  })),

  async produce (topic, first, count, acks) {
    const producer = kafka.producer({ allowAutoTopicCreation: false })
    await producer.connect()
    const end = Number(first) + Number(count)
    for (let from = Number(first); from < end; from += 500) {
      const messages = []
      for (let i = from; i < Math.min(end, from + 500); i++) messages.push({ key: key(i), value: String(i) })
      await producer.send({ topic, acks: acks === 'all' ? -1 : Number(acks), messages, compression: CompressionTypes.GZIP })
    }
    await producer.disconnect()
  },

  async assign () { throw new Lacks('kafkajs reads with groups only') },

  async group (topic, groupId, count) {
    const byKey = new Map()
    const seen = new Set()
    const consumer = kafka.consumer({ groupId })
    await consumer.connect()
    await consumer.subscribe({ topic, fromBeginning: true })
    await consumer.run({
      autoCommit: true,
      eachMessage: async ({ message }) => {
        const k = message.key.toString()
        if (!byKey.has(k)) byKey.set(k, [])
        byKey.get(k).push(Number(message.value.toString()))
        seen.add(message.value.toString())
      }
    })
    await until(() => seen.size >= Number(count), () => `read ${seen.size} values`)
    await consumer.disconnect()
    for (const values of byKey.values()) {
      check(values.every((value, i) => i === 0 || values[i - 1] < value), "a key's values are not in order")
    }
  },

  resume: (topic, groupId, count) => withAdmin(async admin => {
    const [{ partitions }] = await admin.fetchOffsets({ groupId, topics: [topic] })
    const sum = partitions.reduce((total, p) => total + Math.max(0, Number(p.offset)), 0)
    check(sum === Number(count), `committed ${sum}`)
  }),

  async rebalance (topic, groupId) {
    const members = []
    for (let i = 0; i < 3; i++) {
      const consumer = kafka.consumer({ groupId, sessionTimeout: 10000, heartbeatInterval: 500 })
      const member = { consumer, assigned: [] }
      consumer.on(consumer.events.GROUP_JOIN, e => { member.assigned = e.payload.memberAssignment[topic] || [] })
      await consumer.connect()
      await consumer.subscribe({ topic })
      await consumer.run({ eachMessage: async () => {} })
      members.push(member)
    }
    const shared = some => {
      const all = some.flatMap(m => m.assigned)
      return some.every(m => m.assigned.length > 0) && all.length === PARTITIONS && new Set(all).size === PARTITIONS
    }
    const state = () => `assignments stay at ${JSON.stringify(members.map(m => m.assigned))}`
    await until(() => shared(members), state)
    await members[0].consumer.disconnect()
    await until(() => shared(members.slice(1)), state)
    await Promise.all(members.slice(1).map(m => m.consumer.disconnect()))
  },

  async steady (topic, groupId, count) {
    const seen = new Set()
    const acked = new Set()
    const consumer = kafka.consumer({ groupId, retry })
    await consumer.connect()
    await consumer.subscribe({ topic, fromBeginning: true })
    await consumer.run({ autoCommitInterval: 500, eachMessage: async ({ message }) => { seen.add(Number(message.value.toString())) } })
    const producer = kafka.producer({ allowAutoTopicCreation: false, idempotent: false, retry })
    await producer.connect()
    const sends = []
    for (let i = 0; i < Number(count); i++) {
      sends.push(producer.send({ topic, acks: -1, timeout: 5000, messages: [{ key: key(i), value: String(i) }] }).then(() => acked.add(i)))
      if (i % 100 === 0) console.log(`SENT ${i}`)
      await delay(5)
    }
    await Promise.all(sends)
    const missing = () => [...acked].filter(i => !seen.has(i))
    await until(() => missing().length === 0, () => `acknowledged and not read: ${missing().slice(0, 5)}`)
    check(acked.size === Number(count), `acknowledged ${acked.size}`)
    await producer.disconnect()
    await consumer.disconnect()
  },

  times: topic => withAdmin(async admin => {
    const ends = await admin.fetchTopicOffsets(topic)
    check(ends.every(p => p.low === '0' && Number(p.high) > 0), JSON.stringify(ends))
    const first = await admin.fetchTopicOffsetsByTimestamp(topic, 0)
    check(first.every(p => p.offset === '0'), JSON.stringify(first))
    // For a time behind all records kafkajs itself puts in the end.
    const last = await admin.fetchTopicOffsetsByTimestamp(topic, 4102444800000)
    check(last.every(p => p.offset === ends.find(e => e.partition === p.partition).high), JSON.stringify(last))
  }),

  describe: topic => withAdmin(async admin => {
    const { topics: [{ partitions }] } = await admin.fetchTopicMetadata({ topics: [topic] })
    check(partitions.length === PARTITIONS && partitions.every(p => p.replicas.length === 3), JSON.stringify(partitions))
    const { resources: [{ configEntries }] } = await admin.describeConfigs({ includeSynonyms: true, resources: [{ type: 2, name: topic }] })
    check(configEntries.find(c => c.configName === 'min.insync.replicas').configValue === '2', JSON.stringify(configEntries))
  }),

  groups: groupId => withAdmin(async admin => {
    const { groups } = await admin.listGroups()
    check(groups.some(g => g.groupId === groupId), JSON.stringify(groups))
    const { groups: [described] } = await admin.describeGroups([groupId])
    check(described.groupId === groupId && described.state === 'Empty', JSON.stringify(described))
  }),

  delete: (topic, groupId) => withAdmin(async admin => {
    await admin.deleteGroups([groupId])
    await admin.deleteTopics({ topics: [topic] })
    await until(async () => !(await admin.listTopics()).includes(topic), () => 'still there')
  })
}

steps[step](...args).then(() => process.exit(0), error => {
  console.log(error instanceof Lacks ? error.message : error.stack)
  process.exit(error instanceof Lacks ? 3 : 1)
})
