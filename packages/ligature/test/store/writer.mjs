/**
 * A process that writes, for tests that kill or stop it: node writer.mjs <code> <store> <place> <name> <mode> [durability].
 * Every line it prints was acknowledged before it was printed.
 *
 *   turns   appends turns to the conversation `c` for ever, an entry at a time, and prints the id of each
 *   lease   takes the lease, prints it, waits for a line on stdin, appends under the lease, and prints what came of it
 */
import { existsSync, writeSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"

const [code, kind, place, name, mode, durability = "turn"] = process.argv.slice(2)

/** `code` is a build, or the sources where Node runs them. */
const load = (folder) => {
  const name = existsSync(join(code, "store", "index.ts")) ? "index.ts" : "index.js"
  return import(pathToFileURL(join(code, "store", folder, name)).href)
}

/** The place of a postgres store is its address and schema; its pool is made here, where the package can be found. */
const openers = {
  jsonl: async () => (await load("")).jsonlStore({ folder: place, durability }),
  sqlite: async () => (await load("sqlite")).sqliteStore({ file: place, durability }),
  postgres: async () => {
    const { default: pg } = await import("pg")
    const { connectionString, schema } = JSON.parse(place)
    const pool = new pg.Pool({ connectionString, max: 2, allowExitOnIdle: true })
    return (await load("postgres")).postgresStore({ pool, schema, durability })
  },
}
const store = await openers[kind]()
const print = (line) => writeSync(1, `${line}\n`)
const text = (words) => ({ type: "text", text: words })

const turnOf = (turn) => {
  const calls = ["a", "b"].map((call) => ({ type: "call", id: `${name}-${turn}-${call}`, name: "read", arguments: { path: call } }))
  const message = (role, blocks) => ({ kind: "message", message: { role, blocks } })
  return [
    message("user", [text(`${name} asks ${turn}: ${"长 ".repeat(turn % 50)}`)]),
    message("assistant", [text("reading"), ...calls]),
    ...calls.map(({ id }) => ({
      kind: "result",
      result: { type: "result", callId: id, content: [text(`⟦${id}⟧ ${"x".repeat((turn * 97) % 5000)}`)] },
    })),
    message("assistant", [text("done")]),
  ]
}

if (mode === "turns") {
  const most = Number(process.env.LIGATURE_TURNS ?? Number.POSITIVE_INFINITY)
  for (let turn = 0; turn < most; turn++) {
    for (const [step, entry] of turnOf(turn).entries()) {
      const id = `${name}.${turn}.${step}`
      await store.append("c", [{ ...entry, id }], { operation: id })
      print(id)
    }
  }
  await store.close()
} else {
  const lease = await store.acquire("c", { owner: name, durationMs: 50 })
  print(JSON.stringify(lease))
  await new Promise((resolve) => process.stdin.once("data", resolve))
  try {
    await store.append("c", [{ kind: "message", id: name, message: { role: "user", blocks: [text(name)] } }], { lease })
    print("appended")
  } catch (error) {
    print(`${error.reason} ${error.holder}`)
  }
  process.exit(0)
}
