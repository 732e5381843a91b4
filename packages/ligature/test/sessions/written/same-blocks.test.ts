import { describe, expect, it } from "vitest"
import { sameBlocks } from "../../../src/sessions/engine/same-blocks.ts"
import { type Block, call, result, text, thinking } from "../../../src/model/index.ts"

const image = (data: string): Block => ({ type: "media", kind: "image", source: { type: "base64", data } })

const opaque = (value: string): Block => ({ type: "opaque", kind: "span", text: "cut…", native: { any: { value } } })

/** Two readings of each, and what says something else. */
const cases: Readonly<Record<string, readonly [Block, Block, Block]>> = {
  texts: [text("a"), text("a"), text("b")],
  "thinking by its signature": [thinking("a", "s"), thinking("a", "s"), thinking("a", "t")],
  "calls by the value of their arguments": [
    call("a", "ls", { of: [1], all: true }),
    call("a", "ls", { all: true, of: [1] }),
    call("a", "ls", { of: [2], all: true }),
  ],
  "calls by the text of their arguments": [
    { ...call("a", "ls"), raw: "[1]" },
    { ...call("a", "ls", { value: [1] }), raw: "[1]" },
    { ...call("a", "ls", { value: [2] }), raw: "[2]" },
  ],
  "calls by what is wrong with them": [
    { ...call("a", "ls"), raw: "", fault: "empty" },
    { ...call("a", "ls"), raw: "", fault: "empty" },
    call("a", "ls"),
  ],
  "results by their content": [result("a", "x"), result("a", "x"), result("a", "y")],
  "results by how they ended": [result("a", "x"), result("a", "x"), result("a", "x", { error: true })],
  "media by their source": [image("AAAA"), image("AAAA"), image("BBBB")],
  "opaque blocks by the whole value, where the text is cut": [opaque("a"), opaque("a"), opaque("b")],
}

describe("two readings of a record", () => {
  it.each(Object.entries(cases))("compare %s", (_, [left, same, other]) => {
    expect([sameBlocks([left], [same]), sameBlocks([left], [other])]).toEqual([true, false])
    expect(sameBlocks([left], [left, left])).toBe(false)
  })
})
