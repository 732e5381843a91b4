/** The exchanges of a gateway as they happen, newest first, with what was wrong with a request and what the gateway did about it. */
import { useEffect, useState } from "preact/hooks"
import { count, oneLine, phrase, size } from "../words.ts"
import { isOver, type LiveEnd, type LiveExchange } from "./events.ts"
import { ExchangeNotes } from "./exchange-notes.tsx"
import type { Connection, LiveFeed } from "./feed.ts"
import { useFeed } from "./use-feed.ts"

const connections: Readonly<Record<Connection, () => string>> = {
  connecting: () => phrase`connecting…`,
  open: () => phrase`live`,
  lost: () => phrase`connection lost; trying again`,
  refused: () => phrase`a key is needed`,
}

const clock = (milliseconds: number): string => new Date(milliseconds).toLocaleTimeString("sv-SE")

const duration = (milliseconds: number): string => (milliseconds < 1000 ? `${milliseconds} ms` : `${(milliseconds / 1000).toFixed(1)} s`)

const isTroubled = (exchange: LiveExchange): boolean =>
  isOver(exchange) &&
  (exchange.repaired.length > 0 || exchange.refusal !== undefined || exchange.error !== undefined || exchange.status >= 400)

const tokens = ({ usage }: LiveEnd): string => {
  const { inputTokens = 0, outputTokens = 0, cacheReadTokens = 0 } = usage ?? {}
  if (inputTokens + outputTokens + cacheReadTokens === 0) return ""
  const read = inputTokens + cacheReadTokens
  return phrase`${read.toLocaleString("en-US")} in, ${outputTokens.toLocaleString("en-US")} out`
}

const stateOf = (exchange: LiveExchange): { readonly kind: string; readonly mark: string; readonly name: string } => {
  if (!isOver(exchange)) return { kind: "pending", mark: "…", name: phrase`running` }
  const { status, refusal, repaired, ended } = exchange
  if (status >= 400) return { kind: "failed", mark: "✗", name: phrase`refused with ${status}` }
  if (ended !== "complete") return { kind: "interrupted", mark: "!", name: phrase`interrupted` }
  if (refusal?.healed) return { kind: "healed", mark: "↺", name: phrase`healed` }
  if (repaired.length > 0) return { kind: "healed", mark: "↺", name: phrase`repaired` }
  return { kind: "done", mark: "✓", name: phrase`done` }
}

interface ExchangeProperties {
  readonly exchange: LiveExchange
  readonly onOpen: (conversation: string) => void
}

const Exchange = ({ exchange, onOpen }: ExchangeProperties) => {
  const { time, conversation, wire, upstream, model, question, bytes } = exchange
  const { kind, mark, name } = stateOf(exchange)
  return (
    <li class={`exchange exchange-${kind}`}>
      <span class={`mark mark-${kind}`} role="img" aria-label={name} title={name}>
        {mark}
      </span>
      <div class="exchange-main">
        <button type="button" class="exchange-line" onClick={() => onOpen(conversation)}>
          <span class="exchange-question">
            {question?.role === "tool" && <span class="quiet">{phrase`tool result`} </span>}
            {question && question.text !== "" ? oneLine(question.text, 240) : oneLine(conversation, 60)}
          </span>
        </button>
        <p class="exchange-facts">
          <span>{clock(time)}</span>
          <span>
            {wire} → {oneLine(upstream, 40)}
          </span>
          {model !== undefined && <span>{oneLine(model, 60)}</span>}
          <span>{size(bytes)}</span>
          {isOver(exchange) && <span>{duration(exchange.ms)}</span>}
          {isOver(exchange) && tokens(exchange) !== "" && <span>{tokens(exchange)}</span>}
          <span class="exchange-name">{oneLine(conversation, 40)}</span>
        </p>
        {isOver(exchange) && <ExchangeNotes exchange={exchange} />}
      </div>
    </li>
  )
}

const KeyForm = ({ onKey }: { readonly onKey: (key: string) => void }) => {
  const [key, setKey] = useState("")
  return (
    <form
      class="key-form"
      onSubmit={(event) => {
        event.preventDefault()
        onKey(key.trim())
      }}
    >
      <label>
        <span>{phrase`Key of this gateway, or of an operator`}</span>
        <input type="password" autocomplete="off" value={key} onInput={(event) => setKey(event.currentTarget.value)} />
      </label>
      <button type="submit" class="small-button primary" disabled={key.trim() === ""}>
        {phrase`Watch`}
      </button>
    </form>
  )
}

/** More would be scrolled past. */
const most = 200

interface LiveProperties {
  readonly feed: LiveFeed
  readonly onKey: (key: string) => void
  readonly onOpen: (conversation: string) => void
}

export const LiveScreen = ({ feed, onKey, onOpen }: LiveProperties) => {
  useFeed(feed)
  const [only, setOnly] = useState(false)
  const [now, setNow] = useState<readonly LiveExchange[]>()
  const { connection } = feed
  const all = now ?? feed.exchanges
  const shown = all
    .filter((exchange) => !only || isTroubled(exchange))
    .slice(-most)
    .toReversed()
  useEffect(() => {
    document.title = phrase`Live · Ligature`
  }, [])
  return (
    <section class="sessions live">
      <header class="sessions-head">
        <h1>{phrase`Live`}</h1>
        <span class={`connection connection-${connection}`} role="status">
          {connections[connection]()}
        </span>
        <div class="state-chips">
          <button type="button" class="chip" aria-pressed={only} onClick={() => setOnly(!only)}>
            {phrase`repaired, healed or refused`} <span class="chip-count">{all.filter(isTroubled).length}</span>
          </button>
          <button type="button" class="chip" aria-pressed={now !== undefined} onClick={() => setNow(now ? undefined : feed.exchanges)}>
            {phrase`hold still`}
          </button>
        </div>
        <span class="quiet sessions-count">
          {count(all.length, "exchange")}
          {feed.missed > 0 && ` · ${phrase`${feed.missed} not shown`}`}
        </span>
      </header>
      {connection === "refused" && <KeyForm onKey={onKey} />}
      {connection !== "refused" && all.length === 0 && (
        <p class="empty">{phrase`Nothing has come through this gateway yet. Requests appear here as they happen.`}</p>
      )}
      <ol class="session-list exchanges" aria-label={phrase`Exchanges`}>
        {shown.map((exchange) => (
          <Exchange key={exchange.id} exchange={exchange} onOpen={onOpen} />
        ))}
      </ol>
    </section>
  )
}
