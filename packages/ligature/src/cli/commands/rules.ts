/** `ligature rules`: what is valid and why. */
import { phrase, translated } from "../../model/index.ts"
import { anomalyKinds } from "../../sessions/engine/anomaly.ts"
import { invariants, type Invariant, rules as invariantRules } from "../../rules/book/index.ts"
import { profiles, type Profile } from "../../rules/index.ts"
import { fieldReports, providerRule, rulebook, type ProviderRule } from "../../rules/rulebook/index.ts"
import { type Command, type Context, type ExitCode, jsonOption } from "../frame/command.ts"
import { nearest, suggestion } from "../../model/nearest.ts"
import { paintSeverity } from "../print/diagnostic.ts"
import { printJson } from "../print/json.ts"
import { printInvariantRule, printProfileRule, printProviderRule } from "../print/rule.ts"
import { count, hang, pad } from "../frame/text.ts"
import { UsageError } from "../frame/usage-error.ts"

const requirements: readonly ProviderRule[] = [...rulebook, ...fieldReports]

/** Found while decoding, before the invariants are checked. Called when printed: the language is chosen by then. */
const readingRules = [
  {
    id: "malformed-message",
    severity: "error",
    title: () => phrase`Message or block that does not match its format`,
    doc: () => phrase`It is kept verbatim and written unchanged to its own format; other formats get it as text.`,
  },
  {
    id: "unread-field",
    severity: "warning",
    title: () => phrase`Unknown fields of a message or block from another format`,
    doc: () => phrase`The rest is read. These fields are omitted, and the report keeps their text.`,
  },
  {
    id: "nested-too-deep",
    severity: "warning",
    title: () => phrase`Value that is nested too deeply`,
    doc: () => phrase`Content below the limit is read and written as JSON text.`,
  },
] as const

const keptByInvariant = (id: string): readonly ProviderRule[] =>
  requirements.filter(({ enforcedBy }) => "invariant" in enforcedBy && enforcedBy.invariant === id)

const profileRuleIds = [
  ...new Set(requirements.flatMap(({ enforcedBy }) => ("profile" in enforcedBy ? [enforcedBy.profile as string] : []))),
].sort()

const keptByProfile = (id: string): readonly ProviderRule[] =>
  requirements.filter(({ enforcedBy }) => "profile" in enforcedBy && enforcedBy.profile === id)

/** Profiles of the providers that are known to have one of these requirements. */
const profilesFor = (of: readonly ProviderRule[]): readonly Profile[] => {
  const providers = new Set(of.flatMap((rule) => rule.providers))
  return Object.values(profiles).filter(({ name }) => providers.has("all") || providers.has(name))
}

const providersOf = (): readonly (readonly [name: string, number: number])[] => {
  const counts = new Map<string, number>()
  for (const { providers } of requirements) for (const name of providers) counts.set(name, (counts.get(name) ?? 0) + 1)
  return [...counts].sort((left, right) => right[1] - left[1] || (left[0] < right[0] ? -1 : 1))
}

const printList = ({ out }: Context): void => {
  const { strong, quiet, accent } = out.palette
  const width = Math.max(...invariantRules.map(({ id }) => id.length)) + 2
  out.line(strong(phrase`Invariants of every valid conversation`))
  for (const invariant of Object.keys(invariants) as Invariant[]) {
    out.line()
    out.line(`${strong(invariant.padEnd(4))}${translated(invariants[invariant])}`)
    for (const rule of invariantRules.filter((each) => each.invariant === invariant)) {
      out.line(`    ${pad(paintSeverity(rule.severity, rule.id, out), width)}${translated(rule.title)}`)
    }
  }
  out.line()
  out.line(strong(phrase`Reading`))
  for (const { severity, id, title } of readingRules) out.line(`    ${pad(paintSeverity(severity, id, out), width)}${title()}`)
  out.line()
  out.line(strong(phrase`Records of session files`))
  for (const [id, { severity, why }] of Object.entries(anomalyKinds)) {
    const lines = hang(`    ${pad(id, width)}`, translated(why), out.width)
    lines.forEach((line, index) => out.line(index === 0 ? line.replace(id, paintSeverity(severity, id, out)) : line))
  }
  out.line()
  out.line(strong(phrase`Profile rules: required by some providers in addition to the invariants`))
  const perLine = Math.max(1, Math.floor((out.width - 4) / 23))
  for (let index = 0; index < profileRuleIds.length; index += perLine) {
    const cells = profileRuleIds.slice(index, index + perLine).map((id) => pad(id, 23))
    out.line(`    ${accent(cells.join("").trimEnd())}`)
  }
  out.line()
  out.line(strong(phrase`Provider requirements: ${requirements.length}, with the error messages`))
  const names = providersOf().map(([name, number]) => `${name} ${number}`)
  let line = ""
  for (const name of names) {
    if (line.length + name.length + 2 > out.width - 6) {
      out.line(`    ${line}`)
      line = ""
    }
    line += `${line === "" ? "" : ", "}${name}`
  }
  out.line(`    ${line}`)
  out.line()
  out.line(
    quiet(
      phrase`ligature rules ID explains a rule with examples, ligature rules L3 an invariant; --provider NAME lists the requirements of a provider.`,
    ),
  )
}

const printProvider = (name: string, { out }: Context): void => {
  const found = requirements.filter(({ providers }) => providers.includes(name))
  if (found.length === 0) {
    const names = providersOf().map(([known]) => known)
    const wayOut = suggestion(name, names) ?? phrase`Providers: ${names.join(", ")}`
    throw new UsageError(phrase`Unknown provider ${name}`, wayOut)
  }
  out.line(out.palette.strong(phrase`${name}: ${count(found.length, "requirement")}`))
  for (const rule of found) {
    const cost = rule.severity === "soft" ? out.palette.quiet(`  (${phrase`accepted at a cost`})`) : ""
    out.line(`  ${out.palette.accent(rule.id)}${cost}`)
    out.line(`    ${translated(rule.demand)}`)
  }
}

const explain = (id: string, context: Context): void => {
  const { out } = context
  const invariant = invariantRules.find((rule) => rule.id === id)
  if (invariant) return printInvariantRule(invariant, keptByInvariant(id), out)
  const number = id.toUpperCase()
  if (Object.hasOwn(invariants, number)) {
    out.line(`${out.palette.strong(number)}: ${translated(invariants[number as Invariant])}`)
    for (const rule of invariantRules.filter((each) => each.invariant === number)) {
      out.line()
      printInvariantRule(rule, keptByInvariant(rule.id), out)
    }
    return
  }
  const reading = readingRules.find((rule) => rule.id === id)
  if (reading) {
    const { severity, title, doc } = reading
    out.line(`${paintSeverity(severity, `${severity}[${id}]`, out)}: ${out.palette.strong(title())}`)
    out.line(`  ${doc()}`)
    return
  }
  const anomaly = Object.hasOwn(anomalyKinds, id) ? anomalyKinds[id] : undefined
  if (anomaly) {
    out.line(paintSeverity(anomaly.severity, `${anomaly.severity}[${id}]`, out))
    for (const line of hang(`  ${pad(phrase`why`, 6)}`, translated(anomaly.why), out.width)) out.line(line)
    for (const line of hang(`  ${pad(phrase`help`, 6)}`, translated(anomaly.help), out.width)) out.line(line)
    return
  }
  if (profileRuleIds.includes(id)) {
    const kept = keptByProfile(id)
    return printProfileRule(id, kept, profilesFor(kept), out)
  }
  const provider = providerRule(id)
  if (provider) return printProviderRule(provider, out)
  const all = [
    ...invariantRules.map((rule) => rule.id),
    ...Object.keys(anomalyKinds),
    ...profileRuleIds,
    ...requirements.map((rule) => rule.id),
  ]
  const word = all.some((known) => known.includes(id))
    ? id
    : nearest(
        id,
        all.flatMap((known) => known.split("-")),
      )
  const similar = word === undefined ? [] : all.filter((known) => known.includes(word)).slice(0, 8)
  const others = similar.length > 0 ? phrase`Rules with ${word ?? ""}: ${similar.join(", ")}` : undefined
  throw new UsageError(phrase`Unknown rule ${id}`, suggestion(id, all) ?? others ?? phrase`ligature rules lists all rules.`)
}

const asJson = (ids: readonly string[]): object => {
  const wanted = ({ id }: { readonly id: string }): boolean => ids.length === 0 || ids.includes(id)
  const profileRules = profileRuleIds.map((id) => ({ id, demands: keptByProfile(id).map((rule) => rule.id) }))
  return {
    invariants,
    rules: invariantRules
      .filter(wanted)
      .map(({ id, invariant, severity, title, doc, why, help }) => ({ id, invariant, severity, title, doc, why, help })),
    sessionRules: Object.entries(anomalyKinds)
      .map(([id, kind]) => ({ id, ...kind }))
      .filter(wanted),
    profileRules: profileRules.filter(wanted),
    providerRules: requirements.filter(wanted).map(({ match, ...rule }) => ({ ...rule, ...(match && { match: match.source }) })),
  }
}

export const rules: Command = {
  summary: "list the rules, or explain one with examples",
  usage: "[ID…] [--provider NAME] [--json]",
  words: () => [...Object.keys(invariants), ...invariantRules.map(({ id }) => id), ...profileRuleIds, ...Object.keys(anomalyKinds)],
  help: `Without an ID: the ten invariants with their rules, the rules that profiles add, and the number of known provider
requirements. With the ID of a rule (orphan-result), an invariant (L3), a finding in session files (dangling-parent), a
profile rule (call-id-format) or a provider requirement (anthropic-orphan-tool-result): what it means, why it exists,
examples before and after, and the error messages of providers.`,
  options: [{ name: "provider", value: "NAME", text: "list the known requirements of one provider" }, jsonOption],
  examples: [
    ["ligature rules", "all rules"],
    ["ligature rules unanswered-call", "one rule, with examples"],
    ["ligature rules --provider mistral", "the requirements of a provider"],
  ],
  run: async (context): Promise<ExitCode> => {
    const { positionals } = context.arguments
    const provider = context.arguments.text("provider")
    if (context.arguments.flag("json")) printJson("rules", 0, asJson(positionals), context.out)
    else if (provider !== undefined) printProvider(provider, context)
    else if (positionals.length === 0) printList(context)
    else {
      positionals.forEach((id, index) => {
        if (index > 0) context.out.line()
        explain(id, context)
      })
    }
    return 0
  },
}
