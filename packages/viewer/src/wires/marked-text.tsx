/** A text with marks at the ends of its lines. */
import { visible } from "../words.ts"
import type { Mark } from "./marks.ts"

export const MarkedText = ({ text, marks }: { readonly text: string; readonly marks: readonly Mark[] }) => {
  const inside = marks.filter(({ at }) => at <= text.length).toSorted((left, right) => left.at - right.at)
  let done = 0
  return (
    <pre class="output" tabIndex={0}>
      {inside.map(({ at, kind, label }) => {
        const before = text.slice(done, at)
        done = at
        return (
          <>
            {visible(before)}
            <span class={`wire-mark wire-mark-${kind}`}>{label}</span>
          </>
        )
      })}
      {visible(text.slice(done))}
    </pre>
  )
}
