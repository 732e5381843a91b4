import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { goose } from "../../../src/sessions/goose/index.ts"
import { check, settle } from "../../../src/rules/index.ts"
import { syntheticTexts, text, transcript, type Wire } from "../../../src/model/index.ts"
import { Choices, damageHistory, generateHistory } from "../../../src/testing/index.ts"
import { allOk, corpus, corpusFiles, countBlocks, countsOf, expectedCounts, linesOf, readCorpus, rivals, verdicts } from "../pi/corpus.ts"
import { brief } from "../pi/brief.ts"

const { decode, encode } = goose

const header = {
  id: "20250724_1",
  description: "Cleaning",
  working_dir: "/home/ada/work",
  message_count: 3,
  created_at: "2026-01-01T00:00:00Z",
}

const say = (role: string, ...content: readonly unknown[]): Wire => ({
  id: `m-${role}-${content.length}`,
  role,
  created: 1_784_278_801,
  content,
})

const words = (value: string): Wire => ({ type: "text", text: value })

const request = (id: string, name = "developer__shell", input: unknown = { command: "ls" }): Wire => ({
  type: "toolRequest",
  id,
  toolCall: { status: "success", value: { name, arguments: input } },
})

const response = (id: string, value: unknown, status = "success"): Wire => ({
  type: "toolResponse",
  id,
  toolResult: status === "error" ? { status, error: value } : { status, value },
})

const seen = (metadata: Wire, message: Wire): Wire => ({ ...message, metadata })

const hidden = { userVisible: true, agentVisible: false }
const agentOnly = { userVisible: false, agentVisible: true }

const recordsOf = (value: Wire) => value["records"] as readonly Wire[]

const repair = (records: readonly unknown[]) => recordsOf(encode(settle(decode(records)).conversation))

describe("decoding", () => {
  it("reads requests, responses and thinking into one transcript that points back to its records", () => {
    const records = [
      header,
      say("user", words("go")),
      say("assistant", { type: "thinking", thinking: "hm", signature: "c2ln" }, { type: "redactedThinking", data: "eHg" }, request("1")),
      say(
        "user",
        response("1", [
          { ...words("a.ts"), annotations: { audience: ["assistant"] } },
          { ...words("for you"), annotations: { audience: ["user"], priority: 0 } },
        ]),
      ),
    ]
    const [, go, asked, answered] = records as readonly Wire[]
    const part = (index: number, record: Wire | undefined) => ((record?.["content"] ?? []) as readonly Wire[])[index]
    const native = (wire: unknown) => ({ native: { goose: wire } })
    expect(decode(records, { lines: [1, 2, 3, 4], source: "s" })).toEqual({
      format: "goose",
      source: "s",
      ...native(expect.objectContaining({ records, path: [0, 1, 2, 3] })),
      messages: [
        { role: "user", id: "m-user-1", line: 2, blocks: [text("go")], ...native(go) },
        {
          role: "assistant",
          id: "m-assistant-3",
          line: 3,
          blocks: [
            { type: "thinking", text: "hm", signature: "c2ln", ...native(part(0, asked)) },
            { type: "thinking", text: "", signature: "eHg", redacted: true, ...native(part(1, asked)) },
            {
              type: "call",
              id: "1",
              name: "developer__shell",
              arguments: { command: "ls" },
              ...native(part(2, asked)),
            },
          ],
          ...native(asked),
        },
        {
          role: "user",
          id: "m-user-1",
          line: 4,
          blocks: [
            {
              type: "result",
              callId: "1",
              content: [
                {
                  type: "text",
                  text: "a.ts",
                  ...native({ ...words("a.ts"), annotations: { audience: ["assistant"] } }),
                },
              ],
              ...native(part(0, answered)),
            },
          ],
          ...native(answered),
        },
      ],
    })
    expect(repair(records)).toBe(records)
  })

  it("reads every shape an outcome comes in", () => {
    const records = [
      header,
      say("user", words("go")),
      say("assistant", request("1"), request("2"), request("3"), request("4")),
      say(
        "user",
        response("1", { content: [words("one")], isError: false }),
        response("2", { content: [words("two")], isError: true }),
        response("3", "-32603: boom", "error"),
        response("4", []),
      ),
    ]
    expect(brief(decode(records))[2]).toBe("user: 1=one 2=two! 3=-32603: boom! 4=")
    expect(repair(records)).toBe(records)
  })

  it("keeps what only the screen shows in its record", () => {
    const records = [
      header,
      say("user", words("go")),
      say("assistant", words("may I?"), { type: "toolConfirmationRequest", id: "1", toolName: "x", arguments: {} }, request("1")),
      say("user", response("1", [])),
      seen(hidden, say("assistant", { type: "systemNotification", notificationType: "inlineMessage", msg: "compacted" })),
      say("assistant", { type: "systemNotification", notificationType: "inlineMessage", msg: "compacted" }),
    ]
    expect(brief(decode(records))).toEqual(["user: go", "assistant: may I? 1()", "user: 1="])
    expect(repair(records)).toBe(records)
  })

  it("shows what the agent sees, and the hidden messages with the summary in the whole view", () => {
    const records = [
      header,
      seen(hidden, say("user", words("old"))),
      seen(hidden, say("assistant", words("older"))),
      seen(agentOnly, say("user", words("we did x"))),
      seen(agentOnly, say("assistant", words("I go on"))),
      say("user", words("new")),
    ]
    expect(brief(decode(records))).toEqual(["user*: we did x", "assistant: I go on", "user: new"])
    expect(brief(decode(records, { view: "whole" }))).toEqual([
      "user: old",
      "assistant: older",
      "user*: we did x",
      "assistant: I go on",
      "user: new",
    ])
    expect(repair(records)).toBe(records)
    expect(goose.session.outline(records)).toEqual({
      id: "20250724_1",
      title: "Cleaning",
      folder: "/home/ada/work",
      startedAt: "2026-01-01T00:00:00Z",
      paths: [{ id: "20250724_1", kind: "active", title: "old", messages: 5, first: 0 }],
      compactions: [{ record: 3, kind: "summary", summary: "we did x" }],
    })
  })

  it("reads rows of the database as the lines they would have been", () => {
    const rows = [
      {
        id: 1,
        message_id: "a",
        session_id: "s",
        role: "user",
        content_json: JSON.stringify([words("go")]),
        created_timestamp: 5,
        metadata_json: JSON.stringify(hidden),
      },
      {
        id: 2,
        message_id: null,
        session_id: "s",
        role: "assistant",
        content_json: "[broken",
        created_timestamp: 6,
        metadata_json: null,
      },
    ]
    const lines = [
      { id: "a", role: "user", created: 5, content: [words("go")], metadata: hidden },
      { role: "assistant", created: 6, content: "[broken" },
    ]
    expect(decode(rows, { view: "whole" }).messages).toEqual(decode(lines, { view: "whole" }).messages)
    expect(goose.session.recognise({ syntax: "lines", records: rows })?.certainty).toBe("certain")
  })

  it("keeps a request that the agent could not read as a call without a name", () => {
    const records = [
      header,
      say("user", words("go")),
      say("assistant", { type: "toolRequest", id: "1", toolCall: { status: "error", error: "-32602: no JSON" } }),
      say("user", response("1", "no", "error")),
    ]
    expect(decode(records).messages[1]?.blocks[0]).toMatchObject({
      type: "call",
      id: "1",
      name: "",
      fault: "unparsable",
      raw: "-32602: no JSON",
    })
    expect(check(decode(repair(records)))).toEqual([])
  })
})

describe("writing back", () => {
  it("answers a call in a message of its own, right after", () => {
    const records = [header, say("user", words("go")), say("assistant", request("1")), say("user", words("on"))]
    const back = repair(records)
    expect(back[0]).toEqual({ ...header, message_count: 4 })
    expect(back[3]).toEqual({
      id: expect.stringMatching(/^msg_[0-9a-f]{16}$/) as string,
      role: "user",
      created: 1_784_278_801,
      content: [response("1", { content: [words(syntheticTexts.interrupted)], isError: true })],
      metadata: { userVisible: true, agentVisible: true },
    })
    expect([back[1], back[2], back[4]].map((record) => records.indexOf(record as never))).toEqual([1, 2, 3])
    expect(check(decode(back))).toEqual([])
    expect(repair(back)).toBe(back)
  })

  it("answers a call in the message that holds the other results, and leaves the text beside them", () => {
    const records = [
      header,
      say("user", words("go")),
      say("assistant", request("1"), request("2")),
      say("user", response("2", [words("two")]), words("and then?")),
    ]
    const back = repair(records)
    expect(back).toHaveLength(4)
    expect(back[3]?.["content"]).toEqual([
      response("1", { content: [words(syntheticTexts.interrupted)], isError: true }),
      (records[3] as { readonly content: readonly unknown[] }).content[0],
      words("and then?"),
    ])
    expect(check(decode(back))).toEqual([])
  })

  it.each(["system", "tool"])("writes results in a record of the role %s as a message of the user", (role) => {
    const answer = response("1", [words("one")])
    const answered = say(role, answer)
    const back = repair([header, say("user", words("go")), say("assistant", request("1")), answered])
    expect(back[3]).toEqual({ ...answered, role: "user", content: [answer] })
    expect(check(decode(back))).toEqual([])
    expect(repair(back)).toBe(back)
  })

  it("leaves two messages alone that share one content object", () => {
    const shared = words("again")
    const records = [header, say("user", shared), say("assistant", words("yes")), say("user", shared)]
    expect(repair(records)).toBe(records)
  })

  it("tells a foreign conversation in the same records", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(), { maxLength: 80 }), (numbers) => {
        const choices = new Choices(numbers)
        const { messages } = damageHistory(generateHistory(choices).messages, choices)
        const { conversation } = settle(transcript(...messages))
        const file = encode(conversation)
        const read = decode(JSON.parse(JSON.stringify(file)))
        expect(check(read)).toEqual([])
        expect(recordsOf(encode(settle(read).conversation))).toEqual(recordsOf(file))
        expect(countBlocks(read.messages, "call")).toBe(countBlocks(messages, "call") === 0 ? 0 : countBlocks(read.messages, "result"))
      }),
      { numRuns: 100 },
    )
  })
})

describe("a record alone", () => {
  it("says which calls it makes and answers, and where a prompt starts", () => {
    const records = [say("user", words("x")), say("assistant", request("1"), request("2")), say("user", response("1", [])), header, 7]
    expect(records.map((record) => goose.session.pulse?.(record))).toEqual([
      { starts: true },
      { calls: ["1", "2"] },
      { results: ["1"] },
      {},
      {},
    ])
  })

  it("never throws, whatever it is", () => {
    const part = fc.record({
      type: fc.constantFrom("text", "image", "toolRequest", "toolResponse", "thinking", "redactedThinking", "resource", "constructor"),
      id: fc.anything(),
      text: fc.anything(),
      toolCall: fc.anything(),
      toolResult: fc.oneof(
        fc.anything(),
        fc.record({ status: fc.constantFrom("success", "error"), value: fc.anything(), error: fc.anything() }),
      ),
    })
    const message = fc.record(
      {
        role: fc.oneof(fc.constantFrom("user", "assistant"), fc.anything()),
        content: fc.oneof(fc.anything(), fc.array(fc.oneof(part, fc.anything()))),
        metadata: fc.anything(),
        content_json: fc.anything(),
      },
      { requiredKeys: ["role", "content"] },
    )
    fc.assert(
      fc.property(fc.oneof(fc.anything(), fc.array(fc.oneof(message, fc.anything()))), (value) => {
        encode(settle(decode(value, { view: "whole" })).conversation)
        encode(settle(decode({ records: value })).conversation)
        goose.session.outline(value)
        goose.session.place?.(value)
        if (Array.isArray(value)) for (const record of value) goose.session.pulse?.(record)
      }),
      { numRuns: 400 },
    )
  })
})

describe.skipIf(corpus === undefined)("goose sessions of the corpus", () => {
  const expected = expectedCounts()

  it.each(corpusFiles("goose"))("%s is recognised by this codec alone, has the expected counts, is valid and comes back", (file) => {
    const records = linesOf(readCorpus(file))
    expect(goose.session.recognise({ syntax: "lines", records })?.certainty).toBe("certain")
    expect(rivals(goose, "lines", records)).toEqual([])
    const read = decode(records, { view: "whole" })
    expect(countsOf(goose, records, read, read.messages.length)).toEqual(expected.get(file))
    expect(verdicts(read)).toEqual(allOk)
    expect(repair(records)).toBe(records)
  })
})
