/** An image that locks a session is named by check and replaced by repair; what is not sent any more stays. */
import { describe, expect, it } from "vitest"
import { check, decode, fileValueOf, repair } from "../../src/convert/index.ts"
import { sessionCodecs } from "../../src/registry/sessions.ts"
import { checkSessionMedia } from "../../src/convert/session-check.ts"
import { settle } from "../../src/rules/index.ts"
import { assistant, type Block, call, type MediaBlock, type Message, result, text, tool, transcript, user } from "../../src/model/index.ts"
import { gif, jpeg, png } from "../rules/media/files.ts"
import { resolveCodec } from "../../src/registry/registry.ts"

const image = (data: string, mediaType = "image/png"): MediaBlock => ({
  type: "media",
  kind: "image",
  mediaType,
  source: { type: "base64", data },
})

const large = png(10, 10, 4_000_000)
const enormous = jpeg(10, 10, 21_000_000)

const said = (data: string): readonly Message[] => [
  user(text("look at this"), image(data)),
  { ...assistant("looking", call("toolu_a", "Read", { path: "a.png" })), origin: { provider: "anthropic", model: "claude-x" } },
  tool(result("toolu_a", "", { content: [text("here"), image(png()), image(data)] })),
  { ...assistant("done"), origin: { provider: "anthropic", model: "claude-x" } },
  user("and now?"),
]

const sessionOf = (format: string, messages: readonly Message[]): unknown => {
  const codec = Object.values(sessionCodecs).find((each) => each.format === format)
  if (!codec) throw new Error(format)
  return fileValueOf(codec, JSON.parse(JSON.stringify(codec.encode(settle(transcript(...messages)).conversation))))
}

const textsIn = (format: string, value: unknown): readonly string[] =>
  decode(resolveCodec(format), value).messages.flatMap(({ blocks }) =>
    blocks
      .flatMap((block): readonly Block[] => (block.type === "result" ? block.content : [block]))
      .flatMap((block) => (block.type === "text" ? [block.text] : [])),
  )

const notesIn = (format: string, value: unknown): readonly string[] =>
  textsIn(format, value).flatMap((each) => each.match(/\[image: [^\]]*, not sent: [^\]]*\]/g) ?? [])

/** Formats whose sessions hold images in messages and in results, with an image that their provider refuses. */
const formats = [
  ["claude-code", large, "media-limit"],
  ["cline-api", large, "media-limit"],
  ["codex-rollout", enormous, "media-limit"],
  ["pi", large, "media-limit"],
  ["gemini-cli", gif(5, 5, 300), "media-type"],
  ["opencode-export", large, "media-limit"],
] as const

describe.each(formats)("a session of %s", (format, data, rule) => {
  const value = sessionOf(format, said(data))
  const before = decode(format, value)

  it("is named as locked, with the place of each image", () => {
    const found = checkSessionMedia(value, before)
    expect(found.map((each) => [each.rule, each.severity])).toEqual([
      [rule, "error"],
      [rule, "error"],
    ])
    for (const { place } of found) {
      const block = before.messages[place.message ?? -1]?.blocks[place.block ?? -1]
      expect(JSON.stringify(block)).toContain(data.slice(0, 200))
    }
  })

  it("is repaired with notes, and keeps the rest", () => {
    const { value: request, report } = repair(value, { from: format })
    const codec = Object.values(sessionCodecs).find((each) => each.format === format)
    const repaired = codec ? fileValueOf(codec, request) : undefined
    expect(report.entries.map((each) => [each.rule, each.kind, (each.original as MediaBlock).source])).toEqual([
      [rule, "demote", { type: "base64", data }],
      [rule, "demote", { type: "base64", data }],
    ])
    expect(notesIn(format, repaired)).toHaveLength(2)
    const again = decode(format, repaired)
    expect(check(again)).toEqual([])
    expect(checkSessionMedia(repaired, again)).toEqual([])
    expect(again.messages.map(({ role }) => role)).toEqual(before.messages.map(({ role }) => role))
    expect(JSON.stringify(again.messages)).toContain(png())
    expect(repair(repaired, { from: format }).report.entries).toEqual([])
  })

  it("stays as it is where its provider takes the images", () => {
    const healthy = sessionOf(format, said(png(50, 50)))
    expect(checkSessionMedia(healthy, decode(format, healthy))).toEqual([])
    expect(repair(healthy, { from: format }).report.entries).toEqual([])
  })
})

it("is repaired for a provider that is named, where the file does not say which one it is sent to", () => {
  const value = sessionOf("goose", said(large))
  expect(repair(value, { from: "goose" }).report.entries).toEqual([])
  const { report } = repair(value, { from: "goose", mediaFor: "anthropic" })
  expect(report.entries.map(({ rule }) => rule)).toEqual(["media-limit", "media-limit"])
})

it("leaves images alone that a compaction took out of sight", () => {
  const records = sessionOf("claude-code", said(large)) as readonly Readonly<Record<string, unknown>>[]
  const last = records.at(-1) ?? {}
  const boundary = {
    ...last,
    type: "system",
    subtype: "compact_boundary",
    uuid: "b0000000-0000-4000-8000-000000000001",
    parentUuid: null,
    logicalParentUuid: last["uuid"],
    message: undefined,
    content: "Conversation compacted",
  }
  const summary = {
    ...last,
    type: "user",
    uuid: "b0000000-0000-4000-8000-000000000002",
    parentUuid: boundary.uuid,
    isCompactSummary: true,
    message: { role: "user", content: "This session is being continued: two images were looked at." },
  }
  const compacted = [...records, boundary, summary]
  const read = decode("claude-code", compacted)
  expect(JSON.stringify(read.messages)).toContain(large.slice(0, 500))
  expect(checkSessionMedia(compacted, read)).toEqual([])
  expect(repair(compacted, { from: "claude-code" }).report.entries).toEqual([])
})
