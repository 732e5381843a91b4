/** Media comes back with what the handle names. */
import { expect, it } from "vitest"
import { sizeOfMedia } from "../../src/compact/meter/meter.ts"
import { readBack } from "../../src/compact/recall/recall.ts"
import { settle } from "../../src/rules/index.ts"
import { assistant, call, type MediaBlock, text, tool, transcript } from "../../src/model/index.ts"

const image = (name: string): MediaBlock => ({
  type: "media",
  kind: "image",
  mediaType: "image/png",
  name,
  source: { type: "base64", data: "iVBORw0KGgo=" },
})

const names = (media: readonly MediaBlock[] | undefined): readonly (string | undefined)[] | undefined => media?.map(({ name }) => name)

const many = Array.from({ length: 12 }, (_, at) => image(`page-${at}`))

const { conversation } = settle(
  transcript(
    { role: "user", blocks: [text("What is this?\nAnd this?"), { ...image("asked"), native: { anthropic: { cache_control: {} } } }] },
    assistant(text("looking"), call("a", "look", {}), call("b", "scan", {})),
    tool({ type: "result", callId: "a", content: [text("see\nhere"), image("seen")] }, { type: "result", callId: "b", content: many }),
  ),
)

it("gives the media of a whole message, without what its format said of its place", () => {
  expect(readBack(conversation, { handle: "#1" })).toEqual({
    found: true,
    text: "[#1 user, lines 1-3 of 3]\nWhat is this?\nAnd this?\n[image asked: image/png, 9 bytes]",
    media: [image("asked")],
  })
})

it("gives the media of a whole result, and of the line that names one", () => {
  expect(readBack(conversation, { handle: "#2.1" }).media).toEqual([image("seen")])
  expect(readBack(conversation, { handle: "#2.1:3" }).media).toEqual([image("seen")])
  const [handle = ""] = readBack(conversation, { search: "image seen" }).text.split("  ")
  expect(readBack(conversation, { handle }).media).toEqual([image("seen")])
})

it("gives none with ranges of lines, with other lines and with searches", () => {
  for (const request of [{ handle: "#2.1:1-3" }, { handle: "#2.1:2" }, { handle: "#2.1:3-" }, { search: "image" }]) {
    expect(readBack(conversation, request)).not.toHaveProperty("media")
  }
})

it("gives a few at once, and says which handle shows the next", () => {
  const whole = readBack(conversation, { handle: "#2" })
  expect(names(whole.media)).toEqual(["seen", "page-0", "page-1", "page-2", "page-3"])
  const [, next = ""] = /\n\[media: 5 of 13; .* the next with (#\S+)\]$/.exec(whole.text) ?? []
  expect(names(readBack(conversation, { handle: next }).media)).toEqual(["page-4"])
  const one = readBack(conversation, { handle: "#2.2" }, { limitMedia: 1 })
  expect(names(one.media)).toEqual(["page-0"])
  expect(one.text).toContain("the next with #2.2:2]")
  expect(readBack(conversation, { handle: "#2.2" }, { limitMedia: Number.POSITIVE_INFINITY }).media).toEqual(many)
  expect(readBack(conversation, { handle: "#2.2" }, { limitMedia: 0 })).not.toHaveProperty("media")
})

it("gives no more bytes than are allowed, and one in any case", () => {
  const within = (limitMediaBytes: number) => readBack(conversation, { handle: "#2.2" }, { limitMediaBytes })
  const bytes = sizeOfMedia(image("page-0")).bytes
  expect(names(within(3 * bytes).media)).toEqual(["page-0", "page-1", "page-2"])
  expect(within(3 * bytes).text).toContain("[media: 3 of 12; ")
  expect(names(within(1).media)).toEqual(["page-0"])
})
