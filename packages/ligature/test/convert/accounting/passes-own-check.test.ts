/** What `convert` writes passes `check` for the provider its format is named after, and the strict fake of it, always. */
import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { check, convert, decode, defaultProfile } from "../../../src/convert/index.ts"
import { openDocument } from "../../../src/document/index.ts"
import { LigatureError } from "../../../src/model/index.ts"
import { judges } from "../../../src/testing/providers/server/apis.ts"
import { cli, folder } from "../../cli/cli.ts"
import { apis, inputsOf, sessions } from "./sources.ts"
import { resolveCodec } from "../../../src/registry/registry.ts"

const targets = {
  anthropic: judges.anthropic,
  "openai-chat": judges["openai-chat"],
  "openai-responses": judges["openai-responses"],
  gemini: judges.gemini,
  "bedrock-converse": judges["bedrock-claude"],
} as const

type Target = keyof typeof targets

const names = Object.keys(targets) as readonly Target[]

/** What its own check and the provider say against a request that was written; empty where both take it. */
const objections = (value: unknown, from: string, to: Target): unknown => {
  const request = JSON.parse(JSON.stringify(convert(value, { from: resolveCodec(from), to }).value)) as Readonly<Record<string, unknown>>
  const profile = defaultProfile(to)
  const found = check(decode(to, request), { ...(profile && { profile }) })
  // What models want beyond their API is what other profiles are for.
  const { model: _, ...sent } = request
  const verdict = mayBeNewer(value) ? { ok: true } : targets[to](to === "anthropic" ? { max_tokens: 1, ...sent, model: "m" } : sent)
  return { found, verdict }
}

/** A part without type and with one field is a part of Gemini or Bedrock that may be newer than any reader: it is sent. */
const mayBeNewer = (value: unknown): boolean => /\{"(hologram|note)":[^,]*\}/.test(JSON.stringify(value))

const fine = { found: [], verdict: { ok: true } }

const runs = Number(process.env["LIGATURE_ACCOUNTS"] ?? 60)

describe.each([...apis, ...sessions].map((source) => [source.format, source] as const))("%s", (format, source) => {
  it.each(names)("is valid after a conversion to %s, whatever was in it", (to) => {
    for (const { value } of inputsOf(source, runs)) {
      expect(objections(value, format, to), JSON.stringify(value)).toEqual(fine)
    }
  })
})

const corpus = process.env["LIGATURE_CORPUS"]

const filesIn = (path: string): readonly string[] =>
  readdirSync(path).flatMap((name) => {
    const inner = join(path, name)
    if (statSync(inner).isDirectory()) return filesIn(inner)
    return /\.(jsonl?|traj)$/.test(name) && statSync(inner).size < 2_000_000 ? [inner] : []
  })

describe.skipIf(corpus === undefined)("recorded histories", () => {
  it("are valid after a conversion to every API", () => {
    for (const file of filesIn(corpus ?? "")) {
      const { parts, problems } = openDocument(readFileSync(file))
      if (problems.some(({ severity }) => severity === "error")) continue
      for (const part of parts.slice(0, 2)) {
        for (const to of names) {
          try {
            expect(objections(part.value, part.format, to), `${file} ${to}`).toEqual(fine)
          } catch (error) {
            if (!LigatureError.is(error) || error.code !== "wrong-format") throw error
          }
        }
      }
    }
  }, 600_000)
})

describe("ligature convert", () => {
  const call = { id: "c1", type: "function", function: { name: "ls", arguments: "{}" } }
  const history = [
    { role: "user", content: "go", tool_calls: null, turn_idx: 0, agent: "main" },
    { role: "assistant", content: null, tool_calls: [call], reasoning_content: "hm", turn_idx: 1, message_type: "action" },
    { role: "tool", tool_call_id: "c1", name: "ls", content: "a.ts", tool_calls: null, turn_idx: 2 },
    { role: "assistant", content: "One file.", tool_calls: null, function_call: null, turn_idx: 3 },
  ]

  it("writes a request into its own format that its own check takes", async () => {
    const cwd = folder({ "a.json": { messages: history } })
    expect((await cli(["check", "a.json", "--for", "openai-chat"], { cwd })).code).toBe(1)
    expect((await cli(["convert", "a.json", "--to", "openai-chat", "-o", "b.json"], { cwd })).code).toBe(0)
    expect((await cli(["check", "b.json", "--for", "openai-chat"], { cwd })).code).toBe(0)
    expect(JSON.parse(readFileSync(join(cwd, "b.json"), "utf8"))).toEqual({
      messages: [
        { role: "user", content: "go" },
        { role: "assistant", content: null, tool_calls: [call] },
        { role: "tool", tool_call_id: "c1", name: "ls", content: "a.ts" },
        { role: "assistant", content: "One file." },
      ],
    })
  })

  it("names every field it leaves out", () => {
    const { report } = convert(
      { messages: [{ role: "user", content: "go", session: "a long session id" }] },
      { from: "openai-chat", to: "openai-chat" },
    )
    expect(report.losses).toEqual([
      {
        feature: "other-fields",
        degree: "lost",
        place: {},
        what: "other fields of the source: messages[].session",
        original: { "messages[].session": ["a long session id"] },
      },
    ])
  })
})
