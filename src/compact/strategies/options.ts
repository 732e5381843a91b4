/** What the options of strategies have in common. */
import { LigatureError } from "../../model/index.ts"

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
