/**
 * How time grows with histories that somebody made to be slow, or that grew without a limit: many calls in one message, many
 * results of one call, one id for everything, long lines, texts full of brackets. Every command runs in this process on a
 * history of some size and on one of four times that size; the exponent is 1 where time is linear and 2 where it is quadratic.
 * Nothing here is asserted: look at what is marked.
 *
 *   node bench/hostile.mjs                     all shapes, formats and commands
 *   node bench/hostile.mjs --size 5000         another size (default 2000; the second is four times as large)
 *   node bench/hostile.mjs --only calls,lines  shapes whose name contains one of these
 *   node bench/hostile.mjs --formats gemini    only these formats
 *   node bench/hostile.mjs --commands compact  only commands that contain one of these
 *   node bench/hostile.mjs --all               every line, not only those that are marked
 *   node bench/hostile.mjs --dist DIR          compiled code to measure (default: packages/ligature/dist)
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { parseArgs } from "node:util"
import { shapes } from "./hostile-shapes.mjs"

const { values: options } = parseArgs({
  options: {
    size: { type: "string", default: "2000" },
    only: { type: "string", default: "" },
    formats: { type: "string", default: "" },
    commands: { type: "string", default: "" },
    all: { type: "boolean", default: false },
    dist: { type: "string" },
  },
})

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const dist = resolve(options.dist ?? join(root, "packages/ligature/dist"))
const { run } = await import(pathToFileURL(join(dist, "chunks/run.js")).href)

/** What is slower than this and grows faster than that is marked. */
const slowMs = 400
const steep = 1.35
/** A command that took so long at the small size is not tried at the large one. */
const patienceMs = 8000

const sink = { write: () => {}, isTerminal: false, columns: undefined }

const ioIn = (folder) => ({
  stdout: sink,
  stderr: sink,
  stdin: (async function* () {})(),
  cwd: folder,
  env: { HOME: folder, NO_COLOR: "1" },
  now: () => performance.now(),
})

const commands = [
  ["check", (file) => ["check", file]],
  ["check --for", (file) => ["check", file, "--for", "mistral"]],
  ["repair", (file) => ["repair", file, "-o", "repaired.out"]],
  ["convert to anthropic", (file) => ["convert", file, "--to", "anthropic", "--out-dir", "converted"]],
  ["convert to openai-chat", (file) => ["convert", file, "--to", "openai-chat", "--out-dir", "converted"]],
  ["convert to openai-responses", (file) => ["convert", file, "--to", "openai-responses", "--out-dir", "converted"]],
  ["convert to gemini", (file) => ["convert", file, "--to", "gemini", "--out-dir", "converted"]],
  ["convert to xml-text", (file) => ["convert", file, "--to", "xml-text", "--out-dir", "converted"]],
  ["convert to claude-code", (file) => ["convert", file, "--to", "claude-code", "--out-dir", "converted"]],
  ["convert to codex", (file) => ["convert", file, "--to", "codex-rollout", "--out-dir", "converted"]],
  ["show", (file) => ["show", file]],
  ["stats", (file) => ["stats", file]],
  ["diff", (file) => ["diff", file, "other.json"]],
  ["doctor", () => ["doctor", "."]],
  ...["digest", "generations", "window", "mask", "cap", "dedupe", "truncate"].map((strategy) => [
    `compact ${strategy}`,
    (file) => ["compact", file, "--budget", "10%", "--strategy", strategy, "--out-dir", "compacted"],
  ]),
]

const matches = (name, wanted) => wanted === "" || wanted.split(",").some((part) => name.includes(part))

const inFolder = async (work) => {
  const folder = mkdtempSync(join(tmpdir(), "ligature-hostile-"))
  try {
    return await work(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const measure = (text, extension, command) =>
  inFolder(async (folder) => {
    const file = `history.${extension}`
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, file), text)
    writeFileSync(join(folder, "other.json"), text)
    // Processor time: what else runs on the machine changes it least.
    const before = process.cpuUsage()
    const code = await run(command(file), ioIn(folder))
    const { user, system } = process.cpuUsage(before)
    return { ms: (user + system) / 1000, code }
  })

const size = Number(options.size)
const print = (line) => process.stdout.write(`${line}\n`)

for (const shape of shapes.filter(({ name }) => matches(name, options.only))) {
  for (const format of shape.formats.filter((name) => matches(name, options.formats))) {
    const [small, large] = [size, size * 4].map((count) => shape.make(format, Math.min(count, shape.most ?? count)))
    const growth = Math.log(large.text.length / small.text.length)
    for (const [name, command] of commands.filter(([each]) => matches(each, options.commands))) {
      const first = await measure(small.text, small.extension, command)
      const second = first.ms > patienceMs ? { ms: Number.NaN, code: first.code } : await measure(large.text, large.extension, command)
      const exponent = Math.log(second.ms / Math.max(first.ms, 1)) / growth
      const marked = !(second.ms < slowMs || exponent < steep)
      const failed = [first.code, second.code].some((code) => code === 2 && !shape.refused)
      if (!options.all && !marked && !failed) continue
      const numbers = `${first.ms.toFixed(0)} → ${second.ms.toFixed(0)} ms, exponent ${exponent.toFixed(2)}`
      print(
        `${marked ? "*" : " "} ${shape.name} · ${format} · ${name}: ${numbers}${failed ? ` (exit codes ${first.code}, ${second.code})` : ""}`,
      )
    }
  }
}
