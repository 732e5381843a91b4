/** Explanations of rules: invariants, profile rules and provider rules. */
import { phrase, translated } from "../../model/index.ts"
import type { ProviderRule } from "../../rules/rulebook/index.ts"
import { type Example, invariants, type Rule } from "../../rules/book/index.ts"
import { check, type Profile, settle } from "../../rules/index.ts"
import type { Printer } from "../frame/command.ts"
import { conversationRows, renderRow, transcriptRows } from "./timeline.ts"
import { paintSeverity } from "./diagnostic.ts"
import { hang, oneLine, pad, wrap } from "../frame/text.ts"

const printRemark = (label: string, text: string, out: Printer): void => {
  for (const line of hang(`  ${pad(label, 9)}`, text, out.width)) out.line(line)
}

const printWrapped = (text: string, margin: string, out: Printer): void => {
  for (const line of wrap(text.replace(/\s*\n\s*/g, " "), out.width - margin.length)) out.line(`${margin}${line}`)
}

const printExample = (example: Example, rule: Rule, out: Printer): void => {
  const { palette } = out
  const tip = example.tip ?? "closed"
  const policies = Object.entries(example.policies ?? {}).map(([name, value]) => `${name}=${value}`)
  const note = [...(tip === "open" ? [phrase`open tip`] : []), ...policies].join(", ")
  out.line(`  ${palette.strong(translated(example.title))}${note === "" ? "" : palette.quiet(`  (${note})`)}`)
  const transcript = { format: "ligature", messages: example.before }
  const findings = check(transcript, { tip, policies: example.policies ?? {} }).filter((each) => each.rule === rule.id)
  const { conversation } = settle(transcript, { tip, policies: example.policies ?? {} })
  const width = out.width - 6
  out.line(palette.quiet(`    ${phrase`before`}`))
  for (const row of transcriptRows(transcript, findings)) {
    for (const line of renderRow(row, width, palette, { sizes: false, lines: 2 })) out.line(`      ${line.trimEnd()}`)
  }
  out.line(palette.quiet(`    ${findings.length === 0 ? phrase`nothing to repair` : phrase`after`}`))
  if (findings.length > 0) {
    for (const row of conversationRows(conversation, { ids: true })) {
      for (const line of renderRow(row, width, palette, { sizes: false, lines: 2 })) out.line(`      ${line.trimEnd()}`)
    }
  }
  out.line()
}

export const printInvariantRule = (rule: Rule, demands: readonly ProviderRule[], out: Printer): void => {
  const { palette } = out
  out.line(`${paintSeverity(rule.severity, `${rule.severity}[${rule.id}]`, out)}: ${palette.strong(translated(rule.title))}`)
  out.line(palette.quiet(`  ${rule.invariant}: ${translated(invariants[rule.invariant])}`))
  out.line()
  printWrapped(translated(rule.doc).replaceAll("**", ""), "  ", out)
  out.line()
  printRemark(phrase`Why`, translated(rule.why), out)
  printRemark(phrase`Help`, translated(rule.help), out)
  out.line()
  out.line(palette.strong(phrase`Examples`))
  for (const example of rule.examples) printExample(example, rule, out)
  printDemands(demands, out)
}

/** The provider requirements that a rule covers. */
export const printDemands = (demands: readonly ProviderRule[], out: Printer): void => {
  if (demands.length === 0) return
  out.line(out.palette.strong(phrase`Providers that require it`))
  for (const demand of demands) {
    out.line(`  ${out.palette.accent(demand.id)}  ${out.palette.quiet(demand.providers.join(", "))}`)
    printWrapped(translated(demand.demand), "    ", out)
  }
}

export const printProfileRule = (id: string, demands: readonly ProviderRule[], profiles: readonly Profile[], out: Printer): void => {
  out.line(`${out.palette.accent(id)}: ${out.palette.strong(phrase`required by some providers in addition to the invariants`)}`)
  const names = profiles.map(({ name }) => name).join(", ")
  if (names !== "") printWrapped(phrase`check --for and convert --for apply it for: ${names}`, "  ", out)
  out.line()
  printDemands(demands, out)
}

type Outside = Extract<ProviderRule["enforcedBy"], { readonly outside: unknown }>["outside"]

const outsideTexts: Readonly<Record<Outside, () => string>> = {
  params: () => phrase`Not checked: it concerns parameters of the request.`,
  "server-state": () => phrase`Not checked: it concerns state on the server.`,
  credentials: () => phrase`Not checked: it concerns credentials.`,
  recording: () => phrase`Not checked: it concerns how a response was recorded.`,
  media: () => phrase`Not checked: it concerns the bytes of media.`,
}

const checkedBy = (rule: ProviderRule): string => {
  const { enforcedBy } = rule
  if ("invariant" in enforcedBy) return phrase`rule ${enforcedBy.invariant}: repair and convert fix it`
  if ("profile" in enforcedBy) return phrase`profile rule ${enforcedBy.profile}: convert --for fixes it`
  return `${outsideTexts[enforcedBy.outside]()} ${translated(enforcedBy.why)}`
}

export const printProviderRule = (rule: ProviderRule, out: Printer): void => {
  const { palette } = out
  const severity = rule.severity === "hard" ? palette.error(phrase`rejected`) : palette.warning(phrase`accepted at a cost`)
  const title = wrap(`${rule.id}: ${translated(rule.demand)}`, out.width)
  title.forEach((line, index) => {
    const id = index === 0 ? rule.id : ""
    out.line(`${palette.accent(id)}${palette.strong(line.slice(id.length))}`)
  })
  const status = rule.status === undefined ? "" : ` (HTTP ${rule.status})`
  out.line(`  ${severity}${status}  ${rule.providers.join(", ")}${rule.models === undefined ? "" : `; ${rule.models}`}`)
  out.line()
  printRemark(phrase`Repair`, translated(rule.repair), out)
  printRemark(phrase`Check`, checkedBy(rule), out)
  const texts = [...rule.texts, ...(rule.alsoSeen ?? [])]
  if (texts.length === 0) return
  out.line()
  out.line(palette.strong(phrase`Error messages`))
  for (const text of texts) for (const line of hang("  > ", oneLine(text), out.width)) out.line(line)
}
