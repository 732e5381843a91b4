/**
 * A finding as a good compiler prints it: what and where, the surrounding messages with the bad one marked, why it matters, how
 * to fix it, and what repair would do.
 */
import { type Diagnostic, type Message, phrase, type Transcript, translated } from "../../model/index.ts"
import type { Printer } from "../frame/command.ts"
import type { FilePlace } from "../input/source.ts"
import type { WirePlaces } from "../input/wire-places.ts"
import { messageLine } from "./block.ts"
import { cut, hang, oneLine, pad, padStart } from "../frame/text.ts"

const neighbours = 2

export const paintSeverity = (severity: Diagnostic["severity"], text: string, out: Printer): string => {
  const { palette } = out
  if (severity === "error") return palette.error(text)
  return severity === "warning" ? palette.warning(text) : palette.accent(text)
}

/** The messages around a finding, one line each. */
const printNeighbourhood = (diagnostic: Diagnostic, transcript: Transcript, places: WirePlaces, out: Printer): void => {
  const { message: bad, block } = diagnostic.place
  if (bad === undefined || transcript.messages.length === 0) return
  const { palette } = out
  const first = Math.max(0, bad - neighbours)
  const last = Math.min(transcript.messages.length - 1, bad + neighbours)
  const labels = Array.from({ length: last - first + 1 }, (_, index) => String(places.indexOf(first + index) ?? "-"))
  const gutter = Math.max(...labels.map((label) => label.length))
  const room = out.width - gutter - 17
  const empty = palette.quiet(`  ${" ".repeat(gutter)} |`)
  out.line(empty)
  for (let index = first; index <= last; index++) {
    const message = transcript.messages[index] as Message
    const isBad = index === bad
    const number = padStart(labels[index - first] ?? "", gutter)
    const content = cut(messageLine(message, isBad ? (block ?? 0) : 0), room)
    const role = pad(message.role, 10)
    if (isBad) {
      const paint = (text: string): string => paintSeverity(diagnostic.severity, text, out)
      out.line(`${paint(`> ${number} |`)} ${palette.strong(role)} ${palette.strong(content)}`)
    } else out.line(`${palette.quiet(`  ${number} |`)} ${role} ${palette.quiet(content)}`)
  }
  out.line(empty)
}

const printRemark = (name: string, text: string, out: Printer): void => {
  const label = `   = ${pad(name, 7)} `
  hang(label, text, out.width).forEach((line, index) => {
    out.line(index === 0 ? `${out.palette.accent(label)}${line.slice(label.length)}` : line)
  })
}

export interface DiagnosticPlace {
  readonly file: string
  readonly place: FilePlace
  readonly transcript: Transcript
  readonly places: WirePlaces
}

/** What a repair does, and what its kind means. */
const repairText = ({ kind, what }: NonNullable<Diagnostic["repair"]>): string => {
  switch (kind) {
    case "safe":
      return phrase`${translated(what)} (safe: nothing is lost or generated)`
    case "synthetic":
      return phrase`${translated(what)} (synthetic: adds a block that is marked as generated)`
    case "demote":
      return phrase`${translated(what)} (demote: the same text in another kind of block)`
    case "drop":
      return phrase`${translated(what)} (drop: removes something; the report keeps it)`
  }
}

/** `brief` omits why and help, for a rule that was explained before. */
export const printDiagnostic = (
  diagnostic: Diagnostic,
  where: DiagnosticPlace,
  out: Printer,
  options: { readonly brief?: boolean } = {},
): void => {
  const { palette } = out
  const { rule, severity, what, why, help, repair } = diagnostic
  const { line, path } = where.place
  out.line(`${paintSeverity(severity, `${severity}[${rule}]`, out)}: ${palette.strong(oneLine(translated(what)))}`)
  const place = `${where.file}${line === undefined ? "" : `:${line}`}${path === "" ? "" : `  ${path}`}`
  out.line(`  ${palette.accent("-->")} ${place}`)
  printNeighbourhood(diagnostic, where.transcript, where.places, out)
  if (options.brief !== true) {
    printRemark(phrase`why`, translated(why), out)
    printRemark(phrase`help`, translated(help), out)
  }
  if (repair) printRemark(phrase`repair`, repairText(repair), out)
  out.line()
}
