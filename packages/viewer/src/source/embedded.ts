/** A page that was saved with its conversations: they are in an element that no browser runs. */
import type { DocumentPart, Problem } from "../library-types.ts"
import type { Source } from "./source.ts"

interface Embedded {
  readonly name: string
  readonly language?: string
  /** The text of the file, or what was read of it. */
  readonly text?: string
  readonly parts?: readonly DocumentPart[]
  readonly problems?: readonly Problem[]
}

export const embeddedSource = (): Source | undefined => {
  const element = document.getElementById("conversations")
  if (element === null) return undefined
  const { name, language, text, parts = [], problems = [] } = JSON.parse(element.textContent) as Embedded
  return {
    kind: "embedded",
    first: "saved",
    ...(language !== undefined && { language }),
    open: async () => (text === undefined ? { name, parts, problems } : { name, bytes: new TextEncoder().encode(text) }),
  }
}

/** A page without a server and without conversations of its own: it shows what is dropped on it. */
export const droppedSource: Source = { kind: "dropped", open: () => Promise.reject(new Error("")) }
