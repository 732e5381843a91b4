/**
 * Every refusal that the rule book quotes, provoked by a history: it never happens because the gateway made the request
 * valid, or it is healed and right at the first try the second time, or it goes on for a reason that is in the table.
 */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { describe, expect, it, onTestFinished } from "vitest"
import { profiles } from "ligature"
import { type FakeApi, judges, type ProfileName } from "ligature/testing"
import { fieldReports, rulebook } from "../../ligature/src/rules/rulebook/index.ts"
import { suites } from "../../ligature/test/testing/providers/suites.ts"
import { passedOn, type RefusalCase, refusalCases } from "./refusal-cases.ts"
import { apis, post, serve, upstreamTo } from "./serve.ts"

type Json = Readonly<Record<string, any>>

const patterns = [...rulebook, ...fieldReports].filter(({ match }) => match !== undefined)

interface Case {
  readonly rule: string
  readonly body: Json
  /** The refusal, for a body that provokes it. */
  readonly refuse: (body: Json) => { readonly status: number; readonly body: unknown } | undefined
}

const api = (profile: ProfileName): FakeApi | undefined => apis.find((each) => each === profiles[profile].format)

/** A server that refuses what the case of the request objects to; which one that is, the model says. */
const provider = async (cases: readonly Case[]) => {
  const bodies: Json[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = JSON.parse(Buffer.concat(chunks).toString()) as Json
    bodies.push(body)
    const { model, ...rest } = body
    const at = Number(/case-(\d+)/.exec(`${model ?? ""}${request.url ?? ""}`)?.[1])
    const refusal = (cases[at] as Case).refuse(rest)
    response.writeHead(refusal?.status ?? 200, { "content-type": "application/json" }).end(JSON.stringify(refusal?.body ?? {}))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, bodies }
}

const pathOf: Readonly<Record<FakeApi, (model: string) => string>> = {
  anthropic: () => "/v1/messages",
  "openai-chat": () => "/v1/chat/completions",
  "openai-responses": () => "/v1/responses",
  gemini: (model) => `/v1beta/models/${model}:generateContent`,
}

/** Provokes each case twice, and says what became of it. */
const outcomesOf = async (format: FakeApi, cases: readonly Case[]): Promise<readonly (readonly [string, string])[]> => {
  const upstream = await provider(cases)
  const gateway = await serve(upstreamTo(format, upstream))
  const outcomes: (readonly [string, string])[] = []
  for (const [at, { rule, body, refuse }] of cases.entries()) {
    expect(refuse(body), `${rule} is provoked`).toBeDefined()
    const model = `case-${at}`
    const sent = JSON.stringify(format === "gemini" ? body : { ...body, model })
    const ask = async () => {
      upstream.bodies.length = 0
      const { status, headers } = await post(gateway.url + pathOf[format](model), sent, { headers: { "x-session-id": model } })
      return { status, tries: upstream.bodies.length, healed: String(headers["x-ligature-healed"] ?? "").split(",").length }
    }
    const [one, two] = [await ask(), await ask()]
    // A provider names one thing after the other.
    const isHealed = one.status === 200 && one.tries > 1 && one.tries === one.healed + 1
    const isPrevented = one.status === 200 && one.tries === 1
    if ((isHealed || isPrevented) && two.status === 200 && two.tries === 1) outcomes.push([rule, isHealed ? "healed" : "prevented"])
    else outcomes.push([rule, one.status >= 400 && two.tries === 1 ? "passed on" : `${JSON.stringify({ one, two })}`])
  }
  return outcomes
}

const judged = (Object.keys(suites) as readonly ProfileName[]).flatMap((profile) => {
  const format = api(profile)
  if (!format) return []
  const cases = suites[profile].rejected.flatMap(({ rule, body, options }): readonly Case[] => {
    if (!patterns.some(({ id }) => id === rule) || typeof body !== "object" || body === null) return []
    const { model, ...rest } = body as Json
    const seen = { ...options, ...(options?.model === undefined && typeof model === "string" && { model }) }
    const refuse = (asked: Json) => {
      const verdict = judges[profile](asked, seen)
      return verdict.ok ? undefined : verdict
    }
    return [{ rule, body: rest, refuse }]
  })
  return cases.length === 0 ? [] : [{ profile, format, cases }]
})

const scripted = apis.map((format) => ({
  format,
  cases: Object.entries(refusalCases).flatMap(([rule, { api: wire, body, refuses }]: [string, RefusalCase]): readonly Case[] => {
    if (wire !== format) return []
    const found = patterns.find(({ id }) => id === rule)
    const message = found?.texts[0] ?? found?.alsoSeen?.[0] ?? ""
    const refuse = (asked: Json) => (refuses(asked) ? { status: found?.status ?? 400, body: { error: { message } } } : undefined)
    return [{ rule, body, refuse }]
  }),
}))

/** Examples of another kind than the rule is about: values that no client writes. */
const oddities: Readonly<Record<string, string>> = {
  "openai-chat-content-null": "one example has an object as content",
  "anthropic anthropic-orphan-tool-result": "a call before a fallback mark counts as gone",
  "anthropic-preserved anthropic-orphan-tool-result": "a call before a fallback mark counts as gone",
  "deepseek openai-chat-empty-tool-calls": "the example ends with an assistant message, which is refused in words of no rule",
  "deepseek openai-chat-tool-image": "the refusal that follows is in words of no rule",
  "kimi openai-chat-tool-image": "the refusal that follows is in words of no rule",
  "kimi openai-image-data": "refused in words of no rule",
  "ollama ollama-native-shape": "the API of its own is no wire of the gateway",
}

describe("every refusal that is known", () => {
  it("has a history here that provokes it", () => {
    const covered = new Set([...judged, ...scripted].flatMap(({ cases }) => cases.map(({ rule }) => rule)))
    expect(patterns.map(({ id }) => id).filter((id) => !covered.has(id))).toEqual([])
  })

  it.each(judged)("of a provider like $profile is prevented, healed, or passed on for a reason", async ({ profile, format, cases }) => {
    const outcomes = await outcomesOf(format, cases)
    const wrong = outcomes.filter(
      ([rule, outcome]) => outcome !== "prevented" && outcome !== "healed" && !(outcome === "passed on" && rule in passedOn),
    )
    const expected = wrong.filter(([rule]) => `${profile} ${rule}` in oddities || rule in oddities)
    expect(wrong.filter((each) => !expected.includes(each))).toEqual([])
  })

  it.each(scripted)(
    "of another provider that speaks $format is prevented, healed, or passed on for a reason",
    async ({ format, cases }) => {
      const outcomes = await outcomesOf(format, cases)
      for (const [rule, outcome] of outcomes)
        expect([rule, outcome]).toEqual([rule, rule in passedOn ? "passed on" : expect.stringMatching(/^(prevented|healed)$/)])
    },
  )
})
