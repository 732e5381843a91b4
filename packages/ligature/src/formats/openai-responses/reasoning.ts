/**
 * Reasoning items. They are never edited in what they say: a home for the summary and the encrypted content is all they
 * need. What stands around those may be wrong in ways the server rejects, and is left out when the item is written.
 */
import { isWire, type ThinkingBlock, type Wire } from "../../model/index.ts"
import type { ItemIds } from "./item-ids.ts"

const textsOf = (parts: unknown): string => {
  if (!Array.isArray(parts)) return ""
  const [only] = parts
  if (parts.length === 1 && isWire(only) && typeof only["text"] === "string") return only["text"]
  return parts.flatMap((part) => (isWire(part) && typeof part["text"] === "string" ? [part["text"]] : [])).join("\n\n")
}

const isOpen = (wire: Wire): boolean => Array.isArray(wire["content"]) && wire["content"].length > 0

const encryptedOf = (wire: Wire): string | undefined => {
  const encrypted = wire["encrypted_content"]
  return typeof encrypted === "string" && encrypted !== "" ? encrypted : undefined
}

/**
 * A server that stores its items knows the reasoning by id alone, so the id is proof enough where nothing is encrypted.
 * Not where the item carries its content in the open: that comes from servers that store nothing; OpenAI rejects it.
 */
const proofOf = (wire: Wire, stored: boolean): string | undefined => {
  const encrypted = encryptedOf(wire)
  if (encrypted !== undefined) return encrypted
  const { id } = wire
  return stored && !isOpen(wire) && typeof id === "string" && id !== "" ? id : undefined
}

export const readReasoning = (wire: Wire, stored: boolean): ThinkingBlock => {
  const signature = proofOf(wire, stored)
  const text = textsOf(wire["summary"]) || textsOf(wire["content"])
  const native = { "openai-responses": wire }
  if (signature === undefined) return { type: "thinking", text, tied: true, native }
  return { type: "thinking", text, signature, tied: true, native }
}

/** What is irregular about the item beside its id; OpenAI rejects plain content and wants the summary, even empty. */
export const reasoningFault = (wire: Wire): string | undefined => {
  if (isOpen(wire) && encryptedOf(wire) !== undefined) return "Reasoning carries plain content beside the encrypted one"
  return Array.isArray(wire["summary"]) ? undefined : "Reasoning without a summary"
}

const regular = (wire: Wire): Wire => {
  if (reasoningFault(wire) === undefined) return wire
  const { content, ...rest } = wire
  const kept = encryptedOf(wire) === undefined && content !== undefined ? { content } : {}
  return { ...rest, ...kept, summary: Array.isArray(wire["summary"]) ? wire["summary"] : [] }
}

/** Nothing where the item would be known by its id alone and the server would reject that id. */
export const writeReasoning = (wire: Wire, ids: ItemIds): Wire | undefined => {
  const item = ids.checked(wire)
  return item !== wire && encryptedOf(wire) === undefined && !isOpen(wire) ? undefined : regular(item)
}
