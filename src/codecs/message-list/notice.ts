/** How functions of this folder say what they left out: a sentence to print, and the place for those who want more. */

export interface NoticePlace {
  /** Index in the list that was given. */
  readonly message: number
  /** Ids of the calls or results it is about. */
  readonly ids: readonly string[]
}

/** Fits `console.warn` and the functions of the `debug` package. */
export type Notice = (what: string, place: NoticePlace) => void
