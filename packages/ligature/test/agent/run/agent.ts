/** An agent over a fake provider on 127.0.0.1: every request it makes is judged, and none may ever be refused. */
import { afterEach, expect } from "vitest"
import { outcomeKind, resultText } from "../../../src/model/index.ts"
import {
  anthropicModel,
  chatModel,
  geminiModel,
  type LoopEvent,
  type Model,
  responsesModel,
  run,
  type RunOptions,
  type Surroundings,
  type Tool,
} from "../../../src/agent/index.ts"
import { ended, type Ended } from "./ended.ts"
import { type Loaded, memoryStore, type Store } from "../../../src/store/index.ts"
import { type FakeApi, type FakeProvider, type Script, startFakeProvider } from "../../../src/testing/index.ts"

export const apis: readonly FakeApi[] = ["anthropic", "openai-chat", "openai-responses", "gemini"]

export const modelOf = (api: FakeApi, url: string): Model => {
  switch (api) {
    case "anthropic":
      return anthropicModel({ model: "claude-opus-4-6", baseUrl: `${url}/v1`, key: "key" })
    case "openai-chat":
      return chatModel({ model: "gpt-5", baseUrl: `${url}/v1`, key: "key" })
    case "openai-responses":
      return responsesModel({ model: "gpt-5", baseUrl: `${url}/v1`, key: "key" })
    case "gemini":
      return geminiModel({ model: "gemini-3-pro", baseUrl: `${url}/v1beta`, key: "key" })
  }
}

export interface Agent {
  readonly provider: FakeProvider
  readonly store: Store
  readonly model: Model
  readonly events: LoopEvent[]
  /** How long the run wanted to wait, each time it did. */
  readonly waits: number[]
  readonly surroundings: Partial<Surroundings>
  readonly run: (options?: Partial<RunOptions>) => Promise<Ended>
  readonly load: () => Promise<Loaded>
  /** The path in short: `user: go`, `call a: done …`. */
  readonly told: () => Promise<readonly string[]>
}

const open: FakeProvider[] = []

afterEach(async () => {
  for (const provider of open.splice(0)) {
    // What a script refuses it refuses after the judge: the judge itself must never have had a reason.
    expect(provider.requests.flatMap(({ verdict }) => (verdict?.ok === true ? [] : [verdict]))).toEqual([])
    await provider.close()
  }
})

export const echo: Tool = { name: "echo", description: "Says it again.", run: (given) => given["say"] ?? "" }

export interface AgentSetup {
  readonly script?: Script
  readonly tools?: readonly Tool[]
  readonly store?: Store
  readonly bindThinking?: boolean
  readonly options?: Partial<RunOptions>
}

export const startAgent = async (api: FakeApi, setup: AgentSetup = {}): Promise<Agent> => {
  const { script, tools = [echo], store = memoryStore(), bindThinking = false, options: always } = setup
  const provider = await startFakeProvider({ api, bindThinking, ...(script && { script }) })
  open.push(provider)
  const events: LoopEvent[] = []
  const waits: number[] = []
  const surroundings: Partial<Surroundings> = {
    random: () => 0,
    sleep: async (ms) => void waits.push(ms),
  }
  const model = modelOf(api, provider.url)
  const load = (): Promise<Loaded> => store.load("c")
  return {
    provider,
    store,
    model,
    events,
    waits,
    surroundings,
    load,
    run: (options = {}) =>
      ended(run({ model, store, conversation: "c", tools, surroundings, onEvent: (event) => events.push(event), ...always, ...options })),
    told: async () => (await load()).entries.flatMap(tell),
  }
}

const tell = (entry: Loaded["entries"][number]): readonly string[] => {
  if (entry.kind === "result") {
    const { callId, content: _, ...rest } = entry.result
    return [`${rest.name ?? callId}: ${outcomeKind(entry.result)} ${resultText(entry.result)}`]
  }
  if (entry.kind !== "message") return entry.kind === "note" ? [] : [entry.kind]
  const words = entry.message.blocks.flatMap((block) => {
    if (block.type === "text") return [block.text]
    if (block.type === "call") return [`${block.name}(${JSON.stringify(block.arguments)})${block.pending ? " waits" : ""}`]
    return block.type === "thinking" ? ["thinks"] : []
  })
  return [`${entry.message.role}: ${words.join(" ")}`]
}

export const says = (say: string, name = "echo"): { readonly name: string; readonly arguments: { readonly say: string } } => ({
  name,
  arguments: { say },
})

/** Resolves when it is told to. */
export const gate = (): { readonly open: () => void; readonly passed: Promise<void> } => {
  let open = (): void => {}
  const passed = new Promise<void>((resolve) => (open = resolve))
  return { open, passed }
}
