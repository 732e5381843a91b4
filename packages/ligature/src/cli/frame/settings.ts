/** Command line settings that are passed to the library: policies, profile, tip, style. */
import type { DocumentPart } from "../../document/index.ts"
import { phrase } from "../../model/index.ts"
import { findProfile, type Policies, policyNames, policyValues, type Profile, profileNames } from "../../rules/index.ts"
import type { Context } from "./command.ts"
import { suggestion } from "../../model/nearest.ts"
import { UsageError } from "./usage-error.ts"

/** `--policy unansweredCall=drop-message`; kebab-case names are accepted too. */
export const policiesOf = (context: Context): Partial<Policies> => {
  const chosen: Record<string, string> = {}
  for (const given of context.arguments.list("policy")) {
    const [name = "", ...rest] = given.split("=")
    const value = rest.join("=")
    const camel = name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())
    const policy = policyNames.find((known) => known === camel)
    if (policy === undefined) {
      const wayOut = suggestion(camel, policyNames) ?? phrase`Policies: ${policyNames.join(", ")}`
      throw new UsageError(phrase`Unknown policy ${name}`, wayOut)
    }
    const values: readonly string[] = policyValues[policy]
    if (!values.includes(value)) {
      throw new UsageError(
        value === "" ? phrase`Policy ${policy} needs a value` : phrase`Unknown value ${value} of policy ${policy}`,
        phrase`Values: ${values.join(", ")} (the first is the default)`,
      )
    }
    chosen[policy] = value
  }
  return chosen as Partial<Policies>
}

export const profileNamed = (name: string, option = "--for"): Profile => {
  const found = findProfile(name)
  if (found) return found
  const known = phrase`Profiles: ${profileNames.join(", ")}`
  throw new UsageError(phrase`${option}: unknown profile ${name}`, [suggestion(name, profileNames) ?? [], known].flat().join(" "))
}

export const profileOf = (context: Context): Profile | undefined => {
  const name = context.arguments.text("for")
  return name === undefined ? undefined : profileNamed(name)
}

/** A reply without its request ends where its calls are still to be run. */
export const tipOf = (context: Context, part?: Pick<DocumentPart, "container">): "open" | "closed" =>
  context.arguments.flag("open-tip") || part?.container === "reply" ? "open" : "closed"

export const styleOf = (context: Context): "xml" | "json" | undefined => {
  const style = context.arguments.text("style")
  if (style === undefined || style === "xml" || style === "json") return style
  throw new UsageError(phrase`--style is xml or json, not ${style}`)
}

/** All policies with their values, for help pages. */
export const policyHelp = policyNames.map((name) => `  ${name.padEnd(22)} ${policyValues[name].join(" | ")}`).join("\n")
