/**
 * Question: what does keeping a conversation cost? Appends at any length, durable appends beside the barest durable write of
 * the same bytes in the same run, bytes on disk beside bytes of content, and loading. Prints a line of JSON per store.
 *
 *   node bench/store.mjs [entries] [path of a build] [store…]      default: as many as each store needs, dist, all stores
 */
import { dirname, join, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { homes } from "./store-homes.mjs"

const [count, place, ...wanted] = process.argv.slice(2)
const build = resolve(place ?? join(dirname(fileURLToPath(import.meta.url)), "..", "packages/ligature/dist"))

const words = "The quick brown fox — 敏捷的棕色狐狸 — jumps over the lazy dog. ".repeat(28)
const messageOf = (index) => ({ role: index % 2 === 0 ? "user" : "assistant", blocks: [{ type: "text", text: `${index} ${words}` }] })
/** The lower quartile: what other programs do to us lies above it. */
const typical = (times) => times.toSorted((left, right) => left - right)[times.length >> 2] ?? 0
const microseconds = (from) => Number(process.hrtime.bigint() - from) / 1e3
const round = (value, digits = 2) => Number(value.toFixed(digits))

/** Appends one by one, and how long each took. */
const measureAppends = async (home, entries) => {
  const store = home.open("none")
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
  // The first ones pay for code that is not compiled yet.
  const share = Math.min(1_000, entries >> 2)
  const first = typical(times.slice(share, 2 * share))
  const last = typical(times.slice(-share))
  const size = await home.bytes()
  return {
    entries,
    appendMicroseconds: round(typical(times)),
    lastToFirst: round(last / first),
    bytesToContent: round(size / content, 3),
    megabytes: round(size / 1e6, 1),
  }
}

/** Durable appends and bare durable writes, in turn, so that both meet the same disk. */
const measureDurable = async (home, rounds = 400) => {
  const store = home.open("entry")
  await store.create({ id: "durable" })
  const times = { bare: [], durable: [] }
  for (let index = 0; index < rounds; index++) {
    const message = messageOf(index)
    let from = process.hrtime.bigint()
    const writing = home.bare(JSON.stringify(message))
    if (writing instanceof Promise) await writing
    times.bare.push(microseconds(from))
    from = process.hrtime.bigint()
    await store.append("durable", [{ kind: "message", message }])
    times.durable.push(microseconds(from))
  }
  const from = process.hrtime.bigint()
  await Promise.all(Array.from({ length: 200 }, (_, index) => store.append("durable", [{ kind: "message", message: messageOf(index) }])))
  const grouped = microseconds(from) / 200
  await store.close()
  const [bare, durable] = [typical(times.bare), typical(times.durable)]
  return {
    bare: home.bareName,
    bareMicroseconds: round(bare),
    durableAppendMicroseconds: round(durable),
    durableToBare: round(durable / bare),
    groupedDurableMicroseconds: round(grouped),
  }
}

const measureLoad = async (home, entries) => {
  const cold = home.open("turn")
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

for (const [name, { make, entries: usual }] of Object.entries(homes)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue
  const home = await make(build)
  if (typeof home === "string") {
    process.stdout.write(`${JSON.stringify({ store: name, skipped: home })}\n`)
    continue
  }
  try {
    const entries = Number(count || usual)
    const appends = await measureAppends(home, entries)
    const durable = await measureDurable(home)
    const load = await measureLoad(home, entries)
    process.stdout.write(`${JSON.stringify({ store: name, node: process.version, ...appends, ...durable, ...load })}\n`)
  } finally {
    await home.close()
  }
}
