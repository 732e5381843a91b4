/** Gemini CLI writes results again when it resumes a session, and sends each as often as it is there. */
import { describe, expect, it } from "vitest"
import { decode, repair } from "../../../src/convert/index.ts"
import { check, settle } from "../../../src/rules/index.ts"
import { geminiCli } from "../../../src/sessions/gemini-cli/index.ts"
import { isWire, type Wire } from "../../../src/model/index.ts"

const header = {
  sessionId: "s",
  projectHash: "h",
  startTime: "2026-11-18T10:00:00.000Z",
  lastUpdated: "2026-11-18T10:00:00.000Z",
  kind: "main",
}

const message = (id: string, type: string, fields: Wire): Wire => ({ id, timestamp: "2026-11-18T10:00:01.000Z", type, ...fields })

const response = (id: string, output: string): Wire => ({ functionResponse: { id, name: "run", response: { output } } })

const call = (id: string, result: readonly Wire[]): Wire => ({ id, name: "run", args: { command: id }, result, status: "success" })

const both = (): readonly Wire[] => [response("a", "A"), response("b", "B")]

const said = (toolCalls: readonly Wire[]): readonly Wire[] => [
  message("1", "user", { content: [{ text: "go" }] }),
  message("2", "gemini", { content: "I run both.", toolCalls }),
]

const done = message("4", "gemini", { content: "done" })

/** What the agent sends of a record: every response in the results of its calls. */
const sentIn = (records: readonly unknown[]): readonly unknown[] =>
  records.flatMap((record) => {
    if (!isWire(record)) return []
    const calls = (record["toolCalls"] ?? []) as readonly Wire[]
    const parts = [
      ...calls.flatMap(({ result }) => result as readonly unknown[]),
      ...(record["type"] === "user" ? (record["content"] as readonly unknown[]) : []),
    ]
    return parts.flatMap((part) => (isWire(part) && isWire(part["functionResponse"]) ? [part["functionResponse"]["id"]] : []))
  })

const damagedOnes: readonly (readonly [string, readonly Wire[]])[] = [
  ["in the results of their neighbours", [header, ...said([call("a", both()), call("b", both())]), done]],
  ["several times in one result", [header, ...said([call("a", [...both(), ...both()]), call("b", [...both(), ...both()])]), done]],
  [
    "in a record of the user",
    [header, ...said([call("a", [response("a", "A")]), call("b", [response("b", "B")])]), message("3", "user", { content: both() }), done],
  ],
]

describe.each(damagedOnes)("results that are %s", (_, records) => {
  it("are read once, and are a warning", () => {
    const transcript = decode("gemini-cli", records)
    expect(transcript.messages.flatMap(({ blocks }) => blocks.flatMap((block) => (block.type === "result" ? [block.callId] : [])))).toEqual(
      ["a", "b"],
    )
    expect(transcript.diagnostics?.map(({ rule, severity }) => `${severity} ${rule}`)).toEqual(["warning repeated-results"])
  })

  it("are sent once after a repair, which changes nothing the second time", () => {
    const { value } = repair({ records }, { from: "gemini-cli" })
    expect(sentIn(value["records"] as readonly unknown[])).toEqual(["a", "b"])
    expect(check(decode("gemini-cli", value))).toEqual([])
    expect(decode("gemini-cli", value).diagnostics ?? []).toEqual([])
    expect(repair(value, { from: "gemini-cli" }).value).toEqual(value)
  })

  it("are there once in a new session of the agent", () => {
    const { native: _, ...conversation } = settle(decode("gemini-cli", records)).conversation
    const { records: written } = geminiCli.encode(conversation) as { records: readonly Wire[] }
    expect(sentIn(written)).toEqual(["a", "b"])
  })
})

it("a result that only a neighbour has stays there", () => {
  const records = [header, ...said([call("a", both()), call("b", [])]), done]
  const { value } = repair({ records }, { from: "gemini-cli" })
  expect(JSON.stringify(value)).toContain('"output":"B"')
})
