/**
 * The state of the work: what a history comes to, as entries of a few kinds, each with the place it is known from. A fold over
 * the items, in their order and without a model: what a person asked, which files and records are changed and how
 * they are now, which commands ran last and how they went, what failed, what is still to do. An entry is a line of the
 * history, letter by letter, so that a view can show it and a reader can trust it.
 *
 * Each item is looked at once, and of long results only their ends, so a state grows with what is said.
 */
import { type CallBlock, callsOf, type Conversation, type Exchange, type Item, type Outcome, pushAll } from "../../model/index.ts"
import { argumentLines } from "../text/arguments.ts"
import { textOfContent } from "../text/handles.ts"
import { type CommandFacts, complains, factsOf, saysCancelled, saysFailed, startsWithComplaint, tellingLines } from "./commands.ts"
import { broughtBy, editsOf, GoneLines } from "./edits.ts"
import { isPersonal, personInResult } from "./person.ts"
import { statusOf, type Todo, todosOf } from "./todos.ts"
import { commandOf, kindReader, pathOf, type ToolKind } from "./tool-kinds.ts"

/** Where an entry is known from. */
export interface Place {
  /** Index of the item, and of its call. */
  readonly item: number
  readonly call: number
}

/** A line of the arguments or of the result of a call, or of what was said with it. */
export interface Evidence {
  readonly from: "argument" | "result" | "reply"
  readonly line: string
}

export type FileChange = "created" | "changed" | "deleted"

export interface FileState extends Place {
  readonly path: string
  readonly change: FileChange
  /** How often it was changed. */
  readonly changes: number
  readonly evidence: readonly Evidence[]
}

/** A command, a record that was changed, a call that failed: with what says how it went. */
export interface CallState extends Place {
  readonly evidence: readonly Evidence[]
  readonly hasFailed: boolean
  /** A later call that did the same and did not fail. */
  readonly replacedBy?: Place
}

export interface CommandState extends CallState {
  readonly purpose: "test" | "check" | "look" | "run"
}

export interface OpenWork extends Place {
  readonly text: string
  readonly status: "active" | "open"
}

/** What an edit brought, while it is current. */
export interface EditState extends Place {
  readonly evidence: readonly Evidence[]
}

export interface Decision {
  readonly item: number
  readonly text: string
}

export interface State {
  /** Items in which a person asks, corrects, allows or forbids. */
  readonly requests: readonly number[]
  /** Results in which a person answers or refuses, with the lines that say so. */
  readonly answers: readonly CallState[]
  /** By the last change, oldest first. */
  readonly files: readonly FileState[]
  /** The newest edits, oldest first. */
  readonly edits: readonly EditState[]
  /** Lines that edits took out, and that were not seen since. */
  readonly gone: GoneLines
  /** Calls that changed records. */
  readonly records: readonly CallState[]
  /** The last run of each command, oldest first. */
  readonly commands: readonly CommandState[]
  readonly failures: readonly CallState[]
  readonly open: readonly OpenWork[]
  readonly decisions: readonly Decision[]
  /** What the agent said with its newest calls that it would do next; undefined: it said nothing of the kind. */
  readonly nextStep: Decision | undefined
  /** What the agent said first after it was shown an image. */
  readonly images: readonly Decision[]
  /** The newest text that the agent gave as an answer, line by line, where it is no report. */
  readonly told: { readonly item: number; readonly lines: readonly string[] } | undefined
}

const mostPerKind = 400
const mostEdits = 24
/** Lines of an answer that is shown whole: a list loses its sense where it is cut after its heading. */
const longestAnswer = 12
/** Lines of a record. */
const mostOfRecord = 12
/** Lines of one edit. */
const mostBrought = 4

const linesOf = (text: string): readonly string[] => text.split("\n")

const resultText = (outcome: Outcome | undefined): string => (outcome?.result === undefined ? "" : textOfContent(outcome.result.content))

/** `*** Update File: a.ts`: patches name their files themselves. */
const patchLine = /^\*\*\* (Add|Update|Delete) File: (.+)$|^\*\*\* Move to: (.+)$/
const patchMark = "*** Begin Patch"

interface PatchedFile {
  readonly path: string
  readonly change: FileChange
  readonly line: string
}

const patchedFiles = (text: string): readonly PatchedFile[] => {
  const found: PatchedFile[] = []
  for (const line of linesOf(text)) {
    const match = line.startsWith("*** ") ? patchLine.exec(line) : null
    if (!match) continue
    const [, verb, path, moved] = match
    const change = verb === "Add" ? "created" : verb === "Delete" ? "deleted" : "changed"
    found.push({ path: (path ?? moved ?? "").trim(), change, line })
  }
  return found
}

const textArguments = (call: CallBlock): readonly string[] => {
  if (call.fault === "unparsable" || call.fault === "not-object") return [call.raw ?? ""]
  return Object.values(call.arguments).filter((value): value is string => typeof value === "string")
}

const firstLineWith = (call: CallBlock, words: string): string | undefined => {
  for (const text of textArguments(call)) {
    const at = text.indexOf(words)
    if (at === -1) continue
    const end = text.indexOf("\n", at)
    return text.slice(text.lastIndexOf("\n", at) + 1, end === -1 ? undefined : end)
  }
  return undefined
}

const stated =
  /\b(?:decided|instead of|rather than|root cause|turns out|the (?:real )?(?:issue|problem|bug|cause|fix) (?:is|was)|because|therefore|so that|must not|won't work|trade-?off|chose|approach)\b/i

const announced =
  /^(?:next\b|now\b|then\b|let me\b|let's\b|i(?:'ll| will| am going to|'m going to| need to| should)\b|the next step\b|remaining\b|still to do\b)|\bnext (?:step|up|i)\b/i

/** Shorter text says no reason; longer text is a report. */
const shortestDecision = 30
const longestDecision = 400

/** Equal for runs of the same thing. */
const keyOf = (command: string, { key }: CommandFacts): string => (key === "" ? command.slice(0, 200) : key)

interface Attempt {
  readonly state: CallState
  readonly key: string
}

/** Folds items into a state, one after the other. */
export class StateFold {
  readonly #kindOf = kindReader()
  readonly #requests: number[] = []
  readonly #answers: CallState[] = []
  readonly #files = new Map<string, FileState>()
  readonly #records: CallState[] = []
  readonly #commands = new Map<string, CommandState & { readonly outcome: Outcome | undefined }>()
  readonly #failures: Attempt[] = []
  readonly #replaced = new Map<string, Place>()
  #todos: { readonly place: Place; readonly list: readonly Todo[] } | undefined
  readonly #tasks = new Map<string, { place: Place; text: string; status: Todo["status"] }>()
  readonly #decisions: Decision[] = []
  readonly #edits: EditState[] = []
  readonly #gone = new GoneLines()
  #nextStep: Decision | undefined
  readonly #images: Decision[] = []
  #isShownImage = false
  #told: State["told"]
  #before: Item | undefined

  add(item: Item, index: number): void {
    if (item.role === "user") {
      if (isPersonal(item, this.#before)) this.#requests.push(index)
      if (item.blocks.some(({ type }) => type === "media")) this.#isShownImage = true
    } else if (item.role === "exchange") this.#addExchange(item, index)
    this.#before = item
  }

  #addExchange(exchange: Exchange, item: number): void {
    this.#nextStep = undefined
    this.#addTold(exchange, item)
    for (const message of [exchange.message, exchange.reply]) {
      for (const block of message?.blocks ?? []) if (block.type === "text") this.#addDecisions(block.text, item)
    }
    for (const [call, block] of callsOf(exchange).entries()) this.#addCall(block, exchange.outcomes[call], { item, call })
  }

  #addTold(exchange: Exchange, item: number): void {
    const isAnswer = exchange.outcomes.length === 0 || exchange.reply !== undefined
    const said = [exchange.message, exchange.reply]
      .flatMap((message) => message?.blocks ?? [])
      .flatMap((block) => (block.type === "text" ? [block.text] : []))
    const lines = said.flatMap(linesOf).filter((line) => line.trim() !== "")
    if (this.#isShownImage && lines.length > 0) {
      this.#isShownImage = false
      this.#images.push({ item, text: lines[0] as string })
    }
    if (isAnswer && lines.length > 0) this.#told = lines.length > longestAnswer ? undefined : { item, lines }
  }

  #addDecisions(text: string, item: number): void {
    if (text.length > 4000) return
    for (const line of linesOf(text)) {
      if (line.length <= longestDecision && announced.test(line.trim())) this.#nextStep = { item, text: line }
      if (line.length < shortestDecision || line.length > longestDecision || !stated.test(line)) continue
      this.#decisions.push({ item, text: line })
    }
  }

  #addCall(block: CallBlock, outcome: Outcome | undefined, place: Place): void {
    const kind = this.#kindOf(block)
    const text = resultText(outcome)
    this.#gone.show(text)
    const hasRun = outcome !== undefined && (outcome.kind === "done" || outcome.kind === "failed")
    const answered = kind === "ask" || outcome?.kind === "failed" || outcome?.kind === "not-run" ? personInResult(text) : -1
    if (answered >= 0 || (kind === "ask" && hasRun && text.trim() !== "")) this.#addAnswer(text, Math.max(0, answered), place)
    const command = kind === "run" ? commandOf(block) : undefined
    const facts = command === undefined ? undefined : factsOf(command)
    const isSilent = facts?.isLooking === true && !complains(text)
    const hasFailed =
      (outcome?.kind === "failed" && !isSilent) ||
      (hasRun &&
        !isSilent &&
        ((facts && !facts.isLooking && startsWithComplaint(text)) || ((facts || kind === "other") && saysFailed(text))))
    if (facts && command !== undefined) this.#addCommand(command, facts, outcome, hasFailed, place)
    if (hasRun && !hasFailed) {
      this.#addEdits(block, place)
      this.#addChanges(block, kind, command, facts, place)
    }
    if (hasRun && kind === "plan") this.#addPlan(block, text, place)
    if (!saysCancelled(text)) this.#noteAttempt(block, facts, outcome, hasFailed && answered < 0, place)
  }

  #addAnswer(text: string, from: number, place: Place): void {
    const lines = linesOf(text)
    let at = 0
    const said: Evidence[] = []
    for (const line of lines) {
      at += line.length + 1
      if (at > from && line.trim() !== "" && said.length < 12) said.push({ from: "result", line })
    }
    this.#answers.push({ ...place, evidence: said, hasFailed: false })
  }

  #addCommand(command: string, facts: CommandFacts, outcome: Outcome | undefined, hasFailed: boolean, place: Place): void {
    const line = linesOf(command)[facts.line] ?? command
    const key = keyOf(command, facts)
    const purpose = facts.isTest ? "test" : facts.isCheck ? "check" : facts.isLooking ? "look" : "run"
    // Its place is where it ran last.
    this.#commands.delete(key)
    this.#commands.set(key, { ...place, purpose, hasFailed, evidence: [{ from: "argument", line }], outcome })
  }

  #addChanges(block: CallBlock, kind: ToolKind, command: string | undefined, facts: CommandFacts | undefined, place: Place): void {
    if (command !== undefined && facts) {
      for (const { path, change, line } of command.includes(patchMark) ? patchedFiles(command) : [])
        this.#addFile(path, change, line, place)
      const lineWith = (path: string): string => firstLineWith(block, path) ?? path
      for (const path of facts.deletes) this.#addFile(path, "deleted", lineWith(path), place)
      for (const path of facts.writes) this.#addFile(path, "changed", lineWith(path), place)
      return
    }
    const texts = textArguments(block)
    const patch = texts.find((text) => text.includes(patchMark))
    if (patch !== undefined) {
      for (const { path, change, line } of patchedFiles(patch)) this.#addFile(path, change, line, place)
      return
    }
    if (kind !== "edit") return
    const path = pathOf(block)
    if (path === undefined) {
      this.#addRecord(block, place)
      return
    }
    const isWhole = ["content", "file_text", "contents"].some((key) => typeof block.arguments[key] === "string")
    const isDeleted = /delete|remove/i.test(block.name)
    this.#addFile(
      path,
      isDeleted ? "deleted" : isWhole && !this.#files.has(path) ? "created" : "changed",
      firstLineWith(block, path) ?? path,
      place,
    )
  }

  #addEdits(block: CallBlock, place: Place): void {
    const brought: string[] = []
    for (const edit of editsOf(block)) {
      this.#gone.edit(edit)
      pushAll(brought, broughtBy(edit))
    }
    if (brought.length === 0) return
    const evidence = brought.slice(-mostBrought).map((line): Evidence => ({ from: "argument", line }))
    this.#edits.push({ ...place, evidence })
    if (this.#edits.length > mostEdits) this.#edits.shift()
  }

  #addFile(path: string, change: FileChange, line: string, place: Place): void {
    const before = this.#files.get(path)
    this.#files.delete(path)
    const changes = (before?.changes ?? 0) + 1
    this.#files.set(path, {
      ...place,
      path,
      change: change === "changed" && before?.change === "created" ? "created" : change,
      changes,
      evidence: [{ from: "argument", line }],
    })
  }

  #addRecord(block: CallBlock, place: Place): void {
    const lines = argumentLines(block).slice(0, mostOfRecord)
    this.#records.push({ ...place, hasFailed: false, evidence: lines.map((line) => ({ from: "argument", line })) })
  }

  #addPlan(block: CallBlock, result: string, place: Place): void {
    const list = todosOf(block)
    if (list) {
      this.#todos = { place, list }
      return
    }
    const given = block.arguments
    const subject = typeof given["subject"] === "string" ? given["subject"] : undefined
    const id = given["taskId"] ?? given["task_id"] ?? given["id"]
    if (subject !== undefined && id === undefined) {
      const number = /#(\w+)/.exec(result.slice(0, 200))?.[1] ?? String(this.#tasks.size + 1)
      this.#tasks.set(number, { place, text: subject, status: "open" })
      return
    }
    const task = this.#tasks.get(String(id))
    if (task && typeof given["status"] === "string") task.status = statusOf(given["status"])
  }

  #noteAttempt(block: CallBlock, facts: CommandFacts | undefined, outcome: Outcome | undefined, hasFailed: boolean, place: Place): void {
    const command = facts && commandOf(block)
    const key = `${block.name}\n${facts && command !== undefined ? keyOf(command, facts) : (pathOf(block) ?? "")}`
    if (hasFailed) {
      const lines = linesOf(resultText(outcome))
      const why = tellingLines(lines, true, 2).map((at): Evidence => ({ from: "result", line: lines[at] ?? "" }))
      const what = facts && command !== undefined ? this.#commands.get(keyOf(command, facts))?.evidence : undefined
      const path = pathOf(block)
      const named = path === undefined ? [] : [{ from: "argument", line: firstLineWith(block, path) ?? path } as const]
      const other = textArguments(block)[0]?.split("\n", 1)[0]
      const fallback = other === undefined ? [] : [{ from: "argument", line: other } as const]
      const first: readonly Evidence[] = what ?? (named.length > 0 ? named : fallback)
      this.#failures.push({ key, state: { ...place, hasFailed: true, evidence: [...first, ...why] } })
      if (this.#failures.length > mostPerKind) this.#failures.shift()
      this.#replaced.delete(key)
    } else if (outcome?.kind === "done") this.#replaced.set(key, place)
  }

  #openWork(): readonly OpenWork[] {
    const found: OpenWork[] = []
    for (const { text, status } of this.#todos?.list ?? []) {
      if (status !== "done" && this.#todos) found.push({ ...this.#todos.place, text, status })
    }
    for (const { place, text, status } of this.#tasks.values()) if (status !== "done") found.push({ ...place, text, status })
    return found
  }

  /** The state after all that was added. */
  state(): State {
    const commands = [...this.#commands.values()].map(({ outcome, ...command }): CommandState => {
      const { purpose, hasFailed, evidence } = command
      if (purpose === "look" && !hasFailed) return command
      const lines = linesOf(resultText(outcome))
      const told = tellingLines(lines, hasFailed, purpose !== "test" ? 1 : hasFailed ? 3 : 2)
      return { ...command, evidence: [...evidence, ...told.map((at): Evidence => ({ from: "result", line: lines[at] ?? "" }))] }
    })
    const failures = this.#failures.map(({ state, key }): CallState => {
      const later = this.#replaced.get(key)
      return later && (later.item > state.item || (later.item === state.item && later.call > state.call))
        ? { ...state, replacedBy: later }
        : state
    })
    return {
      requests: this.#requests,
      answers: this.#answers,
      files: [...this.#files.values()],
      edits: this.#edits.map((edit) => ({
        ...edit,
        evidence: edit.evidence.filter(({ line }) => !this.#gone.has(line)),
      })),
      gone: this.#gone,
      records: this.#records,
      commands,
      failures,
      open: this.#openWork(),
      decisions: this.#decisions,
      nextStep: this.#nextStep,
      images: this.#images,
      told: this.#told,
    }
  }
}

/** The state of the work at the end of a conversation. */
export const stateOf = ({ items }: Conversation): State => {
  const fold = new StateFold()
  for (const [index, item] of items.entries()) fold.add(item, index)
  return fold.state()
}
