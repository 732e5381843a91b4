/** The changes that repair and convert made: as JSON for --report, as lines for --verbose, as counts. */
import { type Loss, phrase, type Place, type Report, type ReportEntry, translated } from "../../model/index.ts"
import type { Context } from "../frame/command.ts"
import { oneLine } from "../frame/text.ts"
import type { Problem } from "./visit-sources.ts"

export interface ReportedConversation {
  readonly path: string
  readonly line?: number
  readonly from: string
  readonly to: string
  readonly profile?: string
  readonly output?: string
  readonly messages: number
  readonly entries: readonly unknown[]
  readonly losses: readonly unknown[]
}

export interface ReportedFile {
  readonly file: string
  readonly problems: readonly Problem[]
  readonly conversations: readonly ReportedConversation[]
}

export type Locate = (place: Place) => { readonly line?: number; readonly path: string } | undefined

/** An entry with its place in the file, if it has one. */
const located = (entry: ReportEntry | Loss, locate: Locate): unknown => ({
  ...entry,
  place: { ...entry.place, ...locate(entry.place) },
})

export const reportedEntries = (
  report: Report,
  locate: Locate,
): { readonly entries: readonly unknown[]; readonly losses: readonly unknown[] } => ({
  entries: report.entries.map((entry) => located(entry, locate)),
  losses: report.losses.map((loss) => located(loss, locate)),
})

const placeText = (place: Place, locate: Locate): string => {
  const found = locate(place)
  if (found !== undefined) return found.line === undefined ? found.path : phrase`${found.path} (line ${found.line})`
  return place.item === undefined ? "" : phrase`item ${place.item}`
}

/** `ligature:settle request.json messages[1].content[0] (line 9) unanswered-call synthetic: added … toolu_01` */
export const traceReport = (label: string, report: Report, locate: Locate, context: Context): void => {
  for (const entry of report.entries) {
    const topic = entry.place.item === undefined ? "settle" : "encode"
    context.debug(topic, () => {
      const ids = entry.ids.length === 0 ? "" : ` [${oneLine(entry.ids.join(", "), 200)}]`
      return `${label} ${placeText(entry.place, locate)} ${entry.rule} ${entry.kind}: ${oneLine(translated(entry.what))}${ids}`
    })
  }
  for (const loss of report.losses) {
    const { feature, degree, what, place } = loss
    context.debug("loss", () => `${label} ${placeText(place, locate)} ${feature} ${degree}: ${oneLine(translated(what))}`)
  }
}

/** `unanswered-call ×2, orphan-result`; empty without entries. */
export const countedByRule = (entries: readonly { readonly rule: string }[]): string => {
  const counts = new Map<string, number>()
  for (const { rule } of entries) counts.set(rule, (counts.get(rule) ?? 0) + 1)
  return [...counts]
    .sort((left, right) => right[1] - left[1])
    .map(([rule, number]) => (number === 1 ? rule : `${rule} ×${number}`))
    .join(", ")
}
