/**
 * The door through which wire and session values come in: what is nested too deeply becomes JSON text before a codec looks
 * at it, and is reported. See docs/decisions/0037.
 */
import { deepestNesting, type Diagnostic, isUsual, limitDepth, phrase, remember, remembered, type Transcript } from "../../model/index.ts"
import type { Codec } from "./codec.ts"
import type { SessionCodec } from "./session.ts"

export const depthRule = "nested-too-deep"

export const depthRepair = { kind: "demote", what: "wrote what is below as JSON text" } as const

const tooDeep: Diagnostic = {
  rule: depthRule,
  severity: "warning",
  place: {},
  what: phrase`A value is nested deeper than ${deepestNesting} levels`,
  why: "Servers and JSON libraries reject it or crash.",
  help: "Nothing is lost: repair writes the levels below the limit as JSON text.",
  ids: [],
  repair: depthRepair,
}

const shallow = Symbol("shallow")

const shallowOf = <Value>(value: Value): Value => remembered<Value>(value, shallow) ?? remember(value, shallow, limitDepth(value))

/** The codec, for values of any depth. */
export const withDepthLimit = <Any extends Codec | SessionCodec>(codec: Any): Any => {
  const decode: Codec["decode"] = (value, options) => {
    if (isUsual(value)) {
      remember(value, shallow, value)
      return codec.decode(value, options)
    }
    const limited = shallowOf(value)
    const transcript: Transcript = { ...codec.decode(limited, options), unusual: true }
    return limited === value ? transcript : { ...transcript, diagnostics: [...(transcript.diagnostics ?? []), tooDeep] }
  }
  if (!("session" in codec)) return { ...codec, decode }
  const { session } = codec
  const { migrate, sessionsIn, place, pulse } = session
  return {
    ...codec,
    decode,
    session: {
      ...session,
      outline: (value) => session.outline(shallowOf(value)),
      ...(migrate && { migrate: (value, options) => migrate(limitDepth(value), options) }),
      ...(sessionsIn && { sessionsIn: (root) => sessionsIn(limitDepth(root)) }),
      ...(place && { place: (value) => place(shallowOf(value)) }),
      ...(pulse && { pulse: (record) => pulse(limitDepth(record)) }),
    } satisfies SessionCodec["session"],
  }
}
