/**
 * Responses streams, written: items that are added, grow and are done, then the whole response. Calls may grow side by
 * side. Texts that were parts of one message item are parts of one again: it is done when something else begins.
 */
import { type Block, isWire, type OpaqueBlock, type ResultBlock, text, type TextBlock, type Wire } from "../../model/index.ts"
import { mediaNote } from "../engine/media.ts"
import type { Recorded, Usage } from "../engine/recorder/recorder.ts"
import { callText, type Entry, type Paper, type Pen } from "../engine/recorder/stream-writer.ts"
import { asWire, listOf, stringOf } from "../engine/wire.ts"
import { format, isMessageItem, isPartKind, nativeOf } from "./fields.ts"
import { partOf, writeCall, writeText } from "./write-blocks.ts"

/** Why a response that is not complete stopped. */
const reasons: Readonly<Record<string, string>> = { length: "max_output_tokens", refused: "content_filter" }

const usageOf = (usage: Usage | undefined): Wire | null => {
  if (!usage) return null
  const { native, inputTokens = 0, outputTokens = 0, cacheReadTokens = 0, thinkingTokens = 0 } = usage
  const own = native[format]
  if (isWire(own)) return own
  return {
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: cacheReadTokens },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: thinkingTokens },
    total_tokens: inputTokens + outputTokens,
  }
}

const wireOf = (block: Block): Wire | undefined => asWire(nativeOf(block))

/** How ids of a type of item begin. */
const prefixes: Readonly<Record<string, string>> = { message: "msg", function_call: "fc", custom_tool_call: "ctc", reasoning: "rs" }

/** A message item that may get more parts. */
interface OpenMessage {
  readonly index: number
  readonly item: Wire
  /** It came from here: parts that did too may be its own. */
  readonly own: boolean
  readonly parts: Wire[]
}

/** What is written in pieces: which event brings them, where they go. */
interface Growing {
  readonly event: string
  readonly place: Wire
  readonly index: number
  readonly item: Wire
}

export const responsesPen = (paper: Paper): Pen => {
  const { options } = paper
  const base = (options.id ?? "0").replace(/^resp_/, "").slice(0, 40)
  const output: Wire[] = []
  const growing: Growing[] = []
  let sequence = 0
  let items = 0
  let message: OpenMessage | undefined

  const emit = (type: string, fields: Wire): void => paper.emit({ type, sequence_number: sequence++, ...fields }, type)

  const responseOf = (status: string, recorded?: Recorded, rest: Wire = {}): Wire => ({
    id: options.id ?? "resp_0",
    object: "response",
    created_at: options.created ?? 0,
    status,
    error: null,
    incomplete_details: null,
    model: options.model ?? recorded?.origin.model ?? "",
    output: output.filter((item) => item !== undefined),
    usage: usageOf(recorded?.usage),
    ...rest,
  })

  /** The item with an id: its own, or one made of the id of the response and its place. */
  const identified = (item: Wire): Wire => {
    if (typeof item["id"] === "string" && item["id"] !== "") return item
    const type = stringOf(item["type"])
    const { id: _, ...rest } = item
    return { id: `${Object.hasOwn(prefixes, type) ? prefixes[type] : "item"}_${base}_${items}`, ...rest }
  }

  const added = (item: Wire): number => {
    emit("response.output_item.added", { output_index: items, item })
    return items++
  }

  const done = (index: number, item: Wire): void => {
    output[index] = item
    emit("response.output_item.done", { output_index: index, item })
  }

  /** An item that comes in one piece. */
  const say = (given: Wire): void => {
    const item = identified(given)
    done(added("status" in item ? { ...item, status: "in_progress" } : item), item)
  }

  const settle = (): void => {
    if (!message) return
    const { index, item, parts } = message
    message = undefined
    const content = listOf(item["content"])
    const same = content.length === parts.length && parts.every((part, at) => part === content[at])
    done(index, same ? item : { ...item, content: parts })
  }

  const openMessage = (native: Wire | undefined): OpenMessage => {
    settle()
    const given = native ?? { type: "message", status: "completed", role: "assistant", content: [] }
    const item = identified({ ...(given["type"] === "message" ? given : { ...given, type: "message" }) })
    const index = added({ ...item, status: "in_progress", content: [] })
    return { index, item, own: native !== undefined, parts: [] }
  }

  /** The message a part goes to: that of the parts before it where they were neighbours, else one of its own. */
  const messageOf = (block: Block): OpenMessage => {
    const native = wireOf(block)
    const item = native && isMessageItem(native) ? native : undefined
    message = native && !item && message?.own ? message : openMessage(item)
    return message
  }

  const placeOf = ({ index, item, parts }: OpenMessage): Wire => ({
    item_id: item["id"],
    output_index: index,
    content_index: parts.length,
  })

  const fieldOf = (part: Wire): "refusal" | "text" => (part["type"] === "refusal" ? "refusal" : "text")

  const partFor = (block: TextBlock, words: string): Wire => {
    const part = writeText(block, words, "assistant")
    return wireOf(block) ? part : { ...part, annotations: [] }
  }

  const startText = (block: TextBlock): Growing => {
    const open = messageOf(block)
    const place = placeOf(open)
    const part = partFor(block, "")
    emit("response.content_part.added", { ...place, part: "annotations" in part ? { ...part, annotations: [] } : part })
    const event = fieldOf(part) === "refusal" ? "response.refusal" : "response.output_text"
    return { event, place, index: open.index, item: part }
  }

  const closeText = ({ event, place }: Growing, block: TextBlock): void => {
    const part = partFor(block, block.text)
    listOf(part["annotations"]).forEach((annotation, annotation_index) =>
      emit("response.output_text.annotation.added", { ...place, annotation_index, annotation }),
    )
    emit(`${event}.done`, { ...place, [fieldOf(part)]: block.text })
    emit("response.content_part.done", { ...place, part })
    message?.parts.push(part)
  }

  const startCall = (block: Block & { readonly type: "call" }): Growing => {
    settle()
    const given = writeCall(block, undefined)
    const custom = given["type"] === "custom_tool_call"
    const item = identified(wireOf(block) ? given : { ...given, status: "completed" })
    const index = added({ ...item, [custom ? "input" : "arguments"]: "", status: "in_progress" })
    const event = custom ? "response.custom_tool_call_input" : "response.function_call_arguments"
    return { event, place: { item_id: item["id"], output_index: index }, index, item }
  }

  const closeCall = ({ event, place, index, item }: Growing, sent: string): void => {
    const field = item["type"] === "custom_tool_call" ? "input" : "arguments"
    emit(`${event}.done`, { ...place, [field]: sent })
    done(index, item[field] === sent ? item : { ...item, [field]: sent })
  }

  const summaryPlace = (item: Wire, index: number, summary: number): Wire => ({
    item_id: item["id"],
    output_index: index,
    summary_index: summary,
  })

  const startSummary = (item: Wire, index: number, summary: number): Growing => {
    const place = summaryPlace(item, index, summary)
    emit("response.reasoning_summary_part.added", { ...place, part: { type: "summary_text", text: "" } })
    return { event: "response.reasoning_summary_text", place, index, item }
  }

  const closeSummary = ({ event, place }: Growing, part: Wire): void => {
    emit(`${event}.done`, { ...place, text: part["text"] })
    emit("response.reasoning_summary_part.done", { ...place, part })
  }

  const startThinking = (): Growing => {
    settle()
    const item = identified({ type: "reasoning", summary: [] })
    return startSummary(item, added(item), 0)
  }

  const closeThinking = (begun: Growing, said: string, signature: string | undefined): void => {
    const part = { type: "summary_text", text: said }
    closeSummary(begun, part)
    done(begun.index, { ...begun.item, summary: [part], ...(signature !== undefined && { encrypted_content: signature }) })
  }

  /** A reasoning item of this format, with as many texts as it has. */
  const sayReasoning = (given: Wire): void => {
    settle()
    const item = identified(given)
    const { content: _, encrypted_content: __, ...head } = item
    const index = added({ ...head, summary: [] })
    listOf(item["summary"]).forEach((part, at) => {
      if (!isWire(part)) return
      const begun = startSummary(item, index, at)
      emit(`${begun.event}.delta`, { ...begun.place, delta: stringOf(part["text"]) })
      closeSummary(begun, part)
    })
    listOf(item["content"]).forEach((part, content_index) => {
      if (!isWire(part) || typeof part["text"] !== "string") return
      const place = { item_id: item["id"], output_index: index, content_index }
      emit("response.reasoning_text.delta", { ...place, delta: part["text"] })
      emit("response.reasoning_text.done", { ...place, text: part["text"] })
    })
    done(index, item)
  }

  const sayText = (block: TextBlock): void => {
    const native = wireOf(block)
    if (native && isMessageItem(native) && partOf(block) === undefined) {
      settle()
      return say(native)
    }
    const begun = startText(block)
    if (block.text !== "") emit(`${begun.event}.delta`, { ...begun.place, delta: block.text })
    closeText(begun, block)
  }

  const sayOpaque = (block: OpaqueBlock): void => {
    const native = wireOf(block)
    if (!native || block.kind === "malformed") return sayText(text(block.text))
    const part = isPartKind(block.kind) ? partOf(block) : undefined
    if (!part) {
      settle()
      return say(native)
    }
    const open = messageOf(block)
    const place = placeOf(open)
    emit("response.content_part.added", { ...place, part })
    emit("response.content_part.done", { ...place, part })
    open.parts.push(part)
  }

  const whole = (block: Exclude<Block, ResultBlock>): void => {
    const native = wireOf(block)
    switch (block.type) {
      case "text":
        return sayText(block)
      case "opaque":
        return sayOpaque(block)
      case "media":
        paper.lose("other-fields", block.source)
        return sayText(text(mediaNote(block)))
      case "call": {
        if (isText(block)) return closeCall(startCall(block), callText(block, format))
        settle()
        return say(writeCall(block, undefined))
      }
      case "thinking":
        if (native) return sayReasoning(native)
        return sayReasoning({
          type: "reasoning",
          summary: block.text === "" ? [] : [{ type: "summary_text", text: block.text }],
          ...(block.signature !== undefined && { encrypted_content: block.signature }),
        })
    }
  }

  /** Calls whose arguments are a text; those of a shell or a computer have an object. */
  const isText = (block: Block): boolean => {
    const type = wireOf(block)?.["type"]
    return type === undefined || type === "function_call" || type === "custom_tool_call"
  }

  const endOf = ({ stop, said, origin }: Recorded): readonly [status: string, reason?: string | undefined] => {
    const own = origin.provider === format && said !== "completed" ? said : undefined
    if (Object.hasOwn(reasons, stop)) return ["incomplete", own ?? reasons[stop]]
    return stop === "other" && own !== undefined ? ["incomplete", own] : ["completed"]
  }

  const finished = (recorded: Recorded): Wire => {
    const [status, reason] = endOf(recorded)
    return responseOf(status, recorded, reason === undefined ? {} : { incomplete_details: { reason } })
  }

  const growingOf = ({ place }: Entry): Growing => growing[place] as Growing

  return {
    format,
    overlaps: "calls",
    freeText: true,
    signs: true,
    begin: () => {
      emit("response.created", { response: responseOf("in_progress") })
      emit("response.in_progress", { response: responseOf("in_progress") })
    },
    grows: (block) => {
      if (block.type === "thinking") return wireOf(block) === undefined && block.redacted !== true
      return block.type === "text" || (block.type === "call" && isText(block))
    },
    start: (entry, block) => {
      const begun = block.type === "call" ? startCall(block) : block.type === "text" ? startText(block) : startThinking()
      entry.place = growing.push(begun) - 1
    },
    add: (entry, delta) => {
      const { event, place } = growingOf(entry)
      emit(`${event}.delta`, { ...place, delta })
    },
    close: (entry, block) => {
      const begun = growingOf(entry)
      if (block.type === "call") closeCall(begun, entry.sent)
      else if (block.type === "text") closeText(begun, block)
      else if (block.type === "thinking") closeThinking(begun, block.text, block.signature)
    },
    whole,
    finish: (recorded) => {
      settle()
      const response = finished(recorded)
      emit(`response.${String(response["status"])}`, { response })
    },
    fail: (text, recorded) => {
      const response = responseOf("failed", recorded, { error: { code: "server_error", message: text } })
      emit("response.failed", { response })
      return response
    },
    reply: (recorded) => ({ ...finished(recorded), id: options.id ?? recorded.responseId ?? "resp_0" }),
  }
}
