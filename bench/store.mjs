/**
 * Question: what does keeping a conversation cost? Appends at any length, durable appends beside a bare write and flush in
 * the same run, bytes on disk beside bytes of content, and loading. Prints one line of JSON.
 *
 *   node bench/store.mjs [entries] [path of a build]      default 100000 dist
 */
import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"

const entries = Number(process.argv[2] ?? 100_000)
const build = resolve(process.argv[3] ?? join(dirname(fileURLToPath(import.meta.url)), "..", "dist"))
const { jsonlStore } = await import(pathToFileURL(join(build, "store", "index.js")).href)

const folder = mkdtempSync(join(tmpdir(), "ligature-bench-store-"))
const words = "The quick brown fox — 敏捷的棕色狐狸 — jumps over the lazy dog. ".repeat(28)
const messageOf = (index) => ({ role: index % 2 === 0 ? "user" : "assistant", blocks: [{ type: "text", text: `${index} ${words}` }] })
/** The lower quartile: what other programs do to us lies above it. */
const typical = (times) => times.toSorted((left, right) => left - right)[times.length >> 2] ?? 0
const microseconds = (from) => Number(process.hrtime.bigint() - from) / 1e3
const round = (value, digits = 2) => Number(value.toFixed(digits))

/** Appends one by one, and how long each took. */
const measureAppends = async () => {
  const store = jsonlStore({ folder, durability: "none" })
  await store.create({ id: "long" })
  const times = []
  let content = 0
  let tip = null
  for (let index = 0; index < entries; index++) {
    const message = messageOf(index)
    content += Buffer.byteLength(JSON.stringify(message))
    const from = process.hrtime.bigint()
    tip = (await store.append("long", [{ kind: "message", message }], { expectedTip: tip })).tip
    times.push(microseconds(from))
  }
  await store.close()
  const first = typical(times.slice(1_000, 2_000))
  const last = typical(times.slice(-1_000))
  const size = statSync(join(folder, "long.jsonl")).size
  return {
    entries,
    appendMicroseconds: round(typical(times)),
    lastToFirstThousand: round(last / first),
    bytesToContent: round(size / content, 3),
    megabytes: round(size / 1e6, 1),
  }
}

/** Durable appends and bare writes with a flush, in turn, so that both meet the same disk. */
const measureDurable = async (rounds = 400) => {
  const store = jsonlStore({ folder, durability: "entry" })
  await store.create({ id: "durable" })
  const file = openSync(join(folder, "bare"), "a")
  const times = { bare: [], durable: [] }
  for (let index = 0; index < rounds; index++) {
    const message = messageOf(index)
    let from = process.hrtime.bigint()
    writeSync(file, `${JSON.stringify(message)}\n`)
    fdatasyncSync(file)
    times.bare.push(microseconds(from))
    from = process.hrtime.bigint()
    await store.append("durable", [{ kind: "message", message }])
    times.durable.push(microseconds(from))
  }
  closeSync(file)
  const from = process.hrtime.bigint()
  await Promise.all(Array.from({ length: 200 }, (_, index) => store.append("durable", [{ kind: "message", message: messageOf(index) }])))
  const grouped = microseconds(from) / 200
  await store.close()
  const [bare, durable] = [typical(times.bare), typical(times.durable)]
  return {
    bareFlushMicroseconds: round(bare),
    durableAppendMicroseconds: round(durable),
    durableToBare: round(durable / bare),
    groupedDurableMicroseconds: round(grouped),
  }
}

const measureLoad = async () => {
  const cold = jsonlStore({ folder })
  let from = process.hrtime.bigint()
  const { entries: loaded } = await cold.load("long")
  const whole = microseconds(from)
  if (loaded.length !== entries) throw new Error(`loaded ${loaded.length} of ${entries} entries`)
  from = process.hrtime.bigint()
  await cold.load("long", { last: 40 })
  const tail = microseconds(from)
  from = process.hrtime.bigint()
  await cold.load("long")
  const again = microseconds(from)
  await cold.close()
  return {
    loadMicrosecondsPerEntry: round(whole / entries),
    reloadMicrosecondsPerEntry: round(again / entries),
    tail40Milliseconds: round(tail / 1e3),
  }
}

try {
  const appends = await measureAppends()
  const durable = await measureDurable()
  const load = await measureLoad()
  process.stdout.write(`${JSON.stringify({ node: process.version, ...appends, ...durable, ...load })}\n`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
