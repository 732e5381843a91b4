/**
 * What became of a call, as whoever runs tools sees it → the result the model reads. Each says what is known and no
 * more: a call that never ran is not called a failure, and one that may have run is not said to have done nothing.
 */
import { type CallBlock, type ContentBlock, isWire, type ResultBlock, syntheticResult, text } from "../../model/index.ts"

export type CallOutcome =
  /** The tool gave this back. A text stays as it is; anything else is written as JSON, once. */
  | { readonly kind: "done"; readonly output: unknown }
  /** The tool gave back blocks: text and media. */
  | { readonly kind: "done"; readonly content: readonly ContentBlock[] }
  /** The tool threw, or said that it failed. */
  | { readonly kind: "failed"; readonly error: unknown }
  /** Nobody has a tool of this name. `tools`: those there are. */
  | { readonly kind: "unknown-tool"; readonly tools?: readonly string[] }
  /** The arguments are no JSON object, or not what the tool takes. */
  | { readonly kind: "bad-arguments"; readonly reason?: string }
  /** The user, or a rule of theirs, said no. */
  | { readonly kind: "denied"; readonly reason?: string }
  /** Everything was stopped. `started`: the tool had begun. */
  | { readonly kind: "aborted"; readonly started: boolean }
  /** The tool took too long; nobody waited for what it did. */
  | { readonly kind: "timeout"; readonly timeoutMs: number }
  /** No outcome yet: it waits for an approval, or runs on. */
  | { readonly kind: "pending"; readonly pending: "approval" | "running" }

/** A map whose keys are names is an object; one whose keys would become alike, or are no names, the list of its pairs. */
const mapSaid = (map: ReadonlyMap<unknown, unknown>): object => {
  const keys = [...map.keys()]
  const named = keys.every((key) => typeof key === "string" || typeof key === "number" || typeof key === "bigint")
  return named && new Set(keys.map(String)).size === keys.length ? Object.fromEntries(map) : [...map]
}

/** What an error says of itself is out of sight of JSON; what was added to it is not. */
const errorSaid = (error: Error): object => ({
  name: error.name,
  message: error.message,
  ...(error.cause !== undefined && { cause: error.cause }),
  ...(error instanceof AggregateError && { errors: error.errors as unknown }),
  ...(error as object),
})

const saidOf = (value: object): object => {
  if (value instanceof Map) return mapSaid(value)
  if (value instanceof Set) return [...value]
  return value instanceof Error ? errorSaid(value) : value
}

/**
 * What JSON has no word for, in words it has: large integers and numbers that are none as text, maps, sets and errors as
 * what they hold, and a value that holds itself as a note in its place.
 */
const sayable = (): ((this: unknown, key: string, value: unknown) => unknown) => {
  const path: { readonly value: object; readonly said: object }[] = []
  return function (this: unknown, _key, value) {
    if (typeof value === "bigint" || (typeof value === "number" && !Number.isFinite(value))) return String(value)
    if (typeof value !== "object" || value === null) return value
    while (path.length > 0 && path.at(-1)?.said !== this) path.pop()
    if (path.some((above) => above.value === value)) return "[holds itself]"
    const said = saidOf(value)
    path.push({ value, said })
    return said
  }
}

/** JSON of a value; what tools give back is anything. Throws where there is none: too deep, or reading it throws. */
const jsonOf = (value: unknown): string => {
  if (typeof value === "bigint") return String(value)
  return JSON.stringify(value, sayable()) ?? ""
}

/** The words of an error, without the stack: that is for the log. */
const messageOf = (error: unknown): string => {
  if (error instanceof Error) return error.message || error.name
  if (typeof error === "string") return error
  try {
    return isWire(error) && typeof error["message"] === "string" ? error["message"] : jsonOf(error)
  } catch {
    return ""
  }
}

const contentOf = (words: string): readonly ContentBlock[] => (words === "" ? [] : [text(words)])

const outputOf = (output: unknown): Pick<ResultBlock, "content" | "structured" | "error"> => {
  if (typeof output === "string") return { content: contentOf(output) }
  if (output === undefined) return { content: [] }
  try {
    return { content: contentOf(jsonOf(output)), structured: true }
  } catch (error) {
    return { content: contentOf(`The call ran, but its output cannot be written as JSON: ${messageOf(error)}`), error: true }
  }
}

const unknownTool = (name: string, tools: readonly string[] | undefined): string => {
  const known = tools === undefined || tools.length === 0 ? "" : ` Tools: ${tools.join(", ")}.`
  return `There is no tool named "${name}". The call was not run.${known}`
}

const badArguments = (call: CallBlock, reason: string | undefined): string => {
  if (reason !== undefined) return `The arguments of this call are not valid: ${reason}. The call was not run.`
  const cut = "The arguments of this call are not a complete JSON object. The call was not run."
  return call.name === "" ? "This call names no tool. The call was not run." : cut
}

const unknownEffect = "The call may have run in part or in full; its effect is unknown."

/** The result of a call; undefined while it is pending. */
export const resultOf = (call: CallBlock, outcome: CallOutcome): ResultBlock | undefined => {
  const custom = call.custom && { custom: true as const }
  const style = call.style && { style: call.style }
  const head = { type: "result", callId: call.id, name: call.name, ...custom, ...style } as const
  const refused = (words: string): ResultBlock => ({ ...head, content: contentOf(words), error: true, denied: true })
  switch (outcome.kind) {
    case "done":
      return { ...head, ...("content" in outcome ? { content: outcome.content } : outputOf(outcome.output)) }
    case "failed":
      return { ...head, content: contentOf(messageOf(outcome.error) || "The tool failed and did not say why."), error: true }
    case "unknown-tool":
      return refused(unknownTool(call.name, outcome.tools))
    case "bad-arguments":
      return refused(badArguments(call, outcome.reason))
    case "denied":
      return refused(outcome.reason ?? "This call was denied. It was not run.")
    case "aborted":
      return { ...syntheticResult(call.id, call.name, outcome.started ? "interrupted" : "not-run"), ...head }
    case "timeout": {
      const words = `No result came within ${outcome.timeoutMs} ms. ${unknownEffect}`
      return { ...head, content: contentOf(words), error: true, synthetic: "interrupted" }
    }
    case "pending":
      return undefined
  }
}
