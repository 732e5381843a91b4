/** Explanations of rules: of the laws, of profiles, of providers. */
import type { Profile } from "../../rules/index.ts"
import type { ProviderRule } from "../../rules/rulebook/index.ts"
import { check, type Example, laws, type Rule, settle } from "../../rules/index.ts"
import type { Printer } from "../frame/command.ts"
import { conversationRows, renderRow, transcriptRows } from "./timeline.ts"
import { paintSeverity } from "./diagnostic.ts"
import { hang, oneLine, wrap } from "../frame/text.ts"

const printRemark = (label: string, text: string, out: Printer): void => {
  for (const line of hang(`  ${label.padEnd(9)}`, text, out.width)) out.line(line)
}

const printWrapped = (text: string, margin: string, out: Printer): void => {
  for (const line of wrap(text.replace(/\s*\n\s*/g, " "), out.width - margin.length)) out.line(`${margin}${line}`)
}

const printExample = (example: Example, rule: Rule, out: Printer): void => {
  const { palette } = out
  const tip = example.tip ?? "closed"
  const policies = Object.entries(example.policies ?? {}).map(([name, value]) => `${name}=${value}`)
  const note = [...(tip === "open" ? ["open tip"] : []), ...policies].join(", ")
  out.line(`  ${palette.strong(example.title)}${note === "" ? "" : palette.quiet(`  (${note})`)}`)
  const transcript = { format: "ligature", messages: example.before }
  const findings = check(transcript, { tip, policies: example.policies ?? {} }).filter((each) => each.rule === rule.id)
  const { conversation } = settle(transcript, { tip, policies: example.policies ?? {} })
  const width = out.width - 6
  out.line(palette.quiet("    before"))
  for (const row of transcriptRows(transcript, findings)) {
    for (const line of renderRow(row, width, palette, { sizes: false, lines: 2 })) out.line(`      ${line.trimEnd()}`)
  }
  out.line(palette.quiet(findings.length === 0 ? "    nothing to repair" : "    after"))
  if (findings.length > 0) {
    for (const row of conversationRows(conversation, { ids: true })) {
      for (const line of renderRow(row, width, palette, { sizes: false, lines: 2 })) out.line(`      ${line.trimEnd()}`)
    }
  }
  out.line()
}

export const printLawRule = (rule: Rule, demands: readonly ProviderRule[], out: Printer): void => {
  const { palette } = out
  out.line(`${paintSeverity(rule.severity, `${rule.severity}[${rule.id}]`, out)}: ${palette.strong(rule.title)}`)
  out.line(palette.quiet(`  ${rule.law}: ${laws[rule.law]}`))
  out.line()
  printWrapped(rule.doc.replaceAll("**", ""), "  ", out)
  out.line()
  printRemark("Why", rule.why, out)
  printRemark("Help", rule.help, out)
  out.line()
  out.line(palette.strong("Examples"))
  for (const example of rule.examples) printExample(example, rule, out)
  printDemands(demands, out)
}

/** The provider demands that a rule keeps. */
export const printDemands = (demands: readonly ProviderRule[], out: Printer): void => {
  if (demands.length === 0) return
  out.line(out.palette.strong("Providers that demand it"))
  for (const demand of demands) {
    out.line(`  ${out.palette.accent(demand.id)}  ${out.palette.quiet(demand.providers.join(", "))}`)
    printWrapped(demand.demand, "    ", out)
  }
}

export const printProfileRule = (
  id: string,
  demands: readonly ProviderRule[],
  profiles: readonly Profile[],
  out: Printer,
): void => {
  out.line(`${out.palette.accent(id)}: ${out.palette.strong("a demand of some providers beyond the laws")}`)
  const names = profiles.map(({ name }) => name).join(", ")
  if (names !== "") printWrapped(`check --for and convert --for keep it for: ${names}`, "  ", out)
  out.line()
  printDemands(demands, out)
}

const outsideWords = {
  params: "parameters of the request",
  "server-state": "state that the server keeps",
  credentials: "who is asking",
  recording: "how a response was recorded",
  media: "the bytes of media",
} as const

const keptBy = (rule: ProviderRule): string => {
  const { enforcedBy } = rule
  if ("law" in enforcedBy) return `the rule ${enforcedBy.law} of the laws: repair and convert put it right`
  if ("profile" in enforcedBy) return `the profile rule ${enforcedBy.profile}: convert --for writes it right`
  return `nothing in the conversation: it concerns ${outsideWords[enforcedBy.outside]}. ${enforcedBy.why}`
}

export const printProviderRule = (rule: ProviderRule, out: Printer): void => {
  const { palette } = out
  const severity = rule.severity === "hard" ? palette.error("refused") : palette.warning("accepted at a cost")
  const title = wrap(`${rule.id}: ${rule.demand}`, out.width)
  title.forEach((line, index) => {
    const id = index === 0 ? rule.id : ""
    out.line(`${palette.accent(id)}${palette.strong(line.slice(id.length))}`)
  })
  const status = rule.status === undefined ? "" : ` (HTTP ${rule.status})`
  out.line(`  ${severity}${status}  ${rule.providers.join(", ")}${rule.models === undefined ? "" : `; ${rule.models}`}`)
  out.line()
  printRemark("Repair", rule.repair, out)
  printRemark("Kept by", keptBy(rule), out)
  const texts = [...rule.texts, ...(rule.alsoSeen ?? [])]
  if (texts.length === 0) return
  out.line()
  out.line(palette.strong("How providers say it"))
  for (const text of texts) for (const line of hang("  > ", oneLine(text), out.width)) out.line(line)
}
