/** A session under other ids: what its agent takes in beside the one it has. */
import { describe, expect, it } from "vitest"
import { decode, resolveCodec, type SessionCodec } from "../../../src/convert/index.ts"
import "../../../src/registry/sessions.ts"
import { openDocument } from "../../../src/document/index.ts"
import { assistant, call, result, tool, transcript, user, type Wire } from "../../../src/model/index.ts"
import { settle } from "../../../src/rules/index.ts"

const codec = resolveCodec("opencode-export") as SessionCodec

const written = (last: string): Wire => {
  const history = transcript(
    user("Look at a."),
    assistant("I look.", call("call_1", "read", { path: "a" }), call("call_2", "read", { path: "b" })),
    tool(result("call_1", "one"), result("call_2", "two")),
    assistant(last),
  )
  return codec.encode(settle(history).conversation, { session: { id: "ses_1f25a2ef8001EeWWUZkjyH5sh5" } }) as Wire
}

const idsIn = (value: unknown): readonly string[] =>
  [...JSON.stringify(value).matchAll(/"((?:ses|msg|prt)_[^"]+)"/g)].map(([, id]) => id ?? "")

const copyOf = (value: unknown): Wire => codec.session.copy?.(value) as Wire

describe("a copy of an opencode session", () => {
  it("has no id of the original, keeps their order, and says the same", () => {
    const value = written("Done.")
    const copy = copyOf(value)
    const [before, after] = [idsIn(value), idsIn(copy)]
    expect(after).toHaveLength(before.length)
    expect(after.filter((id) => before.includes(id))).toEqual([])
    const order = (ids: readonly string[]): readonly number[] => {
      const sorted = [...new Set(ids)].sort()
      return ids.map((id) => sorted.indexOf(id))
    }
    expect(order(after)).toEqual(order(before))
    const contentOf = (each: unknown): unknown =>
      decode("opencode-export", each).messages.map(({ role, blocks }) => [role, blocks.map(({ type }) => type)])
    expect(contentOf(copy)).toEqual(contentOf(value))
  })

  it("is the same each time, and another one when the session went on", () => {
    const value = written("Done.")
    expect(copyOf(value)).toEqual(copyOf(value))
    const later = {
      ...value,
      messages: [...(value["messages"] as readonly unknown[]), ...(written("More.")["messages"] as readonly unknown[]).slice(-1)],
    }
    expect((copyOf(later)["info"] as Wire)["id"]).not.toBe((copyOf(value)["info"] as Wire)["id"])
  })

  it("leaves ids alone that are no ids of its own: of its parent session, of calls", () => {
    const value = written("Done.")
    const copy = copyOf({ ...value, info: { ...(value["info"] as Wire), parentID: "ses_of_another" } })
    expect((copy["info"] as Wire)["parentID"]).toBe("ses_of_another")
    expect(JSON.stringify(copy)).toContain('"callID":"call_1"')
  })
})

describe("an export of Kilo CLI", () => {
  const kilo = resolveCodec("kilo-cli") as SessionCodec

  it("is told apart by its version, and opened by its own command", () => {
    const value = kilo.encode(settle(transcript(user("Hi"), assistant("Hello"))).conversation, {
      session: { id: "ses_1f25a2ef8001EeWWUZkjyH5sh5" },
    })
    expect(openDocument(JSON.stringify(value)).parts.map(({ format }) => format)).toEqual(["kilo-cli"])
    expect(openDocument(JSON.stringify(written("Done."))).parts.map(({ format }) => format)).toEqual(["opencode-export"])
    expect(kilo.session.place?.(value)?.resume).toBe(
      "kilo import ses_1f25a2ef8001EeWWUZkjyH5sh5.json && kilo --session ses_1f25a2ef8001EeWWUZkjyH5sh5",
    )
    expect(kilo.session.place?.(value)?.reopen).toBe("kilo --session ses_1f25a2ef8001EeWWUZkjyH5sh5")
  })
})
