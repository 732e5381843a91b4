// Refusals of images and documents, met in public reports of sessions that such a block had locked for good.
import type { ProviderRule } from "./provider-rule.ts"

export const mediaReports: readonly ProviderRule[] = [
  {
    id: "anthropic-media-count",
    providers: ["anthropic", "bedrock"],
    demand: "A request has at most 100 images and pages of PDFs together.",
    severity: "hard", touches: "history", status: 400, action: "fix-media",
    texts: [
      "Too much media: 0 document pages + 107 images > 100",
      "too many images and documents: 104 + 1 > 100",
    ],
    match: /Too much media: \d+ document pages . \d+ images > \d+|too many images and documents: \d+ . \d+ > \d+/i,
    blames: "oldest-media",
    repair: "Replace the oldest by notes, several at a time.",
    enforcedBy: { profile: "media-limit" },
  },
  {
    id: "anthropic-image-data",
    providers: ["anthropic", "bedrock"],
    demand: "The data of an image is base64, and not empty.",
    severity: "hard", touches: "history", status: 400, action: "fix-media",
    texts: [
      "messages.118.content.4.image.source.base64: image cannot be empty",
      "messages.335.content.0.tool_result.content.1.image.source.base64: invalid base64 data",
    ],
    match: /image cannot be empty|source\.base64: invalid base64 data/i,
    repair: "Write plain base64, and replace what is none by a note.",
    enforcedBy: { profile: "media-data" },
  },
  {
    id: "anthropic-pdf-data",
    providers: ["anthropic"],
    demand: "A PDF is complete and not encrypted.",
    severity: "hard", touches: "history", status: 400, action: "fix-media",
    texts: [
      "messages.2.content.0.document.source.base64.data: The PDF specified was not valid.",
      "messages.2.content.0.document.source.base64.data: The PDF specified is password protected.",
    ],
    match: /The PDF specified (?:was not valid|is password protected)/i,
    repair: "Replace it by a note.",
    enforcedBy: { profile: "media-data" },
  },
  {
    id: "openai-image-data",
    providers: ["openai-chat", "openai-responses", "azure"],
    demand: "The data of an image is base64 in a data URL, and not empty.",
    severity: "hard", touches: "history", status: 400, action: "fix-media",
    texts: [
      "Invalid 'input[101].content[1].image_url'. Expected a base64-encoded data URL with an image MIME type (e.g. " +
      "'data:image/png;base64,aW1nIGJ5dGVzIGhlcmU='), but got empty base64-encoded bytes.",
      "Invalid image URL: 'messages[0].content[1].image_url.url'. Expected a base64-encoded data URL with an image " +
      "MIME type (e.g. 'data:image/png;base64,aW1nIGJ5dGVzIGhlcmU='), but got a value without the 'data:' prefix.",
    ],
    match: /Expected a base64-encoded data URL with an image MIME type/i,
    repair: "Write plain base64, and replace what is none by a note.",
    enforcedBy: { profile: "media-data" },
  },
  {
    id: "openai-image-format",
    providers: ["openai-chat", "openai-responses", "azure"],
    demand: "An image is a readable PNG, JPEG, GIF or WebP.",
    severity: "hard", touches: "history", status: 400, action: "fix-media",
    texts: [
      "You uploaded an unsupported image. Please make sure your image has of one the following formats: ['png', " +
      "'jpeg', 'gif', 'webp'].",
      "The image data you provided does not represent a valid image. Please check your input and try again with one " +
      "of the supported image formats: ['image/jpeg', 'image/png', 'image/gif', 'image/webp'].",
    ],
    match: /You uploaded an unsupported image|image data you provided does not represent a valid image/i,
    repair: "Replace the image by a note.",
    enforcedBy: { profile: "media-type" },
  },
  {
    id: "openai-image-count",
    providers: ["openai-chat", "openai-responses", "azure", "openai-compatible"],
    demand: "A request has no more images than the model takes.",
    severity: "hard", touches: "history", status: 400, action: "fix-media",
    texts: [
      "Too many images in request. Max is 10.",
      "Too many images in request: 11 images provided, but the model supports a maximum of 10 images.",
    ],
    alsoSeen: [
      "request contains 52 images, exceeding the maximum of 50 allowed per request",
      "too many URL images in request (max 20)",
      "At most 5 image(s) may be provided in one request.",
      "Too many images provided. This model supports up to 5 images",
    ],
    match: /Too many (?:URL )?images (?:in request|provided)|request contains \d+ images, exceeding|At most \d+ image\(s\) may be provided/i,
    blames: "oldest-media",
    repair: "Replace the oldest by notes, several at a time.",
    enforcedBy: { profile: "media-limit" },
  },
  {
    id: "gemini-media-type",
    providers: ["gemini"],
    demand: "An image is PNG, JPEG, WebP, HEIC or HEIF, declared as what it is.",
    severity: "hard", touches: "history", status: 400, action: "fix-media",
    texts: [
      "Unsupported MIME type: image/gif",
      "* GenerateContentRequest.contents[0].parts[1].inline_data.mime_type: MIME type must be image/png, image/jpeg, " +
      "image/webp, image/heic, or image/heif.",
    ],
    match: /Unsupported MIME type: \S{1,80}|inline_data\.mime_type: MIME type must be/i,
    repair: "Take the type from the bytes; replace others by notes.",
    enforcedBy: { profile: "media-type" },
  },
  {
    id: "gemini-media-data",
    providers: ["gemini"],
    demand: "Inline data is base64 of a readable file.",
    severity: "hard", touches: "history", status: 400, action: "fix-media",
    texts: [
      "Invalid value at 'contents[2].parts[0].inline_data.data' (TYPE_BYTES), Base64 decoding failed for " +
      '"/api/attachments/file?id=66301475"',
      "Unable to process input image. Please retry or report in " +
      "https://developers.generativeai.google/guide/troubleshooting",
      "Provided image is not valid",
    ],
    match: /inline_data\.data' \(TYPE_BYTES\), Base64 decoding failed|Unable to process input image|Provided image is not valid/i,
    repair: "Write plain base64, and replace what is none by a note.",
    enforcedBy: { profile: "media-data" },
  },
  {
    id: "gemini-request-size",
    providers: ["gemini"],
    demand: "A request with inline data has at most 20 MB, and a PDF at most 1000 pages.",
    severity: "hard", touches: "history", status: 400, action: "fix-media",
    texts: [
      "Request payload size exceeds the limit: 20971520 bytes.",
      "The document contains 1200 pages which exceeds the supported page limit of 1000.",
    ],
    match: /Request payload size exceeds the limit: \d+ bytes|pages which exceeds the supported page limit/i,
    blames: "largest-media",
    repair: "Use the file service, or replace the oldest by notes.",
    enforcedBy: { profile: "media-limit" },
  },
]
