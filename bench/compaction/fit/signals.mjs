/**
 * What the worth of a term is estimated from (src/compact/strategies/digest/relevance/term-worth.ts), as numbers for a fit. There the same sum is
 * written out; run.mjs says when the two differ by more than rounding.
 */
export const kinds = ["path", "file", "address", "flag", "id", "identifier", "number", "phrase", "word"]

const isOwnMember = (name) => name.startsWith("this.") || name.startsWith("self.")
const isCapitalised = (name) => /^[A-Z]/.test(name) && name !== name.toUpperCase()
const inRecords = (recordShare) => Math.max(0, 2 * recordShare - 1)
const isSeenOnly = ({ uses, user }) => uses === 0 && user === 0

/** Named, so that a signal can be left out (`--without kinship`). */
const table = {
  ...Object.fromEntries(kinds.map((kind) => [kind, (record) => Number(record.kind === kind)])),
  ...Object.fromEntries(kinds.map((kind) => [`${kind} length`, ({ kind: own, text }) => (own === kind ? Math.log(text.length / 10) : 0)])),
  "own member": ({ kind, text }) => Number(kind === "identifier" && isOwnMember(text)),
  capitalised: ({ kind, text }) => Number(kind === "identifier" && !isOwnMember(text) && isCapitalised(text)),
  absolute: ({ kind, text }) => Number(kind === "path" && text.startsWith("/")),
  uses: ({ uses }) => Math.log1p(uses),
  replies: ({ replies }) => Math.log1p(replies),
  kinship: ({ kinship }) => Math.log1p(kinship),
  starts: ({ starts, lines }) => starts / lines,
  age: ({ lastStep }, { steps }) => Math.log1p(steps - lastStep),
  fresh: ({ lastStep }, { steps }) => Number(steps - lastStep <= 1),
  asked: ({ isAsked }) => Number(isAsked),
  "near asked": ({ isNearAsked }) => Number(isNearAsked),
  task: ({ isTask }) => Number(isTask),
  subject: ({ isSubject }) => Number(isSubject),
  touched: ({ isTouched }) => Number(isTouched),
  written: ({ isWritten }) => Number(isWritten),
  listed: ({ isListed }) => Number(isListed),
  errors: ({ errors }) => Number(errors > 0),
  "record id": ({ kind, values }, { recordShare }) => Number(kind === "id" && values > 0) * inRecords(recordShare),
  "record number": ({ kind, values }, { recordShare }) => Number(kind === "number" && values > 0) * inRecords(recordShare),
  "line number": ({ kind, starts, lines }) => Number(kind === "number" && starts === lines),
  "seen only": (record) => Number(isSeenOnly(record)),
  "seen only, smallest": (record) => (isSeenOnly(record) ? Math.log(Math.max(1, record.smallest)) : 0),
  "seen only, steps": (record, { steps }) => (isSeenOnly(record) ? Math.log1p(steps) : 0),
  "seen only, kinship": (record) => (isSeenOnly(record) ? Math.min(1, record.kinship) : 0),
  "seen only, focus": (record) => (isSeenOnly(record) ? Math.sqrt(record.focus) : 0),
  "seen only, awaited": (record) => Number(isSeenOnly(record) && record.isAwaited),
  "seen only, files": (record) => (isSeenOnly(record) ? Math.log(Math.max(1, record.files)) : 0),
  "seen only, once": (record) => Number(isSeenOnly(record) && record.lines === 1),
}

export const signalNames = Object.keys(table)
const signals = Object.values(table)

/** `left` out: names of signals, each with all that contain it. */
export const signalsOf = (record, usage, left = []) =>
  signals.map((signal, index) => (left.some((name) => signalNames[index].includes(name)) ? 0 : signal(record, usage)))
