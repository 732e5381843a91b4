/**
 * The answer of an upstream in the client's own terms: tools by the names the client gave them, and calls of tools that take
 * free text as such calls. A recorder before the stream writer, so that the writer never hears of the other names.
 *
 * Free text travels as the one field of an object. It is handed on when the call has ended: half of a JSON text is no text.
 */
import type { Block, CallBlock, Message, ToolSettings } from "ligature"
import type { BlockSource, Recorded, Recorder, RecordEvent } from "ligature/record"

type Tools = ReadonlyMap<string, ToolSettings>

const isFreeText = ({ custom, fault, arguments: given }: CallBlock): boolean =>
  custom !== true && fault === undefined && typeof given["input"] === "string" && Object.keys(given).length === 1

const ownCall = (call: CallBlock, tools: Tools): CallBlock => {
  const tool = tools.get(call.name)
  if (!tool) return call
  const named = tool.name === call.name ? call : withoutNative({ ...call, name: tool.name })
  if (tool.freeText !== true || !isFreeText(call)) return named
  const input = String(call.arguments["input"])
  return withoutNative({ ...named, arguments: { input }, raw: input, custom: true })
}

/** What the wire said of it is about another name. */
const withoutNative = (call: CallBlock): CallBlock => {
  const { native: _, ...rest } = call
  return rest
}

const ownBlock = (block: Block, tools: Tools): Block => (block.type === "call" ? ownCall(block, tools) : block)

const needed = (tools: Tools): boolean => [...tools].some(([name, tool]) => name !== tool.name || tool.freeText === true)

export interface Teller extends BlockSource {
  push(event: unknown): readonly RecordEvent[]
  end(...cause: Parameters<Recorder["end"]>): Recorded
}

export const inOwnNames = (recorder: Recorder, tools: Tools): Teller => {
  if (!needed(tools)) return recorder
  const held = new Set<number>()
  const own = (event: RecordEvent): readonly RecordEvent[] => {
    if (event.type === "call-start") {
      const tool = tools.get(event.name)
      if (tool?.freeText === true) held.add(event.block)
      return [tool ? { ...event, name: tool.name } : event]
    }
    if (event.type === "call-delta" && held.has(event.block)) return []
    return [event]
  }
  return {
    push: (event) => recorder.push(event).flatMap(own),
    blocks: (at) => recorder.blocks(at).map((block) => ownBlock(block, tools)),
    end: (...cause) => {
      const recorded = recorder.end(...cause)
      const message: Message = { ...recorded.message, blocks: recorded.message.blocks.map((block) => ownBlock(block, tools)) }
      return { ...recorded, message }
    },
  }
}
