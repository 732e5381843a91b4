/**
 * Question: what does the first append to a conversation cost, in a process that has just started? Logs of several lengths, each
 * opened anew several times; the fastest counts. Prints a line of JSON per length.
 *
 *   node bench/store-open.mjs [path of a build] [entries…]      default: packages/ligature/dist, 1,000 10,000 100,000
 */
import { mkdtempSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"

const [place, ...lengths] = process.argv.slice(2)
const build = resolve(place ?? join(dirname(fileURLToPath(import.meta.url)), "..", "packages/ligature/dist"))
const { jsonlStore } = await import(pathToFileURL(join(build, "store", "index.js")).href)
const words = "The quick brown fox — 敏捷的棕色狐狸 — jumps over the lazy dog. ".repeat(28)
const entry = (index) => ({
  kind: "message",
  message: { role: index % 2 === 0 ? "user" : "assistant", blocks: [{ type: "text", text: `${index} ${words}` }] },
})
const round = (value) => Number(value.toFixed(2))

for (const length of lengths.length > 0 ? lengths.map(Number) : [1_000, 10_000, 100_000]) {
  const folder = mkdtempSync(join(tmpdir(), "ligature-open-"))
  try {
    const writer = jsonlStore({ folder, durability: "none" })
    await writer.create({ id: "long" })
    for (let index = 0; index < length; index++) await writer.append("long", [entry(index)], { operation: `operation ${index}` })
    await writer.close()
    const times = { first: [], second: [], repeated: [] }
    for (let again = 0; again < 5; again++) {
      const store = jsonlStore({ folder, durability: "none" })
      const timed = async (name, work) => {
        const from = performance.now()
        await work()
        times[name].push(performance.now() - from)
      }
      await timed("first", () => store.append("long", [entry(0)], { operation: `again ${again}` }))
      await timed("second", () => store.append("long", [entry(0)]))
      await timed("repeated", () => store.append("long", [entry(7)], { operation: "operation 7" }))
      await store.close()
    }
    const fastest = Object.fromEntries(Object.entries(times).map(([name, all]) => [`${name}AppendMilliseconds`, round(Math.min(...all))]))
    const megabytes = round(statSync(join(folder, "long.jsonl")).size / 1e6)
    process.stdout.write(`${JSON.stringify({ entries: length, megabytes, ...fastest })}\n`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
