/**
 * What a term is worth: how likely the agent uses it again before anything shows it again. A logistic estimate
 * from how the term is built and how it was used so far. The weights are rounded from a fit on recorded agent
 * sessions, where the later text is known; which signals are used was decided on sessions of projects that were
 * kept out of each fit. What they show: what the agent itself used comes back, and so does what the requests are about
 * and what shares words or passages with the work at hand; what was seen once in a long result does not, and everything
 * fades with age.
 */
import type { TermKind } from "../../../text/terms.ts"
import { countedNames } from "./common-table.ts"
import type { Usage } from "./usage.ts"

/** How one term is used in a history: how often, by whom, where and when. */
export interface TermRecord {
  readonly text: string
  readonly kind: TermKind
  /** Lines it is in; lines it starts. */
  lines: number
  starts: number
  /** Lines by who wrote it. */
  replies: number
  user: number
  errors: number
  /** Lines of results where it is the value of a field of a record. */
  values: number
  lastStep: number
  /** Place of its last line among all lines. */
  lastLine: number
  /** Steps in which the agent itself used it, in arguments or replies, and the last of them; -1: never. */
  uses: number
  lastUse: number
  /** Seen in a file that a call was about; in one that was written; in one that a request names and that was not written since. */
  isTouched: boolean
  isWritten: boolean
  isAwaited: boolean
  /** Files it was seen in, and the number of the last of them. */
  files: number
  lastFile: number
  /** Lines of the smallest passage it was seen in. */
  smallest: number
  /** In the goal, or asked for and hardly mentioned; in the newest request or in the goal; on a line with another term that is; in the first request. */
  isWanted: boolean
  isAsked: boolean
  isNearAsked: boolean
  isTask: boolean
  /** A call was about it. */
  isSubject: boolean
  /** Stood on a line that is nothing but a path. */
  isListed: boolean
  /** How much a passage it was seen in is about the current work; whether it shares words with that. See current-work.ts. */
  focus: number
  kinship: number
}

export const newRecord = (text: string, kind: TermKind): TermRecord => ({
  text,
  kind,
  lines: 0,
  starts: 0,
  replies: 0,
  user: 0,
  errors: 0,
  values: 0,
  lastStep: 0,
  lastLine: 0,
  uses: 0,
  lastUse: -1,
  isTouched: false,
  isWritten: false,
  isAwaited: false,
  files: 0,
  lastFile: -1,
  smallest: Number.POSITIVE_INFINITY,
  isWanted: false,
  isAsked: false,
  isNearAsked: false,
  isTask: false,
  isSubject: false,
  isListed: false,
  focus: 0,
  kinship: 0,
})

/** Whether it is only in results: neither the agent nor the user wrote it. */
const isSeenOnly = ({ uses, user }: TermRecord): boolean => uses === 0 && user === 0

// Names and words that agents use without having read them: keeping them is of no use. Written down from what languages,
// tools and projects share, or counted over public projects (common-table.ts); what is common in one history only shows
// there by itself.

const names = `
package.json package-lock.json tsconfig.json node_modules README.md CHANGELOG.md index.ts index.js index.html main.py
main.go main.ts main.rs setup.py setup.cfg pyproject.toml requirements.txt Cargo.toml Cargo.lock go.mod go.sum
Makefile Dockerfile __init__.py __main__ __name__ conftest.py CLAUDE.md AGENTS.md /dev/null /bin/bash /bin/sh /usr/bin
/usr/bin/env /usr/local /usr/local/bin --help --version --oneline --stat --name-only --cached --force --verbose
--quiet --json --watch --coverage --save-dev --depth console.log console.error JSON.stringify JSON.parse process.env
process.exit Promise.all Object.keys Object.entries Array.isArray Math.max Math.min Math.floor Date.now fmt.Sprintf
fmt.Errorf fmt.Println fmt.Printf errors.New errors.Is context.Context context.Background testing.T t.Fatalf t.Errorf
t.Run time.Duration time.Now os.path os.path.join os.environ sys.exit sys.argv sys.path self.assertEqual str_replace
old_string new_string file_path isinstance ValueError TypeError KeyError RuntimeError FileNotFoundError README
github.com https://github.com localhost 127.0.0.1 utf-8 UTF-8 base64 sha256 python3 TypeScript JavaScript GitHub
useState useEffect className onClick toString forEach readFile writeFile
`
const words = `
this that with from have will your what when where which there their then than them they these those would could
should been being into over only also some such very just like more most other each same after before about above
below between because while true false null none undefined import export const return function class public private
static void async await string number boolean object array type interface extends implements default case break
continue else elif while switch catch finally throw throws error errors warning value values name names file files
line lines path paths test tests code data list item items user users message messages content text index count total
first last next start stop open close read write update updated create created delete remove removed added change
changes changed found using used make need needs check checks result results output input option options config
command commands print printf echo self args kwargs done todo note here there now let's sure okay please thanks good
well
`
/** What these hold comes with a language, its test runner or a library that everybody uses: `console.warn`. */
const libraries = `
console Math JSON Object Array Promise Number String Boolean Date Symbol Reflect Buffer process module document window
event React ReactDOM fs path os sys re json time datetime logging subprocess argparse unittest pytest np pd plt torch fmt
strings strconv errors context testing http filepath sync bytes bufio log io ioutil sort System Collections Arrays
Objects Optional Collectors vi jest expect std
`
const setOf = (list: string): ReadonlySet<string> => new Set(list.split(/\s+/).filter((name) => name !== ""))
const common = setOf(`${names} ${words}`)
const shared = setOf(libraries)
const counted = setOf(countedNames)

/** Names of many projects may still be what this one is about. */
const shareOfCounted = 0.2

/**
 * How much of its worth a term keeps, 0 to 1: what everybody knows need not have been read. A file that is called like a
 * library (`errors.go`) is the project's own.
 */
const novelty = (text: string, kind: TermKind): number => {
  if (common.has(text)) return 0
  // Most terms are plain words, and none of them was counted.
  if (kind === "word") return 1
  const dot = text.indexOf(".")
  if (dot > 0 && kind !== "file" && shared.has(text.slice(0, dot))) return 0
  return counted.has(text) ? shareOfCounted : 1
}

interface Shape {
  /** The score of a term of ten characters, and how it changes with the logarithm of the length. */
  readonly base: number
  readonly length: number
  /** What losing one costs: a word is easily used without having been read, a file name is in its path. */
  readonly loss: number
}

const shapes: Readonly<Record<TermKind, Shape>> = {
  path: { base: -2.65, length: 0.1, loss: 1 },
  file: { base: -2.65, length: -0.4, loss: 0.6 },
  address: { base: -2.6, length: 0.35, loss: 1 },
  flag: { base: -2.55, length: 0.35, loss: 0.8 },
  id: { base: -2.65, length: -0.1, loss: 1 },
  identifier: { base: -2.3, length: 0.05, loss: 1 },
  number: { base: -2.35, length: 1.8, loss: 1 },
  phrase: { base: -2.15, length: -1.05, loss: 1 },
  word: { base: -3.2, length: 2, loss: 0.18 },
}

const isUpper = (code: number): boolean => code >= 65 && code <= 90
const isAbsolute = (path: string): boolean => path.charCodeAt(0) === 47
const isOwnMember = (name: string): boolean => name.startsWith("this.") || name.startsWith("self.")

/** How the term is built. */
const shapeScore = ({ kind, text }: TermRecord): number => {
  const { base, length } = shapes[kind]
  const score = base + length * Math.log(text.length / 10)
  if (kind === "path") return isAbsolute(text) ? score - 0.4 : score
  if (kind !== "identifier") return score
  if (isOwnMember(text)) return score - 0.2
  return isUpper(text.charCodeAt(0)) && text !== text.toUpperCase() ? score + 0.15 : score
}

/** Who used it, where and when. */
const usageScore = (record: TermRecord, steps: number): number => {
  const { lines, starts, kinship, uses, lastStep } = record
  const age = steps - lastStep
  let score = 0.7 * Math.log1p(uses) + 0.4 * Math.log1p(record.replies) + 0.5 * Math.log1p(kinship)
  score += (0.4 * starts) / lines - 0.6 * Math.log1p(age)
  // What has just been used is often done with.
  if (age <= 1) score -= 0.5
  if (record.isAsked) score += 0.25
  if (record.isNearAsked) score += 0.5
  if (record.isTask) score += 0.35
  if (record.isSubject) score += 0.65
  if (record.isTouched) score += 0.6
  if (record.isWritten) score -= 0.25
  if (record.isListed) score -= 0.5
  if (record.errors > 0) score -= 0.45
  // Numbers of lines.
  if (record.kind === "number" && starts === lines) score -= 0.9
  return isSeenOnly(record) ? score + seenOnlyScore(record, steps) : score
}

/** What is only in results is one of many in a long result, unless it is about the work at hand. */
const seenOnlyScore = (record: TermRecord, steps: number): number => {
  const { lines, files, smallest, kinship, focus, isAwaited } = record
  let score = 0.75 - 0.2 * Math.log(Math.max(1, smallest)) - 0.4 * Math.log1p(steps)
  if (isAwaited) score += 0.6
  // A name that several files share is one that the project is built on.
  if (files > 1) score += 0.5 * Math.log(files)
  return score + 0.7 * Math.min(1, kinship) + 2.4 * Math.sqrt(focus) - (lines === 1 ? 1.1 : 0)
}

/**
 * Where results are records (orders, accounts, tickets), their ids and amounts come back. Of results that are records by
 * half nothing is known, so the score sets in there.
 */
const recordScore = ({ kind, values }: TermRecord, recordShare: number): number => {
  const share = Math.max(0, 2 * recordShare - 1)
  if (share === 0 || values === 0) return 0
  return (kind === "id" ? 2.4 : kind === "number" ? 1.3 : 0) * share
}

/** How likely a term of the goal is used: the caller knows better than any estimate. */
const wanted = 0.8

/** By number of the term. */
export const worthsOf = ({ records, steps, recordShare }: Usage): Float64Array => {
  const worths = new Float64Array(records.length)
  for (let number = 0; number < records.length; number++) {
    const record = records[number] as TermRecord
    const { text, kind, isWanted } = record
    const share = novelty(text, kind)
    if (share === 0) continue
    const estimate = 1 / (1 + Math.exp(-shapeScore(record) - usageScore(record, steps) - recordScore(record, recordShare)))
    worths[number] = shapes[kind].loss * (isWanted ? Math.max(wanted, estimate) : share * estimate)
  }
  return worths
}
