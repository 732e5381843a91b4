/** One page per rule of the invariants: what it says about itself, its examples run, and how providers word their refusal. */
import { type Example, invariants, type Rule, rules } from "../../packages/ligature/src/rules/book/index.ts"
import { check } from "../../packages/ligature/src/rules/index.ts"
import { type ProviderRule, rulebook } from "../../packages/ligature/src/rules/rulebook/index.ts"
import { deepestNesting } from "../../packages/ligature/src/model/index.ts"
import { code, fence, generatedNote, list, page, table, words } from "./markdown.ts"
import { diff, timeline } from "./timeline.ts"

const demandsOf = (id: string): readonly ProviderRule[] =>
  rulebook.filter(({ enforcedBy }) => "invariant" in enforcedBy && enforcedBy.invariant === id)

const said = (rule: Rule, example: Example): string => {
  const transcript = { format: "ligature", messages: example.before }
  const options = { tip: example.tip ?? "closed", ...(example.policies && { policies: example.policies }) } as const
  const found = check(transcript, options).filter((diagnostic) => diagnostic.rule === rule.id)
  return found
    .map(({ severity, what, repair }) => {
      const remark = repair ? `\n  = repair (${repair.kind}): ${repair.what}` : ""
      return `${severity}[${rule.id}]: ${what}${remark}`
    })
    .join("\n")
}

const settings = ({ tip, policies }: Example): string => {
  const chosen = Object.entries(policies ?? {}).map(([name, value]) => code(`${name}=${String(value)}`))
  const given = tip === "open" ? ["the tip open"] : []
  if (chosen.length > 0) given.push(`the policy ${words(chosen)}`)
  return given.length === 0 ? "" : `With ${words(given)}.`
}

const exampleSection = (rule: Rule, example: Example): string => {
  const findings = said(rule, example)
  const picture = diff(timeline(example.before), timeline(example.after))
  return page(
    `### ${example.title}`,
    settings(example),
    findings === "" ? "Nothing is found." : fence("text", findings),
    fence("diff", picture),
  ).trimEnd()
}

/** Refusals that providers give for this damage. */
const refusals = (id: string): string | undefined => {
  const demands = demandsOf(id).filter(({ texts }) => texts.length > 0)
  if (demands.length === 0) return undefined
  const quotes = demands.map(
    ({ id: demand, providers, texts }) =>
      `${words(providers)} (${code(demand)}):\n  ${fence("text", texts.join("\n")).replaceAll("\n", "\n  ")}`,
  )
  return page(`## How providers refuse it`, list(quotes)).trimEnd()
}

const rulePage = (rule: Rule): string =>
  page(
    generatedNote(`packages/ligature/src/rules/catalog/${rule.id}.ts`),
    `# ${rule.id}`,
    `**${rule.title}.** Severity: ${rule.severity}. Invariant ${rule.invariant}: ${invariants[rule.invariant]}`,
    rule.doc,
    `**Why:** ${rule.why}\n\n**What to do:** ${rule.help}`,
    `## Examples`,
    "Lines with `-` are what the transcript said, lines with `+` what the settled conversation says in their place.",
    ...rule.examples.map((example) => exampleSection(rule, example)),
    refusals(rule.id),
    "[All rules](README.md) · [The invariants](../invariants.md)",
  )

/** Reported by decoders and not by a rule of the invariants: a decoder alone knows the shape of its format. */
const malformedMessage = page(
  generatedNote("scripts/docs/rule-pages.ts"),
  "# malformed-message",
  "**A message or block that is not of its format.** Severity: error. Reported by the decoder.",
  `A value is where a message or block belongs, and its shape is not one the format knows: a string among blocks, a
message without role, \`null\`. The decoder keeps the value verbatim as an opaque block. Written back to the same format
as it is, it would be refused; readers of other formats see its text.

What is of another API is read as what it means there, and written as its own format has it: a \`tool_use\` among the
parts of a chat message, a \`tool\` message among blocks, an \`image_url\` in a result, calls named \`toolCalls\` as in an
SDK, \`content\` where \`parts\` belong. Histories that were converted half-way look like this.`,
  "**Why:** A provider rejects a message whose shape it does not know.\n\n**What to do:** Nothing is lost. Look at " +
    "the place the " +
    "diagnostic names: something wrote a value of another format, or half of one.",
  refusals("malformed-message"),
  "[All rules](README.md) · [The invariants](../invariants.md)",
)

const unreadField = page(
  generatedNote("scripts/docs/rule-pages.ts"),
  "# unread-field",
  "**Fields of a foreign message or block that nobody understands.** Severity: warning. Reported by the decoder.",
  `A message or block is of another API, a framework or a program of its own, and what it means is clear: a call, a
result, a text. It is read as that. Some of its fields have no meaning here, and a request has no place for them. They are left
out, the finding names them, and the report of \`repair\` and \`convert\` keeps their text under \`original\`.`,
  "**Why:** Nothing is lost silently: every text of a value is in the conversation or in the report.\n\n**What to do:** " +
    "Nothing, where the fields are bookkeeping. If a model should read them, put their text into the message.",
  "[All rules](README.md) · [The invariants](../invariants.md)",
)

const nestedTooDeep = page(
  generatedNote("scripts/docs/rule-pages.ts"),
  "# nested-too-deep",
  "**A value that is nested too deeply.** Severity: warning. Reported by the decoder.",
  `Lists and objects are nested deeper than ${deepestNesting} levels: in the arguments of a call, in a result, in a field of bookkeeping.
What is below the limit is read and written as its JSON text.`,
  "**Why:** Servers and JSON libraries reject such a value or crash.\n\n**What to do:** Nothing is lost. Look for the " +
    "program that wrote it.",
  "[All rules](README.md) · [The invariants](../invariants.md)",
)

const index = page(
  generatedNote("packages/ligature/src/rules/catalog"),
  "# Rules",
  "The rules of the [invariants](../invariants.md), in the order settle applies them. `ligature rules ID` prints the same on a " +
    "terminal.",
  table(
    ["rule", "invariant", "severity", "finds"],
    [
      ...rules.map(({ id, invariant, severity, title }) => [`[${id}](${id}.md)`, invariant, severity, title]),
      ["[malformed-message](malformed-message.md)", "–", "error", "A message or block that is not of its format"],
      ["[unread-field](unread-field.md)", "–", "warning", "Fields of a foreign message or block that nobody understands"],
      ["[nested-too-deep](nested-too-deep.md)", "–", "warning", "A value that is nested too deeply"],
    ],
  ),
  "What one provider demands on top is in [the profiles](../profiles/README.md).",
)

export const rulePages = (): ReadonlyMap<string, string> =>
  new Map([
    ["docs/rules/README.md", index],
    ["docs/rules/malformed-message.md", malformedMessage],
    ["docs/rules/unread-field.md", unreadField],
    ["docs/rules/nested-too-deep.md", nestedTooDeep],
    ...rules.map((rule) => [`docs/rules/${rule.id}.md`, rulePage(rule)] as const),
  ])
