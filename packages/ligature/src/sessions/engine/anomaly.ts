/**
 * What a session file can get wrong beside its messages, as diagnostics. An `info` is how that agent writes, or harmless:
 * nothing is missing and nothing needs repair. A `warning` says that something was lost or had to be guessed.
 */
import type { Diagnostic, Place, Severity } from "../../model/index.ts"

interface Kind {
  readonly severity: Severity
  readonly why: string
  readonly help: string
  /** What the codec does about it when it writes the session. */
  readonly repair?: NonNullable<Diagnostic["repair"]>
}

const kinds = {
  "dangling-parent": {
    severity: "warning",
    why: "The agent follows parents from the last record to the first: it loses everything before a missing parent.",
    help: "Repair links the record to the one before it in the file.",
    repair: { kind: "safe", what: "linked it to the record before it" },
  },
  "parent-cycle": {
    severity: "warning",
    why: "Parent links form a cycle: the agent never reaches the beginning of the session.",
    help: "Repair breaks the cycle: from there on the order of the file is taken.",
    repair: { kind: "safe", what: "linked it to the record before it" },
  },
  "compaction-parent": {
    severity: "info",
    why: "A compaction continues a message that was never written; the agent starts from the summary.",
    help: "Nothing to do: the record before it in the file is read before it.",
  },
  "off-path-result": {
    severity: "info",
    why: "Parallel calls fork the tree of records; a walk from the last record to the first misses their results.",
    help: "Nothing to do: the result is attached to its call.",
  },
  "result-before-call": {
    severity: "info",
    why: "The result was written to the file before the record of its call.",
    help: "Nothing to do: it is read after its call.",
  },
  "unknown-rewind": {
    severity: "warning",
    why: "A rewind names a message that is not in the file; the agent itself would forget the whole history here.",
    help: "The rewind is ignored and all messages are kept. Go back by hand if messages should be gone.",
  },
  "missing-history": {
    severity: "warning",
    why: "A part of this conversation is stored in another file.",
    help: "Read that file as well: what is here is only the later part.",
  },
  "missing-context": {
    severity: "info",
    why: "A record refers to something outside of the file, such as a large output that was stored apart.",
    help: "Keep the named file with the session.",
  },
  "kind-mismatch": {
    severity: "warning",
    why: "A result of one kind has the id of a call of another kind; the agent would not pair them.",
    help: "It is read as no answer to that call.",
  },
  "detached-result": {
    severity: "warning",
    why: "Results of one message are linked beside each other, and the agent follows only one of the links.",
    help: "Repair links the results one after the other.",
    repair: { kind: "safe", what: "linked it to the record before it" },
  },
  "missing-record-id": {
    severity: "warning",
    why: "A record has no id, so that no later record can be linked to it.",
    help: "Repair gives the record an id.",
    repair: { kind: "safe", what: "gave the record an id" },
  },
  "duplicate-record-id": {
    severity: "warning",
    why: "Different records have the same id, as a redactor leaves them: the agent sees only the last of them.",
    help: "Repair gives each of them an id of its own.",
    repair: { kind: "safe", what: "gave each of them an id of its own" },
  },
  "collapsed-id": {
    severity: "warning",
    why: "Several different calls have the same id, as a redactor or a provider leaves them.",
    help: "Nothing to do: calls and results are matched by position.",
  },
  "repeated-results": {
    severity: "warning",
    why: "The agent keeps a result with its call and once more in a record of the user, and sends both when it resumes the session. Providers refuse a request with more results than calls.",
    help: "Repair leaves the second copy out.",
    repair: { kind: "drop", what: "left out the second copy" },
  },
  "stream-cut": {
    severity: "warning",
    why: "The agent stopped while the model was still writing this message.",
    help: "What had arrived is kept; a call whose arguments broke off is never executed.",
  },
  "unknown-record": {
    severity: "info",
    why: "No version of this format that is known writes such a record.",
    help: "Nothing to do: it is kept as it is and is no part of the conversation.",
  },
  "malformed-record": {
    severity: "warning",
    why: "A record that should hold a message does not have its shape.",
    help: "It is kept as it is and is no part of the conversation.",
  },
  "repeated-record": {
    severity: "info",
    why: "The same record is in the file twice, as a retry or a second writer leaves it.",
    help: "Nothing to do: it is read once.",
  },
} as const satisfies Readonly<Record<string, Kind>>

export type AnomalyKind = keyof typeof kinds

/** A finding about the session itself. `what` is one sentence with the ids. */
export const anomaly = (kind: AnomalyKind, place: Place, what: string, ids: readonly string[] = []): Diagnostic => ({
  rule: kind,
  ...kinds[kind],
  place,
  what,
  ids,
})

export const anomalyKinds: Readonly<Record<string, Kind>> = kinds
