/**
 * The last look at what is written: fields that no rule knows are kept verbatim, and so is damage in them. Half of a
 * surrogate pair makes the whole request invalid, and a value that moved into a deeper place may be nested too deeply there.
 */
import { wellFormedJson } from "../rules/index.ts"
import { type Conversation, deepestNesting, isUsual, limitDepth, phrase, type ReportEntry, type Wire } from "../model/index.ts"
import { depthRepair, depthRule } from "../formats/engine/depth-door.ts"

export interface Sendable {
  readonly request: Wire
  readonly entries: readonly ReportEntry[]
}

const halves: ReportEntry = {
  rule: "lone-surrogate",
  kind: "demote",
  place: {},
  what: "wrote U+FFFD for half of a surrogate pair in a field that is kept verbatim",
  ids: [],
}

const tooDeep: ReportEntry = {
  rule: depthRule,
  ...depthRepair,
  found: phrase`A value is nested deeper than ${deepestNesting} levels`,
  place: {},
  ids: [],
}

/**
 * `conversation`: what was written. One that was decoded from a usual value has nothing to look for. `keepHalves`: for files,
 * where JSON spells the half as an escape, and where only the messages are sent to anybody.
 */
export const sendable = (written: Wire, conversation: Conversation, keepHalves: boolean): Sendable => {
  const isKnown = conversation.native !== undefined && conversation.unusual !== true
  if (isKnown || isUsual(written)) return { request: written, entries: [] }
  const shallow = limitDepth(written)
  const request = keepHalves ? shallow : wellFormedJson(shallow)
  if (request === written) return { request, entries: [] }
  return { request, entries: [...(shallow === written ? [] : [tooDeep]), ...(request === shallow ? [] : [halves])] }
}
