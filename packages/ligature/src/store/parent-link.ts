/** The link from a conversation to the one that started it: how it is checked when given, and read back. */
import { isWire } from "../model/index.ts"
import type { ParentLink } from "./store.ts"
import { StoreError } from "./store-error.ts"

/** The link without anything beside it; undefined where it is none. */
export const readParent = (value: unknown): ParentLink | undefined => {
  if (!isWire(value)) return undefined
  const { conversation, call } = value
  if (typeof conversation !== "string" || conversation === "") return undefined
  if (call !== undefined && typeof call !== "string") return undefined
  return { conversation, ...(call !== undefined && { call }) }
}

/** The fields of a record for what a caller of `create` gave as parent. Throws for a link that nobody could follow. */
export const givenParent = (parent: ParentLink | undefined, child: string): { readonly parent?: ParentLink } => {
  if (parent === undefined) return {}
  const link = readParent(parent)
  if (link) return { parent: link }
  const message = "Expected a parent of the shape { conversation, call? } with texts that are not empty"
  throw new StoreError("bad-entry", message, { conversation: child })
}
