/**
 * Names in the place of a session: its id and folder come from a file, which may be anybody's, and go into a path and into a
 * command that people copy. Only what is harmless as the name of a file gets there; anything else is replaced, and said.
 */
import { phrase } from "../../model/index.ts"
import type { SessionPlace } from "../../formats/engine/session.ts"
import { deriveUuid } from "./derived-id.ts"

const harmless = /^[A-Za-z0-9][\w.-]{0,127}$/

/** Whether a text can be the name of a file or folder, and a word of a command, without leading anywhere else. */
export const isFileName = (text: string): boolean => harmless.test(text) && !text.includes("..")

/** An id as the name of a file: itself, or one that follows from it. */
export const fileNameOf = (id: string): string => (isFileName(id) ? id : deriveUuid("file name", id))

interface NamedPlace {
  /** As the file says it; undefined or empty: it says none. */
  readonly id: string | undefined
  /** What stands for a missing id. */
  readonly otherwise: string
  readonly path: (name: string) => string
  readonly resume: (name: string) => string
  readonly reopen?: (name: string) => string
  readonly note?: string
  readonly beside?: SessionPlace["beside"] & {}
}

export const namedPlace = ({ id, otherwise, path, resume, reopen, note, beside }: NamedPlace): SessionPlace => {
  const isNamed = id !== undefined && id !== ""
  const name = isNamed ? fileNameOf(id) : otherwise
  const renamed = isNamed && name !== id ? phrase`the id in the session is not a valid file name; here it is ${name}` : undefined
  const notes = [renamed, note].filter((each) => each !== undefined)
  return {
    path: path(name),
    resume: resume(name),
    ...(reopen && { reopen: reopen(name) }),
    ...(notes.length > 0 && { note: notes.join("; ") }),
    ...(beside && { beside }),
  }
}
