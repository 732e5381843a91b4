import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { pi } from "../../../src/sessions/pi/index.ts"
import { check, settle } from "../../../src/rules/index.ts"
import {
  assistant as says,
  call,
  type Conversation,
  flatten,
  result,
  syntheticTexts,
  system,
  thinking,
  tool,
  transcript,
  user as asks,
  type Wire,
} from "../../../src/model/index.ts"
import { Choices, damageHistory, generateHistory } from "../../../src/testing/index.ts"
import { assistant, entry, header, toolCall, toolResult, user, withoutIds } from "./records.ts"

const { decode, encode } = pi

const messageIn = (record: Wire | undefined): Wire => (record?.["message"] ?? {}) as Wire

const recordsOf = (value: Wire) => value["records"] as readonly Wire[]

const repair = (records: readonly unknown[]) => recordsOf(encode(settle(decode(records)).conversation))

const chain = (records: readonly Wire[]) =>
  records.filter(({ type }) => type !== "session").map(({ id, parentId }) => `${String(parentId)}<${String(id)}`)

/** What a conversation says, whatever format its blocks came from. */
const gist = (conversation: Conversation) =>
  flatten(conversation).messages.flatMap(({ role, blocks, summary }) =>
    blocks.map((block) => {
      switch (block.type) {
        case "call":
          return { role, call: block.id, name: block.name, arguments: block.arguments }
        case "result":
          return {
            role: "tool",
            result: block.callId,
            content: block.content.map((each) => (each.type === "text" ? each.text : each.type)),
            error: block.error === true,
          }
        case "thinking":
          return { role, thinking: block.text, signature: block.signature }
        case "media":
          return { role, media: block.source }
        default:
          return { role, text: block.text, summary: summary === true }
      }
    }),
  )

describe("writing back", () => {
  it("returns the very same list of records where nothing is wrong", () => {
    const records: readonly Wire[] = [
      header,
      user("a", null, "go"),
      entry("x", "a", { type: "thinking_level_change", thinkingLevel: "high" }),
      assistant("b", "x", [
        { type: "thinking", thinking: "hm", thinkingSignature: "c2ln" },
        { type: "text", text: "ok", textSignature: "t" },
        toolCall("1"),
        toolCall("2"),
      ]),
      toolResult("c", "b", "1", "one"),
      toolResult("d", "c", "2", "two", true),
      entry("e", "d", { type: "compaction", summary: "so far", firstKeptEntryId: "b", tokensBefore: 1 }),
      entry("f", "e", { type: "message", message: { role: "bashExecution", command: "ls", output: "", exitCode: 0 } }),
      entry("g", "f", { type: "custom_message", customType: "x", content: "note", display: true, details: { a: 1 } }),
      entry("h", "g", { type: "message", message: { role: "user", content: "plain" } }),
    ]
    expect(repair(records)).toBe(records)
    const effective = settle(decode(records, { view: "effective" })).conversation
    expect(recordsOf(encode(effective)).filter((record) => !records.includes(record))).toEqual([])
  })

  it("answers a call after its message and keeps the path one chain", () => {
    const records: readonly Wire[] = [
      header,
      user("a", null, "go"),
      assistant("b", "a", [toolCall("1"), toolCall("2")], { stopReason: "aborted", errorMessage: "stopped" }),
      toolResult("c", "b", "2", "two"),
      user("d", "c", "on"),
    ]
    const back = repair(records)
    const invented = back[3] as Wire
    expect(back.map((record) => records.indexOf(record))).toEqual([0, 1, -1, -1, -1, 4])
    expect(chain(back)).toEqual(["null<a", "a<b", `b<${String(invented["id"])}`, `${String(invented["id"])}<c`, "c<d"])
    expect(invented).toEqual({
      type: "message",
      id: expect.stringMatching(/^[0-9a-f]{8}$/) as string,
      parentId: "b",
      timestamp: records[2]?.["timestamp"],
      message: {
        role: "toolResult",
        toolCallId: "1",
        toolName: "bash",
        content: [{ type: "text", text: syntheticTexts.interrupted }],
        isError: true,
        timestamp: 1767225601000,
      },
    })
    expect(back[2]).toEqual({ ...records[2], message: { ...messageIn(records[2]), stopReason: "toolUse" } })
    expect(check(decode(back))).toEqual([])
    expect(repair(back)).toBe(back)
  })

  it("leaves out a repeated call with its result and hangs branches on what was before", () => {
    const records: readonly Wire[] = [
      header,
      user("a", null, "go"),
      assistant("b", "a", [toolCall("call_0123456789abcdef")]),
      assistant("c", "b", [toolCall("call_0123456789abcdef")]),
      toolResult("d", "c", "call_0123456789abcdef", "one"),
      user("x", "b", "abandoned"),
      entry("y", "d", { type: "compaction", summary: "so far", firstKeptEntryId: "b", tokensBefore: 1 }),
      user("f", "y", "on"),
    ]
    const back = repair(records)
    expect(chain(back)).toEqual(["null<a", "a<c", "c<d", "a<x", "d<y", "y<f"])
    expect(back.find(({ type }) => type === "compaction")?.["firstKeptEntryId"]).toBe("c")
    expect(back.slice(0, 2)).toEqual(records.slice(0, 2))
    expect(check(decode(back))).toEqual([])
  })

  it("moves a late result to its call", () => {
    const records: readonly Wire[] = [
      header,
      user("a", null, "go"),
      assistant("b", "a", [toolCall("1")]),
      user("c", "b", "hurry"),
      toolResult("d", "c", "1", "one"),
      assistant("e", "d", [{ type: "text", text: "done" }]),
    ]
    expect(chain(repair(records))).toEqual(["null<a", "a<b", "b<d", "d<c", "c<e"])
  })

  it("says an orphan result as the user's words in its place", () => {
    const records: readonly Wire[] = [header, toolResult("a", null, "gone", "left over"), user("b", "a", "go")]
    const back = repair(records)
    expect(back).toHaveLength(3)
    expect(chain(back)).toEqual([`null<${String(back[1]?.["id"])}`, `${String(back[1]?.["id"])}<b`])
    expect(messageIn(back[1])["role"]).toBe("user")
    expect(check(decode(back))).toEqual([])
  })

  it("keeps version 1 without ids, and the count of its compaction right", () => {
    const compaction = {
      type: "compaction",
      timestamp: "t",
      summary: "so far",
      firstKeptEntryIndex: 4,
      tokensBefore: 9,
    }
    const { version: _, ...head } = header
    const records = [
      head,
      withoutIds(user("", null, "go")),
      withoutIds(assistant("", null, [toolCall("1")])),
      withoutIds(user("", null, " ")),
      withoutIds(user("", null, "kept")),
      compaction,
      withoutIds(user("", null, "on")),
    ]
    const back = repair(records)
    expect(back.map(({ id, parentId, type }) => ({ id, parentId, type }))).toEqual(
      [head, ...back.slice(1)].map(({ type }, index) => ({ id: index === 0 ? "s-1" : undefined, parentId: undefined, type })),
    )
    expect(back[5]).toEqual({ ...compaction, firstKeptEntryIndex: 4 })
    expect(back[4]).toBe(records[4])
    expect(check(decode(back))).toEqual([])
    expect(repair(back)).toBe(back)
    expect(repair(records.filter((_, index) => index !== 3))[5]).toEqual({ ...compaction, firstKeptEntryIndex: 5 })
  })

  it("reads a session whose entries are all written twice as one, and one whose calls are as two rounds", () => {
    const once = [user("a", null, "go"), assistant("b", "a", [toolCall("1")]), toolResult("c", "b", "1", "one")]
    const twice = [header, ...once, ...once.map((record) => ({ ...record })), user("d", "c", "on")]
    expect(decode(twice).messages).toHaveLength(4)
    expect(decode(twice).diagnostics?.map(({ rule }) => rule)).toEqual(["repeated-record", "repeated-record", "repeated-record"])
    expect(pi.session.outline(twice).paths).toHaveLength(1)
    expect(repair(twice)).toBe(twice)
    const again = [header, ...once, assistant("e", "c", [toolCall("1")]), toolResult("f", "e", "1", "one"), user("g", "f", "on")]
    expect(check(decode(repair(again)))).toEqual([])
  })

  it("keeps every byte of other branches when one is repaired", () => {
    const records: readonly Wire[] = [header, user("a", null, "go"), assistant("b", "a", [toolCall("1")]), user("c", "a", "instead")]
    const whole = settle(decode(records, { branch: "b" })).conversation
    const back = recordsOf(encode(whole))
    expect(back.slice(0, 3)).toEqual(records.slice(0, 3))
    expect(back.at(-1)).toBe(records[3])
    expect(back).toHaveLength(5)
  })
})

describe("a new session", () => {
  const conversation = settle(
    transcript(
      system("be good"),
      asks("go", { type: "media", kind: "image", mediaType: "image/png", source: { type: "base64", data: "AAAA" } }),
      says(thinking("hm", "c2ln"), "I look.", call("1", "ls", { path: "." }), call("2", "rm")),
      tool(result("1", "a.ts"), result("2", "denied", { error: true })),
      says("Done."),
      { role: "user", blocks: [{ type: "text", text: "all before" }], summary: true },
      asks("more"),
    ),
  ).conversation

  const written = encode(conversation, {
    session: { id: "0199-x", folder: "/w", startedAt: "2026-02-03T04:05:06.000Z", title: "Cleaning" },
  })

  it("has the header, one chain and the fields the agent reads", () => {
    const records = recordsOf(written)
    expect(records[0]).toEqual({ type: "session", version: 3, id: "0199-x", timestamp: "2026-02-03T04:05:06.000Z", cwd: "/w" })
    const ids = records.slice(1).map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    expect(records.slice(1).map(({ parentId }) => parentId)).toEqual([null, ...ids.slice(0, -1)])
    expect(records.map(({ type, message }) => [type, (message as Wire | undefined)?.["role"]])).toEqual([
      ["session", undefined],
      ["session_info", undefined],
      ["custom_message", undefined],
      ["message", "user"],
      ["message", "assistant"],
      ["message", "toolResult"],
      ["message", "toolResult"],
      ["message", "assistant"],
      ["compaction", undefined],
      ["message", "user"],
    ])
    expect(Object.keys(messageIn(records[4]))).toEqual(["role", "content", "api", "provider", "model", "usage", "stopReason", "timestamp"])
    expect(messageIn(records[6])["isError"]).toBe(true)
    expect(pi.session.outline(written)).toMatchObject({
      id: "0199-x",
      title: "Cleaning",
      folder: "/w",
      startedAt: "2026-02-03T04:05:06.000Z",
    })
  })

  it("keeps a seal of thinking only where the agent would know what it is", () => {
    const sealed = { ...says(thinking("hm", "c2ln"), "ok"), origin: { provider: "openai", model: "gpt" } }
    const records = recordsOf(encode(settle(transcript(asks("go"), sealed)).conversation))
    expect(messageIn(records[2])["content"]).toEqual([
      { type: "thinking", thinking: "hm" },
      { type: "text", text: "ok" },
    ])
    expect(messageIn(records[2])).toMatchObject({ api: "openai-completions", provider: "openai", model: "gpt" })
  })

  it("reads back as the same conversation, and is the same every time", () => {
    const read = decode(written)
    expect(check(read)).toEqual([])
    expect(gist(settle(read).conversation)).toEqual(gist(conversation))
    expect(encode(conversation, {})).toEqual(encode(conversation, {}))
    expect(recordsOf(encode(settle(read).conversation))).toBe(recordsOf(written))
  })

  it("reads back as the same conversation for every generated history, damaged or not", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(), { maxLength: 120 }), (numbers) => {
        const choices = new Choices(numbers)
        const { messages } = damageHistory(generateHistory(choices).messages, choices)
        const { conversation: lawful } = settle(transcript(...messages))
        const file = encode(lawful)
        const read = decode(JSON.parse(JSON.stringify(file)))
        expect(check(read)).toEqual([])
        expect(gist(settle(read).conversation)).toEqual(gist(lawful))
      }),
      { numRuns: 150 },
    )
  })
})
