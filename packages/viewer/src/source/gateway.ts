/** A gateway (`ligature serve`): the conversations of its store, and its exchanges as they happen. */
import { LiveFeed } from "../live/feed.ts"
import type { Content, SessionEntry, Source, StoredConversation } from "./source.ts"
import { keepToken, takeToken } from "./token.ts"

interface Listed {
  readonly conversations: readonly {
    readonly id: string
    readonly title?: string
    readonly updated: number
    readonly parent?: { readonly conversation: string }
  }[]
  readonly next?: string
}

const entryOf = ({ id, title, updated, parent }: Listed["conversations"][number]): SessionEntry => ({
  id,
  agent: parent === undefined ? "Gateway" : "Gateway (subagent)",
  format: "ligature",
  file: id,
  session: id,
  modified: updated,
  ...(title !== undefined && { title }),
})

export interface GatewaySource extends Source {
  /** A key that was typed. */
  readonly useKey: (key: string) => void
}

export const gatewaySource = (): GatewaySource => {
  let { token } = takeToken()
  const ask = (path: string, signal?: AbortSignal): Promise<Response> =>
    fetch(`/-/${path}`, { headers: { authorization: `Bearer ${token}` }, cache: "no-store", ...(signal && { signal }) })
  const read = async (path: string, signal: AbortSignal): Promise<unknown> => {
    const answer = await ask(path, signal)
    if (answer.ok) return answer.json()
    const text = await answer.text()
    throw new Error(messageIn(text))
  }
  const live = new LiveFeed(() => ask("live"))
  return {
    kind: "gateway",
    live,
    useKey: (key) => {
      token = key
      keepToken(key)
      live.restart()
    },
    open: async (id, signal): Promise<Content> => {
      const stored = (await read(`conversations/${encodeURIComponent(id)}`, signal)) as StoredConversation
      return { name: stored.title ?? stored.id, stored }
    },
    sessions: async (onEntries, signal) => {
      for (let after: string | undefined; ;) {
        const page = (await read(
          `conversations?limit=200${after === undefined ? "" : `&after=${encodeURIComponent(after)}`}`,
          signal,
        )) as Listed
        onEntries(page.conversations.map(entryOf))
        after = page.next
        if (after === undefined) return
      }
    },
  }
}

/** Errors of a gateway are JSON in the shape of some provider. */
const messageIn = (text: string): string => {
  try {
    const { error, message } = JSON.parse(text) as { readonly error?: { readonly message?: string } | string; readonly message?: string }
    return (typeof error === "object" ? error.message : error) ?? message ?? text
  } catch {
    return text
  }
}
