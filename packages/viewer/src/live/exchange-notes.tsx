/** What a gateway did to one request: changes that made it valid, and the refusal of the provider that it healed. */
import { phrase, translated, visible } from "../words.ts"
import type { LiveEnd } from "./events.ts"

export const changeKinds = {
  safe: () => phrase`nothing lost`,
  synthetic: () => phrase`generated`,
  demote: () => phrase`kept as text`,
  drop: () => phrase`left out`,
} as const

/** The sentence in a provider's answer. */
const messageIn = (text: string): string => {
  try {
    const { error } = JSON.parse(text) as { readonly error?: { readonly message?: unknown } }
    return typeof error?.message === "string" ? error.message : text
  } catch {
    return text
  }
}

const most = 8

export const ExchangeNotes = ({ exchange }: { readonly exchange: LiveEnd }) => {
  const { repaired, more = 0, refusal, error, ended } = exchange
  const isCut = ended !== "complete"
  if (repaired.length === 0 && refusal === undefined && error === undefined && !isCut) return null
  const rest = Math.max(0, repaired.length - most) + more
  return (
    <ul class="notes">
      {repaired.slice(0, most).map(({ rule, what, found, kind, place }) => (
        <li class="note note-warning">
          <span class="note-rule">{rule}</span> {found !== undefined && <>{visible(translated(found))} </>}
          <span class="note-change">
            {visible(translated(what))} <span class="quiet">({changeKinds[kind]()})</span>
            {place.message !== undefined && <span class="quiet"> {phrase`message ${place.message + 1} of the request`}</span>}
          </span>
        </li>
      ))}
      {rest > 0 && <li class="note quiet">{phrase`and ${rest} more changes`}</li>}
      {refusal && (
        <li class={`note ${refusal.healed ? "note-healed" : "note-error"}`}>
          <span class="note-rule">
            {refusal.healed ? phrase`${refusal.status}, healed` : phrase`${refusal.status}, passed on to the client`}
          </span>{" "}
          <q class="refusal">{visible(messageIn(refusal.text))}</q>
          {refusal.healed && (
            <span class="note-change">{phrase`Sent again as the provider requires (${refusal.healed.join(", ")}), and accepted.`}</span>
          )}
        </li>
      )}
      {isCut && (
        <li class="note note-warning">
          {ended === "client-left" ? phrase`The client left before the answer was complete.` : phrase`The provider broke off its answer.`}
        </li>
      )}
      {error !== undefined && <li class="note note-error">{visible(error)}</li>}
    </ul>
  )
}
