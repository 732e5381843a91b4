/** A refusal leads to the block it is about, in the words of every wire. */
import { describe, expect, it } from "vitest"
import { decode, encode } from "../../../src/convert/index.ts"
import { classify, locate, refusedPlace } from "../../../src/rules/classify/index.ts"
import { resolveProfile, settle } from "../../../src/rules/index.ts"
import {
  assistant,
  type Block,
  call,
  type ContentBlock,
  type MediaBlock,
  result,
  system,
  text,
  tool,
  transcript,
  type Transcript,
  user,
} from "../../../src/model/index.ts"
import { png } from "../media/files.ts"
import { resolveCodec } from "../../../src/registry/registry.ts"

const image = (size: number): MediaBlock => ({
  type: "media",
  kind: "image",
  mediaType: "image/png",
  source: { type: "base64", data: png(10, 10, size) },
})

const { conversation } = settle(
  transcript(
    system("be brief"),
    user("first", image(100)),
    assistant("looking", call("a", "look"), call("b", "look")),
    tool(result("a", "seen a"), result("b", "", { content: [text("seen b"), image(200)] })),
    assistant("two pictures"),
    user("last words"),
  ),
)

const requestFor = (profile: string, format: string): Transcript =>
  decode(resolveCodec(format), encode(conversation, resolveProfile(profile)).value)

/** What is there, in short. */
const shown = (block: Block | ContentBlock | undefined): string => {
  if (block === undefined) return "message"
  if (block.type === "media") return `image of ${block.source.type === "base64" ? block.source.data.length : 0}`
  if (block.type === "call") return `call ${block.arguments["id"] ?? block.name}`
  return block.type === "result" ? `result ${block.content[0]?.type === "text" ? block.content[0].text : ""}` : block.text
}

const found = (history: Transcript, error: unknown): string | undefined => {
  const refused = classify(error) ?? { place: refusedPlace(error), ids: [] }
  const located = locate(
    { ids: refused.ids, ...(refused.place && { place: refused.place }), ...("rule" in refused && { rule: refused.rule }) },
    history,
  )
  const message = history.messages[located?.place.message ?? -1]
  if (!located || !message) return undefined
  const outer = located.place.block === undefined ? undefined : message.blocks[located.place.block]
  const inner = outer?.type === "result" && located.inside !== undefined ? outer.content[located.inside] : undefined
  return `${message.role}: ${shown(inner ?? outer)}`
}

const [first, second] = [image(100), image(200)].map(({ source }) => (source.type === "base64" ? source.data.length : 0))

describe("a refusal that names a path", () => {
  it("leads to the block of an Anthropic request", () => {
    const history = requestFor("anthropic", "anthropic")
    const tooLarge = "image.source.base64: image exceeds 5 MB maximum: 6096280 bytes > 5242880 bytes"
    expect(found(history, `messages.0.content.1.${tooLarge}`)).toBe(`user: image of ${first}`)
    expect(found(history, `messages.2.content.1.tool_result.content.1.${tooLarge}`)).toBe(`user: image of ${second}`)
    expect(found(history, "messages.1.content.2.tool_use.foo: some new complaint")).toBe("assistant: call look")
    expect(found(history, "messages.4.content: some new complaint")).toBe("user: message")
  })

  it("leads to the block of a chat request", () => {
    const history = requestFor("openai-chat", "openai-chat")
    const long = "string too long. Expected a string with maximum length 10485760, but got a string with length 10624990 instead."
    const error = (message: string, param: string): unknown => ({ error: { message, type: "invalid_request_error", param, code: "x" } })
    expect(found(history, error(`Invalid 'messages[6].content': ${long}`, "messages[6].content"))).toBe("assistant: message")
    expect(found(history, error(`Invalid 'messages[3].content': ${long}`, "messages[3].content"))).toBe("tool: result seen a")
    expect(found(history, `Invalid 'messages[7].content': ${long}`)).toBe("user: message")
    const url = "Expected a base64-encoded data URL with an image MIME type (e.g. 'data:…'), but got empty base64-encoded bytes."
    expect(found(history, `Invalid 'messages[1].content[1].image_url'. ${url}`)).toBe(`user: image of ${first}`)
    expect(found(history, `Invalid image URL: 'messages[5].content[1].image_url.url'. ${url}`)).toBe(`user: image of ${second}`)
    expect(found(history, error("Unheard of", "messages[2].tool_calls[1].function.arguments"))).toBe("assistant: call look")
  })

  it("leads to the item of a Responses request", () => {
    const history = requestFor("openai-responses", "openai-responses")
    const items = history.native?.["openai-responses"] as { readonly input: readonly { readonly type?: string }[] }
    const at = items.input.findIndex(({ type }) => type === "function_call_output")
    expect(found(history, `Invalid 'input[${at}].output': string too long. Expected a string with maximum length 10485760`)).toBe(
      "tool: result seen a",
    )
    const url = "Expected a base64-encoded data URL with an image MIME type (e.g. 'data:…'), but got empty base64-encoded bytes."
    expect(found(history, `Invalid 'input[${at + 1}].output[1].image_url'. ${url}`)).toBe(`tool: image of ${second}`)
    expect(found(history, { error: { message: "Unheard of", param: `input[${at - 1}].arguments` } })).toBe("assistant: call look")
  })

  it("leads to the part of a Gemini request", () => {
    const history = requestFor("gemini", "gemini")
    const broken = (path: string): string => `Invalid value at '${path}.inline_data.data' (TYPE_BYTES), Base64 decoding failed for "x"`
    expect(found(history, broken("contents[0].parts[1]"))).toBe(`user: image of ${first}`)
    expect(found(history, "* GenerateContentRequest.contents[2].parts[0].foo: unheard of")).toBe("user: result seen a")
    const violations = [{ field: "contents[1].parts[2]", description: "Unheard of at contents[1].parts[2]" }]
    expect(found(history, { error: { code: 400, message: "", details: [{ fieldViolations: violations }] } })).toBe("assistant: call look")
  })

  it("leads to the block of a Converse request", () => {
    const history = requestFor("bedrock-claude", "bedrock-converse")
    expect(found(history, "messages.0.content.1.image.source.bytes: image exceeds 5 MB maximum")).toBe(`user: image of ${first}`)
    expect(found(history, "Value at 'messages.2.content.1.toolResult.content.1' is unheard of")).toBe(`user: image of ${second}`)
    expect(found(history, "The text field in the ContentBlock object at messages.4.content.0 is blank.")).toBe("user: last words")
  })

  it("is followed no further than the request goes, whatever it says", () => {
    const history = requestFor("anthropic", "anthropic")
    for (const path of ["messages.99.content.0", "messages.0.content.99", `messages.0${".x".repeat(12)}`, "messages.0.__proto__.1"]) {
      expect(() => found(history, `${path}: Could not process image`)).not.toThrow()
    }
  })
})

describe("a refusal that names no place", () => {
  it("is about the media that breaks a limit, else about the largest, or the oldest", () => {
    const history = requestFor("openai-chat", "openai-chat")
    expect(found(history, "413 request_too_large")).toBe(`user: image of ${second}`)
    expect(found(history, "Too many images in request. Max is 1.")).toBe(`user: image of ${first}`)
    expect(found(history, "You uploaded an unsupported image. Please make sure your image is valid.")).toBeUndefined()
    const broken = decode("openai-chat", {
      messages: [
        { role: "user", content: [{ type: "image_url", image_url: { url: `data:image/png;base64,${png(10, 10, 500)}` } }] },
        { role: "user", content: [{ type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } }] },
      ],
    })
    expect(found(broken, "You uploaded an unsupported image. Please make sure your image is valid.")).toBe("user: image of 4")
  })
})
