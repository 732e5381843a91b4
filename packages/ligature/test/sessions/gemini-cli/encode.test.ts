import { describe, expect, it } from "vitest"
import { geminiCli } from "../../../src/sessions/gemini-cli/index.ts"
import { projectHash } from "../../../src/sessions/gemini-cli/project.ts"
import { settle } from "../../../src/rules/index.ts"
import { assistant, call, result, syntheticTexts, system, tool, transcript, user, type Wire } from "../../../src/model/index.ts"
import { answered, geminiRecord, metadata, rewindTo, set, userRecord } from "./records.ts"

const rewrite = (records: readonly unknown[], options = {}): readonly unknown[] => {
  const { conversation } = settle(geminiCli.decode(records, options))
  return geminiCli.encode(conversation)["records"] as readonly unknown[]
}

describe("a session that was read from lines", () => {
  const model = geminiRecord("m2", "Looking.", { toolCalls: [answered("c1", "ls", "x")] })

  it("comes back as the very same list when it is healthy", () => {
    const records = [
      metadata,
      userRecord("m1", "Hi."),
      geminiRecord("m2", ""),
      set({ lastUpdated: "y" }),
      model,
      userRecord("m3", "/stats"),
    ]
    expect(rewrite(records)).toBe(records)
  })

  it("keeps results once that the agent keeps with their calls and again as a record of the user", () => {
    const response = { id: "c1", name: "ls", response: { output: "x" } }
    const again = userRecord("m3", "", { content: [{ functionResponse: response }] })
    const typed = userRecord("m4", "", { content: [{ functionResponse: response }, { text: "And now?" }] })
    const records = [
      metadata,
      userRecord("m1", "Hi."),
      model,
      again,
      typed,
      set({ messages: [userRecord("m1", "Hi."), model, again, typed] }),
    ]
    const findings = geminiCli.decode(records).diagnostics ?? []
    expect(findings.map(({ what }) => what)).toEqual(["Results of 1 records are in the session twice"])
    const written = rewrite(records)
    expect(written).toEqual([metadata, records[1], model, typed, set({ messages: [userRecord("m1", "Hi."), model, typed] })])
    expect(rewrite(written)).toBe(written)
  })

  it("gets an honest result into the newest version of a record whose call has none", () => {
    const open = answered("c1", "ls", "", { result: null, status: "executing", description: "lists" })
    const older = geminiRecord("m2", "Looking.")
    const newer = geminiRecord("m2", "Looking.", { toolCalls: [open], tokens: { total: 3 } })
    const records = [metadata, userRecord("m1", "Hi."), older, newer, userRecord("m3", "And?")]
    const response = { id: "c1", name: "ls", response: { error: syntheticTexts.interrupted } }
    const repaired = { ...open, result: [{ functionResponse: response }], status: "error" }
    const written = rewrite(records)
    expect(written).toEqual([records[0], records[1], older, { ...newer, toolCalls: [repaired] }, records[4]])
    expect(written[2]).toBe(older)
    expect(rewrite(written)).toBe(written)
  })

  it("does not write a rewind that would wipe the history", () => {
    const records = [metadata, userRecord("m1", "Hi."), rewindTo("gone"), geminiRecord("m2", "Hello.")]
    expect(rewrite(records)).toEqual([records[0], records[1], records[3]])
  })

  it("keeps rewound messages and their rewinds as they are", () => {
    const records = [metadata, userRecord("m1", "Hi."), userRecord("m2", "No."), rewindTo("m2"), geminiRecord("m3", "Hello.")]
    expect(rewrite(records)).toBe(records)
    expect(rewrite(records, { branch: "m2" })).toBe(records)
  })

  it("leaves out every version of a message that has nothing valid to say", () => {
    const records = [metadata, userRecord("m1", " "), userRecord("m1", "\n"), userRecord("m2", "Hi.")]
    expect(rewrite(records)).toEqual([records[0], records[3]])
  })

  it("gives calls that share an id ids of their own, with their results", () => {
    const second = geminiRecord("m4", "", { toolCalls: [answered("c1", "cat", "y")] })
    const written = rewrite([metadata, userRecord("m1", "Hi."), model, userRecord("m3", "More."), second])
    expect(written[2]).toBe(model)
    const [renamed] = (written[4] as { readonly toolCalls: readonly Wire[] }).toolCalls
    expect(renamed).toEqual({
      ...answered("c1", "cat", "y"),
      id: "c1__2",
      result: [{ functionResponse: { id: "c1__2", name: "cat", response: { output: "y" } } }],
    })
  })

  it("keeps pictures beside an answer whose call gets a new id", () => {
    const picture = { inlineData: { mimeType: "image/png", data: "AA" } }
    const response = (id: string) => ({ functionResponse: { id, name: "shot", response: { output: "ok" } } })
    const second = geminiRecord("m4", "", { toolCalls: [answered("c1", "shot", "", { result: [response("c1"), picture] })] })
    const written = rewrite([metadata, userRecord("m1", "Hi."), model, userRecord("m3", "More."), second])
    const [renamed] = (written[4] as { readonly toolCalls: readonly Wire[] }).toolCalls
    expect(renamed?.["result"]).toEqual([response("c1__2"), picture])
  })

  it("changes only the message inside a checkpoint that needs it", () => {
    const open = geminiRecord("m2", "Looking.", { toolCalls: [answered("c1", "ls", "", { result: null })] })
    const kept = userRecord("m3", "And?")
    const checkpoint = set({ messages: [userRecord("m1", "Hi."), open, kept], lastUpdated: "z" })
    const [first, second] = rewrite([metadata, checkpoint]) as readonly [Wire, { readonly $set: { readonly messages: readonly unknown[] } }]
    expect(first).toBe(metadata)
    expect(second.$set.messages.length).toBe(3)
    expect(second.$set.messages[2]).toBe(kept)
    expect(Object.keys(second.$set)).toEqual(["messages", "lastUpdated"])
  })
})

/** Calls that were tags in text have no ids but those they are given. */
const convertedTags = () => {
  const { id: _, ...unnamed } = call("call_0", "ls", { path: "." })
  return settle(transcript(user("List."), assistant({ ...unnamed, id: "call_0", assigned: true }), tool(result("call_0", "a.txt"))))
}

describe("a conversation of another agent", () => {
  const { conversation } = settle(
    transcript(
      system("Be brief."),
      user("List."),
      assistant("Sure.", call("c1", "ls", { path: "." })),
      tool(result("c1", "a.txt")),
      assistant("One file."),
    ),
  )
  const session = {
    id: "5a3c0000-0000-4000-8000-000000000000",
    folder: "/home/a",
    startedAt: "2026-05-01T10:00:00.000Z",
  }

  it("becomes a session the agent opens", () => {
    const { records } = geminiCli.encode(conversation, { session }) as { readonly records: readonly Wire[] }
    expect(records.map((record) => record["type"])).toEqual([undefined, "user", "gemini", "gemini"])
    expect(records[0]).toMatchObject({
      sessionId: session.id,
      projectHash: projectHash("/home/a"),
      kind: "main",
      directories: ["/home/a"],
    })
    // The agent deletes sessions that were last updated a month ago; without a date it takes that of the file.
    expect(records[0]).not.toHaveProperty("startTime")
    expect(records[0]).not.toHaveProperty("lastUpdated")
    expect(records[2]?.["toolCalls"]).toEqual([
      {
        id: "c1",
        name: "ls",
        args: { path: "." },
        result: [{ functionResponse: { id: "c1", name: "ls", response: { output: "a.txt" } } }],
        status: "success",
        timestamp: "2026-05-01T10:00:01.000Z",
        resultDisplay: "a.txt",
        description: "",
        displayName: "ls",
        renderOutputAsMarkdown: true,
      },
    ])
  })

  it("gives results the ids under which the agent sends their calls", () => {
    const { conversation: made } = convertedTags()
    const { records } = geminiCli.encode(made, { session }) as { readonly records: readonly Wire[] }
    const [made_call] = records.flatMap((record) => (record["toolCalls"] as readonly Wire[] | undefined) ?? [])
    expect(made_call?.["result"]).toMatchObject([{ functionResponse: { id: made_call?.["id"] } }])
  })

  it("marks texts that the agent would take for commands, and takes the mark back", () => {
    const texts = ["/note: go on", "  ?", "<session_context>", "plain", "\u2060/already marked"]
    const { conversation: asked } = settle(transcript(...texts.flatMap((text) => [user(text), assistant("Yes.")])))
    const value = geminiCli.encode(asked, { session })
    const records = (value["records"] as readonly Wire[]).filter((record) => record["type"] === "user")
    expect(records.map((record) => (record["content"] as readonly Wire[])[0]?.["text"])).toEqual([
      "\u2060/note: go on",
      "\u2060  ?",
      "\u2060<session_context>",
      "plain",
      "\u2060\u2060/already marked",
    ])
    const back = geminiCli.decode(value).messages.filter((message) => message.role === "user")
    expect(back.map(({ blocks: [block] }) => (block?.type === "text" ? block.text : block))).toEqual(texts)
  })

  it("grows at its end alone when more is said", () => {
    const longer = settle(
      transcript(
        system("Be brief."),
        user("List."),
        assistant("Sure.", call("c1", "ls", { path: "." })),
        tool(result("c1", "a.txt")),
        assistant("One file."),
        user("Thanks."),
      ),
    ).conversation
    const list = (value: Wire) => (value["records"] as readonly Wire[]).slice(1)
    const short = list(geminiCli.encode(conversation, { session }))
    expect(list(geminiCli.encode(longer, { session })).slice(0, short.length)).toEqual(short)
  })
})
