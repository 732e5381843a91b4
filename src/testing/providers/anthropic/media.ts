/**
 * Images in Anthropic blocks. Only what the first bytes show is judged: a format that contradicts the declared one.
 * Pixel and byte limits depend on the account and the model and are left alone.
 */
import { type WireObject, isObject } from "../wire.ts"
import type { Violation } from "../verdict.ts"

const mediaTypes: ReadonlySet<string> = new Set(["image/jpeg", "image/png", "image/gif", "image/webp"])

/** Base64 of the magic bytes. */
const openings: readonly (readonly [string, string])[] = [
  ["iVBORw0KGgo", "image/png"],
  ["/9j/", "image/jpeg"],
  ["R0lGOD", "image/gif"],
  ["UklGR", "image/webp"],
]

export function imageViolation(block: WireObject, place: () => string): Violation | undefined {
  const source = block["source"]
  const shape = (message: string): Violation => ({
    rule: "anthropic-shape",
    message: `${place()}.image.source${message}`,
  })
  if (!isObject(source)) return shape(": Field required")
  if (source["type"] === "url") return typeof source["url"] === "string" ? undefined : shape(".url.url: Field required")
  if (source["type"] === "file") {
    return typeof source["file_id"] === "string" ? undefined : shape(".file.file_id: Field required")
  }
  if (source["type"] !== "base64") return shape(": Input tag does not match any of the expected tags: 'base64', 'url'")
  const declared = source["media_type"]
  const encoded = source["data"]
  if (typeof declared !== "string" || !mediaTypes.has(declared)) {
    return shape(".base64.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'")
  }
  if (typeof encoded !== "string" || encoded === "") return shape(".base64.data: Field required")
  for (const [opening, actual] of openings) {
    if (encoded.startsWith(opening) && actual !== declared) {
      return {
        rule: "anthropic-image-media-type",
        message: `${place()}.image.source.base64: Image does not match the provided media type ${declared}`,
      }
    }
  }
  return undefined
}
