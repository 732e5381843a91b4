/** `ligature diff`: what a repair or a conversion changed, exchange by exchange. */
import { type Block, canonicalJson, type Message, phrase, resultText, translated, type Transcript } from "../../model/index.ts"
import { type Command, type Context, type ExitCode, jsonOption } from "../frame/command.ts"
import { difference, type Step } from "../output/difference.ts"
import { blockLine } from "../print/block.ts"
import { printJson } from "../print/json.ts"
import { count, cut, widthOf } from "../frame/text.ts"
import { Source } from "../input/source.ts"
import { UsageError } from "../frame/usage-error.ts"

/** A block, and the exchange it belongs to: a user message, or an assistant message with all its results. */
interface Piece {
  /** Equal keys: equal content. Ids do not count, since repairs rename them. */
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

const piecesOf = ({ messages }: Transcript): readonly Piece[] => {
  const pieces: Piece[] = []
  let group = -1
  for (const message of messages) {
    const answers = message.blocks.length > 0 && message.blocks.every(({ type }) => type === "result")
    if (!answers || group === -1) group++
    for (const block of message.blocks) {
      const { line, role } = message
      pieces.push({ key: keyOf(role, block), role, block, group, ...(line !== undefined && { line }) })
    }
  }
  return pieces
}

/** The blocks of one changed exchange; unchanged exchanges are only counted. */
interface Change {
  readonly unchangedBefore: number
  readonly steps: readonly { readonly kind: Step["kind"]; readonly piece: Piece }[]
}

interface Compared {
  readonly changes: readonly Change[]
  readonly unchangedAtEnd: number
  readonly gone: number
  readonly added: number
}

/** All blocks of a changed exchange are shown together, so that the change has its context. */
const compare = (before: readonly Piece[], after: readonly Piece[]): Compared => {
  const steps = difference(
    before.map(({ key }) => key),
    after.map(({ key }) => key),
  )
  const known = steps.flatMap(({ kind, index }) => {
    const piece = kind === "gone" ? before[index] : after[index]
    return piece === undefined ? [] : [{ kind, piece }]
  })
  // A removed block belongs to the exchange of the last block before it that is in the new history.
  let group = after[0]?.group ?? 0
  const placed = known.map((step) => {
    if (step.kind !== "gone") group = step.piece.group
    return { ...step, group }
  })
  const changed = new Set(placed.filter(({ kind }) => kind !== "same").map((step) => step.group))
  const changes: Change[] = []
  let unchanged = new Set<number>()
  let run: { kind: Step["kind"]; piece: Piece }[] = []
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
      run.push({ kind: step.kind, piece: step.piece })
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
    if (number > 0) out.line(palette.quiet(`  ${phrase`… ${count(number, "exchange")} unchanged`}`))
  }
  for (const { unchangedBefore, steps } of compared.changes) {
    skip(unchangedBefore)
    const [first] = steps
    const line = first?.piece.line
    const exchange = (first?.piece.group ?? 0) + 1
    const place = `── ${line === undefined ? phrase`exchange ${exchange}` : phrase`exchange ${exchange} · line ${line}`} `
    out.line(palette.quiet(place + "─".repeat(Math.max(0, width - widthOf(place)))))
    for (const { kind, piece } of steps) {
      const text = cut(`${signs[kind]} ${piece.role.padEnd(9)} ${blockLine(piece.block)}`, width)
      out.line(kind === "gone" ? palette.error(text) : kind === "new" ? palette.good(text) : text)
    }
  }
  skip(compared.unchangedAtEnd)
}

const pairOf = (source: Source, other: Source): readonly (readonly [Transcript, Transcript])[] => {
  if (source.parts.length !== other.parts.length) {
    throw new UsageError(
      phrase`${source.name} has ${count(source.parts.length, "conversation")}, but ${other.name} has ${other.parts.length}`,
      phrase`Compare files with the same conversations.`,
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
  help: `Compares the content of two histories, exchange by exchange, in any formats: shows what is gone (-) and what is
new (+), together with the rest of the exchange. Ids do not count: a repair may rename them.

Exit code 0: same content. 1: different content. 2: a file could not be read.`,
  takesSessions: true,
  options: [jsonOption],
  examples: [
    ["ligature diff session.jsonl session.repaired.jsonl", "what the repair did"],
    ["ligature diff session.jsonl moved.jsonl", "what differs in the file for another agent"],
  ],
  run: async (context): Promise<ExitCode> => {
    const [before, after, ...more] = context.arguments.positionals
    if (before === undefined || after === undefined || more.length > 0) {
      throw new UsageError(phrase`diff takes two files`, phrase`See: ${"ligature diff --help"}`)
    }
    const left = await Source.read(before, {}, context.io)
    const right = await Source.read(after, {}, context.io)
    for (const source of [left, right]) {
      const problem = source.problems.find(({ severity }) => severity === "error")
      if (problem) throw new UsageError(phrase`${source.name}: ${translated(problem.what)}`, translated(problem.wayOut))
    }
    const compared = pairOf(left, right).map(([one, other]) => compare(piecesOf(one), piecesOf(other)))
    const code = compared.some(({ gone, added }) => gone + added > 0) ? 1 : 0
    if (context.arguments.flag("json")) {
      const conversations = compared.map(({ changes, gone, added }) => ({
        gone,
        added,
        changes: changes.map(({ steps }) => ({
          exchange: (steps[0]?.piece.group ?? 0) + 1,
          steps: steps.map(({ kind, piece: { role, block, line } }) => ({
            kind,
            role,
            type: block.type,
            text: blockLine(block),
            ...(line !== undefined && { line }),
          })),
        })),
      }))
      printJson("diff", code, { before, after, conversations }, context.out)
      return code
    }
    for (const each of compared) print(each, context)
    const [gone, added] = [compared.reduce((sum, each) => sum + each.gone, 0), compared.reduce((sum, each) => sum + each.added, 0)]
    const { out } = context
    out.line(gone + added === 0 ? `${out.palette.good("✓")} ${phrase`same content`}` : phrase`${count(gone, "block")} gone, ${added} new`)
    return code
  },
}
