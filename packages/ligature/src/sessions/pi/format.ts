/** The name of the format, which of its records are entries, and what came from where. */
import { isWire, type Native, type Wire } from "../../model/index.ts"
import { nativeIn } from "../engine/fields.ts"
import { type Naming, plainNaming } from "../engine/read-tree.ts"
import type { Linking } from "../engine/relink.ts"
import { deriveHex } from "../engine/derived-id.ts"

export const format = "pi"

export const nativeOf = (value: { readonly native?: Native }): Wire | undefined => nativeIn(value, format)

/** Every record but the header is an entry of the tree. */
export const naming: Naming = {
  ...plainNaming,
  isEntry: (record): record is Wire => isWire(record) && record["type"] !== "session",
}

export const linking: Linking = {
  withId: (record, id) => ({ ...record, id }),
  withParent: (record, parentId) => ({ ...record, parentId }),
  newId: (...seed) => deriveHex(8, ...seed),
}

/** The message inside of an entry, for entries that hold one. */
export const messageOf = (record: unknown): Wire | undefined =>
  isWire(record) && record["type"] === "message" && isWire(record["message"]) ? record["message"] : undefined

/** Where the system prompt of another agent goes: this one keeps none in its sessions. */
export const systemType = "system"
