/**
 * What a model would still see: the history fitted into a budget, exchange by exchange. The budget and the strategy are chosen, the
 * result is there at once; what was shortened or left out can be read, and a text can be looked for in what is left.
 */
import type { ComponentChildren } from "preact"
import { useMemo, useState } from "preact/hooks"
import type { History } from "../history/open.ts"
import { textOfItem } from "../history/search.ts"
import { categories, compact, digest, estimateMeter, generations, mask, partOf, window } from "../library.ts"
import type { Amount, Category, Item, Plan } from "../library-types.ts"
import { Folded } from "../timeline/folded.tsx"
import { count, oneLine, phrase, visible } from "../words.ts"

const strategies = {
  default: { title: () => phrase`digest, else window`, make: undefined },
  digest: { title: () => phrase`digest: the lines that matter`, make: () => digest() },
  window: { title: () => phrase`window: the newest exchanges`, make: () => window() },
  mask: { title: () => phrase`mask: old results become stubs`, make: () => mask() },
  generations: { title: () => phrase`generations: chunks that stay`, make: () => generations() },
} as const

type StrategyName = keyof typeof strategies

const fates = {
  verbatim: () => phrase`verbatim`,
  shortened: () => phrase`shortened`,
  stub: () => phrase`stub`,
  summarised: () => phrase`summarised`,
  "left-out": () => phrase`left out`,
} as const

type Fate = keyof typeof fates

interface Seen {
  readonly fate: Fate
  readonly before: number
  readonly after: number
  /** What the model sees in its place. */
  readonly item?: Item
}

const seenOf = (items: readonly Item[], plan: Plan): readonly Seen[] =>
  items.map((item, index): Seen => {
    const before = estimateMeter.sizeOfItem(item).tokens
    const decision = plan.outcome === "compacted" ? plan.decisions[index] : undefined
    switch (decision?.kind) {
      case "edit": {
        const after = estimateMeter.sizeOfItem(decision.item).tokens
        return { fate: after < before / 4 ? "stub" : "shortened", before, after, item: decision.item }
      }
      case "cover": {
        const summary = plan.summaries[decision.summary]?.message
        // The message in their place only counts them.
        const isNote = /window|truncate/.test(plan.strategy)
        return { fate: isNote ? "left-out" : "summarised", before, after: 0, ...(summary && { item: summary }) }
      }
      case "hide":
        return { fate: "left-out", before, after: 0 }
      case "keep":
      case undefined:
        return { fate: "verbatim", before, after: before, item }
    }
  })

const categoryNames: Readonly<Record<Category, () => string>> = {
  system: () => phrase`system`,
  user: () => phrase`user`,
  assistant: () => phrase`assistant`,
  thinking: () => phrase`thinking`,
  arguments: () => phrase`arguments`,
  results: () => phrase`results`,
  media: () => phrase`media`,
  summary: () => phrase`summary`,
}

const TokenBar = ({ label, amount, whole }: { readonly label: string; readonly amount: Amount; readonly whole: number }) => (
  <div class="token-bar">
    <span class="token-label">{label}</span>
    <div class="bar-track" role="img" aria-label={phrase`${label}: ${count(amount.tokens, "token")}`}>
      {categories.map((category) => {
        const tokens = amount.categories[category]
        return tokens > 0 ? (
          <span
            class={`bar-part part-${category}`}
            style={{ width: `${(100 * tokens) / Math.max(1, whole)}%` }}
            title={`${categoryNames[category]()}: ${tokens.toLocaleString("en-US")}`}
          />
        ) : null
      })}
    </div>
    <span class="token-sum">{amount.tokens.toLocaleString("en-US")}</span>
  </div>
)

const steps = [1, 2, 3, 5, 7, 10, 15, 20, 25, 30, 40, 50, 60, 70, 80, 90, 100] as const

const most = 500

interface LensProperties {
  readonly history: History
  readonly onRow: (row: number) => void
}

export const LensTab = ({ history, onRow }: LensProperties) => {
  const { rows } = history
  const [step, setStep] = useState(8)
  const [strategy, setStrategy] = useState<StrategyName>("default")
  const [until, setUntil] = useState(rows.length)
  const [words, setWords] = useState("")
  const [open, setOpen] = useState<number>()
  const share = steps[step] ?? 25
  const result = useMemo(() => {
    const conversation = until < rows.length ? partOf(history.conversation, 0, until) : history.conversation
    const { make } = strategies[strategy]
    const chosen = make?.()
    const compacted = compact(conversation, { budget: `${share}%`, ...(chosen && { strategy: chosen }) })
    const seen = seenOf(conversation.items, compacted.plan)
    return {
      ...compacted,
      items: conversation.items,
      seen,
      texts: compacted.conversation.items.map((item) => textOfItem(item).toLowerCase()),
    }
  }, [history, share, strategy, until])
  const { plan, seen, items } = result
  const { before, after } = plan.statistics
  const wanted = words.trim().toLowerCase()
  const found = useMemo(() => {
    if (wanted === "") return undefined
    const there = items.flatMap((item, index) => (textOfItem(item).toLowerCase().includes(wanted) ? [index] : []))
    return { rows: new Set(there), total: there.length, isSeen: result.texts.some((text) => text.includes(wanted)) }
  }, [wanted, result])
  const kinds = (Object.keys(fates) as Fate[]).map((fate) => [fate, seen.filter((each) => each.fate === fate).length] as const)
  const shown = seen.flatMap((each, index) => (found === undefined || found.rows.has(index) ? [[index, each] as const] : [])).slice(0, most)
  const original = (index: number): ComponentChildren => {
    const item = items[index]
    const { item: left } = seen[index] ?? {}
    if (item === undefined) return null
    return (
      <div class="lens-texts">
        <section>
          <h3>{phrase`In the history`}</h3>
          <Folded name={`lens:${index}:a`} text={textOfItem(item)} />
        </section>
        <section>
          <h3>{phrase`What the model sees`}</h3>
          {left === undefined ? (
            <p class="quiet">{phrase`Nothing: a handle brings it back.`}</p>
          ) : (
            <Folded name={`lens:${index}:${strategy}:${share}`} text={textOfItem(left)} />
          )}
        </section>
      </div>
    )
  }
  return (
    <div class="tab lens">
      <div class="tab-head">
        <h2>{phrase`What the model would still see`}</h2>
      </div>
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
        <label>
          <span>{phrase`Find a text: could the model still see it?`}</span>
          <input type="search" value={words} onInput={(event) => setWords(event.currentTarget.value)} />
        </label>
      </div>
      {found && (
        <p class={`lens-answer${found.isSeen ? " yes" : " no"}`} role="status">
          {found.total === 0
            ? phrase`It is not in this history.`
            : found.isSeen
              ? phrase`Yes: the view still has it.`
              : phrase`No: the view has lost it; recall brings it back.`}
        </p>
      )}
      <div class="token-bars">
        <TokenBar label={phrase`before`} amount={before} whole={before.tokens} />
        <TokenBar label={phrase`after`} amount={after} whole={before.tokens} />
        <ul class="legend">
          {categories.map((category) =>
            before.categories[category] + after.categories[category] > 0 ? (
              <li>
                <span class={`legend-dot part-${category}`} /> {categoryNames[category]()}
              </li>
            ) : null,
          )}
        </ul>
      </div>
      {plan.outcome !== "compacted" && (
        <p class="lens-answer" role="status">
          {plan.outcome === "unchanged" ? phrase`It fits as it is.` : visible(plan.reason ?? "")}
        </p>
      )}
      <div class="strip" role="img" aria-label={kinds.map(([fate, number]) => `${fates[fate]()}: ${number}`).join(", ")}>
        {seen.length <= 2000 && seen.map(({ fate }) => <span class={`strip-part fate-${fate}`} />)}
      </div>
      <ul class="legend">
        {kinds.map(([fate, number]) => (
          <li>
            <span class={`legend-dot fate-${fate}`} /> {fates[fate]()} <span class="quiet">{number}</span>
          </li>
        ))}
      </ul>
      <ol class="lens-rows">
        {shown.map(([index, { fate, before: tokens, after: left }]) => {
          const item = items[index]
          return (
            <li class={`lens-row fate-row-${fate}`}>
              <button
                type="button"
                class="lens-line"
                aria-expanded={open === index}
                onClick={() => setOpen(open === index ? undefined : index)}
              >
                <span class="row-number">#{index + 1}</span>
                <span class={`fate fate-${fate}`}>{fates[fate]()}</span>
                <span class="lens-text">{item ? oneLine(textOfItem(item), 240) : ""}</span>
                <span class="quiet lens-tokens">
                  {left === tokens ? tokens.toLocaleString("en-US") : `${tokens.toLocaleString("en-US")} → ${left.toLocaleString("en-US")}`}
                </span>
              </button>
              {open === index && (
                <>
                  {original(index)}
                  <button type="button" class="fold" onClick={() => onRow(index)}>
                    {phrase`Show in the timeline`}
                  </button>
                </>
              )}
            </li>
          )
        })}
      </ol>
      {shown.length === most && <p class="quiet">{phrase`Only the first ${most} rows are shown here.`}</p>}
    </div>
  )
}
