/**
 * Parts of hand-written pages that come from the code. A page marks the place with `<!-- from code: name -->` and
 * `<!-- end -->`; what is between them is replaced.
 */
import { invariants } from "../../packages/ligature/src/rules/book/index.ts"
import { defaultPolicies, policyValues } from "../../packages/ligature/src/rules/index.ts"
import { fillers, syntheticTexts } from "../../packages/ligature/src/model/index.ts"
import { commandTable, outputOf, sampleFile } from "./cli-pages.ts"
import { code, fence, list, table } from "./markdown.ts"

const policyTable = (): string =>
  table(
    ["policy", "default", "other values"],
    (Object.keys(policyValues) as (keyof typeof policyValues)[]).map((name) => [
      code(name),
      code(defaultPolicies[name]),
      policyValues[name]
        .filter((value) => value !== defaultPolicies[name])
        .map(code)
        .join(", "),
    ]),
  )

const session = (command: string, output: string): string => fence("text", `$ ${command}\n${output}`)

const sections: Readonly<Record<string, () => string | Promise<string>>> = {
  invariants: () =>
    Object.entries(invariants)
      .map(([number, sentence]) => `- **${number}** ${sentence}`)
      .join("\n"),
  policies: policyTable,
  "synthetic texts": () =>
    table(
      ["outcome", "text"],
      Object.entries(syntheticTexts).map(([kind, text]) => [kind, code(text)]),
    ),
  fillers: () => list(Object.entries(fillers).map(([where, text]) => `${where}: ${code(text)}`)),
  commands: commandTable,
  check: async () => {
    const output = await outputOf(["check", sampleFile])
    return session("npx ligature check session.json", output.replaceAll(sampleFile, "session.json"))
  },
  repair: async () => {
    const repaired = await outputOf(["repair", sampleFile])
    return session("npx ligature repair session.json | npx ligature show -", await outputOf(["show", "-"], repaired))
  },
}

const marked = /<!-- from code: ([a-z ]+) -->\n[^]*?<!-- end -->/g

export const fillSections = async (text: string): Promise<string> => {
  let filled = text
  for (const [whole, name] of text.matchAll(marked) as Iterable<[string, string]>) {
    const section = Object.hasOwn(sections, name) ? sections[name] : undefined
    if (!section) throw new Error(`Expected one of ${Object.keys(sections).join(", ")}, got "${name}"`)
    const content = await section()
    filled = filled.replace(whole, () => `<!-- from code: ${name} -->\n${content}\n<!-- end -->`)
  }
  return filled
}
