/**
 * A tool part holds a call and, once there is one, its result. The state says how far it got:
 *
 *   input-streaming → input-available → output-available | output-error
 *                     approval-requested → approval-responded → output-available | output-error | output-denied
 *
 * Version 4 had `tool-invocation` parts with the states partial-call, call and result. Both are read into one shape, so
 * that only this file knows the spellings.
 */
import { isWire, type Wire } from "../../model/index.ts"
import { toolKindOf } from "../engine/borrowed-tools.ts"
import { textOf } from "./format.ts"

export interface ToolPart {
  readonly id: string
  readonly name: string
  readonly input: unknown
  readonly state: string
  /** The provider ran it: the whole part is opaque. */
  readonly served: boolean
}

const olderStates: Readonly<Record<string, string>> = {
  "partial-call": "input-streaming",
  call: "input-available",
  result: "output-available",
}

/** The object with the fields of the call: the part, or what an older part wraps. */
export const toolFields = (part: Wire): Wire => {
  const inner = part["toolInvocation"]
  return part["type"] === "tool-invocation" && isWire(inner) ? inner : part
}

/** `tool-call`, `tool-result` and the like are parts of other APIs, which have no state. */
const isForeign = (part: Wire, type: string): boolean =>
  part["state"] === undefined && type !== "tool-invocation" && toolKindOf(part) !== undefined

export const isToolPart = (part: Wire): boolean => {
  const type = textOf(part["type"])
  if (isForeign(part, type)) return false
  return type === "dynamic-tool" || type === "tool-invocation" || type.startsWith("tool-")
}

export const readToolPart = (part: Wire): ToolPart => {
  const fields = toolFields(part)
  const older = part["type"] === "tool-invocation"
  const named = older || part["type"] === "dynamic-tool"
  const state = textOf(fields["state"])
  const input = older ? fields["args"] : (fields["input"] ?? fields["rawInput"])
  return {
    id: textOf(fields["toolCallId"]),
    name: named ? textOf(fields["toolName"]) : textOf(part["type"]).slice("tool-".length),
    input,
    state: older && Object.hasOwn(olderStates, state) ? (olderStates[state] ?? state) : state,
    served: fields["providerExecuted"] === true,
  }
}

interface Written {
  readonly id: string
  readonly name: string
  readonly input: unknown
  /** Fields of the outcome; nothing while it is pending or unchanged. */
  readonly outcome: Wire | undefined
}

/** A new part. */
export const writeToolPart = ({ id, name, input, outcome }: Written): Wire => ({
  type: `tool-${name}`,
  toolCallId: id,
  state: "input-available",
  input,
  ...outcome,
})

/** An older part says the result as a bare value, failed or not. */
const olderOutcome = (outcome: Wire): Wire => ({ state: "result", result: outcome["output"] ?? outcome["errorText"] })

/** The part with only those fields changed that say something else now. */
export const changeToolPart = (part: Wire, before: ToolPart, after: Written): Wire => {
  const older = part["type"] === "tool-invocation"
  const named = older || part["type"] === "dynamic-tool"
  const { output: _, errorText: __, result: ___, ...bare } = toolFields(part)
  const fields: Wire = {
    ...(after.outcome ? bare : toolFields(part)),
    ...(after.id !== before.id && { toolCallId: after.id }),
    ...(after.name !== before.name && (named ? { toolName: after.name } : { type: `tool-${after.name}` })),
    ...(after.input !== before.input && { [older ? "args" : "input"]: after.input }),
    ...(after.outcome && (older ? olderOutcome(after.outcome) : after.outcome)),
  }
  return older ? { ...part, toolInvocation: fields } : fields
}
