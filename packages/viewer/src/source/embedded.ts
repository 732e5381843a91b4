/** A page that was saved with a session in it (`savedPage` in `html/page-files.ts`): it is in an element that no browser runs. */
import type { DocumentPart, Problem } from "../library-types.ts"
import type { Content, Source } from "./source.ts"

interface Embedded {
  readonly name: string
  /** The text of the file; bytes that are no text; or what was read of a database. */
  readonly text?: string
  readonly base64?: string
  readonly parts?: readonly DocumentPart[]
  readonly problems?: readonly Problem[]
}

const contentOf = ({ name, text, base64, parts = [], problems = [] }: Embedded): Content => {
  if (text !== undefined) return { name, bytes: new TextEncoder().encode(text) }
  if (base64 !== undefined) return { name, bytes: Uint8Array.from(atob(base64), (character) => character.charCodeAt(0)) }
  return { name, parts, problems }
}

export const embeddedSource = (): Source | undefined => {
  const element = document.getElementById("session")
  if (element === null) return undefined
  const { textContent } = element
  return { kind: "embedded", first: "saved", open: async () => contentOf(JSON.parse(textContent) as Embedded) }
}

/** A page without a server and without conversations of its own: it shows what is dropped on it. */
export const droppedSource: Source = { kind: "dropped", open: () => Promise.reject(new Error("")) }
