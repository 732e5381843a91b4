/**
 * Why a session is damaged, not only how: the same unanswered call is normal at the tip, the work of a compaction in the
 * middle, and a lost entry elsewhere. Causes are named as people look for them, one per finding: each tells what happened, so that none is left over.
 */
import type { Block, Diagnostic, Transcript } from "../../model/index.ts"

export const causes = {
  "in-flight": "the session ends in a running tool call: normal while the agent works",
  "compaction-split": "a compaction separated a call from its result",
  "stream-cut": "the model's answer was cut off while it was written",
  "dropped-entry": "a call or a result was never written, or was removed",
  "head-cut": "the file starts in the middle of a session",
  "torn-record": "a line is damaged",
  "torn-end": "the last line was not written completely",
  "glued-record": "two records are on one line",
  "id-collapse": "different calls or records have the same id, as a redactor leaves them",
  "id-reuse": "a provider gave an id twice",
  "repeated-entry": "the same call, result or record was written twice",
  "mixed-style": "calls as blocks are answered by text, or the style changes in the middle",
  "kind-mismatch": "a result has the id of a call of another kind",
  "order-inversion": "a result is before its call, or results are out of order",
  "off-path-result": "results of parallel calls are next to the path: the agent writes them so",
  "dangling-parent": "a record names a parent that is missing",
  "compaction-gap": "a compaction continues a message that was never written",
  "missing-history": "a part of the session is in another file",
  "missing-context": "a record refers to something outside of the file",
  "foreign-reasoning": "thinking that its provider would reject",
  "empty-block": "an empty message or text",
  "bad-arguments": "arguments that are not a JSON object",
  "missing-id": "a call, a result or a record has no id",
  "rejected-media": "an image or document that its provider rejects",
  "too-large": "more than many models take at once: it may not be possible to resume it",
  "rejected-name": "an id or a tool name that its provider rejects",
  "unknown-record": "a record type that this version does not know",
  "odd-shape": "a message that does not have the shape of its format",
} as const

export type Cause = keyof typeof causes

const byRule: Readonly<Record<string, Cause>> = {
  "duplicate-call-id": "id-reuse",
  "duplicate-call": "repeated-entry",
  "duplicate-result": "repeated-entry",
  "empty-message": "empty-block",
  "empty-text": "empty-block",
  "lone-surrogate": "odd-shape",
  "missing-tool-name": "odd-shape",
  "invalid-arguments": "bad-arguments",
  "misplaced-block": "order-inversion",
  "misplaced-result": "order-inversion",
  "result-order": "order-inversion",
  "missing-call-id": "missing-id",
  "mixed-call-style": "mixed-style",
  "split-span": "foreign-reasoning",
  "unsigned-thinking": "foreign-reasoning",
  "stale-pending": "dropped-entry",
  "dangling-parent": "dangling-parent",
  "compaction-parent": "compaction-gap",
  "parent-cycle": "dangling-parent",
  "off-path-result": "off-path-result",
  "result-before-call": "order-inversion",
  "unknown-rewind": "dangling-parent",
  "missing-history": "missing-history",
  "missing-context": "missing-context",
  "unknown-record": "unknown-record",
  "kind-mismatch": "kind-mismatch",
  "collapsed-id": "id-collapse",
  "duplicate-record-id": "id-collapse",
  "detached-result": "dangling-parent",
  "missing-record-id": "missing-id",
  "stream-cut": "stream-cut",
  "malformed-record": "odd-shape",
  "malformed-message": "odd-shape",
  "repeated-record": "repeated-entry",
  "media-data": "rejected-media",
  "media-limit": "rejected-media",
  "media-type": "rejected-media",
  "call-id-format": "rejected-name",
  "tool-name-format": "rejected-name",
}

const byProblem: Readonly<Record<string, Cause>> = {
  "torn-line": "torn-record",
  "torn-last-line": "torn-end",
  "truncated-json": "torn-record",
  "invalid-json": "torn-record",
  nul: "torn-record",
  "invalid-utf8": "torn-record",
  "glued-lines": "glued-record",
}

/** Of a problem with the file itself; undefined for one that is no damage. */
export const causeOfProblem = (kind: string): Cause | undefined => byProblem[kind]

const redacted = /^(?:REDACTED|\[REDACTED\]|<redacted>|\*+)$/i

/** Answers for one transcript; what all findings need to know of it is found once. */
export class Causes {
  readonly #transcript: Transcript
  readonly #firstCall: number
  readonly #lastCalls: number

  constructor(transcript: Transcript) {
    this.#transcript = transcript
    const { messages } = transcript
    const hasCall = ({ blocks }: { readonly blocks: readonly Block[] }): boolean => blocks.some(({ type }) => type === "call")
    this.#firstCall = messages.findIndex(hasCall)
    this.#lastCalls = messages.findLastIndex(hasCall)
  }

  of({ rule, place, ids }: Diagnostic): Cause {
    if (rule === "unanswered-call") return this.#unanswered(place.message ?? 0, place.block)
    if (rule === "orphan-result") return this.#orphan(place.message ?? 0)
    if (rule === "duplicate-call-id" && ids.some((id) => redacted.test(id))) return "id-collapse"
    return byRule[rule] ?? "odd-shape"
  }

  #unanswered(message: number, block: number | undefined): Cause {
    const { messages } = this.#transcript
    const call = block === undefined ? undefined : messages[message]?.blocks[block]
    if (call?.type === "call" && call.fault !== undefined) return "stream-cut"
    let behind = message + 1
    // Results of sibling calls are between a call and what came next.
    while (messages[behind]?.blocks.every(({ type }) => type === "result") === true) behind += 1
    if (messages[behind]?.summary === true) return "compaction-split"
    return message >= this.#lastCalls && behind >= messages.length ? "in-flight" : "dropped-entry"
  }

  #orphan(message: number): Cause {
    return this.#firstCall === -1 || message < this.#firstCall ? "head-cut" : "dropped-entry"
  }
}
