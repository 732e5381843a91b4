/** How functions of this folder say what they left out: a sentence to print, and the place for those who want more. */
import { debugFor } from "../model/index.ts"

export interface NoticePlace {
  /** Index in the list that was given. */
  readonly message: number
  /** Ids of the calls or results it is about. */
  readonly ids: readonly string[]
}

/** Fits `console.warn` and the functions of the `debug` package. */
export type Notice = (what: string, place: NoticePlace) => void

/** Where a function says it when its caller does not want to hear it: `DEBUG=ligature:session`. Undefined: nowhere. */
export const sessionNotice = (name: string): Notice | undefined => {
  const debug = debugFor("session")
  return debug && ((what) => debug(`[${name}] ${what}`))
}
