/**
 * Messages → one message of the file: the one they came from, with what changed in it, or a new one. A part that is unchanged
 * is the very same object, a changed one is patched in place, a new one comes after the part it follows. New messages and parts
 * have empty ids here: they are named when all are there, because the agent orders them by id.
 */
import {
  type Block,
  type CallBlock,
  type ContentBlock,
  isWire,
  type MediaBlock,
  type Origin,
  pushAll,
  type ResultBlock,
  type Wire,
} from "../../model/index.ts"
import { mediaNote, writeUrl } from "../../formats/engine/media.ts"
import { nativeIn, stringOf, wireOf } from "../engine/fields.ts"
import { millisecondsOf } from "../engine/iso-time.ts"
import { patch, patchList } from "../engine/patch.ts"
import type { RecordMessage, WritePlace } from "../engine/session-format.ts"
import { createdIn, format, infoOf, numberOf, partsOf } from "./read-message.ts"

/** What becomes of the ids of a new part, and when it was made. */
interface Envelope {
  readonly base: Wire
  readonly milliseconds: number
}

const unnamed = { id: "", sessionID: "", messageID: "" }

const fileOf = (block: MediaBlock): Wire | undefined => {
  const url = writeUrl(block)
  if (url === undefined) return undefined
  const name = block.name !== undefined && { filename: block.name }
  return { type: "file", mime: block.mediaType ?? "application/octet-stream", ...name, url }
}

/** Text of a result; media goes into attachments, where the state has those. */
const outputOf = ({ content }: ResultBlock, attaches: boolean): string => {
  const shown = (block: ContentBlock): string => {
    if (block.type !== "media") return block.text
    return attaches && writeUrl(block) !== undefined ? "" : mediaNote(block)
  }
  return content
    .map(shown)
    .filter((words) => words !== "")
    .join("\n")
}

const attachmentsOf = ({ content }: ResultBlock, base: Wire): readonly Wire[] => {
  const files = content.flatMap((block): Wire | readonly Wire[] =>
    block.type === "media" ? (nativeIn(block, format) ?? fileOf(block) ?? []) : [],
  )
  const id = stringOf(base["id"])
  return files.map((file, index) => ("id" in file ? file : { ...base, id: id === "" ? "" : `${id}${index}`, ...file }))
}

/** The state of a tool part; what the one before knows beyond the model is kept. */
const stateOf = (call: CallBlock, result: ResultBlock | undefined, before: Wire, { base, milliseconds }: Envelope): Wire => {
  const time = wireOf(before["time"])
  const start = numberOf(time["start"]) ?? milliseconds
  const end = numberOf(time["end"]) ?? start
  const input = call.arguments
  if (!result) return { status: "running", input, time: { start } }
  const { interrupted: _, ...metadata } = wireOf(before["metadata"])
  if (result.error === true) return { status: "error", input, error: outputOf(result, false), metadata, time: { start, end } }
  const files = attachmentsOf(result, base)
  return {
    status: "completed",
    input,
    output: outputOf(result, true),
    title: typeof before["title"] === "string" ? before["title"] : call.name,
    metadata,
    time: { start, end },
    ...(files.length > 0 && { attachments: files }),
  }
}

/** What a part said when it was read. */
interface Before {
  readonly block: Block
  result?: ResultBlock
}

/** An id may be new: what became of the call is still the same. */
const isSameOutcome = (before: ResultBlock | undefined, result: ResultBlock | undefined): boolean => {
  if (!before || !result) return before === result
  return before.content === result.content && before.error === result.error && before.denied === result.denied
}

const patchedTool = (part: Wire, call: CallBlock, result: ResultBlock | undefined, before: Before, milliseconds: number): Wire => {
  const state = wireOf(part["state"])
  const { block } = before
  const isSameInput = block.type === "call" && block.arguments === call.arguments && block.fault === call.fault
  const isSame = isSameInput && isSameOutcome(before.result, result)
  if (isSame && block === call) return part
  const base = { id: part["id"], sessionID: part["sessionID"], messageID: part["messageID"] }
  const kept = isSameInput ? part["state"] : patch(state, { input: call.arguments })
  const next = isSameOutcome(before.result, result) ? kept : stateOf(call, result, state, { base, milliseconds })
  return patch(part, { callID: call.id, tool: call.name, state: next })
}

const textPart = (words: string, base: Wire): Wire | undefined => (words === "" ? undefined : { ...base, type: "text", text: words })

const newPart = (block: Block, result: ResultBlock | undefined, milliseconds: number): Wire | undefined => {
  switch (block.type) {
    case "text":
    case "opaque":
      return textPart(block.text, unnamed)
    case "media": {
      const file = fileOf(block)
      return file ? { ...unnamed, ...file } : textPart(mediaNote(block), unnamed)
    }
    case "thinking":
      return block.text === ""
        ? undefined
        : { ...unnamed, type: "reasoning", text: block.text, time: { start: milliseconds, end: milliseconds } }
    case "call": {
      const state = stateOf(block, result, {}, { base: unnamed, milliseconds })
      return { ...unnamed, type: "tool", callID: block.id, tool: block.name, state }
    }
    case "result":
      return undefined
  }
}

const patchedPart = (part: Wire, block: Block, result: ResultBlock | undefined, before: Before, milliseconds: number): Wire | undefined => {
  if (block.type === "call") return patchedTool(part, block, result, before, milliseconds)
  if (block === before.block || (block.type !== "text" && block.type !== "thinking")) return part
  const isOwn = part["type"] === (block.type === "text" ? "text" : "reasoning")
  return isOwn ? patch(part, { text: block.text }) : newPart(block, result, milliseconds)
}

/** What the parts of a record said. */
const partsBefore = (messages: readonly RecordMessage[]): ReadonlyMap<Wire, Before> => {
  const parts = new Map<Wire, Before>()
  for (const { blocks } of messages) {
    for (const block of blocks) {
      const part = nativeIn(block, format)
      const known = part && parts.get(part)
      if (known && block.type === "result") known.result = block
      else if (part) parts.set(part, { block })
    }
  }
  return parts
}

const resultsIn = (messages: readonly RecordMessage[]): ReadonlyMap<string, ResultBlock> =>
  new Map(messages.flatMap(({ blocks }) => blocks.flatMap((block) => (block.type === "result" ? [[block.callId, block] as const] : []))))

const patchedParts = (messages: readonly RecordMessage[], like: Wire, place: WritePlace): readonly unknown[] => {
  const before = partsBefore(place.before)
  const results = resultsIn(messages)
  const milliseconds = createdIn(infoOf(like)) ?? 0
  const written = new Map<Wire, Wire>()
  /** New parts after one; under undefined those before all. */
  const added = new Map<unknown, Wire[]>()
  let last: Wire | undefined
  for (const block of messages.flatMap((message) => message.blocks)) {
    if (block.type === "result") continue
    const result = block.type === "call" ? results.get(block.id) : undefined
    const part = nativeIn(block, format)
    const then = part && !written.has(part) ? before.get(part) : undefined
    const next = part && then ? patchedPart(part, block, result, then, milliseconds) : newPart(block, result, milliseconds)
    if (!next) continue
    if (part && then) {
      written.set(part, next)
      last = part
    } else if (added.has(last)) added.get(last)?.push(next)
    else added.set(last, [next])
  }
  const parts = partsOf(like)
  const opening = parts.findIndex((part) => isWire(part) && part["type"] === "step-start")
  const leading = added.get(undefined) ?? []
  const out: unknown[] = opening < 0 ? [...leading] : []
  parts.forEach((part, index) => {
    const next = isWire(part) && before.has(part) ? written.get(part) : part
    if (next !== undefined) out.push(next)
    if (index === opening) pushAll(out, leading)
    pushAll(out, (isWire(part) && added.get(part)) || [])
  })
  return out
}

const noTokens = { input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } }

const modelOf = (origin: Origin | undefined): { readonly providerID: string; readonly modelID: string } => {
  const provider = origin?.provider ?? "unknown"
  return { providerID: provider === "gemini" ? "google" : provider, modelID: origin?.model ?? "unknown" }
}

/** The model of a neighbour in the file: of what was asked for, or of what answered. */
const modelIn = ({ model, providerID, modelID }: Wire): Wire | undefined =>
  isWire(model) ? model : typeof modelID === "string" ? { providerID, modelID } : undefined

const newMessage = (messages: readonly RecordMessage[], { time, previous, origin, session }: WritePlace): Wire => {
  const last = infoOf(previous ?? {})
  // The neighbour in the file says how the session is held; in a new session there is none.
  const near = stringOf(last["id"]) === "" ? {} : last
  const created = Math.max(millisecondsOf(time) ?? 0, createdIn(last) ?? 0)
  const results = resultsIn(messages)
  const own = messages.find((message) => message.origin)?.origin
  const { providerID, modelID } = own ? modelOf(own) : (modelIn(near) ?? modelOf(origin))
  const agent = near["agent"] ?? "build"
  const said = messages.flatMap(({ blocks }) => blocks)
  const parts = said.flatMap((block) => newPart(block, block.type === "call" ? results.get(block.id) : undefined, created) ?? [])
  const shared = { id: "", sessionID: "" }
  if (!messages.some(({ role }) => role === "assistant")) {
    return { info: { ...shared, role: "user", time: { created }, agent, model: { providerID, modelID } }, parts }
  }
  const folder = session.folder ?? "/"
  const finish = said.some(({ type }) => type === "call") ? "tool-calls" : "stop"
  const info = {
    ...shared,
    role: "assistant",
    time: { created, completed: created },
    parentID: near["role"] === "user" ? near["id"] : stringOf(near["parentID"]),
    providerID,
    modelID,
    mode: "build",
    agent,
    path: near["path"] ?? { cwd: folder, root: folder },
    cost: 0,
    tokens: noTokens,
    finish,
  }
  if (parts.length === 0) return { info, parts }
  const opening = { ...unnamed, type: "step-start" }
  const closing = { ...unnamed, type: "step-finish", reason: finish, cost: 0, tokens: noTokens }
  return { info, parts: [opening, ...parts, closing] }
}

export const writeMessage = (messages: readonly RecordMessage[], like: Wire | undefined, place: WritePlace): Wire => {
  if (!like) return newMessage(messages, place)
  const info = infoOf(like)
  const isSystem = ({ role }: RecordMessage): boolean => role === "system" && stringOf(info["system"]) !== ""
  const system = messages
    .find(isSystem)
    ?.blocks.map((block) => (block.type === "text" ? block.text : ""))
    .join("\n\n")
  const parts = patchedParts(
    messages.filter((message) => !isSystem(message)),
    like,
    place,
  )
  return patch(like, { info: system === undefined ? info : patch(info, { system }), parts: patchList(like["parts"], parts) })
}
