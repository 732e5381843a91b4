/** What a provider refuses of media becomes a note, a wrong type is put right, and old media goes in batches. */
import { describe, expect, it } from "vitest"
import { check, type Profile, profiles, settle, resolveProfile } from "../../../src/rules/index.ts"
import { fit } from "../../../src/rules/fit/fit.ts"
import { MediaBudget } from "../../../src/rules/media/media-budget.ts"
import {
  assistant,
  call,
  type ContentBlock,
  type Conversation,
  flatten,
  type MediaBlock,
  type Message,
  result,
  text,
  tool,
  transcript,
  user,
} from "../../../src/model/index.ts"
import { jpeg, pdf, png } from "./files.ts"

const anthropic = profiles["anthropic"] as Profile

const image = (data: string, mediaType = "image/png", name?: string): MediaBlock => ({
  type: "media",
  kind: "image",
  mediaType,
  ...(name !== undefined && { name }),
  source: { type: "base64", data },
})

const document = (data: string): MediaBlock => ({
  type: "media",
  kind: "document",
  mediaType: "application/pdf",
  source: { type: "base64", data },
})

const conversationOf = (...messages: readonly Message[]): Conversation => settle(transcript(...messages)).conversation

/** Everything in a conversation that is not a call, results opened. */
const contentOf = (conversation: Conversation): readonly ContentBlock[] =>
  flatten(conversation).messages.flatMap(({ blocks }) =>
    blocks.flatMap((block): readonly ContentBlock[] =>
      block.type === "result" ? block.content : block.type === "media" || block.type === "text" ? [block] : [],
    ),
  )

const textsOf = (conversation: Conversation): readonly string[] =>
  contentOf(conversation).flatMap((block) => (block.type === "text" ? [block.text] : []))

/** The names of the media that is sent. */
const sentOf = (messages: readonly Message[], profile: Profile = anthropic): readonly string[] =>
  contentOf(fit(conversationOf(...messages), profile).conversation).flatMap((block) => (block.type === "media" ? [block.name ?? ""] : []))

const screenshots = (count: number, data = png()): readonly Message[] =>
  Array.from({ length: count }, (_, index) => [
    assistant(call(`c${index}`, "look")),
    tool(result(`c${index}`, "", { content: [image(data, "image/png", `${index}`)] })),
  ]).flat()

const from = (first: number, end: number): readonly string[] => Array.from({ length: end - first }, (_, index) => `${first + index}`)

describe("media that a provider refuses", () => {
  const large = png(10, 10, 4_000_000)

  it("becomes a note in a user message and in a result, and the rest stays the same object", () => {
    const fine = user(text("look"), image(png()))
    const conversation = conversationOf(
      fine,
      assistant(call("a", "look")),
      tool(result("a", "", { content: [text("here"), image(large, "image/png", "shot.png")] })),
    )
    const fitted = fit(conversation, anthropic)
    expect(fitted.conversation.items[0]).toBe(conversation.items[0])
    expect(textsOf(fitted.conversation)).toEqual([
      "look",
      "here",
      "[image shot.png: image/png, 4000002 bytes, not sent: it has more than 5,242,880 bytes as base64]",
    ])
    expect(fitted.entries).toEqual([
      {
        rule: "media-limit",
        kind: "demote",
        place: { item: 1 },
        what: "replaced the image with a note: the image has 5,333,336 bytes as base64; at most 5,242,880 are accepted",
        found: "The image has 5,333,336 bytes as base64; at most 5,242,880 are accepted (Anthropic Messages)",
        ids: [],
        original: image(large, "image/png", "shot.png"),
        replacement: text("[image shot.png: image/png, 4000002 bytes, not sent: it has more than 5,242,880 bytes as base64]"),
      },
    ])
  })

  it("is named with its block by check", () => {
    const history = transcript(
      user("go", image(large)),
      assistant(call("a", "look"), call("b", "look")),
      tool(result("a", "fine"), result("b", "", { content: [image("")] })),
    )
    expect(check(history, { profile: "anthropic" }).map(({ rule, place, what }) => ({ rule, place, what }))).toEqual([
      {
        rule: "media-limit",
        place: { message: 0, block: 1 },
        what: "The image has 5,333,336 bytes as base64; at most 5,242,880 are accepted (Anthropic Messages)",
      },
      { rule: "media-data", place: { message: 2, block: 1 }, what: "The image has no data (Anthropic Messages)" },
    ])
  })

  it("gets a handle where somebody can read it back", () => {
    const mediaHandle = ({ name }: MediaBlock): string => `#1:${name}`
    const [, refused] = textsOf(fit(conversationOf(user("go", image(large, "image/png", "2"))), anthropic, { mediaHandle }).conversation)
    expect(refused).toBe("[image 2: image/png, 4000002 bytes, not sent: it has more than 5,242,880 bytes as base64, stored as #1:2]")
    const [old] = textsOf(fit(conversationOf(...screenshots(101)), anthropic, { mediaHandle }).conversation).filter((each) =>
      each.includes("not sent"),
    )
    expect(old).toMatch(/, not sent: a request may have 100 images and PDF pages, and newer ones came, recall #1:0\]$/)
  })

  it("is found by type, pixels, pages and encryption", () => {
    const reasons = (block: MediaBlock, profile = "anthropic"): readonly string[] =>
      check(transcript(user("go", block)), { profile: resolveProfile(profile) }).map(({ what }) => what)
    expect(reasons(image(png(8001, 1)))).toEqual(["The image is 8001 × 1 pixels; at most 8000 per side are accepted (Anthropic Messages)"])
    expect(reasons(document(pdf({ pages: 101 })))).toEqual(["The PDF has 101 pages; at most 100 are accepted (Anthropic Messages)"])
    expect(reasons(document(pdf({ encrypted: true })))).toEqual(["The PDF is encrypted (Anthropic Messages)"])
    expect(reasons(image(jpeg(8000, 5000)), "groq")).toEqual([
      "The image is 8000 × 5000 pixels; at most 33,177,600 in all are accepted (Groq)",
    ])
    expect(reasons({ ...image("R0lGODlhAQABAAAAAA=="), mediaType: "image/gif" }, "gemini")).toEqual([
      "The image is image/gif; accepted are image/png, image/jpeg, image/webp, image/heic, image/heif (Google Gemini)",
    ])
    const address: MediaBlock = { type: "media", kind: "image", source: { type: "url", url: "https://example.org/a.png" } }
    expect([reasons(address), reasons(address, "kimi")]).toEqual([
      [],
      ["The image is given by its address; only its data is accepted (Moonshot Kimi)"],
    ])
    expect(reasons(image(png()), "deepseek")).toEqual(["The image is image/png; no images are accepted (DeepSeek)"])
    for (const fine of [image(png(8000, 8000)), document(pdf({ pages: 100 })), document(pdf({ compressed: true }))]) {
      expect(reasons(fine)).toEqual([])
    }
  })
})

describe("a wrong declaration", () => {
  it("is put right where the bytes say what it is", () => {
    const photo = jpeg()
    const wrong = { ...image(photo), native: { anthropic: { type: "image" } } }
    const { conversation, entries } = fit(conversationOf(user("go", wrong)), anthropic)
    expect(contentOf(conversation)[1]).toEqual(image(photo, "image/jpeg"))
    expect(entries).toMatchObject([{ rule: "media-type", kind: "safe", original: wrong, replacement: image(photo, "image/jpeg") }])
  })

  it("is put right where an image is a document, and where a type is misspelt", () => {
    const corrected = (block: MediaBlock): unknown => contentOf(fit(conversationOf(user("go", block)), anthropic).conversation)[1]
    expect(corrected(image(pdf()))).toEqual(document(pdf()))
    expect(corrected(image(jpeg(), "image/jpg"))).toEqual(image(jpeg(), "image/jpeg"))
    expect(corrected(image(`data:image/png;base64,${png()}`))).toEqual(image(png()))
    const { mediaType: _, ...undeclared } = image(jpeg())
    expect(corrected(undeclared)).toEqual(image(jpeg(), "image/jpeg"))
    const paper = { ...undeclared, source: { type: "base64", data: pdf() } } as const
    expect(corrected(paper)).toEqual(document(pdf()))
    expect(check(transcript(user("go", paper)), { profile: "anthropic" }).map(({ what }) => what)).toEqual([
      "The image is declared as image/png and is application/pdf (Anthropic Messages)",
    ])
  })
})

describe("limits on a request", () => {
  it("let the oldest images go, a quarter of the limit at a time", () => {
    expect(sentOf(screenshots(100))).toEqual(from(0, 100))
    expect(sentOf(screenshots(101))).toEqual(from(26, 101))
    expect(sentOf(screenshots(126))).toEqual(from(26, 126))
    expect(sentOf(screenshots(127))).toEqual(from(52, 127))
  })

  it("change nothing in front between two batches", () => {
    const changes = Array.from({ length: 60 }, (_, index) => sentOf(screenshots(90 + index))[0])
    expect([...new Set(changes)]).toEqual(["0", "26", "52"])
  })

  it("count pages like images", () => {
    const paper = tool(result("p", "", { content: [document(pdf({ pages: 40 }))] }))
    const before = [assistant(call("p", "read")), paper]
    expect(sentOf([...before, ...screenshots(60)])).toEqual(["", ...from(0, 60)])
    expect(sentOf([...before, ...screenshots(61)])).toEqual(from(0, 61))
  })

  it("take large images out of the past when there are many, and keep a new one", () => {
    const [first, ...small] = [screenshots(1, png(2001, 10)), screenshots(40).slice(2)].flat() as [Message, ...Message[]]
    expect(sentOf([first, ...small.slice(0, 39)])).toEqual(from(0, 20))
    expect(sentOf([first, ...small.slice(0, 41)])).toEqual(from(1, 21))
    const asked = user("and this?", image(png(3000, 10), "image/png", "new"))
    expect(sentOf([...screenshots(40), asked])).toEqual([...from(26, 40), "new"])
    expect(sentOf([...screenshots(20, png(2001, 10))])).toEqual(from(0, 20))
    expect(sentOf([...screenshots(21, png(2001, 10))])).toEqual(from(6, 21))
  })

  it("count the bytes of a request, with its text", () => {
    const big = png(10, 10, 3_000_000)
    expect(sentOf(screenshots(7, big))).toEqual(from(0, 7))
    expect(sentOf(screenshots(8, big))).toEqual(from(3, 8))
    expect(sentOf([user("x".repeat(3_000_000)), ...screenshots(7, big)])).toEqual(from(3, 7))
    expect(sentOf([...screenshots(7, big), user("x".repeat(3_000_000))])).toEqual(from(3, 7))
  })

  it("are those of the provider", () => {
    expect(sentOf(screenshots(9), profiles["mistral"])).toEqual(from(3, 9))
    expect(sentOf(screenshots(6), profiles["groq"])).toEqual(from(3, 6))
    expect(sentOf(screenshots(21), profiles["bedrock"])).toEqual(from(6, 21))
    expect(sentOf(screenshots(51), profiles["azure"])).toEqual(from(14, 51))
    expect(sentOf(screenshots(300), profiles["openai-responses"])).toEqual(from(0, 300))
  })

  it("are kept in linear time, whatever is added", () => {
    const budget = new MediaBudget({ image: { count: 5 }, document: {}, requestBytes: 1000 })
    for (let count = 0; count < 100_000; count++) {
      budget.add({ kind: "document", units: 1, bytes: 0, side: 0 })
      budget.add({ kind: "image", units: 1, bytes: 300, side: 10 })
      budget.addText(1)
    }
    // In quadratic time this would outlast the test.
    expect(budget.dropped.size).toBe(100_000)
  })

  it("let the newest go only where it is too much alone", () => {
    const budget = new MediaBudget({ image: {}, document: {}, imagesAndPages: 10 })
    const media = (units: number) => ({ kind: "document", units, bytes: 0, side: 0 }) as const
    const [small, large, tooLarge] = [media(1), media(9), media(11)]
    budget.add(small)
    budget.add(large)
    expect([...budget.dropped.keys()]).toEqual([])
    budget.add(tooLarge)
    expect([...budget.dropped.keys()]).toEqual([small, large, tooLarge])
  })
})

it("gives the very conversation where all media is accepted, also when it is fitted again", () => {
  const conversation = conversationOf(user("go", image(png()), document(pdf())), ...screenshots(3))
  expect(fit(conversation, anthropic)).toEqual({ conversation, entries: [] })
  expect(fit(conversation, anthropic).conversation).toBe(conversation)
  const over = fit(conversationOf(user("go"), ...screenshots(150, png(2500, 3))), anthropic)
  const again = fit(over.conversation, anthropic)
  expect(over.entries.length).toBeGreaterThan(100)
  expect(again.conversation).toBe(over.conversation)
})
