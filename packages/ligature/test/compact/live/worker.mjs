/**
 * A process that keeps appending to its conversations while its Compactor looks after all of them, for tests that kill it:
 * node worker.mjs <build> <store as JSON> <name> <share> <shares> <conversations>.
 * It finishes when its stdin ends. What it prints was true before it was printed:
 *
 *   ack <conversation> <entry>       an append was acknowledged
 *   begin|end <conversation> <ns>    the summariser works on a conversation
 *   done <strategy> <outcome>        a compaction ended
 */
import { writeSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"

const [build, where, name, share, shares, conversations] = process.argv.slice(2)
const load = (path) => import(pathToFileURL(join(build, path)).href)
const { jsonlStore } = await load("store/index.js")
const { recoveryPlan } = await load("store/recovery.js")
const { compactor: newCompactor } = await load("compact/index.js")
const home = JSON.parse(where)
const store =
  home.folder === undefined
    ? (await load("store/postgres/index.js")).postgresStore({ connectionString: home.connectionString, schema: home.schema })
    : jsonlStore({ folder: home.folder })
const print = (line) => writeSync(1, `${line}\n`)
const text = (words) => ({ type: "text", text: words })
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
let isLast = false
process.stdin.on("end", () => (isLast = true)).resume()

// Xorshift, seeded by the name: no two workers do the same.
let state = [...name].reduce((sum, letter) => (Math.imul(sum, 31) + letter.charCodeAt(0)) >>> 0, 7) || 1
const random = (below) => {
  state ^= state << 13
  state >>>= 0
  state ^= state >>> 17
  state ^= state << 5
  state >>>= 0
  return state % below
}

const ways = ["good", "good", "good", "good", "error", "empty", "huge", "tool", "echo"]
const answer = (request) => {
  const good = `## Goal\nGo on (#1).\n## Next step\nMore of the same.`
  switch (ways[random(ways.length)]) {
    case "error":
      throw new Error("overloaded")
    case "empty":
      return ""
    case "huge":
      return "much ".repeat(100_000)
    case "tool":
      return { role: "assistant", blocks: [{ type: "call", id: "x", name: "bash", arguments: {} }] }
    case "echo":
      return request.instructions
    default:
      return good
  }
}

const compactor = newCompactor({
  store,
  pollMs: 200,
  leaseMs: 4_000,
  concurrency: 3,
  settings: {
    window: { tokens: 2_000, reserveTokens: 0 },
    gain: { tokens: 100 },
    summary: { maxTokens: 150, timeoutMs: 5_000, attempts: 1, maxFailures: 0 },
  },
  summarise: async (request, { conversation }) => {
    print(`begin ${conversation} ${process.hrtime.bigint()}`)
    try {
      await pause(20 + random(150))
      return answer(request)
    } finally {
      print(`end ${conversation} ${process.hrtime.bigint()}`)
    }
  },
  onEvent: (event) => {
    if (event.type === "compaction-end") print(`done ${event.result.strategy ?? event.result.reason} ${event.result.outcome}`)
    if (event.type === "compaction-error") print(`failed ${event.error?.stack ?? event.error}`.replaceAll("\n", " "))
  },
})

const own = Array.from({ length: Number(conversations) }, (_, index) => index).filter((index) => index % Number(shares) === Number(share))
const opened = new Set()
let count = 0

const append = async (id, body) => {
  const entry = `${name}.${count++}`
  await store.append(id, [{ ...body, id: entry }], { operation: `${id} ${entry}` })
  print(`ack ${id} ${entry}`)
}

const message = (role, blocks) => ({ kind: "message", message: { role, blocks } })

const say = async (id) => {
  if (!opened.has(id)) {
    await store.create({ id, operation: `create ${id}` })
    const { append: closing } = recoveryPlan(await store.load(id))
    for (const entry of closing) await append(id, entry)
    opened.add(id)
    await append(id, message("user", [text(`${name} asks about ${id}`)]))
  }
  const calls = Array.from({ length: 1 + random(2) }, (_, at) => ({
    type: "call",
    id: `${name}-${count}-${at}`,
    name: "read",
    arguments: { path: `src/${id}/${count}.ts` },
  }))
  await append(id, message("assistant", [text("reading"), ...calls]))
  for (const call of calls) {
    const content = [text(`⟦${call.id}⟧ ${`value_${count} of the output\n`.repeat(10 + random(40))}`)]
    await append(id, { kind: "result", result: { type: "result", callId: call.id, content } })
  }
  if (random(3) === 0) await append(id, message("assistant", [text("done")]))
  if (random(4) === 0) await append(id, message("user", [text(`and now ${count}?`)]))
}

compactor.start()
while (!isLast) {
  await say(`c${own[random(own.length)]}`)
  await pause(random(8))
}
await compactor.look()
await compactor.idle()
await compactor.stop()
await store.close()
print("finished")
