/**
 * A gateway that is killed at any moment. Its client asks again, as clients do; in the end every question and every answer
 * that the client has is in the store once, in order.
 *
 *   LIGATURE_KILLS=500 npx vitest run packages/gateway/test/crash.test.ts
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type CallBlock, type Message, result, settle, tool, user } from "ligature"
import type { FakeApi, ScriptedReply } from "ligature/testing"
import { jsonlStore } from "ligature/store"
import { beforeAll, describe, expect, it, onTestFinished } from "vitest"
import { requestOf, say } from "./client.ts"
import { bundle, startChild } from "./processes.ts"
import { fake, upstreamTo } from "./serve.ts"

let file = ""
beforeAll(async () => {
  file = await bundle()
})

const kills = Number(process.env["LIGATURE_KILLS"] ?? 8)

const random = (seed: number): (() => number) => {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return (state >>> 8) / 0x1000000
  }
}

describe("a gateway that is killed", () => {
  it.each([
    ["anthropic", "anthropic"],
    ["openai-chat", "gemini"],
    ["openai-responses", "anthropic"],
  ] as const)(
    "has every message once: %s to %s",
    async (client: FakeApi, upstream: FakeApi) => {
      const next = random(Number(process.env["LIGATURE_KILL_SEED"] ?? 1))
      let answers = 0
      const script = (): ScriptedReply => {
        answers++
        const calls = answers % 2 === 0 ? { calls: [{ name: "bash", arguments: { command: `run-${answers}` } }] } : {}
        return { text: `answer-${answers} ${"word ".repeat(5)}`, eventDelayMs: 1, ...calls }
      }
      const provider = await fake({ api: upstream, script })
      const folder = mkdtempSync(join(tmpdir(), "gateway-crash-"))
      onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
      const start = () => startChild(file, { ...upstreamTo(upstream, provider), port: 0, store: folder })
      let gateway = await start()
      const history: Message[] = [user("question-0")]
      for (let killed = 0; killed < kills;) {
        const timer = next() < 0.6 ? setTimeout(() => void gateway.kill(), next() * 60) : undefined
        const said = await say(gateway.url, client, requestOf(client, history, true), true).catch(() => undefined)
        clearTimeout(timer)
        if (said?.recorded.complete !== true) {
          killed++
          await gateway.kill()
          gateway = await start()
          continue
        }
        const { message } = said.recorded
        const calls = message.blocks.filter((block): block is CallBlock => block.type === "call")
        const about = history.length
        history.push(
          message,
          calls.length > 0 ? tool(...calls.map(({ id }) => result(id, `question-${about}`))) : user(`question-${about}`),
        )
      }
      await gateway.kill()
      const store = jsonlStore({ folder })
      const { conversations } = await store.list()
      expect(conversations.length).toBe(1)
      const { transcript, damage } = await store.load(conversations[0]?.id ?? "")
      expect(damage.filter(({ rule }) => rule !== "torn-tail")).toEqual([])
      const said = (message: Message): string =>
        JSON.stringify(message.blocks, (name, value: unknown) => (name === "native" ? undefined : value))
      const marks = (messages: readonly Message[]): readonly string[] =>
        messages.flatMap((message) => said(message).match(/(?:question|answer)-\d+/g) ?? [])
      const [expected, found] = [marks(history), marks(transcript.messages)]
      // The last question may not have been asked any more, and the last answer may have reached nobody.
      expect(found.slice(0, expected.length - 1)).toEqual(expected.slice(0, -1))
      expect(found.length).toBeLessThanOrEqual(expected.length + 1)
      expect(settle(transcript, { tip: "open" }).report.entries).toEqual([])
      await store.close()
    },
    600_000,
  )
})
