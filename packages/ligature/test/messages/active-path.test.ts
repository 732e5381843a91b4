import { describe, expect, it } from "vitest"
import { activePath, filterMessages } from "../../src/messages/index.ts"

interface Entry {
  readonly type: "message"
  readonly uuid: string
  readonly parentUuid: string | null
  readonly role: string
  readonly content: unknown
}

const entry = (uuid: string, parentUuid: string | null, role: string, content: unknown): Entry => ({
  type: "message",
  uuid,
  parentUuid,
  role,
  content,
})
const said = (uuid: string, parentUuid: string | null, role = "user"): Entry => entry(uuid, parentUuid, role, `words of ${uuid}`)
const calls = (uuid: string, parentUuid: string | null, ...ids: readonly string[]): Entry =>
  entry(
    uuid,
    parentUuid,
    "assistant",
    ids.map((id) => ({ type: "tool_use", id, name: "ls", input: {} })),
  )
const answers = (uuid: string, parentUuid: string | null, ...ids: readonly string[]): Entry =>
  entry(
    uuid,
    parentUuid,
    "tool",
    ids.map((id) => ({ type: "tool-result", toolCallId: id, result: `result in ${uuid}` })),
  )
const ids = (entries: readonly Entry[]): string => entries.map(({ uuid }) => uuid).join(" ")
const walk = (entries: readonly Entry[], tip?: string): readonly [string, ...string[]] => {
  const { path, problems } = activePath(entries, tip === undefined ? {} : { tip })
  return [ids(path), ...problems.map(({ kind, id }) => `${kind} ${id}`)]
}

describe("activePath", () => {
  it("takes an empty list, a single entry and a chain", () => {
    expect(walk([])).toEqual([""])
    expect(walk([said("1", null)])).toEqual(["1"])
    expect(walk([said("1", null), said("2", "1"), said("3", "2")])).toEqual(["1 2 3"])
  })

  it("leaves abandoned branches out", () => {
    const entries = [said("1", null), said("2", "1"), said("3", "2"), said("4", "1"), said("5", "4")]
    expect(walk(entries)).toEqual(["1 4 5"])
    expect(walk(entries, "3")).toEqual(["1 2 3"])
  })

  it("follows the links, not the order of the file", () => {
    expect(walk([said("2", "1"), said("1", null), said("3", "2")])).toEqual(["1 2 3"])
  })

  it("takes the last of several roots", () => {
    expect(walk([said("1", null), said("2", "1"), said("3", null)])).toEqual(["3"])
  })

  it("stops at a cycle and reports it", () => {
    expect(walk([said("1", "3"), said("2", "1"), said("3", "2")])).toEqual(["1 2 3", "cycle 1"])
    expect(walk([said("1", "1")])).toEqual(["1", "cycle 1"])
  })

  it("stops at a missing parent and reports it", () => {
    expect(walk([said("2", "1"), said("3", "2")])).toEqual(["2 3", "missing-parent 2"])
  })

  it("reports a missing tip", () => {
    expect(walk([said("1", null)], "9")).toEqual(["", "missing-tip 9"])
  })

  it("takes the later of two entries with one id, once", () => {
    const again = { ...said("2", "1"), content: "written again" }
    const { path, problems } = activePath([said("1", null), said("2", "1"), again, said("3", "2")])
    expect(path).toEqual([said("1", null), again, said("3", "2")])
    expect(problems.map(({ kind }) => kind)).toEqual(["duplicate-id"])
  })

  it("takes a list without links as a path", () => {
    const entries = [
      { id: "1", role: "user" },
      { id: "2", role: "assistant" },
    ]
    expect(activePath(entries)).toEqual({ path: entries, problems: [] })
    expect(activePath(entries, { tip: "1" })).toEqual({ path: [entries[0]], problems: [] })
  })

  it("reads links with the functions it is given", () => {
    const entries = [
      { key: 1, up: 0 },
      { key: 2, up: 1 },
      { key: 3, up: 1 },
    ]
    const { path } = activePath(entries, {
      id: ({ key }) => String(key),
      parentId: ({ up }) => (up === 0 ? null : String(up)),
    })
    expect(path).toEqual([entries[0], entries[2]])
  })

  it("walks a hundred thousand entries", () => {
    const entries = Array.from({ length: 100_000 }, (_, index) => said(String(index), index === 0 ? null : String(index - 1)))
    expect(activePath(entries).path).toHaveLength(100_000)
  })
})

describe("activePath and results that hang beside it", () => {
  it("takes in results of one cancel that share a parent, in the order of the file", () => {
    const entries = [
      said("1", null),
      calls("2", "1", "a", "b", "c"),
      answers("3", "2", "a"),
      answers("4", "2", "b"),
      answers("5", "2", "c"),
      said("6", "4"),
    ]
    expect(walk(entries)).toEqual(["1 2 3 4 5 6"])
  })

  it("takes in a result when the path goes on from the call itself", () => {
    expect(walk([said("1", null), calls("2", "1", "a"), answers("3", "2", "a"), said("4", "2")])).toEqual(["1 2 3 4"])
  })

  it("leaves a result of an abandoned branch out when the path has its own", () => {
    expect(
      walk([said("1", null), calls("2", "1", "a"), answers("3", "2", "a"), said("4", "3"), answers("5", "2", "a"), said("6", "5")]),
    ).toEqual(["1 2 5 6"])
  })

  it("leaves results of calls that are not on the path out", () => {
    expect(walk([said("1", null), calls("2", "1", "a"), answers("3", "2", "a"), said("4", "1")])).toEqual(["1 4"])
  })

  it("takes in a chain of results beside the path", () => {
    expect(walk([calls("1", null, "a", "b"), answers("2", "1", "a"), answers("3", "2", "b"), said("4", "1")])).toEqual(["1 2 3 4"])
  })

  it("takes in a result that hangs on a result of the path", () => {
    expect(walk([calls("1", null, "a", "b"), answers("2", "1", "a"), answers("3", "2", "b"), said("4", "2")])).toEqual(["1 2 3 4"])
  })

  it("gives results of a reused id to the call they hang on", () => {
    const entries = [
      calls("1", null, "call_0"),
      answers("2", "1", "call_0"),
      said("3", "1"),
      calls("4", "3", "call_0"),
      answers("5", "4", "call_0"),
      said("6", "4"),
    ]
    expect(walk(entries)).toEqual(["1 2 3 4 5 6"])
  })

  it("does not take words in from beside the path", () => {
    const mixed = entry("3", "2", "user", [
      { type: "tool_result", tool_use_id: "a", content: "x" },
      { type: "text", text: "other branch" },
    ])
    expect(walk([said("1", null), calls("2", "1", "a"), mixed, said("4", "2")])).toEqual(["1 2 4"])
  })
})

describe("filterMessages", () => {
  it("reads entries that are wrapped around messages, and walks over entries that are none", () => {
    const entries = [
      { type: "user", uuid: "1", parentUuid: null, message: { role: "user", content: "go" } },
      { type: "progress", uuid: "2", parentUuid: "1" },
      { type: "assistant", uuid: "3", parentUuid: "2", message: { role: "assistant", content: "done" } },
      { type: "file-history-snapshot", uuid: "4", parentUuid: "1" },
    ]
    expect(filterMessages(entries)).toEqual([entries[0], entries[2]])
  })

  it("says everything it leaves out, by entry", () => {
    const heard: unknown[] = []
    const entries = [answers("1", "0", "ghost"), calls("2", "1", "a", "b"), answers("3", "2", "a"), said("4", "3")]
    const left = filterMessages(entries, { debug: (what, place) => heard.push([what, place]) })
    expect(ids(left)).toBe("4")
    expect(heard).toEqual([
      ["[filterMessages] The parent 0 of entry 1 is not in the list", { message: 0, ids: ["1"] }],
      ["[filterMessages] Leaving out assistant message 1: 1 unanswered call(s): b (entry 2)", { message: 1, ids: ["b"] }],
      ["[filterMessages] Leaving out result a in message 2: its call is left out (entry 3)", { message: 2, ids: ["a"] }],
      ["[filterMessages] Skipping orphan result ghost in message 0 (no call before it) (entry 1)", { message: 0, ids: ["ghost"] }],
    ])
  })

  it("keeps running calls when told to", () => {
    const entries = [said("1", null), calls("2", "1", "a", "b"), answers("3", "2", "a")]
    expect(ids(filterMessages(entries, { pending: "keep" }))).toBe("1 2 3")
    expect(ids(filterMessages(entries))).toBe("1")
  })

  it("takes entries without links as one path", () => {
    const entries = [
      { role: "user", content: "a" },
      { role: "assistant", content: "b" },
    ]
    expect(filterMessages(entries)).toEqual(entries)
    expect(filterMessages([])).toEqual([])
  })
})
