/** Importing a source again, whatever became of it meanwhile, works alike in every store. */
import { describe, expect, it } from "vitest"
import { importInto, type ImportedInto } from "../../../src/agent/index.ts"
import { assistant, user } from "../../../src/model/index.ts"
import { cover, type Store } from "../../../src/store/index.ts"
import { say, type Stage } from "./stage.ts"

interface ChatMessage {
  readonly role: string
  readonly [key: string]: unknown
}

const asked = (content: string): ChatMessage => ({ role: "user", content })
const answered = (content: string): ChatMessage => ({ role: "assistant", content })
const called = (...ids: readonly string[]): ChatMessage => ({
  role: "assistant",
  content: null,
  tool_calls: ids.map((id) => ({ id, type: "function", function: { name: "ls", arguments: "{}" } })),
})
const gave = (id: string, content: string): ChatMessage => ({ role: "tool", tool_call_id: id, content })

const chat = (store: Store, messages: readonly ChatMessage[], more: object = {}): Promise<ImportedInto> =>
  importInto(store, { model: "m", messages }, { format: "openai-chat", ...more })

const begun = [asked("List the files"), called("a"), gave("a", "x.ts"), answered("One.")]

/** A Claude Code session: each record follows the one before, unless `after` names another. */
interface Line {
  readonly id: string
  readonly says: string
  readonly after?: string | null
  readonly agent?: string
  readonly by?: "user" | "assistant"
}

const session = (lines: readonly Line[], id = "s1"): readonly object[] =>
  lines.map(({ id: uuid, says, after, agent, by }, index) => {
    const role = by ?? (index % 2 === 0 ? "user" : "assistant")
    return {
      sessionId: id,
      isSidechain: agent !== undefined,
      ...(agent !== undefined && { agentId: agent }),
      cwd: "/w",
      version: "2.1.0",
      timestamp: "2026-01-02T03:04:05.000Z",
      type: role,
      uuid,
      parentUuid: after === undefined ? (lines[index - 1]?.id ?? null) : after,
      message: { role, content: role === "user" ? says : [{ type: "text", text: says }], ...(role === "assistant" && { id: `m${uuid}` }) },
    }
  })

const ofSession = (store: Store, lines: readonly Line[], more: object = {}): Promise<ImportedInto> =>
  importInto(store, session(lines), { format: "claude-code", ...more })

const four: readonly Line[] = [
  { id: "1", says: "Which?" },
  { id: "2", says: "The first." },
  { id: "3", says: "Why?" },
  { id: "4", says: "It is shorter." },
]

const countOf = async (store: Store): Promise<number> => (await store.list()).conversations.length

export const importConformance = (stage: Stage): void => {
  describe("an import", () => {
    it("that is repeated changes nothing, in any process, by any file name", async () => {
      const first = await chat(stage.store, begun, { source: "a.json" })
      expect(first).toMatchObject({ change: "new", added: 4, imported: { exact: true } })
      const before = await stage.store.load(first.conversation)
      const other = stage.another()
      const again = await chat(other, begun, { source: "./copies/b.json" })
      expect(again).toMatchObject({ conversation: first.conversation, change: "unchanged", added: 0, imported: { exact: true } })
      expect(await other.load(first.conversation)).toEqual(before)
      expect(await countOf(other)).toBe(1)
      await other.close()
    })

    it("of a source that grew appends what is new, whatever was open at its end", async () => {
      const whole = [...begun, asked("And now?"), called("b", "c"), gave("b", "1"), gave("c", "2"), answered("Two.")]
      let conversation = ""
      for (let count = 1; count <= whole.length; count++) {
        const done = await chat(stage.store, whole.slice(0, count))
        expect([done.change, done.added]).toEqual([count === 1 ? "new" : "grown", 1])
        conversation = done.conversation
      }
      const fresh = await chat(stage.store, whole, { id: "fresh" })
      expect((await stage.store.load(conversation)).transcript.messages).toEqual((await stage.store.load("fresh")).transcript.messages)
      expect(fresh.change).toBe("new")
      expect((await stage.store.branches(conversation)).length).toBe(1)
      expect(await chat(stage.store, whole)).toMatchObject({ conversation, change: "unchanged", imported: { exact: true } })
    })

    it("of an older state of the source changes nothing", async () => {
      const { conversation } = await chat(stage.store, begun)
      expect(await chat(stage.store, begun.slice(0, 2))).toMatchObject({ conversation, change: "unchanged" })
      expect(await countOf(stage.store)).toBe(1)
    })

    it("recognises results that were read one by one and then together", async () => {
      const blocks = (count: number): object => ({
        messages: [
          { role: "user", content: "go" },
          { role: "assistant", content: ["a", "b"].map((id) => ({ type: "tool_use", id, name: "ls", input: {} })) },
          { role: "user", content: ["a", "b"].slice(0, count).map((id) => ({ type: "tool_result", tool_use_id: id, content: id })) },
        ],
      })
      const { conversation } = await importInto(stage.store, blocks(1), { format: "anthropic" })
      expect(await importInto(stage.store, blocks(2), { format: "anthropic" })).toMatchObject({ conversation, change: "grown", added: 1 })
      expect((await stage.store.branches(conversation)).length).toBe(1)
    })

    it("of a damaged source that is repaired alike goes on after the repair", async () => {
      const torn = [asked("List"), called("a"), asked("Well?"), answered("It was cut off.")]
      const first = await chat(stage.store, torn)
      expect(first.imported.report.entries).toHaveLength(1)
      expect(await chat(stage.store, torn)).toMatchObject({ change: "unchanged" })
      const grown = await chat(stage.store, [...torn, asked("Again"), answered("Fine.")])
      expect(grown).toMatchObject({ conversation: first.conversation, change: "grown", added: 2 })
    })

    it("of another conversation with the same beginning makes another one, each time the same", async () => {
      const left = [...begun, asked("left"), answered("L")]
      const right = [...begun, asked("right"), answered("R")]
      const [one, two] = [await chat(stage.store, left), await chat(stage.store, right)]
      expect([one.change, two.change, two.conversation === one.conversation]).toEqual(["new", "new", false])
      expect(await chat(stage.store, left)).toMatchObject({ conversation: one.conversation, change: "unchanged" })
      expect(await chat(stage.store, [...right, asked("on")])).toMatchObject({ conversation: two.conversation, change: "grown" })
      expect(await countOf(stage.store)).toBe(2)
    })

    it("keeps title and settings up to date", async () => {
      const { conversation } = await chat(stage.store, begun)
      const value = { model: "other", messages: begun }
      expect(await importInto(stage.store, value, { format: "openai-chat" })).toMatchObject({
        conversation,
        change: "updated",
        imported: { exact: true },
      })
      expect(await importInto(stage.store, value, { format: "openai-chat" })).toMatchObject({ change: "unchanged" })
      expect(await importInto(stage.store, value, { format: "openai-chat", title: "Chosen" })).toMatchObject({ change: "updated" })
      expect((await stage.store.load(conversation)).title).toBe("Chosen")
    })

    it("of a session that was rewound becomes a branch, and the tip follows it", async () => {
      const { conversation, tip: before } = await ofSession(stage.store, four)
      const rewound = [...four, { id: "5", says: "Take the second.", after: "2" }]
      const done = await ofSession(stage.store, rewound)
      expect(done).toMatchObject({ conversation, change: "branched", added: 1 })
      expect(await stage.shown(conversation)).toEqual(["Which?", "The first.", "Take the second."])
      expect((await stage.store.branches(conversation)).map(({ tip, active }) => [tip === before, active])).toEqual([
        [true, false],
        [false, true],
      ])
      expect(await ofSession(stage.store, rewound)).toMatchObject({ change: "unchanged" })
      const back = [...rewound, { id: "6", says: "Really?", after: "4" }]
      expect(await ofSession(stage.store, back)).toMatchObject({ change: "branched", added: 1 })
      expect(await stage.shown(conversation)).toEqual(["Which?", "The first.", "Why?", "It is shorter.", "Really?"])
    })

    it("leaves the tip with somebody who went on in the store", async () => {
      const { conversation, tip } = await ofSession(stage.store, four)
      await stage.store.append(conversation, [say("Here we go on."), { kind: "message", message: assistant("Yes.") }])
      expect(await ofSession(stage.store, four)).toMatchObject({ change: "unchanged" })
      const grown = [...four, { id: "5", says: "There they go on." }]
      expect(await ofSession(stage.store, grown)).toMatchObject({ change: "branched", added: 1 })
      expect((await stage.shown(conversation)).slice(4)).toEqual(["Here we go on.", "Yes."])
      expect(await ofSession(stage.store, grown)).toMatchObject({ change: "unchanged" })
      const { entries } = await stage.store.load(conversation)
      expect(entries.some(({ id }) => id === tip)).toBe(true)
    })

    it("goes on after a summary that was made in the store", async () => {
      const { conversation } = await ofSession(stage.store, four)
      const { entries } = await stage.store.load(conversation)
      const covers = cover(entries.filter(({ kind }) => kind === "message").slice(0, 2))
      await stage.store.append(conversation, [{ kind: "summary", message: { ...user("They chose."), summary: true }, covers }])
      const grown = [...four, { id: "5", says: "Good." }]
      expect(await ofSession(stage.store, grown)).toMatchObject({ change: "grown", added: 1 })
      expect(await stage.shown(conversation)).toEqual(["They chose.", "Why?", "It is shorter.", "Good."])
    })

    it("finds its session again after somebody started over in the store", async () => {
      const { conversation } = await ofSession(stage.store, four)
      await stage.store.append(conversation, [{ kind: "tip", to: null }, say("Something else")])
      expect(await ofSession(stage.store, four)).toMatchObject({ conversation, change: "unchanged" })
      expect(await stage.shown(conversation)).toEqual(["Something else"])
    })

    it("of an answer that was read while it was written keeps the whole one in view", async () => {
      const half = session([four[0] as Line, { id: "2", says: "The" }])
      const { conversation } = await importInto(stage.store, half, { format: "claude-code" })
      const whole = [
        ...half,
        {
          ...(half[1] as object),
          uuid: "2b",
          parentUuid: "2",
          message: { role: "assistant", id: "m2", content: [{ type: "text", text: " first." }] },
        },
      ]
      expect(await importInto(stage.store, whole, { format: "claude-code" })).toMatchObject({ conversation, change: "grown", added: 1 })
      expect(await stage.shown(conversation)).toEqual(["Which?", "The| first."])
    })

    it("writes branches and sub-agents of a session once, and links them", async () => {
      const lines: readonly Line[] = [
        ...four,
        { id: "5", says: "Look around", after: null, agent: "scout", by: "user" },
        { id: "6", says: "Nothing here.", agent: "scout", by: "assistant" },
        { id: "7", says: "Take the second.", after: "2", by: "user" },
      ]
      const first = await ofSession(stage.store, lines, { all: true })
      expect(first).toMatchObject({ change: "new", added: 3, branches: 1, subagents: [{ change: "new", added: 2 }] })
      const again = await ofSession(stage.store, lines, { all: true })
      expect(again).toMatchObject({ change: "unchanged", branches: 0, subagents: [{ change: "unchanged" }] })
      const child = first.subagents[0]?.conversation ?? ""
      expect((await stage.store.load(child)).parent).toEqual({ conversation: first.conversation })
      expect((await stage.store.list({ parent: first.conversation })).conversations.map(({ id }) => id)).toEqual([child])
      expect(await countOf(stage.store)).toBe(2)
      const alone = session(lines.slice(4, 6))
      expect(await importInto(stage.store, alone, { format: "claude-code" })).toMatchObject({ conversation: child, change: "unchanged" })
      const grown = [...lines, { id: "8", says: "And there?", after: "6", agent: "scout", by: "user" as const }]
      expect(await ofSession(stage.store, grown, { all: true })).toMatchObject({
        change: "unchanged",
        subagents: [{ conversation: child, change: "grown", added: 1 }],
      })
    })

    it("under an id of its own does the same, and leaves another conversation of that id alone", async () => {
      expect(await chat(stage.store, begun, { id: "mine" })).toMatchObject({ conversation: "mine", change: "new" })
      expect(await chat(stage.store, begun, { id: "mine" })).toMatchObject({ conversation: "mine", change: "unchanged" })
      expect(await chat(stage.store, [...begun, asked("on")], { id: "mine" })).toMatchObject({ change: "grown" })
      await stage.expectRefusal(chat(stage.store, [asked("Another thing"), answered("No.")], { id: "mine" }), "exists")
      expect(await countOf(stage.store)).toBe(1)
    })

    it("that happens several times at once makes one conversation", async () => {
      const stores = [stage.store, stage.another(), stage.another(), stage.another()]
      const done = await Promise.all(stores.map((store) => ofSession(store, four)))
      expect(new Set(done.map(({ conversation }) => conversation)).size).toBe(1)
      const { entries } = await stage.store.load(done[0]?.conversation ?? "")
      expect(entries.filter(({ kind }) => kind === "message")).toHaveLength(4)
      expect((await stage.store.branches(done[0]?.conversation ?? "")).length).toBe(1)
      for (const store of stores.slice(1)) await store.close()
    })
  })
}
