/**
 * `DEBUG=ligature:loop`: one JSON object per line on stderr for every event but the deltas. It says what happened, to
 * whom and how long after the start, and nothing of what was said: a log may go where a conversation must not.
 */
import { outcomeKind, resultText, visible } from "../model/index.ts"
import { wantsTopic } from "../debug/wants-topic.ts"
import { debugSetting, writeToStderr } from "../runtime/index.ts"
import type { Listener, LoopEvent } from "./events.ts"

const scope = "ligature:loop"

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** What the log shows of an event; undefined: nothing. */
const shown = (event: LoopEvent): Readonly<Record<string, unknown>> | undefined => {
  switch (event.type) {
    case "text-delta":
    case "thinking-delta":
    case "call-delta":
    case "call-field":
      return undefined
    case "request-start": {
      const { changes, url, ...rest } = event
      // Some put their key into the address.
      const shownUrl = { ...rest, url: url.replace(/\?.*/, "") }
      return changes === undefined ? shownUrl : { ...shownUrl, changes: changes.map(({ rule }) => rule) }
    }
    case "recovery-end": {
      const { state, openCalls, confirm } = event.plan
      return { state, openCalls: openCalls.map(({ id, becomes }) => `${id} ${becomes}`), confirm }
    }
    case "compaction-end": {
      const { error, ...rest } = event
      return error === undefined ? rest : { ...rest, error: messageOf(error) }
    }
    case "request-end": {
      const { failure, usage, ...rest } = event
      const { native: _, ...counts } = usage ?? { native: {} }
      return { ...rest, ...counts, ...(failure && { failure: failure.message, status: failure.status }) }
    }
    case "retry-start": {
      const { failure, ...rest } = event
      return { ...rest, failure: failure.message, status: failure.status }
    }
    case "approval-start":
      return { iteration: event.iteration, calls: event.calls.map(({ id }) => id) }
    case "approval-end": {
      const decisions = Object.fromEntries([...event.decisions].map(([id, { kind }]) => [id, kind]))
      return { iteration: event.iteration, decisions }
    }
    case "tool-start":
      return { iteration: event.iteration, call: event.call.id, name: event.call.name }
    case "tool-end": {
      const { iteration, call, result } = event
      const contentLength = resultText(result).length
      return { iteration, call: call.id, name: call.name, outcome: outcomeKind(result), contentLength }
    }
    case "run-end": {
      const { stop, iterations, usage } = event.result
      return { stop, iterations, ...usage }
    }
    case "run-error": {
      const { reason, message, entry, partial } = event.error
      return { reason, error: message, entry, iterations: partial.iterations, ...partial.usage }
    }
    default:
      return { ...event }
  }
}

/** A listener that writes lines; undefined when nobody asked for it. */
export const debugLog = (
  now: () => number,
  setting: string | undefined = debugSetting(),
  write: (line: string) => unknown = writeToStderr,
): Listener | undefined => {
  if (!wantsTopic(setting, "loop")) return undefined
  const start = now()
  let conversation = ""
  return (event) => {
    if (event.type === "run-start") ({ conversation } = event)
    const fields = shown(event)
    if (!fields) return
    write(`${visible(JSON.stringify({ scope, ms: now() - start, conversation, ...fields, type: event.type }))}\n`)
  }
}
