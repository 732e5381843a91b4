/**
 * A list that draws only the rows in sight. Heights are measured as rows appear. A row above the view that turns out taller than was
 * guessed moves what is read by nothing: the scroll position goes along.
 */
import type { ComponentChildren, RefObject } from "preact"
import { useEffect, useLayoutEffect, useMemo, useReducer, useRef } from "preact/hooks"
import { phrase } from "../words.ts"
import { Heights } from "./heights.ts"

export interface ListHandle {
  /** Scrolls a row into view. `start`: to the top. */
  readonly show: (index: number, where?: "start" | "nearest") => void
  /** Opens what is folded in a row, or closes it. */
  readonly open: (index: number) => void
}

interface Properties {
  readonly count: number
  readonly guess: (index: number) => number
  readonly row: (index: number) => ComponentChildren
  readonly handle: RefObject<ListHandle | null>
  readonly label: string
  /** The rows in sight changed. */
  readonly onView?: (first: number, last: number) => void
  readonly selected: number
  /** After the last row. */
  readonly end?: ComponentChildren
}

/** Pixels drawn beyond the view, so that scrolling meets rows that are there. */
const margin = 600

interface MeasuredRowProperties {
  readonly index: number
  readonly count: number
  readonly isSelected: boolean
  readonly measured: ResizeObserver
  readonly children: ComponentChildren
}

const MeasuredRow = ({ index, count, isSelected, measured, children }: MeasuredRowProperties) => {
  const element = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const row = element.current
    if (!row) return undefined
    measured.observe(row)
    return () => measured.unobserve(row)
  }, [measured])
  return (
    <div
      class="list-row"
      role="listitem"
      aria-setsize={count}
      aria-posinset={index + 1}
      aria-current={isSelected ? "true" : undefined}
      data-index={index}
      ref={element}
    >
      {children}
    </div>
  )
}

export const VirtualList = ({ count, guess, row, handle, label, onView, selected, end }: Properties) => {
  const view = useRef<HTMLDivElement>(null)
  const [, redraw] = useReducer((times: number) => times + 1, 0)
  const known = useRef<Heights>(undefined)
  // Rows that were measured keep their heights while the list grows.
  const heights = useMemo(() => (known.current = new Heights(count, guess, known.current)), [count, guess])
  const top = useRef(0)
  const wanted = useRef<{ readonly index: number } | undefined>(undefined)

  const isAtEnd = useRef(false)
  /** Where the list itself scrolled to. */
  const placed = useRef(0)

  const draw = (): void => {
    top.current = view.current?.scrollTop ?? 0
    redraw(0)
  }

  // Who reads the end goes on reading it while it grows.
  useEffect(() => {
    if (isAtEnd.current && view.current) scrollTo(view.current.scrollHeight)
  }, [count])

  useEffect(() => {
    const element = view.current
    if (!element) return undefined
    const resized = new ResizeObserver(draw)
    resized.observe(element)
    let frame = 0
    const scrolled = (): void => {
      // Whoever scrolls, by whatever means, is not held at a row any more.
      if (Math.abs(element.scrollTop - placed.current) > 1) wanted.current = undefined
      isAtEnd.current = element.scrollTop + element.clientHeight > element.scrollHeight - 40
      cancelAnimationFrame(frame)
      frame = requestAnimationFrame(draw)
    }
    element.addEventListener("scroll", scrolled, { passive: true })
    return () => {
      resized.disconnect()
      element.removeEventListener("scroll", scrolled)
    }
  }, [])

  const scrollTo = (position: number): void => {
    if (!view.current) return
    view.current.scrollTop = position
    placed.current = view.current.scrollTop
    draw()
  }

  const measured = useMemo(
    () =>
      new ResizeObserver((entries) => {
        let above = 0
        let any = false
        for (const { target, borderBoxSize } of entries) {
          const index = Number((target as HTMLElement).dataset["index"])
          const height = borderBoxSize[0]?.blockSize ?? 0
          // Rows that were taken out report no height.
          if (height === 0 || index >= heights.length) continue
          const isAbove = heights.offsetOf(index) + heights.heightOf(index) <= top.current
          const grown = heights.set(index, height)
          if (grown !== 0) any = true
          if (isAbove) above += grown
        }
        const held = wanted.current
        if (held) scrollTo(heights.offsetOf(held.index))
        else if (above !== 0) scrollTo(top.current + above)
        else if (any) redraw(0)
      }),
    [heights],
  )
  useEffect(() => () => measured.disconnect(), [measured])

  useLayoutEffect(() => {
    handle.current = {
      show: (index, where = "nearest") => {
        const element = view.current
        if (!element) return
        const start = heights.offsetOf(index)
        const end = start + heights.heightOf(index)
        const [first, last] = [element.scrollTop, element.scrollTop + element.clientHeight]
        if (where === "nearest" && start >= first && end <= last) return
        // What is above is only guessed: the row is held at the top until those in sight are measured.
        const isBelow = where === "nearest" && end > last && end - start < element.clientHeight
        wanted.current = isBelow ? undefined : { index }
        scrollTo(isBelow ? end - element.clientHeight : start)
      },
      open: (index) => {
        const folded = [...(view.current?.querySelectorAll<HTMLElement>(`[data-index="${index}"] [aria-expanded]`) ?? [])]
        const isClosed = (each: HTMLElement): boolean => each.getAttribute("aria-expanded") === "false"
        const closed = folded.filter(isClosed)
        for (const each of closed.length > 0 ? closed : folded) each.click()
      },
    }
  }, [heights])

  const height = view.current?.clientHeight ?? 800
  const first = count === 0 ? 0 : heights.indexAt(Math.max(0, top.current - margin))
  const last = count === 0 ? -1 : heights.indexAt(top.current + height + margin)
  const shownFirst = count === 0 ? 0 : heights.indexAt(top.current)
  const shownLast = count === 0 ? 0 : heights.indexAt(top.current + height - 1)
  useEffect(() => onView?.(shownFirst, shownLast), [shownFirst, shownLast, onView])

  const shown: ComponentChildren[] = []
  for (let index = first; index <= last; index++) {
    shown.push(
      <MeasuredRow key={index} index={index} count={count} isSelected={index === selected} measured={measured}>
        {row(index)}
      </MeasuredRow>,
    )
  }
  return (
    <div class="list" ref={view} role="region" aria-label={label} tabIndex={0}>
      <div class="list-all" role="list" aria-label={phrase`messages`} style={{ height: `${heights.offsetOf(count)}px` }}>
        <div class="list-shown" style={{ transform: `translateY(${heights.offsetOf(first)}px)` }}>
          {shown}
        </div>
      </div>
      {end}
    </div>
  )
}
