/**
 * What strategies are told about a stored conversation: what stays verbatim, where items stand in the whole history,
 * and which provider the view is for.
 */
import type { Meter } from "../../compact/meter/index.ts"
import { isRequest, namedOf, type Protection, protectionOf } from "../../compact/protection.ts"
import type { Context } from "../../compact/strategy.ts"
import type { Profile } from "../../laws/index.ts"
import type { Archive } from "./archive.ts"
import type { CompactionSettings } from "./settings.ts"

export interface ContextOptions {
  readonly settings: CompactionSettings
  readonly meter: Meter
  readonly goal?: string
  readonly protect?: Protection
  readonly profile?: Profile
}

export const contextFor = (archive: Archive, options: ContextOptions): Context => {
  const { settings, meter, goal, protect = {}, profile } = options
  const { items } = archive.conversation
  const places = new Map(items.map((item, index) => [item, archive.positions[index] ?? index]))
  const requests = items.flatMap((item, index) => (isRequest(item) ? [index] : []))
  const kept = new Set(requests.slice(0, settings.keepFirst))
  const wishes: Protection = {
    ...protect,
    items: (item, index) =>
      kept.has(index) || index >= items.length - settings.keepLast || protect.items?.(item, index) === true,
  }
  const isProtected = protectionOf(archive.conversation, wishes)
  const isNamed = namedOf(wishes)
  return {
    meter,
    isProtected,
    ...(isNamed && { isNamed }),
    positionOf: (item) => places.get(item) ?? 0,
    ...(goal !== undefined && { goal }),
    ...(profile && { profile }),
  }
}
