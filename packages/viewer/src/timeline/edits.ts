/** Calls that edit files, told by the names of their arguments: the old and the new text are shown as a diff. */
import { diffLines } from "diff"
import type { CallBlock } from "../library-types.ts"

export interface DiffLine {
  readonly kind: "same" | "added" | "removed" | "place"
  readonly text: string
}

const before = ["old_string", "old_str", "oldText", "old_text", "oldString", "search", "old"] as const
const after = ["new_string", "new_str", "newText", "new_text", "newString", "replace", "new"] as const

/** Beyond this a comparison may take long; both texts are shown one after the other. */
const longest = 60_000

const linesOf = (text: string, kind: DiffLine["kind"]): readonly DiffLine[] =>
  (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n").map((line) => ({ kind, text: line }))

const compared = (old: string, now: string): readonly DiffLine[] => {
  if (old.length + now.length > longest) return [...linesOf(old, "removed"), ...linesOf(now, "added")]
  const changes = diffLines(old, now, { timeout: 200 })
  if (changes === undefined) return [...linesOf(old, "removed"), ...linesOf(now, "added")]
  return changes.flatMap(({ added, removed, value }) => linesOf(value, added ? "added" : removed ? "removed" : "same"))
}

/** An edit in a few lines: those that change, and how many they are. */
export interface BriefEdit {
  readonly added: number
  readonly removed: number
  /** Empty where they are too many to be shown beside everything else. */
  readonly lines: readonly DiffLine[]
}

const mostBrief = 10
const briefs = new WeakMap<CallBlock, BriefEdit | null>()

const briefOf = (call: CallBlock): BriefEdit | null => {
  const size = Object.values(call.arguments).reduce<number>((sum, value) => sum + (typeof value === "string" ? value.length : 0), 0)
  const edit = size > 20_000 ? undefined : editOf(call)
  if (edit === undefined) return null
  const changed = edit.filter(({ kind }) => kind === "added" || kind === "removed")
  const added = changed.filter(({ kind }) => kind === "added").length
  return { added, removed: changed.length - added, lines: changed.length > mostBrief ? [] : changed }
}

export const briefEdit = (call: CallBlock): BriefEdit | undefined => {
  let brief = briefs.get(call)
  if (brief === undefined) briefs.set(call, (brief = briefOf(call)))
  return brief ?? undefined
}

const textIn = (values: Readonly<Record<string, unknown>>, names: readonly string[]): string | undefined => {
  for (const name of names) if (typeof values[name] === "string") return values[name]
  return undefined
}

const patchKind = (line: string): DiffLine["kind"] => {
  if (/^(?:\*\*\* |@@|diff |index |--- |\+\+\+ )/.test(line)) return "place"
  return line.startsWith("+") ? "added" : line.startsWith("-") ? "removed" : "same"
}

const isPatch = (text: string): boolean => text.startsWith("*** Begin Patch") || /^(?:diff --git|--- \S.*\n\+\+\+ )/.test(text)

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The edit that a call asks for, line by line; undefined for other calls. */
export const editOf = ({ arguments: given }: CallBlock): readonly DiffLine[] | undefined => {
  const [old, now] = [textIn(given, before), textIn(given, after)]
  if (old !== undefined && now !== undefined) return compared(old, now)
  const edits = given["edits"]
  if (Array.isArray(edits) && edits.length > 0 && edits.length < 200) {
    const each = edits.flatMap((edit: unknown) => {
      if (!isObject(edit)) return []
      const [left, right] = [textIn(edit, before), textIn(edit, after)]
      return left === undefined || right === undefined ? [] : [[{ kind: "place", text: "@@" } as const, ...compared(left, right)]]
    })
    if (each.length === edits.length) return each.flat()
  }
  for (const value of Object.values(given)) {
    if (typeof value !== "string" || value.length > longest * 4) continue
    const start = value.indexOf("*** Begin Patch")
    const patch = isPatch(value) ? value : start >= 0 && start < 400 ? value.slice(start) : undefined
    if (patch !== undefined)
      return patch.split("\n").map((line) => {
        const kind = patchKind(line)
        return { kind, text: kind === "added" || kind === "removed" ? line.slice(1) : line }
      })
  }
  return undefined
}
