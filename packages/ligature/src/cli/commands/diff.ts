/** `ligature diff`: what a repair or a conversion changed, exchange by exchange. */
import { type Block, canonicalJson, type Message, resultText, type Transcript } from "../../model/index.ts"
import { type Command, type Context, type ExitCode, jsonOption } from "../frame/command.ts"
import { difference, type Step } from "../output/difference.ts"
import { blockLine } from "../print/block.ts"
import { printJson } from "../print/json.ts"
import { count, cut } from "../frame/text.ts"
import { Source } from "../input/source.ts"
import { UsageError } from "../frame/usage-error.ts"

/** One thing said, and the exchange it belongs to: a user's word, or an assistant's with all results behind it. */
interface Saying {
  /** Equal keys: the same was said. Ids do not count, since repairs rename them. */
  readonly key: string
  readonly role: Message["role"]
  readonly block: Block
  readonly group: number
  readonly line?: number
}

const keyOf = (role: string, block: Block): string => {
  switch (block.type) {
    case "text":
      return `${role} text ${block.text}`
    case "thinking":
      return `thinking ${block.text} ${block.signature ?? ""}`
    case "media":
      return `${role} media ${JSON.stringify(block.source)}`
    case "call":
      return `call ${block.name} ${block.fault === undefined ? canonicalJson(block.arguments) : (block.raw ?? "")}`
    case "result":
      return `result ${block.synthetic ?? ""} ${block.error === true} ${resultText(block)} ${block.content.length}`
    case "opaque":
      return `opaque ${block.kind} ${block.text}`
  }
}

const sayingsOf = ({ messages }: Transcript): readonly Saying[] => {
  const sayings: Saying[] = []
  let group = -1
  for (const message of messages) {
    const answers = message.blocks.length > 0 && message.blocks.every(({ type }) => type === "result")
    if (!answers || group === -1) group++
    for (const block of message.blocks) {
      const { line, role } = message
      sayings.push({ key: keyOf(role, block), role, block, group, ...(line !== undefined && { line }) })
    }
  }
  return sayings
}

/** A run of changes with the group it falls into; what did not change is only counted. */
interface Change {
  readonly unchangedBefore: number
  readonly steps: readonly { readonly kind: Step["kind"]; readonly saying: Saying }[]
}

interface Compared {
  readonly changes: readonly Change[]
  readonly unchangedAtEnd: number
  readonly gone: number
  readonly added: number
}

/** All sayings of an exchange in which something changed are shown together, so that the change can be read. */
const compare = (before: readonly Saying[], after: readonly Saying[]): Compared => {
  const steps = difference(before.map(({ key }) => key), after.map(({ key }) => key))
  const told = steps.flatMap(({ kind, index }) => {
    const saying = kind === "gone" ? before[index] : after[index]
    return saying === undefined ? [] : [{ kind, saying }]
  })
  // The exchange of a saying that is gone is the one it stood in or before, in the new history.
  let group = after[0]?.group ?? 0
  const placed = told.map((step) => {
    if (step.kind !== "gone") group = step.saying.group
    return { ...step, group }
  })
  const changed = new Set(placed.filter(({ kind }) => kind !== "same").map((step) => step.group))
  const changes: Change[] = []
  let unchanged = new Set<number>()
  let run: { kind: Step["kind"]; saying: Saying }[] = []
  let last: number | undefined
  const close = (): void => {
    if (run.length === 0) return
    changes.push({ unchangedBefore: unchanged.size, steps: run })
    unchanged = new Set()
    run = []
  }
  for (const step of placed) {
    if (!changed.has(step.group)) {
      close()
      unchanged.add(step.group)
    } else {
      if (last !== step.group) close()
      run.push({ kind: step.kind, saying: step.saying })
    }
    last = step.group
  }
  close()
  return {
    changes,
    unchangedAtEnd: unchanged.size,
    gone: placed.filter(({ kind }) => kind === "gone").length,
    added: placed.filter(({ kind }) => kind === "new").length,
  }
}

const signs = { same: " ", gone: "-", new: "+" } as const

const print = (compared: Compared, { out }: Context): void => {
  const { palette, width } = out
  const skip = (number: number): void => {
    if (number > 0) out.line(palette.quiet(`  … ${count(number, "exchange")} unchanged`))
  }
  for (const { unchangedBefore, steps } of compared.changes) {
    skip(unchangedBefore)
    const [first] = steps
    const line = first?.saying.line
    const place = `── exchange ${(first?.saying.group ?? 0) + 1}${line === undefined ? "" : ` · line ${line}`} `
    out.line(palette.quiet(place + "─".repeat(Math.max(0, width - place.length))))
    for (const { kind, saying } of steps) {
      const text = cut(`${signs[kind]} ${saying.role.padEnd(9)} ${blockLine(saying.block)}`, width)
      out.line(kind === "gone" ? palette.error(text) : kind === "new" ? palette.good(text) : text)
    }
  }
  skip(compared.unchangedAtEnd)
}

const pairOf = (source: Source, other: Source): readonly (readonly [Transcript, Transcript])[] => {
  if (source.parts.length !== other.parts.length) {
    throw new UsageError(
      `${source.name} holds ${count(source.parts.length, "conversation")}, ${other.name} ${other.parts.length}`,
      "Compare files that hold the same conversations.",
    )
  }
  return source.parts.flatMap((part, index) => {
    const same = other.parts[index]
    return same === undefined ? [] : [[source.transcript(part), other.transcript(same)] as const]
  })
}

export const diff: Command = {
  summary: "show what a repair or conversion changed",
  usage: "BEFORE AFTER [--json]",
  help: `Compares two histories by what was said, exchange by exchange, whatever their formats: what is gone (-), what
is new (+), and around it the exchange in which it stands. Ids do not count: a repair may rename them.

Exit code 0: the same was said. 1: they differ. 2: a file could not be read.`,
  options: [jsonOption],
  examples: [
    ["ligature diff session.jsonl session.repaired.jsonl", "what the repair did"],
    ["ligature diff session.jsonl moved.jsonl", "what another agent's file says differently"],
  ],
  run: async (context): Promise<ExitCode> => {
    const [before, after, ...more] = context.arguments.positionals
    if (before === undefined || after === undefined || more.length > 0) {
      throw new UsageError("diff compares two files", "See: ligature diff --help")
    }
    const left = await Source.read(before, {}, context.io)
    const right = await Source.read(after, {}, context.io)
    for (const source of [left, right]) {
      const problem = source.problems.find(({ severity }) => severity === "error")
      if (problem) throw new UsageError(`${source.name}: ${problem.what}`, problem.wayOut)
    }
    const compared = pairOf(left, right).map(([one, other]) => compare(sayingsOf(one), sayingsOf(other)))
    const code = compared.some(({ gone, added }) => gone + added > 0) ? 1 : 0
    if (context.arguments.flag("json")) {
      const conversations = compared.map(({ changes, gone, added }) => ({
        gone,
        added,
        changes: changes.map(({ steps }) => ({
          exchange: (steps[0]?.saying.group ?? 0) + 1,
          steps: steps.map(({ kind, saying: { role, block, line } }) => ({
            kind, role, type: block.type, text: blockLine(block), ...(line !== undefined && { line }),
          })),
        })),
      }))
      printJson("diff", code, { before, after, conversations }, context.out)
      return code
    }
    for (const each of compared) print(each, context)
    const [gone, added] = [compared.reduce((sum, each) => sum + each.gone, 0), compared.reduce((sum, each) => sum + each.added, 0)]
    const { out } = context
    out.line(gone + added === 0 ? `${out.palette.good("✓")} the same was said` : `${count(gone, "block")} gone, ${added} new`)
    return code
  },
}
