/** A run over a store that fails: once, and what was said is there once; for good, and nothing of what happened is lost. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { anthropicModel, importInto, run, resume, saveUnsaved, type Tool, type Unsaved } from "../../../src/agent/index.ts"
import { ended, type Ended } from "../../agent/run/ended.ts"
import { outcomeKind, resultText } from "../../../src/model/index.ts"
import { type Store, StoreError } from "../../../src/store/index.ts"
import { type FakeProvider, startFakeProvider } from "../../../src/testing/index.ts"
import { flakyStore, type Moment } from "../flaky-store.ts"
import type { Stage } from "./stage.ts"

/** The calls of a store that a run depends on. */
const saving: ReadonlySet<keyof Store> = new Set(["create", "append", "acquire", "load"])

const errors: readonly (readonly [string, () => Error])[] = [
  ["an error of the store", () => new StoreError("unwritable", "the connection was dropped", { cause: new Error("ECONNRESET") })],
  ["any other error", () => new Error("socket hang up")],
]

const surroundings = { sleep: async (): Promise<void> => {} }

export const faultConformance = (stage: Stage): void => {
  describe("a run over a store that fails", () => {
    let provider: FakeProvider
    beforeAll(async () => {
      provider = await startFakeProvider({
        api: "anthropic",
        script: ({ body }) => {
          const said = JSON.stringify(body)
          if (said.includes("tool_result")) return { text: "Done." }
          return { text: "I look.", calls: ["a", "b"].map((say) => ({ name: "count", arguments: { say } })) }
        },
      })
    })
    afterAll(() => provider.close())

    const agent = (store: Store, more: object = {}): { readonly ran: string[]; readonly go: () => Promise<Ended> } => {
      const ran: string[] = []
      const count: Tool = { name: "count", run: ({ say }) => `${String(say)} ${ran.push(String(say))}` }
      const model = anthropicModel({ model: "claude-opus-4-6", baseUrl: `${provider.url}/v1`, key: "key" })
      return {
        ran,
        go: () => ended(run({ model, store, conversation: "c", prompt: "go", tools: [count], concurrency: 1, surroundings, ...more })),
      }
    }

    const told = async (): Promise<readonly string[]> =>
      (await stage.store.load("c")).entries.flatMap((entry) => {
        if (entry.kind === "result") return [`${outcomeKind(entry.result)} ${resultText(entry.result)}`]
        if (entry.kind !== "message") return []
        return [`${entry.message.role} ${entry.message.blocks.map((block) => (block.type === "text" ? block.text : block.type)).join(" ")}`]
      })

    const whole = ["user go", "assistant I look. call call", "done a 1", "done b 2", "assistant Done."]

    describe.each(errors)("with %s", (_, error) => {
      it.each<Moment>(["before", "after"])("once, %s anything was written: everything is there once", async (moment) => {
        const healthy = flakyStore(stage.store, () => undefined)
        await agent(healthy.store).go()
        const numbers = healthy.calls.flatMap((name, number) => (saving.has(name) ? [number] : []))
        expect(numbers.length).toBeGreaterThan(6)
        for (const bad of numbers) {
          await stage.store.remove("c")
          const { store } = flakyStore(stage.store, ({ number }) => (number === bad ? { moment, error: error() } : undefined))
          const { ran, go } = agent(store)
          const result = await go()
          expect([result.stop, result.error?.message, result.unsaved, ran]).toEqual(["done", undefined, undefined, ["a", "b"]])
          expect(await told()).toEqual(whole)
        }
      })

      it.each<Moment>(["before", "after"])(
        "for good, from any append on, %s it was written: what happened is given back, and stored by the next run",
        async (moment) => {
          for (let bad = 0; bad < 5; bad++) {
            await stage.store.remove("c").catch(() => {})
            let appends = 0
            let isDown = true
            const { store } = flakyStore(stage.store, ({ name }) => {
              const fails = name === "append" && isDown && appends++ >= bad
              return fails ? { moment, error: error() } : undefined
            })
            const { ran, go } = agent(store)
            const result = await go()
            expect([result.stop, result.error?.reason]).toEqual(["error", "store-failed"])
            // The prompt is the caller's, who can say it again; everything else would be gone.
            expect(result.unsaved === undefined).toBe(bad === 0)
            isDown = false
            const kept = result.unsaved && (JSON.parse(JSON.stringify(result.unsaved)) as Unsaved)
            const next = agent(store, kept ? { unsaved: kept, prompt: undefined } : {})
            const second = await next.go()
            expect([second.stop, second.unsaved]).toEqual(["done", undefined])
            const results = (await told()).filter((line) => /^(?:done|not-run|interrupted)/.test(line))
            // A message that could not be stored is stored with calls that never ran; after that, no tool runs twice.
            expect(results.map((line) => line.split(" ")[0])).toEqual(
              bad === 1 ? ["not-run", "not-run"] : bad === 2 ? ["done", "not-run"] : ["done", "done"],
            )
            expect(bad === 0 ? next.ran : ran).toEqual(bad === 1 ? [] : bad === 2 ? ["a"] : ["a", "b"])
            expect(bad === 0 ? [] : next.ran).toEqual([])
          }
        },
      )
    })

    it("gives back what can be stored, or used by resume, without another run", async () => {
      let appends = 0
      const { store } = flakyStore(stage.store, ({ name }) =>
        name === "append" && appends++ >= 2 ? { moment: "before", error: new Error("down") } : undefined,
      )
      const { unsaved } = await agent(store).go()
      if (!unsaved) throw new Error("Expected something unsaved")
      const resumed = await resume(stage.store, "c", { profile: "anthropic", unsaved })
      expect([resumed.ready, resumed.plan.state, resumed.append.map(({ kind }) => kind)]).toEqual([true, "clean", ["result", "result"]])
      expect(await saveUnsaved(stage.store, unsaved)).toBeUndefined()
      expect(await saveUnsaved(stage.store, unsaved)).toBeUndefined()
      expect(await told()).toEqual([...whole.slice(0, 3), expect.stringContaining("not-run")])
      expect((await resume(stage.store, "c", { profile: "anthropic", unsaved })).append).toEqual([])
    })

    it("does not put back what has no place any more, and reports it", async () => {
      let appends = 0
      const { store } = flakyStore(stage.store, ({ name }) =>
        name === "append" && appends++ >= 3 ? { moment: "before", error: new Error("down") } : undefined,
      )
      const { unsaved } = await agent(store).go()
      expect(unsaved?.appends.map(({ entries }) => entries.map(({ kind }) => kind))).toEqual([["result"]])
      // Another run went on without it.
      await agent(stage.store, { prompt: "on" }).go()
      const before = await told()
      const again = await agent(stage.store, { unsaved, prompt: undefined }).go()
      expect([again.stop, again.unsaved, await told()]).toEqual(["done", unsaved, before])
    })

    it("refuses what belongs to another conversation", async () => {
      const unsaved: Unsaved = { conversation: "other", after: null, appends: [] }
      await expect(agent(stage.store, { unsaved }).go()).rejects.toThrow("belongs to the conversation other, not to c")
    })

    it("is no reason to import something twice", async () => {
      const value = {
        messages: [
          { role: "user", content: "hi" },
          { role: "assistant", content: "hello" },
        ],
      }
      for (const name of ["create", "append"] as const) {
        let failed = false
        const { store } = flakyStore(stage.store, (call) => {
          if (call.name !== name || failed) return undefined
          failed = true
          return { moment: "after", error: new Error("lost") }
        })
        await expect(importInto(store, value, { format: "openai-chat" })).rejects.toThrow("lost")
        await importInto(store, value, { format: "openai-chat" })
        const { conversations } = await stage.store.list()
        expect(conversations).toHaveLength(1)
        expect((await stage.store.load(conversations[0]?.id ?? "")).transcript.messages).toHaveLength(2)
        await stage.store.remove(conversations[0]?.id ?? "")
      }
    })
  })
}
