/**
 * The state of the work in a digest: which lines of the history say it, in which section each is printed, and which of
 * them a digest of a given size shows. Sections come before all other lines. Their lines are lines of the history as all
 * others are, under the handle that reads the rest back.
 */
import { type Conversation, pushAll } from "../../../model/index.ts"
import { personLines } from "../../state/person.ts"
import { type CallState, type Evidence, type Place, type State, stateOf } from "../../state/state.ts"
import { type Choosable, type Excerpt, isLong, partOf } from "./candidates.ts"
import { groupOf, type Part, type Passage, type SectionName, wordsGroups } from "./relevance/lines.ts"
import { numberOfLine } from "./relevance/usage.ts"
import { headCut } from "../../text/shorten.ts"

/** An entry of a section: its lines are shown together, or where there is no room for that the one that says most. */
interface Entry {
  readonly section: SectionName
  readonly lines: readonly Excerpt[]
  readonly core: Excerpt
}

/** Most entries of a section, and the share of what a state may take that is its own before others get what is left. */
const sectionPlans: readonly { readonly section: SectionName; readonly share: number; readonly most: number }[] = [
  { section: "Files changed", share: 0.4, most: 60 },
  { section: "Answers", share: 0.15, most: 12 },
  { section: "Failed", share: 0.3, most: 8 },
  { section: "Open", share: 0.15, most: 20 },
  { section: "Commands", share: 0.25, most: 14 },
  { section: "Decided", share: 0.1, most: 6 },
  { section: "Images", share: 0.1, most: 6 },
  { section: "Told", share: 0.25, most: 1 },
  { section: "Records changed", share: 0.35, most: 30 },
]

/** Longer lines show their beginning; of a command and an error less of it says what it is. */
const longestLine = 200
const longestCommand = 120

interface Group {
  readonly argument: number[]
  readonly result: number[]
}

/** Edits that say what their files are like now, and failures that come before older ones, whatever became of them. */
const newestEdits = 10
const newestFailures = 3

/** Lines of a state that a digest shows, with their tokens. */
interface TakenLines {
  readonly lines: readonly Excerpt[]
  readonly tokens: number
}

const headOf = (line: string, section: SectionName): number => {
  const longest = section === "Commands" || section === "Failed" ? longestCommand : longestLine
  return isLong(line) && line.length > longest ? headCut(line, longest) : line.length
}

export class StateLines {
  readonly state: State
  readonly #passages: readonly Passage[]
  readonly #choosable: Omit<Choosable, "candidates">
  /** By number of the line. */
  readonly #sections = new Map<number, SectionName>()
  readonly #entries: readonly Entry[]
  readonly #callCounts: readonly number[]
  readonly #byGroup = new Map<number, Group>()
  /** Passages of what the agent said, by item. */
  readonly #replies = new Map<number, number[]>()
  readonly #requests: ReadonlySet<number>

  constructor(conversation: Conversation, passages: readonly Passage[], choosable: Omit<Choosable, "candidates">) {
    this.#passages = passages
    this.#choosable = choosable
    this.state = stateOf(conversation)
    this.#callCounts = conversation.items.map((item) => (item.role === "exchange" ? item.outcomes.length : 0))
    this.#requests = new Set(this.state.requests)
    this.#sortPassages()
    this.#entries = this.#entriesOf(this.state)
  }

  /** Where a line is printed; undefined: with the lines that come after the state. */
  sectionOf(part: { readonly passage: number; readonly line: number }): SectionName | undefined {
    return this.#sections.get(numberOfLine(this.#choosable.usage, part))
  }

  /** Whether it is printed with the state, and not with the requests or after both. */
  isStated(part: { readonly passage: number; readonly line: number }): boolean {
    const section = this.sectionOf(part)
    return section !== undefined && section !== "Requests"
  }

  /** The first entries of each section that fit, the newest first, without what is shown already. */
  take(budget: number, isShown: (excerpt: Excerpt) => boolean): TakenLines {
    const { count, headingTokens } = this.#choosable
    const lines: Excerpt[] = []
    let left = budget
    const costOf = (own: readonly Excerpt[]): number =>
      own.reduce((sum, { text }) => sum + count(`${text}\n`), headingTokens((own[0] as Excerpt).group))
    const isTaken = new Set<Entry>()
    const takeFrom = (entries: readonly Entry[], most: number): void => {
      let room = Math.min(most, left)
      for (const entry of entries) {
        if (isTaken.has(entry)) continue
        const missing = entry.lines.filter((line) => !isShown(line))
        if (missing.length === 0) continue
        const core = missing.filter((line) => line === entry.core)
        const own = [missing, core].find((each) => each.length > 0 && costOf(each) <= room)
        if (!own) continue
        isTaken.add(entry)
        const cost = costOf(own)
        room -= cost
        left -= cost
        pushAll(lines, own)
      }
    }
    const bySection = new Map<SectionName, Entry[]>()
    for (const entry of this.#entries) {
      const own = bySection.get(entry.section)
      if (own) own.push(entry)
      else bySection.set(entry.section, [entry])
    }
    for (const { section, share } of sectionPlans) takeFrom(bySection.get(section) ?? [], share * budget)
    for (const { section } of sectionPlans) takeFrom(bySection.get(section) ?? [], left)
    return { lines, tokens: budget - left }
  }

  /** Passages by what they are printed under; and the sections of lines that need no entry. */
  #sortPassages(): void {
    for (const [place, { source, group, lines, section, item }] of this.#passages.entries()) {
      if (section !== undefined) {
        for (const line of lines.keys()) this.#mark(place, line, section)
        continue
      }
      if (source === "user" && this.#requests.has(item)) {
        const isPersons = personLines(lines)
        for (const line of lines.keys()) if (isPersons[line]) this.#mark(place, line, "Requests")
        continue
      }
      if (source === "reply") {
        const said = this.#replies.get(item)
        if (said) said.push(place)
        else this.#replies.set(item, [place])
      }
      if (source !== "argument" && source !== "result" && source !== "error") continue
      const own = this.#byGroup.get(group) ?? { argument: [], result: [] }
      own[source === "argument" ? "argument" : "result"].push(place)
      this.#byGroup.set(group, own)
    }
  }

  #mark(passage: number, line: number, section: SectionName): void {
    const number = numberOfLine(this.#choosable.usage, { passage, line })
    if (!this.#sections.has(number)) this.#sections.set(number, section)
  }

  #excerpt(part: Part, group: number, line: string): Excerpt {
    const isWhole = part.to === line.length
    return { ...part, group, text: isWhole ? line.trim() : partOf(line, 0, part.to), isWhole }
  }

  /** The line in the passages of a call. */
  #find({ item, call }: Place, { from, line }: Evidence, section: SectionName): Excerpt | undefined {
    const group = from === "reply" ? groupOf(item, 0) : groupOf(item, call + wordsGroups(this.#callCounts[item] ?? 0))
    const places = (from === "reply" ? this.#replies.get(item) : this.#byGroup.get(group)?.[from]) ?? []
    for (const passage of places) {
      const { lines } = this.#passages[passage] as Passage
      const at = lines.indexOf(line)
      const text = lines[at]
      if (text !== undefined && text.trim() !== "")
        return this.#excerpt({ passage, line: at, from: 0, to: headOf(text, section) }, group, text)
    }
    return undefined
  }

  /** Of what failed, why; of a record what says most about it; of all else, what it is. */
  #coreOf(section: SectionName, lines: readonly Excerpt[]): Excerpt {
    const [first] = lines as readonly [Excerpt, ...Excerpt[]]
    if (section === "Failed") return lines.find(({ passage }) => this.#passages[passage]?.source !== "argument") ?? first
    if (section === "Records changed") return lines.reduce((best, line) => (line.text.length > best.text.length ? line : best), first)
    return first
  }

  #entriesOf(state: State): readonly Entry[] {
    const entries: Entry[] = []
    const add = (section: SectionName, place: Place, evidence: readonly Evidence[]): void => {
      const seen = new Set<string>()
      const lines = evidence.flatMap((each) => {
        const found = this.#find(place, each, section)
        if (!found || seen.has(found.text)) return []
        seen.add(found.text)
        return [found]
      })
      if (lines.length === 0) return
      for (const { passage, line } of lines) this.#mark(passage, line, section)
      entries.push({ section, lines, core: this.#coreOf(section, lines) })
    }
    const newest = <Each>(list: readonly Each[], section: SectionName): readonly Each[] =>
      list.slice(-(sectionPlans.find((each) => each.section === section)?.most ?? 0)).toReversed()
    const addCalls = (section: SectionName, list: readonly CallState[]): void => {
      for (const each of newest(list, section)) add(section, each, each.evidence)
    }
    addCalls("Answers", state.answers)
    // After the newest, what was not repaired since comes before what was.
    const unresolved = state.failures.filter(({ replacedBy }) => !replacedBy)
    const resolved = state.failures.filter(({ replacedBy }) => replacedBy)
    const failures = new Set([
      ...state.failures.slice(-newestFailures).toReversed(),
      ...newest(unresolved, "Failed"),
      ...newest(resolved, "Failed"),
    ])
    for (const each of failures) add("Failed", each, each.evidence)
    for (const { text, ...place } of state.open) add("Open", place, [{ from: "argument", line: text.split("\n", 1)[0] ?? text }])
    for (const each of newest(state.files, "Files changed")) add("Files changed", each, each.evidence)
    for (const each of state.edits.slice(-newestEdits).toReversed()) add("Files changed", each, each.evidence)
    if (state.nextStep) add("Open", { item: state.nextStep.item, call: 0 }, [{ from: "reply", line: state.nextStep.text }])
    const mattering = state.commands.filter(({ purpose }) => purpose === "test" || purpose === "check")
    const last = newest(state.commands, "Commands")
    const tests = mattering.toReversed().slice(0, 4)
    for (const each of new Set([...last.slice(0, 4), ...tests, ...last])) add("Commands", each, each.evidence)
    addCalls("Records changed", state.records)
    for (const { item, text } of newest(state.images, "Images")) add("Images", { item, call: 0 }, [{ from: "reply", line: text }])
    const { told } = state
    if (told)
      add(
        "Told",
        { item: told.item, call: 0 },
        told.lines.map((line) => ({ from: "reply", line })),
      )
    for (const { item, text } of newest(state.decisions, "Decided")) add("Decided", { item, call: 0 }, [{ from: "reply", line: text }])
    return entries
  }
}
