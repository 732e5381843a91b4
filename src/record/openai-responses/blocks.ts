/**
 * Items → blocks, read as the codec reads them: the first block of a message keeps the whole item, later ones their
 * part.
 *
 * A server knows items by their id only once the response has ended well. Until then ids are left out, so that nobody
 * looks them up, and reasoning that has nothing but its id is not signed.
 */
import {
  type Block,
  type CallBlock,
  isWire,
  readArgumentsObject,
  readArgumentsText,
  type ThinkingBlock,
  type Wire,
} from "../../model/index.ts"
import { cutArguments } from "../arguments.ts"
import type { Slot, SlotKind } from "../draft.ts"
import { listOf, previewOf, stringOf } from "../fields.ts"
import { opaqueItem } from "./captions.ts"
import { type ItemState, partText, type ResponsesState, wireItem } from "./items.ts"

/** Calls of built-in tools that the client runs, and the field that holds what to do. */
const typedCalls: Readonly<Record<string, string>> = {
  local_shell_call: "action",
  shell_call: "action",
  apply_patch_call: "operation",
  computer_call: "action",
}

const typedField = (type: string): string | undefined =>
  Object.hasOwn(typedCalls, type) ? typedCalls[type] : undefined

export const kindOfItem = (type: string): SlotKind => {
  if (type === "reasoning") return "thinking"
  const calls = type === "function_call" || type === "custom_tool_call" || typedField(type) !== undefined
  return calls ? "call" : "opaque"
}

const nativeOf = (wire: Wire): { readonly "openai-responses": Wire } => ({ "openai-responses": wire })

const textsOf = (parts: unknown): string =>
  listOf(parts).flatMap((part) => (isWire(part) && typeof part["text"] === "string" ? [part["text"]] : [])).join("\n\n")

const buildThinking = (wire: Wire, known: boolean): ThinkingBlock => {
  const text = textsOf(wire["summary"]) || textsOf(wire["content"])
  const encrypted = stringOf(wire["encrypted_content"])
  const open = listOf(wire["content"]).length > 0
  const signature = encrypted || (known && !open ? stringOf(wire["id"]) : "")
  const base = { type: "thinking", text, tied: true, native: nativeOf(wire) } as const
  if (signature !== "") return { ...base, signature }
  return known ? base : { ...base, unsigned: true }
}

const idOf = (wire: Wire): string => {
  if (typeof wire["call_id"] === "string") return wire["call_id"]
  return wire["type"] === "local_shell_call" ? stringOf(wire["id"]) : ""
}

const buildCall = (item: ItemState, wire: Wire, raw: string, whole: boolean): CallBlock => {
  const head = { type: "call", id: idOf(wire), native: nativeOf(wire) } as const
  const name = stringOf(wire["name"])
  if (item.type === "function_call") {
    if (!whole) return { ...head, name, ...cutArguments(raw) }
    const given = wire["arguments"]
    return { ...head, name, ...(typeof given === "string" ? readArgumentsText(given) : readArgumentsObject(given)) }
  }
  if (item.type === "custom_tool_call") {
    const cut = !whole && { raw, fault: "unparsable" as const }
    return { ...head, name, arguments: { input: stringOf(wire["input"]) }, ...cut, custom: true }
  }
  const value = wire[typedField(item.type) ?? "action"]
  const given = value ?? (Array.isArray(wire["actions"]) ? { actions: wire["actions"] } : undefined)
  const read = whole ? readArgumentsObject(given) : cutArguments(JSON.stringify(given) ?? "")
  return { ...head, name: item.type.slice(0, -"_call".length), ...read }
}

const buildPart = (item: ItemState, wire: Wire, index: number): Block => {
  const part = listOf(wire["content"])[index]
  const words = partText(part)
  // The first part stands for the item; a part of a kind nobody knows goes back with it.
  const native = nativeOf(index === 0 ? wire : isWire(part) ? part : {})
  if (words !== undefined) return { type: "text", text: words, native }
  if (part === undefined) return { type: "text", text: item.slots[index]?.pieces.text ?? "", native }
  const type = isWire(part) ? stringOf(part["type"]) : ""
  return { type: "opaque", kind: `message/${type}`, text: previewOf(part), native }
}

const withoutId = (wire: Wire): Wire => {
  const { id: _, ...rest } = wire
  return rest
}

/** `known`: the response ended well, so that the server knows its items. */
export const buildBlock = (slot: Slot<ResponsesState>, whole: boolean, known: boolean): Block => {
  const { item, part } = slot.state
  const wire = known || item.type === "local_shell_call" ? wireItem(item, whole) : withoutId(wireItem(item, whole))
  const kind = kindOfItem(item.type)
  if (item.type === "message") return buildPart(item, wire, part)
  if (kind === "thinking") return buildThinking(wire, known)
  return kind === "call" ? buildCall(item, wire, slot.pieces.text, whole) : opaqueItem(wire, item.type)
}
