/**
 * Three gateways and two workers on one PostgreSQL, behind a balancer without memory, under load, while any of them and the
 * database itself are killed. Clients ask again, as clients do. In the end everything that a client has is in the store once, in
 * order, and every conversation goes on.
 *
 *   LIGATURE_KILLS=100 npx vitest run packages/gateway/test/many-killed.test.ts
 */
import { setTimeout as sleep } from "node:timers/promises"
import { type CallBlock, type Message, result, settle, tool, user } from "ligature"
import { viewOf } from "ligature/store"
import { postgresStore } from "ligature/store/postgres"
import type { FakeApi, FakeRequest, ScriptedReply } from "ligature/testing"
import pg from "pg"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { missingPostgres, type RunningPostgres, startPostgres } from "../../ligature/test/store/postgres/start-postgres.ts"
import { startBalancer } from "./balancer.ts"
import { requestOf, say } from "./client.ts"
import { bundle, type Child, startChild } from "./processes.ts"
import { fake } from "./serve.ts"

const missing = missingPostgres()
if (missing !== undefined) process.stdout.write(`skipped: killed gateways on PostgreSQL, there is none here (${missing})\n`)

const kills = Number(process.env["LIGATURE_KILLS"] ?? 8)
const clients = 6

let server: RunningPostgres
let child = ""
beforeAll(async () => {
  if (missing !== undefined) return
  server = await startPostgres(["fsync=off", "max_connections=100"])
  child = await bundle()
}, 120_000)
afterAll(() => server?.stop(), 60_000)

/** One of its processes is killed: the server ends all others, and starts again from its log. */
const crashDatabase = async (): Promise<void> => {
  const client = new pg.Client({ connectionString: server.url })
  client.on("error", () => undefined)
  try {
    await client.connect()
    const { rows } = await client.query<{ readonly pid: number }>("select pg_backend_pid() as pid")
    const pid = rows[0]?.pid
    if (pid !== undefined && pid > 1) process.kill(pid, "SIGKILL")
    await client.end()
  } catch {
    // It was down already.
  }
}

const random = (seed: number): (() => number) => {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return (state >>> 8) / 0x1000000
  }
}

const apis: readonly FakeApi[] = ["openai-chat", "anthropic", "openai-responses"]

const said = (message: Message): string => JSON.stringify(message.blocks, (name, value: unknown) => (name === "native" ? undefined : value))

const marksIn = (messages: readonly Message[]): readonly string[] =>
  messages.flatMap((message) => said(message).match(/(?:question|answer|output)-\d+-\d+/g) ?? [])

const lines = (mark: string): string => Array.from({ length: 30 }, (_, line) => `${mark} line ${line} of what the tool wrote`).join("\n")

describe.skipIf(missing !== undefined || process.env["LIGATURE_POSTGRES_URL"] !== undefined)(
  "gateways, workers and a database that are killed",
  () => {
    it("have every message once, and answer every next one", async () => {
      const next = random(Number(process.env["LIGATURE_KILL_SEED"] ?? 1))
      let answers = 0
      const script = ({ body }: FakeRequest): ScriptedReply => {
        answers++
        const of = /client-(\d+)/.exec(JSON.stringify(body))?.[1] ?? "0"
        const calls = answers % 2 === 0 ? { calls: [{ name: "bash", arguments: { command: `make ${answers}` } }] } : {}
        return { text: `answer-${of}-${answers} ${"word ".repeat(4)}`, eventDelayMs: 1, ...calls }
      }
      const provider = await fake({ api: "anthropic", script })
      const config = (worker: boolean): object => ({
        port: 0,
        upstreams: { main: { wire: "anthropic", url: provider.url, key: "sk" } },
        // What was acknowledged has to survive a server that dies.
        store: { place: server.url, required: true, durability: "entry", postgres: { connections: 3 } },
        compaction: {
          window: { tokens: 12_000, reserveTokens: 500 },
          trigger: { share: 0.4 },
          target: { share: 0.2 },
          gain: { tokens: 300 },
        },
        jobs: { worker, pollMs: 300, leaseMs: 2_000 },
      })
      const gateways: Child[] = await Promise.all(Array.from({ length: 3 }, () => startChild(child, config(false))))
      const workers: Child[] = await Promise.all(Array.from({ length: 2 }, () => startChild(child, config(true))))
      const balancer = await startBalancer(gateways.map(({ url }) => url))
      let isOver = false
      let retries = 0

      const talk = async (own: number): Promise<{ readonly history: readonly Message[]; readonly conversation: string }> => {
        const api = apis[own % apis.length] ?? "anthropic"
        const history: Message[] = [user(`client-${own} question-${own}-0`)]
        let conversation = ""
        for (let turn = 1; !isOver || turn < 6;) {
          const sent = await say(balancer.url, api, requestOf(api, history, true), true, { "x-session-id": `ses_${own}` }).catch(
            () => undefined,
          )
          if (sent?.recorded.complete !== true) {
            retries++
            await sleep(50)
            continue
          }
          conversation = String(sent.answer.headers["x-ligature-conversation"])
          const { message } = sent.recorded
          const calls = message.blocks.filter((block): block is CallBlock => block.type === "call")
          history.push(message)
          history.push(
            calls.length > 0 ? tool(...calls.map(({ id }) => result(id, lines(`output-${own}-${turn}`)))) : user(`question-${own}-${turn}`),
          )
          turn++
        }
        return { history, conversation }
      }

      const talks = Promise.all(Array.from({ length: clients }, (_, own) => talk(own)))
      for (let killed = 0; killed < kills; killed++) {
        await sleep(300 + next() * 900)
        const dice = next()
        if (dice < 0.2) await crashDatabase()
        else if (dice < 0.5) {
          const at = Math.floor(next() * workers.length)
          await workers[at]?.kill()
          workers[at] = await startChild(child, config(true))
        } else {
          const at = Math.floor(next() * gateways.length)
          await gateways[at]?.kill()
          // For a while its requests fail.
          await sleep(next() * 300)
          const again = await startChild(child, config(false))
          gateways[at] = again
          balancer.servers[at] = again.url
        }
      }
      isOver = true
      const ended = await talks
      await Promise.all([...gateways, ...workers].map((each) => each.kill("SIGTERM")))
      const store = postgresStore({ connectionString: server.url })
      const { conversations } = await store.list({ limit: 500 })
      expect(conversations.length).toBe(clients)
      let summaries = 0
      for (const { history, conversation } of ended) {
        const { entries, damage } = await store.load(conversation)
        expect(damage).toEqual([])
        summaries += entries.filter(({ kind }) => kind === "summary").length
        const { transcript } = viewOf(entries, { show: "all" })
        const [expected, found] = [marksIn(history), marksIn(transcript.messages)]
        const own = (marks: readonly string[]): readonly string[] => marks.filter((mark, at) => mark !== marks[at - 1])
        // The last thing the client has was not sent yet.
        expect(own(found)).toEqual(own(expected).slice(0, -1))
        expect(settle(transcript, { tip: "open" }).report.entries).toEqual([])
      }
      expect(retries).toBeGreaterThan(0)
      process.stdout.write(`${kills} kills, ${retries} requests asked again, ${answers} answers, ${summaries} compactions\n`)
      await store.close()
    }, 600_000)
  },
)
