/** The same history for every provider: the exact request that would be sent, what it cannot carry, and a provider's error in its place. */
import { useMemo, useState } from "preact/hooks"
import type { History } from "../history/open.ts"
import { encode, profileNames, profiles } from "../library.ts"
import type { Place, ProfileName } from "../library-types.ts"
import { CopyButton } from "../session/copy-button.tsx"
import { download } from "../session/save.ts"
import { Folded } from "../timeline/folded.tsx"
import { changeKinds } from "../live/exchange-notes.tsx"
import { count, phrase, size, visible } from "../words.ts"
import { MarkedText } from "./marked-text.tsx"
import { markAt } from "./marks.ts"
import type { Pin } from "./pin.ts"

/** First those that most requests go to. */
const usual: readonly ProfileName[] = ["anthropic", "openai-responses", "openai-chat", "gemini"]

const most = 100

interface WiresProperties {
  readonly history: History
  readonly pin: Pin
  readonly onPlace: (place: Place) => void
}

const ErrorPin = ({ pin: { text, setText, rule, place }, onPlace }: Omit<WiresProperties, "history">) => (
  <section class="pin">
    <label>
      <span>{phrase`Paste a provider's error to find the block it is about`}</span>
      <textarea rows={2} value={text} spellcheck={false} onInput={(event) => setText(event.currentTarget.value)} />
    </label>
    {text.trim() !== "" && (
      <div class="pin-answer" role="status">
        {rule ? (
          <>
            <p>
              <span class="note-rule">{rule.id}</span> {visible(rule.demand)}
            </p>
            <p class="quiet">{visible(rule.repair)}</p>
          </>
        ) : (
          <p>{phrase`This is not an error about the conversation, or an unknown one.`}</p>
        )}
        {place && (
          <button type="button" class="small-button" onClick={() => onPlace(place)}>
            {phrase`Show message ${(place.message ?? 0) + 1} in the timeline`}
          </button>
        )}
      </div>
    )}
  </section>
)

const degrees = { lost: () => phrase`lost`, weakened: () => phrase`weakened` } as const

export const WiresTab = ({ history, pin, onPlace }: WiresProperties) => {
  const [name, setName] = useState<ProfileName>("anthropic")
  const written = useMemo(() => {
    const { value, report } = encode(history.conversation, name)
    return { text: JSON.stringify(value, undefined, 2), entries: report.entries, losses: report.losses }
  }, [history, name])
  const marks = useMemo(() => {
    const { text, losses } = written
    const lost = losses
      .slice(0, most)
      .flatMap(({ feature, degree, place }) => markAt(text, history, place, degree, `${feature}: ${degrees[degree]()}`, feature))
    return pin.place ? [...lost, ...markAt(text, history, pin.place, "pin", phrase`the provider's error is about this`)] : lost
  }, [history, written, pin.place])
  const others = profileNames.filter((each) => !usual.includes(each))
  return (
    <div class="tab wires">
      <ErrorPin pin={pin} onPlace={onPlace} />
      <div class="tab-head">
        <div class="wire-names">
          <div class="wire-names" role="tablist" aria-label={phrase`Provider`}>
            {usual.map((each) => (
              <button type="button" role="tab" aria-selected={name === each} class="wire-name" onClick={() => setName(each)}>
                {profiles[each].title}
              </button>
            ))}
          </div>
          <select
            aria-label={phrase`Other providers`}
            value={usual.includes(name) ? "" : name}
            onChange={(event) => {
              if (event.currentTarget.value !== "") setName(event.currentTarget.value as ProfileName)
            }}
          >
            <option value="">{phrase`Other providers`}</option>
            {others.map((each) => (
              <option value={each}>{profiles[each].title}</option>
            ))}
          </select>
        </div>
        <div class="tab-tools">
          <span class="quiet">{size(written.text.length)}</span>
          <CopyButton text={written.text} label={phrase`Copy`} />
          <button type="button" class="small-button" onClick={() => download(`request.${name}.json`, written.text)}>
            {phrase`Download`}
          </button>
        </div>
      </div>
      <div class="wire-body">
        <section class="wire-report">
          <h2>{written.losses.length === 0 ? phrase`Nothing is lost` : count(written.losses.length, "loss", "losses")}</h2>
          <ul class="losses">
            {written.losses.slice(0, most).map(({ feature, degree, what, place }) => (
              <li class={`loss loss-${degree}`}>
                <button type="button" class="note-line" onClick={() => onPlace(place)}>
                  <span class="note-rule">{feature}</span> {visible(what)}
                </button>
              </li>
            ))}
          </ul>
          <h2>{written.entries.length === 0 ? phrase`Nothing is changed for it` : count(written.entries.length, "change")}</h2>
          <ul class="losses">
            {written.entries.slice(0, most).map(({ rule, kind, what, place }) => (
              <li class={`loss change-${kind}`}>
                <button type="button" class="note-line" onClick={() => onPlace(place)}>
                  <span class="note-rule">{rule}</span> {visible(what)} <span class="quiet">({changeKinds[kind]()})</span>
                </button>
              </li>
            ))}
          </ul>
        </section>
        <section class="wire-text" aria-label={phrase`Request`}>
          <Folded
            key={name}
            name={`wire:${name}`}
            text={written.text}
            lines={200}
            draw={(text) => <MarkedText text={text} marks={marks} />}
          />
        </section>
      </div>
    </div>
  )
}
