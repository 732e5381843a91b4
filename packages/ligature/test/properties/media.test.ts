/**
 * Generated histories with media at and around every limit, for every profile: what is encoded passes the strict provider
 * and check, encoding it again changes nothing, and no media disappears without a line in the report.
 */
import { describe, expect, it } from "vitest"
import { check, decode, encode } from "../../src/convert/index.ts"
import { type Profile, profileNames, settle, resolveProfile } from "../../src/rules/index.ts"
import {
  assistant,
  call,
  type Conversation,
  flatten,
  type MediaBlock,
  type Message,
  result,
  text,
  tool,
  transcript,
  user,
} from "../../src/model/index.ts"
import { Choices, expectValid } from "../../src/testing/index.ts"
import { numbersFromSeed } from "../../src/testing/damage.ts"
import { gif, jpeg, pdf, png, textFile, webp } from "../rules/media/files.ts"
import { resolveCodec } from "../../src/registry/registry.ts"

const seed = Number(process.env["LIGATURE_SEED"] ?? 1)

const image = (data: string, mediaType?: string): MediaBlock => ({
  type: "media",
  kind: "image",
  ...(mediaType !== undefined && { mediaType }),
  source: { type: "base64", data },
})

const document = (data: string, mediaType = "application/pdf"): MediaBlock => ({
  type: "media",
  kind: "document",
  mediaType,
  source: { type: "base64", data },
})

type Pool = readonly [MediaBlock, ...MediaBlock[]]

/** Cheap ones: types, pixels, pages, damage. */
const small: Pool = [
  image(png(), "image/png"),
  image(jpeg(), "image/jpeg"),
  image(gif(), "image/gif"),
  image(webp.lossy(9, 9), "image/webp"),
  image(jpeg(), "image/png"),
  image(png(), "image/jpg"),
  image(webp.extended(8, 8)),
  image(jpeg()),
  image(png(2000, 1), "image/png"),
  image(png(2001, 1), "image/png"),
  image(jpeg(8000, 4147), "image/jpeg"),
  image(jpeg(8000, 4148), "image/jpeg"),
  image(png(1, 8001), "image/png"),
  image("", "image/png"),
  image("[image omitted]", "image/png"),
  image(textFile("<!doctype html>"), "image/png"),
  image(textFile("plain"), "image/webp"),
  image(`data:image/png;base64,${png()}`, "image/png"),
  image(pdf(), "image/png"),
  { type: "media", kind: "image", source: { type: "url", url: "https://example.org/a.png" } },
  { type: "media", kind: "image", source: { type: "url", url: "data:image/svg+xml,<svg/>" } },
  document(pdf()),
  document(pdf({ pages: 99 })),
  document(pdf({ pages: 100 })),
  document(pdf({ pages: 101 })),
  document(pdf({ pages: 1000 })),
  document(pdf({ pages: 1001 })),
  document(pdf({ encrypted: true })),
  document(pdf({ compressed: true })),
  document(textFile("a,b\n"), "text/csv"),
  document(png()),
]

/** Each at a limit on bytes, and just above it. */
const large: Pool = [
  image(png(9, 9, 3_932_160), "image/png"),
  image(png(9, 9, 3_932_163), "image/png"),
  image(jpeg(9, 9, 3_750_000), "image/jpeg"),
  image(jpeg(9, 9, 3_750_003), "image/jpeg"),
  image(png(9, 9, 2_800_000), "image/png"),
  document(pdf({ size: 4_499_900 })),
  document(pdf({ size: 4_600_000 })),
]

/** Those a provider takes or leaves whole. */
const huge: Pool = [
  image(png(9, 9, 10_000_000), "image/png"),
  image(png(9, 9, 10_485_761), "image/png"),
  image(jpeg(9, 9, 20_000_000), "image/jpeg"),
  image(jpeg(9, 9, 20_000_001), "image/jpeg"),
]

/** Turns of a user who shows and a tool that looks, each block a copy of its own: what is the same twice counts twice. */
const historyOf = (choices: Choices, pool: Pool, count: number): readonly Message[] => {
  const messages: Message[] = [user("start")]
  for (let left = count, turn = 0; left > 0; turn++) {
    const several = Math.min(left, 1 + choices.number(4))
    left -= several
    const shown = Array.from({ length: several }, () => ({ ...choices.one(pool) }))
    if (choices.chance(3)) messages.push(user(`turn ${turn}`, ...shown))
    else {
      const error = choices.chance(6) ? ({ error: true } as const) : {}
      messages.push(
        assistant(`step ${turn}`, call(`call${turn}`, "look", { turn })),
        tool(result(`call${turn}`, "", { content: [text(`see ${turn}`), ...shown], ...error })),
      )
    }
  }
  return messages
}

const mediaOf = (messages: readonly Message[]): readonly MediaBlock[] =>
  messages.flatMap(({ blocks }) =>
    blocks.flatMap((block) => {
      if (block.type === "media") return [block]
      return block.type === "result" ? block.content.filter((inner) => inner.type === "media") : []
    }),
  )

/** The data of all media in a request, as often as it is there. */
const dataIn = (format: string, request: unknown): readonly string[] =>
  mediaOf(decode(resolveCodec(format), request).messages).flatMap(({ source }) => (source.type === "base64" ? [source.data] : []))

const formatOf = (name: string): string => (resolveProfile(name) as Profile).format

const expectNothingLost = (conversation: Conversation, name: string): void => {
  const { value: request, report } = encode(conversation, resolveProfile(name))
  const entries = report.entries.filter(({ rule }) => rule.startsWith("media-"))
  const changed = new Set<unknown>(entries.map(({ original }) => original))
  const kept = mediaOf(flatten(conversation).messages).filter((block) => !changed.has(block))
  const corrected = entries.flatMap(({ replacement }) =>
    replacement && "type" in replacement && replacement.type === "media" ? [replacement] : [],
  )
  const expected = [...kept, ...corrected].flatMap(({ source }) => (source.type === "base64" ? [source.data] : []))
  expect(dataIn(formatOf(name), request).toSorted(), name).toEqual(expected.toSorted())
}

const expectPassing = (messages: readonly Message[], names: readonly string[] = profileNames): void => {
  const conversation = expectValid(transcript(...messages), { profiles: names })
  for (const name of names) {
    const { value: request } = encode(conversation, resolveProfile(name))
    const found = check(decode(resolveCodec(formatOf(name)), request), { profile: resolveProfile(name) })
    expect(
      found.filter(({ rule }) => rule.startsWith("media")),
      name,
    ).toEqual([])
  }
}

describe("media at and around the limits", () => {
  const rounds = (count: number, run: (choices: Choices) => void): void => {
    for (let round = 0; round < count; round++) run(new Choices(numbersFromSeed(seed * 7919 + round, 4000)))
  }

  it("of type, pixels, pages and damage passes every provider", () => {
    rounds(40, (choices) => expectPassing(historyOf(choices, small, 1 + choices.number(30))))
  })

  it("of number passes every provider", () => {
    const plain: Pool = [image(png(), "image/png"), image(png(2100, 5), "image/png"), document(pdf({ pages: 2 }))]
    for (const count of [4, 5, 6, 8, 9, 19, 20, 21, 22, 50, 51, 60, 99, 100, 101, 102, 130, 501]) {
      rounds(1, (choices) => expectPassing(historyOf(choices, plain, count)))
    }
  })

  it("of size passes every provider", { timeout: 120_000 }, () => {
    rounds(3, (choices) => expectPassing(historyOf(choices, large, 1 + choices.number(9))))
  })

  it("of size passes the providers that take large files", { timeout: 120_000 }, () => {
    rounds(3, (choices) => expectPassing(historyOf(choices, huge, 1 + choices.number(3)), ["openai-responses", "mistral", "xai"]))
  })

  it("is sent, corrected, or in the report", () => {
    rounds(20, (choices) => {
      const images = small.filter(({ kind }) => kind === "image") as unknown as Pool
      const { conversation } = settle(transcript(...historyOf(choices, images, 1 + choices.number(40))))
      for (const name of profileNames) expectNothingLost(conversation, name)
    })
  })
})
