/** The timeline with its rail: a long list, and at its edge a mark for everything that deserves a look. */
import type { ComponentChildren, RefObject } from "preact"
import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks"
import type { History } from "../history/open.ts"
import { type ListHandle, VirtualList } from "../list/virtual-list.tsx"
import type { LiveEnd } from "../live/events.ts"
import { phrase } from "../words.ts"
import { SoughtContext } from "./context.ts"
import { highlight } from "./highlight.ts"
import type { Pin } from "../wires/pin.ts"
import { guessHeight, RowView } from "./row.tsx"

interface TimelineProperties {
  readonly history: History
  readonly list: RefObject<ListHandle | null>
  readonly selected: number
  readonly found: ReadonlySet<number> | undefined
  /** What is looked for, in lower case. */
  readonly words: readonly string[]
  /** A provider's error, in the row that it is about. */
  readonly pin: Pin
  readonly exchanges: ReadonlyMap<number, readonly LiveEnd[]>
  /** What runs now. */
  readonly running: ComponentChildren
  readonly onBranch: (branch: string) => void
  readonly onSelect: (row: number) => void
  readonly onFinding: (finding: number) => void
}

interface RailMark {
  readonly row: number
  readonly kind: "error" | "warning" | "info" | "summary" | "fork" | "found"
}

/** More would be painted over each other. */
const mostMarks = 600

const marksOf = ({ findings, rowOfFinding, rows, forks }: History, found: ReadonlySet<number> | undefined): readonly RailMark[] => {
  const marks: RailMark[] = []
  for (const row of rows) if (row.kind === "summary") marks.push({ row: row.index, kind: "summary" })
  for (const row of forks.keys()) marks.push({ row, kind: "fork" })
  const seen = new Set<string>()
  findings.forEach(({ severity }, index) => {
    const row = rowOfFinding[index] ?? 0
    // Marks of one kind that would cover each other are one.
    const key = `${severity}:${Math.floor((row / rows.length) * 400)}`
    if (seen.has(key)) return
    seen.add(key)
    marks.push({ row, kind: severity })
  })
  if (found) for (const row of found) if (marks.length < mostMarks) marks.push({ row, kind: "found" })
  return marks.slice(0, mostMarks)
}

export const Timeline = ({
  history,
  list,
  selected,
  found,
  words,
  pin,
  exchanges,
  running,
  onBranch,
  onSelect,
  onFinding,
}: TimelineProperties) => {
  const { rows, findings } = history
  const [view, setView] = useState<readonly [number, number]>([0, 0])
  const guess = useCallback((index: number) => (rows[index] ? guessHeight(rows[index]) : 0), [rows])
  const marks = useMemo(() => marksOf(history, found), [history, found])
  const onView = useCallback((first: number, last: number) => setView([first, last]), [])
  const percent = (row: number): string => `${(100 * row) / Math.max(1, rows.length)}%`
  const frame = useRef<HTMLDivElement>(null)
  useEffect(() => highlight(frame.current, words))
  useEffect(() => () => highlight(null, []), [])
  if (rows.length === 0)
    return (
      <div class="timeline">
        <p class="empty">{phrase`Nothing was said in this conversation.`}</p>
      </div>
    )
  return (
    <SoughtContext.Provider value={words}>
      <div class="timeline" ref={frame}>
        <VirtualList
          count={rows.length}
          guess={guess}
          handle={list}
          label={phrase`Timeline`}
          selected={selected}
          onView={onView}
          end={running}
          row={(index) => {
            const row = rows[index]
            const forks = history.forks.get(index)
            const told = exchanges.get(index)
            return (
              row && (
                <RowView
                  row={row}
                  findings={findings}
                  {...(forks && { forks })}
                  {...(told && { exchanges: told })}
                  {...(pin.row === index && { refusal: pin.text })}
                  onBranch={onBranch}
                  onFinding={onFinding}
                  onSelect={onSelect}
                />
              )
            )
          }}
        />
        <div
          class="rail"
          aria-hidden="true"
          onClick={(event) => {
            const box = event.currentTarget.getBoundingClientRect()
            list.current?.show(Math.floor(((event.clientY - box.top) / box.height) * rows.length), "start")
          }}
        >
          <div class="rail-view" style={{ top: percent(view[0]), height: percent(view[1] - view[0] + 1) }} />
          {marks.map(({ row, kind }) => (
            <div class={`rail-mark rail-${kind}`} style={{ top: percent(row) }} />
          ))}
        </div>
      </div>
    </SoughtContext.Provider>
  )
}
