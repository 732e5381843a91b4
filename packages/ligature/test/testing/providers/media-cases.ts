/**
 * Images and documents that judges must accept and refuse. The files are the same for all; how a request has them, and
 * in which words it is refused, differs.
 */
import { gif, jpeg, pdf, png } from "../../rules/media/files.ts"
import type { RejectionCase, WireValue } from "./rejection-case.ts"

const cut = Buffer.from(png(), "base64").subarray(0, 12).toString("base64")

/** A user message or content with some blocks after a text. */
type Body = (...blocks: readonly WireValue[]) => WireValue

const copies = (count: number, block: WireValue): readonly WireValue[] => Array.from({ length: count }, () => block)

const dataUrl =
  "Expected a base64-encoded data URL with an image MIME type (e.g. " + "'data:image/png;base64,aW1nIGJ5dGVzIGhlcmU='), but got"

// Anthropic

const anthropicMedia =
  (type: string, mediaType: string) =>
  (data: string): WireValue => ({
    type,
    source: { type: "base64", media_type: mediaType, data },
  })
const image = anthropicMedia("image", "image/png")
const document = anthropicMedia("document", "application/pdf")
const anthropicBody: Body = (...blocks) => ({ messages: [{ role: "user", content: [{ type: "text", text: "see" }, ...blocks] }] })
const inResult = (...blocks: readonly WireValue[]): WireValue => ({
  messages: [
    { role: "user", content: "hi" },
    { role: "assistant", content: [{ type: "tool_use", id: "a", name: "ls", input: {} }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: [{ type: "text", text: "x" }, ...blocks] }] },
  ],
})

export const anthropicMediaHealthy: Readonly<Record<string, unknown>> = {
  "20 large images, and a PDF": anthropicBody(...copies(20, image(png(8000, 8000))), document(pdf({ pages: 80 }))),
  "100 images of 2000 pixels": anthropicBody(...copies(100, image(png(2000, 2000)))),
  "an image of 5 MB": inResult(image(png(10, 10, 3_932_160))),
}

const at = "messages.0.content.1.image.source.base64"

export const anthropicMediaCases: readonly RejectionCase[] = [
  { rule: "anthropic-image-data", body: anthropicBody(image("")), message: `${at}: image cannot be empty` },
  {
    rule: "anthropic-image-data",
    body: inResult(image("[gone]")),
    message: "messages.2.content.0.tool_result.content.1.image.source.base64: invalid base64 data",
  },
  { rule: "anthropic-image-media-type", body: anthropicBody(image(cut)), message: "Could not process image" },
  {
    rule: "anthropic-image-media-type",
    body: anthropicBody(image(jpeg())),
    message: `${at}: The image was specified using the image/png media type, but the image appears to be a image/jpeg image`,
  },
  {
    rule: "anthropic-image-5mb",
    body: anthropicBody(image(png(10, 10, 3_932_163))),
    message: `${at}: image exceeds 5 MB maximum: 5242884 bytes > 5242880 bytes`,
  },
  {
    rule: "anthropic-image-8000px",
    body: anthropicBody(image(png(8001, 2))),
    message: `${at}.data: At least one of the image dimensions exceed max allowed size: 8000 pixels`,
  },
  {
    rule: "anthropic-image-many-2000px",
    body: anthropicBody(...copies(20, image(png())), image(png(2, 2001))),
    message:
      "messages.0.content.21.image.source.base64.data: At least one of the image dimensions exceed max allowed size " +
      "for many-image requests: 2000 pixels",
  },
  {
    rule: "anthropic-media-count",
    body: anthropicBody(document(pdf({ pages: 3 })), ...copies(98, image(png()))),
    message: "Too much media: 3 document pages + 98 images > 100",
  },
  {
    rule: "anthropic-pdf-data",
    body: anthropicBody(document(pdf({ encrypted: true }))),
    message: "messages.0.content.1.document.source.base64.data: The PDF specified is password protected.",
  },
  {
    rule: "anthropic-limits",
    body: anthropicBody(document(pdf({ pages: 101 }))),
    message: "messages.0.content.1.document.source.base64.data: A maximum of 100 PDF pages may be provided.",
  },
  {
    rule: "anthropic-limits",
    body: anthropicBody(...copies(7, image(png(10, 10, 3_900_000)))),
    message: "Request exceeds the maximum allowed number of bytes",
    status: 413,
  },
]

// Chat Completions

const chatImage = (data: string, type = "image/png"): WireValue => ({
  type: "image_url",
  image_url: { url: `data:${type};base64,${data}` },
})
const chatBody: Body = (...parts) => ({ messages: [{ role: "user", content: [{ type: "text", text: "see" }, ...parts] }] })
const chatAt = "messages[0].content[1].image_url.url"
const unsupported =
  "You uploaded an unsupported image. Please make sure your image has of one the following formats: " + "['png', 'jpeg', 'gif', 'webp']."

export const imageCases: readonly RejectionCase[] = [
  { rule: "openai-image-data", body: chatBody(chatImage("")), message: `Invalid '${chatAt}'. ${dataUrl} empty base64-encoded bytes.` },
  { rule: "openai-image-format", body: chatBody(chatImage(cut)), message: unsupported },
]

export const kimiImageCases: readonly RejectionCase[] = [
  ...imageCases,
  {
    rule: "openai-image-data",
    body: chatBody({ type: "image_url", image_url: { url: "https://example.org/a.png" } }),
    message: `Invalid '${chatAt}'. Only base64-encoded images are supported.`,
  },
]

const large = png(10, 10, 19_000_000)
const long = "x".repeat(10_485_761)
const tooLong = "string too long. Expected a string with maximum length 10485760, but got a string with length 10485761 instead."

export const openaiImageCases = (count: number): readonly RejectionCase[] => [
  ...imageCases,
  {
    rule: "openai-image-count",
    body: chatBody(...copies(count + 1, chatImage(png()))),
    message: `Too many images in request. Max is ${count}.`,
  },
  {
    rule: "openai-image-size",
    body: chatBody(chatImage(png(10, 10, 20_000_001))),
    message: `Invalid '${chatAt}'. The image is too large: 20000001 > 20000000.`,
  },
  {
    rule: "openai-request-size",
    body: chatBody(chatImage(large), chatImage(large)),
    message: "Request body is too large.",
    status: 413,
  },
  {
    rule: "openai-string-length",
    body: {
      messages: [
        { role: "user", content: "hi" },
        { role: "user", content: long },
      ],
    },
    message: `Invalid 'messages[1].content': ${tooLong}`,
  },
]

export const groqImageCases: readonly RejectionCase[] = [
  ...imageCases,
  {
    rule: "openai-image-count",
    body: chatBody(...copies(6, chatImage(png()))),
    message: "Too many images provided. This model supports up to 5 images",
  },
  {
    rule: "openai-image-size",
    body: chatBody(chatImage(png(8000, 5000))),
    message: `Invalid '${chatAt}'. The image is too large: 40000000 > 33177600.`,
  },
  {
    rule: "openai-request-size",
    body: chatBody(chatImage(png(10, 10, 3_100_000))),
    message: "Request body is too large.",
    status: 413,
  },
]

export const xaiImageCases: readonly RejectionCase[] = [
  ...imageCases,
  { rule: "openai-image-format", body: chatBody(chatImage(gif(), "image/gif")), message: unsupported },
  {
    rule: "openai-image-size",
    body: chatBody(chatImage(png(10, 10, 10_485_761))),
    message: `Invalid '${chatAt}'. The image is too large: 10485761 > 10485760.`,
  },
]

export const mistralImageCases: readonly RejectionCase[] = [
  ...imageCases,
  { rule: "openai-image-count", body: chatBody(...copies(9, chatImage(png()))), message: "Too many images in request. Max is 8." },
  {
    rule: "openai-image-size",
    body: chatBody(chatImage(png(10, 10, 10_000_001))),
    message: `Invalid '${chatAt}'. The image is too large: 10000001 > 10000000.`,
  },
]

// Responses

const inputImage = (data: string): WireValue => ({
  type: "input_image",
  image_url: `data:image/png;base64,${data}`,
  detail: "auto",
})
const responsesBody: Body = (...parts) => ({
  input: [{ type: "message", role: "user", content: [{ type: "input_text", text: "see" }, ...parts] }],
})

export const responsesMediaCases: readonly RejectionCase[] = [
  {
    rule: "openai-image-data",
    body: responsesBody(inputImage("")),
    message: `Invalid 'input[0].content[1].image_url'. ${dataUrl} empty base64-encoded bytes.`,
  },
  {
    rule: "openai-image-format",
    body: responsesBody(inputImage(cut)),
    message:
      "The image data you provided does not represent a valid image. Please check your input and try again with one " +
      "of the supported image formats: ['image/jpeg', 'image/png', 'image/gif', 'image/webp'].",
  },
  {
    rule: "openai-image-count",
    body: responsesBody(...copies(501, inputImage(png()))),
    message: "Too many images in request. Max is 500.",
  },
  {
    rule: "openai-image-size",
    body: responsesBody(inputImage(png(10, 10, 20_000_001))),
    message: "Invalid 'input[0].content[1].image_url'. The image is too large: 20000001 > 20000000.",
  },
  {
    rule: "openai-request-size",
    body: responsesBody(inputImage(large), inputImage(large)),
    message: "Request body is too large.",
    status: 413,
  },
  {
    rule: "openai-string-length",
    body: { input: [{ type: "message", role: "user", content: [{ type: "input_text", text: long }] }] },
    message: `Invalid 'input[0].content[0].text': ${tooLong}`,
  },
]

// Gemini

const blob = (data: string, mimeType = "image/png"): WireValue => ({ inlineData: { mimeType, data } })
const geminiBody: Body = (...parts) => ({ contents: [{ role: "user", parts: [{ text: "see" }, ...parts] }] })

export const geminiMediaCases: readonly RejectionCase[] = [
  { rule: "gemini-media-type", body: geminiBody(blob(gif(), "image/gif")), message: "Unsupported MIME type: image/gif" },
  {
    rule: "gemini-media-data",
    body: geminiBody(blob("[gone]")),
    message: "Invalid value at 'contents[0].parts[1].inline_data.data' (TYPE_BYTES), Base64 decoding failed for \"…\"",
  },
  {
    rule: "gemini-media-data",
    body: geminiBody(blob(cut)),
    message: "Unable to process input image. Please retry or report in " + "https://developers.generativeai.google/guide/troubleshooting",
  },
  {
    rule: "gemini-request-size",
    body: geminiBody(blob(png(10, 10, 15_000_000))),
    message: "Request payload size exceeds the limit: 20000000 bytes.",
  },
  {
    rule: "gemini-request-size",
    body: geminiBody(blob(pdf({ pages: 1200 }), "application/pdf")),
    message: "The document contains 1200 pages which exceeds the supported page limit of 1000.",
  },
]

// Bedrock

const picture = (bytes: string, format = "png"): WireValue => ({ image: { format, source: { bytes } } })
const paper = (bytes: string, name = "a"): WireValue => ({ document: { name, format: "pdf", source: { bytes } } })
const bedrockBody: Body = (...blocks) => ({ messages: [{ role: "user", content: [{ text: "see" }, ...blocks] }] })

export const bedrockMediaCases: readonly RejectionCase[] = [
  {
    rule: "bedrock-media-limits",
    body: bedrockBody(picture(png(10, 10, 3_750_001))),
    message: "messages.0.content.1.image.source.bytes: image exceeds 5 MB maximum",
  },
  {
    rule: "bedrock-media-limits",
    body: bedrockBody(...copies(21, picture(png()))),
    message: "too many images and documents: 21 + 0 > 20",
  },
  {
    rule: "bedrock-media-limits",
    body: bedrockBody(...["a", "b", "c", "d", "e", "f"].map((name) => paper(pdf(), name))),
    message: "You can't include more than 5 documents in a request.",
  },
  {
    rule: "anthropic-image-data",
    body: bedrockBody(picture("")),
    message: `${at}: image cannot be empty`,
  },
  {
    rule: "anthropic-image-media-type",
    body: bedrockBody(picture(jpeg())),
    message: `${at}: The image was specified using the image/png media type, but the image appears to be a image/jpeg image`,
  },
  {
    rule: "anthropic-image-8000px",
    body: bedrockBody(picture(png(1, 9000))),
    message: `${at}.data: At least one of the image dimensions exceed max allowed size: 8000 pixels`,
  },
  {
    rule: "anthropic-limits",
    body: bedrockBody(paper(pdf({ pages: 101 }))),
    message: "messages.0.content.1.document.source.base64.data: A maximum of 100 PDF pages may be provided.",
  },
  {
    rule: "anthropic-pdf-data",
    body: bedrockBody(paper(png())),
    message: "messages.0.content.1.document.source.base64.media_type: Input should be 'application/pdf'",
  },
]
