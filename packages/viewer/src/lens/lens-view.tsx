/** Bars of tokens by kind, a strip with one mark for each row, and the rows: click one to read it, and what stands in its place. */
import { useMemo, useState } from "preact/hooks"
import type { Amount, Category } from "../library-types.ts"
import { Folded } from "../timeline/folded.tsx"
import { count, oneLine, phrase } from "../words.ts"
import { categories } from "./compaction.ts"
import { type Fate, fates, type Lens, type Seen } from "./lens.ts"

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

const digits = (number: number): string => number.toLocaleString("en-US")

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
            title={`${categoryNames[category]()}: ${digits(tokens)}`}
          />
        ) : null
      })}
    </div>
    <span class="token-sum">{count(amount.tokens, "token")}</span>
  </div>
)

/** Fewer than there are rows, where these are thousands: each mark then shows the worst of its rows. */
const mostMarks = 600
const order: readonly Fate[] = ["left-out", "summarised", "stub", "shortened", "verbatim"]

const marksOf = (seen: readonly Seen[]): readonly { readonly fate: Fate; readonly at: number }[] => {
  const step = Math.max(1, Math.ceil(seen.length / mostMarks))
  return Array.from({ length: Math.ceil(seen.length / step) }, (_, index) => {
    const some = seen.slice(index * step, (index + 1) * step)
    return { at: index * step, fate: order.find((fate) => some.some((each) => each.fate === fate)) ?? "verbatim" }
  })
}

/** More would take long to draw. */
const most = 400

const SeenRow = ({
  seen,
  isOpen,
  onOpen,
  onRow,
}: {
  readonly seen: Seen
  readonly isOpen: boolean
  readonly onOpen: () => void
  readonly onRow: (row: number) => void
}) => {
  const { row, fate, before, after, original, left } = seen
  return (
    <li class={`lens-row fate-row-${fate}`} data-row={row}>
      <button type="button" class="lens-line" aria-expanded={isOpen} onClick={onOpen}>
        <span class="row-number">#{row + 1}</span>
        <span class={`fate fate-${fate}`}>{fates[fate]()}</span>
        <span class="lens-text">{oneLine(original.slice(0, 400), 240)}</span>
        <span class="lens-tokens">{before === after ? digits(before) : `${digits(before)} → ${digits(after)}`}</span>
      </button>
      {isOpen && (
        <>
          <div class="lens-texts">
            <section>
              <h3>{phrase`In the history`}</h3>
              <Folded name={`lens:${row}:a`} text={original} />
            </section>
            <section>
              <h3>{phrase`What the model sees`}</h3>
              {left === undefined || left === "" ? (
                <p class="quiet">{phrase`Nothing: a handle brings it back.`}</p>
              ) : (
                <Folded name={`lens:${row}:${fate}:${after}`} text={left} />
              )}
            </section>
          </div>
          <button type="button" class="fold" onClick={() => onRow(row)}>
            {phrase`Show in the timeline`}
          </button>
        </>
      )}
    </li>
  )
}

interface LensViewProperties {
  readonly lens: Lens
  /** In lower case; empty for all rows. */
  readonly wanted: string
  readonly onRow: (row: number) => void
}

export const LensView = ({ lens, wanted, onRow }: LensViewProperties) => {
  const { seen, before, after, view, note } = lens
  const [open, setOpen] = useState<number>()
  const [first, setFirst] = useState(0)
  const found = useMemo(
    () => (wanted === "" ? seen : seen.filter(({ original }) => original.toLowerCase().includes(wanted))),
    [wanted, seen],
  )
  const isSeen = useMemo(() => wanted !== "" && view.some((text) => text.includes(wanted)), [wanted, view])
  const marks = useMemo(() => marksOf(seen), [seen])
  const kinds = (Object.keys(fates) as Fate[]).map((fate) => [fate, seen.filter((each) => each.fate === fate).length] as const)
  const start = Math.max(0, Math.min(first, found.length - most))
  const show = (at: number): void => {
    const row = seen[at]?.row
    if (row === undefined) return
    setFirst(Math.max(0, at - 20))
    setOpen(row)
    // After it is drawn.
    setTimeout(() => document.querySelector(`.lens-row[data-row="${row}"]`)?.scrollIntoView({ block: "center" }), 0)
  }
  return (
    <>
      {wanted !== "" && (
        <p class={`lens-answer${isSeen ? " yes" : " no"}`} role="status">
          {found.length === 0
            ? phrase`It is not in this history.`
            : isSeen
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
      {note !== undefined && (
        <p class="lens-answer" role="status">
          {note}
        </p>
      )}
      <div class="strip" role="img" aria-label={kinds.map(([fate, number]) => `${fates[fate]()}: ${number}`).join(", ")}>
        {marks.map(({ fate, at }) => (
          <span class={`strip-part fate-${fate}`} onClick={() => show(at)} />
        ))}
      </div>
      <ul class="legend fates">
        {kinds.map(([fate, number]) => (
          <li>
            <span class={`legend-dot fate-${fate}`} /> {fates[fate]()} <span class="quiet">{number}</span>
          </li>
        ))}
      </ul>
      <ol class="lens-rows">
        {found.slice(start, start + most).map((each) => (
          <SeenRow
            key={each.row}
            seen={each}
            isOpen={open === each.row}
            onOpen={() => setOpen(open === each.row ? undefined : each.row)}
            onRow={onRow}
          />
        ))}
      </ol>
      {found.length > most && <p class="quiet">{phrase`Only ${most} rows are shown here; click the strip for others.`}</p>}
    </>
  )
}
