/**
 * Kills agents and looks at what they leave. After each death the same must hold: the conversation opens, every entry that
 * was acknowledged is in it, nothing is lost, a new user message gets an answer from a provider that judges every request,
 * results that were stored are kept, and no tool has run twice or in secret.
 *
 *   LIGATURE_KILLS=3000    kills so many per store (default: about 60, see each test)
 *   LIGATURE_KILL_SEED=7   another sequence of random deaths
 */
import { spawn } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { build } from "rolldown"
import { expect } from "vitest"
import { settle } from "../../../src/rules/index.ts"
import { type Model, run, type Tool } from "../../../src/agent/index.ts"
import { callsOf } from "../../../src/model/index.ts"
import { type Loaded, type Store } from "../../../src/store/index.ts"
import { recoveryPlan } from "../../../src/store/recovery.ts"
import { type FakeApi, type FakeProvider, type FakeRequest, type ScriptedReply, startFakeProvider } from "../../../src/testing/index.ts"
import { modelOf } from "../run/agent.ts"

/** A store that outlives a process: opened here, and by kind and place in the agent. */
export interface CrashHome {
  readonly kind: "jsonl" | "sqlite" | "postgres"
  readonly place: string
  readonly open: () => Store
  readonly dispose: () => Promise<void>
}

export type Death =
  | { readonly layer: "store"; readonly at: number; readonly when: "before" | "after" }
  | { readonly layer: "files"; readonly at: number; readonly share: number }
  /** By the clock of the parent, from the moment the agent has printed such a line. */
  | { readonly layer: "time"; readonly after: "ready" | "ids" | "tool"; readonly ms: number }

/** What the agents are made of, as one file: processes cannot read TypeScript everywhere, and start faster so. */
export const bundle = async (): Promise<{ readonly file: string; readonly root: string }> => {
  const root = mkdtempSync(join(tmpdir(), "ligature-crash-"))
  const file = join(root, "parts.mjs")
  const input = join(import.meta.dirname, "parts.ts")
  await build({ input, platform: "node", external: ["pg"], logLevel: "silent", output: { file, format: "esm", minify: true } })
  return { file, root }
}

/**
 * Three calls side by side, then one more, then the answer: decided by what the request says after the newest prompt. A
 * request that declares no tools comes from a conversation in which tools are called in text.
 */
const reply = ({ body }: FakeRequest): ScriptedReply => {
  const text = JSON.stringify(body)
  const prompt = [...text.matchAll(/prompt-(\d+)/g)].at(-1)
  const after = text.slice(prompt?.index ?? 0)
  const results = after.match(/"tool_result"|"role":"tool"|"function_call_output"|"functionResponse"|\[work[^\]]*\] Result/g)?.length ?? 0
  const inText = !text.includes('"tools":')
  if (inText && results < 4) {
    const words = (results === 0 ? [2, 1, 0] : [3]).map((n) => `<work>\n<n>${n}</n>\n</work>`).join("\n")
    return { text: `I begin.\n${words}` }
  }
  const work = (n: number): { name: string; arguments: { n: number } } => ({ name: "work", arguments: { n } })
  if (results === 0) return { text: "I begin.", thinking: "Three at once.", calls: [work(2), work(1), work(0)] }
  return results < 4 ? { calls: [work(3)] } : { text: `answer-${prompt?.[1] ?? "?"}` }
}

export interface AgentLife {
  readonly acknowledged: readonly string[]
  /** How the run ended; undefined: it died. */
  readonly end: { readonly stop: string; readonly reason?: string } | undefined
  readonly errors: string
}

export interface AgentHandle {
  readonly kill: (signal: "SIGKILL" | "SIGSTOP" | "SIGCONT") => void
  /** Resolves with the first printed line that has this field. */
  readonly printed: (field: string) => Promise<void>
  readonly life: Promise<AgentLife>
}

export class CrashWorld {
  readonly #parts: string
  readonly #folder: string
  readonly home: CrashHome
  readonly #providers = new Map<FakeApi, FakeProvider>()
  readonly #acknowledged = new Set<string>()
  #prompts = 0
  kills = 0
  interrupted = 0
  kept = 0

  /** `parts`: the bundle. */
  constructor(parts: string, home: CrashHome) {
    this.#parts = parts
    this.home = home
    this.#folder = mkdtempSync(join(tmpdir(), "ligature-journal-"))
    writeFileSync(this.#journal, "")
  }

  get #journal(): string {
    return join(this.#folder, "journal")
  }

  async provider(api: FakeApi): Promise<FakeProvider> {
    const known = this.#providers.get(api) ?? (await startFakeProvider({ api, script: reply }))
    this.#providers.set(api, known)
    return known
  }

  async #modelOf(api: FakeApi): Promise<Model> {
    return modelOf(api, (await this.provider(api)).url)
  }

  async start(api: FakeApi, death: Death | undefined, more: object = {}): Promise<AgentHandle> {
    const { kind, place } = this.home
    const settings = {
      store: { kind, place },
      model: await this.#modelOf(api),
      prompt: `prompt-${this.#prompts++}`,
      journal: this.#journal,
      ...(death && death.layer !== "time" && { death }),
      ...more,
    }
    const parameters = [join(import.meta.dirname, "agent.mjs"), this.#parts, JSON.stringify(settings)]
    const env = { ...process.env, NODE_NO_WARNINGS: "1" }
    const child = spawn(process.execPath, parameters, { env, stdio: ["ignore", "pipe", "pipe"] })
    let printed = ""
    let errors = ""
    const watchers = new Map<string, () => void>()
    child.stdout.on("data", (bytes: Buffer) => {
      printed += bytes.toString()
      for (const [field, wake] of watchers) if (printed.includes(`"${field}":`)) wake()
    })
    child.stderr.on("data", (bytes: Buffer) => (errors += bytes.toString()))
    const life = new Promise<AgentLife>((resolve) =>
      child.once("close", () => {
        for (const wake of watchers.values()) wake()
        // Only whole lines were printed by somebody who knew.
        const lines = printed
          .split("\n")
          .slice(0, -1)
          .map((line) => JSON.parse(line) as { ids?: string[]; stop?: string; reason?: string })
        const last = lines.at(-1)
        for (const { ids = [] } of lines) for (const id of ids) this.#acknowledged.add(id)
        const end = last?.stop === undefined ? undefined : { stop: last.stop, ...(last.reason !== undefined && { reason: last.reason }) }
        resolve({ acknowledged: lines.flatMap(({ ids = [] }) => ids), end, errors })
      }),
    )
    return {
      kill: (signal) => void child.kill(signal),
      printed: (field) => new Promise((resolve) => (printed.includes(`"${field}":`) ? resolve() : watchers.set(field, resolve))),
      life,
    }
  }

  /** One agent that dies, and everything that must hold afterwards. True: it came to its end before it could die. */
  async live(api: FakeApi, death: Death, more: object = {}): Promise<boolean> {
    const what = `${this.home.kind} ${api} ${JSON.stringify({ ...death, ...more })}`
    const agent = await this.start(api, death, more)
    if (death.layer === "time") {
      await agent.printed(death.after)
      await new Promise((resolve) => setTimeout(resolve, death.ms))
      agent.kill("SIGKILL")
    }
    const { end, errors } = await agent.life
    expect(errors, what).toBe("")
    if (end) expect(end, what).toEqual({ stop: "done" })
    else this.kills++
    await this.#expectWhole(api, what)
    return end !== undefined
  }

  async #expectWhole(api: FakeApi, what: string): Promise<void> {
    const store = this.home.open()
    try {
      const before = await this.#loaded(store)
      if (before) await this.#expectAcknowledged(store, before, what)
      const number = this.#prompts++
      const events: string[] = []
      const result = await run({
        model: await this.#modelOf(api),
        store,
        conversation: "c",
        prompt: `prompt-${number}`,
        tools: [this.#work],
        onEvent: (event) => {
          if (event.type === "commit-end") for (const id of event.ids) this.#acknowledged.add(id)
          if (event.type === "retry-start") events.push(event.failure.message)
        },
      })
      expect([result.stop, result.text, events], what).toEqual(["done", `answer-${number}`, []])
      this.interrupted += result.recovery?.openCalls.filter(({ becomes }) => becomes === "interrupted").length ?? 0
      const after = await store.load("c")
      await this.#expectAcknowledged(store, after, what)
      this.#expectOnce(after, what)
      for (const provider of this.#providers.values()) {
        expect(
          provider.requests.flatMap(({ verdict }) => (verdict?.ok === true ? [] : [verdict])),
          what,
        ).toEqual([])
      }
    } finally {
      await store.close()
    }
  }

  async #loaded(store: Store): Promise<Loaded | undefined> {
    const { conversations } = await store.list()
    return conversations.some(({ id }) => id === "c") ? store.load("c") : undefined
  }

  /** On the path, or on the branch an approval has left. */
  async #expectAcknowledged(store: Store, loaded: Loaded, what: string): Promise<void> {
    const present = new Set(loaded.entries.map(({ id }) => id))
    const missing = [...this.#acknowledged].filter((id) => !present.has(id))
    if (missing.length > 0) {
      for (const { tip } of await store.branches("c")) for (const { id } of (await store.load("c", { at: tip })).entries) present.add(id)
    }
    expect(
      missing.filter((id) => !present.has(id)),
      what,
    ).toEqual([])
    expect(recoveryPlan(loaded).lost, what).toEqual([])
  }

  /** What the journal says happened and what the conversation says happened. */
  #expectOnce(loaded: Loaded, what: string): void {
    const starts = new Map<string, number>()
    const ends = new Set<string>()
    for (const line of readFileSync(this.#journal, "utf8").split("\n").slice(0, -1)) {
      const [word, id = ""] = line.split(" ")
      if (word === "start") starts.set(id, (starts.get(id) ?? 0) + 1)
      else ends.add(id)
    }
    const outcomes = new Map<string, string>()
    for (const item of settle(loaded.transcript).conversation.items) {
      if (item.role !== "exchange") continue
      callsOf(item).forEach((call, index) => outcomes.set(call.id, item.outcomes[index]?.kind ?? "none"))
    }
    for (const [id, count] of starts) {
      expect([id, count], `${what}: never twice`).toEqual([id, 1])
      expect(["done", "interrupted"], `${what}: ${id} ran, the conversation says so`).toContain(outcomes.get(id))
    }
    this.kept = 0
    for (const [id, kind] of outcomes) {
      expect(["done", "interrupted", "not-run"], `${what}: ${id}`).toContain(kind)
      if (kind === "not-run") expect(starts.has(id), `${what}: ${id} did not run`).toBe(false)
      if (kind === "done") expect(ends.has(id), `${what}: ${id} finished`).toBe(true)
      if (kind === "done") this.kept++
    }
  }

  readonly #work: Tool = {
    name: "work",
    run: ({ n }, { call }) => {
      const journal = readFileSync(this.#journal, "utf8")
      writeFileSync(this.#journal, `${journal}start ${call.id}\nend ${call.id}\n`)
      return { worked: n }
    },
  }

  async dispose(): Promise<void> {
    for (const provider of this.#providers.values()) await provider.close()
    await this.home.dispose()
    if (existsSync(this.#folder)) rmSync(this.#folder, { recursive: true })
  }
}
