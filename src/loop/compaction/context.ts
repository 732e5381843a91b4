/** What strategies are told about a stored conversation: what stays verbatim, and where items stand in the whole history. */
import type { Meter } from "../../compact/meter/index.ts"
import { isRequest, type Protection, protectionOf } from "../../compact/protection.ts"
import type { Context } from "../../compact/strategy.ts"
import type { Archive } from "./archive.ts"
import type { CompactionSettings } from "./settings.ts"

export interface ContextOptions {
  readonly settings: CompactionSettings
  readonly meter: Meter
  readonly goal?: string
  readonly protect?: Protection
}

export const contextFor = (archive: Archive, options: ContextOptions): Context => {
  const { settings, meter, goal, protect = {} } = options
  const { items } = archive.conversation
  const places = new Map(items.map((item, index) => [item, archive.positions[index] ?? index]))
  const requests = items.flatMap((item, index) => (isRequest(item) ? [index] : []))
  const lastFirst = settings.keepFirst === 0 ? -1 : (requests[settings.keepFirst - 1] ?? -1)
  const kept = new Set(requests.filter((index) => index <= lastFirst))
  const isProtected = protectionOf(archive.conversation, {
    ...protect,
    items: (item, index) =>
      kept.has(index) || index >= items.length - settings.keepLast || protect.items?.(item, index) === true,
  })
  return { meter, isProtected, positionOf: (item) => places.get(item) ?? 0, ...(goal !== undefined && { goal }) }
}
