/** The name of the format, and the way back to what it said. */
import type { Native, Wire } from "../../model/index.ts"

export const format = "ai-sdk-model"

export const nativeOf = (value: { readonly native?: Native }): unknown => value.native?.[format]

/** Both spellings of a field: the current one, and the one of version 4. */
export const either = (wire: Wire, name: string, older: string): unknown => (name in wire ? wire[name] : wire[older])

export const textOf = (value: unknown): string => (typeof value === "string" ? value : "")
