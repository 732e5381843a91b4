/**
 * Options as a caller gave them. A misspelt name or value would be ignored without a word, so every front door compares what it was
 * given with the list of what there is, and refuses the rest.
 */
import { LigatureError } from "./errors.ts"
import { suggestion } from "./nearest.ts"

/** Every name of some options, with its values where they are a list of words. One that is missing does not compile. */
export type OptionNames<Options> = { readonly [Name in keyof Required<Options>]: true | readonly Options[Name][] }

export const quoted = (value: unknown): string => (typeof value === "string" ? JSON.stringify(value) : String(value))

/** Throws for a name or a value that does not exist. `noun`: what the options are called. */
export const assertOptions = <Options extends object>(
  given: Options,
  known: OptionNames<Options>,
  noun = "option",
  nouns = "Options",
): void => {
  for (const name of Object.keys(given)) {
    if (!Object.hasOwn(known, name)) {
      const names = Object.keys(known)
      const near = suggestion(name, names)
      throw new LigatureError("bad-option", `Unknown ${noun} ${quoted(name)}. ${near ? `${near} ` : ""}${nouns}: ${names.join(", ")}`)
    }
    const values: true | readonly unknown[] = known[name as keyof Options]
    const value: unknown = given[name as keyof Options]
    if (values !== true && value !== undefined && !values.includes(value))
      throw new LigatureError(
        "bad-option",
        `Unknown value ${quoted(value)} of ${noun === "option" ? "" : `${noun} `}${name}. Values: ${values.join(", ")}`,
      )
  }
}
