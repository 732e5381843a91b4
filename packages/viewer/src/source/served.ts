/** The server of `ligature view`. */
import type { DocumentPart, Problem } from "../library-types.ts"
import type { Child, Content, Hit, SessionEntry, Source, StoredConversation } from "./source.ts"
import { phrase } from "../words.ts"
import { takeToken } from "./token.ts"

/** The values of an answer that has one per line. */
async function* linesOf(answer: Response): AsyncGenerator<unknown> {
  if (!answer.body) return
  const decoder = new TextDecoder()
  let rest = ""
  const reader = answer.body.getReader()
  for (;;) {
    const { done, value } = await reader.read()
    rest += decoder.decode(value, { stream: !done })
    const lines = rest.split("\n")
    rest = lines.pop() ?? ""
    for (const line of lines) if (line !== "") yield JSON.parse(line)
    if (done) return
  }
}

export const servedSource = (): Source => {
  const { token, first } = takeToken()
  const ask = async (path: string, init: RequestInit): Promise<Response> => {
    const headers = { authorization: `Bearer ${token}` }
    const answer = await fetch(`/api/${path}`, { ...init, headers, cache: "no-store" }).catch((error: unknown) => {
      if (init.signal?.aborted === true) throw error
      throw new Error(phrase`The server does not answer any more. Start it again: ${"ligature view"}`)
    })
    if (!answer.ok) throw new Error(await answer.text())
    return answer
  }
  return {
    kind: "served",
    read: async (name, bytes): Promise<Content> => {
      const answer = await ask("read", { method: "POST", body: bytes as Uint8Array<ArrayBuffer> })
      return {
        name,
        ...((await answer.json()) as { readonly parts: readonly DocumentPart[]; readonly problems: readonly Problem[] }),
      }
    },
    ...(first !== undefined && { first }),
    open: async (id, signal): Promise<Content> => {
      const answer = await ask(`session/${encodeURIComponent(id)}`, { signal })
      const named = { name: decodeURIComponent(answer.headers.get("x-ligature-name") ?? id) }
      const argument = answer.headers.get("x-ligature-argument")
      const children = answer.headers.get("x-ligature-children")
      const known = {
        ...named,
        ...(argument !== null && { argument: decodeURIComponent(argument) }),
        ...(children !== null && { children: JSON.parse(decodeURIComponent(children)) as readonly Child[] }),
      }
      if (answer.headers.get("content-type")?.startsWith("application/json") === true) {
        const read = (await answer.json()) as
          | { readonly parts: readonly DocumentPart[]; readonly problems: readonly Problem[] }
          | { readonly stored: StoredConversation }
        return { ...known, ...read }
      }
      return { ...known, bytes: new Uint8Array(await answer.arrayBuffer()) }
    },
    sessions: async (onEntries, signal) => {
      const answer = await ask("sessions", { signal })
      let waiting: SessionEntry[] = []
      let shown = 0
      for await (const value of linesOf(answer)) {
        waiting.push(value as SessionEntry)
        if (performance.now() - shown < 80) continue
        shown = performance.now()
        onEntries(waiting)
        waiting = []
      }
      onEntries(waiting)
    },
    search: async (words, onHit, signal) => {
      for await (const value of linesOf(await ask(`search?words=${encodeURIComponent(words)}`, { signal }))) onHit(value as Hit)
    },
  }
}
