import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { decode as decodeWire } from "../../../src/convert/index.ts"
import { codexRollout } from "../../../src/sessions/codex-rollout/index.ts"
import { settle } from "../../../src/rules/index.ts"
import {
  assistant,
  type Block,
  call,
  callsOf,
  type Conversation,
  result,
  resultText,
  system,
  thinking,
  tool,
  transcript,
  user,
  type Wire,
} from "../../../src/model/index.ts"
import { Choices, damageHistory, generateHistory } from "../../../src/testing/index.ts"

const session = { id: "my-session", folder: "/home/me/project", startedAt: "2026-03-01T10:00:00.000Z" }

/** What a reader sees of a conversation: words, calls and what became of them. */
const gist = ({ items }: Conversation): readonly unknown[] =>
  items.flatMap((item): readonly unknown[] => {
    const words = (blocks: readonly Block[]): readonly string[] => blocks.flatMap((block) => (block.type === "text" ? [block.text] : []))
    if (item.role !== "exchange") return [item.role, ...words(item.blocks)]
    const calls = callsOf(item).map(({ id, name, arguments: args }) => [id, name, args])
    const outcomes = item.outcomes.map(({ kind, result: outcome }) => [kind, outcome && resultText(outcome)])
    // Words of the model that follow each other are one message there: only their order is kept.
    const asked = calls.length > 0 ? [calls, outcomes] : []
    return [...words(item.message.blocks), ...asked, ...words(item.reply?.blocks ?? [])]
  })

const written = (conversation: Conversation): readonly Wire[] =>
  codexRollout.encode(conversation, { session })["records"] as readonly Wire[]

describe("a conversation from elsewhere", () => {
  const { conversation } = settle(
    transcript(
      system("Be careful."),
      user("list files"),
      assistant(thinking("hm", "sig"), "Looking.", call("c1", "ls", { path: "." })),
      tool(result("c1", "no such folder", { error: true })),
      assistant("There are none."),
    ),
  )

  it("becomes a session that Codex lists and resumes", () => {
    const at = (second: number): string => `2026-03-01T10:00:0${second}.000Z`
    const id = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/) as unknown
    const say = (role: string, type: string, text: string): Wire => ({
      type: "message",
      role,
      content: [{ type, text }],
    })
    const records = written(conversation)
    expect(records).toEqual([
      {
        timestamp: at(0),
        type: "session_meta",
        payload: {
          id,
          timestamp: at(0),
          cwd: "/home/me/project",
          originator: "ligature",
          cli_version: "0.142.3",
          source: "cli",
        },
      },
      { timestamp: at(1), type: "response_item", payload: say("developer", "input_text", "Be careful.") },
      { timestamp: at(2), type: "response_item", payload: say("user", "input_text", "list files") },
      {
        timestamp: at(3),
        type: "event_msg",
        payload: { type: "user_message", message: "list files", images: [], local_images: [], text_elements: [] },
      },
      { timestamp: at(4), type: "event_msg", payload: { type: "agent_reasoning", text: "hm" } },
      { timestamp: at(5), type: "event_msg", payload: { type: "agent_message", message: "Looking." } },
      { timestamp: at(6), type: "response_item", payload: say("assistant", "output_text", "Looking.") },
      {
        timestamp: at(7),
        type: "response_item",
        payload: { type: "function_call", call_id: "c1", name: "ls", arguments: '{"path":"."}' },
      },
      {
        timestamp: at(8),
        type: "response_item",
        payload: { type: "function_call_output", call_id: "c1", output: "[tool error] no such folder" },
      },
      { timestamp: at(9), type: "event_msg", payload: { type: "agent_message", message: "There are none." } },
      {
        timestamp: "2026-03-01T10:00:10.000Z",
        type: "response_item",
        payload: say("assistant", "output_text", "There are none."),
      },
    ])
    const meta = records[0]?.["payload"] as Wire
    expect(codexRollout.session.place?.(records)).toMatchObject({
      path: `~/.codex/sessions/2026/03/01/rollout-2026-03-01T10-00-00-${String(meta["id"])}.jsonl`,
      resume: `codex resume ${String(meta["id"])}`,
    })
  })

  it("has a summary as a compaction, which hides what was before it and keeps the instructions", () => {
    const { conversation: compacted } = settle(
      transcript(
        system("Be careful."),
        user("first"),
        assistant("done"),
        { ...user("In short: the first was done."), summary: true },
        assistant("I go on."),
      ),
    )
    const records = written(compacted)
    expect(records.filter(({ type }) => type === "compacted").map(({ payload }) => payload)).toEqual([
      {
        message: "In short: the first was done.",
        replacement_history: [
          { type: "message", role: "developer", content: [{ type: "input_text", text: "Be careful." }] },
          { type: "message", role: "user", content: [{ type: "input_text", text: "In short: the first was done." }] },
        ],
      },
    ])
    const texts = (view: "whole" | "effective"): readonly unknown[] =>
      codexRollout
        .decode(records, { view })
        .messages.map(({ summary, blocks }) => [summary === true, ...blocks.map((block) => block.type === "text" && block.text)])
    expect(texts("effective")).toEqual([
      [false, "Be careful."],
      [true, "In short: the first was done."],
      [false, "I go on."],
    ])
    expect(texts("whole")).toEqual([
      [false, "Be careful."],
      [false, "first"],
      [false, "done"],
      [true, "In short: the first was done."],
      [false, "I go on."],
    ])
  })

  it("reads back as the same conversation", () => {
    expect(gist(settle(codexRollout.decode(written(conversation))).conversation)).toEqual(gist(conversation))
  })

  it("keeps the reasoning and the searches of the Responses API, and writes its other tools as functions", () => {
    const input = [
      { role: "user", content: "go" },
      { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "gAAA" },
      { type: "web_search_call", id: "ws_1", status: "completed", action: { type: "search", query: "q" } },
      { type: "apply_patch_call", call_id: "p1", status: "completed", operation: { type: "delete_file", path: "x" } },
      { type: "apply_patch_call_output", call_id: "p1", status: "completed", output: "gone" },
    ]
    const { conversation: native } = settle(decodeWire("openai-responses", { input }))
    const items = written(native).filter(({ type }) => type === "response_item")
    expect(items.map(({ payload }) => payload)).toEqual([
      { type: "message", role: "user", content: [{ type: "input_text", text: "go" }] },
      input[1],
      input[2],
      {
        type: "function_call",
        call_id: "p1",
        name: "apply_patch",
        arguments: JSON.stringify({ type: "delete_file", path: "x" }),
      },
      { type: "function_call_output", call_id: "p1", output: "gone" },
    ])
  })

  it("keeps the phase of what the Responses API said", () => {
    const said = (phase: string, words: string): Wire => ({
      type: "message",
      role: "assistant",
      phase,
      content: [{ type: "output_text", text: words, annotations: [] }],
    })
    const looked = [
      { type: "function_call", call_id: "c1", name: "ls", arguments: "{}" },
      { type: "function_call_output", call_id: "c1", output: "" },
    ]
    const input = [
      { role: "user", content: "list files" },
      said("commentary", "I look."),
      ...looked,
      said("final_answer", "There are none."),
    ]
    const items = written(settle(decodeWire("openai-responses", { input })).conversation).map(({ payload }) => payload as Wire)
    expect(items.filter(({ role }) => role === "assistant").map(({ phase }) => phase)).toEqual(["commentary", "final_answer"])
  })

  it("says media that Codex does not load as text, and keeps images", () => {
    const source = { type: "base64", data: "AAAA" } as const
    const image = { type: "media", kind: "image", mediaType: "image/png", source } as const
    const file = { type: "media", kind: "document", mediaType: "application/pdf", source } as const
    const { conversation: media } = settle(
      transcript(user("see", image, file), assistant(call("c1", "shot")), tool({ ...result("c1", ""), content: [image, file] })),
    )
    const items = written(media).flatMap(({ type, payload }) => (type === "response_item" ? [payload as Wire] : []))
    expect(items[0]?.["content"]).toEqual([
      { type: "input_text", text: "see" },
      { type: "input_image", image_url: "data:image/png;base64,AAAA" },
      { type: "input_text", text: "[document: application/pdf, 3 bytes]" },
    ])
    expect(items[2]?.["output"]).toMatchObject([{ type: "input_image" }, { type: "input_text" }])
  })

  it("is the same file every time, whatever the conversation, and reads back the same", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(), { maxLength: 200 }), (numbers) => {
        const choices = new Choices(numbers)
        const { messages } = damageHistory(generateHistory(choices).messages, choices)
        const settled = settle(transcript(...messages)).conversation
        const records = codexRollout.encode(settled)["records"]
        expect(codexRollout.encode(settled)["records"]).toEqual(records)
        const back = settle(codexRollout.decode(records))
        expect(back.report.entries).toEqual([])
        expect(gist(back.conversation).join("\n")).toBe(gist(settled).join("\n"))
        expect(codexRollout.encode(back.conversation)["records"]).toBe(records)
      }),
    )
  })
})
