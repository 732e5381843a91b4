/**
 * Question: how much memory and time does a session file of 1 GB take to be checked? A file is generated, judged by the
 * command line in a process of its own, and removed.
 *
 * node bench/long-file.mjs DIST [MEGABYTES]   prints one JSON line.
 */
import { spawnSync } from "node:child_process"
import { createWriteStream, mkdtempSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { once } from "node:events"
import { Dice } from "./generate.mjs"

const [dist, megabytes = "1000"] = process.argv.slice(2)
const folder = mkdtempSync(join(tmpdir(), "ligature-long-"))
const path = join(folder, "session.jsonl")

const base = { isSidechain: false, userType: "external", cwd: "/p", sessionId: "s", version: "2.1.0", gitBranch: "main" }
const timestamp = "2026-01-01T00:00:00.000Z"
const output = "const value = compute(index) // 测试 a line of output\n".repeat(200)

/** Turns of eight calls each, with results of 0.5 to 8 KB, as an agent writes them: one record a line. */
const write = async (bytes) => {
  const file = createWriteStream(path, { highWaterMark: 1 << 22 })
  const dice = new Dice(7)
  let written = 0
  let count = 0
  let parentUuid = null
  const record = async (fields) => {
    const uuid = `00000000-0000-4000-8000-${String(count++).padStart(12, "0")}`
    const line = `${JSON.stringify({ parentUuid, ...base, ...fields, uuid, timestamp })}\n`
    parentUuid = uuid
    written += Buffer.byteLength(line)
    if (!file.write(line)) await once(file, "drain")
  }
  while (written < bytes) {
    await record({ type: "user", message: { role: "user", content: `Step ${count}` } })
    for (let step = 0; step < 8; step++) {
      const id = `toolu_${count}`
      const call = { type: "tool_use", id, name: "Bash", input: { command: `ls ${count}` } }
      await record({ type: "assistant", message: { id: `msg_${count}`, role: "assistant", content: [call] } })
      const result = { type: "tool_result", tool_use_id: id, content: output.slice(0, 500 + dice.below(7500)) }
      await record({ type: "user", message: { role: "user", content: [result] } })
    }
  }
  file.end()
  await once(file, "finish")
  return count
}

const script = `
  const { run } = await import(${JSON.stringify(resolve(dist, "chunks/run.js"))})
  const sink = { write: () => {}, isTerminal: false, columns: undefined }
  const io = { stdout: sink, stderr: sink, stdin: (async function* () {})(), cwd: process.cwd(), env: {} }
  const start = performance.now()
  const code = await run(["check", ${JSON.stringify(path)}], io)
  console.log(JSON.stringify({ code, milliseconds: performance.now() - start, memory: process.resourceUsage().maxRSS * 1024 }))
`

try {
  const records = await write(Number(megabytes) * 1e6)
  const { stdout, status } = spawnSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" })
  if (status !== 0) throw new Error(`The check ended with ${status}`)
  const { code, ...measured } = JSON.parse(stdout)
  if (code !== 0) throw new Error(`The generated session is not healthy: exit code ${code}`)
  console.log(JSON.stringify({ bytes: statSync(path).size, records, ...measured }))
} finally {
  rmSync(folder, { recursive: true, force: true })
}
