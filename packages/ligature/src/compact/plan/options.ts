/** Checks that the options of compaction share. */
import { LigatureError } from "../../model/index.ts"

/** Every name of some options. One that is missing does not compile. */
export type OptionNames<Options> = Readonly<Record<keyof Options, true>>

/** Throws for a name that does not exist: a misspelt option would be ignored without a word. */
export const checkNames = <Options extends object>(given: Options, known: OptionNames<Options>): void => {
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(known, name))
  if (unknown === undefined) return
  throw new LigatureError("bad-option", `Unknown option ${unknown}. Expected one of ${Object.keys(known).join(", ")}`)
}

/** A whole number from 0 on; infinity for no limit. */
export const wholeNumber = (value: number, name: string): number => {
  if (!(value >= 0)) throw new LigatureError("bad-option", `Expected ${name} of 0 or more, got ${value}`)
  return Math.floor(value)
}

/** Whether a tool is among those named. */
export type ToolNames = readonly string[] | ((name: string) => boolean)

export const isAmong = (tools: ToolNames = []): ((name: string) => boolean) => {
  if (typeof tools === "function") return tools
  const names = new Set(tools)
  return (name) => names.has(name)
}
