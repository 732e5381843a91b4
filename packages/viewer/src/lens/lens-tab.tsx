/**
 * What a model can still see: what a compaction with a budget and a strategy would leave, or, of a stored conversation, what each request
 * really carried. The choice is made with sliders, the result is there at once, and a text can be looked for in it.
 */
import { useMemo, useState } from "preact/hooks"
import { type Compaction, compactionsOf, requestsOf, type SentRequest } from "../history/carried.ts"
import type { History } from "../history/open.ts"
import type { StoredConversation } from "../source/source.ts"
import { count, phrase } from "../words.ts"
import type { Lens } from "./lens.ts"
import { LensView } from "./lens-view.tsx"
import { whatWasSent } from "./sent.ts"
import { strategies, type StrategyName, whatIf } from "./what-if.ts"

const steps = [1, 2, 3, 5, 7, 10, 15, 20, 25, 30, 40, 50, 60, 70, 80, 90, 100] as const

const time = (milliseconds: number): string => new Date(milliseconds).toLocaleString("sv-SE").slice(0, 16)

interface LensProperties {
  readonly history: History
  readonly onRow: (row: number) => void
}

const Find = ({ words, onWords }: { readonly words: string; readonly onWords: (words: string) => void }) => (
  <label>
    <span>{phrase`Find a text: could the model still see it?`}</span>
    <input type="search" value={words} onInput={(event) => onWords(event.currentTarget.value)} />
  </label>
)

const WhatIf = ({ history, onRow }: LensProperties) => {
  const { rows } = history
  const [step, setStep] = useState(8)
  const [strategy, setStrategy] = useState<StrategyName>("default")
  const [until, setUntil] = useState(rows.length)
  const [words, setWords] = useState("")
  const share = steps[step] ?? 25
  const lens = useMemo((): Lens => whatIf(history, strategy, share, until), [history, share, strategy, until])
  return (
    <>
      <div class="lens-controls">
        <label>
          <span>{phrase`Budget: ${share}% of the tokens`}</span>
          <input
            type="range"
            min="0"
            max={steps.length - 1}
            value={step}
            onInput={(event) => setStep(Number(event.currentTarget.value))}
            aria-valuetext={`${share}%`}
          />
        </label>
        <label>
          <span>{phrase`Strategy`}</span>
          <select value={strategy} onChange={(event) => setStrategy(event.currentTarget.value as StrategyName)}>
            {(Object.keys(strategies) as StrategyName[]).map((name) => (
              <option value={name}>{strategies[name].title()}</option>
            ))}
          </select>
        </label>
        <label>
          <span>{phrase`At message ${until} of ${rows.length}`}</span>
          <input type="range" min="1" max={rows.length} value={until} onInput={(event) => setUntil(Number(event.currentTarget.value))} />
        </label>
        <Find words={words} onWords={setWords} />
      </div>
      <LensView lens={lens} wanted={words.trim().toLowerCase()} onRow={onRow} />
    </>
  )
}

interface SentProperties extends LensProperties {
  readonly stored: StoredConversation
  readonly requests: readonly SentRequest[]
  readonly compactions: readonly Compaction[]
}

const Sent = ({ history, stored, requests, compactions, onRow }: SentProperties) => {
  const [at, setAt] = useState(requests.length - 1)
  const [words, setWords] = useState("")
  const request = requests[Math.min(at, requests.length - 1)] ?? { position: 0 }
  const lens = useMemo(() => whatWasSent(history, stored, request.position), [history, stored, request.position])
  const firstAfter = (position: number): number => {
    const index = requests.findIndex((each) => each.position >= position)
    return index < 0 ? requests.length - 1 : index
  }
  return (
    <>
      <ul class="compactions" aria-label={phrase`Compactions that happened`}>
        {compactions.map(({ at: when, position, covered }) => (
          <li>
            <button type="button" class="chip" aria-pressed={firstAfter(position) === at} onClick={() => setAt(firstAfter(position))}>
              {time(when)} <span class="quiet">{count(covered, "message")}</span>
            </button>
          </li>
        ))}
        {compactions.length === 0 && <li class="quiet">{phrase`It was never compacted: every request carried everything.`}</li>}
      </ul>
      <div class="lens-controls">
        <label>
          <span>
            {phrase`Request ${at + 1} of ${requests.length}`}
            {request.at !== undefined && ` · ${time(request.at)}`}
          </span>
          <input
            type="range"
            min="0"
            max={Math.max(0, requests.length - 1)}
            value={at}
            aria-valuetext={phrase`Request ${at + 1} of ${requests.length}`}
            onInput={(event) => setAt(Number(event.currentTarget.value))}
          />
        </label>
        <Find words={words} onWords={setWords} />
      </div>
      <LensView lens={lens} wanted={words.trim().toLowerCase()} onRow={onRow} />
    </>
  )
}

export const LensTab = ({ history, onRow }: LensProperties) => {
  const { stored } = history
  const requests = useMemo(() => (stored ? requestsOf(stored) : []), [stored])
  const compactions = useMemo(() => (stored ? compactionsOf(stored) : []), [stored])
  const [mode, setMode] = useState<"sent" | "would">(requests.length > 0 ? "sent" : "would")
  return (
    <div class="tab lens">
      <div class="tab-head">
        <h2>{mode === "sent" ? phrase`What each request carried` : phrase`What the model would still see`}</h2>
        {stored && requests.length > 0 && (
          <div class="wire-names" role="group" aria-label={phrase`What to show`}>
            <button type="button" class="wire-name" aria-pressed={mode === "sent"} onClick={() => setMode("sent")}>
              {phrase`What was sent`}
            </button>
            <button type="button" class="wire-name" aria-pressed={mode === "would"} onClick={() => setMode("would")}>
              {phrase`What if`}
            </button>
          </div>
        )}
      </div>
      {mode === "sent" && stored ? (
        <Sent history={history} stored={stored} requests={requests} compactions={compactions} onRow={onRow} />
      ) : (
        <WhatIf history={history} onRow={onRow} />
      )}
    </div>
  )
}
