/** Settings of the command line that reach into the library: policies, profile, tip, style. */
import { findProfile, type Policies, policyNames, policyValues, type Profile, profileNames } from "../../rules/index.ts"
import type { Context } from "./command.ts"
import { suggestion } from "../../model/nearest.ts"
import { UsageError } from "./usage-error.ts"

/** `--policy unansweredCall=drop-message`; kebab-case names are taken too. */
export const policiesOf = (context: Context): Partial<Policies> => {
  const chosen: Record<string, string> = {}
  for (const given of context.arguments.list("policy")) {
    const [name = "", ...rest] = given.split("=")
    const value = rest.join("=")
    const camel = name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())
    const policy = policyNames.find((known) => known === camel)
    if (policy === undefined) {
      const wayOut = suggestion(camel, policyNames) ?? `Policies: ${policyNames.join(", ")}`
      throw new UsageError(`Unknown policy ${name}`, wayOut)
    }
    const values: readonly string[] = policyValues[policy]
    if (!values.includes(value)) {
      throw new UsageError(
        value === "" ? `Policy ${policy} needs a value` : `Unknown value ${value} of policy ${policy}`,
        `Values: ${values.join(", ")} (the first is the default)`,
      )
    }
    chosen[policy] = value
  }
  return chosen as Partial<Policies>
}

export const profileNamed = (name: string, option = "--for"): Profile => {
  const found = findProfile(name)
  if (found) return found
  const near = suggestion(name, profileNames)
  throw new UsageError(
    `${option} does not know the profile ${name}`,
    `${near === undefined ? "" : `${near} `}Profiles: ${profileNames.join(", ")}`,
  )
}

export const profileOf = (context: Context): Profile | undefined => {
  const name = context.arguments.text("for")
  return name === undefined ? undefined : profileNamed(name)
}

export const tipOf = (context: Context): "open" | "closed" => (context.arguments.flag("open-tip") ? "open" : "closed")

export const styleOf = (context: Context): "xml" | "json" | undefined => {
  const style = context.arguments.text("style")
  if (style === undefined || style === "xml" || style === "json") return style
  throw new UsageError(`--style is xml or json, not ${style}`)
}

/** All policies with their values, for help pages. */
export const policyHelp = policyNames.map((name) => `  ${name.padEnd(22)} ${policyValues[name].join(" | ")}`).join("\n")
