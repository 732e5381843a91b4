/**
 * Policies mean what they say in every entry point: each value of each policy changes what comes out, the default is
 * what comes out without any, and a name or value that does not exist is refused. An entry point that ignores a policy
 * gives the same output for all of its values, and fails here.
 */
import { readFileSync, utimesSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import {
  check,
  convert,
  convertText,
  decode,
  encode,
  fit,
  flatten,
  LigatureError,
  type Policies,
  policyValues,
  profiles,
  repair,
  settle,
} from "../src/index.ts"
import type { SdkMessage } from "../src/adapters/ai-sdk/index.ts"
import * as aiSdk from "../src/adapters/ai-sdk/index.ts"
import * as langchain from "../src/adapters/langchain/index.ts"
import * as mastra from "../src/adapters/mastra/index.ts"
import * as agents from "../src/adapters/openai-agents/index.ts"
import { anthropicModel, run, runEvents } from "../src/agent/index.ts"
import { validFetch } from "../src/agent/valid-fetch.ts"
import { exportFrom, resume } from "../src/agent/resume/index.ts"
import { ended } from "./agent/run/ended.ts"
import { assistant, call, type Message, resultText, result, thinking, tool, user } from "../src/model/index.ts"
import { jsonlStore, memoryStore, type Store } from "../src/store/index.ts"
import { recoveryPlan } from "../src/store/recovery.ts"
import { cli, folder } from "./cli/cli.ts"
import { type Plain, toAgentItems, toLangChain, toMastra, toPrompt } from "./adapters/render.ts"

type Name = keyof Policies
type Choice = Partial<Policies>

/** A history on which every value of the policy does something else. */
const specimens: Readonly<Record<Name, readonly Message[]>> = {
  unansweredCall: [
    user("Look at both."),
    assistant("I look.", call("a", "ls"), call("b", "cat")),
    tool(result("a", "a.ts")),
    user("Stop."),
  ],
  orphanResult: [user("Go."), tool(result("a", "too early")), assistant("I look.", call("a", "ls")), user("Well?")],
  duplicateResult: [user("Go."), assistant(call("a", "ls")), tool(result("a", "first")), tool(result("a", "second")), user("Well?")],
  foreignThinking: [user("Hi."), assistant(thinking("A greeting."), "Hello."), user("Well?")],
  textBesideDroppedCall: [user("Go."), assistant("I look.", call("a", "ls")), user("Stop.")],
}

/** What has to be chosen beside it, so that the policy matters at all. */
const beside: Readonly<Partial<Record<Name, Choice>>> = { textBesideDroppedCall: { unansweredCall: "drop-call" } }

const anthropicBlock = (block: Message["blocks"][number]): Plain => {
  if (block.type === "call") return { type: "tool_use", id: block.id, name: block.name, input: block.arguments }
  if (block.type === "result") return { type: "tool_result", tool_use_id: block.callId, content: resultText(block) }
  return block.type === "thinking"
    ? { type: "thinking", thinking: block.text }
    : { type: "text", text: block.type === "text" ? block.text : "" }
}

const toAnthropic = (messages: readonly Message[]): Plain => ({
  model: "claude-opus-4-6",
  max_tokens: 100,
  messages: messages.map(({ role, blocks }) => ({
    role: role === "assistant" ? role : "user",
    content: blocks.map(anthropicBlock),
  })),
})

const reading = (messages: readonly Message[]) => decode("anthropic", toAnthropic(messages))

const stored = async (messages: readonly Message[], store: Store = memoryStore({ now: () => 1 })): Promise<Store> => {
  await store.create({ id: "c" })
  await store.append(
    "c",
    messages.map((message, index) => ({ kind: "message", id: `m${index}`, message })),
  )
  return store
}

type Given = { readonly policies?: Choice }

interface EntryPoint {
  /** Anything in which a repair shows. */
  readonly output: (messages: readonly Message[], given: Given) => unknown
  /** Policies that cannot matter here, and why. */
  readonly except?: { readonly names: readonly Name[]; readonly why: string }
}

const invariants = { names: ["foreignThinking"], why: "no provider is named, so that no thinking is foreign" } as const
const sdk = { names: ["foreignThinking"], why: "thinking is the business of the SDK" } as const
const paired = {
  names: ["foreignThinking", "orphanResult", "duplicateResult"],
  why: "its messages hold each result in the part of its call",
} as const
const findings = {
  names: ["textBesideDroppedCall"],
  why: "a finding is about the call, and its text has no finding of its own",
} as const

const responder =
  (seen: unknown[]): typeof fetch =>
  async (_, init) => {
    seen.push(JSON.parse(String(init?.body)))
    const content = [{ type: "text", text: "Done." }]
    const body = { type: "message", role: "assistant", content, stop_reason: "end_turn", usage: { input_tokens: 1, output_tokens: 1 } }
    return new Response(JSON.stringify(body), { headers: { "content-type": "application/json" } })
  }

const flags = ({ policies = {} }: Given): readonly string[] =>
  Object.entries(policies).flatMap(([name, value]) => ["--policy", `${name}=${value}`])

const printed = async (argv: readonly string[], cwd: string): Promise<string> => {
  const { code, stdout, stderr } = await cli(argv, { cwd })
  if (code === 2) throw new Error(stderr)
  return stdout
}

const logged = async (messages: readonly Message[]): Promise<string> => {
  const cwd = folder()
  await stored(messages, jsonlStore({ folder: join(cwd, "log"), now: () => 1 }))
  return cwd
}

const entryPoints: Readonly<Record<string, EntryPoint>> = {
  settle: { output: (messages, given) => flatten(settle(reading(messages), given).conversation).messages, except: invariants },
  check: {
    output: (messages, given) => check(reading(messages), { profile: "anthropic", ...given }).map(({ repair: named }) => named),
    except: findings,
  },
  fit: {
    output: (messages, given) => fit(settle(reading(messages)).conversation, profiles["anthropic"] ?? neverProfile(), given).conversation,
    except: {
      names: ["unansweredCall", "orphanResult", "duplicateResult", "textBesideDroppedCall"],
      why: "a conversation holds nothing that these could be about",
    },
  },
  encode: {
    output: (messages, given) => encode(settle(reading(messages)).conversation, "anthropic", given).value,
    except: {
      names: ["unansweredCall", "orphanResult", "duplicateResult", "textBesideDroppedCall"],
      why: "a conversation holds nothing that these could be about",
    },
  },
  convert: {
    output: (messages, given) => convert(toAnthropic(messages), { from: "anthropic", to: "openai-chat", ...given }).value,
  },
  "convert within a format": {
    output: (messages, given) =>
      convert(toAnthropic(messages), { from: "anthropic", to: "anthropic", profile: "anthropic", ...given }).value,
  },
  convertText: {
    output: (messages, given) =>
      convertText(JSON.stringify(toAnthropic(messages)), { from: "anthropic", to: "openai-chat", ...given }).value,
  },
  repair: { output: (messages, given) => repair(toAnthropic(messages), { from: "anthropic", ...given }).value },
  validFetch: {
    output: async (messages, given) => {
      const seen: unknown[] = []
      const send = validFetch(responder(seen), given)
      await send("https://api.anthropic.com/v1/messages", { method: "POST", body: JSON.stringify(toAnthropic(messages)) })
      return seen
    },
  },
  resume: {
    output: async (messages, given) => {
      const resumed = await resume(await stored(messages), "c", { format: "openai-chat", ...given })
      return resumed.ready && resumed.value
    },
  },
  run: {
    output: async (messages, given) => {
      const seen: unknown[] = []
      const model = anthropicModel({ model: "claude-opus-4-6", key: "key" })
      const surroundings = { fetch: responder(seen) }
      const { error } = await ended(
        run({ model, store: await stored(messages), conversation: "c", prompt: "Go on.", surroundings, ...given }),
      )
      if (error) throw error
      return seen
    },
  },
  runEvents: {
    output: async (messages, given) => {
      const seen: unknown[] = []
      const model = anthropicModel({ model: "claude-opus-4-6", key: "key" })
      const options = {
        model,
        store: await stored(messages),
        conversation: "c",
        prompt: "Go on.",
        surroundings: { fetch: responder(seen) },
      }
      for await (const event of runEvents({ ...options, ...given })) void event
      return seen
    },
  },
  exportFrom: {
    output: async (messages, given) => exportFrom(await (await stored(messages)).load("c"), { format: "openai-chat", ...given }).value,
  },
  recoveryPlan: {
    output: async (messages, given) => {
      const { synthesised, repaired } = recoveryPlan(await (await stored(messages)).load("c"), given)
      return { synthesised, repaired }
    },
    except: invariants,
  },
  "AI SDK validMessages": {
    output: (messages, given) => aiSdk.validMessages(toPrompt(messages) as (Plain & SdkMessage)[], given),
    except: sdk,
  },
  "AI SDK validPrompt": {
    output: (messages, given) => aiSdk.validPrompt(toPrompt(messages) as (Plain & SdkMessage)[], given),
    except: sdk,
  },
  "AI SDK validPrepareStep": {
    output: (messages, given) => aiSdk.validPrepareStep(given)({ messages: toPrompt(messages) as (Plain & SdkMessage)[], model: "m" }),
    except: sdk,
  },
  "AI SDK validMiddleware": {
    output: (messages, given) =>
      aiSdk.validMiddleware(given).transformParams({ params: { prompt: toPrompt(messages) as (Plain & SdkMessage)[] } }),
    except: sdk,
  },
  "AI SDK storedMessages": {
    output: async (messages, given) => aiSdk.storedMessages({ store: await stored(messages), conversation: "c", ...given }).load(),
    except: sdk,
  },
  "LangChain validMessages": {
    output: (messages, given) => langchain.validMessages(toLangChain(messages), given),
    except: sdk,
  },
  "LangChain validPreModelHook": {
    output: (messages, given) => langchain.validPreModelHook<Plain>(given)({ messages: toLangChain(messages) }),
    except: sdk,
  },
  "LangChain validModelCall": {
    output: (messages, given) => langchain.validModelCall(given).wrapModelCall({ messages: toLangChain(messages) }, (request) => request),
    except: sdk,
  },
  "Mastra validMessages": {
    output: (messages, given) => mastra.validMessages(toMastra(messages) as (Plain & mastra.MastraMessage)[], given),
    except: paired,
  },
  "Mastra validHistory, of its messages": {
    output: (messages, given) =>
      mastra.validHistory(given).processInputStep({ messages: toMastra(messages) as (Plain & mastra.MastraMessage)[] }),
    except: paired,
  },
  "Mastra validHistory, of the prompt": {
    output: (messages, given) => mastra.validHistory(given).processLLMRequest({ prompt: toPrompt(messages) as (Plain & SdkMessage)[] }),
    except: sdk,
  },
  "Agents SDK validItems": {
    output: (messages, given) => agents.validItems(toAgentItems(messages) as agents.AgentItem[], given),
    except: sdk,
  },
  "Agents SDK ligatureSession": {
    output: async (messages, given) => agents.ligatureSession({ store: await stored(messages), sessionId: "c", ...given }).getItems(),
    except: sdk,
  },
  "ligature check": {
    output: (messages, given) =>
      printed(["check", "a.json", "--for", "anthropic", "--json", ...flags(given)], folder({ "a.json": toAnthropic(messages) })),
    except: findings,
  },
  "ligature repair": {
    output: (messages, given) => printed(["repair", "a.json", ...flags(given)], folder({ "a.json": toAnthropic(messages) })),
  },
  "ligature convert": {
    output: (messages, given) =>
      printed(["convert", "a.json", "--to", "openai-chat", ...flags(given)], folder({ "a.json": toAnthropic(messages) })),
  },
  "ligature doctor --repair": {
    output: async (messages, given) => {
      const cwd = folder({ "a.json": toAnthropic(messages) })
      utimesSync(join(cwd, "a.json"), new Date(2020, 1, 1), new Date(2020, 1, 1))
      await cli(["doctor", cwd, "--repair", ...flags(given)], { cwd })
      return readFileSync(join(cwd, "a.json"), "utf8")
    },
    except: { names: ["foreignThinking"], why: "a doctor repairs what breaks an invariant, and foreign thinking breaks none" },
  },
  "ligature resume": {
    output: async (messages, given) =>
      printed(["resume", "c", "--to", "openai-chat", "--store", "log", ...flags(given)], await logged(messages)),
  },
  "ligature log export": {
    output: async (messages, given) =>
      printed(["log", "export", "c", "--to", "openai-chat", "--store", "log", ...flags(given)], await logged(messages)),
  },
}

const neverProfile = (): never => {
  throw new Error("Expected a profile")
}

const names = Object.keys(policyValues) as readonly Name[]

describe.each(Object.entries(entryPoints))("%s", (_, { output, except }) => {
  it.each(names.filter((name) => !except?.names.includes(name)))("does another thing for each value of %s", async (name) => {
    const specimen = specimens[name]
    const outputs: string[] = []
    for (const value of policyValues[name]) {
      outputs.push(JSON.stringify(await output(specimen, { policies: { ...beside[name], [name]: value } })))
    }
    expect(new Set(outputs).size).toBe(outputs.length)
    const base = beside[name] ? { policies: beside[name] } : {}
    expect(JSON.stringify(await output(specimen, base))).toBe(outputs[0])
  })
})

/** The functions, as a caller without types would call them. */
const functions = Object.entries(entryPoints).filter(([name]) => !name.startsWith("ligature "))

const refused = async (output: EntryPoint["output"], given: object): Promise<unknown> => {
  try {
    await output(specimens.unansweredCall, given as Given)
  } catch (error) {
    return LigatureError.is(error) ? `${error.code}: ${error.message}` : error
  }
  return "nothing"
}

describe.each(functions)("%s refuses", (_, { output }) => {
  it("a policy that does not exist, naming those that do", async () => {
    expect(await refused(output, { policies: { orphanResults: "drop" } })).toBe(
      `bad-option: Unknown policy "orphanResults". Did you mean orphanResult? Policies: ${names.join(", ")}`,
    )
  })

  it("a value that does not exist, naming those that do", async () => {
    expect(await refused(output, { policies: { orphanResult: "dorp" } })).toBe(
      'bad-option: Unknown value "dorp" of policy orphanResult. Values: reattach, demote, drop',
    )
  })

  it("a policy next to the other options", async () => {
    expect(await refused(output, { orphanResult: "drop" })).toBe(
      "bad-option: Expected policies: { orphanResult: … }, got orphanResult next to the other options",
    )
  })
})

describe("policies", () => {
  it("are refused as a text or a list", () => {
    expect(() => settle(reading([user("Hi.")]), { policies: "drop" as Choice })).toThrow("Expected policies as an object")
  })

  it("have their default where the value is undefined", () => {
    const given = { policies: { orphanResult: undefined } } as unknown as Given
    expect(settle(reading(specimens.orphanResult), given)).toEqual(settle(reading(specimens.orphanResult)))
  })

  it("are refused on the command line with the names and values there are", async () => {
    const cwd = folder({ "a.json": toAnthropic(specimens.orphanResult) })
    const name = await cli(["repair", "a.json", "--policy", "orfan=drop"], { cwd })
    expect([name.code, name.stderr]).toEqual([2, expect.stringContaining("Unknown policy orfan")])
    const value = await cli(["repair", "a.json", "--policy", "orphanResult=dorp"], { cwd })
    expect([value.code, value.stderr]).toEqual([2, expect.stringContaining("Values: reattach, demote, drop")])
  })
})
