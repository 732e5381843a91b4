/**
 * One message of the file → messages of the model's. A message of the assistant may hold several steps: the calls of
 * one were answered before the text of the next was written, so each step is a message of its own, its results behind
 * it.
 */
import { type Block, isWire, type ResultBlock, type Wire } from "../../model/index.ts"
import { stringOf } from "../engine/fields.ts"
import { infoOf } from "./fields.ts"
import type { Step } from "./path.ts"
import { type PartReading, type PartSaid, readPart } from "./read-part.ts"

export interface StepSaid {
  readonly blocks: readonly Block[]
  readonly results: readonly ResultBlock[]
}

export interface MessageSaid {
  readonly role: "user" | "assistant"
  readonly steps: readonly StepSaid[]
  /** What each part said, for those that said something. */
  readonly parts: ReadonlyMap<Wire, PartSaid>
  /** The system text this message came with. */
  readonly system: string
  /** Calls whose arguments broke off. */
  readonly cuts: readonly string[]
}

const saysSomething: ReadonlySet<unknown> = new Set(["text", "tool", "file"])

/** The agent does not send what ended with an error, except what the user stopped after something had been said. */
export const isLeftOut = (wire: Wire, parts: readonly unknown[]): boolean => {
  const { error } = infoOf(wire)
  if (!isWire(error)) return false
  if (error["name"] !== "MessageAbortedError") return true
  return !parts.some((part) => isWire(part) && saysSomething.has(part["type"]))
}

export const readMessage = ({ wire, parts }: Step, reading: PartReading): MessageSaid => {
  const info = infoOf(wire)
  const role = info["role"] === "user" ? "user" : "assistant"
  const said = new Map<Wire, PartSaid>()
  const steps: StepSaid[] = []
  const cuts: string[] = []
  let blocks: Block[] = []
  let results: ResultBlock[] = []
  const close = (): void => {
    if (blocks.length > 0) steps.push({ blocks, results })
    blocks = []
    results = []
  }
  for (const part of parts) {
    if (!isWire(part)) continue
    if (part["type"] === "step-start") close()
    const one = readPart(part, role, reading)
    if (!one) continue
    said.set(part, one)
    blocks.push(one.block)
    if (one.result) results.push(one.result)
    if (one.cut && one.block.type === "call") cuts.push(one.block.id)
  }
  close()
  return { role, steps, parts: said, system: role === "user" ? stringOf(info["system"]) : "", cuts }
}

/** How many calls of these messages bear each id. */
export const countIds = (steps: readonly Step[]): ReadonlyMap<string, number> => {
  const uses = new Map<string, number>()
  for (const { parts } of steps) {
    for (const part of parts) {
      if (!isWire(part) || part["type"] !== "tool") continue
      const id = stringOf(part["callID"])
      if (id !== "") uses.set(id, (uses.get(id) ?? 0) + 1)
    }
  }
  return uses
}
