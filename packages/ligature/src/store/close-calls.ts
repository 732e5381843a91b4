/**
 * The entries that close calls which a crash left open at the tip, as the policy for unanswered calls wants it.
 *
 *   synthesize               a placeholder result for each call
 *   drop-message, drop-call  the path goes back to the entry before the message, and what `settle` keeps of message and
 *                            results is written again after it. The old entries stay in the store, as a branch
 *
 * While another call of the message waits for approval, the message is not finished and stays: its interrupted calls
 * then get their placeholder results whatever the policy is.
 */
import { type Policies, settle } from "../rules/index.ts"
import { flatten, syntheticResult } from "../model/index.ts"
import { bodyOf, messageEntry, type NewEntry } from "./entry.ts"
import type { Loaded } from "./store.ts"

/** A call at the tip without a result. */
export interface OpenCall {
  readonly id: string
  readonly name: string
  /** The entry its message is in. */
  readonly entry: string | undefined
  /** What the plan makes of it: `waits` stays pending, `dropped` is left out of the path. */
  readonly becomes: "waits" | "interrupted" | "not-run" | "dropped"
}

const placeholders = (calls: readonly OpenCall[]): readonly NewEntry[] =>
  calls.map(({ id, name, becomes }) => ({
    kind: "result",
    result: syntheticResult(id, name, becomes === "interrupted" ? "interrupted" : "not-run"),
  }))

/** The path from the message with the open calls on, without what the policy drops; undefined where it cannot be told. */
const withoutDropped = (loaded: Loaded, from: string | undefined, policies: Policies): readonly NewEntry[] | undefined => {
  const start = loaded.entries.findLastIndex(({ id }) => id === from)
  const [first, ...after] = loaded.entries.slice(start < 0 ? loaded.entries.length : start)
  const message = loaded.sources.lastIndexOf(from ?? "")
  if (!first || message < 0) return undefined
  const { conversation } = settle({ ...loaded.transcript, messages: loaded.transcript.messages.slice(message) }, { policies })
  const kept = flatten(conversation).messages.map(messageEntry)
  const others = after.filter(({ kind }) => kind !== "message" && kind !== "result").map(bodyOf)
  return [{ kind: "tip", to: first.parent }, ...kept, ...others]
}

/** Entries to append, so that none of `calls` stays open. `isAll`: no other call of the message is open. */
export const closeCalls = (
  loaded: Loaded,
  calls: readonly OpenCall[],
  policies: Policies,
  isAll: boolean,
): readonly NewEntry[] => {
  const isDropped = policies.unansweredCall !== "synthesize" && isAll && calls.length > 0
  return (isDropped ? withoutDropped(loaded, calls[0]?.entry, policies) : undefined) ?? placeholders(calls)
}
