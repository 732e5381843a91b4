/** The command line with random words and files: it ends with 0, 1 or 2, says why in words, and never shows a trace. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Command } from "../../../packages/ligature/src/cli/frame/command.ts"
import { commands as allCommands } from "../../../packages/ligature/src/cli/commands/index.ts"
import { run } from "../../../packages/ligature/src/cli/run.ts"
import { type Area, bytesOf, type Material } from "../area.ts"
import { mutatedBytes } from "../mutate-bytes.ts"
import { mutatedJson } from "../mutate-json.ts"
import type { Random } from "../random.ts"
import { shrunkBytes } from "../shrink.ts"
import { type Failure, Trial } from "../trial.ts"
import { fileOf } from "./files.ts"

/** Nothing here may lead out of the folder of the run: outputs are written where an option says. */
const oddWords: readonly [string, ...string[]] = [
  "",
  " ",
  "-",
  "--",
  "x",
  "0",
  "-1",
  "1",
  "2",
  "999999999999",
  "1e9",
  "NaN",
  "a=b",
  "\u001b[2J",
  "\ud800",
  "只看",
  "constructor",
  "__proto__",
  "toString",
  "nothing",
]

/** By what the help calls a value: words that make sense there. */
const sensible: Readonly<Record<string, readonly [string, ...string[]]>> = {
  FORMAT: [
    "anthropic",
    "openai-chat",
    "openai-responses",
    "gemini",
    "claude-code",
    "codex-rollout",
    "pi",
    "xml-text",
    "bedrock-converse",
    "mistral",
  ],
  PROFILE: ["anthropic", "openai-chat", "gemini", "mistral", "ollama"],
  "NAME=VALUE": [
    "unansweredCall=drop-call",
    "unansweredCall=drop-message",
    "orphanResult=drop",
    "duplicateResult=keep-first",
    "foreignThinking=text",
  ],
  VIEW: ["effective", "whole"],
  N: ["50%", "10%", "200", "2000", "10kB", "1", "2"],
  S: ["digest", "generations", "window", "mask", "cap", "dedupe", "truncate", "dedupe+mask"],
  WHEN: ["always", "never"],
  OUT: ["out.json", "out", "made/out.json", "a.json"],
  FILE: ["out.json", "report.json"],
  DIR: ["out", "made"],
  PLACE: ["s", "s", "s", "s.db", "a.json"],
  AGE: ["30d", "2026-01-01", "1m"],
  TEXT: ["the", "read"],
}

const valueFor = (placeholder: string, random: Random): string => {
  const known = sensible[placeholder]
  // A path is never drawn from the odd words: it could be one of somebody else's.
  if (known && (/^(?:OUT|FILE|DIR|PLACE)$/.test(placeholder) || !random.chance(5))) return random.one(known)
  return random.one(oddWords)
}

interface Known {
  readonly words: readonly string[]
  readonly command: Command
}

/** They serve until somebody stops them, or start another program. */
const endless: ReadonlySet<string> = new Set(["serve", "view", "mcp", "run"])

const knownCommands = async (): Promise<readonly Known[]> => {
  const known: Known[] = []
  for (const [name, load] of Object.entries(allCommands)) {
    if (endless.has(name)) continue
    const command = await load()
    known.push({ words: [name], command })
    for (const [inner, loadInner] of Object.entries(command.subcommands ?? {}))
      known.push({ words: [name, inner], command: await loadInner() })
  }
  return known
}

/** What a command wants after its name, most of the time. */
const wanted: Readonly<Record<string, readonly string[]>> = {
  convert: ["FILE", "--to", "FORMAT"],
  compact: ["FILE", "--budget", "N"],
  recall: ["FILE", "2"],
  diff: ["FILE", "FILE"],
  doctor: ["."],
  list: ["."],
  search: ["the", "--in", "."],
  move: ["FILE", "--to", "FORMAT", "--dry-run"],
  resume: ["first", "--store", "s", "--to", "FORMAT"],
  rules: [],
  formats: [],
  profiles: [],
  "log list": ["--store", "s"],
  "log create": ["--store", "s"],
  "log append": ["first", "--user", "hello", "--store", "s"],
  "log show": ["first", "--store", "s"],
  "log recall": ["first", "2", "--store", "s"],
  "log branch": ["first", "--store", "s"],
  "log rewind": ["first", "none", "--store", "s"],
  "log rename": ["first", "title", "--store", "s"],
  "log verify": ["--all", "--store", "s"],
  "log remove": ["first", "--yes", "--store", "s"],
  "log prune": ["--older", "30d", "--store", "s"],
  "log import": ["FILE", "--store", "s"],
  "log export": ["first", "--to", "FORMAT", "--store", "s"],
}

const argumentsOf = (random: Random, { words, command }: Known, files: readonly string[]): readonly string[] => {
  const template = wanted[words.join(" ")] ?? ["FILE"]
  const argv = template.map((word) => {
    if (word === "FILE") return random.among(files) ?? "x"
    return Object.hasOwn(sensible, word) ? valueFor(word, random) : word
  })
  for (const { name, value } of command.options) {
    if (!random.chance(6) || argv.includes(`--${name}`)) continue
    argv.push(...(value === undefined ? [`--${name}`] : [`--${name}`, valueFor(value, random)]))
  }
  if (random.chance(6)) argv.splice(random.number(argv.length + 1), 0, random.one(oddWords))
  if (random.chance(8) && argv.length > 0) argv.splice(random.number(argv.length), 1)
  return [...words, ...argv]
}

/** So that commands on a store have something to look at. */
const setUp: readonly string[] = ["log", "import", "a.json", "--store", "s", "--id", "first"]

const drawnFile = (random: Random, { seeds, vocabulary, formats }: Material): Buffer => {
  const seed = random.among(seeds.get(random.among(formats) ?? "") ?? [])
  const bytes = fileOf(random.chance(2) ? seed : mutatedJson(seed, random, vocabulary), random)
  return random.chance(3) ? mutatedBytes(bytes, random) : bytes
}

const trace = /\n\s+at .*:\d+:\d+/

const tryCommand = async (argv: readonly string[], files: Readonly<Record<string, string>>, stdin: string): Promise<readonly Failure[]> => {
  const trial = new Trial(`ligature ${argv[0] ?? ""}${argv[0] === "log" ? ` ${argv[1] ?? ""}` : ""}`)
  const cwd = mkdtempSync(join(tmpdir(), "ligature-fuzz-"))
  let said = ""
  const sink = {
    write: (content: string | Uint8Array) => void (said += typeof content === "string" ? content : ""),
    isTerminal: false,
    columns: undefined,
  }
  try {
    for (const [name, bytes] of Object.entries(files)) writeFileSync(join(cwd, name), bytesOf(bytes))
    const input = async function* (): AsyncGenerator<Uint8Array> {
      yield bytesOf(stdin)
    }
    const io = { stdout: { ...sink, write: () => {} }, stderr: sink, stdin: input(), cwd, env: { HOME: cwd, NO_COLOR: "1" }, now: () => 0 }
    if (argv.includes("s")) await run(setUp, io)
    said = ""
    const code = await trial.later(
      "run",
      () => run(argv, io),
      () => false,
    )
    if (code !== undefined && ![0, 1, 2].includes(code)) trial.fail("exit-code", String(code))
    const [unforeseen] = /ligature: (.*)\n\s+This should not happen/.exec(said) ?? []
    if (unforeseen !== undefined)
      trial.fail("foreseen", unforeseen.replace(/\d+/g, "#").replace(/\s+/g, " ").slice(0, 120), said.slice(0, 600))
    if (trace.test(said)) trial.fail("no-trace", argv[0] ?? "", said.slice(0, 600))
  } finally {
    rmSync(cwd, { recursive: true, force: true })
  }
  return trial.failures
}

export const commands: Area = {
  name: "commands",
  weight: 6,
  draw: async (random, material) => {
    const known = await knownCommands()
    const files = Object.fromEntries(["a.json", "b.jsonl"].map((name) => [name, drawnFile(random, material).toString("base64")]))
    const chosen = random.among(known) ?? known[0]
    const argv = chosen ? argumentsOf(random, chosen, Object.keys(files)) : []
    return { area: "commands", argv, files, stdin: random.chance(2) ? "" : drawnFile(random, material).toString("base64") }
  },
  check: ({ argv, files, stdin }) => tryCommand(argv as readonly string[], files as Readonly<Record<string, string>>, String(stdin)),
  shrink: async (subject, stillFails) => {
    let small = subject
    const attempt = async (candidate: typeof subject): Promise<void> => {
      if (await stillFails(candidate)) small = candidate
    }
    await attempt({ ...small, stdin: "" })
    for (let index = (small["argv"] as readonly string[]).length - 1; index > 0; index--) {
      await attempt({ ...small, argv: (small["argv"] as readonly string[]).toSpliced(index, 1) })
    }
    for (const name of Object.keys(small["files"] as object)) {
      const files = small["files"] as Readonly<Record<string, string>>
      const withBytes = (bytes: Buffer): typeof subject => ({ ...small, files: { ...files, [name]: bytes.toString("base64") } })
      small = withBytes(await shrunkBytes(bytesOf(files[name]), (bytes) => stillFails(withBytes(bytes)), 200))
    }
    const texts = Object.entries(small["files"] as Readonly<Record<string, string>>).map(([name, bytes]) => [
      name,
      bytesOf(bytes).toString("utf8"),
    ])
    return { ...small, texts: Object.fromEntries(texts) }
  },
}
