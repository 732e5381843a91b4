/** Options of the commands that write to a conversation. */
import type { AppendOptions } from "../../store/index.ts"
import type { OptionSpec } from "../frame/arguments.ts"
import type { Context } from "../frame/command.ts"

export const expectTipOption: OptionSpec = {
  name: "expect-tip",
  value: "ENTRY",
  text: "write only if this entry is the newest (none: an empty conversation), else exit with 2",
}
export const operationOption: OptionSpec = {
  name: "operation",
  value: "ID",
  text: "id of this write: repeating it with the same id has no further effect",
}

/** The name of the root where an entry is expected. */
export const rootName = "none"

export const entryNamed = (name: string): string | null => (name === rootName ? null : name)

export const appendOptionsOf = ({ arguments: given }: Context): AppendOptions => {
  const tip = given.text("expect-tip")
  const operation = given.text("operation")
  return {
    ...(tip !== undefined && { expectedTip: entryNamed(tip) }),
    ...(operation !== undefined && { operation }),
  }
}
