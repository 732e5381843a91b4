/**
 * An agent in a process of its own, for tests that kill it: node agent.mjs <parts> <settings as JSON>. It runs one turn
 * against the fake provider of its parent, and dies where it is told to:
 *
 *   { layer: "store", at, when }   at the n-th call that writes to the store: before it, or when it is done and before anybody knows
 *   { layer: "files", at, share }  at the n-th call of the jsonl store to the system; of a write, a share of the bytes gets through
 *
 * Every line it prints is true when it is printed: entries that were acknowledged, then how the run ended. Its tool writes
 * down when it starts and when it ends, in a file that survives it.
 */
import { appendFileSync, writeSync } from "node:fs"
import { pathToFileURL } from "node:url"

const [file, text] = process.argv.slice(2)
const settings = JSON.parse(text)
const { store: home, death, model, prompt, journal, approval = false, leaseMs, style, toolMs = 3 } = settings
const parts = await import(pathToFileURL(file).href)
const print = (value) => writeSync(1, `${JSON.stringify(value)}\n`)

/** Nothing after this line happens: the signal is delivered before the call returns, or the thread waits for it. */
const die = () => {
  process.kill(process.pid, "SIGKILL")
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10_000)
}

const deadlyFiles = (files) => {
  let calls = 0
  return Object.fromEntries(
    Object.entries(files).map(([name, action]) => [
      name,
      (...given) => {
        if (calls++ !== death.at) return action(...given)
        if (name === "write") {
          const [file, bytes, from] = given
          const length = Math.floor((bytes.length - from) * death.share)
          if (length > 0) files.write(file, bytes.subarray(from, from + length), 0)
        } else if (death.share > 0.5) action(...given)
        return die()
      },
    ]),
  )
}

const openers = {
  jsonl: async (folder) => parts.jsonlStore({ folder, ...(death?.layer === "files" && { files: deadlyFiles(parts.nodeFiles) }) }),
  sqlite: async (place) => parts.sqliteStore({ file: place }),
  postgres: async (place) => {
    const { default: pg } = await import("pg")
    const { connectionString, schema } = JSON.parse(place)
    const pool = new pg.Pool({ connectionString, max: 2, allowExitOnIdle: true })
    return parts.postgresStore({ pool, schema })
  },
}

const writing = new Set(["create", "append", "acquire", "renew", "release"])
let writes = 0
const deadlyStore = (store) =>
  new Proxy(store, {
    get: (target, name) => {
      const action = target[name].bind(target)
      if (!writing.has(name)) return action
      return async (...given) => {
        const isLast = death?.layer === "store" && writes++ === death.at
        if (isLast && death.when === "before") die()
        const outcome = await action(...given)
        if (isLast) die()
        return outcome
      }
    },
  })

const store = deadlyStore(await openers[home.kind](home.place))
const work = {
  name: "work",
  run: async ({ n }, { call }) => {
    appendFileSync(journal, `start ${call.id}\n`)
    await new Promise((resolve) => setTimeout(resolve, toolMs * (1 + (Number(n) % 3))))
    appendFileSync(journal, `end ${call.id}\n`)
    return { worked: n }
  },
}
print({ ready: true })
const ended = await parts
  .run({
    model,
    store,
    conversation: "c",
    prompt,
    tools: [work],
    ...(leaseMs && { leaseMs }),
    ...(style && { style }),
    ...(approval && { approve: async () => "approve" }),
    onEvent: (event) => {
      // Moves of the tip are no entries of a path.
      if (event.type === "commit-end") print({ ids: event.ids.filter((_, index) => event.kinds[index] !== "tip") })
      if (event.type === "tool-start") print({ tool: event.call.id })
    },
  })
  .catch((error) => ({ stop: "error", reason: error.reason, message: error.message }))
print({ stop: ended.stop, reason: ended.reason, message: ended.message })
await store.close()
