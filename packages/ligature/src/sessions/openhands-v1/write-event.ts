/** A unit that is new or has changed → its event. What can be said by changing a field changes that field alone. */
import {
  asWord,
  type Block,
  type CallBlock,
  isWire,
  mediaNote,
  type ResultBlock,
  resultText,
  type Wire,
} from "../../model/index.ts"
import { writeArgumentsText } from "../../formats/engine/arguments.ts"
import { textAt } from "../engine/fields.ts"
import { deriveUuid } from "../engine/derived-id.ts"
import type { Unit } from "../engine/rewrite-records.ts"
import { sameBlocks } from "../engine/same-blocks.ts"
import { format } from "./event.ts"
import { readEvent } from "./read-event.ts"
import { thinkingFields } from "./read-thinking.ts"
import { readParts } from "./words.ts"

const epoch = "1970-01-01T00:00:00.000000"

const partsOf = (blocks: readonly Block[]): readonly Wire[] => {
  const parts: Wire[] = []
  for (const block of blocks) {
    if (block.type === "media") parts.push({ type: "text", text: mediaNote(block) })
    else if (block.type === "text" || (block.type === "opaque" && block.text !== "")) {
      parts.push({ type: "text", text: block.text })
    }
  }
  return parts
}

const answers: ReadonlySet<unknown> = new Set(["ObservationEvent", "AgentErrorEvent", "UserRejectObservation"])

const sameContent = (result: ResultBlock, event: Wire): boolean => {
  const said = readEvent(event)
  return said?.type === "result" && sameBlocks(said.block.content, result.content) && said.block.error === result.error
}

export class EventWriter {
  /** When each call was made: what we add behind it bears the same time. */
  readonly #times = new Map<string, string>()

  constructor(units: readonly Unit[]) {
    for (const { blocks, origin } of units) {
      const time = isWire(origin) ? textAt(origin, "timestamp") : undefined
      if (time === undefined) continue
      for (const block of blocks) if (block.type === "call") this.#times.set(block.id, time)
    }
  }

  write(unit: Unit, event: Wire | undefined): Wire {
    const [first] = unit.blocks
    if (first?.type === "result") return this.#result(first, event)
    const call = unit.blocks.find((block): block is CallBlock => block.type === "call")
    return call ? this.#action(call, unit.blocks, event) : this.#message(unit, event)
  }

  #head(kind: string, seed: string, event: Wire | undefined, time = epoch): Wire {
    const id = (event && textAt(event, "id")) ?? deriveUuid(format, kind, seed)
    return { kind, id, timestamp: (event && textAt(event, "timestamp")) ?? time }
  }

  #result(result: ResultBlock, event: Wire | undefined): Wire {
    const { callId } = result
    const before = event && textAt(event, "tool_name")
    const named = before === undefined || result.name === undefined ? {} : { tool_name: result.name }
    if (event && answers.has(event["kind"]) && sameContent(result, event)) return { ...event, tool_call_id: callId, ...named }
    const name = result.name ?? before ?? ""
    if (event?.["kind"] === "ObservationEvent") {
      const observation = event["observation"]
      const kind = isWire(observation) ? observation["kind"] : undefined
      const said = { kind, content: partsOf(result.content), is_error: result.error === true }
      return { ...event, tool_call_id: callId, ...named, observation: said }
    }
    const head = this.#head("AgentErrorEvent", callId, event, this.#times.get(callId))
    return { ...head, source: "agent", tool_name: name, tool_call_id: callId, error: resultText(result) }
  }

  #action(call: CallBlock, blocks: readonly Block[], event: Wire | undefined): Wire {
    const { id, name } = call
    const previous = event?.["tool_call"]
    if (event && isWire(previous)) {
      const inner = previous["function"]
      const said = { name, arguments: writeArgumentsText(call) }
      const called = isWire(inner) ? { ...previous, id, function: { ...inner, ...said } } : { ...previous, id, ...said }
      const spoken = blocks.filter((block) => block.type !== "call" && block.type !== "thinking")
      const before = readParts(event["thought"], {})
      const thought = sameBlocks(before, spoken) ? event["thought"] : partsOf(spoken)
      const reasoning = thinkingFields(blocks, event, event)
      return { ...event, thought, ...reasoning, tool_name: name, tool_call_id: id, tool_call: called }
    }
    return {
      ...this.#head("ActionEvent", id, event),
      source: "agent",
      ...thinkingFields(blocks, {}, {}),
      thought: partsOf(blocks.filter((block) => block.type !== "call" && block.type !== "thinking")),
      action: null,
      tool_name: name,
      tool_call_id: id,
      tool_call: { id, name, arguments: writeArgumentsText(call), origin: "completion" },
      llm_response_id: deriveUuid(format, "response", id),
    }
  }

  #message(unit: Unit, event: Wire | undefined): Wire {
    const { role, blocks } = unit
    const content = partsOf(blocks)
    if (role === "system" && event?.["kind"] === "SystemPromptEvent") {
      return { ...event, system_prompt: content[0] ?? { type: "text", text: "" } }
    }
    const inner = event?.["llm_message"]
    if (event && isWire(inner)) {
      const reasoning = role === "assistant" ? thinkingFields(blocks, inner, event) : {}
      return { ...event, llm_message: { ...inner, role, content, ...reasoning }, extended_content: [] }
    }
    const seed = content.map((part) => asWord(part["text"])).join("\n")
    return {
      ...this.#head("MessageEvent", seed, event),
      source: role === "assistant" ? "agent" : "user",
      llm_message: { role, content, ...thinkingFields(blocks, {}, {}) },
    }
  }
}
