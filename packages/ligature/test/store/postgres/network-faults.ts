/**
 * The network between the store and its server, failing at every piece that is sent: the request is lost, or the answer to
 * something that was done. A store that is connected again goes on as if nothing had happened; one that is cut off for good
 * has acknowledged nothing that is not there.
 */
import { describe, expect, it } from "vitest"
import { user } from "../../../src/model/index.ts"
import type { Lease } from "../../../src/store/index.ts"
import { postgresStore } from "../../../src/store/postgres/index.ts"
import { refusal, say } from "../conformance.ts"
import { conversationId, expectRecovered, runScenario, steps } from "../scenario.ts"
import { type Loss, startProxy } from "./proxy.ts"
import type { RunningPostgres } from "./start-postgres.ts"

const schema = "ligature_test_network"
/** `LIGATURE_FAULTS=all` loses every piece in every way; by default some take turns. */
const tryAll = process.env["LIGATURE_FAULTS"] === "all"

export const networkFaults = (server: () => RunningPostgres): void => {
  const open = (connectionString: string, retryForMs = 5_000): ReturnType<typeof postgresStore> =>
    postgresStore({ connectionString, schema, retryForMs, connections: 2 })

  /** How many pieces a whole life sends, on tables that are there. */
  const countPieces = async (): Promise<number> => {
    const store = open(server().url)
    await store.list()
    const proxy = await startProxy(server())
    const through = open(proxy.url)
    expect(await runScenario(through)).toHaveLength(steps.length + 1)
    await through.load(conversationId)
    const pieces = proxy.pieces()
    await through.close()
    await proxy.close()
    await store.remove(conversationId)
    await store.close()
    return pieces
  }

  const tryLoss = async (loss: Loss): Promise<void> => {
    const what = `${loss.what} ${loss.piece} lost ${loss.lasts}`
    const proxy = await startProxy(server(), loss)
    const through = open(proxy.url, loss.lasts === "once" ? 5_000 : 20)
    const acknowledged = await runScenario(through)
    const loading = through.load(conversationId)
    if (loss.lasts === "once") {
      expect(acknowledged, what).toHaveLength(steps.length + 1)
      expect((await loading).tip, what).toBe("8")
    } else await loading.catch(() => {})
    const closing = through.close()
    if (loss.lasts === "once") await closing
    else await closing.catch(() => {})
    await proxy.close()
    const store = open(server().url)
    await expectRecovered(store, acknowledged, what)
    const operations = (await store.load(conversationId)).entries.map(({ operation }) => operation)
    expect(new Set(operations).size, what).toBe(steps.length + 1)
    await store.remove(conversationId)
    await store.close()
  }

  describe("the network", () => {
    it("may lose any request or answer once, and nobody notices", async () => {
      const pieces = await countPieces()
      expect(pieces).toBeGreaterThan(2 * steps.length)
      for (let piece = 0; piece < pieces; piece++) {
        if (tryAll || piece % 3 === 0) await tryLoss({ piece, what: "request", lasts: "once" })
        await tryLoss({ piece, what: "answer", lasts: "once" })
      }
    })

    it("may fail for good at any request or answer, and what was acknowledged is there", async () => {
      const pieces = await countPieces()
      for (let piece = 0; piece < pieces; piece += tryAll ? 1 : 2) {
        await tryLoss({ piece, what: piece % 4 === 0 ? "request" : "answer", lasts: "for-good" })
      }
    })

    it("may lose the answer to any call: each is done once, and says what it did", async () => {
      const direct = open(server().url)
      const life = async (loss?: Loss): Promise<number> => {
        const proxy = await startProxy(server(), loss)
        const store = open(proxy.url)
        const what = JSON.stringify(loss)
        await store.create({ id: "a" })
        const appended = await store.append("a", [say("one", "1")], { expectedTip: null })
        expect({ ...appended, operation: "" }, what).toEqual({ tip: "1", ids: ["1"], operation: "", repeated: false })
        let lease: Lease = await store.acquire("a", { owner: "me", durationMs: 60_000 })
        lease = await store.renew("a", lease, 60_000)
        await store.append("a", [say("two", "2")], { lease, expectedTip: "1" })
        await store.release("a", lease)
        await store.moveTip("a", "1", { expectedTip: "2" })
        await store.fork("a", { id: "b" })
        expect(
          (await store.load("b")).entries.map(({ id }) => id),
          what,
        ).toEqual(["1"])
        expect((await store.list()).conversations, what).toHaveLength(2)
        await store.remove("a")
        await store.remove("b")
        await store.close()
        await proxy.close()
        expect((await direct.list()).conversations, what).toEqual([])
        return proxy.pieces()
      }
      await direct.list()
      const pieces = await life()
      for (let piece = 0; piece < pieces; piece += tryAll ? 1 : 2) await life({ piece, what: "answer", lasts: "once" })
      await direct.close()
    })

    it("may be down: the error says so, and the store works when it is back", async () => {
      const proxy = await startProxy(server(), { piece: 0, what: "request", lasts: "for-good" })
      const store = open(proxy.url, 30)
      const error = await refusal(store.create({ id: "x" }))
      expect([error.reason, error.message]).toEqual(["unwritable", expect.stringContaining("cannot be reached")])
      expect((await refusal(store.load("x"))).reason).toBe("unreadable")
      await store.close()
      await proxy.close()
      const nobody = postgresStore({ connectionString: proxy.url, schema, retryForMs: 30 })
      const refused = await refusal(nobody.append("x", [{ kind: "message", message: user("hi") }]))
      expect([refused.reason, refused.message]).toEqual(["unwritable", expect.stringContaining("cannot be reached")])
      await nobody.close()
    })
  })
}
