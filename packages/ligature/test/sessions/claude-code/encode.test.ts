import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { claudeCode } from "../../../src/sessions/claude-code/index.ts"
import { check, settle } from "../../../src/rules/index.ts"
import {
  assistant,
  call,
  type Conversation,
  flatten,
  resultText,
  result,
  thinking,
  tool,
  type Transcript,
  transcript,
  user,
  system,
  type Wire,
} from "../../../src/model/index.ts"
import { Choices, damageHistory, generateHistory } from "../../../src/testing/index.ts"
import { damages } from "../../../src/testing/damage.ts"
import { FileBuilder, said } from "./builder.ts"

const { decode, encode, session } = claudeCode

const recordsOf = (value: Wire): readonly Wire[] => value["records"] as readonly Wire[]

const repaired = (records: readonly unknown[], tip: "open" | "closed" = "closed"): readonly Wire[] =>
  recordsOf(encode(settle(decode(records), { tip }).conversation))

/** Who says what, block by block. */
const plain = (conversation: Conversation): readonly string[] =>
  flatten(conversation).messages.flatMap(({ role, blocks }) =>
    blocks.flatMap((block): readonly string[] => {
      const who = role === "tool" ? "user" : role
      if (block.type === "call") return [`${who}: +${block.id} ${block.name} ${JSON.stringify(block.arguments)}`]
      const failed = block.type === "result" && block.error === true ? "!" : ""
      if (block.type === "result") return [`${who}: =${block.callId} ${failed}${resultText(block)}`]
      return block.type === "text" ? [`${who}: ${block.text}`] : []
    }),
  )

describe("back into its own file", () => {
  const healthy = (): FileBuilder => {
    const file = new FileBuilder()
    file.outside({ type: "mode", mode: "normal", sessionId: "session-1" })
    file.prompt("go", null)
    file.reply({ type: "thinking", thinking: "hm", signature: "c2ln" })
    file.fragment("looking")
    const a = file.call("a")
    const b = file.call("b")
    file.result("b", b)
    file.result("a", a)
    file.reply("done")
    return file
  }

  it("returns the very same records where nothing was wrong", () => {
    const { records } = healthy()
    const { conversation, report } = settle(decode(records))
    expect(report.entries).toEqual([])
    expect(encode(conversation)["records"]).toBe(records)
  })

  it("writes an invented result after its call, as the agent would, and hangs what follows on it", () => {
    const file = new FileBuilder()
    file.prompt("go")
    file.reply("looking")
    const a = file.call("a")
    file.aside("progress", a)
    file.prompt("stop that", a)
    const records = repaired(file.records)
    const written = records[3] as Wire
    expect(written).toEqual({
      parentUuid: "u2",
      isSidechain: false,
      userType: "external",
      cwd: "/home/me/project.x",
      sessionId: "session-1",
      version: "2.1.143",
      gitBranch: "main",
      type: "user",
      message: {
        role: "user",
        content: [
          {
            type: "tool_result",
            tool_use_id: "a",
            content: expect.stringMatching(/^\[ligature:/) as string,
            is_error: true,
          },
        ],
      },
      toolUseResult: expect.stringMatching(/^Error: \[ligature:/) as string,
      sourceToolAssistantUUID: "u2",
      uuid: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/) as string,
      timestamp: "2026-01-01T00:00:02.000Z",
    })
    expect(records.filter((record) => record !== written).slice(0, 4)).toEqual(file.records.slice(0, 4))
    expect(records[5]).toEqual({ ...file.records[4], parentUuid: written["uuid"] })
    expect(records[0]).toBe(file.records[0])
    expect(repaired(records)).toBe(records)
    expect(repaired(file.records)).toEqual(records)
  })

  it("gives the invented result the name under which a compaction continues it", () => {
    const file = new FileBuilder()
    file.prompt("go")
    file.reply("looking")
    file.call("a")
    file.aside("system", null, { subtype: "compact_boundary", logicalParentUuid: "promised" })
    file.prompt("This session is being continued", undefined, { isCompactSummary: true })
    const records = repaired(file.records)
    expect(records[3]?.["uuid"]).toBe("promised")
    expect(decode(records).diagnostics).toBeUndefined()
  })

  it("leaves an open tip open when asked", () => {
    const file = new FileBuilder()
    file.prompt("go")
    file.reply("looking")
    file.call("a")
    expect(repaired(file.records, "open")).toBe(file.records)
  })

  it("leaves out blank fragments and hangs their children on their parents", () => {
    const file = new FileBuilder()
    file.prompt("go")
    file.reply("\n\n")
    file.fragment("hello")
    file.outside({ type: "last-prompt", leafUuid: "u1", sessionId: "session-1" })
    const records = repaired(file.records)
    const [first, , third, last] = file.records
    expect(records).toEqual([first, { ...third, parentUuid: "u0" }, { ...last, leafUuid: "u0" }])
    expect(said(decode(records).messages)).toEqual(["user: go", "assistant: hello"])
  })

  it("leaves out the second result of a call, and says an orphan's words as text in its place", () => {
    const file = new FileBuilder()
    file.prompt("go")
    file.reply("looking")
    const a = file.call("a")
    file.result("a", a)
    file.result("a", a)
    file.result("ghost")
    file.reply("done")
    const records = repaired(file.records)
    expect(records).toHaveLength(6)
    expect(said(decode(records).messages).slice(2)).toEqual([
      "user: =a",
      "user: [Result of a call that is no longer in the history (ghost)]\nresult of ghost",
      "assistant: done",
    ])
    expect(repaired(records)).toBe(records)
  })

  it("patches the words of a record and nothing around them", () => {
    const file = new FileBuilder()
    file.prompt("broken \ud800 half")
    file.reply("also \udc00 here")
    const records = repaired(file.records)
    const message = file.records[1]?.["message"] as Wire
    expect(records).toEqual([
      { ...file.records[0], message: { role: "user", content: "broken \ufffd half" } },
      { ...file.records[1], message: { ...message, content: [{ type: "text", text: "also \ufffd here" }] } },
    ])
  })

  it("keeps other branches, subagents and bookkeeping", () => {
    const file = new FileBuilder()
    file.prompt("go")
    file.reply("one")
    file.call("left-behind")
    file.prompt("two", "u0")
    file.reply("\n")
    file.fragment("three")
    const records = repaired(file.records)
    expect(records).toHaveLength(5)
    expect(records.slice(0, 4)).toEqual(file.records.slice(0, 4))
  })

  it("takes new messages in, each hanging on the one before", () => {
    const { records } = healthy()
    const { conversation } = settle(decode(records))
    const more = settle(transcript(user("and now?"), assistant("that"))).conversation
    const grown = { ...conversation, items: [...conversation.items, ...more.items] } as Conversation
    const written = recordsOf(encode(grown))
    expect(written.slice(0, records.length)).toEqual(records)
    expect(said(decode(written).messages).slice(-2)).toEqual(["user: and now?", "assistant: that"])
    expect(written.at(-2)?.["parentUuid"]).toBe("u8")
    expect(written.at(-1)?.["parentUuid"]).toBe(written.at(-2)?.["uuid"])
  })

  it("gives records that were added one after another names of their own", () => {
    let { records } = healthy() as { records: readonly Wire[] }
    for (const words of ["one", "two", "three"]) {
      const { conversation } = settle(decode(records))
      const more = settle(transcript(user(words))).conversation
      records = recordsOf(encode({ ...conversation, items: [...conversation.items, ...more.items] } as Conversation))
    }
    expect(said(decode(records).messages).slice(-3)).toEqual(["user: one", "user: two", "user: three"])
    const uuids = records.flatMap(({ uuid }) => (uuid === undefined ? [] : [uuid]))
    expect(new Set(uuids).size).toBe(uuids.length)
  })

  it("finds every place again after a trip through JSON", () => {
    const { records } = healthy()
    const { conversation } = settle(decode(records))
    expect(encode(JSON.parse(JSON.stringify(conversation)) as Conversation)["records"]).toEqual(records)
  })
})

describe("a new session", () => {
  const foreign = settle(
    transcript(
      system("Be kind."),
      user("go"),
      assistant(thinking("hm", "of another origin"), "looking", call("a", "ls", { path: "." }), call("b", "ls")),
      tool(result("a", "x")),
      tool({ ...result("b", "no"), error: true }),
      assistant("done"),
      { ...user("so far: all is well"), summary: true },
      user("next"),
    ),
  ).conversation

  it("is a file of single blocks that hang on each other", () => {
    const about = { id: "s-1", folder: "/home/me", startedAt: "2026-02-28T23:59:58Z", title: "T" }
    const records = recordsOf(encode(foreign, { session: about }))
    expect(records.map(({ type, timestamp }) => `${String(type)} ${String(timestamp)}`)).toEqual([
      "user 2026-02-28T23:59:58.000Z",
      "user 2026-02-28T23:59:59.000Z",
      "assistant 2026-03-01T00:00:00.000Z",
      "assistant 2026-03-01T00:00:01.000Z",
      "assistant 2026-03-01T00:00:02.000Z",
      "user 2026-03-01T00:00:03.000Z",
      "user 2026-03-01T00:00:04.000Z",
      "assistant 2026-03-01T00:00:05.000Z",
      "system 2026-03-01T00:00:06.000Z",
      "user 2026-03-01T00:00:07.000Z",
      "user 2026-03-01T00:00:08.000Z",
      "custom-title undefined",
    ])
    const uuids = records.map(({ uuid }) => uuid)
    records.slice(0, 11).forEach((record, index) => {
      expect(record["parentUuid"]).toBe(index === 0 || index === 8 ? null : uuids[index - 1])
    })
    expect(records[8]?.["logicalParentUuid"]).toBe(uuids[7])
    expect(records[3]).toEqual({
      parentUuid: uuids[2],
      isSidechain: false,
      userType: "external",
      cwd: "/home/me",
      sessionId: "s-1",
      version: "2.1.143",
      gitBranch: "",
      message: {
        id: expect.stringMatching(/^msg_[0-9a-f]{24}$/) as string,
        type: "message",
        role: "assistant",
        model: "unknown",
        content: [{ type: "tool_use", id: "a", name: "ls", input: { path: "." } }],
        stop_reason: null,
        stop_sequence: null,
        usage: { input_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 0 },
      },
      requestId: expect.stringMatching(/^req_[0-9a-f]{24}$/) as string,
      type: "assistant",
      uuid: uuids[3],
      timestamp: "2026-03-01T00:00:01.000Z",
    })
    expect(records[6]?.["sourceToolAssistantUUID"]).toBe(uuids[4])
    expect(session.recognise({ syntax: "lines", records })?.certainty).toBe("certain")
    expect(session.place?.({ records })).toEqual({
      path: "~/.claude/projects/-home-me/s-1.jsonl",
      resume: "claude --resume s-1",
      note: "run it in /home/me: sessions are found by the folder they name",
    })
    expect(session.outline({ records }).title).toBe("T")
  })

  it("says the same when it is read", () => {
    const read = decode(encode(foreign))
    expect(read.diagnostics).toBeUndefined()
    const { conversation, report } = settle(read)
    expect(report.entries).toEqual([])
    expect(plain(conversation)).toEqual(["user: [System message]", "user: Be kind.", ...plain(foreign).slice(1)])
    expect(read.messages.filter(({ summary }) => summary === true)).toHaveLength(1)
    expect(decode(encode(foreign), { view: "effective" }).messages).toHaveLength(2)
  })

  it("has the same bytes every time", () => {
    expect(JSON.stringify(encode(foreign))).toBe(JSON.stringify(encode(foreign)))
  })

  it("keeps thinking that its provider signed", () => {
    const said = transcript(user("go"), assistant(thinking("hm", "c2ln"), "ok"))
    const own: Transcript = { ...said, origin: { provider: "anthropic" } }
    const [, reply] = decode(encode(settle(own).conversation)).messages
    expect(reply?.blocks.map(({ type }) => type)).toEqual(["thinking", "text"])
  })
})

const choices = fc.array(fc.nat(), { minLength: 40, maxLength: 200, size: "max" })
const histories = Number(process.env["LIGATURE_HISTORIES"] ?? 400)
const seed = Number(process.env["LIGATURE_SEED"] ?? 20_261_115)

describe("generated histories", () => {
  it("are read as they were written, whatever damage was settled before", () => {
    const property = fc.property(choices, (numbers) => {
      const stream = new Choices(numbers)
      const { messages } = damageHistory(generateHistory(stream).messages, stream, damages)
      const spoken = messages.filter(({ role }) => role !== "system")
      const { conversation } = settle({ format: "ligature", messages: spoken })
      const written = encode(conversation)
      const read = settle(decode(written))
      expect(plain(read.conversation)).toEqual(plain(conversation))
      expect(encode(read.conversation)["records"]).toBe(written["records"])
    })
    fc.assert(property, { numRuns: histories, seed })
  }, 3_600_000)

  it("are repaired in their file so that nothing is left to repair, and no record is lost that was not named", () => {
    const property = fc.property(choices, (numbers) => {
      const stream = new Choices(numbers)
      const { messages } = damageHistory(generateHistory(stream).messages, stream, {})
      const spoken = messages.filter(({ role }) => role !== "system")
      const { conversation } = settle({ format: "ligature", messages: spoken })
      const records = recordsOf(encode(conversation))
      const kept = records.filter(() => !stream.chance(5))
      const damaged = decode({ records: kept })
      const first = settle(damaged).conversation
      const mended = encode(first)
      const again = decode(mended)
      expect(check(again).filter(({ severity }) => severity !== "info")).toEqual([])
      expect(plain(settle(again).conversation)).toEqual(plain(first))
    })
    fc.assert(property, { numRuns: histories, seed })
  }, 3_600_000)
})

describe("hostile records", () => {
  it("are read without throwing, settled and written back", () => {
    const uuid = fc.constantFrom("a", "b", "c", "d", null, undefined, 7)
    const id = fc.constantFrom("x", "y", "z", "", 3)
    const kept = fc.record({ preservedSegment: fc.record({ headUuid: uuid, tailUuid: uuid }) })
    const block = fc.oneof(
      fc.record({ type: fc.constant("text"), text: fc.oneof(fc.string(), fc.constant(null)) }),
      fc.record({ type: fc.constant("tool_use"), id, name: fc.string(), input: fc.anything() }),
      fc.record({ type: fc.constant("tool_result"), tool_use_id: id, content: fc.anything() }),
      fc.anything(),
    )
    const content = fc.oneof(fc.string(), fc.array(block), fc.anything())
    const record = fc.oneof(
      fc.anything(),
      fc.record(
        {
          type: fc.constantFrom("user", "assistant", "system", "progress", "attachment", "last-prompt", "summary"),
          subtype: fc.constantFrom("compact_boundary", "other"),
          uuid,
          parentUuid: uuid,
          logicalParentUuid: uuid,
          leafUuid: uuid,
          sourceToolAssistantUUID: uuid,
          isSidechain: fc.boolean(),
          isMeta: fc.boolean(),
          isCompactSummary: fc.boolean(),
          agentId: fc.constantFrom("g", "h"),
          compactMetadata: fc.oneof(fc.anything(), kept),
          message: fc.oneof(fc.anything(), fc.record({ id: fc.constantFrom("m", "n"), role: fc.string(), content })),
          attachment: fc.record({ type: fc.constant("queued_command"), prompt: content }),
        },
        { requiredKeys: ["type"] },
      ),
    )
    const file = fc.oneof(fc.anything(), fc.array(record))
    const property = fc.property(file, fc.constantFrom("whole" as const, "effective" as const), (value, view) => {
      const read = decode(value, { view })
      session.outline(value)
      session.recognise({ syntax: "lines", records: Array.isArray(value) ? value : [value] })
      if (Array.isArray(value)) for (const each of value) session.pulse?.(each)
      const { conversation } = settle(read)
      const mended = encode(conversation)
      expect(Array.isArray(mended["records"])).toBe(true)
    })
    fc.assert(property, { numRuns: histories * 2, seed })
  }, 3_600_000)
})
