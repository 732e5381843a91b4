/**
 * The session formats that are known: they join when `registry/sessions.ts` is loaded, which the runtime does when one is first needed, or
 * a user by `import "ligature/sessions"`. Whoever only sends requests does not load the readers of twenty agents.
 */
import type { SessionCodec } from "../formats/engine/session.ts"

const sessions = new Map<string, SessionCodec>()

/** The same by what people call them. */
export const sessionAliases = new Map<string, SessionCodec>()

/** Makes session formats known by their names, and by what people call them. */
export const registerSessions = (added: readonly SessionCodec[]): void => {
  for (const codec of added) {
    sessions.set(codec.format, codec)
    for (const alias of codec.session.aliases) sessionAliases.set(alias, codec)
  }
}

let load: (() => void) | undefined

/** How session formats are loaded when one is first needed, where the runtime can do that within a function. */
export const loadSessionsWith = (loader: () => void): void => {
  load = loader
}

/** Session formats by their names; none where they are neither loaded nor can be. */
export const knownSessions = (): ReadonlyMap<string, SessionCodec> => {
  if (sessions.size === 0 && load) {
    const once = load
    load = undefined
    once()
  }
  return sessions
}

/** The session formats, in the order in which files are tried; none where they are neither loaded nor can be. */
export const allSessions = (): readonly SessionCodec[] => [...knownSessions().values()]
