/**
 * Shell commands, as far as a state needs them: which line of a command says what it does, whether it only looks, whether
 * it tests, and which files it writes or deletes. No shell is understood here: what cannot be told is a command that
 * runs something.
 */

import { pushAll } from "../../model/index.ts"

/** Programs that only show what is there. */
const lookers: ReadonlySet<string> = new Set(
  (
    "cat sed head tail less more nl wc ls pwd stat file tree which echo printf type du df env printenv date whoami id uname jq awk cut " +
    "sort uniq diff cmp hexdump xxd strings basename dirname realpath readlink ps true test grep egrep rg find fd ag ack sleep cd"
  ).split(" "),
)
/** … and what of these programs does. */
const lookingSubcommands: Readonly<Record<string, ReadonlySet<string>>> = {
  git: new Set(
    "status log diff show blame branch remote rev-parse ls-files ls-tree grep describe config reflog shortlog cat-file fetch".split(" "),
  ),
  gh: new Set(["view", "list", "status", "diff", "checks"]),
  npm: new Set(["ls", "view", "info", "outdated"]),
  docker: new Set(["ps", "logs", "images", "inspect"]),
}

const testing =
  /\b(?:pytest|vitest|jest|mocha|ava|tox|nox|rspec|phpunit|ctest|unittest|playwright|cypress)\b|\b(?:go|cargo|dotnet|swift|mix|deno|bun|mvn|gradlew?|make|rake|zig)\s+(?:[\w:=-]+\s+)*(?:test|check|nextest)\b|\b(?:npm|pnpm|yarn|bun|mise|just|turbo|nx)\s+(?:run\s+|exec\s+)?[\w:.-]*test[\w:.-]*|manage\.py\s+test|runtests?\.(?:py|sh)/

const checking =
  /\b(?:tsc|eslint|oxlint|biome|prettier|ruff|mypy|pyright|flake8|pylint|black|clippy|golangci-lint|gofmt|shellcheck|rubocop)\b|\b(?:npm|pnpm|yarn|bun|mise|just|turbo)\s+(?:run\s+)?(?:[\w-]+:)?(?:build|lint|typecheck|type-check|check|format|fmt|ci)\b|\b(?:cargo|go|dotnet|mvn|gradlew?|cmake|swift)\s+(?:build|vet|compile|check|package)\b|\bmake\b/

/** Longer commands are scripts: the rest of them is not looked at. */
const longest = 4000

const splitter = /&&|\|\||;|\|(?!\|)|\n/

/** Before the program itself: an assignment, or a program that runs another. */
const prefix = /^(?:[A-Za-z_]\w*=(?:"[^"]*"|'[^']*'|\S*)\s+|(?:sudo|time|nohup|exec|env|command|nice|timeout\s+\S+)\s+)+/

export interface CommandFacts {
  /** Line of the command, from zero, that says what it does. */
  readonly line: number
  readonly isLooking: boolean
  readonly isTest: boolean
  readonly isCheck: boolean
  /** Equal for runs of the same thing. */
  readonly key: string
  readonly writes: readonly string[]
  readonly deletes: readonly string[]
}

const unquoted = (word: string): string => word.replace(/^["']|["']$/g, "")

const isPathLike = (word: string): boolean =>
  word.length > 1 &&
  word.length < 300 &&
  /[\w)]$/.test(word) &&
  !word.startsWith("-") &&
  !word.startsWith("/dev/") &&
  !/[*?$`{}<>|;&()]/.test(word)

const paths = (words: readonly string[]): readonly string[] => words.map(unquoted).filter(isPathLike)

const redirect = /(?:^|[^<>&\d-])>>?\s*("[^"\n]+"|'[^'\n]+'|[^\s;|&<>()]+)/g

/** `length > 50` in an argument writes no file; a name in quotes after an arrow is one. */
const withoutQuotedArrows = (command: string): string =>
  command.replace(/'[^']*'|"(?:\\.|[^"\\])*"/g, (quoted) => quoted.replace(/[<>]/g, " "))

const segmentsOf = (command: string): readonly string[] =>
  command
    .split(splitter)
    .map((segment) => segment.trim().replace(prefix, ""))
    .filter((segment) => segment !== "" && !segment.startsWith("#"))

/** A here-document is what is written, not what is run. */
const withoutDocuments = (command: string): string => {
  const start = /<<-?\s*["']?(\w+)["']?/.exec(command)
  if (!start) return command
  const bodyAt = command.indexOf("\n", start.index)
  if (bodyAt === -1) return command
  const end = command.indexOf(`\n${start[1] ?? ""}`, bodyAt)
  return command.slice(0, bodyAt) + (end === -1 ? "" : command.slice(end + 1 + (start[1] ?? "").length))
}

const isLookingSegment = (segment: string): boolean => {
  const [program = "", ...rest] = segment.split(/\s+/, 8)
  const name = program.slice(program.lastIndexOf("/") + 1)
  // `command -v`, of which `command` is gone.
  if (name === "-v" || name === "-V") return true
  if (name === "sed") return !rest.some((word) => word === "-i" || word.startsWith("-i"))
  if (lookers.has(name)) return true
  const looking = Object.hasOwn(lookingSubcommands, name) ? lookingSubcommands[name] : undefined
  return looking !== undefined && rest.some((word) => looking.has(word))
}

const changesOf = (segments: readonly string[], command: string): { writes: string[]; deletes: string[] } => {
  const writes: string[] = []
  const deletes: string[] = []
  for (const match of withoutQuotedArrows(command).matchAll(redirect)) pushAll(writes, paths([match[1] ?? ""]))
  for (const segment of segments) {
    const [program = "", ...rest] = segment.split(/\s+/)
    const own = rest[0] ?? ""
    if (program === "rm" || program === "rmdir" || (program === "git" && own === "rm")) {
      pushAll(deletes, paths(program === "git" ? rest.slice(1) : rest))
    } else if (program === "mv" || (program === "git" && own === "mv")) {
      const moved = paths(program === "git" ? rest.slice(1) : rest)
      const to = moved.at(-1)
      if (moved.length === 2 && to !== undefined) {
        pushAll(deletes, moved.slice(0, -1))
        writes.push(to)
      }
    } else if (program === "cp" || program === "tee" || program === "touch") {
      const given = paths(rest)
      pushAll(writes, program === "cp" ? given.slice(-1) : given)
    } else if (program === "sed" && rest.some((word) => word.startsWith("-i"))) {
      const last = paths(rest.slice(-1))
      pushAll(writes, last)
    }
  }
  return { writes, deletes }
}

const telling = (line: string): boolean => {
  const own = line.trim()
  return own !== "" && !own.startsWith("#") && !/^(?:cd|set|export|source|\.)\s[^&|;]*$/.test(own)
}

/** What differs between runs of the same thing: where it runs, how much of its output is shown. */
const keyOf = (segments: readonly string[]): string =>
  segments
    .filter((segment) => !/^(?:cd|export|set|head|tail|tee|grep|echo|sleep|source)\b/.test(segment))
    .join(";")
    .replace(/\d?>&?\S*/g, "")
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, 300)

export const factsOf = (command: string): CommandFacts => {
  const text = withoutDocuments(command.slice(0, longest))
  const segments = segmentsOf(text)
  const lines = command.slice(0, longest).split("\n")
  const line = Math.max(0, lines.findIndex(telling))
  const { writes, deletes } = changesOf(segments, text)
  const isLooking = segments.every(isLookingSegment) && writes.length === 0 && deletes.length === 0
  const isTest = !isLooking && testing.test(text)
  return { line, isLooking, isTest, isCheck: !isTest && !isLooking && checking.test(text), key: keyOf(segments), writes, deletes }
}

// What a result says of how it went.

/** A process that ended with something other than zero, in the words of shells and harnesses. */
const badExit =
  /(?:^|\n)\s*(?:exit code:?|exited with(?: exit)? code:?|process exited with code|command failed with exit code|returned non-zero exit status|<returncode>|<exited_with_exit_code>|"?exit_?code"?:)\s*"?(-?[1-9]\d*)\b/i

const reach = 3000

/** Beginning and end of a text: how a command went is said there. */
export const endsOf = (text: string): string => (text.length <= 2 * reach ? text : `${text.slice(0, reach)}\n${text.slice(-reach)}`)

/** A call that was never tried because one beside it failed. */
export const saysCancelled = (text: string): boolean => text.length < 200 && /sibling tool call errored/i.test(text)

export const saysFailed = (text: string): boolean => badExit.test(endsOf(text))

const complaintFirst = /^\s*(?:error|fatal|panic|traceback)\b[:( [!]/i

/** … and what a command that did not look for such lines says of itself, whatever its exit code was. */
export const startsWithComplaint = (text: string): boolean => {
  const lines = text.slice(0, reach).split("\n", 6)
  return lines.some((line) => complaintFirst.test(line))
}

const summary =
  /\b\d+\s+(?:tests?\s+)?(?:passed|failed|passing|failing|errors?|failures?|skipped|warnings?|problems?)\b|^(?:ok|FAIL|PASS|FAILED|PASSED|Tests?:|Test (?:Suites|Files)|Tests |Ran \d+|test result:|BUILD |DONE|--- FAIL)|^=+ .* =+$|^\[[\w/.-]+ [0-9a-f]{7,}\]/

const passed = /^(?:ok|PASS|PASSED)\b/

/** How many tests ended how. */
const counted = /\b\d+\s+(?:tests?\s+)?(?:pass(?:ed|ing)?|fail(?:ed|ing|ures?)?)\b/i

const complaint =
  /\b(?:error|exception|fail(?:s|ed|ure|ures|ing)?|fatal|panic|cannot|can't|could not|couldn't|unable|denied|not found|no such|invalid|unexpected|undefined|refused|timed? ?out|missing|must|unknown|mismatch|does not|doesn't|not allowed|is not|rejected|unrecognized|assert\w*)\b|Error\b|✗|✘|×/i

const plainFrame =
  /^\s*(?:at |File "|Traceback|\^|~|\||#\d+ |exit code|exited with|<\/?\w+>$|process exited|Wall time|Chunk ID|Output:|Original token|command failed|=== (?:RUN|PAUSE|CONT|NAME)\b|--- PASS|ok\s)/i

/** Says that something failed, and not what. */
const general =
  /^(?:\[[\w:./-]+\]\s*)?(?:(?:FAIL|FAILED|ERROR|failed)[.!:]?|ERROR task failed|exit status \d+|make(?:\[\d+\])?: \*\*\*.*|npm (?:ERR!|error) (?:code|errno|path|command|Lifecycle|A complete log).*|error Command failed.*)$/i

/** Names the test that failed. */
const failedTest =
  /^\s*(?:--- FAIL: |FAIL\s+\S+\.\w+(?:\s|$)|FAILED\s+\S+|not ok \d+|[✗✘×●✕]\s+\S+|test \S+ \.\.\. FAILED|ERROR\s+\S+\.py|\d+\) \S+)/

/** Whether anything in it says what is wrong: a search that finds nothing ends with 1 and says nothing. */
export const complains = (text: string): boolean =>
  endsOf(text)
    .split("\n")
    .some((line) => complaint.test(line) && !plainFrame.test(line))

const shortest = 3
/** Lines of an output that are looked at, from its beginning and from its end. */
const mostLines = 80

/**
 * Places of the lines of a result that say how it went, the most telling first: of a failure what it complains of, of a
 * test the last line that counts.
 */
export const tellingLines = (lines: readonly string[], hasFailed: boolean, most: number): readonly number[] => {
  const places =
    lines.length <= 2 * mostLines ? [...lines.keys()] : [...lines.keys()].filter((at) => at < mostLines || at >= lines.length - mostLines)
  const said = places.filter((at) => {
    const line = (lines[at] ?? "").trim()
    return line.length >= shortest && /[\p{L}\p{N}]/u.test(line)
  })
  const found: number[] = []
  const add = (at: number | undefined): void => {
    if (at !== undefined && !found.includes(at)) found.push(at)
  }
  const of = (at: number): string => (lines[at] ?? "").replace(/<\/?\w+>/g, "").trim()
  if (hasFailed) {
    const complaints = said.filter((at) => complaint.test(of(at)) && !plainFrame.test(of(at)))
    const isTelling = (at: number): boolean => !general.test(of(at))
    const test = said.find((at) => failedTest.test(of(at)))
    // What a test complains of is said after its name, or before it.
    if (test !== undefined) {
      add(test)
      add(complaints.find((at) => at > test && isTelling(at)) ?? complaints.find(isTelling))
    } else {
      add(complaints[0])
      add(complaints.find(isTelling))
    }
    add(said.findLast((at) => summary.test(of(at)) && isTelling(at) && !passed.test(of(at))))
    add(complaints.findLast(isTelling))
    if (found.length === 0)
      add(
        said.find((at) => general.test(of(at))) ??
          said.find((at) => !plainFrame.test(of(at))) ??
          said.find((at) => badExit.test(of(at))) ??
          said[0],
      )
  } else {
    add(said.findLast((at) => counted.test(of(at))))
    add(said.findLast((at) => summary.test(of(at))))
  }
  return found.slice(0, most)
}
