/**
 * What every adapter promises, on generated histories: a healthy list comes back as the very same list, a damaged one is
 * taken by the strict provider behind the SDK, repairing twice is repairing once, and the input is never touched.
 */
import { describe, expect, it } from "vitest"
import { type SdkMessage, validMessages as validSdkMessages, validPrompt } from "../../src/adapters/ai-sdk/index.ts"
import { validMessages as validLangChain } from "../../src/adapters/langchain/index.ts"
import { type MastraMessage, validMessages as validMastra } from "../../src/adapters/mastra/index.ts"
import { type AgentItem, ligatureSession, validItems } from "../../src/adapters/openai-agents/index.ts"
import type { Message, Report } from "../../src/model/index.ts"
import { memoryStore } from "../../src/store/index.ts"
import { Choices, damageHistory, generateHistory, judges } from "../../src/testing/index.ts"
import { numbersFromSeed } from "../../src/testing/damage.ts"
import {
  agentItemsToResponses,
  langChainToChat,
  mastraToChat,
  type Plain,
  promptToChat,
  toAgentItems,
  toLangChain,
  toMastra,
  toPrompt,
} from "./render.ts"

interface Adapter {
  readonly render: (messages: readonly Message[]) => Plain[]
  readonly repair: (list: Plain[], onRepair: (report: Report) => void) => Plain[]
  readonly send: (list: readonly Plain[]) => Plain
  readonly profile: "openai-chat" | "openai-responses"
}

const adapters: Readonly<Record<string, Adapter>> = {
  "the prompt of the AI SDK": {
    render: toPrompt,
    repair: (list, onRepair) => validPrompt(list as (Plain & SdkMessage)[], { profile: "openai-chat", onRepair }),
    send: promptToChat,
    profile: "openai-chat",
  },
  "messages of the AI SDK": {
    render: toPrompt,
    repair: (list, onRepair) => validSdkMessages(list as (Plain & SdkMessage)[], { profile: "openai-chat", onRepair }),
    send: (list) =>
      promptToChat(
        list.map((message) =>
          typeof message["content"] === "string" && message["role"] !== "system"
            ? { ...message, content: [{ type: "text", text: message["content"] }] }
            : message,
        ),
      ),
    profile: "openai-chat",
  },
  "LangChain messages": {
    render: toLangChain,
    repair: (list, onRepair) => validLangChain(list, { profile: "openai-chat", onRepair }),
    send: langChainToChat,
    profile: "openai-chat",
  },
  "items of the Agents SDK": {
    render: toAgentItems,
    repair: (list, onRepair) => validItems(list as AgentItem[], { onRepair }) as Plain[],
    send: agentItemsToResponses,
    profile: "openai-responses",
  },
  "Mastra messages": {
    render: toMastra,
    repair: (list, onRepair) => validMastra(list as (Plain & MastraMessage)[], { profile: "openai-chat", onRepair }),
    send: mastraToChat,
    profile: "openai-chat",
  },
}

const seeds = Array.from({ length: Number(process.env["LIGATURE_ADAPTER_HISTORIES"] ?? 150) }, (_, seed) => seed + 1)

interface Histories {
  /** Nothing where ids are used again: providers take that, and still a result could be any of two. */
  readonly healthy: readonly Message[] | undefined
  readonly damaged: readonly Message[]
}

const historyOf = (seed: number): Histories => {
  const choices = new Choices(numbersFromSeed(seed, 400))
  const { messages, recycles } = generateHistory(choices)
  return { healthy: recycles ? undefined : messages, damaged: damageHistory(messages, choices).messages }
}

/** Nobody is told of nothing. */
const wanted = (report: Report): void => expect(report.entries.length).toBeGreaterThan(0)

const unwanted = (seed: number) => (): void => expect.unreachable(`seed ${seed}: told of a repair`)

const accepted = (seed: number, items: readonly Plain[]): void =>
  expect({ seed, verdict: judges["openai-responses"](agentItemsToResponses(items)) }).toEqual({ seed, verdict: { ok: true } })

describe.each(Object.entries(adapters))("%s", (_, { render, repair, send, profile }) => {
  it("come out valid whatever went in, once and for all, and what went in is untouched", () => {
    let refused = 0
    for (const seed of seeds) {
      const list = render(historyOf(seed).damaged)
      if (list.length === 0) continue
      const before = structuredClone(list)
      if (!judges[profile](send(list)).ok) refused++
      const valid = repair(list, wanted)
      expect({ seed, verdict: judges[profile](send(valid)) }).toEqual({ seed, verdict: { ok: true } })
      expect({ seed, list }).toEqual({ seed, list: before })
      expect({ seed, same: repair(valid, unwanted(seed)) === valid }).toEqual({ seed, same: true })
    }
    // The generator would prove nothing if providers took what it makes.
    expect(refused).toBeGreaterThan(seeds.length / 4)
  })

  it("come back as the very same list where nothing is wrong", () => {
    let healthy = 0
    for (const seed of seeds) {
      const { healthy: messages } = historyOf(seed)
      const list = render(messages ?? [])
      if (!messages || !judges[profile](send(list)).ok) continue
      healthy++
      expect({ seed, same: repair(list, unwanted(seed)) === list }).toEqual({ seed, same: true })
    }
    expect(healthy).toBeGreaterThan(seeds.length / 10)
  })
})

describe("a session of the Agents SDK", () => {
  it("is valid whenever it is read, wherever the process died, whatever the limit", async () => {
    for (const seed of seeds.slice(0, 60)) {
      const choices = new Choices(numbersFromSeed(seed, 400))
      const items = toAgentItems(damageHistory(generateHistory(choices).messages, choices).messages)
      const session = ligatureSession({ store: memoryStore(), sessionId: "s" })
      for (let start = 0; start < items.length;) {
        const count = 1 + choices.number(4)
        await session.addItems(items.slice(start, start + count) as AgentItem[])
        start += count
        const all = (await session.getItems()) as Plain[]
        accepted(seed, all)
        const limit = choices.number(8)
        const some = (await session.getItems(limit)) as Plain[]
        expect(some.length).toBeLessThanOrEqual(limit)
        accepted(seed, some)
        expect(some).toEqual(all.slice(all.length - some.length))
      }
    }
  })

  it("gives a healthy list back as it was added", async () => {
    for (const seed of seeds.slice(0, 60)) {
      const { healthy } = historyOf(seed)
      const items = toAgentItems(healthy ?? [])
      if (!healthy || !judges["openai-responses"](agentItemsToResponses(items)).ok) continue
      const session = ligatureSession({ store: memoryStore(), sessionId: "s", onRepair: unwanted(seed) })
      await session.addItems(items as AgentItem[])
      expect(await session.getItems()).toEqual(items)
      for (const item of items.toReversed()) expect(await session.popItem()).toEqual(item)
      expect([await session.popItem(), await session.getItems()]).toEqual([undefined, []])
    }
  })
})
