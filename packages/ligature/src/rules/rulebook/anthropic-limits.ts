// Anthropic Messages: cache marks, media, sizes.
import type { ProviderRule } from "./provider-rule.ts"

export const anthropicLimits: readonly ProviderRule[] = [
  {
    id: "anthropic-cache-max-4",
    providers: ["anthropic"],
    demand: "A request has at most 4 cache marks.",
    severity: "hard", touches: "params", status: 400, action: "recompute-cache-marks",
    texts: ["A maximum of 4 blocks with cache_control may be provided. Found 5."],
    match: /A maximum of 4 blocks with cache_control/i,
    repair: "Strip stored marks and place new ones while encoding.",
    enforcedBy: { profile: "cache-marks" },
  },
  {
    id: "anthropic-cache-ttl-order",
    providers: ["anthropic"],
    demand: "A one-hour cache mark does not come after a five-minute one.",
    severity: "hard", touches: "params", status: 400, action: "recompute-cache-marks",
    texts: [
      "system.0.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block",
    ],
    match: /ttl='1h' cache_control block must not come after/i,
    repair: "Lengthen the earlier mark or shorten the later one.",
    enforcedBy: { profile: "cache-marks" },
  },
  {
    id: "anthropic-cache-ttl-toplevel",
    providers: ["anthropic"],
    demand: "The top-level cache lifetime agrees with the block it lands on.",
    severity: "hard", touches: "params", status: 400, action: "recompute-cache-marks",
    texts: ["Top-level cache_control has ttl='5m' but the target block already has cache_control with ttl='1h'"],
    match: /Top-level cache_control has ttl=/i,
    repair: "Use one lifetime.",
    enforcedBy: { profile: "cache-marks" },
  },
  {
    id: "anthropic-cache-empty-text",
    providers: ["anthropic"],
    demand: "An empty text block carries no cache mark.",
    severity: "hard", touches: "params", status: 400, action: "recompute-cache-marks",
    texts: ["messages.4.content.0.text: cache_control cannot be set for empty text blocks"],
    match: /cache_control cannot be set for empty text blocks/i,
    repair: "Drop the block, move the mark.",
    enforcedBy: { profile: "cache-marks" },
  },
  {
    id: "anthropic-image-many-2000px",
    providers: ["anthropic"],
    demand: "With more than 20 images, each is at most 2000 pixels a side.",
    severity: "hard", touches: "history", status: 400, action: "fix-media",
    texts: [
      "messages.84.content.1.image.source.base64.data: At least one of the image dimensions exceed max allowed size " +
      "for many-image requests: 2000 pixels",
    ],
    match: /max allowed size for many-image requests: 2000 pixels/i,
    blames: "largest-media",
    repair: "Scale down when recording, or replace the oldest images by notes.",
    enforcedBy: { profile: "media-limit" },
  },
  {
    id: "anthropic-image-8000px",
    providers: ["anthropic"],
    demand: "An image is at most 8000 pixels a side.",
    severity: "hard", touches: "history", status: 400, action: "fix-media",
    texts: [
      "messages.0.content.1.image.source.base64.data: At least one of the image dimensions exceed max allowed size: " +
      "8000 pixels",
    ],
    match: /max allowed size: 8000 pixels/i,
    blames: "largest-media",
    repair: "Scale down when recording, or replace the image by a note.",
    enforcedBy: { profile: "media-limit" },
  },
  {
    id: "anthropic-image-5mb",
    providers: ["anthropic"],
    demand: "An image stays below the size limit.",
    severity: "hard", touches: "history", status: 400, action: "fix-media",
    texts: ["messages.46.content.9.image.source.base64: image exceeds 5 MB maximum: 6096280 bytes > 5242880 bytes"],
    match: /image exceeds \d+ ?MB maximum/i,
    blames: "largest-media",
    repair: "Encode again before recording; later, replace the image by a note.",
    enforcedBy: { profile: "media-limit" },
  },
  {
    id: "anthropic-image-media-type",
    providers: ["anthropic"],
    demand: "The declared media type is that of the bytes.",
    severity: "hard", touches: "history", status: 400, action: "fix-media",
    texts: ["Image does not match the provided media type", "Could not process image"],
    alsoSeen: [
      "messages.83.content.0.tool_result.content.1.image.source.base64: The image was specified using the image/jpeg " +
      "media type, but the image appears to be a image/png image",
    ],
    match: /Image does not match the provided media type|Could not process image|image was specified using the \S{1,80} media type/i,
    repair: "Take the type from the bytes; replace what is no image by a note.",
    enforcedBy: { profile: "media-type" },
  },
  {
    id: "anthropic-limits",
    providers: ["anthropic"],
    demand: "A request stays within 32 MB, 100,000 messages and the limits on images and pages.",
    severity: "hard", touches: "history", status: 413, action: "fix-media",
    texts: [
      "request_too_large",
      "Request exceeds the maximum allowed number of bytes",
      "A maximum of 100 PDF pages may be provided.",
    ],
    alsoSeen: ["Request exceeds the maximum size"],
    match: /request_too_large|maximum allowed number of bytes|Request exceeds the maximum size|maximum of \d+ PDF pages/i,
    blames: "largest-media",
    repair: "Move media to the file store, replace the oldest by notes, or compact.",
    enforcedBy: { profile: "media-limit" },
  },
  {
    id: "anthropic-document-name",
    providers: ["anthropic"],
    demand: "Document names use letters, digits, spaces, hyphens, parentheses and brackets.",
    severity: "hard", touches: "history", status: 400, action: "fix-media",
    texts: [
      "The document file name can only contain alphanumeric characters, whitespace characters, hyphens, " +
      "parentheses, and square brackets.",
    ],
    match: /document file name can only contain/i,
    repair: "Replace other characters in the name.",
    enforcedBy: { outside: "media", why: "concerns the name of an attached file" },
  },
]
